"""What an edit came to: as the engine answers, and then as the edit service has moved it, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from copydesk.request import Range
from copydesk.text.document import TextEdit
from copydesk_server.applicability import Applicability

if TYPE_CHECKING:
    from copydesk_server.verification import Verdict

Status: TypeAlias = Literal["edited", "unchanged", "refused", "failed", "cancelled"]


@dataclass(frozen=True)
class EditOutcome:
    """`edits` are for version `version`, within `scope`, in the client's encoding; empty unless `status` is edited.

    checked: the checks that passed: the engine's, and once it is verified those of the verification.
    unsure: the model's probability was below its threshold. lost: the child died or was replaced, so that one more try is worth
    it.
    verdict: of the version that was verified; changes elsewhere do not affect it. "refused" and "unsure" go with the status
    refused. applicability: unsafe where the code may mean something else after it.
    base_version: what `program` is for; 0 where the engine was not asked. before: its lines, once they are known.
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
