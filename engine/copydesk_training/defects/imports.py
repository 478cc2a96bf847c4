"""Imports that are missing, or there for nothing."""

from __future__ import annotations

import ast
import re
from random import Random

from copydesk.quickfixes.handlers.unresolved_name import MEMBERS
from copydesk.quickfixes.scope import IMPORT_LINES
from copydesk.syntax.import_block import import_block, import_point
from copydesk.text.document import split_lines
from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.names import undefined
from copydesk_training.defects.parsed import ParsedFile

TRIES = 8
ImportNode = ast.Import | ast.ImportFrom

MODULES = [
    "os", "sys", "re", "json", "time", "math", "logging", "itertools", "functools", "collections", "random",
    "copy", "typing", "warnings", "threading", "datetime", "subprocess", "tempfile", "shutil", "inspect",
    "types", "contextlib", "pathlib", "abc", "io", "string", "traceback", "uuid", "enum", "operator",
    "socket", "struct", "hashlib", "weakref", "asyncio", "argparse", "base64", "bisect", "csv",
    "dataclasses", "decimal", "fnmatch", "getpass", "glob", "gzip", "heapq", "importlib", "locale",
    "pickle", "platform", "pprint", "queue", "secrets", "select", "shlex", "signal", "statistics", "stat",
    "textwrap", "unittest", "urllib", "zipfile", "ast", "codecs", "errno", "gc", "html", "http", "ssl",
    "os.path", "urllib.parse", "collections.abc", "concurrent.futures", "importlib.metadata",
    "xml.etree.ElementTree", "numpy", "pandas", "requests", "yaml",
]  # fmt: skip


def missing_import(file: ParsedFile, rng: Random) -> Defect | None:
    """An import taken out, reported where its name is used, however far away."""
    statements = file.cached("imports", lambda: _imports(file))
    for _ in range(min(TRIES, len(statements))):
        node = rng.choice(statements)
        alias = rng.choice(node.names)
        name = (alias.asname or alias.name).partition(".")[0]
        uses = [
            u for u in file.names_loaded.get(name, ()) if u.lineno > node.lineno and not file.in_fstring(u)
        ]
        others = [a for s in statements for a in s.names if a is not alias]
        if not uses or any((a.asname or a.name).partition(".")[0] == name for a in others):
            continue
        edit = _without(file, node, alias)
        if edit is None:
            continue
        broken = Broken(file, [edit])
        after = _repaired(file, broken, edit, len(node.names) == 1)
        if after is None:
            continue
        use = uses[0] if rng.random() < 0.6 else rng.choice(uses)
        start, end = broken.offset(file.start(use)), broken.offset(file.start(use)) + len(name)
        found = broken.defect(undefined(broken, rng, "missing-import", start, end, {"name": name}))
        return Defect(found.before, after, found.request)
    return None


def unused_import(file: ParsedFile, rng: Random) -> Defect | None:
    """An import of something that nobody uses: a statement of its own, or one name among others."""
    statements = file.cached("imports", lambda: _imports(file))
    if not statements:
        return None
    node = rng.choice(statements)
    if isinstance(node, ast.ImportFrom) and rng.random() < 0.4:
        return _one_name_more(file, rng, node)
    name, full, line = _useless(rng)
    if name in file.words:
        return None
    at = file.line_start(file.start(node)) if rng.random() < 0.5 else file.line_end(file.end(node)) + 1
    indent = ""
    if rng.random() < 0.08 and file.functions:
        function = rng.choice(file.functions)
        first = function.body[0]
        if first.lineno > function.lineno and not isinstance(first, FunctionOrClass):
            at, indent = file.line_start(file.start(first)), file.indent(first)
    if at > len(file.text):
        return None
    broken = Broken(file, [Edit(at, at, indent + line + "\n")])
    begin = broken.span()[0] + len(indent) + line.rindex(" import " if line.startswith("from") else "import ")
    begin += len(" import ") if line.startswith("from") else len("import ")
    return _unused(broken, rng, begin, broken.span()[1] - 1, name, full, line)


FunctionOrClass = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _useless(rng: Random) -> tuple[str, str, str]:
    """The bound name, the full name and the line of an import."""
    if rng.random() < 0.5:
        module = rng.choice(MODULES)
        if module == "numpy" and rng.random() < 0.8:
            return "np", "numpy", "import numpy as np"
        if module == "pandas" and rng.random() < 0.8:
            return "pd", "pandas", "import pandas as pd"
        return module.partition(".")[0], module, f"import {module}"
    module = rng.choice(list(MEMBERS))
    name = rng.choice(MEMBERS[module].split())
    return name, f"{module}.{name}", f"from {module} import {name}"


def _one_name_more(file: ParsedFile, rng: Random, node: ast.ImportFrom) -> Defect | None:
    module = "." * node.level + (node.module or "")
    members = MEMBERS.get(module, "").split()
    if members:
        name = rng.choice(members)
    else:
        stems = file.cached("stems", lambda: sorted(w.lower().strip("_") for w in file.words if len(w) > 4))
        name = rng.choice(("get_", "make_", "load_", "is_", "to_", "parse_", "")) + rng.choice(
            stems or ["helper"]
        )
    if name in file.words or not name.isidentifier():
        return None
    k = rng.randrange(len(node.names) + 1)
    if k < len(node.names):
        at = file.start(node.names[k])
        head = file.text[file.line_start(at) : at]
        new = f"{name},\n{head}" if not head.strip() else f"{name}, "
        begin = 0
    else:
        at = file.end(node.names[-1])
        head = file.text[file.line_start(file.start(node.names[-1])) : file.start(node.names[-1])]
        new = f",\n{head}{name}" if not head.strip() else f", {name}"
        begin = len(new) - len(name)
    broken = Broken(file, [Edit(at, at, new)])
    start = broken.span()[0] + begin
    full = f"{module}.{name}" if not module.endswith(".") else module + name
    return _unused(broken, rng, start, start + len(name), name, full, f"from {module} import {name}")


def _unused(broken: Broken, rng: Random, start: int, end: int, name: str, full: str, line: str) -> Defect:
    what = f"{name} imported from {line.split()[1]}" if line.startswith("from") else line
    fields: dict[str, object] = {"name": name, "full": full, "what": what}
    return broken.defect(broken.diagnostic(rng, "unused-import", start, end, fields))


def _imports(file: ParsedFile) -> list[ImportNode]:
    """The imports at module level that stand on lines of their own."""
    return [
        n
        for n in file.tree.body
        if isinstance(n, ImportNode)
        and not (isinstance(n, ast.ImportFrom) and (n.module == "__future__" or n.names[0].name == "*"))
        and file.alone(n)
    ]


def _without(file: ParsedFile, node: ImportNode, alias: ast.alias) -> Edit | None:
    """The edit that takes `alias` out, with the comma and the line that go with it."""
    text = file.text
    if len(node.names) == 1:
        return Edit(file.line_start(file.start(node)), min(len(text), file.line_end(file.end(node)) + 1), "")
    k = node.names.index(alias)
    start, end = file.start(alias), file.end(alias)
    own = re.compile(r"[ \t]*,[ \t]*\n").match(text, end)
    head = file.line_start(start)
    if own and not text[head:start].strip():
        return Edit(head, own.end(), "")
    if k + 1 < len(node.names):
        follower = file.start(node.names[k + 1])
        return Edit(start, follower, "") if "#" not in text[end:follower] else None
    before = file.end(node.names[k - 1])
    return Edit(before, end, "") if "#" not in text[before:start] else None


def _repaired(file: ParsedFile, broken: Broken, edit: Edit, whole: bool) -> str | None:
    """The text with the import back where the default scope lets it: in the import block as pages show it.

    Mostly that is the file's own text. A statement from elsewhere goes to the nearer end of the block.
    """
    line = file.line_at(edit.start)
    top = split_lines(broken.text[: broken.offset(edit.start) + 4000])
    block = import_block(top, "python", IMPORT_LINES)
    first, last = (
        block if block is not None else (import_point(top, "python"), import_point(top, "python") - 1)
    )
    if first <= line <= last + 1:
        return file.text
    if not whole:
        return None
    at = sum(map(len, top[: first - 1 if line < first else last]))
    return broken.text[:at] + file.text[edit.start : edit.end] + broken.text[at:]
