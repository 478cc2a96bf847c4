"""Examples in a model's tokens, made by the engine itself: scope, page, oracle, prompt and program as they are served.

The page is the one serving would choose, which knows the request and not the answer. Examples of one document may
share a page and its tokens: a group is a page and, behind it, the branches (request and program) of each; of choices, the
requests and behind each the branches of its candidates (`choices.py`). Every token carries a role, which is what training weighs
its loss by. Knows no files, no shards and no models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from tree_sitter import Tree

from copydesk.errors import ProgramError, ScopeError
from copydesk.grammar.rules import Rules, violation
from copydesk.oracle.near_change import program_near_change
from copydesk.oracle.token_cost import CodecCost
from copydesk.paging.layout import PageLayout
from copydesk.paging.page import Page
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.prompting.codec import Codec, Piece
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.prompt import PageTokens, page_tokens, request_tokens
from copydesk.quickfixes.scope import resolve_scope
from copydesk.request import Range
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk_training.example import Example
from copydesk_training.sharing import gathered

LONGEST = 2048
"""Tokens of a page and one branch; longer ones are dropped."""
LONGEST_GROUP = 1600
"""Tokens of a page and its branches; the next branch, or the next request with its candidates, begins a group of its own."""
MOST_BRANCHES = 8
"""Of a group: many more would be many times the same page in one batch."""
LONGEST_PROGRAM = 512


class Role(IntEnum):
    """What a token is to training."""

    CONTEXT = 0
    """Numbers, literals and the request: read, never learnt."""
    DOCUMENT = 1
    """The page's own text: the language model's loss is sampled here."""
    PROGRAM = 2
    """What the model has to choose."""
    FORCED = 3
    """Program tokens the grammar leaves no choice about: decoding never asks for them."""
    SPAN = 4
    """Copied lines between ops: context, like a prompt."""
    RIVAL = 5
    """The program of a candidate that is not the answer (`choices.py`)."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page and its branches, end to end.

    ids uint16 (uint32 for larger vocabularies) and roles uint8, one per token. Branch k is ids[branches[k]:ends[k]]; the first
    token of its program is ids[programs[k]]. It continues the page where parents[k] is 0, and else a request that begins at
    parents[k] and ends where the first branch that continues it begins. kinds, located: of each branch's example.
    """

    ids: NDArray[np.uint16] | NDArray[np.uint32]
    roles: NDArray[np.uint8]
    branches: tuple[int, ...]
    parents: tuple[int, ...]
    programs: tuple[int, ...]
    kinds: tuple[str, ...]
    located: tuple[bool, ...]
    page_lines: int

    @property
    def choice(self) -> bool:
        """Whether the branches are candidates of requests."""
        return bool((self.roles == Role.RIVAL).any())

    @property
    def requests(self) -> int:
        """Requests on the page: the candidates of one have the same parent."""
        return len(set(self.parents)) if self.choice else len(self.branches)

    @property
    def ends(self) -> tuple[int, ...]:
        """Where each branch ends."""
        return branch_ends(self.branches, self.parents, len(self.ids))

    @property
    def program(self) -> int:
        """Where the first branch's program begins."""
        return self.programs[0]

    @property
    def program_tokens(self) -> int:
        """Tokens of all programs."""
        return sum(end - start for start, end in zip(self.programs, self.ends, strict=True))


def branch_ends(branches: Sequence[int], parents: Sequence[int], total: int) -> tuple[int, ...]:
    """Where each branch of a group of `total` tokens ends: at the next one, or at the request that the next one continues."""
    following = zip(pairwise(parents), branches[1:], strict=True)
    return (*(start if mine == next_ else next_ or start for (mine, next_), start in following), total)


@dataclass(frozen=True, slots=True)
class _Branch:
    """A request and its program in tokens; `program` is where the latter begins."""

    ids: list[int]
    roles: bytes
    program: int


@dataclass(slots=True)
class Shown:
    """One document on pages of one length, and the tokens of the pages asked for so far."""

    lines: list[str]
    format: EditFormat
    tree: Tree | None
    layout: PageLayout
    pages: dict[Page, PageTokens]

    @classmethod
    def of(cls, text: str, format: EditFormat) -> Shown:
        lines = split_lines(text)
        return cls(lines, format, parse(lines, "python"), PageLayout(lines, format, "python"), {})


def page_format(base: EditFormat, page_lines: int) -> EditFormat:
    """`base` with shorter pages, in the proportions of the longest: how the curriculum's first pages are made."""
    return replace(
        base,
        page_lines=page_lines,
        page_overlap=base.page_overlap * page_lines // base.page_lines,
        warm_lines=0,
        header_lines=base.header_lines * page_lines // base.page_lines,
    )


class Renderer:
    """Examples of one codec on pages of several lengths. Keeps the tokens of lines it has seen."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.cost = CodecCost(codec)
        self._formats: dict[int, EditFormat] = {}

    def render(self, example: Example, page_lines: int) -> Rendered | str:
        """The example on pages of `page_lines`, or why it has no place there: the reason it is counted under."""
        shown = Shown.of(example.before, self.format_of(page_lines))
        placed = self.place(example, shown)
        if isinstance(placed, str):
            return placed
        page, scope = placed
        branch = self._branch(example, shown, page, scope)
        return (
            branch if isinstance(branch, str) else self._group(shown, page, [(example, branch)], page_lines)
        )

    def render_groups(
        self, examples: Sequence[Example], page_lines: int, drop: Callable[[Example, str], None]
    ) -> Iterator[Rendered]:
        """The examples, all of one document (the same `before`), in groups that share a page (`sharing.gathered`). `drop` is
        told of those that have no place.
        """
        shown = Shown.of(examples[0].before, self.format_of(page_lines))
        for page, members in self.placed(examples, shown, drop):
            group: list[tuple[Example, _Branch]] = []
            size = first = len(self.page_tokens(shown, page).ids)
            for example, scope in members:
                branch = self._branch(example, shown, page, scope)
                if isinstance(branch, str):
                    drop(example, branch)
                    continue
                if group and (len(group) == MOST_BRANCHES or size + len(branch.ids) > LONGEST_GROUP):
                    yield self._group(shown, page, group, page_lines)
                    group, size = [], first
                group.append((example, branch))
                size += len(branch.ids)
            if group:
                yield self._group(shown, page, group, page_lines)

    def format_of(self, page_lines: int) -> EditFormat:
        if page_lines not in self._formats:
            self._formats[page_lines] = page_format(self.codec.format, page_lines)
        return self._formats[page_lines]

    def page_tokens(self, shown: Shown, page: Page) -> PageTokens:
        return shown.pages.get(page) or shown.pages.setdefault(page, page_tokens(self.codec, page))

    def place(self, example: Example, shown: Shown) -> tuple[Page, list[Range]] | str:
        """The page the example is served on, and its scope in the document."""
        try:
            scope = resolve_scope(
                shown.lines, example.request, "python", shown.format.header_lines, shown.tree
            )
        except ScopeError:
            return "no scope"
        try:
            return shown.layout.page_for(scope), scope
        except ScopeError:
            return "no page shows the scope"

    def placed(
        self, examples: Sequence[Example], shown: Shown, drop: Callable[[Example, str], None]
    ) -> list[tuple[Page, list[tuple[Example, list[Range]]]]]:
        """Pages that examples of one document share (`sharing.gathered`), and on each the examples with their scopes. `drop` is
        told of those that have no place.
        """
        found: list[tuple[Example, list[Range], Page]] = []
        for example in examples:
            placed = self.place(example, shown)
            if isinstance(placed, str):
                drop(example, placed)
            else:
                found.append((example, placed[1], placed[0]))
        return gathered(found)

    def _branch(self, example: Example, shown: Shown, page: Page, scope: list[Range]) -> _Branch | str:
        """What stands behind the page."""
        codec, format = self.codec, shown.format
        try:
            page_scope = page.to_page_scope(scope)
        except ScopeError:
            return "no page shows the scope"
        try:
            program = program_near_change(
                shown.lines,
                split_lines(example.after),
                subs=format.sub,
                cost=self.cost,
                sub_lines=format.sub_lines,
                scope=scope,
            )
        except ProgramError:
            return "the change is outside the scope"
        tokens = self.page_tokens(shown, page)
        rules = Rules(
            len(page), tuple(page_scope), unterminated=page.unterminated, at_end=page.at_end, sub=format.sub
        )
        try:
            on_page = page.from_document(program, shown.lines)
            if violation(rules, on_page, page.views) is not None:
                return "the grammar refuses the program"
            pieces = codec.encode_program(on_page, page.views, tokens.lines, open_end=rules.open_end)
        except (ProgramError, ScopeError):
            return "the format cannot spell the program"
        ids = request_tokens(codec, page, page_scope, example.request)
        begin = len(ids)
        roles = bytearray(begin)
        for piece, role in zip(pieces, _piece_roles(rules, on_page, pieces), strict=True):
            ids += piece.ids
            roles += role
        if len(tokens.ids) + len(ids) > LONGEST or len(ids) - begin > LONGEST_PROGRAM:
            return "too many tokens"
        return _Branch(ids, bytes(roles), begin)

    def _group(
        self, shown: Shown, page: Page, group: Sequence[tuple[Example, _Branch]], page_lines: int
    ) -> Rendered:
        tokens = self.page_tokens(shown, page)
        ids = list(tokens.ids)
        roles = _page_roles(tokens.starts, tokens.lines, len(ids))
        starts: list[int] = []
        programs: list[int] = []
        for _, branch in group:
            starts.append(len(ids))
            programs.append(len(ids) + branch.program)
            ids += branch.ids
            roles += branch.roles
        return Rendered(
            as_array(ids), np.frombuffer(bytes(roles), np.uint8), tuple(starts), (0,) * len(starts), tuple(programs),
            tuple(example.kind for example, _ in group), tuple(example.located for example, _ in group), page_lines,
        )  # fmt: skip


def _page_roles(starts: Sequence[int], lines: Sequence[Sequence[int]], total: int) -> bytearray:
    """The roles of a page's tokens: a line's own are the document's, its number is not."""
    roles = bytearray(total)
    for end, line in zip(starts[1:], lines, strict=True):
        roles[end - len(line) : end] = bytes([Role.DOCUMENT]) * len(line)
    return roles


def _piece_roles(rules: Rules, program: Program, pieces: Sequence[Piece]) -> list[bytes]:
    """The role of every token of every piece.

    Forced is what the order of ops forces: an op, a copy's first or last line, a sub's line where there is one alternative only.
    That a line may have no legal old text, and what tokens of an old text follow from its first ones, is not looked into: such
    tokens are learnt though decoding knows them.
    """
    forced: dict[int, bool] = {}
    at = 0
    state = rules.start()
    for op in program.ops:
        forced[at] = len(rules.options(state)) == 1
        if isinstance(op, Copy):
            forced[at + 1] = len(rules.copy_starts(state)) == 1
            forced[at + 2] = sum(map(len, rules.copy_ends(state, op.start))) == 1
            state = rules.after_copy(state, op.start, op.end)
            at += 3
            if at < len(pieces) and pieces[at].role == "span":
                at += 1
        elif isinstance(op, Gen):
            state = rules.after_gen(state, not op.text.endswith("\n"))
            at += 3
        elif isinstance(op, Sub):
            forced[at + 1] = len(rules.sub_starts(state)) == 1
            # The mark between the texts is a choice: the old text could always go on.
            state = rules.after_sub(state, op.end)
            at += 6
    forced[at] = len(rules.options(state)) == 1
    out: list[bytes] = []
    for k, piece in enumerate(pieces):
        role = Role.SPAN if piece.role == "span" else Role.FORCED if forced.get(k) else Role.PROGRAM
        out.append(bytes([role]) * len(piece.ids))
    return out


def as_array(ids: Sequence[int]) -> NDArray[np.uint16] | NDArray[np.uint32]:
    """Token ids in the smallest type that holds them."""
    return np.array(ids, np.uint16) if max(ids, default=0) < 1 << 16 else np.array(ids, np.uint32)
