"""The language server put together: what it keeps, what its features may ask of it, and how it begins and ends.

Everything here runs on the event loop. Knows no feature: each registers itself, in the order of `FEATURES`.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Coroutine, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from copydesk import __version__
from copydesk_server.engine_process.client import HOST, Engine, EngineSettings
from copydesk_server.lsp import loading, parent_watchdog
from copydesk_server.lsp.capabilities import NAME, dig, listed, position_encoding
from copydesk_server.lsp.client import ClientView
from copydesk_server.lsp.configuration import Configuration
from copydesk_server.lsp.documents import MIRRORED, Documents
from copydesk_server.lsp.logs import Log
from copydesk_server.lsp.progress import ProgressBars
from copydesk_server.lsp.protocol import CopydeskProtocol, converter
from copydesk_server.lsp.settings import Settings, SettingsStore
from copydesk_server.lsp.uris import name_of, uri_of
from copydesk_server.lsp.watching import Watching

if TYPE_CHECKING:
    from copydesk_server.lsp.diagnostics import DiagnosticStore
    from copydesk_server.lsp.edit_service import JobDesk
    from copydesk_server.lsp.engine_sync import Feeding
    from copydesk_server.lsp.lint import Linting
    from copydesk_server.lsp.prefetch import Ahead
    from copydesk_server.lsp.programs import Programs
    from copydesk_server.lsp.session import Options
    from copydesk_server.lsp.transport import Connection

T = TypeVar("T")

log = logging.getLogger(__name__)

FEATURES = (
    "engine_sync",
    "configuration",
    "watching",
    "status",
    "diagnostics",
    "edit_service",
    "prefetch",
    "programs",
    "lint",
    "handlers.code_action",
    "handlers.code_action_resolve",
    "handlers.execute_command",
    "handlers.copydesk_edit",
)
"""Modules of this package, each with `register(server)`. `engine_sync` is first: others ask the engine about what it was fed."""


class CopydeskServer(LanguageServer):
    """One client's server. `exit_code` is None as long as it lives."""

    protocol: CopydeskProtocol
    feeding: Feeding
    found: DiagnosticStore
    jobs: JobDesk
    ahead: Ahead
    lint: Linting
    programs: Programs

    def __init__(self, options: Options, connection: Connection, params: dict[str, Any], log: Log) -> None:
        super().__init__(NAME, __version__, protocol_cls=CopydeskProtocol, converter_factory=converter)
        self.options = options
        self.exit_code: int | None = None
        self.client = ClientView(params)
        self.encoding = position_encoding(params["capabilities"])
        self.log = log
        self.folders: dict[str, str] = _folders(params)
        self.documents = Documents(
            self.encoding, lambda uri: max(MIRRORED, self.settings.of(uri).max_document_bytes)
        )
        self.bars = ProgressBars(self)
        self.settings = SettingsStore(self.complain)
        self.settings.set_roots(tuple(self.folders))
        self._connection = connection
        self._ids = itertools.count(1)
        self._said: set[str] = set()
        self._complaints: dict[str, str] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._begun = False
        self.started = asyncio.Event()
        """The engine was told to start: until then it takes no requests."""
        self._closing: asyncio.Task[None] | None = None
        self.protocol.connect(connection, params)
        self.configuration = Configuration(self)
        self._set_level()
        host = options.engine_host or HOST
        self.engine = Engine(self.engine_settings(), loading.Loading(self), host=host)
        self.watching = Watching(self)
        self._untrusted = self.untrusted
        self.settings.subscribe(self._settings_changed)
        for name in FEATURES:
            import_module(f"{__package__}.{name}").register(self)

    # -- life --------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """`initialized`: the client may be asked, and the model is loaded."""
        if not self._begun:
            self._begun = True
            self.spawn(self._begin(), "begin")

    async def _begin(self) -> None:
        if self.client.process_id is not None:
            self.spawn(self._watch_parent(self.client.process_id), "parent")
        await self.configuration.first()
        self.watching.read_projects()
        if not self.protocol.ended:
            self.engine.configure(self.engine_settings())
            self.engine.start()
        self.started.set()
        # Nothing above waits for a client that does not answer what it is asked.
        self.spawn(self.configuration.follow(), "configuration")
        await self.watching.begin()

    async def _watch_parent(self, pid: int) -> None:
        await parent_watchdog.outlived(pid)
        self._connection.end("the client's process is gone")

    def wind_down(self) -> None:
        """`shutdown`: end the engine, now and not at `exit`, which may never come. Nobody is told that it has gone."""
        if self._closing is None:
            self.protocol.cancel_all()
            self._closing = asyncio.get_running_loop().create_task(self.engine.close())

    async def finish(self, why: str | None) -> None:
        """The connection is over: leave nothing running."""
        if why is not None and not self.protocol.ended:
            log.warning("the connection ended: %s", why)
        self.wind_down()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.watching.end()
        if self._closing is not None:
            await self._closing
        self.log.close()

    def close_code(self) -> int:
        """The exit code: 0 after `shutdown`, else 1."""
        if self.exit_code is not None:
            return self.exit_code
        return 0 if self.protocol.ended else 1

    def spawn(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Work in the background: what it raises is logged, and it is cancelled at the end."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._spawned)
        return task

    def _spawned(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed", task.get_name(), exc_info=error)

    # -- what features ask -------------------------------------------------------------------------------------------

    def next_id(self) -> str:
        """An id for a request of ours."""
        return f"copydesk-{next(self._ids)}"

    def say_once(self, key: str, message: str, type: types.MessageType = types.MessageType.Warning) -> None:
        """Show a message, once until `settle(key)`."""
        if key not in self._said:
            self._said.add(key)
            self.window_show_message(types.ShowMessageParams(type, message))

    def settle(self, key: str) -> None:
        """What `say_once` was about is over: the next one is another incident."""
        self._said.discard(key)

    async def register_capability(self, ident: str, method: str, options: Any) -> bool:
        """Register dynamically. False where the client refuses."""
        registration = types.Registration(id=f"copydesk-{ident}", method=method, register_options=options)
        try:
            await self.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException as error:
            log.warning("the client refuses to register %s (%d)", method, error.code)
            return False
        return True

    async def unregister_capability(self, ident: str, method: str) -> None:
        """Take a registration back."""
        registration = types.Unregistration(id=f"copydesk-{ident}", method=method)
        try:
            await self.client_unregister_capability_async(types.UnregistrationParams([registration]))
        except JsonRpcException as error:
            log.warning("the client keeps %s (%d)", method, error.code)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """pygls' own errors. A person has nothing of them."""
        log.info("%s: %s", getattr(source, "__name__", source), type(error).__name__)

    def complain(self, key: str, message: str) -> None:
        """Show what is wrong with something a person wrote: once, until it changes. An empty message: it is right again."""
        if self._complaints.get(key, "") != message:
            self._complaints[key] = message
            if message:
                self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))

    # -- settings and folders ----------------------------------------------------------------------------------------

    def engine_settings(self) -> EngineSettings:
        """What the engine runs with: the person's settings, and where they leave it open the command line."""
        settings, options = self.settings.of(None), self.options
        return EngineSettings(
            model=settings.model or options.model,
            device=settings.device if settings.device != "auto" else options.device,
            dtype=settings.dtype if settings.dtype != "auto" else options.dtype,
            cache_bytes=settings.cache_bytes,
            log_file=options.log_file,
            log_level=self._level(settings),
        )

    def folders_changed(
        self, added: Sequence[types.WorkspaceFolder], removed: Sequence[types.WorkspaceFolder]
    ) -> None:
        """`didChangeWorkspaceFolders`."""
        for folder in removed:
            self.folders.pop(folder.uri, None)
        self.folders.update((folder.uri, folder.name) for folder in added)
        self.settings.set_roots(tuple(self.folders))
        self.watching.read_projects()
        self.watching.folders_changed()
        if self.client.configuration:
            self.spawn(self.configuration.pull(), "configuration")

    @property
    def untrusted(self) -> bool:
        """Whether nothing that lies in a folder may choose how copydesk works: no project file, no configuration of ruff."""
        return self.client.untrusted or self.settings.of(None).untrusted

    def _settings_changed(self) -> None:
        self._set_level()
        if self.untrusted != self._untrusted:
            self._untrusted = self.untrusted
            self.watching.read_projects()
        wanted = self.engine_settings()
        if wanted != self.engine.settings:
            moved = wanted.model != self.engine.settings.model
            self.engine.configure(wanted)
            if moved:
                self.watching.model_changed()

    def _level(self, settings: Settings) -> str:
        return self.options.log_level or settings.log_level

    def _set_level(self) -> None:
        self.log.set_level(self._level(self.settings.of(None)))


def create_server(
    options: Options, connection: Connection, params: dict[str, Any], log: Log | None = None
) -> CopydeskServer:
    """The server for a client whose `initialize` was answered. `log`: the process's, whose level the settings choose."""
    return CopydeskServer(options, connection, params, log or Log(quiet=options.quiet))


def _folders(params: dict[str, Any]) -> dict[str, str]:
    """The workspace's folders, by URI; older clients have one root, or none."""
    found: dict[str, str] = {}
    for folder in listed(params.get("workspaceFolders")):
        uri, name = dig(folder, "uri"), dig(folder, "name")
        if isinstance(uri, str):
            found[uri] = name if isinstance(name, str) else uri
    root, path = params.get("rootUri"), params.get("rootPath")
    if not root and isinstance(path, str) and Path(path).is_absolute():
        root = uri_of(Path(path))
    if not found and isinstance(root, str) and root:
        found[root] = name_of(root)
    return found
