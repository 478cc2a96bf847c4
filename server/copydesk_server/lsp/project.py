"""`.copydesk.toml` at a workspace's root: what a project may say to everybody who opens it.

Whoever opens a project trusts its text, not its wishes: it may add recipes, which are shown with their origin, and a scope
policy. A model, a path, a command or an address in it is refused by name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from copydesk.errors import FileRefusedError
from copydesk.files.regular_file import read_regular
from copydesk_server.lsp import schema
from copydesk_server.lsp.settings import Project, Recipe, settings_schema

FILE = ".copydesk.toml"
MAX_BYTES = 1 << 16
ALLOWED = {"recipes": "recipes", "scope_policy": "scopePolicy"}
"""What the file may say, by the names of the settings it speaks of."""


def load(folder: Path) -> tuple[Project | None, list[str]]:
    """What the folder's file says, None where there is none; and what is wrong with it. What is wrong is left out."""
    try:
        data = read_regular(folder / FILE, MAX_BYTES)
    except FileNotFoundError:
        return None, []
    except OSError as error:
        return None, [f"it cannot be read ({error.strerror})"]
    except FileRefusedError as error:
        return None, [str(error)]
    try:
        values = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        # Not the parser's words: it need not be a file of ours at all.
        return None, ["it is not TOML in UTF-8"]
    return parse(values)


def parse(values: Mapping[str, Any]) -> tuple[Project, list[str]]:
    """The same from the file's content."""
    properties = settings_schema()["properties"]
    wrong: list[str] = []
    kept: dict[str, Any] = {}
    for name, value in values.items():
        if name not in ALLOWED:
            wrong.append(
                f"`{name}` is not a project's to set (it may set {' and '.join(f'`{n}`' for n in ALLOWED)})"
            )
            continue
        found = list(schema.faults(value, properties[ALLOWED[name]]))
        if found:
            wrong.append(f"`{name}` {found[0]}")
        else:
            kept[name] = value
    recipes = tuple(Recipe(**recipe, origin=FILE) for recipe in kept.get("recipes", ()))
    return Project(recipes, kept.get("scope_policy")), wrong
