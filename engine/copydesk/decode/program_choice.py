"""Decoding a request that finitely many programs answer: the model chooses one whole, and spells nothing.

Where copies put nothing into the context, a program is one choice, by the exact law over all of them; else it is chosen op by
op. Other answers may stand beside the list: then the first copy says which of the two it is. Knows the page and its codec;
nothing of what the programs are for.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from copydesk.decode.coroutine import Decided, Outcome, Steps
from copydesk.decode.program_decoder import ProgramDecoder
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.program import Copy, Program
from copydesk.prompting.codec import Codec, Ids

Run = tuple[Ids, Copy | None]
"""Tokens the model chooses in one go, and the copy whose span enters the context behind them."""


@dataclass(slots=True)
class ProgramChoiceTask:
    """views, lines: the page's lines as view text and as raw tokens. request: tokens behind the page's prefix, up to and with
    `program_open`. programs: legal page programs, no two alike. open_end: as in `Codec.encode_program`.
    """

    codec: Codec
    views: Sequence[str]
    lines: Sequence[Ids]
    request: Sequence[int]
    programs: Sequence[Program]
    open_end: bool = False


class ProgramChoiceDecoder:
    """One decoder: `run()` is its conversation with the scheduler. `others` answers where none of the list is wanted; its page is
    the same, and its first op is a copy.
    """

    def __init__(
        self, task: ProgramChoiceTask, emitter: TokenEmitter, others: ProgramDecoder | None = None
    ) -> None:
        self.task = task
        self.emitter = emitter
        self.others = others
        self._runs = {program: spelled_runs(task, program) for program in task.programs}

    def run(self) -> Steps:
        task, emitter = self.task, self.emitter
        emitter.pending.extend(task.request)
        alive = list(task.programs)
        known: Ids = ()
        if self.others is not None:
            copied = yield from self._first(self.others)
            known = self._copy(copied)
            alive = [program for program in alive if program.ops[0] == copied]
            if not alive:
                return (yield from self.others.behind(copied))
        at = 0
        while True:
            ways: dict[Ids, list[Program]] = {}
            for program in alive:
                ways.setdefault(self._runs[program][at][0], []).append(program)
            runs = list(ways)
            chosen = 0
            if runs != [known]:
                chosen = yield from emitter.choose([run[len(known) :] for run in runs])
            alive, known = ways[runs[chosen]], ()
            span = self._runs[alive[0]][at][1]
            at += 1
            if at == len(self._runs[alive[0]]):
                break
            assert span is not None
            tokens = task.codec.span(task.lines, span.start, span.end)
            emitter.pending.extend(tokens)
            emitter.counts.copied += len(tokens)
        program = alive[0]
        yield Decided(program)
        for op in program.ops:
            if isinstance(op, Copy):
                emitter.counts.covered += sum(map(len, task.lines[op.start - 1 : op.end]))
        return Outcome(program, exact=emitter.exact, log_likelihood=emitter.sampler.log_likelihood)

    def _first(self, others: ProgramDecoder) -> Generator[Any, Any, Copy]:
        """The first copy: of a program of the list, or of any other. One that both may begin with means the list."""
        firsts = dict.fromkeys(op for program in self.task.programs if isinstance(op := program.ops[0], Copy))
        firsts.update(dict.fromkeys(others.first_copies()))
        copies = list(firsts)
        chosen = yield from self.emitter.choose([self._copy(copied) for copied in copies])
        return copies[chosen]

    def _copy(self, copied: Copy) -> Ids:
        codec = self.task.codec
        return codec.literals.copy_open + codec.copy_start(copied.start) + codec.copy_end(copied.end)


def spelled_runs(task: ProgramChoiceTask, program: Program) -> list[Run]:
    """The program's tokens, cut behind every copy whose span the context shows."""
    runs, ids = list[Run](), list[int]()
    copies = iter([op for op in program.ops if isinstance(op, Copy)])
    for piece in task.codec.encode_program(program, task.views, task.lines, open_end=task.open_end):
        if piece.role != "span":
            ids += piece.ids
            continue
        copied = next(copies)
        if piece.ids:
            runs.append((tuple(ids), copied))
            ids = []
    runs.append((tuple(ids), None))
    return runs
