"""Which name of a file is meant: the one at a place, or the one that is called so."""

from __future__ import annotations

from copydesk.text.document import content, split_lines
from copydesk_server.renaming.lexical import analyse
from copydesk_server.renaming.names import check_old_name
from copydesk_server.renaming.occurrence import Occurrence, Role
from copydesk_server.renaming.project_texts import ProjectFile
from copydesk_server.renaming.refusal import Place, refuse


def name_at(file: ProjectFile, line: int, column: int) -> str:
    """The name at a place, in whatever it stands. Raises RenameRefusedError."""
    lines = split_lines(file.text)
    text = content(lines[line]) if 0 <= line < len(lines) else ""
    begin = end = min(max(column, 0), len(text))
    while begin and _is_word(text[begin - 1]):
        begin -= 1
    while end < len(text) and _is_word(text[end]):
        end += 1
    if begin == end:
        raise refuse("there is no name at this place", [Place(file.shown, line + 1)])
    return text[begin:end]


def renamable_at(text: str, shown: str, line: int, column: int) -> tuple[int, str]:
    """Where the name at a place begins, and the name. Raises RenameRefusedError where nothing of that kind is renamed."""
    file = ProjectFile("", shown, text)
    name = name_at(file, line, column)
    check_old_name(name)
    places = [o for o in analyse(text, (name,)).of(name) if o.line == line and o.column <= column <= o.end]
    if not places:
        raise refuse("there is no name to rename at this place", [Place(shown, line + 1)])
    if places[0].role is Role.MODULE_PATH:
        raise refuse(f'"{name}" is a module: files are not renamed', [Place(shown, line + 1)])
    return places[0].column, name


def find_name(file: ProjectFile, called: str, line: int | None, column: int | None) -> tuple[int, int]:
    """Where `called` stands, a name or `Class.name`: at the line and column, where they are given; else where it is defined.

    Raises RenameRefusedError where it is nowhere, or where several symbols are called so.
    """
    owner, _, name = called.rpartition(".")
    module = analyse(file.text, (name,))
    found = [o for o in module.of(name) if line is None or o.line == line]
    if column is not None:
        found = [o for o in found if o.column <= column <= o.end]
    if owner:
        classes = {
            k for k, s in enumerate(module.scopes) if s.kind == "class" and s.name == owner.rpartition(".")[2]
        }
        found = [o for o in found if classes & {o.scope, o.of_class}]
    if not found:
        raise refuse(f'"{called}" is not there', [Place(file.shown, (line or 0) + 1)])
    symbols: dict[tuple[int | None, int | None], Occurrence] = {}
    for one in sorted(found, key=lambda o: not o.binds):
        if one.binds or line is not None:
            symbols.setdefault((one.scope if one.scope is not None else one.of_class, None), one)
    if len(symbols) > 1:
        outer = [o for o in symbols.values() if o.scope == 0]
        if line is not None or len(outer) != 1:
            places = [Place(file.shown, o.line + 1) for o in symbols.values()]
            raise refuse(f'several things are called "{called}": say which by FILE:LINE:COLUMN', places)
        return outer[0].line, outer[0].column
    first = next(iter(symbols.values()), found[0])
    if first.role is Role.MODULE_PATH and len(found) > 1:
        first = next((o for o in found if o.role is not Role.MODULE_PATH), first)
    return first.line, first.column


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
