"""What the server offers, as `initialize` answers it. Made of the standard library alone, so that it is known before anything
else is imported; `tests/server/lsp/test_lsp_base.py` holds it against what the features registered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copydesk.text.position import Encoding

NAME = "copydesk"

QUICK_FIX = "quickfix"
REWRITE = "refactor.rewrite.copydesk"
FIX_ALL = "source.fixAll.copydesk"
REFACTORINGS = ("refactor.extract", "refactor.inline", "refactor.rewrite")
"""The kinds of named refactorings are these, or go on from one of them."""
CODE_ACTION_KINDS = (QUICK_FIX, *REFACTORINGS, REWRITE, FIX_ALL)

COMMANDS = ("copydesk.server.apply", "copydesk.server.fixAll")
"""Not any client's own ids: VS Code registers a server's commands globally, where two of one name collide."""
ACCEPTED = "copydesk.server.inlineCompletionAccepted"
"""The command of every inline completion: the client runs it when one is accepted."""

INCREMENTAL = 2  # TextDocumentSyncKind


def position_encoding(client: Mapping[str, Any]) -> Encoding:
    """The first encoding of the client's list that we know; UTF-16 for a client without a list, as LSP says."""
    for name in listed(dig(client, "general", "positionEncodings")):
        if name in tuple(Encoding):
            return Encoding(name)
    return Encoding.UTF16


def resolves_edits(client: Mapping[str, Any]) -> bool:
    """Whether an action may come without its edit and get it when it is chosen."""
    action = dig(client, "textDocument", "codeAction")
    properties = listed(dig(action, "resolveSupport", "properties"))
    return bool("edit" in properties and dig(action, "dataSupport"))


def inline_completion(client: Mapping[str, Any]) -> bool:
    """Whether the client shows inline completions."""
    return isinstance(dig(client, "textDocument", "inlineCompletion"), Mapping)


def commands(client: Mapping[str, Any]) -> tuple[str, ...]:
    """The server's commands that this client has use for."""
    return (*COMMANDS, ACCEPTED) if inline_completion(client) else COMMANDS


def server_capabilities(client: Mapping[str, Any]) -> dict[str, Any]:
    """`ServerCapabilities` for a client with these capabilities."""
    literals = dig(client, "textDocument", "codeAction", "codeActionLiteralSupport") is not None
    actions = {
        "codeActionKinds": list(CODE_ACTION_KINDS),
        "resolveProvider": resolves_edits(client),
        "workDoneProgress": False,
    }
    offered = {
        "positionEncoding": position_encoding(client).value,
        "textDocumentSync": {"openClose": True, "change": INCREMENTAL, "save": False},
        # Options are for clients that know action literals; older ones get commands, and may be told no more than yes.
        "codeActionProvider": actions if literals else True,
        "renameProvider": {"prepareProvider": True, "workDoneProgress": True}
        if dig(client, "textDocument", "rename", "prepareSupport")
        else True,
        "selectionRangeProvider": True,
        "executeCommandProvider": {"commands": list(commands(client)), "workDoneProgress": True},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    if inline_completion(client):
        offered["inlineCompletionProvider"] = {}
    return offered


def dig(value: Any, *names: str) -> Any:
    """A member some levels down; None where there is none on the way."""
    for name in names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def listed(value: Any) -> list[Any]:
    """A list from somebody else's JSON; empty where it is none."""
    return value if isinstance(value, list) else []
