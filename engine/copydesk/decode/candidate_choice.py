"""Decoding a request with candidates, none of which has to be the answer: the model takes one that it is sure of, or is unsure.

All candidates are weighed whole, in one forward, by the exact law; that nothing changes is one of them. Sums over many tokens lie
far apart, so the law is taken at a temperature at which its probabilities mean how often it is right. Knows the page and its
codec; nothing of what the candidates are for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from copydesk.decode.coroutine import Decided, Outcome, Steps
from copydesk.decode.program_choice import ProgramChoiceTask, spelled_runs
from copydesk.decode.program_decoder import ProgramDecoder
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.grammar.trie import Floats, Trie
from copydesk.program import Copy, Program
from copydesk.prompting.codec import Ids

MOST_NODES = 768
"""Tokens that one forward may weigh; the last candidates are left out for it."""
TEMPERATURE = 4.0
"""Of the law of candidates, as in their training."""
CONFIDENCE = 0.8
"""The least probability with which a candidate is taken."""
NAMED = 3
"""Candidates that are named where none is likely enough."""
LONGEST_TITLE = 60


@dataclass(slots=True)
class CandidateDecoder:
    """One decoder: `run()` is its conversation with the scheduler. task: the candidates, likeliest first. titles: what each does,
    in words. free: writes on the same page where there is nothing to choose from, or a copy puts its span into the context.
    take_likeliest: choose even where none is likely enough.
    """

    task: ProgramChoiceTask
    titles: Mapping[Program, str]
    emitter: TokenEmitter
    free: ProgramDecoder
    take_likeliest: bool = False

    def run(self) -> Steps:
        task, emitter = self.task, self.emitter
        emitter.pending.extend(task.request)
        spelled = self._spelled()
        if len(spelled) < 2:
            return (yield from self.free.behind_request())
        trie = Trie([*spelled])
        programs = [spelled[ids] for ids in trie.sequences]
        law = yield from emitter.weigh(trie)
        law = _tempered(law)
        unsure = bool(np.exp(law.max()) < CONFIDENCE)
        if unsure and not self.take_likeliest:
            return Outcome(None, refusal=self._unsure(programs, law), unsure=True)
        chosen = emitter.sampler.choose(law)
        emitter.pending.extend(trie.sequences[chosen])
        program = programs[chosen]
        yield Decided(program)
        for op in program.ops:
            if isinstance(op, Copy):
                emitter.counts.covered += sum(map(len, task.lines[op.start - 1 : op.end]))
        likelihood = emitter.sampler.log_likelihood
        return Outcome(program, exact=emitter.exact, log_likelihood=likelihood, unsure=unsure)

    def _unsure(self, programs: list[Program], law: Floats) -> str:
        likeliest = [programs[k] for k in np.argsort(-law)[:NAMED]]
        named = [_clipped(self.titles[program]) for program in likeliest if program in self.titles]
        return f"unsure what to change; the likeliest: {'; '.join(named)}"

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


def _tempered(law: Floats) -> Floats:
    scaled = law / TEMPERATURE
    found: Floats = scaled - np.logaddexp.reduce(scaled)
    return found


def _clipped(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"
