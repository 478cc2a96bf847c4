"""Which op may follow which on one page: structural legality, in integers only.

A program in edit mode walks forward over the page's lines 1..M. At any point of that walk `Rules` says which ops, copy spans and
sub lines keep the program legal and inside the request's scope, in time proportional to the number of scope ranges. The automata
and tries of this package spell what these rules allow. Tokens and texts do not occur here; a callable says which lines have a
legal old text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from copydesk.errors import ScopeError
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.pushdown.automaton import Config

OpName = Literal["copy", "gen", "sub", "end"]
Range = tuple[int, int]


def normalise(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Sorted, with ranges that touch or overlap merged. (10, 9) is the insertion point before line 10."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def _every_line(_line: int, _limit: int) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class State:
    """Where a program stands between two ops.

    `position` is the last page line already copied, replaced or deleted (0 at the start); `sealed` says that the
    result now ends without a terminator, so that only `end` may follow. `parse` is what the result is to a parser, where it is
    held to one (`parsed_rules.py`).
    """

    position: int = 0
    previous: Literal["copy", "gen", "sub"] | None = None
    sealed: bool = False
    parse: Config | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """Legality on a page of `lines` lines. Line numbers are 1-based and inclusive.

    `scope` holds what may change: ranges (s, e), empty ones (s, s - 1) being insertion points; they are
    normalised here. `at_end` says that the page's last line is the document's, `unterminated` that this
    line has no terminator. `gen` and `sub` allow these ops at all and `has_old(i, limit)` says whether line i has a legal
    old text that ends in line `limit` at the latest (`Olds`).

    Raises ScopeError for a scope that does not fit the page. No method raises for a state these rules
    produced.
    """

    lines: int
    scope: tuple[Range, ...]
    unterminated: bool = False
    at_end: bool = True
    gen: bool = True
    sub: bool = True
    has_old: Callable[[int, int], bool] = field(default=_every_line, compare=False)

    def __post_init__(self) -> None:
        for start, end in self.scope:
            if not (1 <= start <= self.lines + 1 and start - 1 <= end <= self.lines):
                raise ScopeError(f"the scope {start}-{end} does not fit a page of {self.lines} lines")
        if self.unterminated and not (self.at_end and self.lines):
            raise ScopeError("only the document's last line can lack its terminator")
        object.__setattr__(self, "scope", normalise(self.scope))

    # -- scope -------------------------------------------------------------------------------------------------------

    def gen_ok(self, position: int) -> bool:
        """Whether text may be inserted after line `position`."""
        return any(s - 1 <= position <= e for s, e in self.scope)

    def deletable(self, first: int, last: int) -> bool:
        """Whether lines first..last may all be deleted: there are none, or all are inside one range."""
        return first > last or any(s <= first and last <= e for s, e in self.scope)

    def sub_limit(self, line: int) -> int:
        """The last line that the old text of a sub starting at `line` may reach; 0 outside the scope."""
        return next((e for s, e in self.scope if s <= line <= e), 0)

    @property
    def open_end(self) -> bool:
        """Whether text may still follow a copy of the last line (see `Codec.encode_program`)."""
        return self.gen and self.gen_ok(self.lines) and not self.unterminated

    # -- questions ---------------------------------------------------------------------------------------------------

    def start(self) -> State:
        return State()

    def options(self, state: State) -> tuple[OpName, ...]:
        """The ops that may come next, in the order copy, gen, sub, end. Never empty."""
        out: list[OpName] = []
        if not state.sealed:
            if self.copy_starts(state):
                out.append("copy")
            if self.gen and state.previous != "gen" and self.gen_ok(state.position):
                out.append("gen")
            if self.has_sub(state):
                out.append("sub")
        if self.deletable(state.position + 1, self.lines):
            out.append("end")
        return tuple(out)

    def closing(self, state: State) -> OpName:
        """The op that ends a program soonest when its tokens are spent."""
        options = self.options(state)
        return "end" if "end" in options else "copy" if "copy" in options else options[0]

    def closing_span(self, state: State) -> Range:
        """The copy that ends it, or leads there."""
        return self.copy_starts(state)[0], self.lines

    def copy_starts(self, state: State) -> Sequence[int]:
        """First lines a copy may have, ascending."""
        return self._starts(state)

    def _starts(self, state: State) -> range:
        """Consecutive, because what lies before a copy is deleted."""
        if state.sealed:
            return range(0)
        first = state.position + 1
        last = max(first, self.sub_limit(first) + 1)
        # A copy that continues the one before would be one copy written as two.
        return range(first + (state.previous == "copy"), min(last, self.lines) + 1)

    def copy_ends(self, state: State, start: int) -> tuple[range, ...]:
        """Last lines a copy from `start` may have: disjoint ascending ranges. Empty if `start` is not legal
        here."""
        if start not in self._starts(state):
            return ()
        # After a copy that ends inside the scope something must be able to follow: text, or a change of the next line.
        ends = [range(max(start, s - 1), e + self.gen) for s, e in self.scope if e >= start]
        if not any(self.lines in run for run in ends):
            ends.append(range(self.lines, self.lines + 1))
        return tuple(r for r in ends if r)

    def has_sub(self, state: State) -> bool:
        """Whether `sub_starts` has any line (it stops at the first)."""
        return next(self._sub_lines(state), None) is not None

    def sub_starts(self, state: State) -> tuple[int, ...]:
        """Lines a sub may start at, ascending."""
        return tuple(self._sub_lines(state))

    def sub_reach(self, state: State, line: int) -> int:  # noqa: ARG002
        """The last line that the old text of a sub at `line`, one of `sub_starts`, may reach."""
        return self.sub_limit(line)

    def _sub_lines(self, state: State) -> Iterator[int]:
        if self.sub and not state.sealed:
            first = state.position + 1
            limit = self.sub_limit(first)
            yield from (i for i in range(first, limit + 1) if self.has_old(i, limit))

    def may_drop_eol(self, state: State) -> bool:
        """Whether a gen here may lack its final newline: only where nothing can follow it in the document."""
        return self.at_end and self.deletable(state.position + 1, self.lines)

    # -- transitions -------------------------------------------------------------------------------------------------

    # All three take the previous state, the numbers of the op and the text it writes (of a sub the changed lines, whole), whether
    # or not the result depends on them.

    def after_copy(self, state: State, start: int, end: int) -> State:  # noqa: ARG002
        """The state after `copy start-end`; the caller has checked both numbers."""
        return State(end, "copy", self.unterminated and end == self.lines)

    def after_gen(self, state: State, unterminated: bool = False, text: str = "") -> State:  # noqa: ARG002
        return State(state.position, "gen", unterminated)

    def after_sub(
        self,
        state: State,  # noqa: ARG002
        end_line: int,
        unterminated_result: bool = False,
        text: str = "",  # noqa: ARG002
    ) -> State:
        """The state after a sub that ends in `end_line`. One that reaches an unterminated last line always seals the
        result: whatever could follow fits into its own new text."""
        return State(end_line, "sub", unterminated_result or (self.unterminated and end_line == self.lines))


def spans(rules: Rules, state: State) -> list[Range]:
    """All copy spans legal in `state`, sorted."""
    return [(i, j) for i in rules.copy_starts(state) for ends in rules.copy_ends(state, i) for j in ends]


def violation(rules: Rules, program: Program, views: Sequence[str] | None = None) -> str | None:
    """Why `program` (page numbers) is not legal under `rules`, or None if it is.

    Structure and scope only: whether a sub's old text is unique is `program.sub_span`'s to say. With
    `views`, the page's lines, it also checks that a sub leaves line ends alone where something follows.
    """
    state = rules.start()
    for k, op in enumerate(program.ops, 1):
        options = rules.options(state)
        match op:
            case Copy(start, end):
                if "copy" not in options or not any(end in r for r in rules.copy_ends(state, start)):
                    return f"op {k}: copy {start}-{end} is not allowed after line {state.position}"
                state = rules.after_copy(state, start, end)
            case Gen(text):
                if "gen" not in options or not text:
                    return f"op {k}: a gen is not allowed after line {state.position}"
                if not text.endswith("\n") and not rules.may_drop_eol(state):
                    return f"op {k}: the text lacks its final newline"
                state = rules.after_gen(state, not text.endswith("\n"))
            case Sub(start, end, old, new):
                if (
                    "sub" not in options
                    or start not in rules.sub_starts(state)
                    or not start <= end <= rules.sub_limit(start)
                ):
                    return f"op {k}: a sub of {start}-{end} is not allowed after line {state.position}"
                if views is not None and old.endswith("\n") and not new.endswith("\n"):
                    return f"op {k}: the sub takes away the end of line {end}"
                state = rules.after_sub(state, end)
    return (
        None
        if "end" in rules.options(state)
        else f"lines {state.position + 1}-{rules.lines} may not be left out"
    )
