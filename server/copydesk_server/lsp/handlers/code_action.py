"""The light bulb: what copydesk can do here. Never runs the model, whoever asks: it lists, and `resolve.py` and `commands.py` do.

Knows LSP's rules for kinds; nothing of how an edit comes about, but that some are there already (`ahead.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from copydesk.errors import CopydeskError
from copydesk_server.lsp import edit_requests
from copydesk_server.lsp.capabilities import COMMANDS, FIX_ALL, QUICK_FIX, REWRITE
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.settings import IN_SETTINGS, Recipe
from copydesk_server.lsp.tickets import Outcome
from copydesk_server.lsp.workspace_edits import lines_of_range, workspace_edit

if TYPE_CHECKING:
    from copydesk_server.lsp.server import CopydeskServer

log = logging.getLogger(__name__)

APPLY, FIX_ALL_COMMAND = COMMANDS
ASK_INSTRUCTION = "copydesk.editWithInstruction"
"""The client's own command: it asks for the text, which LSP cannot, and sends `copydesk/edit`."""
MESSAGE_LENGTH = 100


def register(server: CopydeskServer) -> None:
    """Answers at once: what it needs is there."""

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        document = server.documents.get(params.text_document.uri)
        if document is None or server.engine.state in ("failed", "closed"):
            return []
        found = _actions(server, document, params)
        return list(found) if server.client.action_literals else _commands(found)


def offered(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a client that wants `only` these kinds wants `kind`: a kind contains all whose name goes on with a dot.

    But not for fixing all: `"source.fixAll": true` is in many people's settings for saving, and a save must not run a model that
    was not asked for by name.
    """
    if kind == FIX_ALL:
        return only is not None and kind in only
    return not only or any(wanted in ("", kind) or kind.startswith(wanted + ".") for wanted in only)


def _actions(
    server: CopydeskServer, document: OpenDocument, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    only = [_name(kind) for kind in params.context.only] if params.context.only is not None else None
    if offered(QUICK_FIX, only):
        yield from _fixes(server, document, params)
    chosen = params.range
    if offered(REWRITE, only) and chosen.start != chosen.end and server.found.serves(document):
        yield from _rewrites(server, document, chosen)
    if offered(FIX_ALL, only) and server.found.known(document):
        yield _action(
            server,
            "Fix all that can be verified (copydesk)",
            FIX_ALL,
            edit_requests.fix_all_data(document),
            FIX_ALL_COMMAND,
        )


def _fixes(
    server: CopydeskServer, document: OpenDocument, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    listed: list[Outcome] = []
    for finding in server.found.at(document, params.range, params.context.diagnostics):
        title = f"Fix: {_short(finding.diagnostic.message)} (copydesk)"
        action = _action(server, title, QUICK_FIX, edit_requests.fix_data(document, finding))
        action.diagnostics = [finding.shown]
        known = server.ahead.lookup(document, finding.diagnostic)
        if known is not None and known.status == "edited":
            try:
                action.edit = workspace_edit(document, known.edits, server.encoding)
            except CopydeskError as error:
                log.error("an edit computed ahead does not fit: %s", error)
            else:
                action.command = None
                action.is_preferred = True if known.verdict == "verified" else None
                listed.append(known)
        yield action
    server.programs.listed(document, listed)


def _rewrites(
    server: CopydeskServer, document: OpenDocument, chosen: types.Range
) -> Iterator[types.CodeAction]:
    lines = lines_of_range(document.lines, chosen)
    for recipe in server.settings.of(document.uri).recipes:
        yield _action(
            server, recipe_title(recipe), REWRITE, edit_requests.rewrite_data(document, lines, recipe)
        )
    if server.client.asks_instructions:
        where: dict[str, Any] = {
            "textDocument": {"uri": document.uri, "version": document.version},
            "range": chosen,
        }
        title = "Edit with instruction… (copydesk)"
        yield types.CodeAction(
            title, kind=REWRITE, command=types.Command(title, ASK_INSTRUCTION, arguments=[where])
        )


def recipe_title(recipe: Recipe) -> str:
    """What the menu shows. A recipe that came with the folder says so: it is somebody else's text."""
    return f"{recipe.title} (copydesk{'' if recipe.origin == IN_SETTINGS else f', from {recipe.origin}'})"


def _action(
    server: CopydeskServer, title: str, kind: str, data: dict[str, Any], command: str = APPLY
) -> types.CodeAction:
    """An action whose edit is not there yet: a client that can resolves it, any other has us apply it."""
    if server.client.resolves_edits:
        return types.CodeAction(title, kind=kind, data=data)
    return types.CodeAction(title, kind=kind, command=types.Command(title, command, arguments=[data]))


def _commands(actions: Iterator[types.CodeAction]) -> list[types.CodeAction | types.Command]:
    """For clients that know no action literals."""
    return [action.command for action in actions if action.command is not None]


def _short(message: str) -> str:
    """A message that fits a menu: its first line, white space taken together."""
    text = " ".join(message.strip().partition("\n")[0].split())
    return text if len(text) <= MESSAGE_LENGTH else text[: MESSAGE_LENGTH - 1].rstrip() + "…"


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
