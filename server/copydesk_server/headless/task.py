"""One file on its way: what is asked of it, round by round, and what came of it.

Fixes whose scopes do not touch go together; the others wait for the next round, on the changed text, and are never merged. Each
fix is judged on its own and then together with the rest; what makes things worse is dropped. Knows documents, verdicts and ruff;
nothing of batches, and it writes nothing.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from copydesk.decode.counts import Counts
from copydesk.document import TextEdit, TextLines, apply_edits
from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError, DocumentError
from copydesk.program import Program
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.results import EditResult
from copydesk.scope import resolve_scope
from copydesk.syntax import parse
from copydesk_server.errors import RuffError
from copydesk_server.headless.changes import Changes, moved
from copydesk_server.headless.pieces import join
from copydesk_server.headless.source import Source
from copydesk_server.judge import Judgement, Verdict, finding, judge_all
from copydesk_server.ruff import Ruff, is_ruff

ROUNDS = 24
"""Of one file; what still waits then is left."""
FileStatus = Literal["edited", "unchanged", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How fixes are judged and found.

    rules: ruff's rules besides those its configuration names. select: the rules asked about. lint: ruff says what is to be fixed,
    also what shows only when something else is mended. unverified: what nothing proves is applied too.
    """

    ruff: Ruff | None
    select: str | None = None
    lint: bool = False
    unverified: bool = False

    @property
    def extend(self) -> tuple[str, ...]:
        return tuple(filter(None, (rule.strip() for rule in (self.select or "").split(","))))


@dataclass(slots=True, eq=False)
class Fix:
    """One thing asked and what came of it. edits: utf-16, for the text its round began with (round 1: the file as read)."""

    request: EditRequest
    round: int = 0
    scope: tuple[Range, ...] = ()
    judgement: Judgement | None = None
    applied: bool = False
    edits: tuple[TextEdit, ...] = ()
    program: Program | None = None
    counts: Counts = field(default_factory=Counts)
    _result: EditResult | None = field(default=None, repr=False)

    @property
    def diagnostic(self) -> Diagnostic | None:
        return self.request.diagnostics[0] if self.request.diagnostics else None

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict if self.judgement is not None else "refused"


class FileTask:
    """A file and what is asked of it. `ready` are the requests to decode now; `answer` takes their results."""

    def __init__(
        self, source: Source, language: str, requests: Sequence[EditRequest], rules: Rules, editor: Editor
    ) -> None:
        self.source = source
        self.language = language
        self.rules = rules
        self.changes = Changes(source.text)
        self.fixes = [Fix(request) for request in requests]
        self.programs: list[tuple[str, Program]] = []
        self.ms = dict.fromkeys(("load", "prefill", "decode", "total"), 0.0)
        self.ready: deque[Fix] = deque()
        self._editor = editor
        self._document: Document | None = None
        self._waiting = list(self.fixes)
        self._flight: list[Fix] = []
        self._round = 0
        self._left = 0
        self._started = time.perf_counter()
        self._begin_round()

    @property
    def done(self) -> bool:
        return not self.ready and not self._left

    @property
    def document(self) -> Document:
        if self._document is None:
            self._document = self._editor.open(
                str(self.source.path), self.changes.text, language=self.language
            )
        return self._document

    @property
    def status(self) -> FileStatus:
        if any(fix.applied for fix in self.fixes):
            return "edited"
        asked = [fix for fix in self.fixes if fix.judgement is not None]
        if any(fix.verdict != "verified" for fix in asked):
            return "refused"
        return "unchanged"

    @property
    def counts(self) -> Counts:
        total = Counts()
        for fix in self.fixes:
            total += fix.counts
        return total

    def close(self) -> None:
        """Free what the model holds of it."""
        if self._document is not None:
            self._document.close()
            self._document = None
        self.ms["total"] = (time.perf_counter() - self._started) * 1e3

    # -- rounds --------------------------------------------------------------------------------------------------

    def _begin_round(self) -> None:
        """Take as many of those waiting as do not touch each other."""
        while self._waiting and not self.ready:
            self._round += 1
            if self._round > ROUNDS:
                self._give_up(self._waiting, f"it still waited after {ROUNDS} rounds")
                return
            lines = self.document.lines.lines
            tree = parse(lines, self.language)
            taken: list[Range] = []
            later: list[Fix] = []
            for fix in self._waiting:
                try:
                    header = self._editor.toolkit.format.header_lines
                    scope = resolve_scope(lines, fix.request, self.language, header, tree)
                except CopydeskError as error:
                    self._give_up([fix], str(error))
                    continue
                if any(_touch(one, other) for one in scope for other in taken):
                    later.append(fix)
                    continue
                taken += scope
                fix.scope, fix.round = tuple(scope), self._round
                self.ready.append(fix)
            self._waiting = later
        self._flight = list(self.ready)
        self._left = len(self._flight)

    def answer(self, fix: Fix, result: EditResult) -> None:
        """A request's result. With the last of a round it is judged, and the next round begins."""
        fix._result = result
        fix.counts, fix.program = result.counts, result.program
        for key in ("prefill", "decode"):
            self.ms[key] += result.ms.get(key, 0.0)
        self._left -= 1
        if not self._left:
            self._settle()
            self._begin_round()

    def _settle(self) -> None:
        text = self.changes.text
        found = self._findings(text) if any(_by_ruff(fix) for fix in self._flight) else None
        kept: list[Fix] = []
        for fix in self._flight:
            result, fix._result = fix._result, None
            assert result is not None
            if result.status == "edited":
                fix.edits = result.edits
                fix.judgement = self._judge(text, result.text, [fix], found, result.checked)
            elif result.status == "unchanged" and fix.diagnostic is None:
                fix.judgement = Judgement("verified", None, ())
            else:
                self._give_up([fix], result.reason or "the model changes nothing")
            if result.status == "edited" and self._wanted(fix):
                kept.append(fix)
        kept = self._together(text, kept, found)
        if not kept:
            return
        for fix in kept:
            fix.applied = True
        edits = [edit for fix in kept for edit in fix.edits]
        before = TextLines(text)
        self._remember(text, kept)
        self.changes.apply(edits)
        document = self.document
        for edit in sorted(edits, key=lambda e: e.start, reverse=True):
            document.splice(edit.start, edit.end, edit.new_text)
        self._move(before, edits)

    def _wanted(self, fix: Fix) -> bool:
        return fix.verdict == "verified" or (fix.verdict == "unverified" and self.rules.unverified)

    def _together(self, text: str, fixes: list[Fix], found: Sequence[Diagnostic] | None) -> list[Fix]:
        """As many of the fixes, each good on its own, as are good together."""
        if len(fixes) < 2:
            return fixes
        if self._objection(text, fixes, found) is None:
            return fixes
        kept: list[Fix] = []
        for fix in fixes:
            why = self._objection(text, [*kept, fix], found)
            if why is None:
                kept.append(fix)
            else:
                fix.judgement = Judgement("refused", f"together with other fixes: {why}", ())
        return kept

    def _objection(self, text: str, fixes: Sequence[Fix], found: Sequence[Diagnostic] | None) -> str | None:
        try:
            after = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
        except DocumentError as error:
            return str(error)
        judged = self._judge(text, after, fixes, found)
        return judged.reason if judged.verdict == "refused" else None

    def _judge(
        self,
        text: str,
        after: str,
        fixes: Sequence[Fix],
        found: Sequence[Diagnostic] | None,
        checked: Sequence[str] = (),
    ) -> Judgement:
        return judge_all(
            text,
            after,
            [fix.diagnostic for fix in fixes if fix.diagnostic is not None],
            language=self.language,
            path=self.source.target,
            ruff=self.rules.ruff,
            checked=checked,
            rules=self._extend,
            found=found if all(map(_by_ruff, fixes)) else None,
        )

    @property
    def _extend(self) -> tuple[str, ...]:
        """Rules that count besides the configuration's: those asked about, and those whose findings are to be fixed."""
        codes = {
            fix.diagnostic.code or "" for fix in self.fixes if fix.diagnostic and is_ruff(fix.diagnostic)
        }
        return tuple(sorted({*self.rules.extend, *codes}))

    def _findings(self, text: str) -> list[Diagnostic] | None:
        try:
            ruff = self.rules.ruff
            return ruff.check(text, self.source.target, extend=self._extend) if ruff is not None else None
        except RuffError:
            return None  # the judge meets the same trouble, and says so

    def _give_up(self, fixes: Sequence[Fix], reason: str) -> None:
        for fix in fixes:
            fix.judgement = Judgement("refused", reason, ())

    # -- between rounds ------------------------------------------------------------------------------------------

    def _remember(self, text: str, kept: Sequence[Fix]) -> None:
        """The round as one program, where its fixes lie apart."""
        lines = TextLines(text)
        parts = []
        for fix in kept:
            assert fix.program is not None
            parts += [(span, fix.program) for span in fix.scope]
        parts.sort(key=lambda part: part[0])
        try:
            self.programs.append((text, join(parts, lines)))
        except CopydeskError:
            self.programs += [(text, fix.program) for fix in kept if fix.program is not None]

    def _move(self, before: TextLines, edits: Sequence[TextEdit]) -> None:
        """Those waiting follow the text; ruff says which of its own are left, and what came to light."""
        after = self.document.lines
        tried = Counter(
            finding(fix.diagnostic)
            for fix in self.fixes
            if fix.diagnostic is not None and fix.judgement is not None and not fix.applied
        )
        said: list[Diagnostic] | None = None
        if self.rules.ruff is not None and (self.rules.lint or any(map(_by_ruff, self._waiting))):
            try:
                select = self.rules.select if self.rules.lint else None
                extend = () if self.rules.lint else self._extend
                said = self.rules.ruff.check(after.text, self.source.target, select=select, extend=extend)
            except RuffError:
                said = None
        waiting: list[Fix] = []
        for fix in self._waiting:
            diagnostic = fix.diagnostic
            place = moved(diagnostic, before, edits, after) if diagnostic is not None else None
            if said is not None and diagnostic is not None and is_ruff(diagnostic):
                place = _find(place or diagnostic, said, exact=place is not None)
                if place is None:
                    fix.judgement = Judgement("verified", "gone with another fix", ("ruff",))
                    continue
                said.remove(place)
            if place is None:
                self._give_up([fix], "another fix changed what it is about")
                continue
            fix.request = EditRequest(diagnostics=[place], seed=fix.request.seed)
            waiting.append(fix)
        if said is not None and self.rules.lint:
            for diagnostic in said:
                key = finding(diagnostic)
                if tried[key]:
                    tried[key] -= 1
                else:
                    fix = Fix(EditRequest(diagnostics=[diagnostic]))
                    self.fixes.append(fix)
                    waiting.append(fix)
        self._waiting = waiting


def _find(diagnostic: Diagnostic, said: Sequence[Diagnostic], *, exact: bool) -> Diagnostic | None:
    """The same finding among what ruff says now; where its place was edited, the nearest of its kind."""
    same = [d for d in said if d.code == diagnostic.code]
    if exact:
        return next((d for d in same if d.start == diagnostic.start), None)
    alike = [d for d in same if finding(d) == finding(diagnostic)]
    return min(alike, key=lambda d: abs(d.start.line - diagnostic.start.line), default=None)


def _by_ruff(fix: Fix) -> bool:
    return fix.diagnostic is not None and is_ruff(fix.diagnostic)


def _touch(one: Range, other: Range) -> bool:
    """Whether two ranges share a line, or an insertion point lies in or at the edge of the other."""
    first, second = sorted((one, other))
    if first[1] < first[0] or second[1] < second[0]:
        return second[0] <= first[1] + 1
    return second[0] <= first[1]
