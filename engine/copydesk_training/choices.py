"""Requests whose answer competes with other edits: what a model learns to choose among the refactorings' candidates from.

A group is a page with the request, and behind it a branch for each candidate: the right one, others that the engine would list
beside it, and the program that changes nothing, which is right where there is nothing to do, or no candidate does it. Every
branch begins with the request's last token, so that its first own token is foretold, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from copydesk.errors import ScopeError
from copydesk.grammar.rules import Rules
from copydesk.program import Copy, Program
from copydesk.prompting.prompt import request_tokens
from copydesk.quickfixes.handler import Candidates
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import Range
from copydesk.serving.lowering import Lowering, listed_programs
from copydesk.serving.narrowing import MOST_CANDIDATES
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.registry import KINDS, draw
from copydesk_training.example import Example
from copydesk_training.examples import LONGEST_GROUP, Rendered, Renderer, Role, Shown, as_array
from copydesk_training.wanted import Wanted

RIVALS = 11
"""Candidates of a group beside the right one, at most."""
FIRST = 6
"""Rivals that are the first of the engine's own order; the others are drawn from the rest."""
IDLE = 0.15
"""The share of requests with nothing to do."""
WITHHELD = 0.05
"""The share of requests whose right candidate is left out: that none is right has to be learnt, too."""
NO_CANDIDATE = "no candidate is right"
UNANSWERED = 0.3
"""The share kept of those requests that no candidate answers by itself: all of them would be half of the groups."""


def choice_examples(text: str, rng: Random, count: int, *, idle: float = IDLE) -> Iterator[Example]:
    """Up to `count` instructions on one clean text, every kind as likely as any other; none of a text that cannot be used.

    idle: the share of them that leave nothing to do.
    """
    try:
        file = ParsedFile(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    kinds = [kind for kind in KINDS.values() if 100 <= kind.id < 180 and kind.weight > 0]
    nothing_to_do = [kind for kind in KINDS.values() if kind.nothing_to_do and kind.weight > 0]
    for _ in range(count):
        example = draw(rng.choice(nothing_to_do if rng.random() < idle else kinds), file, rng)
        if example is not None and example.request.instruction and not example.request.diagnostics:
            yield example


class ChoiceRenderer(Renderer):
    """Groups of candidates in the tokens of one codec."""

    def render_choice(self, example: Example, page_lines: int, rng: Random) -> Rendered | str:
        """The example as a choice on a page of `page_lines`, or why it is none: the reason it is counted under."""
        shown = Shown.of(example.before, self.format_of(page_lines))
        placed = self.place(example, shown)
        if isinstance(placed, str):
            return placed
        page, scope = placed
        try:
            page_scope = page.to_page_scope(scope)
        except ScopeError:
            return "no page shows the scope"
        rules = Rules(
            len(page),
            tuple(page_scope),
            unterminated=page.unterminated,
            at_end=page.at_end,
            sub=shown.format.sub,
        )
        tokens = self.page_tokens(shown, page)
        found = _candidates(example, shown, scope)
        wanted = Wanted(example, shown.lines)
        right = [k for k, one in enumerate(found) if wanted.made_by(one.edits)]
        if not right and example.before != example.after and rng.random() >= UNANSWERED:
            return NO_CANDIDATE
        answer = right[:1] if rng.random() >= WITHHELD else []
        lowering = Lowering(self.codec, self.cost, rules, page, tokens, shown.lines, scope)
        programs = _programs(lowering, [found[k] for k in [*answer, *_rivals(found, right, rng)]])
        nothing = Program((Copy(1, len(page)),)) if len(page) else Program(())
        if not answer:
            programs = [nothing, *programs]
        elif programs[0] is None:
            return "the format cannot spell the program"
        else:
            programs.append(nothing)
        known = list(dict.fromkeys(program for program in programs if program is not None))
        if len(known) < 2:
            return "there is no other candidate"
        asked = request_tokens(self.codec, page, page_scope, example.request)
        return self._choice_group(example, page_lines, [*tokens.ids, *asked], self._spelled(lowering, known))

    def _spelled(self, lowering: Lowering, programs: Sequence[Program]) -> list[list[int]]:
        page, lines, open_end = lowering.page, lowering.tokens.lines, lowering.rules.open_end
        spelled = (self.codec.encode_program(one, page.views, lines, open_end=open_end) for one in programs)
        return [[token for piece in pieces for token in piece.ids] for pieces in spelled]

    def _choice_group(
        self, example: Example, page_lines: int, prompt: list[int], spelled: Sequence[list[int]]
    ) -> Rendered | str:
        ids, last = prompt[:-1], prompt[-1]
        roles = bytearray([Role.CONTEXT]) * len(ids)
        starts: list[int] = []
        for k, program in enumerate(spelled):
            if len(ids) + 1 + len(program) > LONGEST_GROUP:
                break
            starts.append(len(ids))
            ids += [last, *program]
            roles += bytes([Role.CONTEXT]) + bytes([Role.RIVAL if k else Role.PROGRAM]) * len(program)
        if len(starts) < 2:
            return "too many tokens"
        count = len(starts)
        return Rendered(
            as_array(ids), np.frombuffer(bytes(roles), np.uint8), tuple(starts), tuple(start + 1 for start in starts),
            (example.kind,) * count, (example.located,) * count, page_lines,
        )  # fmt: skip


def _candidates(example: Example, shown: Shown, scope: list[Range]) -> list[Candidate]:
    if shown.tree is None or example.request.instruction is None:
        return []
    context = RefactoringContext.of(shown.lines, scope, shown.tree)
    return enumerate_candidates(context, arguments_of(example.request.instruction), MOST_CANDIDATES)


def _rivals(found: Sequence[Candidate], right: Sequence[int], rng: Random) -> list[int]:
    """The first candidates, which look likeliest, and some of the others."""
    wrong = [k for k in range(len(found)) if k not in right]
    rest = wrong[FIRST:]
    return wrong[:FIRST] + sorted(rng.sample(rest, min(len(rest), RIVALS - FIRST)))


def _programs(lowering: Lowering, found: Sequence[Candidate]) -> list[Program | None]:
    listed = (listed_programs(lowering, Candidates((one.edits,))) for one in found)
    return [None if programs is None else programs.programs[0] for programs in listed]
