"""Decoding by rewriting, for models that were not trained to write programs.

The model answers in a code fence with the scope's new text. The opening fence is written for it, only text can follow, and the
closing fence ends the answer: it is well-formed by construction, whatever the model. The scope's own lines are the draft,
verified many tokens per forward, so the text is exactly what plain greedy decoding under the same constraint gives, in far fewer
forwards. A copy is a whole line accepted at its aligned position; the program is read off the acceptance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from copydesk.decode.coroutine import Outcome, Steps
from copydesk.decode.drafts import Draft, NgramIndex
from copydesk.decode.emitter import Emitter
from copydesk.decode.repetition import EVERY, loops
from copydesk.decode.text_automata import FenceMachine
from copydesk.program import Copy, Gen, Op, Program
from copydesk.prompting.vocabulary import Vocabulary

MAX_WIDTH = 63
"""Draft tokens verified per forward: most of a scope is usually kept."""


@dataclass(slots=True)
class RewriteTask:
    """prompt: tokens not yet in the shared prefix (at least one). opening: those of the opening fence. draft: those of an answer
    that changes nothing, closing fence included. machine: the language of answers.

    views: the page's lines; first..last (1-based) are those the answer replaces, `first - 1 == last` for an insertion. shown:
    these lines as an answer that keeps them spells them, each with its newline. indent: what new lines are indented by besides.
    """

    vocabulary: Vocabulary
    prompt: Sequence[int]
    opening: Sequence[int]
    draft: Sequence[int]
    machine: FenceMachine
    page: NgramIndex
    views: Sequence[str]
    first: int
    last: int
    shown: Sequence[str]
    indent: str
    drafts: bool = True


class RewriteDecoder:
    """`run()` is its conversation with the scheduler; `written` the answer's tokens so far, behind the opening fence."""

    def __init__(self, task: RewriteTask, emitter: Emitter) -> None:
        self.task = task
        self.emitter = emitter
        self.written: list[int] = []

    def run(self) -> Steps:
        task, emitter = self.task, self.emitter
        emitter.pending.extend(task.prompt)
        emitter.force(task.opening)
        draft = _TracedDraft(task.draft, task.page, MAX_WIDTH if task.drafts else 0)
        quoted = any(loops(task.draft[:end]) for end in range(EVERY, len(task.draft) + 1, EVERY))
        self.written = yield from emitter.text(task.machine, draft, quoted=quoted)
        return self._outcome(draft.repeats)

    def _outcome(self, repeats: list[int]) -> Outcome:
        task, emitter = self.task, self.emitter
        table = task.vocabulary.token_bytes
        answer = b"".join(table[token] for token in self.written).decode()
        body = answer.rstrip().removesuffix(task.machine.fence)
        sources = _sources(table, task.draft, self.written, repeats)
        program = read_program(
            task.views, task.first, task.last, body, sources[: len(body.encode())], task.shown, task.indent
        )
        covered = [
            task.views[k] for op in program.ops if isinstance(op, Copy) for k in range(op.start - 1, op.end)
        ]
        emitter.counts.covered += sum(len(task.vocabulary.encode(line)) for line in covered)
        return Outcome(
            program,
            law=emitter.law,
            truncated=emitter.truncated,
            looped=emitter.looped,
            log_likelihood=emitter.sampler.log_likelihood,
        )


class _TracedDraft(Draft):
    """A draft that remembers which of its tokens each written token repeats."""

    def __init__(self, source: Sequence[int], page: NgramIndex, max_width: int) -> None:
        super().__init__(source, page, max_width)
        self.repeats: list[int] = []

    def observe(self, tokens: Sequence[int]) -> list[int]:
        found = super().observe(tokens)
        self.repeats += found
        return found


def _sources(
    table: Sequence[bytes], draft: Sequence[int], written: Sequence[int], repeats: Sequence[int]
) -> list[int]:
    """For each byte written the byte of the draft it repeats, -1 for new ones."""
    starts = [0]
    for token in draft:
        starts.append(starts[-1] + len(table[token]))
    sources: list[int] = []
    # What was forced to close a text is not traced.
    for token, repeat in zip(written, [*repeats, *[-1] * (len(written) - len(repeats))], strict=True):
        width = len(table[token])
        sources += range(starts[repeat], starts[repeat] + width) if repeat >= 0 else [-1] * width
    return sources


def read_program(
    views: Sequence[str],
    first: int,
    last: int,
    body: str,
    sources: Sequence[int],
    shown: Sequence[str],
    indent: str,
) -> Program:
    """The page program of an answer: lines first..last become `body`, which is whole lines; those before and behind are copied.

    A line of `body` is a copy where it stands at its aligned position: it equals the next of the lines as they are `shown`, or
    its bytes repeat one further on (`sources`: for each byte of `body` the byte of all that is shown, or -1). New lines that are
    not empty begin with `indent`. A page that ends without a newline goes on doing so.
    """
    begins: dict[int, int] = {}
    offset = 0
    for number, line in enumerate(shown, first):
        begins[offset] = number
        offset += len(line.encode())
    bare = last if first <= last and not views[last - 1].endswith("\n") else None
    lines = _lines(body)
    kept: list[int | str] = []
    at, offset = first, 0
    for k, line in enumerate(lines):
        size = len(line.encode())
        run = sources[offset : offset + size]
        offset += size
        match = begins.get(run[0]) if len(run) == size and run[0] >= 0 else None
        if at <= last and shown[at - first] == line:
            match = at
        if (
            match is not None
            and match >= at
            and shown[match - first] == line
            and (match == at or _consecutive(run))
            # Only the last line lacks a newline.
            and (bare is None or (match == bare) == (k == len(lines) - 1))
        ):
            kept.append(match)
            at = match + 1
        else:
            kept.append(line if line == "\n" else indent + line)
    if bare is not None and kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].removesuffix("\n")
    return Program(
        _ops([*range(1, first), *(item for item in kept if item), *range(last + 1, len(views) + 1)])
    )


def _ops(kept: Sequence[int | str]) -> tuple[Op, ...]:
    """Lines by number and new ones by text, as ops."""
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
    return tuple(ops)


def _consecutive(run: Sequence[int]) -> bool:
    return all(b == a + 1 for a, b in pairwise(run))


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in text.split("\n")[:-1]]
