"""The language of programs as a grammar that can be sent to a server: rules over token ids and kinds of text.

A grammar is right-linear: one rule for each state that `Rules` can be in, so it says exactly what `Rules` says, and has no dead
ends because they have none. `gbnf.py` and `llguidance_source.py` print it. Literals, numbers and old texts are tokens by id; only
new text is described by characters. Depends on rules, codec and old texts, not on servers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from copydesk.errors import GrammarError
from copydesk.grammar.olds import Olds
from copydesk.grammar.rules import Rules, State
from copydesk.prompting.codec import Codec, Ids

TextKind: TypeAlias = Literal["lines", "open", "any"]
"""New text, valid UTF-8 without carriage returns: `lines` is one or more whole lines, `open` ends inside a line, `any` may be
empty."""

MOST_SYMBOLS = 60_000
"""Symbols of a grammar; a server that is sent a larger one takes seconds to read it."""
MOST_OLDS = 512
"""Old texts of a page's scope that one grammar lists; where there are more, subs are left out."""


@dataclass(frozen=True, slots=True)
class Text:
    """New text of one kind."""

    kind: TextKind


@dataclass(frozen=True, slots=True)
class Fenced:
    """Whole lines, none of which begins with a fence of `ticks` backticks, indented or not, and then that fence."""

    ticks: int


@dataclass(frozen=True, slots=True)
class Ref:
    """Another rule, by name."""

    name: str


Symbol: TypeAlias = int | Text | Fenced | Ref
"""An `int` is a token's id."""
Alternative: TypeAlias = tuple[Symbol, ...]
START = "start"


@dataclass(frozen=True, slots=True)
class TokenGrammar:
    """Rules by name, of which `START` comes first. subs: whether it has all subs that the rules allow."""

    rules: Mapping[str, Sequence[Alternative]]
    subs: bool = True

    @property
    def tokens(self) -> set[int]:
        """Every token it names."""
        return {
            symbol
            for ways in self.rules.values()
            for way in ways
            for symbol in way
            if isinstance(symbol, int)
        }

    @property
    def has_text(self) -> bool:
        """Whether it has new text in it, not tokens alone."""
        return any(
            isinstance(symbol, Text | Fenced)
            for ways in self.rules.values()
            for way in ways
            for symbol in way
        )


def one_of(sequences: Sequence[Ids]) -> TokenGrammar:
    """One of several runs of tokens."""
    return TokenGrammar({START: [tuple(sequence) for sequence in sequences]})


def new_text(endings: Sequence[tuple[TextKind, Ids]]) -> TokenGrammar:
    """New text, and behind each kind its closing tokens."""
    return TokenGrammar({START: [(Text(kind), *close) for kind, close in endings]})


def fenced_text(ticks: int) -> TokenGrammar:
    """New text up to its closing fence."""
    return TokenGrammar({START: [(Fenced(ticks),)]})


def denied(grammar: TokenGrammar, token_bytes: Sequence[bytes]) -> list[int]:
    """Tokens that can stand nowhere in the grammar's language, for servers that are told so apart from it: special ones it does
    not name, and those that new text may not have: it is spelled line by line, without carriage returns.
    """
    named = grammar.tokens
    return [
        token
        for token, text in enumerate(token_bytes)
        if token not in named and (not text or b"\r" in text or b"\n" in text[:-1])
    ]


def program_grammar(
    codec: Codec, rules: Rules, state: State, lines: Sequence[Ids], olds: Olds, *, most_olds: int = MOST_OLDS
) -> TokenGrammar:
    """What may follow in `state`, to the program's end, as tokens: spans of copies are in it where the format shows them to the
    model. lines: the page's, as tokens.

    Subs are left out where they have more old texts than `most_olds`. Raises GrammarError where even so the grammar is too large,
    and for rules that look at what is written (`ParsedRules`).
    """
    if type(rules) is not Rules:
        raise GrammarError("a program that has to parse cannot be described to a server as a whole")
    runs = _old_runs(rules, olds, most_olds) if rules.sub else {}
    for each in (runs, {}):
        if each is not None:
            found = _Program(codec, rules, lines, each).grammar(state)
            if sum(len(way) for ways in found.values() for way in ways) <= MOST_SYMBOLS:
                return TokenGrammar(found, subs=each is runs)
    raise GrammarError("the page's programs are too many for one grammar")


def _old_runs(rules: Rules, olds: Olds, left: int) -> dict[int, list[Ids]] | None:
    """The old texts that begin in each line of the scope; None where they are more than `left`."""
    found: dict[int, list[Ids]] = {}
    for first, last in rules.scope:
        for line in range(first, last + 1):
            runs = olds.legal_runs(line, rules.sub_limit(line))
            left -= len(runs)
            if left < 0:
                return None
            found[line] = runs
    return found


class _Program:
    """A rule for each state, one for the ends of copies from each line, and one for the subs of each line."""

    def __init__(self, codec: Codec, rules: Rules, lines: Sequence[Ids], runs: Mapping[int, Sequence[Ids]]):
        self._codec, self._rules, self._lines, self._runs = codec, rules, lines, runs
        self._found: dict[str, list[Alternative]] = {}
        self._todo: list[State] = []

    def grammar(self, state: State) -> dict[str, list[Alternative]]:
        self._found[START] = [(self._state(state),)]
        while self._todo:
            after = self._todo.pop()
            self._found[_name(after)] = self._ways(after)
        return self._found

    def _state(self, state: State) -> Ref:
        name = _name(state)
        if name not in self._found:
            self._found[name] = []
            self._todo.append(state)
        return Ref(name)

    def _ways(self, state: State) -> list[Alternative]:
        literals, rules = self._codec.literals, self._rules
        ways: list[Alternative] = []
        for option in rules.options(state):
            if option == "copy":
                for start in rules.copy_starts(state):
                    ends = self._ends(state, start)
                    ways.append((*literals.copy_open, *self._codec.copy_start(start), ends))
            elif option == "gen":
                whole = self._state(rules.after_gen(state))
                ways.append((*literals.gen_open, Text("lines"), *literals.gen_close, whole))
                if rules.may_drop_eol(state):
                    close = (*literals.no_eol, *literals.gen_close)
                    ways.append(
                        (*literals.gen_open, Text("open"), *close, self._state(rules.after_gen(state, True)))
                    )
            elif option == "sub":
                for line in rules.sub_starts(state):
                    if line in self._runs:
                        ways.append((*literals.sub_open, *self._codec.sub_start(line), self._subs(line)))
            else:
                ways.append(literals.end)
        return ways

    def _ends(self, state: State, start: int) -> Ref:
        """Where a copy from `start` may end does not depend on what comes before it."""
        name = f"copy{start}"
        if name not in self._found:
            self._found[name] = []
            for run in self._rules.copy_ends(state, start):
                for end in run:
                    shown = end < self._rules.lines or self._rules.open_end
                    span = self._codec.span(self._lines, start, end) if shown else ()
                    after = self._state(self._rules.after_copy(state, start, end))
                    self._found[name].append((*self._codec.copy_end(end), *span, after))
        return Ref(name)

    def _subs(self, line: int) -> Ref:
        """What a sub of `line` says behind its number: its old text decides where it ends."""
        name, literals = f"sub{line}", self._codec.literals
        if name not in self._found:
            self._found[name] = []
            for run in self._runs[line]:
                old = self._codec.vocabulary.decode(run)
                kind: TextKind = "lines" if old.endswith("\n") else "any"
                after = self._state(self._rules.after_sub(State(), line + old[:-1].count("\n")))
                self._found[name].append((*run, *literals.sub_to, Text(kind), *literals.sub_close, after))
        return Ref(name)


def _name(state: State) -> str:
    return f"at{state.position}{state.previous or ''}{'sealed' if state.sealed else ''}"
