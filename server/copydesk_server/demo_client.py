"""A client of the language server small enough for the demo: starts it, opens files, asks for edits, hears what it says.

It speaks the protocol as an editor does, over the server's own streams. Knows messages; nothing of fixes or terminals.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from copydesk_server.errors import ServerError
from copydesk_server.lsp import jsonrpc

WARNING = 2
"""MessageType.Warning of LSP; an error is 1."""
PATIENCE = 120.0
"""Seconds to wait for anything: loading a model is the longest."""


class DemoClient:
    """One server in a process of its own. `arguments`: of `copydesk lsp`."""

    def __init__(self, arguments: Sequence[str] = (), lint: bool = True) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-P", "-m", "copydesk_server", "lsp", "--quiet", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._inbox: queue.Queue[jsonrpc.Message | None] = queue.Queue()
        self._kept: list[jsonrpc.Message] = []
        self._ids = 0
        threading.Thread(target=self._read, name="server", daemon=True).start()
        # The first answer waits for the model, which a person's editor would not.
        settings = {"lint": "on" if lint else "off", "precompute": False, "requestTimeout": PATIENCE}
        self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": {"general": {"positionEncodings": ["utf-16"]}},
                "initializationOptions": {"copydesk": {"settings": settings}},
            },
        )
        self.notify("initialized", {})

    def notify(self, method: str, params: Any) -> None:
        """Say something that has no answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any, heard: Callable[[str, Any], None] | None = None) -> Any:
        """Ask, and wait for the answer; `heard` is told of every notification that comes before. Raises ServerError."""
        self._ids += 1
        ident = self._ids
        self._send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        while True:
            message = self._next()
            if "method" in message:
                if heard is not None:
                    heard(message["method"], message["params"])
                self._kept.append(message)
            elif message.get("id") == ident:
                if "error" in message:
                    raise ServerError(f"{method}: {message['error']['message']}")
                return message["result"]

    def wait(self, method: str, right: Callable[[Any], bool]) -> Any:
        """The params of the first notification of that name that is right, said already or yet to come. Raises ServerError."""
        for k, message in enumerate(self._kept):
            if message["method"] == method and right(message["params"]):
                del self._kept[k]
                return message["params"]
        while True:
            message = self._next()
            if message.get("method") == method and right(message["params"]):
                return message["params"]
            if "method" in message:
                self._kept.append(message)

    def _send(self, message: jsonrpc.Message) -> None:
        assert self._server.stdin is not None
        try:
            self._server.stdin.write(jsonrpc.encode(message))
            self._server.stdin.flush()
        except OSError as error:
            raise ServerError(f"the language server is gone ({error})") from error

    def _next(self) -> jsonrpc.Message:
        try:
            message = self._inbox.get(timeout=PATIENCE)
        except queue.Empty:
            raise ServerError(f"the language server said nothing for {PATIENCE:g} s") from None
        if message is None:
            raise ServerError("the language server ended")
        # That a model or ruff is missing, say: nothing else will come.
        if message.get("method") == "window/showMessage" and message["params"]["type"] <= WARNING:
            raise ServerError(message["params"]["message"])
        return message

    def _read(self) -> None:
        frames = jsonrpc.Frames()
        stdout = self._server.stdout
        assert stdout is not None
        while data := os.read(stdout.fileno(), 1 << 16):
            for body in frames.feed(data):
                self._inbox.put(jsonrpc.decode(body))
        self._inbox.put(None)

    def __enter__(self) -> DemoClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if kind is None:
            self.request("shutdown", None)
            self.notify("exit", None)
            self._server.wait(PATIENCE)
        else:
            self._server.kill()
            self._server.wait()
