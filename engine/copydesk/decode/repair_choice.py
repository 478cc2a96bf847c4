"""Decoding a request that finitely many repairs answer: where, then which one; nothing is spelled.

A repair is one sub on one line of the page, and the program is copies round it. Its line is chosen among the lines that have
one, and the repair among the line's own, each as a whole by the exact law; with one repair nothing is asked of the model.
Knows the page and its codec; nothing of what makes a repair.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copydesk.decode.coroutine import Decided, Outcome, Steps
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.program import Copy, Op, Program, Sub
from copydesk.prompting.codec import Codec, Ids, own_run


@dataclass(slots=True)
class RepairTask:
    """views, lines: the page's lines as view text and as raw tokens. request: tokens behind the page's prefix, up to and with
    `program_open`. repairs: subs inside one line each, by page line, likeliest first. open_end: as in `Codec.encode_program`.
    """

    codec: Codec
    views: Sequence[str]
    lines: Sequence[Ids]
    request: Sequence[int]
    repairs: Mapping[int, Sequence[Sub]]
    open_end: bool = False


class RepairDecoder:
    """One decoder: `run()` is its conversation with the scheduler."""

    def __init__(self, task: RepairTask, emitter: TokenEmitter) -> None:
        self.task = task
        self.emitter = emitter

    def run(self) -> Steps:
        task, emitter, literals = self.task, self.emitter, self.task.codec.literals
        emitter.pending.extend(task.request)
        numbers = sorted(task.repairs)
        chosen = yield from emitter.choose([self._way_to(line) for line in numbers])
        line = numbers[chosen]
        ops: list[Op] = []
        if line > 1:
            ops.append(self._copied(1, line - 1))
            emitter.force(literals.sub_open + task.codec.sub_start(line))
        ops.append((yield from self._sub(line)))
        if line < len(task.lines):
            copied = Copy(line + 1, len(task.lines))
            yield Decided(Program((*ops, copied)))
            emitter.force(literals.copy_open + self._numbers(copied))
            ops.append(self._copied(copied.start, copied.end))
        emitter.force(literals.end)
        return Outcome(
            Program(tuple(ops)), exact=emitter.exact, log_likelihood=emitter.sampler.log_likelihood
        )

    def _way_to(self, line: int) -> Ids:
        literals = self.task.codec.literals
        if line == 1:
            return literals.sub_open + self.task.codec.sub_start(1)
        return literals.copy_open + self._numbers(Copy(1, line - 1))

    def _numbers(self, copied: Copy) -> Ids:
        return self.task.codec.copy_start(copied.start) + self.task.codec.copy_end(copied.end)

    def _copied(self, start: int, end: int) -> Copy:
        """A copy whose numbers are written: its span enters the context where something follows."""
        task, emitter = self.task, self.emitter
        if end < len(task.lines) or task.open_end:
            span = task.codec.span(task.lines, start, end)
            emitter.pending.extend(span)
            emitter.counts.copied += len(span)
        emitter.counts.covered += sum(len(tokens) for tokens in task.lines[start - 1 : end])
        return Copy(start, end)

    def _sub(self, line: int) -> Generator[Any, Any, Sub]:
        """One of the line's repairs; those that one forward cannot score are left out, the unlikeliest first."""
        codec = self.task.codec
        subs: list[Sub] = []
        spelled: list[Ids] = []
        nodes = set[Ids]()
        for sub in self.task.repairs[line]:
            run = own_run(codec, self.task.views, self.task.lines, line, sub.old)
            assert run is not None, "a repair's old text is none of its line's"
            ids = run + codec.literals.sub_to + codec.fragment(sub.new) + codec.literals.sub_close
            nodes.update(ids[:k] for k in range(1, len(ids)))
            if subs and len(nodes) >= self.emitter.max_nodes:
                break
            subs.append(sub)
            spelled.append(ids)
        chosen = yield from self.emitter.choose(spelled)
        return subs[chosen]
