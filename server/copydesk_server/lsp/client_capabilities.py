"""What the client can do, in the words of those who ask. Reads `initialize`'s params as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copydesk_server.lsp.capabilities import dig, inline_completion, listed, resolves_edits

GENERATED = 1
"""`CodeActionTag.LLMGenerated` on the wire."""


class ClientCapabilities:
    """A client, by what it said in `initialize`. Whatever it left out it cannot do."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        client = params.get("capabilities")
        options = dig(params, "initializationOptions", "copydesk")
        actions = dig(client, "textDocument", "codeAction")
        edits = dig(client, "workspace", "workspaceEdit")
        watching = dig(client, "workspace", "didChangeWatchedFiles")
        pid = params.get("processId")

        self.name = str(dig(params, "clientInfo", "name") or "")
        self.process_id: int | None = pid if type(pid) is int and 0 < pid < 1 << 31 else None
        self.options: Mapping[str, Any] = options if isinstance(options, Mapping) else {}

        self.resolves_edits = resolves_edits(client or {})
        """`edit` is in resolveSupport and data survives: an action may be sent without its edit."""
        self.action_literals = dig(actions, "codeActionLiteralSupport") is not None
        self.action_data = bool(dig(actions, "dataSupport"))
        self.preferred_actions = bool(dig(actions, "isPreferredSupport"))
        self.disabled_actions = bool(dig(actions, "disabledSupport"))
        self.action_tags = GENERATED in listed(dig(actions, "tagSupport", "valueSet"))
        """It knows `CodeActionTag.LLMGenerated`."""
        self.resolves_tags = self.action_tags and "tags" in listed(
            dig(actions, "resolveSupport", "properties")
        )
        self.asks_instructions = self.options.get("askInstruction") is True
        """Its own code asks the person for the text of "Edit with instruction…"."""
        self.chooses_alternatives = self.options.get("alternatives") is True
        """Its own code has the person choose among the alternatives of an unsure answer."""
        self.untrusted = self.options.get("untrusted", False) is not False
        """It opened folders that the person does not trust. Whatever it says but `false` is yes."""
        self.inline_completion = inline_completion(client or {})
        self.refreshes_inline_completions = (
            self.inline_completion and self.options.get("inlineCompletions") is True
        )
        """Its own code asks for inline completions once more where `copydesk/inlineCompletions` says so."""
        self.wants_status = self.options.get("status") is True
        """It shows `copydesk/status` notifications."""

        self.apply_edit = bool(dig(client, "workspace", "applyEdit"))
        self.document_changes = bool(dig(edits, "documentChanges"))
        self.change_annotations = dig(edits, "changeAnnotationSupport") is not None
        self.annotated_actions = self.change_annotations and dig(actions, "honorsChangeAnnotations") is True
        """It asks the person where an annotation of an action's edit says so."""
        self.edit_metadata = dig(edits, "metadataSupport") is True
        self.work_done_progress = bool(dig(client, "window", "workDoneProgress"))
        self.shows_messages = dig(client, "window", "showMessage") is not None

        self.configuration = bool(dig(client, "workspace", "configuration"))
        self.registers_configuration = bool(
            dig(client, "workspace", "didChangeConfiguration", "dynamicRegistration")
        )
        self.watches_files = bool(dig(watching, "dynamicRegistration"))
        self.watches_anywhere = self.watches_files and bool(dig(watching, "relativePatternSupport"))
        """It can also watch outside its workspace."""
