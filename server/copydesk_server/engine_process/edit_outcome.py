"""What an edit came to: as the engine answers, and then as the edit service has moved it, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from copydesk.request import Range
from copydesk.text.document import TextEdit
from copydesk_server.applicability import Applicability

if TYPE_CHECKING:
    from copydesk.decode.laws.law import LawName
    from copydesk_server.verification import Verdict

Status: TypeAlias = Literal["edited", "unchanged", "refused", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class EditAlternative:
    """One of several edits of which the person may take any. probability: from 0 to 1, as in `copydesk.results.Alternative`.

    edits: as those of the outcome; empty where it changes nothing, or where the verdict is "refused", for the reason named.
    """

    title: str
    probability: float
    edits: tuple[TextEdit, ...] = ()
    program: str | None = None
    reason: str | None = None
    checked: tuple[str, ...] = ()
    verdict: Verdict = "unchanged"
    applicability: Applicability = "safe"


@dataclass(frozen=True)
class EditOutcome:
    """`edits` are for version `version`, within `scope`, in the client's encoding; empty unless `status` is edited.

    checked: the checks that passed: the engine's, and once it is verified those of the verification.
    unsure: the model's probability was below its threshold. lost: the child died or was replaced, so that one more try is worth
    it.
    verdict: of the version that was verified; changes elsewhere do not affect it. "refused" and "unsure" go with the status
    refused. applicability: unsafe where the code may mean something else after it.
    base_version: what `program` is for; 0 where the engine was not asked. before: its lines, once they are known.
    exact, law, known_fix: as in `EditResult`.
    confidence: the probability of the edit among those the model chose from; None where it did not choose so.
    alternatives: of an unsure outcome, or where candidates were asked for, the likeliest first; each with a verdict of its own.
    """

    status: Status
    reason: str | None
    version: int
    edits: tuple[TextEdit, ...] = ()
    program: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    ms: dict[str, float] = field(default_factory=dict)
    checked: tuple[str, ...] = ()
    exact: bool = True
    unsure: bool = False
    log_likelihood: float = 0.0
    lost: bool = False
    scope: tuple[Range, ...] = ()
    verdict: Verdict = "unchanged"
    applicability: Applicability = "safe"
    base_version: int = 0
    before: tuple[str, ...] | None = None
    confidence: float | None = None
    alternatives: tuple[EditAlternative, ...] = ()
    law: LawName = "exact"
    known_fix: bool = False

    @property
    def by_model(self) -> bool:
        """Whether a model wrote some of the text, or chose the edit among several: another might have answered otherwise."""
        return self.confidence is not None or any(
            self.counts.get(name) for name in ("generated", "drafted", "choices")
        )

    def taken(self, chosen: EditAlternative) -> EditOutcome:
        """The outcome as a person has it who takes one of its alternatives that has edits."""
        return replace(
            self,
            status="edited",
            reason=chosen.reason,
            edits=chosen.edits,
            program=chosen.program,
            checked=chosen.checked,
            unsure=False,
            verdict=chosen.verdict,
            applicability=chosen.applicability,
            confidence=chosen.probability,
            alternatives=(),
        )
