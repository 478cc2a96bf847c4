"""Rules under which no program can break a document's parse.

The lines before fix the stack in front of an op, the lines behind what must hold after it: a copy whose effect does not fit is
not on offer, text may end only where some way on is left, and the program only where the rest of the document closes. In every
range of the scope text can lead to what the lines behind the range want (`goal`), so that no state is a dead end.

What was broken may be mended, and is never made worse. Let E be the line of the document's first error, behind which no text of
the language can be any more. Where E stays, the parser must come to it just as it did, or the document must be whole; behind E
nothing is asked, for nothing is known there. Where E's line is replaced, the lines behind it must be read as far as they can be
behind any text. In all cases new text that the parser comes to is held to the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

from copydesk.grammar.rules import OpName, Rules, State
from copydesk.pushdown.automaton import Config, Stack
from copydesk.pushdown.effects import Effect, Effects, LineEffects
from copydesk.pushdown.goals import Goal
from copydesk.pushdown.languages import BYTE_ORDER_MARK, without_mark

LOST: Config = (-1, ())
"""The parser is behind an error that was in the document before: nothing is asked of what follows."""
Range = tuple[int, int]


class ParsedPage:
    """What a page's lines are to the parser of the whole document.

    lines: the document's view text. spans: the document lines that each line of the page stands for. A position is a line of the
    page, behind which an op ends; 0 is in front of the page.
    """

    def __init__(self, effects: Effects, lines: Sequence[str], spans: Sequence[Range]) -> None:
        lines = without_mark(lines)
        self.effects = effects
        self._tree = LineEffects(effects, lines)
        self._count = len(lines)
        self._ends = [spans[0][0] - 1 if spans else 0, *(last for _, last in spans)]
        self._cells = [self._tree.of(*span) for span in spans]
        self._error = effects.first_error(lines)
        self._whole = self._error > self._count + 1
        self._steps: dict[tuple[int, Config], Config | None] = {}
        self._rests: dict[int, Effect] = {}
        self._befores: dict[int, Config | None] = {}
        self._goals: dict[tuple[int, Stack], Goal] = {}
        entry = self._before(self._ends[0] + 1)
        self.entry = LOST if entry is None else entry

    def copy(self, config: Config, first: int, last: int) -> Config | None:
        """The configuration behind lines first..last of the page; None where they may not stand behind `config`."""
        now: Config | None = config
        for line in range(first, last + 1):
            if now is None or now == LOST:
                break
            if (line, now) not in self._steps:
                behind = self._cells[line - 1].of(now)
                self._steps[line, now] = LOST if behind is None and self._excused(line, now) else behind
            now = self._steps[line, now]
        return now

    def _excused(self, line: int, config: Config) -> bool:
        """Whether the parser may be lost in a line of the page: in the first error as it was before, or in one behind it that no
        text in its place would mend."""
        if self._ends[line - 1] < self._error <= self._ends[line]:
            return config == self._before(self._ends[line - 1] + 1)
        return self._error <= self._ends[line - 1] and self._second_error <= self._ends[line]

    @cached_property
    def _second_error(self) -> int:
        """The next line that no text in place of the first error's mends."""
        return self._furthest(self._error + 1)[0]

    def _before(self, line: int) -> Config | None:
        """The configuration in front of a line of the document as it is; None behind its first error."""
        if line not in self._befores:
            self._befores[line] = self._tree.of(1, line - 1).of(self.effects.automaton.start)
        return self._befores[line]

    def fits(self, position: int, config: Config) -> bool:
        """Whether everything behind `position` may follow as it is."""
        begin = self._ends[position] + 1
        if config == LOST or self._rest(begin).of(config) is not None:
            return True
        kept = self._kept(begin)
        return kept is not None and kept.of(config) == self._before(self._error)

    def leads(self, position: int, config: Config) -> bool:
        """Whether some text makes everything behind `position` fit."""
        return config == LOST or self.goal(position, config[1]).leads(config)

    def goal(self, position: int, stack: Stack) -> Goal:
        """What text in front of everything behind `position` has to lead to, from `stack` or what stands on it."""
        begin = self._ends[position] + 1
        rest, kept = self._rest(begin), self._kept(begin)
        # What is asked down to the end of the document is asked of whole stacks; else the rest of the stack may stay as it is.
        asked = [old for _, cases in rest.behind.values() for old, _ in cases]
        below = () if all(old[:1] == (0,) for old in asked) else stack
        found = self._goals.get((position, below))
        if found is None:
            targets: dict[int, set[Stack]] = {
                state: set() for state in self.effects.automaton.lexer.line_starts
            }
            for state in targets:
                for old, _ in rest.behind.get(state, (0, ()))[1]:
                    sizes = (0,) if old[:1] == (0,) else range(1, len(below) + 1)
                    targets[state] |= {(*below[:size], *old) for size in sizes}
                before = self._before(self._error) if kept is not None else None
                last, cases = kept.behind.get(state, (0, ())) if kept is not None else (0, ())
                for old, new in cases:
                    if (
                        before is not None
                        and before[0] == last
                        and before[1][len(before[1]) - len(new) :] == new
                    ):
                        targets[state].add(before[1][: len(before[1]) - len(new)] + old)
            found = self._goals[position, below] = Goal(self.effects.automaton, targets)
        return found

    def _rest(self, begin: int) -> Effect:
        """Of the lines from `begin` on, which must be readable, with the end of the document where it must be whole."""
        found = self._rests.get(begin)
        if found is None:
            if self._whole or begin <= self._error:
                found = self._tree.of(begin, self._count) + self.effects.end
            else:
                found = self._furthest(begin)[1]
            self._rests[begin] = found
        return found

    def _kept(self, begin: int) -> Effect | None:
        """Of the lines from `begin` on down to the first error, where there is one behind."""
        return None if self._whole or begin > self._error else self._tree.of(begin, self._error - 1)

    def _furthest(self, begin: int) -> tuple[int, Effect]:
        """Of as many lines from `begin` on as can be read behind any text, with the end where that may be next; and the line
        where it ends, which no text before mends."""
        found = self.effects.nothing
        for line in range(begin, self._count + 1):
            more = found + self._tree.of(line, line)
            if not more.behind:
                return line, found
            found = more
        whole = found + self.effects.end
        return (self._count + 2, whole) if whole.behind else (self._count + 1, found)


@dataclass(frozen=True, slots=True)
class ParsedRules(Rules):
    """`Rules` of a page whose programs keep the document parsable. States carry the parser's configuration."""

    page: ParsedPage = field(kw_only=True, compare=False)
    _known: dict[tuple[State, int], tuple[range, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @classmethod
    def of(cls, rules: Rules, page: ParsedPage) -> ParsedRules:
        given = {each.name: getattr(rules, each.name) for each in fields(Rules)}
        return cls(**given, page=page)

    # `super()` without arguments fails in a dataclass with slots.

    def start(self) -> State:
        return State(parse=self.page.entry)

    def options(self, state: State) -> tuple[OpName, ...]:
        config = parse_of(state)
        found = Rules.options(self, state)
        if "end" in found and not self.page.fits(self.lines, config):
            found = tuple(op for op in found if op != "end")
        if "gen" in found and not self._leads(state.position, config):
            found = tuple(op for op in found if op != "gen")
        return found

    def goes_on(self, state: State) -> bool:
        """Whether `options` leaves any op (it stops at the first)."""
        config = parse_of(state)
        return (
            (self.deletable(state.position + 1, self.lines) and self.page.fits(self.lines, config))
            or (not state.sealed and any(self.copy_ends(state, start) for start in self._starts(state)))
            or self.has_sub(state)
            or (self._may_write(state) and self._leads(state.position, config))
        )

    def _may_write(self, state: State) -> bool:
        return self.gen and not state.sealed and state.previous != "gen" and self.gen_ok(state.position)

    def closing(self, state: State) -> OpName:
        options = self.options(state)
        if "end" in options:
            return "end"
        whole = "copy" in options and self.closing_span(state)[1] == self.lines
        return "copy" if whole else "gen" if "gen" in options else options[0]

    def closing_span(self, state: State) -> Range:
        spans = [(i, run[-1]) for i in self.copy_starts(state) for run in self.copy_ends(state, i)]
        return next((span for span in spans if span[1] == self.lines), spans[0])

    def copy_starts(self, state: State) -> Sequence[int]:
        return [start for start in self._starts(state) if self.copy_ends(state, start)]

    def copy_ends(self, state: State, start: int) -> tuple[range, ...]:
        found = self._known.get((state, start))
        if found is None:
            config, at = parse_of(state), start
            kept: list[range] = []
            behind: Config | None = config
            for end in (end for run in Rules.copy_ends(self, state, start) for end in run):
                behind = self.page.copy(behind, at, end) if behind is not None else None
                at = end + 1
                if behind is not None and self._leaves(end, behind):
                    joins = kept and kept[-1].stop == end
                    kept[-1:] = (
                        [range(kept[-1].start, end + 1)] if joins else [*kept[-1:], range(end, end + 1)]
                    )
            found = self._known[state, start] = tuple(kept)
        return found

    def sub_reach(self, state: State, line: int) -> int:
        """Lines that could be copied here: so there is a new text, the old one, that leads to what stands behind."""
        config, limit = parse_of(state), self.sub_limit(line)
        for end in range(line, limit + 1):
            behind = self.page.copy(config, end, end)
            if behind is None or not self._leaves(end, behind):
                return end - 1
            if behind == LOST:
                break
            config = behind
        return limit

    def has_sub(self, state: State) -> bool:
        return bool(self.sub_starts(state))

    def sub_starts(self, state: State) -> tuple[int, ...]:
        return tuple(line for line in self._sub_lines(state) if self.sub_reach(state, line) >= line)

    def after_copy(self, state: State, start: int, end: int) -> State:
        behind = self.page.copy(parse_of(state), start, end)
        return _with(Rules.after_copy(self, state, start, end), behind)

    def after_gen(self, state: State, unterminated: bool = False, text: str = "") -> State:
        return _with(Rules.after_gen(self, state, unterminated), self.read(parse_of(state), text))

    def after_sub(
        self, state: State, end_line: int, unterminated_result: bool = False, text: str = ""
    ) -> State:
        return self.behind_sub(end_line, unterminated_result, self.read(parse_of(state), text))

    def behind_sub(self, end_line: int, unterminated_result: bool, config: Config | None) -> State:
        """As `after_sub`, where the configuration behind the changed lines is known."""
        return _with(Rules.after_sub(self, State(), end_line, unterminated_result), config)

    def read(self, config: Config, text: str) -> Config | None:
        """The configuration behind `text`, None where it may not stand behind `config`."""
        if config == LOST:
            return LOST
        automaton = self.page.effects.automaton
        text = text.removeprefix(BYTE_ORDER_MARK) if config == automaton.start else text
        return automaton.run(config, text.encode("utf-8", "surrogatepass"))

    def range_end(self, position: int) -> int:
        """The last line of the range that text behind `position` is in: what is left of the range may be deleted."""
        return next((e for s, e in self.scope if s - 1 <= position <= e), position)

    def _leads(self, position: int, config: Config) -> bool:
        return self.page.leads(self.range_end(position), config)

    def _leaves(self, end: int, config: Config) -> bool:
        """Whether an op may end at line `end`, in the scope or at the end of the page: the rest fits, or text may follow that
        leads there."""
        if end == self.lines and self.page.fits(end, config):
            return True
        sealed = self.unterminated and end == self.lines
        return not sealed and self.gen_ok(end) and self._leads(end, config)


def parse_of(state: State) -> Config:
    """The parser's configuration in a state of `ParsedRules`."""
    assert state.parse is not None, "a state that these rules did not produce"
    return state.parse


def _with(state: State, config: Config | None) -> State:
    """Only a program that was closed by force, and will be refused, has text that the parser does not take."""
    return State(state.position, state.previous, state.sealed, LOST if config is None else config)
