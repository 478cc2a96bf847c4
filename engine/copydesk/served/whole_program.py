"""Decoding a program with one request: the server writes all of it under one grammar; it is then read decision by decision."""

from __future__ import annotations

from contextlib import suppress

from copydesk.decode.coroutine import Steps
from copydesk.decode.program_decoder import ProgramDecoder
from copydesk.errors import GrammarError
from copydesk.grammar.rules import State
from copydesk.grammar.token_grammar import program_grammar
from copydesk.served.emitter import ServedEmitter


class WholeProgramDecoder(ProgramDecoder):
    """As a `ProgramDecoder` on a served model, where one grammar can say what is left; else decision by decision."""

    def _from(self, state: State) -> Steps:
        task, emitter = self.task, self.emitter
        assert isinstance(emitter, ServedEmitter)
        free = task.choices is None and task.inner is None and task.narrow is None
        if free and emitter.given is None and not emitter.truncated:
            with suppress(GrammarError):  # too large, or a language whose documents have to parse
                emitter.fetch(program_grammar(task.codec, task.rules, state, task.lines, task.olds))
        return (yield from super()._from(state))

    def _copied(self, state: State, start: int, end: int) -> State:
        emitter = self.emitter
        assert isinstance(emitter, ServedEmitter)
        before = len(emitter.pending)
        after = super()._copied(state, start, end)
        emitter.skip(emitter.pending[before:])
        return after
