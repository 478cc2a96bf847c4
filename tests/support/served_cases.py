"""Quick fixes and instructions for engines that are compared: small documents with one finding, or with one wish."""

from __future__ import annotations

import ast
import json
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from copydesk_benchmarks.slips import swapped
from repository import ROOT

PLAIN = ROOT / "tests" / "data" / "instructions" / "plain.jsonl"

MODULES = (
    "argparse", "calendar", "dataclasses", "difflib", "functools", "glob", "heapq", "inspect", "json/decoder", "locale", "shutil",
    "statistics", "textwrap", "tokenize", "uuid", "zipfile", "ast", "base64", "traceback", "copy",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A document, what is asked of it as `copydesk/edit` takes it, and the lines (1-based) that may change."""

    text: str
    params: dict[str, Any]
    scope: tuple[int, int]


def quick_fixes(count: int, seed: int = 5) -> list[Case]:
    """Functions of the standard library in which one use of a name is misspelled, and pyflakes' words for it."""
    random = Random(seed)
    found: list[Case] = []
    functions = list(_functions())
    random.shuffle(functions)
    for text in functions:
        tree = ast.parse(text)
        uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and len(node.id) > 3]
        uses = [node for node in uses if isinstance(node.ctx, ast.Load) and text.isascii()]
        if not uses:
            continue
        use = random.choice(uses)
        wrong = swapped(use.id, random)
        if wrong == use.id or not wrong.isidentifier() or wrong in text:
            continue
        lines = text.splitlines(keepends=True)
        line = lines[use.lineno - 1]
        lines[use.lineno - 1] = line[: use.col_offset] + wrong + line[use.col_offset + len(use.id) :]
        start = {"line": use.lineno - 1, "character": use.col_offset}
        end = {"line": use.lineno - 1, "character": use.col_offset + len(wrong)}
        diagnostic = {
            "range": {"start": start, "end": end}, "message": f"Undefined name `{wrong}`", "code": "F821",
            "source": "Ruff", "severity": 1,
        }  # fmt: skip
        found.append(Case("".join(lines), {"diagnostic": diagnostic}, (use.lineno, use.lineno)))
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)} functions could be misspelled")


def instructions(count: int) -> list[Case]:
    """Plain wishes of lines, some of which rules apply and some the model."""
    found = []
    for row in map(json.loads, Path(PLAIN).read_text("utf-8").splitlines()):
        if "source" not in row:
            continue
        first, last = row["lines"]
        lines = {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}}
        found.append(Case(row["source"], {"range": lines, "instruction": row["instruction"]}, (first, last)))
    step = max(1, len(found) // count)
    return found[::step][:count]


def _functions() -> Iterator[str]:
    root = Path(sysconfig.get_paths()["stdlib"])
    for name in MODULES:
        source = (root / f"{name}.py").read_text("utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and 4 <= len(node.body) <= 25:
                yield "".join(source.splitlines(keepends=True)[node.lineno - 1 : node.end_lineno])
