"""SETTINGS.md, made from the schema: `python -m copydesk_server.lsp.reference > SETTINGS.md`. A test says when it is stale."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from copydesk_server.lsp import project
from copydesk_server.lsp.settings import SECTION, settings_schema

_HEAD = f"""\
# Settings of the language server

<!-- Made from server/copydesk_server/lsp/settings.schema.json: `python -m copydesk_server.lsp.reference > SETTINGS.md` -->

Settings live in the section `{SECTION}` of the client's configuration. The server asks for them where the client can be asked
(`workspace/configuration`, once for the server and once for each workspace folder), and otherwise takes what the client sends
(`workspace/didChangeConfiguration`, or `initializationOptions.{SECTION}.settings` to begin with). A value that is not valid is
named in one message, and its default holds.

A client that opened a folder which the person does not trust says `initializationOptions.{SECTION}.untrusted: true`: then all
is as with the setting `untrusted` for as long as it is connected, whatever its settings say.

"For" says where a setting counts: settings for the *server* are taken from the configuration outside of any folder, those for a
*folder* may differ from folder to folder.
"""

_PROJECT = f"""\
## In a project: `{project.FILE}`

A workspace folder may have a file `{project.FILE}` at its root. It is read when the folder is opened and whenever it changes.
It may add recipes, which are shown with their origin, and choose the scope policy, which then goes before the client's setting.
It may never set anything else: no model, path, command or address. Whatever else is in it is left out, and named in one message.

```toml
scope_policy = "lines"

[[recipes]]
title = "Write a docstring"
instruction = "Write a docstring in our style: one imperative sentence."
```
"""


def page() -> str:
    """The whole page."""
    properties: Mapping[str, Any] = settings_schema()["properties"]
    rows = ["| Setting | Values | Default | For | |", "| --- | --- | --- | --- | --- |"]
    for name, rule in properties.items():
        whom = "folder" if rule["scope"] == "resource" else "server"
        rows.append(
            f"| `{name}` | {_values(rule)} | {_default(rule['default'])} | {whom} | {rule['description']} |"
        )
    recipe: Mapping[str, Any] = properties["recipes"]["items"]["properties"]
    parts = [f"- `{name}` ({_values(rule)}): {rule['description']}" for name, rule in recipe.items()]
    recipes = "A recipe is an object:\n\n" + "\n".join(parts) + "\n"
    return "\n".join([_HEAD, "\n".join(rows), "", recipes, _PROJECT])


def _values(rule: Mapping[str, Any]) -> str:
    if "enum" in rule:
        return ", ".join(f"`{value}`" for value in rule["enum"])
    named = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    words = " or ".join("empty" if name == "null" else name for name in named)
    return ", ".join([words, *_limits(rule)])


def _limits(rule: Mapping[str, Any]) -> Iterator[str]:
    if "minimum" in rule:
        yield f"at least {rule['minimum']}"
    if "exclusiveMinimum" in rule:
        yield f"more than {rule['exclusiveMinimum']}"
    if "maximum" in rule:
        yield f"at most {rule['maximum']}"
    if "maxItems" in rule:
        yield f"at most {rule['maxItems']} entries"
    if "maxLength" in rule:
        yield f"at most {rule['maxLength']} characters"


def _default(value: Any) -> str:
    return "empty" if value is None else f"`{json.dumps(value)}`"


if __name__ == "__main__":
    sys.stdout.write(page())
