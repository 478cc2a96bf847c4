"""How a session begins, shuts down and ends."""

from __future__ import annotations

import asyncio
import logging

from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp import parent_watchdog
from copydesk_server.lsp.background import BackgroundTasks
from copydesk_server.lsp.configuration import Configuration
from copydesk_server.lsp.logs import Log
from copydesk_server.lsp.project_files import ProjectFiles
from copydesk_server.lsp.protocol import CopydeskProtocol
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.transport import Connection
from copydesk_server.lsp.watching import Watching

log = logging.getLogger(__name__)


class Lifecycle:
    """started: set once the engine was told to start. `exit_code` is None until the client says `exit`."""

    def __init__(
        self,
        state: SessionState,
        connection: Connection,
        process_log: Log,
        protocol: CopydeskProtocol,
        tasks: BackgroundTasks,
        engine: Engine,
        configuration: Configuration,
        projects: ProjectFiles,
        watching: Watching,
        started: asyncio.Event,
    ) -> None:
        self._state, self._connection, self._log = state, connection, process_log
        self._protocol, self._tasks, self._engine = protocol, tasks, engine
        self._configuration, self._projects, self._watching = configuration, projects, watching
        self._started = started
        self._begun = False
        self._closing: asyncio.Task[None] | None = None
        self.exit_code: int | None = None

    def begin(self) -> None:
        """`initialized`: the client may be asked, and the model is loaded. Does nothing the second time."""
        if not self._begun:
            self._begun = True
            self._tasks.spawn(self._begin(), "begin")

    async def _begin(self) -> None:
        pid = self._state.capabilities.process_id
        if pid is not None:
            self._tasks.spawn(self._watch_parent(pid), "parent")
        await self._configuration.first()
        self._projects.read()
        if not self._protocol.ended:
            self._engine.configure(self._state.engine_settings())
            self._engine.start()
        self._started.set()
        # Nothing above waits for a client that does not answer what it is asked.
        self._tasks.spawn(self._configuration.follow(), "configuration")
        await self._watching.begin()

    async def _watch_parent(self, pid: int) -> None:
        await parent_watchdog.outlived(pid)
        self._connection.end("the client's process is gone")

    def shut_down(self) -> None:
        """`shutdown`: cancel what is in flight and end the engine, now and not at `exit`, which may never come."""
        self._protocol.end()
        self._wind_down()

    def exit(self) -> None:
        """`exit`: the end, whatever is going on."""
        self.exit_code = self.close_code()

    def close_code(self) -> int:
        """The process's exit code: 0 after `shutdown`, else 1."""
        if self.exit_code is not None:
            return self.exit_code
        return 0 if self._protocol.ended else 1

    async def finish(self, why: str | None) -> None:
        """The connection is over, for the reason `why` where that was not the client's own: leave nothing running."""
        if why is not None and not self._protocol.ended:
            log.warning("the connection ended: %s", why)
        self._wind_down()
        await self._tasks.cancel_all()
        self._watching.end()
        if self._closing is not None:
            await self._closing
        self._log.close()

    def _wind_down(self) -> None:
        if self._closing is None:
            self._protocol.cancel_all()
            self._closing = asyncio.get_running_loop().create_task(self._engine.close())
