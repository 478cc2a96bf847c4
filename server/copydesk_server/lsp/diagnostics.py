"""What tools have found in the open documents, from wherever it reached the server.

A client sends a server little of what other tools found. So there are three sources: the `context` of a codeAction; what a client
of ours pushes (`copydesk/diagnostics`, and `copydesk/visibleRanges` for what the person sees); and the server's own linter. What
is kept follows the text: it moves with its lines, and is forgotten when one of them changes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import attrs
from lsprotocol import types

from copydesk.request import Diagnostic, Range
from copydesk.text.document import Change, Encoding, Position, TextEdit, TextLines
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.engine_sync import EngineSync
from copydesk_server.lsp.rebase import move_diagnostic, overlap
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.workspace_edits import lines_of_range

log = logging.getLogger(__name__)

OWN_SOURCE = "copydesk-ruff"
"""The source of what the server's own linter finds."""
WORST = 2
"""Errors (1) and warnings (2) are for fixing; information and hints are for reading."""
KEPT = 2000
"""So many findings are kept of one document and source."""
MOVED_AFTER = 200
"""Changes after which findings are moved though nobody looked: a document remembers little more than that."""
LONGEST_MESSAGE = 8192
"""Characters of a message: no tool says more, and all of it goes into the prompt."""


@dataclass(frozen=True, slots=True)
class ClientDiagnostic:
    """One finding of a tool: as the engine takes it (utf-32), and as the client knows it."""

    diagnostic: Diagnostic
    shown: types.Diagnostic

    @property
    def lines(self) -> Range:
        """The 1-based lines it is about."""
        return self.diagnostic.lines


@dataclass(slots=True)
class _Kept:
    """Findings of one version of a document. They are moved when somebody looks: hundreds of them take milliseconds, too long
    for a keystroke to wait."""

    version: int
    findings: tuple[ClientDiagnostic, ...] = ()

    def now(self, document: OpenDocument) -> tuple[ClientDiagnostic, ...]:
        """Those that are left, for the document as it stands."""
        if self.version != document.version:
            changes = document.changes_since(self.version)
            self.findings = _moved(self.findings, changes) if changes is not None else ()
            self.version = document.version
        return self.findings


@dataclass(slots=True)
class _Known:
    """What is known of one document.

    asked: what the last request for actions named. early: pushed for a version that is still on its way. changed: how often the
    text has, since all was moved.
    """

    pushed: _Kept
    linted: _Kept
    asked: _Kept
    changed: int = 0
    visible: tuple[Range, ...] | None = None
    early: tuple[int, tuple[types.Diagnostic, ...]] | None = None


class DiagnosticStore:
    """What was found in each open document."""

    def __init__(self, state: SessionState, engine_sync: EngineSync) -> None:
        self._state, self._engine_sync = state, engine_sync
        self.reporting = False
        """Whether the client says what other tools find."""
        self.other_linters: set[str] = set()
        """The languages in which another tool has found something."""
        self._known: dict[str, _Known] = {}
        self._callbacks: list[Callable[[], None]] = []
        state.documents.subscribe(self._on_open, self._on_change, self._on_close)

    def subscribe(self, callback: Callable[[], None]) -> None:
        """Be told when there may be something new."""
        self._callbacks.append(callback)

    def push(self, uri: str, version: int | None, diagnostics: Sequence[types.Diagnostic]) -> None:
        """All that a client knows of a document, for one of its versions. What comes for none that can be known is dropped."""
        self.reporting = True
        document, known = self._state.documents.get(uri), self._known.get(uri)
        if document is None or known is None:
            return
        if any(one.source != OWN_SOURCE and _serious(one) for one in diagnostics):
            self.other_linters.add(document.language)
        if version is not None and version > document.version:
            known.early = (version, tuple(diagnostics))  # a client may hold its changes back for a moment
            return
        changes = document.changes_since(version) if version is not None else []
        if changes is None:
            log.debug("diagnostics for a version that is gone")
            return
        known.early = None
        # Their columns are those of unchanged lines, so they can be read against the text of now, once the lines have moved.
        moved = (moved_shown(d, changes) for d in diagnostics)
        found = self.findings(document, [d for d in moved if d is not None])
        known.pushed = _Kept(document.version, tuple(found)[:KEPT])
        self._tell()

    def lint(self, document: OpenDocument, findings: Sequence[ClientDiagnostic]) -> None:
        """What the server's own linter says of a document as it stands."""
        known = self._known.get(document.uri)
        if known is not None:
            known.linted = _Kept(document.version, tuple(findings)[:KEPT])
            self._tell()

    def see(self, uri: str, ranges: Sequence[types.Range]) -> None:
        """The person sees these lines."""
        document, known = self._state.documents.get(uri), self._known.get(uri)
        if document is not None and known is not None:
            known.visible = tuple(lines_of_range(document.lines, seen) for seen in ranges)
            self._tell()

    def findings(
        self, document: OpenDocument, diagnostics: Iterable[types.Diagnostic]
    ) -> list[ClientDiagnostic]:
        """Those of `diagnostics`, for the document as it stands, that are the model's business."""
        if not self.serves(document):
            return []
        ignored = {source.casefold() for source in self._state.settings.of(document.uri).ignored_sources}
        encoding = self._state.encoding
        return [
            ClientDiagnostic(engine_diagnostic(document.lines, shown, encoding), shown)
            for shown in diagnostics
            if _serious(shown) and (shown.source or "").casefold() not in ignored
        ]

    def at(
        self, document: OpenDocument, chosen: types.Range, context: Sequence[types.Diagnostic]
    ) -> list[ClientDiagnostic]:
        """The findings a request for actions is about: those it names, else those known of the lines it chose."""
        if context:
            findings = self.findings(document, context)
            fixed = self.with_fixes(document, [finding.diagnostic for finding in findings])
            findings = self._understood(
                ClientDiagnostic(d, finding.shown) for d, finding in zip(fixed, findings, strict=True)
            )
            known = self._known.get(document.uri)
            if known is not None and findings:
                known.asked = _Kept(document.version, tuple(findings)[:KEPT])
                self._tell()
            return findings
        lines = lines_of_range(document.lines, chosen)
        return [finding for finding in self.known(document) if overlap(finding.lines, lines)]

    def with_fixes(self, document: OpenDocument, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        """A client's diagnostics of the document as it stands, with what the server's own linter proposes against them. That does
        not go to the client and back.
        """
        known = self._known.get(document.uri)
        linted = known.linted.now(document) if known is not None else ()
        fixes = {_said(found.diagnostic): found.diagnostic.fixes for found in linted}
        return [replace(d, fixes=fixes[_said(d)]) if fixes.get(_said(d)) else d for d in diagnostics]

    def known(self, document: OpenDocument) -> list[ClientDiagnostic]:
        """All that is known of a document without asking, in order, each once."""
        known = self._known.get(document.uri)
        return (
            self._understood(_unique((*known.pushed.now(document), *known.linted.now(document))))
            if known is not None and self.serves(document)
            else []
        )

    def in_sight(self, document: OpenDocument) -> list[ClientDiagnostic]:
        """What is known, or was lately, of what the person sees; of all where the client does not say what that is."""
        known = self._known.get(document.uri)
        if known is None or not self.serves(document):
            return []
        found = self._understood(
            _unique(
                found for kept in (known.pushed, known.linted, known.asked) for found in kept.now(document)
            )
        )
        if known.visible is None:
            return found
        return [f for f in found if any(overlap(f.lines, lines) for lines in known.visible)]

    def reports(self, document: OpenDocument, diagnostic: Diagnostic) -> bool:
        """Whether this is known of the document as it stands, or was lately."""
        known, line = self._known.get(document.uri), diagnostic.start.line
        return known is not None and any(
            found.diagnostic.start.line == line and found.diagnostic == diagnostic
            for kept in (known.pushed, known.linted, known.asked)
            for found in kept.now(document)
        )

    def serves(self, document: OpenDocument) -> bool:
        """Whether anything can be done for `document`: its language is the model's, and it is not too large."""
        return self._engine_sync.refusal(document) is None

    # -- the text changes ----------------------------------------------------------------------------------------------

    def _on_open(self, document: OpenDocument) -> None:
        self._known[document.uri] = _Known(
            _Kept(document.version), _Kept(document.version), _Kept(document.version)
        )

    def _on_change(self, document: OpenDocument, _changes: list[Change], _edits: list[TextEdit]) -> None:
        known = self._known.get(document.uri)
        if known is None:
            return
        known.changed += 1
        if known.changed >= MOVED_AFTER:
            known.changed = 0
            for kept in (known.pushed, known.linted, known.asked):
                kept.now(document)
        if known.early is not None and known.early[0] <= document.version:
            version, diagnostics = known.early
            self.push(document.uri, version, diagnostics)

    def _on_close(self, document: OpenDocument) -> None:
        self._known.pop(document.uri, None)

    def _understood(self, findings: Iterable[ClientDiagnostic]) -> list[ClientDiagnostic]:
        """Those that something may be known about: ruff can be asked what it would do about each of its own."""
        return [
            finding
            for finding in findings
            if self._engine_sync.understands(finding.diagnostic) or finding.diagnostic.by_ruff
        ]

    def _tell(self) -> None:
        for callback in self._callbacks:
            callback()


def _serious(shown: types.Diagnostic) -> bool:
    return shown.severity is None or shown.severity.value <= WORST


def engine_diagnostic(lines: TextLines, shown: types.Diagnostic, encoding: Encoding) -> Diagnostic:
    """A client's diagnostic as the engine takes it: code points, within the text, in order."""
    start, end = (
        Position(*lines.locate(Position(max(0, p.line), max(0, p.character)), encoding))
        for p in (shown.range.start, shown.range.end)
    )
    return Diagnostic(
        start,
        max(start, end),
        shown.message[:LONGEST_MESSAGE],
        str(shown.code) if shown.code is not None else None,
        shown.source,
        shown.severity.value if shown.severity is not None else 1,
    )


def shown_diagnostic(
    lines: TextLines, diagnostic: Diagnostic, encoding: Encoding, source: str
) -> types.Diagnostic:
    """An engine's diagnostic as a client takes it."""
    start, end = (lines.position(p.line, p.character, encoding) for p in (diagnostic.start, diagnostic.end))
    return types.Diagnostic(
        range=types.Range(
            types.Position(start.line, start.character), types.Position(end.line, end.character)
        ),
        message=diagnostic.message,
        code=diagnostic.code,
        source=source,
        severity=types.DiagnosticSeverity(diagnostic.severity),
    )


def _said(diagnostic: Diagnostic) -> tuple[Any, ...]:
    return diagnostic.start, diagnostic.code, diagnostic.message


def _unique(findings: Iterable[ClientDiagnostic]) -> list[ClientDiagnostic]:
    """In order, each once: a linter here and the same one in the client say the same under two names."""
    found: dict[tuple[Any, ...], ClientDiagnostic] = {}
    for finding in findings:
        found.setdefault(_said(finding.diagnostic), finding)
    return sorted(found.values(), key=lambda finding: (finding.diagnostic.start, finding.diagnostic.end))


def _moved(findings: Iterable[ClientDiagnostic], changes: Sequence[Change]) -> tuple[ClientDiagnostic, ...]:
    moved: list[ClientDiagnostic] = []
    for finding in findings:
        diagnostic = move_diagnostic(finding.diagnostic, changes)
        if diagnostic is finding.diagnostic:
            moved.append(finding)
        elif diagnostic is not None:
            moved.append(
                ClientDiagnostic(
                    diagnostic, _down(finding.shown, diagnostic.start.line - finding.diagnostic.start.line)
                )
            )
    return tuple(moved)


def moved_shown(shown: types.Diagnostic, changes: Sequence[Change]) -> types.Diagnostic | None:
    """Through its lines alone: the characters of the version it was made for need not be known."""
    a, b = shown.range.start, shown.range.end
    start = Position(max(0, a.line), max(0, a.character))
    end = max(start, Position(max(0, b.line), max(0, b.character)))
    there = move_diagnostic(Diagnostic(start, end, ""), changes)
    return _down(shown, there.start.line - start.line) if there is not None else None


def _down(shown: types.Diagnostic, by: int) -> types.Diagnostic:
    a, b = shown.range.start, shown.range.end
    moved = types.Range(types.Position(a.line + by, a.character), types.Position(b.line + by, b.character))
    return attrs.evolve(shown, range=moved)
