"""Decoding a request with candidates, none of which has to be the answer: the model takes one it is sure of, or writes its own.

All candidates are weighed whole, in one forward, by the exact law; that nothing changes is one of them. Knows the page and its
codec; nothing of what the candidates are for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from copydesk.decode.coroutine import Decided, Outcome, Steps
from copydesk.decode.program_choice import ProgramChoiceTask, spelled_runs
from copydesk.decode.program_decoder import ProgramDecoder
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.grammar.trie import Trie
from copydesk.program import Copy, Program
from copydesk.prompting.codec import Ids

MOST_NODES = 768
"""Tokens that one forward may weigh; the last candidates are left out for it."""
CONFIDENCE = 0.5
"""The least probability with which a candidate is taken."""


@dataclass(slots=True)
class CandidateDecoder:
    """One decoder: `run()` is its conversation with the scheduler. task: the candidates, likeliest first; where a copy puts its
    span into the context, none is weighed. free: writes what is no candidate, on the same page.
    """

    task: ProgramChoiceTask
    emitter: TokenEmitter
    free: ProgramDecoder

    def run(self) -> Steps:
        task, emitter = self.task, self.emitter
        emitter.pending.extend(task.request)
        spelled = self._spelled()
        if len(spelled) < 2:
            return (yield from self.free.behind_request())
        trie = Trie([*spelled])
        law = yield from emitter.weigh(trie)
        chosen = emitter.sampler.choose(law)
        if law[chosen] < math.log(CONFIDENCE):
            emitter.sampler.log_likelihood = 0.0
            return (yield from self.free.behind_request())
        emitter.pending.extend(trie.sequences[chosen])
        program = spelled[trie.sequences[chosen]]
        yield Decided(program)
        for op in program.ops:
            if isinstance(op, Copy):
                emitter.counts.covered += sum(map(len, task.lines[op.start - 1 : op.end]))
        return Outcome(program, exact=emitter.exact, log_likelihood=emitter.sampler.log_likelihood)

    def _spelled(self) -> dict[Ids, Program]:
        """The first candidates by their tokens, as many as one forward can weigh."""
        spelled: dict[Ids, Program] = {}
        nodes = set[Ids]()
        for program in self.task.programs:
            runs = spelled_runs(self.task, program)
            if len(runs) != 1:
                return {}
            ids = runs[0][0]
            nodes.update(ids[:k] for k in range(1, len(ids)))
            if len(nodes) > MOST_NODES:
                break
            spelled[ids] = program
        return spelled
