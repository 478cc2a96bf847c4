"""What the server says to its client: messages to the person, edits, diagnostics, registrations, questions.

A client that answers a question with an error is logged here, and the caller gets a plain "no".
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

log = logging.getLogger(__name__)


class Client:
    """The client's end of the connection, to speak to."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._shown_once: set[str] = set()
        self._problems: dict[str, str] = {}

    # -- to the person -------------------------------------------------------------------------------------------------

    def show_message(self, message: str, type: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message each time this is called."""
        self._server.window_show_message(types.ShowMessageParams(type, message))

    def say_once(self, key: str, message: str, type: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message, once until `settle(key)`."""
        if key not in self._shown_once:
            self._shown_once.add(key)
            self.show_message(message, type)

    def settle(self, key: str) -> None:
        """The incident `say_once` reported is over: the next one is shown again."""
        self._shown_once.discard(key)

    def report_problem(self, key: str, message: str) -> None:
        """Show what is wrong with something a person wrote: once, until it changes. An empty message: all is right again."""
        if self._problems.get(key, "") != message:
            self._problems[key] = message
            if message:
                self.show_message(message)

    # -- notifications ---------------------------------------------------------------------------------------------------

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._server.protocol.notify(method, params)

    def publish_diagnostics(
        self, uri: str, diagnostics: list[types.Diagnostic], version: int | None = None
    ) -> None:
        """Replace what was published of a document."""
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )

    # -- requests --------------------------------------------------------------------------------------------------------

    async def apply_edit(
        self, edit: types.WorkspaceEdit, label: str, metadata: types.WorkspaceEditMetadata | None
    ) -> bool:
        """Whether the client says that it applied the edit."""
        try:
            reply = await self._server.workspace_apply_edit_async(
                types.ApplyWorkspaceEditParams(edit=edit, label=label, metadata=metadata)
            )
        except JsonRpcException as error:
            log.info("the client answers an edit with error %d", error.code)
            return False
        return bool(reply.applied)

    async def choose(self, question: str, choices: Sequence[str]) -> str | None:
        """The one of `choices`, no two alike, that the person chooses; None where they choose none. Raises: never."""
        actions = [types.MessageActionItem(title=choice) for choice in choices]
        params = types.ShowMessageRequestParams(types.MessageType.Info, question, actions)
        try:
            chosen = await self._server.window_show_message_request_async(params)
        except JsonRpcException as error:
            log.info("the client does not ask its person (%d)", error.code)
            self.show_message(f"{question} {' '.join(choices)}", types.MessageType.Info)
            return None
        return chosen.title if chosen is not None and chosen.title in choices else None

    async def configuration(self, items: list[types.ConfigurationItem]) -> Sequence[Any] | None:
        """The client's settings, one value an item; None where it does not give them."""
        try:
            return (
                await self._server.workspace_configuration_async(types.ConfigurationParams(items=items)) or ()
            )
        except JsonRpcException as error:
            log.warning("the client has no settings to give (%d)", error.code)
            return None

    async def create_progress(self, token: int | str) -> bool:
        """Whether the client shows a progress bar for `token`."""
        try:
            await self._server.window_work_done_progress_create_async(
                types.WorkDoneProgressCreateParams(token=token)
            )
        except JsonRpcException as error:
            log.info("the client wants no progress bar (%d)", error.code)
            return False
        return True

    async def register_capability(self, ident: str, method: str, options: Any) -> bool:
        """Register dynamically. False where the client refuses."""
        registration = types.Registration(id=f"copydesk-{ident}", method=method, register_options=options)
        try:
            await self._server.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException as error:
            log.warning("the client refuses to register %s (%d)", method, error.code)
            return False
        return True

    async def unregister_capability(self, ident: str, method: str) -> None:
        """Take a registration back."""
        registration = types.Unregistration(id=f"copydesk-{ident}", method=method)
        try:
            await self._server.client_unregister_capability_async(types.UnregistrationParams([registration]))
        except JsonRpcException as error:
            log.warning("the client keeps %s (%d)", method, error.code)
