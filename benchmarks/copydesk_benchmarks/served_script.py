"""copydesk over a served model in a race: every request is the decoder's own and really answered, but what is written is told.

Text is written under a grammar that allows the gold text alone, in place of the decoder's; a choice is asked for as always, and
the gold token made the likeliest in the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from copydesk.editor import Editor
from copydesk.errors import CopydeskError
from copydesk.grammar.token_grammar import START, TokenGrammar, one_of
from copydesk.oracle.token_cost import CodecCost
from copydesk.served.dialect import (
    Abilities,
    ChatPrompt,
    Description,
    Dialect,
    Generated,
    Generation,
    Judged,
    Scored,
)
from copydesk.served.http_client import Call
from copydesk.served.session import Way
from copydesk_benchmarks.documents import Edit
from copydesk_benchmarks.rivals import Run
from copydesk_benchmarks.scripted_engine import Prepared, prepare

BOOST = 1e4


class ScriptedDialect:
    """`Dialect`. asked: the last request for new tokens, as the decoder meant it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.script: tuple[int, list[int]] = (0, [])
        self.whole = False
        self.asked: Generation | None = None

    @property
    def abilities(self) -> Abilities:
        return self.dialect.abilities

    def describe(self) -> Description:
        return self.dialect.describe()

    def tokenize(self, text: str) -> list[int] | None:
        return self.dialect.tokenize(text)

    def generate(self, asked: Generation, call: Call) -> Generated:
        assert not isinstance(asked.prompt, ChatPrompt)
        assert asked.grammar is not None
        self.asked = asked
        first, script = self.script
        rest = script[len(asked.prompt) - first :]
        gold = rest if self.whole else segment(asked.grammar, rest)
        return self.dialect.generate(replace(asked, grammar=one_of([tuple(gold)])), call)

    def score(self, prompt: Sequence[int], tokens: Sequence[int], call: Call) -> Scored:
        first, script = self.script
        found = self.dialect.score(prompt, tokens, call)
        at = len(prompt) - first
        boosted = [
            value + BOOST * (0 <= at < len(script) and token == script[at])
            for token, value in zip(tokens, found.log_ps, strict=True)
        ]
        return replace(found, log_ps=boosted)

    def judge(self, prompt: Sequence[int], token: int, call: Call) -> Judged:
        return self.dialect.judge(prompt, token, call)


def segment(grammar: TokenGrammar, rest: Sequence[int]) -> Sequence[int]:
    """What of the gold text one request writes: one of the grammar's runs, or text up to the end of its closing tokens."""
    if not grammar.has_text:
        runs = [tuple(symbol for symbol in way if isinstance(symbol, int)) for way in grammar.rules[START]]
        return next(run for run in runs if tuple(rest[: len(run)]) == run)
    named = grammar.tokens
    start = next(k for k, token in enumerate(rest) if token in named)
    end = start
    while end < len(rest) and rest[end] in named:
        end += 1
    return rest[:end]


class ServedEngine:
    """An engine over a served model. Edits have to be prepared before they are timed."""

    def __init__(self, address: str, model: str) -> None:
        self.editor = Editor.load(address, served_model=model, warm=False)
        session = self.editor.loaded_model.served
        assert session is not None
        assert session.codec is not None
        self.session = session
        self.dialect = session.dialect = ScriptedDialect(session.dialect)
        self._cost = CodecCost(session.codec)
        self._blank = session.codec.literals.end[:1]

    def prepare(self, edit: Edit, way: Way) -> Prepared:
        """A grammar of whole programs has no subs where they are too many."""
        return prepare(self.editor, edit, self._cost, subs=way == "decisions")

    def run(self, edit: Edit, prepared: Prepared, way: Way, *, warm: bool) -> Run:
        """warm: the page, and nothing behind it, is in the server's cache; else the cache has something else."""
        self.session.way = way
        self.dialect.whole = way == "whole"
        self.dialect.script = prepared.script
        shown = prepared.plan.prefix if warm else self._blank
        self.dialect.dialect.generate(Generation(shown, None, 1), Call())
        document = self.editor.open("race.py", edit.before)
        try:
            began = perf_counter()
            result = document.edit(edit.request)
            seconds = perf_counter() - began
        finally:
            document.close()
        if result.status != "edited" or result.text != edit.after:
            raise CopydeskError(
                f"a served model did not write the gold text of {edit.name!r}: {result.reason}"
            )
        return Run(seconds, result.counts.forwards, 0, result.counts.generated)

    def close(self) -> None:
        self.editor.close()
