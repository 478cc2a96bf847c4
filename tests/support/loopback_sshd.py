"""A real `sshd` on loopback with keys and a configuration of its own, and a proxy before it that delays and cuts connections."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

SSHD = shutil.which(
    "sshd", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
)
MISSING = "no sshd and ssh on this machine (Debian: apt-get install openssh-server openssh-client)"
DEADLINE = 60.0
CONFIGURATION = """\
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
"""


def available() -> bool:
    """Whether there are both programs."""
    return SSHD is not None and shutil.which("ssh") is not None and shutil.which("ssh-keygen") is not None


class LoopbackSshd:
    """In a folder that nobody else uses. `command` is how to run a program by it."""

    def __init__(self, folder: Path) -> None:
        assert SSHD is not None
        self._folder = folder
        for name in ("host_key", "user_key"):
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(words, check=True, timeout=DEADLINE)
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where sshd locks itself in
        self.port = free_port()
        configuration = folder / "sshd_config"
        configuration.write_text(CONFIGURATION.format(port=self.port, folder=folder))
        self._process = subprocess.Popen(
            [SSHD, "-D", "-e", "-f", str(configuration)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if b"Server listening" in line:
                break
        threading.Thread(target=self._process.stderr.read, daemon=True).start()

    def command(
        self, program: Sequence[str], *, port: int | None = None, threads: int = 1
    ) -> tuple[str, ...]:
        """`program` run over SSH with this tree's packages. port: of a proxy before the server. threads: of OpenMP."""
        path = os.environ["PYTHONPATH"]
        options = ["BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=accept-new"]
        options += [f"UserKnownHostsFile={self._folder}/known_hosts"]
        words = [word for option in options for word in ("-o", option)]
        return (
            "ssh", "-T", "-F", os.devnull, *words, "-i", str(self._folder / "user_key"), "-p", str(port or self.port),
            f"{getpass.getuser()}@127.0.0.1", "env", f"PYTHONPATH={path}", f"OMP_NUM_THREADS={threads}", *program,
        )  # fmt: skip

    def close(self) -> None:
        """End it; its connections end with their programs."""
        self._process.terminate()
        self._process.wait(DEADLINE)


class DelayingProxy:
    """Passes on what comes for `port`, each byte so many seconds later, until it is told to cut. Listens on a port of its own."""

    def __init__(self, port: int, delay: float) -> None:
        self._target, self._delay = port, delay
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def cut(self) -> int:
        """Break every connection, now. Returns how many sides there were."""

        async def cut() -> int:
            for writer in self._writers:
                writer.transport.abort()
            return len(self._writers)

        return asyncio.run_coroutine_threadsafe(cut(), self._loop).result(DEADLINE)

    def close(self) -> None:
        """Cut, and listen no more."""

        async def end() -> None:
            self._server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self.cut()
        asyncio.run_coroutine_threadsafe(end(), self._loop).result(DEADLINE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(DEADLINE)
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, target = await asyncio.open_connection("127.0.0.1", self._target)
        both = {writer, target}
        for each in both:
            each.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._writers |= both
        try:
            await asyncio.gather(self._pass_on(reader, target), self._pass_on(there, writer))
        finally:
            self._writers -= both
            for each in both:
                each.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        writing = self._loop.create_task(self._write(waiting, writer))
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                waiting.put_nowait((self._loop.time() + self._delay, data))
        waiting.put_nowait((self._loop.time() + self._delay, b""))
        await writing

    async def _write(self, waiting: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while True:
                due, data = await waiting.get()
                await asyncio.sleep(due - self._loop.time())
                if not data:
                    writer.write_eof()
                    return
                writer.write(data)


def free_port() -> int:
    """A port of loopback that nobody listened on a moment ago."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port
