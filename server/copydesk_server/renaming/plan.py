"""What renaming a symbol changes, in all files of a project; or why it is refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from copydesk_server.renaming.checks import Checks, is_local
from copydesk_server.renaming.collisions import check_collisions
from copydesk_server.renaming.jedi_definitions import Definition, Definitions
from copydesk_server.renaming.lexical import analyse
from copydesk_server.renaming.mirror import Mirror
from copydesk_server.renaming.names import check_new_name, check_old_name, word
from copydesk_server.renaming.occurrence import Module
from copydesk_server.renaming.project_texts import ProjectFile, check_size, project_texts
from copydesk_server.renaming.python_cache import PythonCache
from copydesk_server.renaming.refusal import Place, refuse
from copydesk_server.renaming.request import RenameRequest
from copydesk_server.renaming.symbol_groups import Mention, SymbolGroups
from copydesk_server.renaming.target import find_name, name_at


@dataclass(frozen=True, slots=True)
class FileRename:
    """The places in one file, as 0-based (line, column), in characters. digest: of the file's bytes on disk when it was read."""

    file: ProjectFile
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Rename:
    """A symbol `old` becomes `new`."""

    old: str
    new: str
    files: tuple[FileRename, ...]


def plan_rename(request: RenameRequest, scratch: Path) -> Rename:
    """What the request changes. scratch: an empty folder for copies of the texts. Raises RenameRefusedError."""
    files = {file.path: file for file in project_texts(request.roots, request.opened, request.limits)}
    target = files.get(request.path)
    if target is None:
        raise refuse(f"{request.path} is no Python file of the project")
    if target.unreadable is not None:
        raise refuse(target.unreadable, [Place(target.shown, 1)])
    check_size(target, request.limits)
    if request.old is not None:
        old = request.old.rpartition(".")[2]
        check_old_name(old)
        line, column = find_name(target, request.old, request.line, request.column)
    else:
        line, column = request.line or 0, request.column or 0
        old = name_at(target, line, column)
        check_old_name(old)
    check_new_name(old, request.new)
    planner = _Planner(files, request, target, old, scratch)
    try:
        return planner.plan(line, column)
    finally:
        planner.keep_cache()


class _Planner:
    def __init__(
        self,
        files: Mapping[str, ProjectFile],
        request: RenameRequest,
        target: ProjectFile,
        old: str,
        scratch: Path,
    ) -> None:
        self._files, self._target, self._old, self._new = files, target, old, request.new
        self._roots, self._limits, self._scratch = request.roots, request.limits, scratch
        kept = Path(request.cache_folder) if request.cache_folder is not None else None
        self._cache = PythonCache(kept, scratch / "cache")
        self._definitions: Definitions | None = None
        self._classes: dict[str, Module] = {}
        self._modules: dict[str, tuple[ProjectFile, Module]] = {}

    def plan(self, line: int, column: int) -> Rename:
        """Raises RenameRefusedError."""
        self._read(self._target)
        groups = self._groups()
        group = groups.group_at(self._target.path, line, column, joined=False)
        if not is_local(group, self._old):
            self._read_all(line)
            groups = self._groups()
            group = groups.group_at(self._target.path, line, column)
        checks = Checks(self._old, self._files, self._modules, groups, group)
        checks.run()
        check_collisions(
            group, self._old, self._new, self._modules, self._all_modules, self._follow_expressions
        )
        by_file: dict[str, list[Mention]] = {}
        for mention in group.mentions:
            by_file.setdefault(mention.file.path, []).append(mention)
        return Rename(
            self._old,
            self._new,
            tuple(
                FileRename(self._files[path], tuple((m.at.line, m.at.column) for m in mentions))
                for path, mentions in sorted(by_file.items())
            ),
        )

    def _read_all(self, line: int) -> None:
        """Analyse every file that has the name."""
        path, roots = self._target.path, self._roots
        if os.path.isabs(path) and not any(path.startswith(root.rstrip(os.sep) + os.sep) for root in roots):
            why = "the file lies in no opened folder, so nobody knows which files use this name"
            raise refuse(why, [Place(self._target.shown, line + 1)])
        wanted = word(self._old)
        mentioning = [file for file in self._files.values() if wanted.search(file.text)]
        if len(mentioning) > self._limits.mentions:
            raise refuse(f'more than {self._limits.mentions} files have the name "{self._old}"')
        for file in mentioning:
            self._read(file)
        total = sum(len(module.occurrences) for _, module in self._modules.values())
        if total > self._limits.occurrences:
            most = self._limits.occurrences
            raise refuse(f'the names "{self._old}" and "{self._new}" occur more than {most} times')

    # -- what is known -------------------------------------------------------------------------------------------------

    def _read(self, file: ProjectFile) -> None:
        if file.path not in self._modules:
            check_size(file, self._limits)
            module = analyse(file.text, (self._old, self._new))
            if module.broken is not None:
                why = "the file has a syntax error, or is nested too deeply"
                raise refuse(why, [Place(file.shown, module.broken)])
            self._modules[file.path] = file, module

    def _all_modules(self, name: str) -> Iterator[tuple[ProjectFile, Module]]:
        """All files that have a name, analysed."""
        wanted = word(name)
        for file in self._files.values():
            if file.path in self._modules:
                yield self._modules[file.path]
            elif wanted.search(file.text):
                yield file, analyse(file.text, (self._old, self._new))

    def _groups(self) -> SymbolGroups:
        return SymbolGroups(self._modules, self._old, self._follow, self._follow_expressions, self._module_of)

    def _module_of(self, file: ProjectFile) -> Module:
        if file.path in self._modules:
            return self._modules[file.path][1]
        if file.path not in self._classes:
            self._classes[file.path] = analyse(file.text, ())
        return self._classes[file.path]

    def _asked(self) -> Definitions:
        if self._definitions is None:
            copies = self._scratch / "project"
            copies.mkdir()
            mirror = Mirror(copies, self._roots, list(self._files.values()))
            self._definitions = Definitions(mirror, self._cache.open())
        return self._definitions

    def keep_cache(self) -> None:
        """What jedi has read of Python itself is there next time."""
        if self._definitions is not None:
            self._cache.keep(self._scratch / "project")

    def _follow(self, file: ProjectFile, line: int, column: int) -> list[Definition]:
        return self._asked().of(file, line, column)

    def _follow_expressions(self, file: ProjectFile, expressions: Sequence[str]) -> list[Definition]:
        return self._asked().of_expressions(file, expressions)
