"""Whether a symbol's new name would mean something else somewhere, or make another name mean the symbol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from copydesk_server.renaming.jedi_definitions import Definition
from copydesk_server.renaming.lexical import analyse
from copydesk_server.renaming.occurrence import Module, Occurrence, Role, Scope
from copydesk_server.renaming.project_texts import ProjectFile
from copydesk_server.renaming.refusal import Place, refuse
from copydesk_server.renaming.symbol_groups import Group


def check_collisions(
    group: Group,
    old: str,
    new: str,
    modules: Mapping[str, tuple[ProjectFile, Module]],
    having: Callable[[str], Iterable[tuple[ProjectFile, Module]]],
    follow_expressions: Callable[[ProjectFile, Sequence[str]], list[Definition]],
) -> None:
    """Raises RenameRefusedError. having: all files of the project that have a name."""
    for path in {mention.file.path for mention in group.mentions} | {path for path, _ in group.variables}:
        file, module = modules[path]
        mine = {(m.at.line, m.at.column) for m in group.mentions if m.file.path == path}
        _check_scopes(file, module, mine, old, new)
    classes = [
        (modules[path], number) for path, number in group.variables if _kind(modules, path, number) == "class"
    ]
    for (file, module), number in classes:
        _check_class(file, module, number, new, follow_expressions)
    if classes:
        _check_heirs(group, old, new, having, follow_expressions)
    for path, number in group.variables:
        file, module = modules[path]
        scope = module.scopes[number]
        if old in scope.parameters and scope.takes_any_keyword:
            _check_keywords(file, scope, new, having)
        if scope.kind == "module":
            _check_importers(file, new, having)


def _check_scopes(file: ProjectFile, module: Module, mine: set[tuple[int, int]], old: str, new: str) -> None:
    """Read the text anew as it would be: every name must mean what it meant, and no two variables be one."""
    before = module.occurrences
    after = analyse(_renamed(module, mine, old, new), (old, new))
    if len(before) != len(after.occurrences):
        raise refuse(f'"{new}" cannot be told from other names', [Place(file.shown, 1)])
    taken: dict[int, Occurrence] = {}
    for was in before:
        if was.name == new and was.scope is not None:
            taken.setdefault(was.scope, was)
    for was, now in zip(before, after.occurrences, strict=True):
        renamed = (was.line, was.column) in mine
        if renamed and was.scope is not None and was.scope in taken:
            places = [Place(file.shown, taken[was.scope].line + 1)]
            raise refuse(f'"{new}" is there already', places)
        if was.scope != now.scope or now.doubtful:
            what = f'"{new}" would mean something else' if renamed or was.name == new else f'"{old}" would'
            raise refuse(f"{what} here", [Place(file.shown, was.line + 1)])


def _renamed(module: Module, mine: set[tuple[int, int]], old: str, new: str) -> str:
    lines = list(module.lines)
    for line, column in sorted(mine, reverse=True):
        lines[line] = lines[line][:column] + new + lines[line][column + len(old) :]
    return "".join(lines)


def _check_class(
    file: ProjectFile,
    module: Module,
    number: int,
    new: str,
    follow_expressions: Callable[[ProjectFile, Sequence[str]], list[Definition]],
) -> None:
    """The class or one above it has the name."""
    there = [
        Place(file.shown, found.line + 1)
        for found in module.of(new)
        if number in (found.of_class, found.scope if found.role is not Role.ATTRIBUTE else None)
    ]
    if there:
        raise refuse(f'the class "{module.scopes[number].name}" has "{new}" already', there)
    name = qualified_name(module, number)
    if name is not None:
        found = follow_expressions(file, [f"{name}.{new}", f"{name}().{new}"])
        if found:
            place = Place(file.shown, module.scopes[number].line + 1)
            raise refuse(f'the class "{name}" inherits "{new}" ({found[0].described})', [place])


def _check_heirs(
    group: Group,
    old: str,
    new: str,
    having: Callable[[str], Iterable[tuple[ProjectFile, Module]]],
    follow_expressions: Callable[[ProjectFile, Sequence[str]], list[Definition]],
) -> None:
    """A class below those of the group has the name."""
    mine = {(m.file.path, m.at.line, m.at.column) for m in group.mentions}
    for file, module in having(new):
        numbers = {
            number
            for found in module.of(new)
            for number in (found.of_class, found.scope if found.role is not Role.ATTRIBUTE else None)
            if number is not None and module.scopes[number].kind == "class"
        }
        for number in sorted(numbers):
            name = qualified_name(module, number)
            if name is None:
                continue
            led = follow_expressions(file, [f"{name}.{old}", f"{name}().{old}"])
            if any(d.file is not None and (d.file.path, d.line, d.column) in mine for d in led):
                place = Place(file.shown, module.scopes[number].line + 1)
                raise refuse(f'the class "{name}", which inherits it, has "{new}" already', [place])


def _check_keywords(
    file: ProjectFile, scope: Scope, new: str, having: Callable[[str], Iterable[tuple[ProjectFile, Module]]]
) -> None:
    """A function that takes any keyword takes this one already."""
    for other, module in having(new):
        given = [Place(other.shown, found.line + 1) for found in module.of(new) if found.role is Role.KEYWORD]
        if given:
            why = f'"{scope.name}" ({Place(file.shown, scope.line + 1)}) takes any keyword, and "{new}" may be given to it here'
            raise refuse(why, given)


def _check_importers(
    file: ProjectFile, new: str, having: Callable[[str], Iterable[tuple[ProjectFile, Module]]]
) -> None:
    """Files that take all names of a module would take this one, too."""
    for other, module in having(new):
        if module.star_imports and other.path != file.path:
            places = [Place(other.shown, found.line + 1) for found in _variables(module, new)]
            if places:
                raise refuse(f'"import *" could bring "{new}" there', places)


def _variables(module: Module, name: str) -> Iterator[Occurrence]:
    return (o for o in module.of(name) if o.role is Role.VARIABLE and o.scope in (None, 0))


def _kind(modules: Mapping[str, tuple[ProjectFile, Module]], path: str, number: int) -> str:
    return modules[path][1].scopes[number].kind


def qualified_name(module: Module, number: int) -> str | None:
    """How a class is called at the end of its module; None for one in a function."""
    parts: list[str] = []
    at: int | None = number
    while at is not None and module.scopes[at].kind != "module":
        if module.scopes[at].kind != "class":
            return None
        parts.insert(0, module.scopes[at].name)
        at = module.scopes[at].outer
    return ".".join(parts)
