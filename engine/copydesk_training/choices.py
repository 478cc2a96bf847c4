"""Requests whose answer competes with other edits: what a model learns to choose among the refactorings' candidates from.

A group is a page with the request, and behind it a branch for the description of each candidate: the right one, others that the
engine would list beside it, that nothing changes, and that another edit is meant, which is right where no candidate does what is
asked. Every branch begins with the request's last token, so that its first own token is foretold, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from copydesk.errors import ScopeError
from copydesk.grammar.rules import Rules
from copydesk.program import Program
from copydesk.prompting.codec import Ids
from copydesk.prompting.prompt import request_tokens
from copydesk.quickfixes.handler import Candidates
from copydesk.refactorings.arguments import arguments_of
from copydesk.refactorings.candidate import Candidate
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.registry import enumerate_candidates
from copydesk.request import Range
from copydesk.serving.lowering import Lowering, listed_programs
from copydesk.serving.narrowing import ANOTHER, MOST_CANDIDATES, NOTHING, offer
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.registry import KINDS, draw
from copydesk_training.example import Example
from copydesk_training.examples import LONGEST_GROUP, Rendered, Renderer, Role, Shown, as_array
from copydesk_training.wanted import Wanted

RIVALS = 15
"""Candidates of a group beside the right one, at most."""
FIRST = 9
"""Rivals that are the first of the engine's own order; the others are drawn from the rest."""
IDLE = 0.15
"""The share of requests with nothing to do."""
WITHHELD = 0.05
"""The share of requests whose right candidate is left out: another edit is meant."""
NO_CANDIDATE = "no candidate is right"
UNANSWERED = 0.5
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
        lowering = Lowering(self.codec, self.cost, rules, page, tokens, shown.lines, scope)
        found = self._described(lowering, _candidates(example, shown, scope))
        wanted = Wanted(example, shown.lines)
        right = [k for k, (one, _) in enumerate(found) if wanted.made_by(one.edits)]
        if not right and example.before != example.after and rng.random() >= UNANSWERED:
            return NO_CANDIDATE
        nothing, another = (self.codec.described(told.title, told.line) for told in (NOTHING, ANOTHER))
        answer = [found[k][1] for k in right[:1] if rng.random() >= WITHHELD]
        if not answer:
            answer = [nothing if example.before == example.after else another]
        rivals = [found[k][1] for k in _rivals(len(found), right, rng)]
        spelled = list(dict.fromkeys([*answer, nothing, another, *rivals]))
        asked = request_tokens(self.codec, page, page_scope, example.request)
        prompt = [*tokens.ids, *asked[: -len(self.codec.literals.program_open)]]
        return self._choice_group(example, page_lines, prompt, spelled)

    def _described(self, lowering: Lowering, found: Sequence[Candidate]) -> list[tuple[Candidate, Ids]]:
        """The candidates that the page can say, with their descriptions, in their order; none twice."""
        programs: set[Program] = set()
        kept: dict[Ids, Candidate] = {}
        for candidate in found:
            listed = listed_programs(lowering, Candidates((candidate.edits,)))
            if listed is not None and listed.programs[0] not in programs:
                programs.add(listed.programs[0])
                told = offer(lowering.page, candidate)
                kept.setdefault(self.codec.described(told.title, told.line), candidate)
        return [(candidate, spelled) for spelled, candidate in kept.items()]

    def _choice_group(
        self, example: Example, page_lines: int, prompt: list[int], spelled: Sequence[Ids]
    ) -> Rendered | str:
        ids, last = prompt[:-1], prompt[-1]
        roles = bytearray([Role.CONTEXT]) * len(ids)
        starts: list[int] = []
        for k, described in enumerate(spelled):
            if len(ids) + 1 + len(described) > LONGEST_GROUP:
                break
            starts.append(len(ids))
            ids += [last, *described]
            roles += bytes([Role.CONTEXT]) + bytes([Role.RIVAL if k else Role.PROGRAM]) * len(described)
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


def _rivals(count: int, right: Sequence[int], rng: Random) -> list[int]:
    """The first of `count` candidates, which look likeliest, and some of the others."""
    wrong = [k for k in range(count) if k not in right]
    rest = wrong[FIRST:]
    return wrong[:FIRST] + sorted(rng.sample(rest, min(len(rest), RIVALS - FIRST)))
