"""The fixes of one file, judged: all together where that settles it, else each on its own and then with the rest; what makes
things worse is dropped, unless the linter takes away what is worse.

Knows texts, verdicts and ruff; nothing of documents, rounds or models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from copydesk.errors import DocumentError
from copydesk.request import Diagnostic
from copydesk.results import EditResult
from copydesk.text.document import apply_edits
from copydesk_server.applicability import Applicability, applicability, may_change
from copydesk_server.errors import RuffError
from copydesk_server.headless.followup_fixes import Step, leftovers
from copydesk_server.headless.models import Fix, Rules
from copydesk_server.linter_fixes import FindingsByLine, with_fixes_of
from copydesk_server.ruff import APPLICABLE, SYNTAX, selects
from copydesk_server.verification import ERRORS, Judgement, judge_all

TIDIED = ("F401",)
"""What a fix may leave behind under any rules: an import that nothing uses any more."""


class Jury:
    """Judges the fixes of one file."""

    def __init__(self, path: Path, language: str, rules: Rules) -> None:
        self._path = path
        self._language = language
        self._rules = rules
        self._behind: dict[tuple[int, ...], list[list[Fix]]] = {}  # of a round: what goes with which fixes
        self._good: set[tuple[int, ...]] = set()  # of a round: which are good together

    def hear(
        self, text: str, fixes: Sequence[Fix], extend: Sequence[str]
    ) -> tuple[list[Fix], list[list[Fix]]]:
        """Those of `fixes`, all made on `text`, that are to be applied; then what takes away what these leave behind, each list
        made on the text behind the one before. Every fix has its judgement then.

        extend: ruff's rules that count besides those its configuration names.
        """
        self._behind.clear()
        self._good.clear()
        found = self._everything(text, extend) if any(map(by_ruff, fixes)) else None
        edited: list[tuple[Fix, EditResult]] = []
        for fix in fixes:
            result, fix.result = fix.result, None
            assert result is not None
            if result.unsure and result.status == "refused" and fix.diagnostic is not None:
                result = self._proven(text, fix, result, extend, found) or result
            if result.status == "edited":
                fix.edits = result.edits
                edited.append((fix, result))
            elif result.status == "unchanged":
                fix.judgement = Judgement("unchanged", result.reason or "the model saw nothing to change", ())
            else:
                reason = result.reason or "the model made no change"
                fix.judgement = Judgement("unsure" if result.unsure else "refused", reason, ())
        ruffs: list[tuple[Fix, EditResult]] = []
        others: list[tuple[Fix, EditResult]] = []
        for one in edited:
            together = found is not None and by_ruff(one[0]) and one[0].known_fix
            (ruffs if together else others).append(one)
        for one in others:
            self._alone(text, one, extend, found)
        if found is not None:
            self._by_halves(text, ruffs, extend, found, FindingsByLine(found))
        kept = self._together(text, [fix for fix, _ in edited if self._wanted(fix)], extend, found)
        return kept, self._behind.get(_key(kept), [])

    def _proven(
        self,
        text: str,
        fix: Fix,
        result: EditResult,
        extend: Sequence[str],
        found: Sequence[Diagnostic] | None,
    ) -> EditResult | None:
        """The likeliest of the edits that the model is not sure of which is proved right: the finding is gone, and the code is
        known to mean the same.
        """
        for number, one in enumerate(result.alternatives, 1):
            taken = result.taken(number)
            if not one.edits or taken.status != "edited":
                continue
            fix.edits = one.edits
            judged = self._judge(text, taken.text, [fix], extend, found, one.checked)
            if judged.verdict == "confirmed" and judged.applicability == "safe":
                fix.program, fix.confidence, fix.alternatives = one.program, one.probability, ()
                return taken
        fix.edits = ()
        return None

    @property
    def _tidies(self) -> bool:
        """Whether the linter's own fixes may take away what others leave behind."""
        return self._rules.ruff is not None and bool(self._rules.ruff.fixes)

    def _alone(
        self,
        text: str,
        edited: tuple[Fix, EditResult],
        extend: Sequence[str],
        found: Sequence[Diagnostic] | None,
    ) -> None:
        """Judge one fix by itself."""
        fix, result = edited
        fix.judgement = self._judge(text, result.text, [fix], extend, found, result.checked)
        if result.unsure and fix.judgement.verdict == "checked":
            reason = "the model is not sure of it"
            fix.judgement = replace(fix.judgement, verdict="unsure", reason=reason)

    def _by_halves(
        self,
        text: str,
        edited: Sequence[tuple[Fix, EditResult]],
        extend: Sequence[str],
        found: Sequence[Diagnostic],
        near: FindingsByLine,
    ) -> None:
        """Judge quick fixes for findings of ruff's. Where ruff, run once on all of them together, misses every finding and has
        none new, each is confirmed, at the price of one run; else each half of them is judged so. near: `found` by line.
        """
        if len(edited) > 1:
            judged = self._all_good(text, [fix for fix, _ in edited], extend, found)
            if judged is not None:
                for fix, result in edited:
                    fix.judgement = replace(
                        judged, applicability=self._effect(text, fix, result, judged, near)
                    )
                return
            half = len(edited) // 2
            self._by_halves(text, edited[:half], extend, found, near)
            self._by_halves(text, edited[half:], extend, found, near)
        elif edited:
            self._alone(text, edited[0], extend, found)

    def _all_good(
        self, text: str, fixes: Sequence[Fix], extend: Sequence[str], found: Sequence[Diagnostic]
    ) -> Judgement | None:
        """The judgement of all of them together, where they are confirmed. Its applicability is that of the code alone."""
        try:
            after = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
        except DocumentError:
            return None
        judged = self._judge(text, after, fixes, extend, found)
        if judged.verdict != "confirmed":
            return None
        self._good.add(_key(fixes))
        return replace(judged, applicability=self._applicability(text, after, []))

    def _effect(
        self, text: str, fix: Fix, result: EditResult, together: Judgement, near: FindingsByLine
    ) -> Applicability:
        """The applicability of one of several fixes that are good together; what all of them keep, each keeps."""
        known = [with_fixes_of(diagnostic, near.of(diagnostic)) for diagnostic in fix.request.diagnostics]
        changing = any(may_change(diagnostic, text) for diagnostic in known)
        if together.applicability == "safe" and result.known_fix and not changing:
            return "safe"
        return self._applicability(text, result.text, known, known_fix=result.known_fix)

    def _applicability(
        self, text: str, after: str, known: Sequence[Diagnostic], *, known_fix: bool = True
    ) -> Applicability:
        projects = self._rules.projects
        return applicability(text, after, known, self._path, known_fix=known_fix, projects=projects)

    def findings(
        self, text: str, *, select: str | None = None, extend: Sequence[str] = ()
    ) -> list[Diagnostic] | None:
        """What ruff says of `text`; None where there is no ruff, or it cannot say."""
        ruff = self._rules.ruff
        try:
            return ruff.check(text, self._path, select=select, extend=extend) if ruff is not None else None
        except RuffError:
            return None  # the judge meets the same trouble, and says so

    def _everything(self, text: str, extend: Sequence[str]) -> list[Diagnostic] | None:
        """What ruff says of `text`, with all the fixes it has, safe or not."""
        ruff = self._rules.ruff
        try:
            every = replace(ruff, fixes=APPLICABLE["unsafe"]) if ruff is not None else None
            return every.check(text, self._path, extend=extend) if every is not None else None
        except RuffError:
            return None

    def _seen(self, text: str, extend: Sequence[str]) -> list[Diagnostic] | None:
        """What ruff says of `text` that a fix may have left behind: under the rules that count, and of imports."""
        found = self.findings(text, extend=extend)
        return [d for d in found if self._counts(d)] if found is not None else None

    def _counts(self, diagnostic: Diagnostic) -> bool:
        counted, code = self._rules.counted, diagnostic.code or SYNTAX
        return counted is None or code == SYNTAX or selects((*counted, *ERRORS, *TIDIED), code)

    def _wanted(self, fix: Fix) -> bool:
        return fix.judgement is not None and self._rules.takes(fix.judgement)

    def _together(
        self, text: str, fixes: list[Fix], extend: Sequence[str], found: Sequence[Diagnostic] | None
    ) -> list[Fix]:
        """As many of the fixes, each good on its own, as are good together."""
        if len(fixes) < 2:
            return fixes
        return self._added([], fixes, text, extend, found)

    def _added(
        self,
        kept: list[Fix],
        fixes: list[Fix],
        text: str,
        extend: Sequence[str],
        found: Sequence[Diagnostic] | None,
    ) -> list[Fix]:
        """`kept` and as many of `fixes` as are good with them: all, or those of each half."""
        known = _key([*kept, *fixes]) in self._good
        why = self._objection(text, [*kept, *fixes], extend, found) if not known else None
        if why is None:
            return [*kept, *fixes]
        if len(fixes) == 1:
            refuse(fixes, f"together with other fixes: {why}")
            return kept
        half = len(fixes) // 2
        kept = self._added(kept, fixes[:half], text, extend, found)
        return self._added(kept, fixes[half:], text, extend, found)

    def _objection(
        self, text: str, fixes: Sequence[Fix], extend: Sequence[str], found: Sequence[Diagnostic] | None
    ) -> str | None:
        try:
            after = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
        except DocumentError as error:
            return str(error)
        judged = self._judge(text, after, fixes, extend, found)
        return judged.reason if judged.verdict == "refused" else None

    def _judge(
        self,
        text: str,
        after: str,
        fixes: Sequence[Fix],
        extend: Sequence[str],
        found: Sequence[Diagnostic] | None,
        checked: Sequence[str] = (),
    ) -> Judgement:
        """A judgement of `fixes` together. What has to go with them for it to hold is kept for `hear`."""
        asked = [fix.diagnostic for fix in fixes if fix.diagnostic is not None]
        judge = partial(
            judge_all,
            diagnostics=asked,
            language=self._language,
            path=self._path,
            ruff=self._rules.ruff,
            rules=extend,
            only=self._rules.counted,
            schemas=self._rules.schemas,
            projects=self._rules.projects,
            found=found if all(map(by_ruff, fixes)) else None,
            # Each that is not has been judged alone, and what others take away is not what it leaves out.
            known_fix=len(fixes) != 1 or fixes[0].known_fix,
        )
        judged = judge(text, after, checked=checked)
        narrow = self._rules.counted is not None  # what is left behind need not speak against the fix
        if found is None or not self._tidies or not (judged.verdict == "refused" or narrow):
            return judged
        seen = [diagnostic for diagnostic in found if self._counts(diagnostic)]
        named = {replace(diagnostic, fixes=()) for diagnostic in asked}
        mine = {diagnostic for diagnostic in seen if replace(diagnostic, fixes=()) in named}
        step = Step(text, [edit for fix in fixes for edit in fix.edits], seen, mine)
        try:
            behind = leftovers(step, partial(self._seen, extend=extend))
        except DocumentError:
            return judged
        if behind is None or not behind[1]:
            return judged
        tidy = judge(text, behind[0])
        if tidy.verdict == "refused":
            return judged
        self._behind[_key(fixes)] = behind[1]
        return tidy


def _key(fixes: Sequence[Fix]) -> tuple[int, ...]:
    return tuple(map(id, fixes))


def by_ruff(fix: Fix) -> bool:
    """Whether it is for something ruff said."""
    return fix.diagnostic is not None and fix.diagnostic.by_ruff


def refuse(fixes: Sequence[Fix], reason: str) -> None:
    """None of them is to be applied."""
    for fix in fixes:
        fix.judgement = Judgement("refused", reason, ())
