"""`textDocument/codeAction`: what copydesk can do here. Never runs the model: `codeAction/resolve` and commands do.

What is known of a fix by then comes with its edit (`fix_actions.py`). Refactorings are found by syntax alone, and do without
the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from copydesk.errors import CopydeskError
from copydesk_server.edit_titles import short
from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp import edit_requests
from copydesk_server.lsp.action_maker import FIX_ALL_COMMAND, ActionMaker
from copydesk_server.lsp.capabilities import FIX_ALL, QUICK_FIX, REFACTORINGS, REWRITE
from copydesk_server.lsp.diagnostics import DiagnosticStore
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.fix_actions import FixActions
from copydesk_server.lsp.refactoring_menu import RefactoringMenu
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.settings import IN_SETTINGS
from copydesk_server.lsp.workspace_edits import lines_of_range

if TYPE_CHECKING:
    from copydesk.refactorings.menu import MenuEntry

log = logging.getLogger(__name__)

ASK_INSTRUCTION = "copydesk.editWithInstruction"
"""The client's own command: it asks for the text, which LSP cannot, and sends `copydesk/edit`."""


class CodeActions:
    """Lists actions from what is known already."""

    def __init__(
        self,
        state: SessionState,
        engine: Engine,
        diagnostics: DiagnosticStore,
        fixes: FixActions,
        refactorings: RefactoringMenu,
        maker: ActionMaker,
    ) -> None:
        self._state, self._engine, self._diagnostics = state, engine, diagnostics
        self._fixes, self._refactorings, self._maker = fixes, refactorings, maker

    async def listed(self, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        """Actions, or commands for clients that know no action literals."""
        document = self._state.documents.get(params.text_document.uri)
        if document is None:
            return []
        only = [_name(kind) for kind in params.context.only] if params.context.only is not None else None
        literals = self._state.capabilities.action_literals
        serves, version = self._engine.state not in ("failed", "closed"), document.version
        fixes: list[types.CodeAction] = []
        if serves and offered(QUICK_FIX, only):
            fixes = await self._fixes.listed(document, params)
        wanted = literals and (not only or any(one.partition(".")[0] in ("", "refactor") for one in only))
        entries = await self._refactorings.entries(document, params.range) if wanted else []
        if self._state.documents.get(document.uri) is not document:
            return []
        found = fixes if document.version == version else []
        if serves:
            found += self._actions(document, params, only)
        found += self._offered(document, params.range, entries, only)
        if literals:
            return list(found)
        return [action.command for action in found if action.command is not None]

    def _actions(
        self,
        document: OpenDocument,
        params: types.CodeActionParams,
        only: Sequence[str] | None,
    ) -> Iterator[types.CodeAction]:
        chosen = params.range
        if offered(REWRITE, only) and chosen.start != chosen.end and self._diagnostics.serves(document):
            yield from self._rewrites(document, chosen)
        if offered(FIX_ALL, only) and self._diagnostics.known(document):
            data = edit_requests.fix_all_data(document)
            yield self._maker.without_edit(
                "Fix all that can be confirmed", FIX_ALL, data, FIX_ALL_COMMAND, generated=False
            )

    def _offered(
        self,
        document: OpenDocument,
        chosen: types.Range,
        entries: Sequence[MenuEntry],
        only: Sequence[str] | None,
    ) -> Iterator[types.CodeAction]:
        titles = [entry.title for entry in entries]
        for entry in entries:
            if entry.refactoring.kind.startswith(REFACTORINGS) and offered(entry.refactoring.kind, only):
                where = f", line {entry.line}" if titles.count(entry.title) > 1 else ""
                title = f"{short(entry.title)}{where} (copydesk)"
                try:
                    yield self._refactorings.action(document, chosen, entry, title)
                except CopydeskError as error:
                    log.error("a refactoring does not fit: %s", error)

    def _rewrites(self, document: OpenDocument, chosen: types.Range) -> Iterator[types.CodeAction]:
        lines = lines_of_range(document.lines, chosen)
        for recipe in self._state.settings.of(document.uri).recipes:
            data = edit_requests.rewrite_data(document, lines, recipe)
            # A recipe that came with the folder says so: it is somebody else's text.
            origin = None if recipe.origin == IN_SETTINGS else recipe.origin
            yield self._maker.without_edit(recipe.title, REWRITE, data, origin=origin)
        if self._state.capabilities.asks_instructions:
            where: dict[str, Any] = {
                "textDocument": {"uri": document.uri, "version": document.version},
                "range": chosen,
            }
            title = "Edit with instruction… (copydesk)"
            command = types.Command(title, ASK_INSTRUCTION, arguments=[where])
            yield types.CodeAction(
                title, kind=REWRITE, command=command, tags=self._maker.tags(generated=True)
            )


def code_action(
    actions: CodeActions,
) -> Callable[[types.CodeActionParams], Awaitable[list[types.CodeAction | types.Command]]]:
    """Waits for parsers and tools at most, and for these no longer than a menu may (`fix_menu.py`)."""

    async def handle(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        return await actions.listed(params)

    return handle


def offered(kind: str, only: Sequence[str] | None) -> bool:
    """Whether a client that wants `only` these kinds wants `kind`: a kind contains all whose name goes on with a dot.

    But not for fixing all: `"source.fixAll": true` is in many people's settings for saving, and a save must not run a model that
    was not asked for by name.
    """
    if kind == FIX_ALL:
        return only is not None and kind in only
    return not only or any(wanted in ("", kind) or kind.startswith(wanted + ".") for wanted in only)


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
