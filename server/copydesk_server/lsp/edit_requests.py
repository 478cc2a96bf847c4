"""From what clients ask to edit tasks, and the data that travels with a code action.

An action's data goes to the client and comes back when the person has chosen. Lines and diagnostics in it are those of a version
that is named, so that they can be moved to the present one. What comes back is validated: a client may send anything. Fixes that
a linter proposes do not travel, since they could be for any lines; they are looked up again when the action is chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import Change, Position
from copydesk_server.engine_process.jobs import Priority
from copydesk_server.lsp.diagnostics import LONGEST_MESSAGE, ClientDiagnostic, DiagnosticStore
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.edit_errors import modified
from copydesk_server.lsp.edit_task import EditTask
from copydesk_server.lsp.rebase import move_diagnostic, move_range
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.settings import Recipe

OURS = "copydesk"
"""The member of an action's data that says it is one of ours; its value is the kind of the task."""
LONGEST = 1 << 16
"""Characters of an instruction."""


# -- an action's data --------------------------------------------------------------------------------------------------


def fix_data(document: OpenDocument, finding: ClientDiagnostic) -> dict[str, Any]:
    """The fix of one finding."""
    return {**_data("fix", document), "diagnostic": finding_data(finding)}


def rewrite_data(document: OpenDocument, lines: Range, recipe: Recipe) -> dict[str, Any]:
    """A recipe for these lines."""
    return {**_data("rewrite", document), "lines": list(lines), "instruction": recipe.instruction}


def fix_all_data(document: OpenDocument, like: ClientDiagnostic | None = None) -> dict[str, Any]:
    """All fixes of a document; where a finding is given, of its kind alone."""
    data = _data("fixAll", document)
    return data if like is None else {**data, "diagnostic": finding_data(like)}


def is_ours(data: Any) -> bool:
    """Whether an action that came back is one of ours."""
    return isinstance(data, Mapping) and OURS in data


def finding_data(finding: ClientDiagnostic) -> dict[str, Any]:
    """A finding as it travels, without the fixes that a tool proposes against it."""
    diagnostic = asdict(finding.diagnostic)
    del diagnostic["fixes"]
    return diagnostic


def _data(kind: str, document: OpenDocument) -> dict[str, Any]:
    return {OURS: kind, "uri": document.uri, "version": document.version}


# -- tasks -------------------------------------------------------------------------------------------------------------


class EditRequests:
    """Makes edit tasks, for documents as they stand, under the settings of their folders."""

    def __init__(self, state: SessionState, diagnostics: DiagnosticStore) -> None:
        self._state, self._diagnostics = state, diagnostics

    def from_action(self, data: Any) -> EditTask:
        """What an action's data asks for now. Raises JsonRpcInvalidParams; StoppedError where its lines have changed since."""
        try:
            kind, uri, version = data[OURS], data["uri"], data["version"]
            if (
                kind not in ("fix", "rewrite", "fixAll")
                or not isinstance(uri, str)
                or not isinstance(version, int)
            ):
                raise JsonRpcInvalidParams("no action of ours")
            wanted = kind == "fix" or (kind == "fixAll" and "diagnostic" in data)
            diagnostic = finding_of(data["diagnostic"]) if wanted else None
            lines = (int(data["lines"][0]), int(data["lines"][1])) if kind == "rewrite" else (1, 0)
            instruction = check_instruction(data["instruction"]) if kind == "rewrite" else None
        except (KeyError, TypeError, ValueError, IndexError, OverflowError, CopydeskError) as error:
            raise JsonRpcInvalidParams("the data is not what came with the action") from error
        document, changes = self.document(uri, version)
        if kind == "fixAll":
            about = () if diagnostic is None else (diagnostic,)
            return EditTask("fixAll", document, EditRequest(diagnostics=about), (1, len(document.lines)))
        if diagnostic is not None:
            there = move_diagnostic(diagnostic, changes)
            if there is None:
                raise modified()
            (there,) = self._diagnostics.with_fixes(document, [there])
            return self.fix(document, there)
        assert instruction is not None
        return self.rewrite(document, lines, changes, instruction)

    def document(self, uri: str, version: int) -> tuple[OpenDocument, list[Change]]:
        """An open document, and what has changed in it since `version`. Raises StoppedError where that is not known."""
        document = self._state.documents.get(uri)
        if document is None:
            raise modified("the document is not open")
        changes = document.changes_since(version)
        if changes is None:
            raise modified("that version is not known any more")
        return document, changes

    def fix(
        self,
        document: OpenDocument,
        diagnostic: Diagnostic,
        *,
        priority: Priority = "edit",
        group: object = None,
    ) -> EditTask:
        """The fix of a diagnostic of the document as it stands."""
        lines = diagnostic.lines
        policy = self._state.settings.of(document.uri).scope_policy
        scope = (_within(document, lines),) if policy == "lines" else None
        request = self._request(document, scope, diagnostic=diagnostic)
        return EditTask("fix", document, request, lines, priority=priority, group=group)

    def rewrite(
        self, document: OpenDocument, lines: Range, changes: list[Change], instruction: str
    ) -> EditTask:
        """`instruction` for `lines` of a version since which `changes` were made. Raises StoppedError where they have changed."""
        there = move_range(lines, changes)
        if there is None:
            raise modified()
        request = self._request(document, (_within(document, there),), instruction=instruction)
        return EditTask("rewrite", document, request, there)

    def _request(
        self,
        document: OpenDocument,
        scope: tuple[Range, ...] | None,
        *,
        diagnostic: Diagnostic | None = None,
        instruction: str | None = None,
    ) -> EditRequest:
        settings = self._state.settings.of(document.uri)
        return EditRequest(
            scope=scope,
            diagnostics=(diagnostic,) if diagnostic is not None else (),
            instruction=instruction,
            temperature=settings.temperature,
            top_p=settings.top_p,
            schemas=settings.json_schemas,
            seed=self._state.options.seed,
            candidates=settings.candidates,
        )


def check_instruction(text: Any) -> str:
    """`text`, where it can be an instruction. Raises JsonRpcInvalidParams."""
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise JsonRpcInvalidParams(f"an instruction is a text of at most {LONGEST} characters")
    return text


def _within(document: OpenDocument, lines: Range) -> Range:
    """The lines as a scope. Raises JsonRpcInvalidParams for lines the document does not have."""
    (first, last), count = lines, len(document.lines)
    if first < 1 or first > count + 1 or last < first - 1:
        raise JsonRpcInvalidParams("lines that the document does not have")
    return first, min(last, count)


def finding_of(value: Mapping[str, Any]) -> Diagnostic:
    """The diagnostic that `finding_data` made. Raises KeyError, TypeError, ValueError, CopydeskError, JsonRpcInvalidParams."""
    start, end = (
        Position(int(place["line"]), int(place["character"])) for place in (value["start"], value["end"])
    )
    code, source = value.get("code"), value.get("source")
    if value.get("fixes"):
        raise JsonRpcInvalidParams("fixes do not come with an action")
    return Diagnostic(
        start,
        end,
        str(value["message"])[:LONGEST_MESSAGE],
        str(code) if code is not None else None,
        str(source) if source is not None else None,
        int(value["severity"]),
    )
