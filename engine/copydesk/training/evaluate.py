"""How good a model is, asked through the engine itself: the same pages, grammar, decoding and checks a person gets.

Knows examples and an editor; reads no files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from copydesk.codec_cost import CodecCost
from copydesk.document import split_lines
from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.oracle import oracle_program
from copydesk.program import Copy, Program
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.scope import resolve_scope
from copydesk.training.defects import KINDS
from copydesk.training.example import Example
from copydesk.training.statistics import Share

LOCATED = "located diagnostics"
UNLOCATED = "bugs without a place"
INSTRUCTED = "instructions"
UNTOUCHED = "clean code"
ALL = "all"
FAMILIES = (LOCATED, INSTRUCTED, UNLOCATED, UNTOUCHED, ALL)
INSTRUCTIONS, CLEAN, PAIRS = 100, 180, 200
"""Where the ids of families begin."""
TOGETHER = 8
"""Requests decoded side by side: they share forwards."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One example's outcome.

    exact:   the edited text is the wanted one, byte for byte.
    spans:   the program copies the lines the oracle's copies (endpoints of every copy equal), or the text is exact.
    applied: the checks let the edit through (or it was rightly left alone).
    verified: whoever may run tools again found nothing against it (or it was rightly left alone).
    """

    kind: str
    status: str
    exact: bool
    spans: bool
    applied: bool
    verified: bool
    outside: bool
    forwards: int
    ms: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: shares over the examples of one kind."""

    kind: str
    exact: Share
    spans: Share
    applied: Share
    verified: Share


Verify = Callable[[Example, str], bool]
"""Whether an example's text, edited like this, passes whatever can be run on it."""


def judge(
    editor: Editor, examples: Iterable[Example], verify: Verify, *, together: int = TOGETHER
) -> Iterator[Verdict]:
    """Decode each example greedily and compare. Examples whose scope does not fit a page count as failures."""
    waiting = iter(examples)
    while group := list(islice(waiting, together)):
        documents = [editor.open("example.py", example.before) for example in group]
        requests: list[tuple[Document, EditRequest]] = [
            (document, replace(example.request, temperature=0.0, candidates=1))
            for document, example in zip(documents, group, strict=True)
        ]
        results: dict[int, EditResult] = {}
        for index, event in editor.edit_all(requests):
            if isinstance(event, EditResult):
                results[index] = event
        for index, example in enumerate(group):
            yield _verdict(editor, documents[index], example, results[index], verify)
        for document in documents:
            document.close()


def table(verdicts: Iterable[Verdict]) -> list[Row]:
    """Rows by kind, alphabetical, then one for each family that has several, then one over all."""
    kinds: dict[str, list[Verdict]] = defaultdict(list)
    families: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        kinds[verdict.kind].append(verdict)
        families[family(verdict.kind)].append(verdict)
        families[ALL].append(verdict)
    rows = [_row(kind, kinds[kind]) for kind in sorted(kinds)]
    return [*rows, *(_row(name, families[name]) for name in FAMILIES if name in families)]


def family(kind: str) -> str:
    """What a kind is counted under beside its own name: the ids of `defects.KINDS` are numbered by family."""
    number = KINDS[kind].id
    if kind == "unlocated_bug" or number >= PAIRS:
        return UNLOCATED
    return LOCATED if number < INSTRUCTIONS else INSTRUCTED if number < CLEAN else UNTOUCHED


def markdown(rows: Sequence[Row]) -> str:
    """The table as Markdown, shares with 95% intervals."""
    head = "| kind | exact match | spans right | applied | verified |\n|---|---|---|---|---|\n"
    return head + "".join(
        f"| {row.kind} | {row.exact} | {row.spans} | {row.applied} | {row.verified} |\n" for row in rows
    )


def _row(kind: str, verdicts: Sequence[Verdict]) -> Row:
    total = len(verdicts)
    return Row(
        kind,
        Share(sum(v.exact for v in verdicts), total),
        Share(sum(v.spans for v in verdicts), total),
        Share(sum(v.applied for v in verdicts), total),
        Share(sum(v.verified for v in verdicts), total),
    )


def _verdict(
    editor: Editor, document: Document, example: Example, result: EditResult, verify: Verify
) -> Verdict:
    # A refused program is judged by what it would have written: refusal is what `applied` counts.
    try:
        text = result.program.resolve(example.before) if result.program is not None else example.before
    except CopydeskError:
        text = example.before
    exact = result.program is not None and text == example.after
    rightly_left = result.status == "unchanged" and example.before == example.after
    return Verdict(
        example.kind,
        result.status,
        exact,
        exact or _same_spans(editor, document, example, result.program),
        result.status == "edited" or rightly_left,
        rightly_left or (result.status == "edited" and verify(example, result.text)),
        outside=not _inside(editor, document, example, result),
        forwards=result.counts.forwards,
        ms=result.ms.get("total", 0.0),
    )


def _same_spans(editor: Editor, document: Document, example: Example, program: Program | None) -> bool:
    codec = editor.toolkit.codec
    if program is None:
        return False
    cost = CodecCost(codec) if codec is not None else None
    wanted = oracle_program(example.before, example.after, cost=cost, scope=_scope(editor, document, example))
    return _copies(wanted) == _copies(program)


def _inside(editor: Editor, document: Document, example: Example, result: EditResult) -> bool:
    """Whether every line outside the request's scope came through, by the program's own copies."""
    if result.program is None or result.status not in ("edited", "unchanged"):
        return True
    scope = _scope(editor, document, example)
    free = {n for start, end in scope for n in range(start, end + 1)}
    kept = {n for op in result.program.ops if isinstance(op, Copy) for n in range(op.start, op.end + 1)}
    return all(n in kept for n in range(1, len(split_lines(example.before)) + 1) if n not in free)


def _scope(editor: Editor, document: Document, example: Example) -> list[tuple[int, int]]:
    return resolve_scope(
        document.lines.lines, example.request, document.language, editor.toolkit.format.header_lines
    )


def _copies(program: Program) -> list[tuple[int, int]]:
    return [(op.start, op.end) for op in program.ops if isinstance(op, Copy)]
