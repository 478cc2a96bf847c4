"""Decoding a request that finitely many programs answer: the model chooses one of them, and spells nothing.

A program's tokens are cut into runs, and the model chooses run by run, each as a whole by its exact probability; a run that all
programs left have in common asks nothing of the model. Depends on the page and its codec, not on what the programs are for.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from copydesk.decode.choice_settings import STANDARD_SETTINGS, ChoiceSettings
from copydesk.decode.coroutine import Decided, Outcome, Steps
from copydesk.decode.emitter import Emitter
from copydesk.decode.lookahead import leading
from copydesk.decode.program_decoder import ProgramDecoder
from copydesk.decode.weighed_program import WeighedProgram, combined, question
from copydesk.program import Copy, Program
from copydesk.prompting.codec import Codec, Ids
from copydesk.text.titles import percent

MOST_NODES = 384
"""Tokens that one forward may weigh where only a likely program is taken; the last programs are left out for it."""
ALTERNATIVES = 3
"""Programs that a person may choose from where none is likely enough."""
WORTH_ASKING = 0.02
"""The least probability of these, unless a request wants several: what is hardly meant is not asked about."""
WORTH_SAYING = 0.3
"""The least probability of nothing to do at which an unsure answer says so."""
NO_IDEA = "no edit that copydesk can think of seems to be meant; say it in other words, or name the code"
PERHAPS_NOTHING = (
    "perhaps nothing is to be done ({chance}); if something is, say it in other words, or name the code"
)

Run = tuple[Ids, Ids]
"""Tokens the model chooses in one go, and the span that enters the context behind them."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a program does, in words; the page line where it begins to, 0 if nowhere; how likely it was before the model was
    asked: a logit; what programs have in common between which a person would not choose, "" where there is no other; and the
    title with what tells it from others of the same title, if there are any.
    """

    title: str
    line: int = 0
    prior: float = 0.0
    meaning: str = ""
    name: str = ""

    @property
    def shown(self) -> str:
        """What it is called where a person chooses."""
        return self.name or self.title


@dataclass(slots=True)
class ChoiceTask:
    """views, lines: the page's lines as view text and as raw tokens. request: tokens behind the page's prefix, up to and with
    `program_open`. programs: legal page programs, no two alike, likeliest first. open_end: as in `Codec.encode_program`.

    staged: each program is one sub within a line, and is chosen in two steps: the line, then what the sub makes of it.
    alternatives: programs that an outcome names at least, the likeliest first; 1: an unsure one alone names some.
    offers: given where a program is weighed by its description and taken only if it is likely enough, likeliest first, among
    them that of None, which says that no program is right. take_likeliest: or, unsure, even where it is not.
    least: the least probability of an alternative; where none has it, `free` writes, and reads `written` in place
    of the request. settings: how offers are weighed. known_fix: as in `EditResult`, of each program.
    """

    codec: Codec
    views: Sequence[str]
    lines: Sequence[Ids]
    request: Sequence[int]
    programs: Sequence[Program]
    open_end: bool = False
    staged: bool = False
    offers: Mapping[Program | None, Offer] | None = None
    take_likeliest: bool = False
    alternatives: int = 1
    least: float = 0.0
    written: Sequence[int] = ()
    settings: ChoiceSettings = STANDARD_SETTINGS
    known_fix: bool = False


class ChoiceDecoder:
    """One decoder: `run()` is its conversation with the scheduler. `free` writes programs of its own on the same page.

    Without `free` one of the task's programs is the outcome. With it the outcome may also be one of `free`'s, which all begin
    with a copy: the first copy says which of the two it is. With offers a program is taken if it is likely enough, else none is,
    and `free` answers only where there is nothing to choose from, or nothing that is likely at all.
    """

    def __init__(self, task: ChoiceTask, emitter: Emitter, free: ProgramDecoder | None = None) -> None:
        self.task = task
        self.emitter = emitter
        self.free = free

    def run(self) -> Steps:
        task, free = self.task, self.free
        if task.offers is not None:
            return (yield from self._likely(task.offers))
        self.emitter.pending.extend(task.request)
        alive = {program: spelled_runs(task, program) for program in task.programs}
        known: Ids = ()
        if free is not None:
            copied = yield from self._first_copy(free)
            known = self._copy(copied)
            alive = {program: runs for program, runs in alive.items() if program.ops[0] == copied}
            if not alive:
                return (yield from free.behind(copied))
        return (yield from self._taken((yield from self._by_runs(alive, known))))

    def _by_runs(self, alive: dict[Program, list[Run]], known: Ids) -> Generator[Any, Any, Program]:
        """One of the programs, run by run; `known` begins the first run and is written."""
        emitter, at = self.emitter, 0
        while True:
            choices = list(dict.fromkeys(runs[at][0] for runs in alive.values()))
            if self.task.staged and at:
                choices = leading(choices, emitter.max_nodes - 1) or choices[:1]
            chosen = 0
            if choices != [known]:
                chosen = yield from emitter.choose([run[len(known) :] for run in choices])
            alive = {program: runs for program, runs in alive.items() if runs[at][0] == choices[chosen]}
            program, runs = next(iter(alive.items()))
            _, span = runs[at]
            emitter.pending.extend(span)
            emitter.counts.copied += len(span)
            known, at = (), at + 1
            if at == len(runs):
                return program

    def _likely(self, offers: Mapping[Program | None, Offer]) -> Steps:
        """The program judged likeliest, all of them in one forward; none where it is not likely enough. Each is judged by its
        description, which stands where the program would begin: how likely does the model accept it?
        """
        emitter, codec = self.emitter, self.task.codec
        spelled = described(codec, offers)
        choices = leading(spelled, MOST_NODES)
        if not any(spelled[ids] for ids in choices):
            assert self.free is not None
            emitter.pending.extend(self.task.written or self.task.request)
            return (yield from self.free.behind_request())
        request = tuple(self.task.request[: -len(codec.literals.program_open)])
        aside = bool(self.task.written)
        if aside:  # `free` may write instead, and then nothing of this request may be in the context
            judged = yield from emitter.judge([request + ids for ids in choices], codec.verdict)
        else:
            emitter.pending.extend(request)
            judged = yield from emitter.judge(choices, codec.verdict)
        idle = Program((Copy(1, len(self.task.views)),))
        law = self.task.settings.posterior(
            judged,
            np.array([offers[spelled[ids]].prior for ids in choices]),
            np.array([spelled[ids] == idle for ids in choices]),
            np.array([spelled[ids] is None for ids in choices]),
        )
        text = "".join(self.task.views)
        titled = [
            (program, offers[program].shown, offers[program].meaning or program.resolve(text))
            for ids in choices
            if (program := spelled[ids]) is not None
        ]
        weighed, law = combined(titled, law[[spelled[ids] is not None for ids in choices]])
        order = np.argsort(-law, kind="stable")
        likeliest = weighed[order[0]]
        if aside and likeliest.probability < self.task.least:
            assert self.free is not None
            emitter.pending.extend(self.task.written)
            return (yield from self.free.behind_request())
        unsure = likeliest.probability < self.task.settings.taken_from(nothing=likeliest.program == idle)
        ordered = [weighed[place] for place in order]
        if self.task.alternatives > 1:
            likely = ordered[: max(self.task.alternatives, ALTERNATIVES if unsure else 0)]
            alternatives = tuple(one for one in likely if one.probability >= self.task.least)
        else:
            alternatives = worth_asking(ordered, idle, self.task.least) if unsure else ()
        if unsure and not self.task.take_likeliest:
            asked = question((one.title, one.probability) for one in alternatives)
            if not alternatives:
                chance = next((one.probability for one in ordered if one.program == idle), 0.0)
                asked = NO_IDEA if chance < WORTH_SAYING else PERHAPS_NOTHING.format(chance=percent(chance))
            return Outcome(None, refusal=asked, unsure=True, alternatives=alternatives)
        chosen = weighed[emitter.sampler.choose(law)].program
        return (yield from self._taken(chosen, alternatives, unsure=unsure))

    def _taken(
        self, program: Program, alternatives: tuple[WeighedProgram, ...] = (), *, unsure: bool = False
    ) -> Steps:
        yield Decided(program)
        emitter = self.emitter
        for op in program.ops:
            if isinstance(op, Copy):
                emitter.counts.covered += sum(map(len, self.task.lines[op.start - 1 : op.end]))
        likelihood = emitter.sampler.log_likelihood
        weighed = emitter.counts.choices > 0 and emitter.exact
        return Outcome(
            program,
            exact=emitter.exact,
            law=emitter.law,
            mask_error=emitter.mask_error,
            log_likelihood=likelihood,
            unsure=unsure,
            confidence=math.exp(likelihood) if weighed else None,
            alternatives=alternatives,
            known_fix=self.task.known_fix,
        )

    def _first_copy(self, free: ProgramDecoder) -> Generator[Any, Any, Copy]:
        """The first copy: of a program of the list, or of any other. One that both may begin with means the list."""
        firsts = dict.fromkeys(op for program in self.task.programs if isinstance(op := program.ops[0], Copy))
        firsts.update(dict.fromkeys(free.first_copies()))
        copies = list(firsts)
        chosen = yield from self.emitter.choose([self._copy(copied) for copied in copies])
        return copies[chosen]

    def _copy(self, copied: Copy) -> Ids:
        codec = self.task.codec
        return codec.literals.copy_open + codec.copy_start(copied.start) + codec.copy_end(copied.end)


def worth_asking(
    ordered: Sequence[WeighedProgram], nothing: Program, least: float
) -> tuple[WeighedProgram, ...]:
    """What a person is asked about who asked for one edit, the likeliest first: what is likely enough; empty where that is
    nothing but to change nothing, of which there is nothing to take.
    """
    named = [one for one in ordered[:ALTERNATIVES] if one.probability >= max(least, WORTH_ASKING)]
    return tuple(named) if any(one.program != nothing for one in named) else ()


def described(codec: Codec, offers: Mapping[Program | None, Offer]) -> dict[Ids, Program | None]:
    """The programs by their descriptions in tokens; of those that are described alike the first."""
    found: dict[Ids, Program | None] = {}
    for program, offer in offers.items():
        found.setdefault(codec.described(offer.title, offer.line), program)
    return found


def spelled_runs(task: ChoiceTask, program: Program) -> list[Run]:
    """The program's tokens, cut behind every copy whose span the context shows; of a staged task behind every copy, and before
    and behind what a sub does to its line."""
    runs: list[Run] = []
    ids: Ids = ()
    for piece in task.codec.encode_program(program, task.views, task.lines, open_end=task.open_end):
        span = piece.ids if piece.role == "span" else ()
        if span or (task.staged and piece.role in ("span", "old")):
            runs.append((ids, span))
            ids = ()
        if piece.role != "span":
            ids += piece.ids
        if task.staged and piece.role == "close":
            runs.append((ids, ()))
            ids = ()
    return [*runs, (ids, ())]
