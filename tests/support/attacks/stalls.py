"""SIGSTOP: a process that is there and does nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from attacks.arena import TEXT, Arena


def stopped(arena: Arena) -> None:
    """An engine that is stopped for a moment goes on; one that is stopped for good is replaced, and whoever waits is answered."""
    with arena.server(settings={"requestTimeout": 20}) as server:
        uri = server.open("untitled:a.py", TEXT)
        pid = server.loaded()["pid"]
        asked = server.edit(uri)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(arena.random.random() * 3)
        os.kill(pid, signal.SIGCONT)
        server.settled(asked)
        assert server.loaded()["pid"] == pid, "it was only held up"
        arena.tried()
        os.kill(pid, signal.SIGSTOP)
        try:
            asked = server.edit(uri)
            for version in range(200):
                server.change(uri, {"text": f"{TEXT}# {version}\n"})
            server.settled(asked)
            server.loaded(besides=pid)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        assert server.settled(server.edit(uri)) in ("edited", "-32803")
        server.close(uri)
        arena.tried()
