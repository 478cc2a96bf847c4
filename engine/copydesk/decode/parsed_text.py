"""New text behind which the document still parses: the body automaton and a pushdown automaton, hand in hand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from copydesk.decode.sampling import TokenSet
from copydesk.decode.text_automata import BodyTables
from copydesk.grammar.bodies import CLOSED, CLOSED_UNTERMINATED, ILLEGAL
from copydesk.grammar.parsed_page import LOST
from copydesk.grammar.parsed_rules import ParsedRules, parse_of
from copydesk.grammar.rules import State
from copydesk.program import SubSpan
from copydesk.prompting.codec import Codec, Ids
from copydesk.pushdown.automaton import Config
from copydesk.pushdown.interfaces import GoalMasks, LanguageMasks, TextGoal


@dataclass(frozen=True, slots=True)
class ParsedState:
    """Text so far. body: state of `Bodies`. config: the parser's, None once the text left its language. ends: what is left of
    each closing that may have begun.
    """

    body: int
    config: Config | None
    ends: tuple[Ids, ...] = ()


class ParsedMachine:
    """Text that some way leads on to `known.goal`, and that ends only where `may_end` allows.

    closings: how the text may be closed. may_end: whether it may, by the configuration and whether its last line is left without
    a newline. ends_line: whether forced text closes with a newline.
    """

    def __init__(
        self,
        codec: Codec,
        tables: BodyTables,
        masks: LanguageMasks,
        known: GoalMasks[TextGoal],
        start: ParsedState,
        closings: tuple[Ids, ...],
        may_end: Callable[[Config, bool], bool],
        *,
        ends_line: bool,
    ) -> None:
        self.start = start
        self._codec, self._tables, self._bodies = codec, tables, tables.bodies
        self._masks, self._known = masks, known
        self._closings, self._may_end, self._ends_line = closings, may_end, ends_line
        self._sets: dict[Hashable, TokenSet] = {}
        self._begins: dict[tuple[int, Config], tuple[Ids, ...]] = {}

    def tokens(self, state: ParsedState) -> TokenSet:
        firsts = {end[0] for end in self._endings(state)}
        if state.config is None:
            return TokenSet(allow=sorted(firsts))
        key = state.body, self._masks.key(self._known, state.config), frozenset(firsts)
        found = self._sets.get(key)
        if found is None:
            row = self._tables.text_mask(state.body) & self._masks.row(self._known, state.config)
            bits = np.unpackbits(row.view(np.uint8), bitorder="little", count=self._masks.size)
            bits[list(firsts)] = 1
            if 2 * np.count_nonzero(bits) <= self._masks.size:
                found = TokenSet(allow=np.flatnonzero(bits))
            else:
                found = TokenSet(deny=np.flatnonzero(bits == 0))
            self._sets[key] = found
        return found

    def next(self, state: ParsedState, token: int) -> ParsedState | None:
        body = self._bodies.advance(state.body, token)
        if body == ILLEGAL:
            return None
        ends = tuple(end[1:] for end in self._endings(state) if end[0] == token)
        config = None
        if state.config is not None and self._tables.goes_on[body]:
            config = self._masks.advance(state.config, token)
            if config is not None and not self._known.goal.leads(config):
                config = None
        return ParsedState(body, config, ends) if ends or config is not None else None

    def closed(self, state: ParsedState) -> bool:
        return state.body in (CLOSED, CLOSED_UNTERMINATED)

    def closing(self, state: ParsedState) -> Ids:
        """What leads to the goal, and then a closing: so the text parses also where the tokens are spent."""
        begun = self._endings(state)
        if begun:
            return min(begun, key=len)
        assert state.config is not None
        body, config, ids = state.body, state.config, list[int]()
        while self._bodies.walk(body, self._codec.fragment(" ")) == ILLEGAL:  # inside a character
            token = next(t for t in self._inner_bytes() if self._bodies.advance(body, t) != ILLEGAL)
            after = self._masks.advance(config, token)
            assert after is not None
            ids.append(token)
            body, config = self._bodies.advance(body, token), after
        text = self._known.goal.closing(config, ends_line=self._ends_line)
        ids += self._codec.fragment(text.decode())
        body = self._bodies.walk(state.body, ids)
        return (*ids, *self._bodies.closing_path(body))

    def _inner_bytes(self) -> list[int]:
        """The tokens that are one byte inside a character."""
        spelled = self._codec.vocabulary.token_bytes
        return [t for t, text in enumerate(spelled) if len(text) == 1 and 0x80 <= text[0] < 0xC0]

    def _endings(self, state: ParsedState) -> tuple[Ids, ...]:
        """Ways to close that have begun, or may begin here."""
        if state.config is None:
            return state.ends
        key = state.body, state.config
        begin = self._begins.get(key)
        if begin is None:
            begin = self._begins[key] = tuple(
                way
                for way in self._closings
                if (after := self._bodies.walk(state.body, way)) in (CLOSED, CLOSED_UNTERMINATED)
                and self._may_end(state.config, after == CLOSED_UNTERMINATED)
            )
        return (*state.ends, *begin)


class ParsedText:
    """The machines of one page's new texts. Each gives None where the parser is lost, and text is free."""

    def __init__(
        self,
        codec: Codec,
        tables: BodyTables,
        masks: LanguageMasks,
        rules: ParsedRules,
        views: Sequence[str],
    ) -> None:
        """views: the page's lines."""
        self._codec, self._tables, self._masks, self._rules = codec, tables, masks, rules
        self._views = views
        self._known: dict[int, GoalMasks[TextGoal]] = {}

    def gen(self, state: State) -> ParsedMachine | None:
        rules, literals = self._rules, self._codec.literals
        config = parse_of(state)
        if config == LOST:
            return None
        drops = rules.may_drop_eol(state)

        def may_end(behind: Config, unterminated: bool) -> bool:
            return rules.goes_on(State(state.position, "gen", unterminated, behind))

        return self._machine(
            self._tables.bodies.gen(drops),
            config,
            rules.page.goal(rules.range_end(state.position), config[1]),
            (literals.gen_close, literals.no_eol + literals.gen_close),
            may_end,
            ends_line=True,
        )

    def new(self, state: State, line: int, found: SubSpan, old: str) -> ParsedMachine | None:
        """The new text of a sub at `line`. It can always be the old one, where the line could be copied."""
        rules, views = self._rules, self._views
        config = rules.read(parse_of(state), views[line - 1][: found.offset])
        if config is None or config == LOST:
            return None
        behind_old = rules.read(config, old)
        if behind_old is None:  # the line is broken: what is new should lead to what stands behind the scope
            goal = rules.page.goal(rules.range_end(line), config[1])
        else:
            goal = rules.page.goal_at(behind_old)
        if not goal.leads(config):
            return None

        def may_end(behind: Config, _: bool) -> bool:
            return self._may_stand(behind, found)

        return self._machine(
            self._tables.bodies.sub(found.ends_line),
            config,
            goal,
            (self._codec.literals.sub_close,),
            may_end,
            ends_line=found.ends_line,
        )

    def takes(self, state: State, line: int, found: SubSpan, new: str) -> bool:
        """Whether `new` may be the new text of a sub at `line`."""
        behind = self._rules.read(parse_of(state), self._views[line - 1][: found.offset] + new)
        return behind is not None and self._may_stand(behind, found)

    def _may_stand(self, behind: Config, found: SubSpan) -> bool:
        """Whether what a sub leaves of its last line, and then something more, may follow."""
        rules, kept = self._rules, self._views[found.end_line - 1][found.end_offset :]
        after = rules.read(behind, kept)
        if after is None:
            return False
        sealed = bool(kept) and not kept.endswith("\n")
        return rules.goes_on(rules.behind_sub(found.end_line, sealed, after))

    def _machine(
        self,
        body: int,
        config: Config,
        goal: TextGoal,
        closings: tuple[Ids, ...],
        may_end: Callable[[Config, bool], bool],
        *,
        ends_line: bool,
    ) -> ParsedMachine:
        known = self._known.setdefault(id(goal), GoalMasks(goal))
        return ParsedMachine(
            self._codec,
            self._tables,
            self._masks,
            known,
            ParsedState(body, config),
            closings,
            may_end,
            ends_line=ends_line,
        )
