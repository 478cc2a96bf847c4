"""A decoder's moves on a served model: each is a request, with everything written so far as its prompt.

Where the server tells log probabilities, a choice is scored as a whole by its exact law, one request for each node of its trie;
else the server chooses under a grammar, token by token, and the result says `local`. Text is written under a grammar. Whatever
comes back is walked through the automaton that the engine's own models are masked with: what does not fit it is refused.

A whole program may be fetched with one request (`fetch`); choices and texts are then read from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from copydesk.decode.counts import Counts
from copydesk.decode.drafts import Draft
from copydesk.decode.emitter import Emitter, common_prefix, node_paths
from copydesk.decode.laws.law import total_variation
from copydesk.decode.laws.look_ahead import EXACT, LOCAL, LookAhead
from copydesk.decode.lookahead import Path, leading
from copydesk.decode.repetition import EVERY, loops
from copydesk.decode.sampling import Sampler
from copydesk.decode.text_automata import Machine
from copydesk.errors import OutsideGrammarError
from copydesk.grammar.token_grammar import TokenGrammar, one_of
from copydesk.grammar.trie import Floats, Trie
from copydesk.served.dialect import PromptTokens
from copydesk.served.http_client import Call
from copydesk.served.session import Session

Moves = Generator[Any, Any, Any]
OUTSIDE = "the served model wrote what its grammar does not allow; the server may not support grammars"
ENDING = 8
"""Tokens beyond the budget that a request may take, for closing literals."""


class ServedEmitter(Emitter):
    """One decoder's text behind its page's prefix, on one server."""

    def __init__(
        self,
        session: Session,
        prefix: Sequence[int],
        sampler: Sampler,
        counts: Counts,
        max_tokens: int,
        call: Call,
        seed: int = 0,
    ) -> None:
        super().__init__(sampler, counts, max_tokens)
        self._session = session
        self._prefix = list(prefix)
        self._call = call
        self._seed = seed
        self.given: deque[int] | None = None
        """What is left of a program that was fetched as a whole."""

    # -- finite choices ------------------------------------------------------------------------------------------

    def choose(
        self,
        choices: Sequence[Sequence[int]],
        *,
        law: LookAhead = EXACT,
        ahead: Sequence[Sequence[int]] = (),  # noqa: ARG002
    ) -> Moves:
        yield from ()
        if self.given is not None:
            return self._taken(choices, law)
        if len(choices) == 1:
            self.force(choices[0])
            return 0
        shared = common_prefix(choices)
        self.force(choices[0][:shared])
        trie = Trie([choice[shared:] for choice in choices])
        if trie.nodes <= self._session.most_scored:
            index = self.sampler.choose(self._weighed(trie, law))
            if law is not LOCAL:
                self.laws.add(law.name)
        else:
            index = self._told(trie)
            self.laws.add("local")
        self.masked = self.masked or law is LOCAL
        self.pending.extend(trie.sequences[index])
        return index

    def choose_head(self, groups: Sequence[Sequence[Path]], heads: Sequence[Path]) -> Moves:
        yield from ()
        together = [path for group in groups for path in group]
        few = len(leading(together, self._session.most_scored - 1)) == len(together)
        if self.given is not None or not few:
            return None
        law = self._weighed(Trie(together), EXACT)
        ends = np.cumsum([0, *map(len, groups)])
        index = self.sampler.choose(np.logaddexp.reduceat(law, ends[:-1]))
        self.pending.extend(heads[index])
        self.laws.add("one-step")
        return index

    def judge(self, texts: Sequence[Sequence[int]], verdict: int) -> Moves:
        yield from ()
        self.counts.choices += 1
        here = [*self._prefix, *self.pending]
        judged = [self._session.judge([*here, *text], verdict, self._call) for text in texts]
        for each in judged:
            self._count(each.prompt)
        # Of a text that is hardly accepted the server may tell no more than that.
        self.laws.add("exact" if all(each.exact for each in judged) else "local")
        return np.array([each.log_p for each in judged])

    def _weighed(self, trie: Trie, law: LookAhead) -> Floats:
        """Log probability of each choice, a request for each internal node."""
        self.counts.choices += 1
        edges = np.zeros(len(trie.edge_tokens))
        for node, path in enumerate([(), *node_paths(trie)]):
            (places,) = np.nonzero(trie.edge_nodes == node)
            edges[places] = self._scores(path, trie.edge_tokens[places].tolist())
        found = law.over(trie, edges)
        if law is EXACT and trie.nodes > 1:
            error = total_variation(found, LOCAL.over(trie, edges))
            self.mask_error = max(self.mask_error or 0.0, error)
        return found

    def _scores(self, path: Sequence[int], tokens: Sequence[int]) -> list[float]:
        scored = self._session.score([*self._prefix, *self.pending, *path], tokens, self._call)
        self._count(scored.prompt)
        return scored.log_ps

    def _told(self, trie: Trie) -> int:
        """The index of the choice that the server makes under a grammar."""
        self.counts.choices += 1
        tokens = self._ask(one_of(trie.sequences), max(map(len, trie.sequences)))
        for index, choice in enumerate(trie.sequences):
            if tuple(tokens[: len(choice)]) == choice and self._session.wire.is_blank(tokens[len(choice) :]):
                return index
        raise OutsideGrammarError(OUTSIDE)

    # -- text ----------------------------------------------------------------------------------------------------

    def text(self, machine: Machine, draft: Draft, *, quoted: bool = False) -> Moves:
        yield from ()
        written: list[int] = []
        state = machine.start
        if self.given is None:
            while not machine.closed(state) and (token := machine.tokens(state).single) is not None:
                self.force([token])
                state = machine.next(state, token)
                written.append(token)
        if not machine.closed(state):
            if self.given is None:
                grammar = self._session.grammar(machine, written)
                told = self._ask(grammar, self.left + ENDING)
            else:
                told = list(self.given)
            used, first, respelled = 0, state, False
            while used < len(told) and not machine.closed(state) and self.left > 0:
                after = machine.next(state, told[used])
                if after is None and not respelled:
                    # Text is spelled line by line here; a server's tokens may go beyond a line's end.
                    respelled, self.left = True, self.left + used
                    told, used, state = self._session.respelled(told), 0, first
                    continue
                if after is None:
                    raise OutsideGrammarError(OUTSIDE)
                self.left -= machine.tokens(state).single is None
                state = after
                used += 1
            written += told[:used]
            self.pending.extend(told[:used])
            if self.given is not None:
                self.given = deque(told[used:])
            elif machine.closed(state) and not self._session.wire.is_blank(told[used:]):
                raise OutsideGrammarError(OUTSIDE)
            self.looped = self.looped or (
                not quoted and any(loops(written[:end]) for end in range(EVERY, len(written) + 1, EVERY))
            )
            if not machine.closed(state):
                closing = machine.closing(state)
                self.force(closing)
                written += closing
                self.truncated = True
            self.truncated = self.truncated or self.looped
        draft.observe(written)
        return written

    # -- a whole program -------------------------------------------------------------------------------------------

    def fetch(self, grammar: TokenGrammar) -> None:
        """Have the server write everything that is left of the program; all that follows is read from it."""
        self.given = deque(self._ask(grammar, self.left + ENDING))

    def skip(self, tokens: Sequence[int]) -> None:
        """Tokens that come next in a program that was fetched, without being decided."""
        if self.given is None:
            return
        for token in tokens:
            if not self.given or self.given.popleft() != token:
                self.truncated = True
                return

    def _taken(self, choices: Sequence[Sequence[int]], law: LookAhead) -> int:
        """The index of the choice that the fetched program goes on with; the first where the program has ended too soon."""
        assert self.given is not None
        self.counts.choices += len(choices) > 1
        self.masked = self.masked or law is LOCAL
        if law is not LOCAL and len(choices) > 1:
            self.laws.add("local")
        for index, choice in enumerate(choices):
            if [token for token, _ in zip(self.given, choice, strict=False)] == list(choice):
                for _ in choice:
                    self.given.popleft()
                self.pending.extend(choice)
                return index
        longest = max(map(len, choices))
        if len(self.given) >= longest:
            raise OutsideGrammarError(OUTSIDE)
        self.truncated = True
        self.given.clear()
        self.pending.extend(choices[0])
        return 0

    # -- requests --------------------------------------------------------------------------------------------------

    def _ask(self, grammar: TokenGrammar, most: int) -> list[int]:
        answer = self._session.generate(
            [*self._prefix, *self.pending], grammar, most, self.sampler, self._call, self._seed
        )
        self._count(answer.prompt)
        self.counts.generated += answer.count
        return self._session.wire.read(answer)

    def _count(self, prompt: PromptTokens) -> None:
        """One more request, and what its prompt cost."""
        self.counts.forwards += 1
        self.counts.prefilled += prompt.computed
        self.counts.reused += prompt.reused
