"""Applies changed settings to what runs: the engine, the log, the project files."""

from __future__ import annotations

from copydesk_server.engine_process.client import Engine
from copydesk_server.lsp.logs import Log
from copydesk_server.lsp.project_files import ProjectFiles
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.watching import Watching


class EngineConfiguration:
    """Follows the settings from its construction on."""

    def __init__(
        self, state: SessionState, log: Log, engine: Engine, projects: ProjectFiles, watching: Watching
    ) -> None:
        self._state, self._log, self._engine = state, log, engine
        self._projects, self._watching = projects, watching
        self._untrusted = state.untrusted
        log.set_level(state.log_level)
        state.settings.subscribe(self._changed)

    def _changed(self) -> None:
        self._log.set_level(self._state.log_level)
        if self._state.untrusted != self._untrusted:
            self._untrusted = self._state.untrusted
            self._projects.read()
        wanted = self._state.engine_settings()
        if wanted != self._engine.settings:
            moved = wanted.model != self._engine.settings.model
            self._engine.configure(wanted)
            if moved:
                self._watching.model_changed()
