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
from typing import Any

from copydesk.grammar.parsed_page import LOST, ParsedPage
from copydesk.grammar.rules import OpName, Range, Rules, State
from copydesk.pushdown.automaton import Config
from copydesk.pushdown.languages import BYTE_ORDER_MARK


@dataclass(frozen=True, slots=True)
class ParsedRules(Rules):
    """`Rules` of a page whose programs keep the document parsable. States carry the parser's configuration."""

    page: ParsedPage[Any] = field(kw_only=True, compare=False)
    _known: dict[tuple[State, int], tuple[range, ...]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @classmethod
    def of(cls, rules: Rules, page: ParsedPage[Any]) -> ParsedRules:
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
