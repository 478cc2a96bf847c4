"""Model directories of `hostile_models.py`, one after the other, in a server that goes on with a good one."""

from __future__ import annotations

import shutil
from pathlib import Path

from attacks.arena import SETTINGS, Arena, Server
from copydesk.serving.loaded_model import EMBEDDED
from hostile_models import HOSTILE

AT_ONCE = 4


def switched(arena: Arena) -> None:
    """Each is refused with a message, and the embedded model is there again as soon as it is asked for."""
    with arena.server() as server:
        for name, damage, _ in arena.random.sample(HOSTILE, AT_ONCE):
            folder = arena.folder / "model"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(EMBEDDED, folder)
            try:
                damage(folder)
            except (KeyError, FileNotFoundError):
                continue  # it is about a part that the embedded model does not have
            _switch(server, str(folder), name)
            arena.tried()


def _switch(server: Server, folder: str, name: str) -> None:
    server.settings = {**SETTINGS, "model": folder}
    server.notify("workspace/didChangeConfiguration", {"settings": None})
    status = server.status_when(
        lambda status: (
            status["state"] == "failed" or (status["state"] == "ready" and status["name"] == folder)
        )
    )
    assert status["state"] == "failed", f"{name} was loaded"
    server.settings = SETTINGS
    server.notify("workspace/didChangeConfiguration", {"settings": None})
    assert Path(server.ready()["name"]) != Path(folder)
