"""Functions by themselves with one small bug, and a request to find it: what "fix the bug" is learnt from.

A function of the corpus that computes something (loops, comparisons, sums, subscripts) is taken out of its file, with the imports
it needs, mostly without its docstring, and gets a bug of one step (`defects/small_edits.py`, `defects/logic.py`). The answer is
the function as it was. Knows texts; nothing of tokens.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator
from random import Random

from copydesk.request import EditRequest, Range
from copydesk.text.document import split_lines
from copydesk_training.defects import logic, small_edits
from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Broken
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import documented
from copydesk_training.example import Example

KIND = "function_bug"
LINES = range(3, 33)
"""Of a function that is worth a bug, its docstring not counted."""
LEAST_LOGIC = 3
"""Loops, comparisons, sums and subscripts of a function that is worth a bug."""
LEAST_DENSITY = 0.4
"""Of these, a line."""
DOCUMENTED = 0.25
"""The share of functions that keep their docstring."""
TOLD = 0.35
"""The share of requests that name the buggy lines: only these may change."""
TRIES = 8

Injector = Callable[[ParsedFile, Random], Broken | None]
BUGS: tuple[tuple[Injector, float], ...] = (
    (logic.operator_swapped, 3),
    (logic.off_by_one, 1.5),
    (logic.negated, 1),
    (logic.arguments_swapped, 0.7),
    (logic.return_lost, 0.3),
    (logic.returned_early, 0.5),
    (logic.misused, 3),
    (small_edits.operand_dropped, 2),
    (small_edits.operand_added, 1.5),
    (small_edits.argument_dropped, 1.2),
    (small_edits.call_dropped, 1.5),
    (small_edits.call_added, 1),
    (small_edits.value_changed, 2),
    (small_edits.function_misused, 2),
    (small_edits.branches_swapped, 0.7),
    (small_edits.bound_changed, 1.5),
    (small_edits.statement_dropped, 1.5),
    (small_edits.statement_moved, 1),
    (small_edits.statement_repeated, 0.4),
)


def examples(text: str, rng: Random, each: int = 2) -> Iterator[Example]:
    """`each` bugs in every function of a file that has something to get wrong; none of a file that cannot be used."""
    try:
        file = ParsedFile(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for function in file.functions:
        if not _worth_a_bug(function):
            continue
        alone = _alone(file, function, rng)
        if alone is None:
            continue
        seen = {alone.text}
        for _ in range(each):
            example = _with_bug(alone, function.name, rng, seen)
            if example is not None:
                yield example


def _worth_a_bug(function: FunctionNode) -> bool:
    lines = (function.end_lineno or 0) - function.lineno + 1
    if documented(function):
        lines -= (function.body[0].end_lineno or 0) - function.body[0].lineno + 1
    if lines not in LINES or function.name.startswith("__"):
        return False
    counted = (
        ast.For | ast.While | ast.Compare | ast.BinOp | ast.Subscript | ast.AugAssign | ast.comprehension
    )
    found = sum(isinstance(node, counted) for part in function.body for node in ast.walk(part))
    return found >= max(LEAST_LOGIC, LEAST_DENSITY * lines)


def _alone(file: ParsedFile, function: FunctionNode, rng: Random) -> ParsedFile | None:
    """The function in a file of its own, behind the imports whose names it uses."""
    start, end = file.line_start(file.start(function)), file.line_end(file.end(function))
    lines = file.text[start:end].split("\n")
    if documented(function) and len(function.body) > 1 and rng.random() >= DOCUMENTED:
        first, last = function.body[0].lineno, function.body[0].end_lineno or 0
        del lines[first - function.lineno : last - function.lineno + 1]
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    imports = [
        file.source(node)
        for node in file.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno == node.end_lineno
        and used.intersection((alias.asname or alias.name).split(".")[0] for alias in node.names)
    ]  # fmt: skip
    head = "\n".join(imports) + "\n\n\n" if imports else ""
    try:
        return ParsedFile(head + textwrap.dedent("\n".join(lines)).strip("\n") + "\n")
    except (SyntaxError, ValueError):
        return None


def _with_bug(file: ParsedFile, name: str, rng: Random, seen: set[str]) -> Example | None:
    """A bug that parses, means something else and was not made before."""
    injectors, weights = zip(*BUGS, strict=True)
    meaning = _meaning(file.text)
    for _ in range(TRIES):
        broken = rng.choices(injectors, weights)[0](file, rng)
        if broken is None or broken.text in seen:
            continue
        try:
            changed = _meaning(broken.text) != meaning
        except (SyntaxError, ValueError):
            continue
        if changed:
            seen.add(broken.text)
            told = rng.random() < TOLD
            scope = _changed(broken.text, file.text) if told else _function(broken.text)
            request = EditRequest(scope=[scope], instruction=ask(rng, "bug", name=name))
            return Example(broken.text, file.text, request, KIND, located=told)
    return None


def _meaning(text: str) -> str:
    """Equal for texts that do the same: annotations do nothing. Raises SyntaxError, ValueError."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, FunctionNode):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def _function(text: str) -> Range:
    """The lines of the function at the end of a text, but for its imports."""
    lines = split_lines(text)
    first = next(k for k, line in enumerate(lines) if line.startswith(("def ", "async def ")))
    return first + 1, len(lines)


def _changed(before: str, after: str) -> Range:
    """The lines of `before` that differ; an empty range where there are only lines to be put in."""
    old, new = split_lines(before), split_lines(after)
    most = min(len(old), len(new))
    head = next((k for k in range(most) if old[k] != new[k]), most)
    tail = next((k for k in range(most - head) if old[-1 - k] != new[-1 - k]), most - head)
    return head + 1, len(old) - tail
