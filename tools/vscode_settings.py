"""The settings of vscode-client/package.json, made from the server's schema.

    python tools/vscode_settings.py            write them
    python tools/vscode_settings.py --check    say whether they are stale, by the exit code

The section "Server" is the schema's properties as VS Code takes them; the extension's own section is left as it is. A setting
that counts for the machine alone is also one that a folder which is not trusted cannot set: `restrictedConfigurations`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "server" / "copydesk_server" / "lsp" / "settings.schema.json"
MANIFEST = ROOT / "vscode-client" / "package.json"
TITLE = "Server"
MACHINE = ("machine", "machine-overridable", "application")


def manifest(old: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The manifest with the settings of `schema`; all else of it is as it was."""
    sections = [section for section in old["contributes"]["configuration"] if section["title"] != TITLE]
    server = {
        "title": TITLE,
        "properties": {f"copydesk.{name}": _setting(rule) for name, rule in schema["properties"].items()},
    }
    own = {name: rule for section in sections for name, rule in section["properties"].items()}
    machine = [name for name, rule in {**own, **server["properties"]}.items() if rule.get("scope") in MACHINE]
    trust = old["capabilities"]["untrustedWorkspaces"]
    return {
        **old,
        "capabilities": {
            **old["capabilities"],
            "untrustedWorkspaces": {**trust, "restrictedConfigurations": sorted(machine)},
        },
        "contributes": {**old["contributes"], "configuration": [*sections, server]},
    }


def printed(document: dict[str, Any]) -> str:
    """As the file has it."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _setting(rule: dict[str, Any]) -> dict[str, Any]:
    """One property as VS Code takes it: its words are Markdown."""
    setting = {name: value for name, value in rule.items() if name != "description"}
    if "enum" in setting:
        setting = {"type": "string", **setting}
    return {**setting, "markdownDescription": rule["description"]}


def main() -> int:
    """Write or check."""
    old = MANIFEST.read_text(encoding="utf-8")
    new = printed(manifest(json.loads(old), json.loads(SCHEMA.read_text(encoding="utf-8"))))
    if "--check" in sys.argv[1:]:
        if new != old:
            sys.stderr.write("vscode-client/package.json is stale: python tools/vscode_settings.py\n")
        return int(new != old)
    MANIFEST.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
