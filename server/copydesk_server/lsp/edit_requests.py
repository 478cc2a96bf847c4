"""What an action asks for, as data: it goes to the client with the action and comes back when the person has chosen.

Lines and diagnostics in it are those of a version that is named, so that the way to the present can be found. What comes back is
not believed: a client may send anything. So the fixes that a linter proposes do not travel: they could be for any lines, and are
looked up again when the action is chosen. Knows documents and settings; nothing of how an edit comes about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pygls.exceptions import JsonRpcInvalidParams

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import Position
from copydesk_server.lsp.diagnostics import LONGEST_MESSAGE, Finding
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.rebase import move_diagnostic, move_range
from copydesk_server.lsp.settings import Recipe, Settings
from copydesk_server.lsp.tickets import modified

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer

OURS = "copydesk"
"""The member of an action's data that says it is one of ours."""
LONGEST = 1 << 16
"""Characters of an instruction."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of `document` as it stands: the fix of `diagnostic`, `instruction` for `lines`, or all fixes."""

    kind: Literal["fix", "rewrite", "fixAll"]
    document: OpenDocument
    lines: Range
    diagnostic: Diagnostic | None = None
    instruction: str | None = None


def fix_data(document: OpenDocument, finding: Finding) -> dict[str, Any]:
    """The fix of one finding."""
    diagnostic = asdict(finding.diagnostic)
    del diagnostic["fixes"]
    return {**_data("fix", document), "diagnostic": diagnostic}


def rewrite_data(document: OpenDocument, lines: Range, recipe: Recipe) -> dict[str, Any]:
    """A recipe for these lines."""
    return {**_data("rewrite", document), "lines": list(lines), "instruction": recipe.instruction}


def fix_all_data(document: OpenDocument) -> dict[str, Any]:
    """All fixes of a document."""
    return _data("fixAll", document)


def is_ours(data: Any) -> bool:
    """Whether an action that came back is one of ours."""
    return isinstance(data, Mapping) and OURS in data


def read(server: CopydeskServer, data: Any) -> Wanted:
    """What the data of an action asks for now. Raises JsonRpcInvalidParams; StoppedError where its lines have changed since."""
    try:
        kind, uri, version = data[OURS], data["uri"], data["version"]
        if (
            kind not in ("fix", "rewrite", "fixAll")
            or not isinstance(uri, str)
            or not isinstance(version, int)
        ):
            raise JsonRpcInvalidParams("no action of ours")
        diagnostic = _diagnostic(data["diagnostic"]) if kind == "fix" else None
        lines = (int(data["lines"][0]), int(data["lines"][1])) if kind == "rewrite" else (1, 0)
        instruction = check_instruction(data["instruction"]) if kind == "rewrite" else None
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, CopydeskError) as error:
        raise JsonRpcInvalidParams("the data is not what came with the action") from error
    document = server.documents.get(uri)
    if document is None:
        raise modified("the document is not open")
    wanted = want(document, version, kind, lines, diagnostic, instruction)
    if wanted.diagnostic is None:
        return wanted
    (fixable,) = server.found.with_fixes(document, [wanted.diagnostic])
    return replace(wanted, diagnostic=fixable)


def check_instruction(text: Any) -> str:
    """`text`, where it can be an instruction. Raises JsonRpcInvalidParams."""
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise JsonRpcInvalidParams(f"an instruction is a text of at most {LONGEST} characters")
    return text


def want(
    document: OpenDocument,
    version: int,
    kind: Literal["fix", "rewrite", "fixAll"],
    lines: Range,
    diagnostic: Diagnostic | None,
    instruction: str | None,
) -> Wanted:
    """What was asked of one version, of the document as it stands. Raises StoppedError where it has changed just there."""
    changes = document.changes_since(version)
    if changes is None:
        raise modified("that version is not known any more")
    if diagnostic is not None:
        diagnostic = move_diagnostic(diagnostic, changes)
        if diagnostic is None:
            raise modified()
        lines = diagnostic.lines
    elif kind == "rewrite":
        there = move_range(lines, changes)
        if there is None:
            raise modified()
        lines = there
    else:
        lines = (1, len(document.lines))
    return Wanted(kind, document, lines, diagnostic, instruction)


def edit_request(wanted: Wanted, settings: Settings) -> EditRequest:
    """As the engine takes it, under a folder's settings. Raises JsonRpcInvalidParams for lines no document has."""
    count = len(wanted.document.lines)
    scope: tuple[Range, ...] | None = None
    if wanted.diagnostic is None or settings.scope_policy == "lines":
        first, last = wanted.lines
        if first < 1 or first > count + 1 or last < first - 1:
            raise JsonRpcInvalidParams("lines that the document does not have")
        scope = ((first, min(last, count)),)
    return EditRequest(
        scope=scope,
        diagnostics=(wanted.diagnostic,) if wanted.diagnostic is not None else (),
        instruction=wanted.instruction,
        temperature=settings.temperature,
        top_p=settings.top_p,
        candidates=settings.candidates,
    )


def _data(kind: str, document: OpenDocument) -> dict[str, Any]:
    return {OURS: kind, "uri": document.uri, "version": document.version}


def _diagnostic(value: Mapping[str, Any]) -> Diagnostic:
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
