"""vscode-client/package.json: its settings are the server's own, and none that runs or reaches anything is a folder's to set."""

from __future__ import annotations

import importlib.util
import json
import re
from types import ModuleType
from typing import Any

from repository import ROOT

CLIENT = ROOT / "vscode-client"
MACHINE = {
    "requestTimeout",
    "maxDocumentBytes",
    "maxLineBytes",
    "untrusted",
    "engine.command",
    "command",
    "python",
    "torchIndex",
    "trace.server",
    "model",
    "servedModel",
    "device",
    "dtype",
    "cacheBytes",
    "logLevel",
}


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vscode_settings", ROOT / "tools" / "vscode_settings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    return found


def settings() -> dict[str, Any]:
    return {
        name.removeprefix("copydesk."): rule
        for section in manifest()["contributes"]["configuration"]
        for name, rule in section["properties"].items()
    }


def test_the_settings_are_not_stale() -> None:
    made = tool()
    schema = json.loads(made.SCHEMA.read_text(encoding="utf-8"))
    assert made.MANIFEST.read_text(encoding="utf-8") == made.printed(made.manifest(manifest(), schema)), (
        "python tools/vscode_settings.py"
    )
    stale = json.loads(json.dumps(schema))
    stale["properties"]["device"]["default"] = "cpu"
    assert made.manifest(manifest(), stale) != manifest(), "a changed schema is seen"


def test_a_folder_cannot_say_what_runs() -> None:
    """Neither in its settings (`scope`), nor in those that count before it is trusted (`restrictedConfigurations`)."""
    machine = {name for name, rule in settings().items() if rule["scope"] == "machine"}
    assert machine == MACHINE
    restricted = manifest()["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert {name.removeprefix("copydesk.") for name in restricted} == MACHINE


def test_the_server_is_not_told_of_the_extensions_own_settings() -> None:
    """It would call them mistakes. `settings.ts` names them."""
    server = json.loads(tool().SCHEMA.read_text(encoding="utf-8"))["properties"]
    own = {name.partition(".")[0] for name in settings()} - {name.partition(".")[0] for name in server}
    source = (CLIENT / "src" / "settings.ts").read_text(encoding="utf-8")
    listed = re.search(r"OWN_SETTINGS = \[([^\]]*)\]", source)
    assert listed is not None
    assert set(re.findall(r'"(\w+)"', listed.group(1))) == own


def test_every_command_named_is_declared() -> None:
    """In menus, keys and the walkthrough; and every one that is declared is registered."""
    contributes = manifest()["contributes"]
    declared = {command["command"] for command in contributes["commands"]}
    named = {key["command"] for key in contributes["keybindings"]}
    named |= {item["command"] for menu in contributes["menus"].values() for item in menu}
    named |= set(re.findall(r"command:(copydesk[\w.]+)", json.dumps(contributes["walkthroughs"])))
    assert named <= declared
    source = (CLIENT / "src" / "extension.ts").read_text(encoding="utf-8")
    assert declared == set(re.findall(r'register\(\s*"(copydesk\.[\w.]+)"', source))


def test_versions_are_pinned_and_come_from_the_public_registry() -> None:
    assert all(re.fullmatch(r"[\d.]+", version) for version in manifest()["devDependencies"].values())
    lock = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["version"] == manifest()["version"]
    for name, package in lock["packages"].items():
        if name:
            assert package["resolved"].startswith("https://registry.npmjs.org/"), name
            assert "integrity" in package, name


def test_the_extension_has_the_packages_version() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{manifest()["version"]}"' in text


def test_pictures_and_pages_named_are_there() -> None:
    """Each in light and in dark, small, and none that nobody shows."""
    texts = [path.read_text(encoding="utf-8") for path in (CLIENT / "package.json", CLIENT / "README.md")]
    texts.append((ROOT / "README.md").read_text(encoding="utf-8").replace("vscode-client/images/", "images/"))
    named = {name for text in texts for name in re.findall(r"\b(?:images|walkthrough)/[\w-]+\.\w+", text)}
    there = {f"{path.parent.name}/{path.name}" for path in CLIENT.glob("[iw]*/*.*")}
    assert named == there
    assert {name.replace("-light.", "-dark.") for name in named} <= named
    assert all((CLIENT / name).stat().st_size < 150 << 10 for name in named)


def test_readmes_have_pictures_for_both_schemes() -> None:
    for path, folder in ((CLIENT / "README.md", "images"), (ROOT / "README.md", "vscode-client/images")):
        text = path.read_text(encoding="utf-8")
        dark = re.findall(
            rf'<source media="\(prefers-color-scheme: dark\)" srcset="{folder}/([\w-]+)-dark.png">', text
        )
        light = re.findall(rf'<img src="{folder}/([\w-]+)-light.png" alt="[^"]+">', text)
        assert dark == light
        assert light
        assert "![" not in text
