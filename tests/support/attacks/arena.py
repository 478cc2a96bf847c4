"""Where an attack takes place: its random numbers, its folder, servers whose memory is watched, and what came of it."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attacks.memory import Watch
from lsp_client import FULL, LspClient, ResponseError, environment

MB = 1_000_000
PROTOCOL, MESSAGES = 150 * MB, 4
"""What the protocol process may take: so many bytes, and so many times its largest message."""
ENGINE = 512 * MB
"""What the engine may take beside what it takes at rest."""
COMMAND = 1000 * MB
"""What a command may take, which has the model in its own process."""
PATIENCE = 240.0
"""Seconds that a command may take."""
SETTINGS = {"precompute": False, "requestTimeout": 100}
"""An attack may have half a processor: what is slow is not lost."""
TEXT = "import os\n\n\ndef first(x, y):\n    if x == None:\n        return y\n    return x\n"
MENDED = TEXT.replace("== None", "is None")


@dataclass
class Figures:
    """What was seen of one attack, in all its rounds. Bytes; 0 where it was not measured."""

    rounds: int = 0
    tried: int = 0
    seconds: float = 0.0
    protocol: int = 0
    message: int = 0  # the largest
    grown: int = 0  # the engine, beyond its rest
    faults: list[str] = field(default_factory=list)


class Server(LspClient):
    """The real server and the real engine. `largest`: bytes of the largest message so far."""

    def __init__(self, *arguments: str, **named: Any) -> None:
        super().__init__(*arguments, host=None, **named)
        self.largest = 0
        self.watch = Watch(self.process.pid)
        self.ignore(
            "copydesk/status", "copydesk/hunk", "copydesk/retract", "window/showMessage",
            "textDocument/publishDiagnostics", "window/logMessage",
        )  # fmt: skip

    def raw(self, data: bytes) -> None:
        self.largest = max(self.largest, len(data))
        super().raw(data)

    def loaded(self, *, besides: int | None = None) -> dict[str, Any]:
        """The status once there is a model, in another process than `besides`."""
        status = self.status_when(
            lambda status: (
                status["state"] == "failed" or (status["state"] == "ready" and status["pid"] != besides)
            )
        )
        assert status["state"] == "ready", status
        return status

    def edit(self, uri: str) -> int:
        """Ask for a comparison to None to be mended, and do not wait."""
        line = {"start": {"line": 4, "character": 12}, "end": {"line": 4, "character": 16}}
        diagnostic = {
            "range": line,
            "message": "Comparison to `None` should be `cond is None`",
            "code": "E711",
            "source": "Ruff",
            "severity": 2,
        }
        document = {"uri": uri, "version": self.versions[uri]}
        return self.ask("copydesk/edit", {"textDocument": document, "diagnostic": diagnostic})

    def settled(self, ident: int) -> str:
        """The answer's status, or its error's code: what counts is that there is one."""
        try:
            status: str = self.answer(ident)["status"]
        except ResponseError as error:
            return str(error.code)
        return status

    def alive(self) -> None:
        """It mends a text nobody has touched."""
        self.loaded()
        uri = self.open("untitled:alive.py", TEXT)
        for _ in range(3):  # on a busy machine the first may meet its deadline
            if (status := self.settled(self.edit(uri))) == "edited":
                break
        assert status == "edited", status
        self.close(uri)


@dataclass
class Arena:
    """One round of one attack."""

    random: random.Random
    folder: Path
    figures: Figures

    def tried(self, count: int = 1) -> None:
        """So many things were done to it."""
        self.figures.tried += count

    @contextmanager
    def server(
        self,
        *arguments: str,
        folders: Sequence[Path] = (),
        settings: dict[str, Any] | None = None,
        **named: Any,
    ) -> Iterator[Server]:
        """A server that is ready. At its end it must be alive, and no process of it larger than stated."""
        with Server(*arguments, "--log-level", "error", **named) as server:
            try:
                server.settings = {**SETTINGS, **(settings or {})}
                server.initialize(FULL, folders=folders)
                server.alive()
                rest = server.watch.rest()
                yield server
                if server.expected_code == 0:
                    server.alive()
            finally:
                server.watch.end()
            self.measured(server.watch.protocol, server.largest, server.watch.engine - rest)

    def measured(self, protocol: int, message: int = 0, grown: int = 0) -> None:
        """What the processes took at most."""
        seen = self.figures
        seen.protocol, seen.message = max(seen.protocol, protocol), max(seen.message, message)
        seen.grown = max(seen.grown, grown)
        bound = PROTOCOL + MESSAGES * message
        assert protocol <= bound, (
            f"the protocol process took {protocol / MB:.0f} MB, and {bound / MB:.0f} were stated"
        )
        assert grown <= ENGINE, f"the engine grew by {grown / MB:.0f} MB"

    def start(self, *arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """A command of copydesk's in a process of its own."""
        with contextlib.ExitStack() as files:
            said = files.enter_context((self.folder / "said").open("wb"))
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "copydesk_server", *arguments],
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=env or environment({"XDG_STATE_HOME": str(self.folder / "state")}),
            )

    def command(self, *arguments: str, cwd: Path, env: dict[str, str] | None = None) -> tuple[int, str]:
        """Run one to its end: the exit code, and all it said."""
        process = self.start(*arguments, cwd=cwd, env=env)
        watch = Watch(process.pid)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"`copydesk {arguments[0]}` did not end in {PATIENCE:.0f} s") from None
        finally:
            watch.end()
            if process.poll() is None:
                process.kill()
                process.wait()
        assert max(watch.protocol, watch.engine) <= COMMAND, (
            f"`copydesk {arguments[0]}` took {watch.protocol / MB:.0f} MB, a process below it {watch.engine / MB:.0f}"
        )
        said = (self.folder / "said").read_text(errors="replace")
        assert code in (0, 1, 2), f"`copydesk {arguments[0]}` ended with {code}: {said[-500:]}"
        return code, said
