"""The three moves every decoder is made of: write what is forced, choose among finitely many, write text with a draft.

Tokens that are decided but not yet forwarded wait in `pending`; they ride along with the next forward that is needed
anyway, so literals cost nothing of their own. Continuations fed ahead of their time answer later questions
(`lookahead.py`). Works on automata and tries, not on ops or pages.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import torch

from copydesk.decode.coroutine import Ask, Decided, Lane
from copydesk.decode.counts import Counts
from copydesk.decode.drafts import Draft
from copydesk.decode.lookahead import Lookahead, Path, Tree
from copydesk.decode.repetition import loops
from copydesk.decode.sampling import Sampler, TokenSet
from copydesk.decode.text_automata import Machine
from copydesk.grammar.trie import MAX_NODES, Floats, Trie

MAX_FORCED = 4096
"""Tokens of one text that a grammar may force; more are taken for a grammar that never ends."""
ROWS_AT_ONCE = 8
"""Logits that are exponentiated at a time: they stay in the processor's cache, and a large tree's are not there twice."""

Moves = Generator[Ask | Decided, torch.Tensor, Any]


class TokenEmitter:
    """Writes one decoder's tokens on its lane."""

    def __init__(self, lane: Lane, sampler: Sampler, counts: Counts, max_tokens: int) -> None:
        self.lane = lane
        self.sampler = sampler
        self.counts = counts
        self.left = max_tokens
        self.truncated = False
        self.looped = False
        self.exact = True
        self.max_nodes = MAX_NODES
        self.pending: list[int] = []
        self._ahead: Lookahead | None = None

    def force(self, tokens: Sequence[int]) -> None:
        """Write tokens that are not chosen."""
        self.pending.extend(tokens)
        self.counts.forced += len(tokens)

    # -- forwards ------------------------------------------------------------------------------------------------

    def _logits(self, paths: Sequence[Path], ahead: Sequence[Sequence[int]] = ()) -> Moves:
        """Logits [len(paths), vocabulary] behind what is pending plus each of `paths`, from the lookahead if it has them, else
        from one forward that feeds `ahead` along.
        """
        found = self._known(paths)
        if found is not None:
            return found
        self._settle()
        tree = Tree([*paths, *ahead])
        base = len(self.pending)
        parents = None
        if len(tree):
            parents = [
                *range(-1, base - 1),
                *(base + parent if parent >= 0 else base - 1 for parent in tree.parents),
            ]
        answer = yield Ask([*self.pending, *tree.tokens], range(base - 1, base + len(tree)), parents)
        self.counts.forwards += 1
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
        self, choices: Sequence[Sequence[int]], *, local: bool = False, ahead: Sequence[Sequence[int]] = ()
    ) -> Generator[Any, Any, int]:
        """Write one of `choices` (prefix-free token sequences) and return its index.

        The distribution is exact: P(choice) is the product of the model's own probabilities along its tokens, normalised over the
        choices, from one forward with a tree mask (future validity Φ, arXiv 2605.07698 on a finite language). `local`
        asks for the local mask instead, token by token along the same tree; above `MAX_NODES` nodes it is used anyway
        and the emitter is no longer `exact`. `ahead` are continuations worth feeding along.
        """
        if len(choices) == 1:
            self.force(choices[0])
            return 0
        shared = _common_prefix(choices)
        self.force(choices[0][:shared])
        trie = Trie([choice[shared:] for choice in choices])
        if trie.nodes > self.max_nodes:
            self.counts.choices += 1
            self.exact = self.exact and local
            return (yield from self._walk(trie))
        law = yield from self.weigh(trie, local=local, ahead=[path[shared:] for path in ahead])
        index = self.sampler.choose(law)
        self.pending.extend(trie.sequences[index])
        return index

    def weigh(
        self, trie: Trie, *, local: bool = False, ahead: Sequence[Sequence[int]] = ()
    ) -> Generator[Any, Any, Floats]:
        """Log probability of each choice, from one forward; nothing is written. See `choose`."""
        self.counts.choices += 1
        logits = yield from self._logits([(), *_node_paths(trie)], ahead)
        return self.law(trie, edge_log_probabilities(trie, logits), local=local)

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
        self.lane.keep(range(base))
        self.pending = []
        return judged(logits, verdict)

    def law(self, trie: Trie, edges: Floats, *, local: bool) -> Floats:
        """Log probability of each choice: what a choice is made by."""
        return trie.local_law(edges) if local else trie.law(edges)

    def _walk(self, trie: Trie) -> Generator[Any, Any, int]:
        """Token by token under the local mask, for tries too large for one forward."""
        alive = list(range(len(trie)))
        depth = 0
        while True:
            children = sorted({trie.sequences[index][depth] for index in alive})
            if len(children) == 1:
                token = children[0]
                self.force([token])
            else:
                logits = yield from self._logits([()])
                token = self.sampler.token(logits[0], TokenSet(allow=children))
                self.pending.append(token)
            alive = [index for index in alive if trie.sequences[index][depth] == token]
            depth += 1
            if len(alive) == 1 and len(trie.sequences[alive[0]]) == depth:
                return alive[0]

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


def _common_prefix(choices: Sequence[Sequence[int]]) -> int:
    first, last = min(map(tuple, choices)), max(map(tuple, choices))
    for k, (a, b) in enumerate(zip(first, last, strict=False)):
        if a != b:
            return k
    return min(len(first), len(last))


def edge_log_probabilities(trie: Trie, logits: torch.Tensor) -> Floats:
    """The model's own log probability of every edge, gathered where the logits are. logits: [nodes, vocabulary]."""
    nodes = torch.from_numpy(trie.edge_nodes).to(logits.device)
    tokens = torch.from_numpy(trie.edge_tokens).to(logits.device)
    together = ROWS_AT_ONCE if logits.device.type == "cpu" else len(logits)
    total = torch.cat([_log_sum_exp(rows) for rows in logits.split(together)])
    edges: Floats = (logits[nodes, tokens].double() - total[nodes]).cpu().numpy()
    return edges


def judged(logits: torch.Tensor, token: int) -> Floats:
    """Log probability of a token: float64 [n] of float32 [n, vocabulary]."""
    found: Floats = (logits[:, token].double() - _log_sum_exp(logits)).cpu().numpy()
    return found


def _log_sum_exp(rows: torch.Tensor) -> torch.Tensor:
    """float64 [n] of float32 [n, vocabulary]: numbers are as exact as they came, and added up as float64."""
    most = rows.amax(-1, keepdim=True)
    return (rows - most).exp_().sum(-1, dtype=torch.float64).log_() + most[:, 0]


def _node_paths(trie: Trie) -> list[Path]:
    """The token path to every internal node but the root, in the trie's order."""
    paths: list[Path] = []
    for parent, token in zip(trie.parents, trie.tokens, strict=True):
        paths.append((paths[parent] if parent >= 0 else ()) + (token,))
    return paths
