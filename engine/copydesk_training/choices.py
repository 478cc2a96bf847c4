"""Requests whose answer competes with other edits: what a model learns to choose among the refactorings' candidates from.

A group is a page, requests behind it, and behind each request a branch for each of its candidates: the description of the right
one, of others that the engine would list beside it, that nothing changes, and that another edit is meant, which is right where no
candidate does what is asked. Behind each stands the token that accepts it, which alone is learnt. Every branch begins with its
request's last token. A request that is alone on its page is part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from copydesk.errors import ScopeError
from copydesk.grammar.rules import Rules
from copydesk.paging.page import Page
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

RIVALS = 20
"""Candidates of a group beside the right one, at most."""
FIRST = 14
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


@dataclass(frozen=True, slots=True)
class _Choice:
    """A request and its candidates in tokens, each with its verdict, the right one first."""

    example: Example
    request: list[int]
    candidates: list[Ids]

    @property
    def size(self) -> int:
        """Tokens behind the page: the request's last one stands before each candidate."""
        return len(self.request) - 1 + sum(1 + len(candidate) for candidate in self.candidates)

    def cut(self, most: int) -> _Choice:
        """The choice among its first candidates, as many as make its size at most `most`."""
        size = len(self.request) - 1
        for k, candidate in enumerate(self.candidates):
            size += 1 + len(candidate)
            if size > most:
                return replace(self, candidates=self.candidates[:k])
        return self


class ChoiceRenderer(Renderer):
    """Groups of candidates in the tokens of one codec."""

    def render_choice(self, example: Example, page_lines: int, rng: Random) -> Rendered | str:
        """The example as a choice on a page of `page_lines`, or why it is none: the reason it is counted under."""
        shown = Shown.of(example.before, self.format_of(page_lines))
        placed = self.place(example, shown)
        if isinstance(placed, str):
            return placed
        choice = self._choice(example, shown, *placed, rng)
        return choice if isinstance(choice, str) else self._choice_group(shown, placed[0], [choice])

    def render_choices(
        self, rng: Random, examples: Sequence[Example], page_lines: int, drop: Callable[[Example, str], None]
    ) -> Iterator[Rendered]:
        """The examples, all of one document (the same `before`), as choices in groups that share a page (`sharing.gathered`).
        `drop` is told of those that are none.
        """
        shown = Shown.of(examples[0].before, self.format_of(page_lines))
        for page, members in self.placed(examples, shown, drop):
            group: list[_Choice] = []
            size = first = len(self.page_tokens(shown, page).ids)
            for example, scope in members:
                choice = self._choice(example, shown, page, scope, rng)
                if isinstance(choice, str):
                    drop(example, choice)
                    continue
                if group and size + choice.size > LONGEST_GROUP:
                    yield self._choice_group(shown, page, group)
                    group, size = [], first
                group.append(choice)
                size += choice.size
            if group:
                yield self._choice_group(shown, page, group)

    def _choice(
        self, example: Example, shown: Shown, page: Page, scope: list[Range], rng: Random
    ) -> _Choice | str:
        """What stands behind the page."""
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
        opening = len(self.codec.literals.program_open)
        choice = _Choice(example, asked[:-opening], [(*one, self.codec.verdict) for one in spelled])
        choice = choice.cut(LONGEST_GROUP - len(tokens.ids))
        return choice if len(choice.candidates) > 1 else "too many tokens"

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

    def _choice_group(self, shown: Shown, page: Page, group: Sequence[_Choice]) -> Rendered:
        ids = list(self.page_tokens(shown, page).ids)
        roles = bytearray([Role.CONTEXT]) * len(ids)
        starts: list[int] = []
        parents: list[int] = []
        verdicts: list[int] = []
        for choice in group:
            *request, last = choice.request
            parent = len(ids) if len(group) > 1 else 0
            ids += request
            roles += bytes([Role.CONTEXT]) * len(request)
            for k, candidate in enumerate(choice.candidates):
                starts.append(len(ids))
                parents.append(parent)
                ids += [last, *candidate]
                verdicts.append(len(ids) - 1)
                roles += bytes([Role.CONTEXT]) * len(candidate) + bytes([Role.RIVAL if k else Role.PROGRAM])
        examples = [choice.example for choice in group for _ in choice.candidates]
        return Rendered(
            as_array(ids), np.frombuffer(bytes(roles), np.uint8), tuple(starts), tuple(parents),
            tuple(verdicts), tuple(one.kind for one in examples), tuple(one.located for one in examples),
            shown.format.page_lines,
        )  # fmt: skip


def _candidates(example: Example, shown: Shown, scope: list[Range]) -> list[Candidate]:
    if shown.tree is None or example.request.instruction is None:
        return []
    context = RefactoringContext.of(shown.lines, scope, shown.tree)
    found = enumerate_candidates(context, arguments_of(example.request.instruction), MOST_CANDIDATES)
    return [replace(one, edits=context.original(one.edits)) for one in found]


def _rivals(count: int, right: Sequence[int], rng: Random) -> list[int]:
    """The first of `count` candidates, which look likeliest, and some of the others."""
    wrong = [k for k in range(count) if k not in right]
    rest = wrong[FIRST:]
    return wrong[:FIRST] + sorted(rng.sample(rest, min(len(rest), RIVALS - FIRST)))
