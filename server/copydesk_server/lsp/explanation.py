"""Telling a person why there is nothing to apply."""

from __future__ import annotations

from lsprotocol import types

from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp.client import Client


def explain(client: Client, outcome: EditOutcome) -> None:
    """Shown each time: they wait for an answer. Says nothing of an outcome that is edited."""
    reason = f": {outcome.reason}" if outcome.reason else ""
    if outcome.status == "failed":
        client.show_message(f"copydesk: the edit failed{reason}.")
    elif outcome.status != "edited":
        client.show_message(f"copydesk changed nothing{reason}.", types.MessageType.Info)
