"""The laws that make the engine exact, on one model and real requests: warm = cold, drafts = no drafts, packed = alone, and what
is decoded is in the language.

Each request is decoded several ways on the editor's own path; tokens, programs and results must be the same. Two runs may part
only where the model is undecided to within rounding (`TIE`); these are counted apart. Knows laws; nothing of where requests come
from, nor of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import torch

from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.grammar.olds import Olds
from copydesk.models.feed import Feed
from copydesk.prompting.prompt import page_tokens
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.serving.plan import Plan, script_of
from copydesk.serving.reporting import LOOPED, SPENT
from copydesk_benchmarks.acceptor import Acceptor
from copydesk_benchmarks.llguidance_programs import ProgramChecker
from copydesk_benchmarks.traces import Trace, traced
from copydesk_benchmarks.unsettled import reach_through_edits

TIE = 1e-3
"""Natural logarithm of odds under which two ways count as equally likely, and the largest difference of logits that rounding in
fp32 may make: sums in another order differ by some 1e-5 of the largest logit a layer."""


@dataclass(slots=True)
class Law:
    """One law's record. ties: runs that parted at a choice closer than `TIE`. largest: the largest difference of logits, or the
    closest margin of a tie. broken: what broke it, in words.
    """

    name: str
    checked: int = 0
    ties: int = 0
    largest: float | None = None
    broken: list[str] = field(default_factory=list)

    def check_same(self, what: str, alone: Trace, other: Trace) -> None:
        """Count two runs of one request."""
        self.checked += 1
        if alone.same_outcome(other):
            return
        margin = alone.margin_at_parting(other)
        if margin <= TIE:
            self.ties += 1
            self.largest = max(self.largest or 0.0, margin)
        else:
            self.broken.append(f"{what}: parted at a choice with a margin of {margin:.2g}")

    def check_close(self, what: str, difference: float) -> None:
        """Count two sets of logits, by their largest difference."""
        self.checked += 1
        self.largest = max(self.largest or 0.0, difference)
        if not difference <= TIE:  # NaN too
            self.broken.append(f"{what}: logits differ by {difference:.2g}")


@dataclass(frozen=True, slots=True)
class Ask:
    """One request on one text. name: for messages. What the request says of sampling is not used."""

    name: str
    text: str
    request: EditRequest


@dataclass(slots=True)
class Totals:
    """What the checks covered. programs: those the model spelled op by op, of distinct requests; listed: those chosen from
    lists. unserved: requests no page or context can serve. reused, prefilled: page tokens found warm, and computed, in warm runs.
    tokens, masks: asked of llguidance, and states at which whole masks were compared.
    """

    programs: int = 0
    listed: int = 0
    unserved: int = 0
    truncated: int = 0
    reused: int = 0
    prefilled: int = 0
    generated: int = 0
    drafted: int = 0
    tokens: int = 0
    masks: int = 0
    phases: set[str] = field(default_factory=set)


class Laws:
    """Checks one model's requests round by round; `laws` and `totals` hold what was found so far."""

    def __init__(self, editor: Editor, rng: Random, *, max_tokens: int, masks: float = 0.2) -> None:
        """editor: without a warming thread, on a model that writes programs. masks: share of states whose masks are compared."""
        codec, tables = editor.loaded_model.codec, editor.loaded_model.tables
        assert codec is not None
        assert tables is not None
        self._editor, self._rng, self._max_tokens = editor, rng, max_tokens
        self._codec, self._bodies = codec, tables.bodies
        self._checker = ProgramChecker(codec, tables.bodies)
        self._compare: Callable[[], bool] = lambda: rng.random() < masks
        self.totals = Totals()
        self.logits = Law("warm = cold: logits of the request")
        self.cold = Law("warm = cold: programs")
        self.drafts = Law("drafts = no drafts: programs")
        self.packed = Law("packed = alone: programs")
        self.language = Law("llguidance accepts the program")
        self.laws = (self.logits, self.cold, self.drafts, self.packed, self.language)

    def check(self, asks: Sequence[Ask]) -> None:
        """One round: each request alone in every way, then all of them packed. Requests on the same text share its document."""
        documents: dict[str, Document] = {}
        served: list[tuple[Ask, Document, Plan, Trace]] = []
        try:
            for ask in asks:
                found = self._alone(ask, documents)
                if found is not None:
                    served.append((ask, *found))
            packed = self._run([(document, plan) for _, document, plan, _ in served], packed=True)
            for (ask, _, _, alone), together in zip(served, packed, strict=True):
                self.packed.check_same(ask.name, alone, together)
            self._editor.check_integrity()
        finally:
            for document in documents.values():
                document.close()

    def check_language(self, asks: Sequence[Ask]) -> None:
        """One round of the last law alone, several times as fast: each request is decoded once, all of them packed."""
        documents = {
            text: self._editor.open("example.py", text) for text in dict.fromkeys(ask.text for ask in asks)
        }
        try:
            made = [(ask, self._plan(documents[ask.text], ask)) for ask in asks]
            given = [(ask, documents[ask.text], plan) for ask, plan in made if plan is not None]
            traces = self._run([(document, plan) for _, document, plan in given], packed=True)
            for (ask, _, plan), trace in zip(given, traces, strict=True):
                self._served(ask, plan, trace)
        finally:
            for document in documents.values():
                document.close()

    def _alone(self, ask: Ask, documents: dict[str, Document]) -> tuple[Document, Plan, Trace] | None:
        if ask.text not in documents:
            line = _line_of(ask.request)
            documents[ask.text] = reach_through_edits(self._editor, "example.py", ask.text, line, self._rng)
        document = documents[ask.text]
        plan = self._plan(document, ask)
        if plan is None:
            return None
        (warm,) = self._run([(document, plan)])
        if not self._served(ask, plan, warm):
            return None
        (undrafted,) = self._run([(document, plan)], drafts=False)
        self.drafts.check_same(ask.name, warm, undrafted)
        warm_logits, cold_logits = prompt_logits(self._editor, document, plan)
        self.logits.check_close(ask.name, float((warm_logits - cold_logits).abs().max()))
        self._editor.cache.drop((document.id, plan.key))
        (cold,) = self._run([(document, plan)])
        assert cold.result is not None
        assert not cold.result.counts.reused
        self.cold.check_same(ask.name, warm, cold)
        return document, plan, warm

    def _plan(self, document: Document, ask: Ask) -> Plan | None:
        """None, and counted, where no page or context can serve the request."""
        try:
            return document.plan(
                replace(ask.request, temperature=0.0, candidates=1, max_tokens=self._max_tokens)
            )
        except CopydeskError:
            self.totals.unserved += 1
            return None

    def _run(
        self, given: Sequence[tuple[Document, Plan]], *, drafts: bool = True, packed: bool = False
    ) -> list[Trace]:
        """packed: all at once, or a few at a time with others joining as lanes become free."""
        runs = [(document, *traced(plan, drafts=drafts)) for document, plan in given]
        lanes = self._rng.choice((None, 2, 3)) if packed else None
        for index, event in self._editor.run_plans(
            [(document, own) for document, own, _ in runs], lanes=lanes
        ):
            if isinstance(event, EditResult):
                runs[index][2].result = event
        return [trace for _, _, trace in runs]

    def _served(self, ask: Ask, plan: Plan, trace: Trace) -> bool:
        """Count a program and check that it is in the language; False where there is none: the request could not be served, or
        was refused before the model was asked.
        """
        assert trace.result is not None
        if trace.result.status == "failed" or not (trace.tokens or trace.result.program):
            self.totals.unserved += 1
            return False
        self._count(trace.result, ask)
        written = trace.tokens
        if not written:
            # An instruction's edit was chosen by its description: its program is what the engine spells.
            assert trace.result.program is not None
            _, written = script_of(self._editor.loaded_model, plan, trace.result.program)
        lines = page_tokens(self._codec, plan.page).lines
        olds = Olds(self._codec, plan.page.views, lines)
        acceptor = Acceptor(self._codec, plan.rules, olds, self._bodies)
        found = self._checker.check(acceptor, lines, written, self._compare)
        self.totals.tokens += found.tokens
        self.totals.masks += found.masks
        self.totals.phases |= found.phases
        self.language.checked += 1
        if found.problem is not None:
            self.language.broken.append(f"{ask.name}: {found.problem}")
        return True

    def _count(self, result: EditResult, ask: Ask) -> None:
        totals, counts = self.totals, result.counts
        totals.listed += ask.request.narrow
        totals.programs += not ask.request.narrow
        totals.truncated += result.reason in (SPENT, LOOPED)
        totals.reused += counts.reused
        totals.prefilled += counts.prefilled
        totals.generated += counts.generated
        totals.drafted += counts.drafted


def prompt_logits(editor: Editor, document: Document, plan: Plan) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits [tokens of the request, vocabulary] of a plan's request: on the page as the cache holds it, the rest of it warmed
    first, and with everything computed anew in one forward.
    """
    model, start = editor.loaded_model.model, len(plan.prefix)
    asked = range(len(plan.asked))
    with editor.cache.acquire((document.id, plan.key), plan.prefix) as lease:
        for _ in editor.cache.warm(lease):
            pass
        positions = range(start, start + len(plan.asked))
        (warm,) = model.forward([Feed(lease.row, lease.owner, plan.asked, positions, None, asked)])
    row = model.new_row(start + len(plan.asked))
    whole = [*plan.prefix, *plan.asked]
    (cold,) = model.forward([Feed(row, 0, whole, range(len(whole)), None, range(start, len(whole)))])
    row.store.release()
    return warm, cold


def _line_of(request: EditRequest) -> int:
    """A 1-based line the request is about."""
    if request.scope:
        return max(1, request.scope[0][0])
    return request.diagnostics[0].lines[0] if request.diagnostics else 1
