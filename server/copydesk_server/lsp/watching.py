"""Watches files: `.copydesk.toml` at the roots, and the directory a model was loaded from.

The client watches where it can, watchdog otherwise. A project file is read again at once. A model's directory is replaced file by
file: the engine loads it again once it has been quiet for a moment.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from lsprotocol import types

from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp import project
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.client import Client
from copydesk_server.lsp.project_files import ProjectFiles
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.uris import path_of, uri_of

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

log = logging.getLogger(__name__)

QUIET = 1.0
"""A model's directory is complete when nothing in it changed for so many seconds."""

Print: TypeAlias = tuple[tuple[str, int, int, int], ...]


class Watching:
    """All watches of one client."""

    def __init__(
        self,
        state: SessionState,
        client: Client,
        tasks: BackgroundTasks,
        engine: Engine,
        projects: ProjectFiles,
    ) -> None:
        self._state, self._client, self._tasks = state, client, tasks
        self._engine, self._projects = engine, projects
        self._observer: BaseObserver | None = None
        self._begun = False
        self._registered: str | None = None
        self._settling: asyncio.Task[None] | None = None
        self._loaded: Print = ()
        self._number = 0
        self._asking = asyncio.Lock()

    # -- life --------------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Watch from now on."""
        self._begun = True
        self._loaded = fingerprint(self.model_directory())
        await self._watch()

    def end(self) -> None:
        """Let go of everything."""
        self._begun = False
        self._stop_observer()

    def folders_changed(self) -> None:
        """The workspace's folders changed."""
        if self._begun:
            self._tasks.spawn(self._watch(), "watching")

    def model_changed(self) -> None:
        """Another model is being loaded."""
        if self._begun:
            self._loaded = fingerprint(self.model_directory())
            self._tasks.spawn(self._watch(), "watching")

    def model_directory(self) -> Path | None:
        """Where the model is, if it is a directory a person named."""
        model = self._engine.settings.model
        if (
            model is None or self._engine.settings.command is not None
        ):  # of the machine where the command's engine is
            return None
        path = Path(model).expanduser()
        return path if path.is_absolute() and path.is_dir() else None

    async def _watch(self) -> None:
        """Ask the client for what it can, and watch the rest. One at a time: each replaces what was registered before."""
        async with self._asking:
            await self._watch_now()

    async def _watch_now(self) -> None:
        directory = self.model_directory()
        client = self._state.capabilities
        globs: list[Any] = []
        if client.watches_files:
            globs.append({"globPattern": f"**/{project.FILE}"})
            if directory is not None and client.watches_anywhere:
                for base, pattern in ((directory.parent, directory.name), (directory, "*")):
                    globs.append({"globPattern": {"baseUri": uri_of(base), "pattern": pattern}})
        asked = await self._register(globs)
        if not self._begun:
            return
        own: list[Path] = []
        if not asked:
            own += [path for path in map(path_of, self._state.folders) if path is not None]
        if directory is not None and not (asked and client.watches_anywhere):
            own += [directory.parent, directory]
        self._observe([path for path in dict.fromkeys(own) if path.is_dir()])

    async def _register(self, globs: list[Any]) -> bool:
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        if self._registered is not None:
            old, self._registered = self._registered, None
            await self._client.unregister_capability(old, method)
        if not globs:
            return False
        self._number += 1
        name = f"watching-{self._number}"
        if not await self._client.register_capability(name, method, {"watchers": globs}):
            return False
        self._registered = name
        return True

    def _observe(self, directories: list[Path]) -> None:
        self._stop_observer()
        if not directories:
            return
        # Only where the client cannot: importing it takes its time.
        from watchdog.events import FileSystemEvent, FileSystemEventHandler
        from watchdog.observers import Observer

        loop, seen = asyncio.get_running_loop(), self.changed

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type in ("created", "modified", "deleted", "moved"):
                    for name in (event.src_path, event.dest_path):
                        if name:
                            loop.call_soon_threadsafe(seen, Path(str(name)))

        observer = Observer()
        handler = Handler()
        try:
            for directory in directories:
                observer.schedule(handler, str(directory), recursive=False)
            observer.start()
        except OSError as error:
            # Out of watches: what is on disk is read when the server starts again.
            log.warning("files cannot be watched: %s", error.strerror)
            return
        self._observer = observer
        log.info("watching %d directories", len(directories))

    def _stop_observer(self) -> None:
        if self._observer is not None:
            self._observer.stop()
            self._observer.unschedule_all()
            self._observer = None

    # -- events ------------------------------------------------------------------------------------------------------

    def changed(self, path: Path) -> None:
        """Something happened to the file at `path`."""
        if path.name == project.FILE:
            self._projects.read()
        directory = self._model_path()
        if directory is not None and (path == directory or path.parent == directory):
            if self._settling is None or self._settling.done():
                self._settling = self._tasks.spawn(self._settle(), "a model's directory")

    def _model_path(self) -> Path | None:
        model = self._engine.settings.model
        path = Path(model).expanduser() if model is not None else None
        return path if path is not None and path.is_absolute() else None

    async def _settle(self) -> None:
        """Wait until the directory is quiet, then load what is in it if that is something else."""
        before = fingerprint(self.model_directory())
        while True:
            await asyncio.sleep(QUIET)
            now = fingerprint(self.model_directory())
            if now == before:
                break
            before = now
        if now and now != self._loaded:
            self._loaded = now
            log.info("the model's directory was replaced")
            self._engine.configure(self._state.engine_settings())
            await self._watch()  # the old watches may be of a directory that is gone


def fingerprint(directory: Path | None) -> Print:
    """What tells one content of a directory from another without reading it. Empty where there is none."""
    if directory is None:
        return ()
    found = []
    try:
        for path in sorted(directory.iterdir()):
            stat = path.stat()
            found.append((path.name, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    except OSError:
        return ()
    return tuple(found)
