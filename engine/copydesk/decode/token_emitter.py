"""The three moves every decoder is made of: write what is forced, choose among finitely many, write text with a draft.

Tokens that are decided but not yet forwarded wait in `pending`; they ride along with the next forward that is needed
anyway, so literals cost nothing of their own. Continuations fed ahead of their time answer later questions
(`lookahead.py`). Works on automata and tries, not on ops or pages.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import torch

from copydesk.decode.coroutine import Ask, Decided, Lane
from copydesk.decode.counts import Counts
from copydesk.decode.drafts import Draft
from copydesk.decode.emitter import Emitter, common_prefix, node_paths
from copydesk.decode.laws.law import (
    Asking,
    Language,
    Law,
    LawName,
    NextToken,
    Words,
    total_variation,
)
from copydesk.decode.laws.look_ahead import EXACT, LOCAL, LookAhead
from copydesk.decode.log_probabilities import edge_log_probabilities, judged
from copydesk.decode.lookahead import Lookahead, Path, Tree, leading
from copydesk.decode.repetition import loops
from copydesk.decode.sampling import Sampler, TokenSet
from copydesk.decode.text_automata import Machine
from copydesk.grammar.trie import Floats, Trie

MAX_FORCED = 4096
"""Tokens of one text that a grammar may force; more are taken for a grammar that never ends."""

Moves = Generator[Ask | Decided, torch.Tensor, Any]


class TokenEmitter(Emitter):
    """Writes one decoder's tokens on its lane."""

    def __init__(self, lane: Lane, sampler: Sampler, counts: Counts, max_tokens: int) -> None:
        super().__init__(sampler, counts, max_tokens)
        self.lane = lane
        self._ahead: Lookahead | None = None

    # -- forwards ------------------------------------------------------------------------------------------------

    def _logits(self, paths: Sequence[Path], ahead: Sequence[Sequence[int]] = ()) -> Moves:
        """Logits [len(paths), vocabulary] behind what is pending plus each of `paths`, from the lookahead if it has them, else
        from one forward that feeds `ahead` along.
        """
        found = self._known(paths)
        if found is not None:
            return found
        root = self._known([()]) if not self.pending else None  # asked about again, with more behind it
        self._settle()
        tree = Tree([*paths, *ahead])
        base = len(self.pending)
        parents = None
        if len(tree):
            parents = [
                *range(-1, base - 1),
                *(base + parent if parent >= 0 else base - 1 for parent in tree.parents),
            ]
        answer = yield Ask([*self.pending, *tree.tokens], range(max(0, base - 1), base + len(tree)), parents)
        self.counts.forwards += 1
        if root is not None:
            answer = torch.cat([root, answer])
        self.pending = []
        self._ahead = Lookahead(tree, base, answer)
        return self._ahead.rows(paths)

    def _known(self, paths: Sequence[Path]) -> torch.Tensor | None:
        if self._ahead is None:
            return None
        here = tuple(self.pending)
        return self._ahead.rows([here + path for path in paths])

    def _settle(self) -> None:
        """Keep of the last tree what was taken; at least one token stays pending, so that the next forward has a root."""
        if self._ahead is None:
            return
        kept, held = self._ahead.survivors(self.pending[:-1])
        self.lane.keep(kept)
        self.pending = self.pending[held:]
        self._ahead = None

    # -- finite choices ------------------------------------------------------------------------------------------

    def choose(
        self, choices: Sequence[Sequence[int]], *, law: LookAhead = EXACT, ahead: Sequence[Sequence[int]] = ()
    ) -> Generator[Any, Any, int]:
        """Write one of `choices` (prefix-free token sequences, likeliest first where that is known) and return its index.

        One forward with a tree mask scores them all, and one is drawn by `law` as a whole. By the exact law P(choice) is the
        product of the model's own probabilities along its tokens, normalised over the choices (arXiv 2605.07698).
        Above `max_nodes` nodes it is written token by token, each corrected by as many steps ahead as a forward can show.
        `ahead` are continuations worth feeding along.
        """
        if len(choices) == 1:
            self.force(choices[0])
            return 0
        shared = common_prefix(choices)
        self.force(choices[0][:shared])
        trie = Trie([choice[shared:] for choice in choices])
        index: int | None
        if trie.nodes > self.max_nodes:
            self.counts.choices += 1
            words, most = trie.sequences, LookAhead(law.steps, most=self.max_nodes)
            likely = sorted(words, key=lambda word: -common_prefix((word, words[0])))
            written, laws = yield from self.follow(Words(words), most, likely)
            index = words.index(tuple(written))
        else:
            laws = {law.name}
            index = self._scripted()
            if index is None:
                weighed = yield from self.weigh(trie, law, [path[shared:] for path in ahead])
                index = self.sampler.choose(weighed)
            self.pending.extend(trie.sequences[index])
        if law is LOCAL:
            self.masked = True
        else:
            self.laws |= laws
        return index

    def choose_head(
        self, groups: Sequence[Sequence[Path]], heads: Sequence[Path]
    ) -> Generator[Any, Any, int | None]:
        """Write one of `heads`, each as likely as the choices of its group together, which all begin with it, and return its
        index; None, with nothing written, where these are too many for one forward.
        """
        together = [path for group in groups for path in group]
        if len(leading(together, self.max_nodes - 1)) < len(together):
            return None
        index = self._scripted()
        if index is None:
            law = yield from self.weigh(Trie(together))
            ends = np.cumsum([0, *map(len, groups)])
            index = self.sampler.choose(np.logaddexp.reduceat(law, ends[:-1]))
        self.pending.extend(heads[index])
        self.laws.add("one-step")
        return index

    def _scripted(self) -> int | None:
        """A choice that is made already."""
        index = self.sampler.scripted()
        self.counts.choices += index is not None
        return index

    def follow(
        self, language: Language, law: Law, likely: Sequence[Path] = ()
    ) -> Generator[Any, Any, tuple[list[int], set[LawName]]]:
        """Write a string of `language` token by token, each drawn by `law`; return it and the laws the tokens were drawn by.

        likely: strings that are fed along with what the law asks first, as many as have room. They are a draft: a token is drawn
        by its law whatever was guessed, and costs no forward where it was guessed right.
        """
        written: list[int] = []
        laws = set[LawName]()
        state = language.start
        while not language.closed(state):
            single = language.tokens(state).single
            if single is not None:
                self.force([single])
                token = single
            else:
                ids, scripted = language.tokens(state).ids, self.sampler.scripted()
                if scripted is None:
                    found = yield from self._answered(law.next(language, state), () if written else likely)
                    laws.add(found.law)
                place = self.sampler.choose(found.log_p) if scripted is None else scripted
                token = place if ids is None else int(ids[place])
                self.pending.append(token)
            written.append(token)
            state = language.next(state, token)
        return written, laws

    def _answered(
        self, asking: Asking[NextToken], likely: Sequence[Path] = ()
    ) -> Generator[Any, Any, NextToken]:
        """What a law comes to, its questions answered."""
        try:
            paths = next(asking)
            while True:
                room = leading([*((*path, 0) for path in paths), *likely], self.max_nodes - 1)
                ahead = [word[:-1] for word in room[len(paths) :]]
                paths = asking.send((yield from self._logits(paths, ahead)))
        except StopIteration as finished:
            answer: NextToken = finished.value
            return answer

    def weigh(
        self, trie: Trie, law: LookAhead = EXACT, ahead: Sequence[Sequence[int]] = ()
    ) -> Generator[Any, Any, Floats]:
        """Log probability of each choice, from one forward; nothing is written. See `choose`."""
        self.counts.choices += 1
        logits = yield from self._logits([(), *node_paths(trie)], ahead)
        edges = edge_log_probabilities(trie, logits)
        found = self.over(trie, edges, law)
        if law is EXACT and trie.nodes > 1:  # of one token each the two laws are the same
            self.mask_error = max(self.mask_error or 0.0, total_variation(found, LOCAL.over(trie, edges)))
        return found

    def over(self, trie: Trie, edges: Floats, law: LookAhead) -> Floats:
        """Log probability of each choice by those of the trie's edges."""
        return law.over(trie, edges)

    def judge(self, texts: Sequence[Sequence[int]], verdict: int) -> Generator[Any, Any, Floats]:
        """Log probability of the token `verdict` behind each text, from one forward; nothing is written."""
        self._settle()
        tree = Tree([tuple(text) for text in texts])
        base = len(self.pending)
        parents = [*range(-1, base - 1), *(base + p if p >= 0 else base - 1 for p in tree.parents)]
        outputs = [base + tree.index[tuple(text)] for text in texts]
        logits = yield Ask([*self.pending, *tree.tokens], outputs, parents)
        self.counts.forwards += 1
        self.counts.choices += 1
        self.laws.add("exact")
        self.lane.keep(range(base))
        self.pending = []
        return judged(logits, verdict)

    # -- text ----------------------------------------------------------------------------------------------------

    def text(self, machine: Machine, draft: Draft, *, quoted: bool = False) -> Generator[Any, Any, list[int]]:
        """Write a text of `machine`'s language up to its closing literal, and return its tokens, literal included.

        It is closed by force where the budget is spent, or the model repeats itself; `quoted` text may repeat.

        Greedy output equals plain greedy decoding under the same machine token for token, sampled output has its distribution:
        the draft only saves forwards.
        """
        written: list[int] = []
        state = machine.start
        forced = 0
        while not machine.closed(state):
            allowed = machine.tokens(state)
            # A grammar may force text without end.
            if allowed.single is not None and forced < MAX_FORCED:
                forced += 1
                token = allowed.single
                self.force([token])
                state = machine.next(state, token)
                written.append(token)
                draft.observe([token])
                continue
            self.looped = self.looped or (not quoted and loops(written))
            if self.left <= 0 or forced >= MAX_FORCED or self.looped:
                closing = machine.closing(state)
                self.truncated = True
                self.force(closing)
                written += closing
                break
            scripted = self.sampler.scripted()
            if scripted is not None:
                self.pending.append(scripted)
                self.counts.drafted += 1
                self.left -= 1
                state = machine.next(state, scripted)
                written.append(scripted)
                draft.observe([scripted])
                continue
            # Where the lookahead has the logits already, a draft would cost the forward it is meant to save.
            drafted = () if self._known([()]) is not None else draft.propose()
            proposed, states, sets = self._proposal(machine, state, allowed, drafted, written)
            fresh, accepted = yield from self.verified(proposed, sets)
            draft.judged(len(proposed), accepted)
            draft.observe(fresh)
            state = machine.next(states[accepted], fresh[-1])
            written += fresh
        return written

    def verified(
        self, proposed: Sequence[int], sets: Sequence[TokenSet]
    ) -> Generator[Any, Any, tuple[list[int], int]]:
        """Forward what is pending with a draft behind it; return the tokens written (the draft's accepted ones and one of the
        model's own) and how many were accepted. `sets[k]` is what may follow the first k proposed tokens.
        """
        known = self._known([()])
        if known is not None:
            logits, proposed = known, ()
        else:
            self._settle()
            logits = yield Ask(
                [*self.pending, *proposed], range(len(self.pending) - 1, len(self.pending) + len(proposed))
            )
            self.counts.forwards += 1
        accepted = 0
        while accepted < len(proposed):
            token = self.sampler.verify(logits[accepted], sets[accepted], proposed[accepted])
            if token != proposed[accepted]:
                break
            accepted += 1
        else:
            token = self.sampler.token(logits[accepted], sets[accepted])
        if known is None:
            self.lane.keep(range(len(self.pending) + accepted))
            self.pending = []
        self.pending.append(token)
        # Where only one token may come, none was chosen: so drafts change neither counts nor the budget's end.
        chosen = sum(sets[k].single is None for k in range(accepted))
        last = sets[accepted].single is None
        self.counts.drafted += chosen
        self.counts.generated += last
        self.counts.forced += accepted + 1 - chosen - last
        self.left -= chosen + last
        return [*proposed[:accepted], token], accepted

    def _proposal(
        self, machine: Machine, state: Any, allowed: TokenSet, drafted: Sequence[int], written: Sequence[int]
    ) -> tuple[list[int], list[Any], list[TokenSet]]:
        """Drafted tokens as far as the language allows them, with the state and the set before each and after the last."""
        proposed: list[int] = []
        states, sets = [state], [allowed]
        room = self.left - 1
        for token in drafted:
            room -= sets[-1].single is None
            if room < 0:
                break
            after = machine.next(states[-1], token)
            if after is None or machine.closed(after) or loops(written, [*proposed, token]):
                break
            proposed.append(token)
            states.append(after)
            sets.append(machine.tokens(after))
        return proposed, states, sets
