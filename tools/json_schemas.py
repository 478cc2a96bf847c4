"""Write `engine/copydesk/schemas/data`: schemas of SchemaStore for the names of well-known JSON files.

    git clone https://github.com/SchemaStore/schemastore && python tools/json_schemas.py schemastore

Takes what is committed there. Only what a validator asserts is kept: no titles, descriptions, defaults or formats. A reference to
another file is not followed: what it stands for accepts anything.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "engine" / "copydesk" / "schemas" / "data"
NAMES = (
    "package", "tsconfig", "jsconfig", "babelrc", "eslintrc", "jest", "lerna", "mocharc", "nest-cli", "nodemon", "prettierrc",
)  # fmt: skip
KEPT = {
    "$schema", "$ref", "type", "enum", "const", "properties", "patternProperties", "additionalProperties",
    "propertyNames", "required", "dependencies", "dependentRequired", "dependentSchemas", "minProperties",
    "maxProperties", "items", "prefixItems", "additionalItems", "contains", "minContains", "maxContains",
    "minItems", "maxItems", "uniqueItems", "pattern", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "allOf", "anyOf", "oneOf", "not", "if", "then",
    "else", "unevaluatedItems", "unevaluatedProperties", "definitions", "$defs",
}  # fmt: skip
BY_NAME = frozenset(
    {"properties", "patternProperties", "definitions", "$defs", "dependencies", "dependentSchemas"}
)
"""Keywords whose values are schemas by names that are not keywords."""
PLAIN = frozenset({"enum", "const", "required", "dependentRequired"})
ORIGIN = """The schemas in this folder and `catalogue.json` come from SchemaStore (https://github.com/SchemaStore/schemastore),
commit {commit}, under the Apache License 2.0 (`LICENSE`).

Its notice: {notice}.

Changed by `tools/json_schemas.py`: only what a validator asserts is kept, without formats, and what a reference to another
file stands for accepts anything.
"""


def main() -> None:
    """Write the schemas, the catalogue, the licence and where all this came from."""
    checkout = sys.argv[1]

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", checkout, *arguments], check=True, capture_output=True, text=True
        ).stdout

    def show(path: str) -> str:
        return git("show", f"HEAD:{path}")

    FOLDER.mkdir(parents=True, exist_ok=True)
    matches: dict[str, list[str]] = {name: [] for name in NAMES}
    for entry in json.loads(show("src/api/json/catalog.json"))["schemas"]:
        name = entry["url"].rpartition("/")[2].removesuffix(".json")
        if "schemastore.org" in entry["url"] and name in matches:
            found = entry.get("fileMatch", ())
            matches[name] += [each for each in found if not each.endswith((".yml", ".yaml"))]
    for name in NAMES:
        schema = kept(json.loads(show(f"src/schemas/json/{name}.json")))
        for reference in references(schema):
            resolve(schema, reference)
        write(f"{name}.json", schema)
    write("catalogue.json", {f"{name}.json": matches[name] for name in NAMES})
    commit = git("log", "-1", "--format=%H of %cs").strip()
    origin = ORIGIN.format(commit=commit, notice=" ".join(show("NOTICE").split()))
    (FOLDER / "ORIGIN.md").write_text(origin, encoding="utf-8")
    (FOLDER / "LICENSE").write_text(show("LICENSE"), encoding="utf-8")
    total = sum(path.stat().st_size for path in FOLDER.iterdir())
    sys.stdout.write(f"{FOLDER}: {len(NAMES)} schemas, {total:,} bytes\n")


def kept(schema: Any) -> Any:
    """What a validator asserts of a schema."""
    if not isinstance(schema, dict):
        return [kept(each) for each in schema] if isinstance(schema, list) else schema
    found = {}
    for key, value in schema.items():
        if key not in KEPT or (key == "$ref" and not value.startswith("#")):
            continue
        if key in BY_NAME:
            found[key] = {name: kept(each) for name, each in value.items()}
        else:
            found[key] = value if key in PLAIN else kept(value)
    return found


def references(schema: Any) -> list[str]:
    """The references in a schema that was kept."""
    found, waiting = list[str](), [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if isinstance(each.get("$ref"), str):
                found.append(each["$ref"])
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return found


def resolve(schema: Any, reference: str) -> None:
    """Raises KeyError for a reference that leads nowhere."""
    here = schema
    for part in reference.removeprefix("#").split("/")[1:]:
        here = here[int(part) if isinstance(here, list) else part.replace("~1", "/").replace("~0", "~")]


def write(name: str, value: Any) -> None:
    """One file, as short as JSON can be."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
