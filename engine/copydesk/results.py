"""What an edit gives back: hunks while it is decided, then one result.

Plain values for whoever shows or applies them; knows no model and no protocol.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

from copydesk.decode.counts import Counts
from copydesk.decode.laws.law import LawName
from copydesk.errors import RequestError
from copydesk.program import Program
from copydesk.text.document import TextEdit

Status: TypeAlias = Literal["edited", "unchanged", "refused", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Hunk:
    """Edits that are final as far as the model goes, in coordinates of the version the request was made for.

    A preview: only the finished, checked result is applied.
    """

    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class Retraction:
    """The hunks shown so far will not be applied."""

    reason: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of several edits of which a person may take any.

    probability: from 0 to 1, under the result's `law`, among all edits there could be, those that are left out here included.
    program, edits: as in `EditResult`; the edits are empty where it changes nothing.
    reason: which check it failed, None where it passed them; `checked`: those it passed.
    """

    title: str
    probability: float
    program: Program
    edits: tuple[TextEdit, ...] = ()
    reason: str | None = None
    checked: tuple[str, ...] = ()


@dataclass(frozen=True)
class EditResult:
    """The outcome of one request.

    status:  edited, unchanged (an all-copy program is a final answer), refused (a check failed; nothing is to be applied),
             failed (the model or the cache could not serve it), cancelled.
    program: over the exact document, also when refused for what it says; None where there is none.
    edits:   minimal, ordered, non-overlapping, for version `version` of the document; empty unless edited.
    checked: which checks passed: "syntax" where the language has a parser and the document parsed before.
    exact:   every finite choice (span, name, candidate) was made by its exact law, given that there was one to make.
    law:     the weakest law of all that was chosen, each piece given what stands before it (`decode/laws`): `exact`; `one-step`
             where a choice was too large to be scored at once; `local`, the mask token by token, where the model wrote the
             program: which op comes next, and text, are chosen so.
    mask_error: the most by which the local mask would have been off in a choice of several tokens that was made exactly: total
             variation, from 0 to 1; None where there was none.
    ms:      wall time in milliseconds: prefill, decode, total.
    unsure:  the model's probability was below its threshold: refused for that, or taken because the request said so.
    confidence: the probability of the program among those the model chose from, from 0 to 1; None where it did not choose so.
    alternatives: of an unsure result, and where the request asks for `candidates`: the likeliest edits, the likeliest first, no
             two alike; the result is the first of them that passes its checks. Empty where there is one edit alone.
    known_fix: the edit is one that the quick fixes know for the request's findings; the model may have chosen among several.
    """

    status: Status
    before: str = field(repr=False)
    version: int = 0
    program: Program | None = None
    edits: tuple[TextEdit, ...] = ()
    reason: str | None = None
    checked: tuple[str, ...] = ()
    exact: bool = True
    law: LawName = "exact"
    log_likelihood: float = 0.0
    counts: Counts = field(default_factory=Counts)
    ms: dict[str, float] = field(default_factory=dict)
    unsure: bool = False
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    mask_error: float | None = None
    known_fix: bool = False

    def taken(self, number: int) -> EditResult:
        """The result as a person has it who takes alternative `number`, counted from 1: nothing is unsure about it any more, and
        it is refused where a check refuses it. Raises RequestError where there is no such alternative.
        """
        if not 1 <= number <= len(self.alternatives):
            if not self.alternatives:
                raise RequestError("there are no alternatives to take: the model is not unsure")
            count = len(self.alternatives)
            raise RequestError(f"there is no alternative {number}: the model offers {count}")
        chosen = self.alternatives[number - 1]
        refused = chosen.reason is not None
        return replace(
            self,
            status="refused" if refused else "edited" if chosen.edits else "unchanged",
            program=chosen.program,
            edits=() if refused else chosen.edits,
            reason=chosen.reason,
            checked=chosen.checked,
            unsure=False,
            confidence=chosen.probability,
            known_fix=False,
        )

    @cached_property
    def text(self) -> str:
        """The edited text; the document's own where nothing is to be applied."""
        if self.status != "edited" or self.program is None:
            return self.before
        return self.program.resolve(self.before)


Event: TypeAlias = Hunk | Retraction | EditResult
