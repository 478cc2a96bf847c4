"""Decoding by rewriting: for models nobody trained for programs.

The model answers in a code fence with the scope's new text; the scope's own lines are the draft, verified many tokens per
forward, so the text is exactly what plain greedy decoding gives, in far fewer forwards. A copy is a whole line accepted at
its aligned position; the program is read off the acceptance. Knows tokens and lines; nothing of chat templates or documents.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from copydesk.decode.coroutine import Outcome, Steps
from copydesk.decode.drafts import Draft, NgramIndex
from copydesk.decode.sampling import TokenSet
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.program import Copy, Gen, Op, Program
from copydesk.prompting.vocabulary import Vocabulary

TAIL = 3
"""Tokens looked at behind the closing fence for the end of the answer."""

MAX_WIDTH = 63
"""Draft tokens verified per forward: most of a scope is usually kept."""


@dataclass(slots=True)
class RewriteTask:
    """prompt: tokens not yet in the shared prefix (at least one). draft: the expected answer's tokens, fence and all.
    read: the new text in an answer that is complete and well-formed, else None. stops: end-of-sequence ids. views: the page's
    lines; first..last (1-based) are those the answer replaces, `first - 1 == last` for an insertion.
    """

    vocabulary: Vocabulary
    prompt: Sequence[int]
    draft: Sequence[int]
    page: NgramIndex
    read: Callable[[str], str | None]
    stops: frozenset[int]
    views: Sequence[str]
    first: int
    last: int
    drafts: bool = True


class RewriteDecoder:
    """`run()` is its conversation with the scheduler; `written` the answer's tokens so far."""

    def __init__(self, task: RewriteTask, emitter: TokenEmitter) -> None:
        self.task = task
        self.emitter = emitter
        self.written: list[int] = []
        self._repeats: list[int] = []
        self._chatty = False

    def run(self) -> Steps:
        task, emitter = self.task, self.emitter
        emitter.pending.extend(task.prompt)
        draft = Draft(task.draft, task.page, MAX_WIDTH if task.drafts else 0)
        anything = TokenSet(deny=np.empty(0, dtype=np.int64))
        while emitter.left > 0:
            proposed = draft.propose()[: emitter.left - 1]
            fresh, accepted = yield from emitter.verified(proposed, [anything] * (len(proposed) + 1))
            draft.judged(len(proposed), accepted)
            ended = any(token in task.stops for token in fresh)
            if ended:
                fresh = fresh[: next(k for k, token in enumerate(fresh) if token in task.stops)]
            closing = self._closing(fresh)
            behind = [] if closing is None else fresh[closing + 1 :]
            fresh = fresh if closing is None else fresh[: closing + 1]
            self._repeats += draft.observe(fresh)
            self.written += fresh
            if closing is not None:
                yield from self._end(behind, ended)
                break
            if ended:
                break
        return self._outcome()

    def _end(self, behind: list[int], ended: bool) -> Generator[Any, Any, None]:
        """Only white space and the end may follow the closing fence. The draft ends in the end-of-sequence token, so seeing
        it usually costs no forward of its own."""
        task, emitter = self.task, self.emitter
        anything = TokenSet(deny=np.empty(0, dtype=np.int64))
        behind = behind[:TAIL]  # as many as are looked at without a draft
        while len(behind) < TAIL and not ended and not task.vocabulary.decode(behind).strip():
            (token,), _accepted = yield from emitter.verified([], [anything])
            ended = token in task.stops
            behind += [] if ended else [token]
        self._chatty = bool(task.vocabulary.decode(behind).strip())

    def _closing(self, fresh: Sequence[int]) -> int | None:
        """Index of the token of `fresh` that completes the answer."""
        vocabulary = self.task.vocabulary
        for k, token in enumerate(fresh):
            if b"`" in vocabulary.token_bytes[token]:
                answer = vocabulary.decode([*self.written, *fresh[: k + 1]])
                if self.task.read(answer) is not None:
                    return k
        return None

    def _outcome(self) -> Outcome:
        task = self.task
        text = task.read(task.vocabulary.decode(self.written))
        likelihood = self.emitter.sampler.log_likelihood
        if text is None or self._chatty:
            return Outcome(None, log_likelihood=likelihood, refusal="the answer is not one closed code fence")
        program = read_program(task.views, task.first, task.last, text, self._sources(len(text.encode())))
        covered = [
            task.views[k] for op in program.ops if isinstance(op, Copy) for k in range(op.start - 1, op.end)
        ]
        self.emitter.counts.covered += sum(len(task.vocabulary.encode(line)) for line in covered)
        return Outcome(program, log_likelihood=likelihood)

    def _sources(self, size: int) -> list[int]:
        """For each byte of the fenced text (`size` in all, behind the opening line) the byte of the scope's own text it
        repeats, -1 for new ones."""
        table = self.task.vocabulary.token_bytes
        starts = [0]
        for token in self.task.draft:
            starts.append(starts[-1] + len(table[token]))
        draft = b"".join(table[token] for token in self.task.draft)
        answer = b"".join(table[token] for token in self.written)
        inside = draft.index(b"\n") + 1
        sources: list[int] = []
        for token, repeat in zip(self.written, self._repeats, strict=True):
            width = len(table[token])
            sources += (
                range(starts[repeat] - inside, starts[repeat] - inside + width)
                if repeat >= 0
                else [-1] * width
            )
        opening = answer.index(b"\n", len(answer) - len(answer.lstrip())) + 1
        return sources[opening : opening + size]


def read_program(views: Sequence[str], first: int, last: int, text: str, sources: Sequence[int]) -> Program:
    """The page program that turns lines first..last into `text`; lines before and behind are copied.

    A line of `text` is a copy where it stands at its aligned position: it equals the next scope line, or its bytes repeat one
    further on (`sources`: for each byte of `text` the byte of the scope's own text it was accepted from, or -1).
    """
    scope = views[first - 1 : last]
    begins: dict[int, int] = {}
    offset = 0
    for number, line in enumerate(scope, first):
        begins[offset] = number
        offset += len(line.encode())
    kept: list[int | str] = [*range(1, first)]
    at, offset = first, 0
    for line in _lines(text):
        size = len(line.encode())
        run = sources[offset : offset + size]
        offset += size
        match = begins.get(run[0]) if len(run) == size and run[0] >= 0 else None
        if at <= last and views[at - 1] == line:
            match = at
        if (
            match is not None
            and match >= at
            and views[match - 1] == line
            and (match == at or _consecutive(run))
        ):
            kept.append(match)
            at = match + 1
        else:
            kept.append(line)
    kept += range(last + 1, len(views) + 1)
    ops: list[Op] = []
    for item in kept:
        before = ops[-1] if ops else None
        if isinstance(item, str):
            if isinstance(before, Gen):
                ops[-1] = Gen(before.text + item)
            else:
                ops.append(Gen(item))
        elif isinstance(before, Copy) and before.end == item - 1:
            ops[-1] = Copy(before.start, item)
        else:
            ops.append(Copy(item, item))
    return Program(tuple(ops))


def _consecutive(run: Sequence[int]) -> bool:
    return all(b == a + 1 for a, b in pairwise(run))


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [p + "\n" for p in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
