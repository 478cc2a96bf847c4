"""Where a name leads, one step: jedi, kept from everything but the installation and the mirror of a project.

The environment is this process's own interpreter, so none is started; the project is explicit, so none is read from a folder;
compiled modules are loaded from the installation alone.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jedi
from jedi.api.classes import Name

from copydesk.text.document import split_lines
from copydesk_server.renaming.mirror import Mirror
from copydesk_server.renaming.project_texts import ProjectFile

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name leads to. file: None outside of the project. line: 0-based, None for a module. described: for people."""

    file: ProjectFile | None
    line: int | None
    column: int
    name: str
    kind: str
    described: str


class Definitions:
    """Asks jedi about the files of a mirror."""

    def __init__(self, mirror: Mirror, cache: Path) -> None:
        """cache: a folder for parsed modules."""
        jedi.settings.auto_import_modules = []
        jedi.settings.dynamic_params_for_other_modules = False
        jedi.settings.cache_directory = str(cache)
        self._environment = jedi.InterpreterEnvironment()
        self._mirror = mirror
        self._scripts: dict[str, jedi.Script] = {}

    def of(self, file: ProjectFile, line: int, column: int) -> list[Definition]:
        """Where the name at a place leads: several where it may mean several things, none where jedi does not know."""
        script = self._scripts.get(file.path)
        if script is None:
            script = self._scripts[file.path] = self._script(file.text, file)
        return self._goto(script, line, column)

    def of_expressions(self, file: ProjectFile, expressions: Sequence[str]) -> list[Definition]:
        """Where the last names of some expressions at the end of a file would lead."""
        text = file.text if file.text.endswith(("\n", "\r")) else file.text + "\n"
        script = self._script(text + "".join(f"{expression}\n" for expression in expressions), file)
        count = len(split_lines(text))
        return [
            found
            for k, expression in enumerate(expressions)
            for found in self._goto(script, count + k, len(expression) - 1)
        ]

    def _goto(self, script: jedi.Script, line: int, column: int) -> list[Definition]:
        try:
            found: Sequence[Name] = script.goto(line + 1, column)
            return [self._definition(name) for name in found]
        except Exception as error:  # noqa: BLE001  (jedi raises anything on code that nobody foresaw: then it does not know)
            log.info("jedi does not know a name: %s", type(error).__name__)
            return []

    def _definition(self, name: Name) -> Definition:
        path = name.module_path
        file = self._mirror.file_at(Path(path)) if path is not None else None
        line = name.line - 1 if name.line is not None and name.type != "module" else None
        described = name.full_name or f"{name.module_name}.{name.name}"
        return Definition(file, line, name.column or 0, name.name, name.type, described)

    def _script(self, text: str, file: ProjectFile | None) -> jedi.Script:
        path = self._mirror.copy_of(file) if file is not None else None
        folders = self._mirror.import_folders(file) if file is not None else []
        project = jedi.Project(
            self._mirror.folder, load_unsafe_extensions=False, smart_sys_path=False, added_sys_path=folders
        )
        return jedi.Script(text, path=path, project=project, environment=self._environment)
