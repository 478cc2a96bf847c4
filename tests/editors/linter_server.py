"""A small language server that owns the diagnostics: it publishes what ruff finds, and can do nothing else.

    python linter_server.py utf-16        # or utf-8, utf-32: the encoding it insists on, where the client offers it

Whole texts, standard streams. It stands for any linter's server that runs beside copydesk.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from copydesk.text.document import Encoding, TextLines
from server_tools import the_ruff

SOURCE = "Ruff"
CODES = "E711,F401,F841"


def main(wanted: str) -> int:
    """Serve one client until it says `exit`."""
    encoding = Encoding.UTF16
    while (message := receive()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "initialize":
            offered = params["capabilities"].get("general", {}).get("positionEncodings") or ["utf-16"]
            encoding = Encoding(wanted if wanted in offered else "utf-16")
            capabilities = {"textDocumentSync": 1, "positionEncoding": encoding.value}
            send({"id": message["id"], "result": {"capabilities": capabilities}})
        elif method == "textDocument/didOpen":
            publish(params["textDocument"]["uri"], params["textDocument"]["text"], encoding)
        elif method == "textDocument/didChange":
            publish(params["textDocument"]["uri"], params["contentChanges"][-1]["text"], encoding)
        elif method == "exit":
            break
        elif "id" in message and method is not None:
            send({"id": message["id"], "result": None})
    return 0


def publish(uri: str, text: str, encoding: Encoding) -> None:
    """All of a document's, at once."""
    lines = TextLines(text)
    found = []
    for one in the_ruff().check(text, None, select=CODES):
        start, end = (lines.position(p.line, p.character, encoding) for p in (one.start, one.end))
        found.append(
            {
                "range": {
                    "start": {"line": start.line, "character": start.character},
                    "end": {"line": end.line, "character": end.character},
                },
                "message": one.message,
                "code": one.code,
                "source": SOURCE,
                "severity": 2,
            }
        )
    send({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": found}})


def receive() -> dict[str, Any] | None:
    """The next message; None at the end of the input."""
    length = None
    while (line := sys.stdin.buffer.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if length is None:
        return None
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def send(message: dict[str, Any]) -> None:
    """One message."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
