"""From what a decoder found to the events that are told: checks, edits, alternatives, one result, for every kind of model."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

from copydesk.decode.coroutine import Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.weighed_program import WeighedProgram, question
from copydesk.errors import ProgramError
from copydesk.grammar.rules import violation
from copydesk.program import Copy, Program
from copydesk.program.edits import program_edits
from copydesk.results import Alternative, EditResult, Event, Retraction, Status
from copydesk.schemas.problems import broken_schema, new_problem
from copydesk.serving.checks import adds_suppression, breaks_syntax, left_undefined
from copydesk.serving.parsing import schema_of, still_parses
from copydesk.serving.plan import Plan
from copydesk.serving.program_titles import program_title
from copydesk.text.document import Encoding
from copydesk.text.titles import capitalised, percent

LOOPED = "the model wrote the same again and again; select fewer lines, or say it in other words"
SPENT = "the edit became longer than it may be; select fewer lines, or ask for less at once"

SEEMS_DONE = (
    "it seems that nothing is left to do ({chance}); if something is, say it in other words, or name the code"
)
UNDEFINED = "{names} would be defined nowhere; select the other lines that have it, too, or rename the symbol"


def finished(
    plan: Plan,
    best: Outcome,
    offered: tuple[Alternative, ...],
    counts: Counts,
    started: float,
    prefill: float,
    encoding: Encoding | str,
    *,
    shown: bool,
) -> Iterator[Event]:
    """A retraction where hunks were shown and a check fails, then the result. started, prefill: in seconds."""
    lines = plan.snapshot.lines
    program: Program | None = None
    reason = best.refusal
    checked: tuple[str, ...] = ()
    if best.program is not None:
        program = plan.page.to_document(best.program, lines.lines)
        if best.truncated:
            reason = LOOPED if best.looped else SPENT
        else:
            reason, checked = objection(plan, best.program, program)
    if reason is not None:
        if shown:
            yield Retraction(reason)
        result = plain_result(plan, "refused", counts, started, program=program, reason=reason)
    else:
        assert best.program is not None
        assert program is not None
        edits = tuple(program_edits(program.ops, lines, False, encoding))
        if edits and plan.unlearnt and best.law == "local":
            title = capitalised(program_title(best.program, plan.page.views))
            best = replace(best, unsure=True)
            proposed = Alternative(title, math.exp(best.log_likelihood), program, edits, None, checked)
            offered = offered or (proposed,)
        if best.unsure and not plan.request.take_likeliest:
            asked = question((one.title, one.probability) for one in offered)
            result = plain_result(plan, "refused", counts, started, reason=asked)
        else:
            result = plain_result(
                plan,
                "edited" if edits else "unchanged",
                counts,
                started,
                program=program,
                edits=edits,
                reason=None if edits else plan.idle or _seems_done(plan, best),
                checked=checked,
            )
    total = result.ms["total"]
    yield replace(
        result,
        ms={"prefill": prefill * 1e3, "decode": total - prefill * 1e3, "total": total},
        exact=best.exact,
        law=best.law,
        mask_error=best.mask_error,
        log_likelihood=best.log_likelihood,
        unsure=best.unsure,
        confidence=best.confidence,
        alternatives=offered,
        known_fix=best.known_fix,
    )


def _seems_done(plan: Plan, best: Outcome) -> str | None:
    """What is said where the model chose to change nothing, though a person asked for an edit."""
    if plan.request.instruction is None or best.confidence is None:
        return None
    return SEEMS_DONE.format(chance=percent(best.confidence))


def alternative(plan: Plan, weighed: WeighedProgram, encoding: Encoding | str) -> Alternative:
    """A weighed program as a person is offered it."""
    lines = plan.snapshot.lines
    program = plan.page.to_document(weighed.program, lines.lines)
    reason, checked = objection(plan, weighed.program, program)
    edits = tuple(program_edits(program.ops, lines, False, encoding)) if reason is None else ()
    return Alternative(capitalised(weighed.title), weighed.probability, program, edits, reason, checked)


def ended(plan: Plan, counts: Counts, reason: str, since: float) -> EditResult:
    """The result of a request that was stopped."""
    status: Status = "cancelled" if reason == "cancelled" else "refused"
    return plain_result(plan, status, counts, since, reason=reason)


def plain_result(plan: Plan, status: Status, counts: Counts, since: float, **more: object) -> EditResult:
    """A result with its version, its document and how long it took since `since`, in seconds of `time.perf_counter`."""
    return EditResult(
        status,
        plan.snapshot.lines.text,
        plan.snapshot.number,
        counts=counts,
        ms={"total": (time.perf_counter() - since) * 1e3},
        **more,  # type: ignore[arg-type]
    )


def objection(plan: Plan, on_page: Program, program: Program) -> tuple[str | None, tuple[str, ...]]:
    """Why a finished program must not be applied, or None and the checks it passed. on_page: the same in the page's lines."""
    lines = plan.snapshot.lines.lines
    outside = violation(plan.rules, on_page, plan.page.views)
    if outside is not None:
        return f"outside the request's scope: {outside}", ()
    try:
        program.validate(lines)
    except ProgramError as error:
        return str(error), ()
    if program.ops == (Copy(1, len(lines)),):
        return None, ()
    silenced = adds_suppression(program, lines)
    if silenced is not None:
        return f"it silences a tool: {silenced}", ()
    parses = still_parses(plan.snapshot, program)
    if parses is not None:
        if not parses:
            return "the result does not parse", ()
        schema = schema_of(plan.snapshot) if plan.request.schemas else None
        if schema is None:
            return None, ("syntax",)
        problem = new_problem(schema, plan.snapshot.lines.text, program.resolve(plan.snapshot.lines.text))
        return (None, ("syntax", "schema")) if problem is None else (broken_schema(schema, problem), ())
    if plan.snapshot.parsed is None or plan.snapshot.parsed.broken:
        return None, ()
    if breaks_syntax(program, lines, plan.snapshot.parsed):
        return "the result does not parse", ()
    if plan.request.instruction is not None and plan.snapshot.language == "python":
        text = plan.snapshot.lines.text
        undefined = left_undefined(text, program.resolve(text))
        if undefined:
            return UNDEFINED.format(names=", ".join(f"`{name}`" for name in undefined)), ()
    return None, ("syntax",)
