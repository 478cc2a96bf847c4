"""`textDocument/codeAction`: what copydesk can do here. Never runs the model: `codeAction/resolve` and commands do.

Fixes that were prefetched come with their edits. Refactorings are found by syntax alone, and do without the engine.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from copydesk.errors import CopydeskError
from copydesk.request import Diagnostic
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp import edit_requests
from copydesk_server.lsp.capabilities import COMMANDS, FIX_ALL, QUICK_FIX, REFACTORINGS, REWRITE
from copydesk_server.lsp.diagnostics import ClientDiagnostic, DiagnosticStore
from copydesk_server.lsp.documents import OpenDocument
from copydesk_server.lsp.name_menu import NameEntry, NameMenu
from copydesk_server.lsp.prefetch import Prefetch
from copydesk_server.lsp.programs import Programs
from copydesk_server.lsp.refactoring_menu import RefactoringMenu
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.settings import IN_SETTINGS, Recipe
from copydesk_server.lsp.workspace_edits import lines_of_range, text_after, workspace_edit

if TYPE_CHECKING:
    from copydesk.refactorings.menu import MenuEntry

log = logging.getLogger(__name__)

APPLY, FIX_ALL_COMMAND = COMMANDS
ASK_INSTRUCTION = "copydesk.editWithInstruction"
"""The client's own command: it asks for the text, which LSP cannot, and sends `copydesk/edit`."""
MESSAGE_LENGTH = 100


class CodeActions:
    """Lists actions from what is known already."""

    def __init__(
        self,
        state: SessionState,
        engine: Engine,
        diagnostics: DiagnosticStore,
        prefetch: Prefetch,
        programs: Programs,
        refactorings: RefactoringMenu,
        names: NameMenu,
    ) -> None:
        self._state, self._engine, self._refactorings, self._names = state, engine, refactorings, names
        self._diagnostics, self._prefetch, self._programs = diagnostics, prefetch, programs

    async def listed(self, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        """Actions, or commands for clients that know no action literals."""
        document = self._state.documents.get(params.text_document.uri)
        if document is None:
            return []
        only = [_name(kind) for kind in params.context.only] if params.context.only is not None else None
        literals = self._state.capabilities.action_literals
        wanted = literals and (not only or any(one.partition(".")[0] in ("", "refactor") for one in only))
        entries = await self._refactorings.entries(document, params.range) if wanted else []
        names: dict[Diagnostic, list[NameEntry]] = {}
        if literals and offered(QUICK_FIX, only):
            there = self._diagnostics.at(document, params.range, params.context.diagnostics)
            names = await self._names.entries(document, [finding.diagnostic for finding in there])
        found: list[types.CodeAction] = []
        if self._state.documents.get(document.uri) is not document:
            return []
        if self._engine.state not in ("failed", "closed"):
            found += self._actions(document, params, only, names)
        found += self._offered(document, params.range, entries, only)
        if literals:
            return list(found)
        return [action.command for action in found if action.command is not None]

    def _actions(
        self,
        document: OpenDocument,
        params: types.CodeActionParams,
        only: Sequence[str] | None,
        names: Mapping[Diagnostic, Sequence[NameEntry]],
    ) -> Iterator[types.CodeAction]:
        if offered(QUICK_FIX, only):
            yield from self._fixes(document, params, names)
        chosen = params.range
        if offered(REWRITE, only) and chosen.start != chosen.end and self._diagnostics.serves(document):
            yield from self._rewrites(document, chosen)
        if offered(FIX_ALL, only) and self._diagnostics.known(document):
            title = "Fix all that can be confirmed (copydesk)"
            yield self._action(title, FIX_ALL, edit_requests.fix_all_data(document), FIX_ALL_COMMAND)

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
                title = f"{_short(entry.title)}{where} (copydesk)"
                try:
                    yield self._refactorings.action(document, chosen, entry, title)
                except CopydeskError as error:
                    log.error("a refactoring does not fit: %s", error)

    def _fixes(
        self,
        document: OpenDocument,
        params: types.CodeActionParams,
        names: Mapping[Diagnostic, Sequence[NameEntry]],
    ) -> Iterator[types.CodeAction]:
        listed: list[EditOutcome] = []
        for finding in self._diagnostics.at(document, params.range, params.context.diagnostics):
            title = f"Fix: {_short(finding.diagnostic.message)} (copydesk)"
            data = edit_requests.fix_data(document, finding)
            action = self._action(title, QUICK_FIX, data)
            action.diagnostics = [finding.shown]
            known = self._prefetch.lookup(document, finding.diagnostic)
            if known is not None and known.status == "edited":
                try:
                    action.edit = workspace_edit(document, known.edits, self._state.encoding)
                except CopydeskError as error:
                    log.error("a prefetched edit does not fit: %s", error)
                else:
                    action.command = None
                    safe = known.verdict == "confirmed" and known.applicability == "safe"
                    alone = len(names.get(finding.diagnostic, ())) < 2
                    action.is_preferred = True if safe and alone else None
                    action.data = {**data, "verdict": known.verdict, "applicability": known.applicability}
                    listed.append(known)
            yield action
            yield from self._alternatives(document, finding, names.get(finding.diagnostic, ()), known)
        self._programs.listed(document, listed)

    def _alternatives(
        self,
        document: OpenDocument,
        finding: ClientDiagnostic,
        entries: Sequence[NameEntry],
        known: EditOutcome | None,
    ) -> Iterator[types.CodeAction]:
        """The candidates, where there are several; not the one that the fix above is known to be."""
        encoding = self._state.encoding
        chosen = None
        if known is not None and known.status == "edited":
            chosen = text_after(document.lines, known.edits, encoding)
        for entry in entries if len(entries) > 1 else ():
            edits = self._names.edits(document, entry)
            if text_after(document.lines, edits, encoding) == chosen:
                continue
            action = types.CodeAction(f"{_short(entry.title)} (copydesk)", kind=QUICK_FIX)
            action.diagnostics = [finding.shown]
            try:
                action.edit = workspace_edit(document, edits, encoding)
            except CopydeskError as error:
                log.error("a name's edit does not fit: %s", error)
            else:
                yield action

    def _rewrites(self, document: OpenDocument, chosen: types.Range) -> Iterator[types.CodeAction]:
        lines = lines_of_range(document.lines, chosen)
        for recipe in self._state.settings.of(document.uri).recipes:
            yield self._action(
                recipe_title(recipe), REWRITE, edit_requests.rewrite_data(document, lines, recipe)
            )
        if self._state.capabilities.asks_instructions:
            where: dict[str, Any] = {
                "textDocument": {"uri": document.uri, "version": document.version},
                "range": chosen,
            }
            title = "Edit with instruction… (copydesk)"
            yield types.CodeAction(
                title, kind=REWRITE, command=types.Command(title, ASK_INSTRUCTION, arguments=[where])
            )

    def _action(self, title: str, kind: str, data: dict[str, Any], command: str = APPLY) -> types.CodeAction:
        """An action whose edit is not there yet: a client that can resolves it, any other has us apply it."""
        if self._state.capabilities.resolves_edits:
            return types.CodeAction(title, kind=kind, data=data)
        return types.CodeAction(title, kind=kind, command=types.Command(title, command, arguments=[data]))


def code_action(
    actions: CodeActions,
) -> Callable[[types.CodeActionParams], Awaitable[list[types.CodeAction | types.Command]]]:
    """Waits for a parser at most."""

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


def recipe_title(recipe: Recipe) -> str:
    """What the menu shows. A recipe that came with the folder says so: it is somebody else's text."""
    return f"{recipe.title} (copydesk{'' if recipe.origin == IN_SETTINGS else f', from {recipe.origin}'})"


def _short(message: str) -> str:
    """A message that fits a menu: its first line, white space taken together."""
    text = " ".join(message.strip().partition("\n")[0].split())
    return text if len(text) <= MESSAGE_LENGTH else text[: MESSAGE_LENGTH - 1].rstrip() + "…"


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
