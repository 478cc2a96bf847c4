"""What a person can set, folder by folder: `settings.schema.json` is the source of names, defaults and limits.

From the client come values for the whole server and for each workspace folder; from a folder's `.copydesk.toml` come recipes
and a scope policy. What is not valid is left out, with one message, and the default holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import unquote

from copydesk_server.lsp import schema

SECTION = "copydesk"
IN_SETTINGS = "settings"
"""The origin of a recipe that a person set."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """An edit by instruction that a person can choose. `origin`: "settings", or the name of the project file it came from."""

    title: str
    instruction: str
    origin: str = IN_SETTINGS


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that hold for one folder. Field by field those of the schema, in Python's spelling."""

    model: str | None
    served_model: str | None
    device: str
    dtype: str
    cache_bytes: int | None
    log_level: str
    request_timeout: float
    max_document_bytes: int
    max_line_bytes: int
    untrusted: bool
    engine_command: tuple[str, ...]
    scope_policy: str
    candidates: int
    temperature: float
    top_p: float
    precompute: bool
    precompute_limit: int
    lint: str
    linter_fixes: str
    inline_completions: bool
    json_schemas: bool
    ignored_sources: tuple[str, ...]
    recipes: tuple[Recipe, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """What a folder's `.copydesk.toml` may say: never a model, a path, a command or an address."""

    recipes: tuple[Recipe, ...] = ()
    scope_policy: str | None = None


Complain = Callable[[str, str], None]
"""Show a person a message, once: (what it is about, the message). An empty message takes the last one back."""


@cache
def settings_schema() -> Mapping[str, Any]:
    """The schema as JSON."""
    text = resources.files(__package__).joinpath("settings.schema.json").read_text("utf-8")
    loaded: Mapping[str, Any] = json.loads(text)
    return loaded


def python_name(name: str) -> str:
    """`topP` as `top_p`, `engine.command` as `engine_command`."""
    return re.sub(r"(?<=[a-z])[A-Z]", lambda match: "_" + match[0].lower(), name).replace(".", "_")


def defaults() -> Settings:
    """What holds where nobody set anything."""
    return _build({name: rule["default"] for name, rule in settings_schema()["properties"].items()})


def read(values: Any) -> tuple[Settings, list[str]]:
    """Settings from JSON as a client has it, and what was wrong with it. A value that is not valid is as if it were not there."""
    properties = settings_schema()["properties"]
    chosen = {name: rule["default"] for name, rule in properties.items()}
    wrong: list[str] = []
    if values is None:
        values = {}
    if not isinstance(values, Mapping):
        return _build(chosen), ["the section must be an object"]
    for name, value in _flat(values).items():
        if name not in properties:
            # A client may keep settings of its own in the same section (`copydesk.trace.server`).
            continue
        found = list(schema.faults(value, properties[name]))
        if found:
            wrong.append(f"`{name}` {found[0]}")
        elif not (name in ("model", "servedModel") and value == ""):
            chosen[name] = value
    return _build(chosen), wrong


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """`{"engine": {"command": …}}` as `{"engine.command": …}`, which is how some clients have it."""
    flat = dict(values)
    engine = flat.pop("engine", None)
    if isinstance(engine, Mapping):
        flat |= {f"engine.{name}": value for name, value in engine.items()}
    return flat


def _build(values: Mapping[str, Any]) -> Settings:
    named = {python_name(name): value for name, value in values.items()}
    named["recipes"] = tuple(Recipe(**recipe) for recipe in named["recipes"])
    named["engine_command"] = tuple(named["engine_command"])
    named["ignored_sources"] = tuple(named["ignored_sources"])
    return Settings(**named)


class SettingsStore:
    """The settings of every folder. `of` answers at once; callbacks are told when anything may be different."""

    def __init__(self, complain: Complain) -> None:
        self._complain = complain
        self._global = defaults()
        self._folders: dict[str, Settings] = {}
        self._projects: dict[str, Project] = {}
        self._roots: tuple[str, ...] = ()
        self._callbacks: list[Callable[[], None]] = []

    def subscribe(self, callback: Callable[[], None]) -> None:
        """Be told after a change. What changed is for the caller to see."""
        self._callbacks.append(callback)

    def of(self, uri: str | None) -> Settings:
        """The settings for a document: its folder's, with what the folder's project file adds. None: the server's own."""
        root = self.root_of(uri) if uri is not None else None
        if root is None:
            return self._global
        settings = self._folders.get(root, self._global)
        project = self._projects.get(root)
        if project is None:
            return settings
        return replace(
            settings,
            recipes=(*settings.recipes, *project.recipes),
            scope_policy=project.scope_policy or settings.scope_policy,
        )

    def root_of(self, uri: str) -> str | None:
        """The innermost workspace folder a document is in."""
        # Clients differ in what they escape, some even between a folder's URI and those of the documents in it.
        plain = unquote(uri)
        holding = [root for root in self._roots if _holds(unquote(root).rstrip("/"), plain)]
        return max(holding, key=len, default=None)

    def set_roots(self, roots: tuple[str, ...]) -> None:
        """The workspace's folders are these now."""
        self._roots = roots
        self._folders = {root: found for root, found in self._folders.items() if root in roots}
        self._projects = {root: found for root, found in self._projects.items() if root in roots}
        self._changed()

    def set_values(self, everywhere: Any, folders: Mapping[str, Any] | None = None) -> None:
        """What the client says now, for the server and for each of its folders, as JSON."""
        wrong: dict[str, None] = {}
        self._global = self._read(everywhere, wrong)
        self._folders = {root: self._read(values, wrong) for root, values in (folders or {}).items()}
        message = ""
        if wrong:
            message = (
                "Some of copydesk's settings are not valid, so their defaults hold: " + "; ".join(wrong) + "."
            )
        self._complain("settings", message)
        self._changed()

    def set_project(self, root: str, project: Project | None) -> None:
        """What a folder's project file says now; None: there is none."""
        if project is None:
            self._projects.pop(root, None)
        else:
            self._projects[root] = project
        self._changed()

    def _read(self, values: Any, wrong: dict[str, None]) -> Settings:
        settings, found = read(values)
        wrong.update(dict.fromkeys(found))
        return settings

    def _changed(self) -> None:
        for callback in self._callbacks:
            callback()


def _holds(root: str, uri: str) -> bool:
    return uri == root or uri.startswith(root + "/")
