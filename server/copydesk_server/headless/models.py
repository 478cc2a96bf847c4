"""What is asked of a file and what came of it: the words task, judging, run and report have in common.

Data alone; knows nothing of how fixes are decoded or judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from copydesk.decode.counts import Counts
from copydesk.decode.laws.law import LawName
from copydesk.program import Program
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.results import Alternative, EditResult
from copydesk.text.document import TextEdit
from copydesk_server.applicability import Applicability
from copydesk_server.project_imports import Projects
from copydesk_server.ruff import RememberingRuff, Ruff
from copydesk_server.verification import Judgement, Verdict

FileStatus = Literal["edited", "unchanged", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How fixes are judged and found.

    select: the rules asked about. lint: ruff says what is to be fixed, also what shows only when something else is mended.
    counted: selectors of ruff's rules under which what is new speaks against a fix; None: those the configuration names.
    taken: verdicts of the edits that are applied, and unsafe: whether those are, too, that may change what the code means.
    projects: how the projects of the files import names. schemas: JSON is held to the schema of its name.
    """

    ruff: Ruff | None
    select: str | None = None
    lint: bool = False
    counted: tuple[str, ...] | None = None
    taken: frozenset[Verdict] = frozenset({"confirmed"})
    unsafe: bool = False
    projects: Projects | None = None
    schemas: bool = True

    @property
    def extend(self) -> tuple[str, ...]:
        """`select` as a list."""
        return tuple(filter(None, (rule.strip() for rule in (self.select or "").split(","))))

    def takes(self, judgement: Judgement) -> bool:
        """Whether an edit judged so is applied."""
        return judgement.verdict in self.taken and (self.unsafe or judgement.applicability == "safe")

    def request(self, diagnostic: Diagnostic, seed: int = 0) -> EditRequest:
        """What is asked about a finding."""
        return EditRequest(diagnostics=[diagnostic], seed=seed, take_likeliest="unsure" in self.taken)

    def of_a_file(self) -> Rules:
        """The same, with a memory of what ruff said of one file's texts."""
        return (
            replace(self, ruff=RememberingRuff(self.ruff.program, self.ruff.fixes, self.ruff.isolated))
            if self.ruff is not None
            else self
        )


@dataclass(slots=True, eq=False)
class Fix:
    """One thing asked and what came of it. edits: utf-16, for the text its round began with (round 1: the file as read).

    gone: nothing is left to do, another fix took the finding away. law, confidence, alternatives, known_fix: as in `EditResult`.
    """

    request: EditRequest
    round: int = 0
    scope: tuple[Range, ...] = ()
    judgement: Judgement | None = None
    applied: bool = False
    gone: bool = False
    edits: tuple[TextEdit, ...] = ()
    program: Program | None = None
    counts: Counts = field(default_factory=Counts)
    result: EditResult | None = field(default=None, repr=False)
    law: LawName = "exact"
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    known_fix: bool = False

    @property
    def diagnostic(self) -> Diagnostic | None:
        return self.request.diagnostics[0] if self.request.diagnostics else None

    @property
    def idle(self) -> bool:
        """Whether it is an instruction that nothing was done about."""
        return self.diagnostic is None and self.verdict == "unchanged"

    @property
    def applicability(self) -> Applicability:
        return self.judgement.applicability if self.judgement is not None else "safe"

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict if self.judgement is not None else "refused"
