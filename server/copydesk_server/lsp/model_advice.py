"""Tells a person, once, that there is a better model to be had: where an instruction came to nothing."""

from __future__ import annotations

from lsprotocol import types

from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.edit_task import EditTask


class ModelAdvice:
    """Looks at outcomes; the engine says whether there is advice about the model it has loaded."""

    def __init__(self, client: Client, engine: Engine) -> None:
        self._client, self._engine = client, engine

    def look_at(self, task: EditTask, outcome: EditOutcome) -> None:
        """Say it if this is the first instruction of the session that was refused."""
        info = self._engine.info
        if task.kind != "rewrite" or outcome.status != "refused" or info is None or info.advice is None:
            return
        message = f"copydesk edits with the model {info.name}; {info.advice}, then restart copydesk."
        self._client.say_once("model-advice", message, types.MessageType.Info)
