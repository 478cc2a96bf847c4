"""One example's outcome, from the answer of the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError, ProgramError
from copydesk.models.pace import CHUNK
from copydesk.oracle import oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Copy, Program
from copydesk.quickfixes.scope import resolve_scope
from copydesk.results import EditResult
from copydesk.text.document import split_lines
from copydesk_training.evaluation.mistakes import Mistake, mistake_of
from copydesk_training.example import Example


@dataclass(frozen=True, slots=True)
class Verdict:
    """One example's outcome under one model, with lists (`narrow`) or without.

    number:    the example's number in the run; equal numbers are the same example.
    exact:     the edited text is the wanted one, byte for byte. A refused program is judged by the text it stands for.
    mistake:   what is wrong where it is not.
    spans:     the program copies the lines the oracle's copies (endpoints of every copy equal), or the text is exact. Never where
               the wanted edit lies outside the scope.
    applied:   the checks let the edit through (or it was rightly left alone).
    verified:  whoever may run tools again found nothing against it (or it was rightly left alone).
    outside:   a line outside the request's scope was changed.
    generated: tokens the model chose one at a time.
    forwards:  forward passes of decoding, those that warm the page left out.
    ms:        wall time on warm pages, from the batch's start to this request's end.
    """

    number: int
    kind: str
    narrow: bool
    status: str
    exact: bool
    mistake: Mistake | None
    spans: bool
    applied: bool
    verified: bool
    outside: bool
    generated: int
    forwards: int
    ms: float


Verify = Callable[[Example, str], bool]
"""Whether an example's text, edited like this, passes whatever can be run on it."""


def verdict_of(
    editor: Editor,
    document: Document,
    number: int,
    example: Example,
    result: EditResult,
    verify: Verify,
    ms: float,
) -> Verdict:
    """Compare the result of a request on `document`, which shows `example.before`, with the wanted text."""
    try:
        text = result.program.resolve(example.before) if result.program is not None else example.before
    except CopydeskError:
        text = example.before
    exact = result.program is not None and text == example.after
    answered = result.status in ("edited", "unchanged")
    mistake: Mistake | None = None
    if not exact:
        mistake = mistake_of(example.before, example.after, text) if answered else "refused"
    rightly_left = result.status == "unchanged" and example.before == example.after
    counts = result.counts
    return Verdict(
        number=number,
        kind=example.kind,
        narrow=example.request.narrow,
        status=result.status,
        exact=exact,
        mistake=mistake,
        spans=exact or _same_spans(editor, document, example, result.program),
        applied=result.status == "edited" or rightly_left,
        verified=rightly_left or (result.status == "edited" and verify(example, result.text)),
        outside=not _inside(editor, document, example, result),
        generated=counts.generated,
        forwards=counts.forwards - -(-counts.prefilled // CHUNK),
        ms=ms,
    )


def _same_spans(editor: Editor, document: Document, example: Example, program: Program | None) -> bool:
    codec = editor.loaded_model.codec
    if program is None:
        return False
    cost = CodecCost(codec) if codec is not None else None
    scope = _scope(editor, document, example)
    try:
        wanted = oracle_program(example.before, example.after, cost=cost, scope=scope)
    except ProgramError:  # a real edit for a finding may lie where the engine does not look
        return False
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
        document.lines.lines, example.request, document.language, editor.loaded_model.format.header_lines
    )


def _copies(program: Program) -> list[tuple[int, int]]:
    return [(op.start, op.end) for op in program.ops if isinstance(op, Copy)]
