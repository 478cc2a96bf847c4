"""What a client may send: the one place where every message is checked before anything is done with it.

A message that passes is JSON-RPC, no larger and no deeper than its method has use for, and asks with an id what is a request and
without one what is a notification. Made of the standard library alone.
"""

from __future__ import annotations

import re
from typing import Any

from copydesk_server.lsp import jsonrpc
from copydesk_server.lsp.capabilities import dig

REQUESTS = frozenset(
    {
        "initialize",
        "shutdown",
        "textDocument/codeAction",
        "textDocument/inlineCompletion",
        "textDocument/prepareRename",
        "textDocument/rename",
        "textDocument/selectionRange",
        "codeAction/resolve",
        "workspace/executeCommand",
        "copydesk/edit",
        "copydesk/program",
        "copydesk/status",
    }
)
"""Without an id they are dropped."""
TEXTS = frozenset({"textDocument/didOpen", "textDocument/didChange"})
"""They carry a document's text, and may be as long as any message."""
NOTIFICATIONS = TEXTS | {
    "initialized",
    "exit",
    "textDocument/didClose",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
    "window/workDoneProgress/cancel",
    "copydesk/diagnostics",
    "copydesk/visibleRanges",
    "$/cancelRequest",
    "$/setTrace",
}
"""With an id they are refused: `exit` that asks for an answer must not end the server."""

MAX_REQUEST = 1 << 20
"""Bytes of a message that is asked for an answer: none carries a document."""
MAX_NOTIFICATION = 1 << 23
"""Bytes of any other message; a response of the client's, too."""
MAX_DEPTH = 64
"""Lists and objects within each other. What is echoed to the client is written by recursion, three calls a level."""
MAX_CONTAINERS = 1 << 18
"""Lists and objects in one message: each takes 60 bytes and more, and is written in two."""

# Possessive: what could be given back costs a hundred bytes of memory a character.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def decode(body: bytes) -> jsonrpc.Message:
    """The message in `body`. Raises jsonrpc.MessageError."""
    containers = _containers(body)
    if containers > MAX_CONTAINERS:
        raise jsonrpc.MessageError(
            jsonrpc.INVALID_REQUEST, f"a message has at most {MAX_CONTAINERS} lists and objects"
        )
    message = jsonrpc.decode(body)
    method, asked = message.get("method"), "id" in message
    if method is None:
        limit = MAX_NOTIFICATION
    elif method in TEXTS:
        limit = jsonrpc.MAX_BODY
    else:
        limit = MAX_REQUEST if asked else MAX_NOTIFICATION
    reason = None
    if asked and method in NOTIFICATIONS:
        reason = f"{method} is a notification"
    elif not asked and method in REQUESTS:
        reason = f"{method} is a request"
    elif len(body) > limit:
        reason = f"the message is longer than {limit} bytes"
    elif containers > MAX_DEPTH and _deeper(message, MAX_DEPTH):
        reason = f"the message is nested more than {MAX_DEPTH} deep"
    if reason is not None:
        silent = method is None or not asked
        raise jsonrpc.MessageError(
            jsonrpc.INVALID_REQUEST, reason, message.get("id"), silent=silent, message=message
        )
    return message


def changed_document(message: Any) -> str | None:
    """The URI of the document whose text `message` would change: where it is refused, that text is not known any more."""
    method, uri = dig(message, "method"), dig(message, "params", "textDocument", "uri")
    return uri if isinstance(method, str) and method in TEXTS and isinstance(uri, str) else None


def may_change_a_document(body: bytes) -> bool:
    """Whether a body that is no message, or was too long to be kept, could have been a change of some document's text."""
    return body is jsonrpc.TOO_LONG or any(method.encode() in body for method in TEXTS)


def _containers(body: bytes) -> int:
    """Lists and objects in JSON text, without parsing it."""
    count = body.count(b"[") + body.count(b"{")
    if count > MAX_CONTAINERS:  # most of them may be a document's own
        bare = _STRING.sub(b"", body)
        count = bare.count(b"[") + bare.count(b"{")
    return count


def _deeper(message: jsonrpc.Message, limit: int) -> bool:
    """Whether lists and objects lie in each other more than `limit` deep."""
    level: list[Any] = [message]
    for _ in range(limit):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
    return True
