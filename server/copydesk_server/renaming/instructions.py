"""Instructions that ask for another name: what only the selected lines know the engine renames; all else has users elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from copydesk.refactorings.phrases import LONGEST
from copydesk.refactorings.phrases.names import wished_name
from copydesk.refactorings.phrases.words import plain
from copydesk.request import Range
from copydesk_server.errors import RenameRefusedError
from copydesk_server.renaming.lexical import analyse
from copydesk_server.renaming.occurrence import Module, Occurrence, Role
from copydesk_server.renaming.request import RenameAnswer


def wished_rename(instruction: str) -> tuple[str, str] | None:
    """The old and the new name, where an instruction asks for nothing else."""
    if len(instruction) > LONGEST:
        return None
    return wished_name(plain(instruction))


def seen_elsewhere(text: str, old: str, lines: Range) -> tuple[int, int] | None:
    """Where lines (1-based, inclusive) have a name that others may use, as 0-based (line, column); None where all is local.

    Raises RenameRefusedError where several symbols are called so.
    """
    module = analyse(text, (old,))
    found = [o for o in module.of(old) if lines[0] <= o.line + 1 <= lines[1] and not _is_local(module, o)]
    if not found:
        return None
    if len({(o.scope, o.of_class) if o.role is not Role.KEYWORD else None for o in found}) > 1:
        raise RenameRefusedError(f'several things are called "{old}" in these lines: rename them one by one')
    first = min(found, key=lambda o: not o.binds)
    return first.line, first.column


def check_inside(answer: RenameAnswer, path: str, lines: Range) -> None:
    """Raises RenameRefusedError where a rename changes more than these lines of a file."""
    other = [file for file in answer.files if file.path != path]
    own = [row + 1 for file in answer.files if file.path == path for row, _, _ in file.places]
    outside = [row for row in own if not lines[0] <= row <= lines[1]]
    if other or outside:
        where = _listed(
            [f"line {row}" for row in outside[:1]] + [file.path.rpartition("/")[2] for file in other]
        )
        raise RenameRefusedError(
            f'"{answer.old}" is used elsewhere, too ({where}): rename it there as well, by the editor\'s Rename or by '
            f"`copydesk refactor FILE --rename {answer.old} {answer.new}`"
        )


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")


def _is_local(module: Module, found: Occurrence) -> bool:
    if found.role is not Role.VARIABLE or found.scope is None:
        return found.role is Role.VARIABLE
    scope = module.scopes[found.scope]
    return scope.kind not in ("module", "class") and found.name not in scope.parameters
