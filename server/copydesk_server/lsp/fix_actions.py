"""The quick fixes of a finding as code actions: what is known, with its edit and a title that names it; the rest under a neutral
title.

Only one answer is ever preferred: the single one, confirmed and safe, that no model wrote or chose. What nobody can fix is not
offered, or, where a person has opened a menu that can show it, listed as disabled with the reason.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk.text.document import TextEdit
from copydesk_server.applicability import Applicability
from copydesk_server.edit_titles import changed_lines, edit_title, short
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp import edit_requests
from copydesk_server.lsp.action_maker import FIX_ALL_COMMAND, ActionMaker
from copydesk_server.lsp.capabilities import QUICK_FIX
from copydesk_server.lsp.diagnostics import ClientDiagnostic, DiagnosticStore
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.fix_menu import CandidateFix, FixMenu, KnownFixes
from copydesk_server.lsp.prefetch import Prefetch
from copydesk_server.lsp.programs import Programs
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_edits import text_after
from copydesk_server.lsp.workspace_fixes import WorkspaceFixes

if TYPE_CHECKING:
    from copydesk_server.verification import Verdict

log = logging.getLogger(__name__)

NO_FIX = "no fix was found"


class FixActions:
    """Lists quick fixes. Waits for tools at most, and never for the model."""

    def __init__(
        self,
        state: SessionState,
        diagnostics: DiagnosticStore,
        prefetch: Prefetch,
        programs: Programs,
        menu: FixMenu,
        maker: ActionMaker,
        workspace_fixes: WorkspaceFixes,
    ) -> None:
        self._state, self._diagnostics, self._prefetch = state, diagnostics, prefetch
        self._programs, self._menu, self._maker = programs, menu, maker
        self._workspace_fixes = workspace_fixes

    async def listed(self, document: OpenDocument, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Those for what is known of the place; none where the document changes meanwhile."""
        version = document.version
        findings = self._diagnostics.at(document, params.range, params.context.diagnostics)
        ahead = {each.diagnostic: self._prefetch.lookup(document, each.diagnostic) for each in findings}
        known = await self._known(document, ahead)
        if document.version != version:
            return []
        invoked = params.context.trigger_kind is not types.CodeActionTriggerKind.Automatic
        listed: list[EditOutcome] = []
        actions: list[types.CodeAction] = []
        kinds: dict[str, ClientDiagnostic] = {}
        everywhere: set[str] = set()
        # Not before it is needed: `initialize` has no time for imports.
        from copydesk_server.kind_fixes import kind_label

        for finding in findings:
            outcome = ahead[finding.diagnostic]
            fixes = known.get(finding.diagnostic, KnownFixes())
            if outcome is not None and outcome.status == "edited":
                listed.append(outcome)
            elif self._state.capabilities.action_literals:
                listed += [fix.outcome(document) for fix in fixes.fixes if fix.judgement is not None]
            if fixes.alternatives:
                listed += [fix.outcome(document) for fix in fixes.fixes]
            made = list(self._of_finding(document, finding, outcome, fixes, invoked=invoked))
            actions += made
            if any(action.disabled is None for action in made):
                label = kind_label(finding.diagnostic)
                kinds.setdefault(label, finding)
                if _may_be_everywhere(outcome, fixes):
                    everywhere.add(label)
        self._programs.listed(document, listed)
        return [*actions, *self._of_kinds(document, kinds, everywhere if invoked else set())]

    async def _known(
        self, document: OpenDocument, ahead: dict[Diagnostic, EditOutcome | None]
    ) -> dict[Diagnostic, KnownFixes]:
        if not self._state.capabilities.action_literals:
            return {}  # a command runs what has no edit yet: there is nothing to name
        # Not before it is needed: `initialize` has no time for imports.
        from copydesk.quickfixes.kinds import NAME_KINDS, DiagnosticKind, classify

        names = {*NAME_KINDS, DiagnosticKind.UNKNOWN_ATTRIBUTE}
        unanswered = [each for each, outcome in ahead.items() if outcome is None]
        about = [each for each in ahead if ahead[each] is None or classify(each) in names]
        return dict(await self._menu.known(document, about, unanswered))

    def _of_finding(
        self,
        document: OpenDocument,
        finding: ClientDiagnostic,
        ahead: EditOutcome | None,
        known: KnownFixes,
        *,
        invoked: bool,
    ) -> Iterator[types.CodeAction]:
        several = known.fixes if known.alternatives and len(known.fixes) > 1 else ()
        first: types.CodeAction | None = None
        chosen: Sequence[TextEdit] | None = None
        judged = known.fixes[0].judgement if len(known.fixes) == 1 else None
        if not self._state.capabilities.action_literals:
            first = self._open(document, finding)
        elif ahead is not None and ahead.status == "edited":
            chosen = ahead.edits
            alone = not several and not ahead.by_model
            first = self._edited(
                document,
                finding,
                chosen,
                ahead.verdict,
                ahead.applicability,
                alone=alone,
                generated=ahead.by_model,
            )
        elif judged is not None:
            chosen = known.fixes[0].edits
            first = self._edited(document, finding, chosen, judged.verdict, judged.applicability, alone=True)
        elif (reason := self._hopeless(document, ahead, known)) is not None:
            if invoked and reason:
                first = self._disabled(finding, reason)
        else:
            first = self._open(document, finding)
        if first is not None:
            yield first
        yield from self._alternatives(document, finding, several, chosen)

    def _hopeless(self, document: OpenDocument, ahead: EditOutcome | None, known: KnownFixes) -> str | None:
        """Why there is no fix, in words where there are any; None where there may be one."""
        if not known.offered:
            return known.reason or ""
        settled = ahead is not None and not ahead.alternatives and ahead.status in ("refused", "unchanged")
        if ahead is None or not settled or self._state.settings.of(document.uri).temperature:
            return None
        return ahead.reason or NO_FIX

    def _edited(
        self,
        document: OpenDocument,
        finding: ClientDiagnostic,
        edits: Sequence[TextEdit],
        verdict: Verdict,
        applicability: Applicability,
        *,
        alone: bool,
        generated: bool = False,
    ) -> types.CodeAction | None:
        """An action with its edit."""
        title = self._title(document, finding.diagnostic, edits)
        action = self._maker.with_edit(document, title, QUICK_FIX, edits, applicability, generated=generated)
        if action is None:
            return None
        action.diagnostics = [finding.shown]
        preferred = self._state.capabilities.preferred_actions and alone
        if preferred and verdict == "confirmed" and applicability == "safe":
            action.is_preferred = True
        if self._state.capabilities.action_data:
            data = action.data or edit_requests.fix_data(document, finding)
            action.data = {**data, "verdict": verdict, "applicability": applicability}
        return action

    def _open(self, document: OpenDocument, finding: ClientDiagnostic) -> types.CodeAction:
        """An action whose edit nobody knows yet."""
        title = f"Look for a fix: {short(finding.diagnostic.message)}"
        action = self._maker.without_edit(title, QUICK_FIX, edit_requests.fix_data(document, finding))
        action.diagnostics = [finding.shown]
        return action

    def _disabled(self, finding: ClientDiagnostic, reason: str) -> types.CodeAction | None:
        if not self._state.capabilities.disabled_actions:
            return None
        action = types.CodeAction(f"No fix: {short(finding.diagnostic.message)} (copydesk)", kind=QUICK_FIX)
        action.diagnostics = [finding.shown]
        action.disabled = types.CodeActionDisabled(reason)
        return action

    def _alternatives(
        self,
        document: OpenDocument,
        finding: ClientDiagnostic,
        fixes: Sequence[CandidateFix],
        chosen: Sequence[TextEdit] | None,
    ) -> Iterator[types.CodeAction]:
        """The candidates, where there are several; not the one that the action above them makes."""
        encoding = self._state.encoding
        there = text_after(document.lines, chosen, encoding) if chosen is not None else None
        for fix in fixes:
            if text_after(document.lines, fix.edits, encoding) == there:
                continue
            title = self._title(document, finding.diagnostic, fix.edits)
            action = self._maker.with_edit(document, title, QUICK_FIX, fix.edits)
            if action is not None:
                action.diagnostics = [finding.shown]
                yield action

    def _of_kinds(
        self, document: OpenDocument, kinds: Mapping[str, ClientDiagnostic], everywhere: Collection[str]
    ) -> Iterator[types.CodeAction]:
        """An action for each kind of which the document has several, and one for all files for each that may be fixed
        everywhere.
        """
        # Not before it is needed: `initialize` has no time for imports.
        from copydesk_server.kind_fixes import kind_label

        counts = Counter(kind_label(finding.diagnostic) for finding in self._diagnostics.known(document))
        for label, finding in kinds.items():
            if counts[label] > 1 and self._state.capabilities.action_literals:
                yield self._maker.without_edit(
                    f"Fix all in the file: {label} ({counts[label]})",
                    QUICK_FIX,
                    edit_requests.fix_all_data(document, finding),
                    FIX_ALL_COMMAND,
                    generated=False,
                )
            if label in everywhere and self._workspace_fixes.offered(document, finding):
                yield self._maker.without_edit(
                    f"Fix all in the workspace, with a preview: {label}",
                    QUICK_FIX,
                    self._workspace_fixes.data(document, finding),
                    FIX_ALL_COMMAND,
                    generated=False,
                )

    def _title(self, document: OpenDocument, diagnostic: Diagnostic, edits: Sequence[TextEdit]) -> str:
        try:
            return edit_title(changed_lines(document.lines, edits, self._state.encoding), diagnostic)
        except CopydeskError as error:
            log.error("an edit that does not fit has no title: %s", error)
            return "Fix"


def _may_be_everywhere(ahead: EditOutcome | None, known: KnownFixes) -> bool:
    """Whether a kind may be fixed where nobody looks at each: what is known of one of its findings is confirmed and safe."""
    if ahead is not None and ahead.status == "edited":
        return ahead.verdict == "confirmed" and ahead.applicability == "safe" and not ahead.by_model
    judged = [fix.judgement for fix in known.fixes if fix.judgement is not None]
    return all(one.verdict == "confirmed" and one.applicability == "safe" for one in judged)
