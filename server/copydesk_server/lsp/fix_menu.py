"""What is known of a finding without asking the model: the edits that may fix it, or that nothing can.

In two steps. By syntax alone: the candidates among which the engine chooses. Then with the tools, for as long as a menu may wait:
ruff's own fixes, the imports of the project, and whether the one candidate is a fix. What takes longer goes on, and is there when
the menu is opened again. All of it is kept for one version of a document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk.text.document import TextEdit, split_lines
from copydesk.text.line_edit import LineEdit
from copydesk_server.candidate_edits import CandidateEdits, candidate_edits, text_edits
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.engine_sync import EngineSync
from copydesk_server.lsp.proposed_fixes import Propose
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.verification import Verify
from copydesk_server.lsp.workspace_edits import check_edits, text_after
from copydesk_server.lsp.workspace_imports import WorkspaceImports

if TYPE_CHECKING:
    from copydesk_server.verification import Judgement

PATIENCE = 0.3
"""Seconds a menu waits for the tools. With none they are not asked."""
MOST_BYTES = 1 << 19
"""Larger documents are not parsed for a menu."""
MOST_FINDINGS = 16
"""Of one menu, that the tools are asked about."""
MOST_CANDIDATES = 8
"""Edits that are listed for one finding."""


@dataclass(frozen=True, slots=True)
class CandidateFix:
    """One edit that may fix a finding, of the version that was asked about, and its program. judgement: None where nobody has
    verified it.
    """

    edits: tuple[TextEdit, ...]
    program: str
    judgement: Judgement | None = None

    def outcome(self, document: OpenDocument) -> EditOutcome:
        """The same as an edit of the document as it stands, of which no model knows."""
        judged = self.judgement
        return EditOutcome(
            "edited",
            None,
            document.version,
            self.edits,
            self.program,
            verdict=judged.verdict if judged is not None else "checked",
            applicability=judged.applicability if judged is not None else "safe",
            base_version=document.version,
            before=tuple(document.lines.lines),
        )


@dataclass(frozen=True, slots=True)
class KnownFixes:
    """fixes: the edits one of which is the answer, likeliest first; empty where that is open. alternatives: whether each of
    several is worth an action of its own. offered: False where no fix can come of it; reason: why not, in words, where there is
    more to say than that the finding is out of date.
    """

    fixes: tuple[CandidateFix, ...] = ()
    alternatives: bool = False
    offered: bool = True
    reason: str | None = None


@dataclass(slots=True)
class _Kept:
    """What is known in one version of a document, and the work on what is not."""

    version: int
    syntax: dict[Diagnostic, KnownFixes] = field(default_factory=dict)
    asked: set[Diagnostic] = field(default_factory=set)
    proven: dict[Diagnostic, KnownFixes] = field(default_factory=dict)
    working: set[asyncio.Task[None]] = field(default_factory=set)


class FixMenu:
    """The known fixes of findings in Python; of other languages nothing is known."""

    def __init__(
        self,
        state: SessionState,
        tasks: BackgroundTasks,
        engine_sync: EngineSync,
        imports: WorkspaceImports,
        propose: Propose,
        verify: Verify,
    ) -> None:
        self._state, self._tasks, self._engine_sync, self._imports = state, tasks, engine_sync, imports
        self._propose, self._verify = propose, verify
        self._kept: dict[int, _Kept] = {}
        state.documents.subscribe(lambda _: None, lambda document, *_: self._forget(document), self._forget)

    async def known(
        self, document: OpenDocument, about: Sequence[Diagnostic], unanswered: Sequence[Diagnostic]
    ) -> Mapping[Diagnostic, KnownFixes]:
        """What is known about findings in the document as it stands; `unanswered` are those that the tools are asked about, too.
        None where the document changes meanwhile. Raises: never.
        """
        most = min(MOST_BYTES, self._state.settings.of(document.uri).max_document_bytes)
        if document.language != "python" or document.forgotten or document.size.bytes > most or not about:
            return {}
        kept = self._kept.setdefault(document.id, _Kept(document.version))
        new = [each for each in about if each not in kept.syntax]
        if new:
            found = await self._candidates(document, new, new, read=False)
            if document.version != kept.version:
                return {}
            kept.syntax.update(found)
        await self._wait(document, kept, unanswered)
        if document.version != kept.version:
            return {}
        return {each: kept.proven.get(each, kept.syntax[each]) for each in about}

    def proven(self, document: OpenDocument) -> Iterator[tuple[Diagnostic, CandidateFix]]:
        """The only candidates of findings in the document as it stands that were verified for a menu."""
        kept = self._kept.get(document.id)
        if kept is not None and kept.version == document.version:
            for diagnostic, known in kept.proven.items():
                if len(known.fixes) == 1 and known.fixes[0].judgement is not None:
                    yield diagnostic, known.fixes[0]

    async def _wait(self, document: OpenDocument, kept: _Kept, unanswered: Sequence[Diagnostic]) -> None:
        if not PATIENCE or not self._state.settings.of(document.uri).precompute:
            return  # nothing is wanted before an action is chosen
        asked = [each for each in unanswered if each not in kept.asked and kept.syntax[each].offered]
        if asked:
            kept.asked.update(asked[:MOST_FINDINGS])
            work = self._tasks.spawn(self._prove(document, kept, asked[:MOST_FINDINGS]), "fixes for a menu")
            kept.working.add(work)
            work.add_done_callback(kept.working.discard)
        if kept.working:
            await asyncio.wait(set(kept.working), timeout=PATIENCE)

    async def _prove(self, document: OpenDocument, kept: _Kept, diagnostics: Sequence[Diagnostic]) -> None:
        """Ask the tools, and keep what they say of each."""
        proposing = self._propose(document, diagnostics)
        informed = await proposing if proposing is not None else diagnostics
        found = await self._candidates(document, diagnostics, informed, read=True)
        if document.version != kept.version:
            return
        verified = await asyncio.gather(
            *(
                self._verified(document, found[mine], told)
                for mine, told in zip(diagnostics, informed, strict=True)
            )
        )
        kept.proven.update(zip(diagnostics, verified, strict=True))

    async def _verified(
        self, document: OpenDocument, known: KnownFixes, diagnostic: Diagnostic
    ) -> KnownFixes:
        """The same, judged where there is one candidate alone."""
        if not known.fixes and not self._engine_sync.understands(diagnostic):
            return KnownFixes(offered=False)
        if len(known.fixes) != 1:
            return known
        lines, encoding = document.lines, self._state.encoding
        (only,) = known.fixes
        before, after = lines.text, text_after(lines, only.edits, encoding)
        said = await self._verify(before, after, [diagnostic], language=document.language, path=document.path)
        if said.verdict == "refused":
            return KnownFixes(offered=False, reason=said.reason)
        return KnownFixes((replace(only, judgement=said),))

    async def _candidates(
        self,
        document: OpenDocument,
        diagnostics: Sequence[Diagnostic],
        informed: Sequence[Diagnostic],
        *,
        read: bool,
    ) -> dict[Diagnostic, KnownFixes]:
        """For each of `diagnostics`: what may fix it, as far as it is `informed`. read: there is no more to know about it. Empty
        where the document changes meanwhile.
        """
        lines, version = tuple(document.lines.lines), document.version
        root, path = self._imports.root(document), document.path
        within = self._state.settings.of(document.uri).scope_policy == "lines"

        def compute() -> list[CandidateEdits]:
            # Not before it is needed: `initialize` has no time for imports.
            from copydesk.syntax.tree import parse

            told = informed
            if not read and root is not None:
                told = self._imports.informed(told, root, path, "".join(lines), read=False)
            tree = parse(lines, "python")
            return [candidate_edits(each, lines, tree, within=within, all_known=read) for each in told]

        found = await asyncio.to_thread(compute)
        if document.version != version:
            return {}
        return {each: self._fitting(document, one) for each, one in zip(diagnostics, found, strict=True)}

    def _fitting(self, document: OpenDocument, found: CandidateEdits) -> KnownFixes:
        """Those of the edits that fit the document, each text once."""
        texts: dict[str, CandidateFix] = {}
        for edit in found.edits:
            made = tuple(text_edits(document.lines, edit, self._state.encoding))
            try:
                check_edits(document.lines, made, self._state.encoding)
                after = text_after(document.lines, made, self._state.encoding)
                program = _program(document.lines.lines, split_lines(after), edit)
            except CopydeskError:
                continue
            if after != document.lines.text:
                texts.setdefault(after, CandidateFix(made, program))
            if len(texts) == MOST_CANDIDATES:
                break
        return KnownFixes(tuple(texts.values()), found.alternatives, found.offered, found.reason)

    def _forget(self, document: OpenDocument) -> None:
        kept = self._kept.pop(document.id, None)
        for work in kept.working if kept is not None else ():
            work.cancel()


def _program(before: Sequence[str], after: Sequence[str], edits: Sequence[LineEdit]) -> str:
    """Raises ProgramError, ScopeError."""
    from copydesk.oracle.near_change import program_near_change

    scope = [(edit.first, edit.last) for edit in edits]
    return str(program_near_change(before, after, scope=scope, margin=1))
