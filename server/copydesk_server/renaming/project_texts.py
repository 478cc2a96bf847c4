"""The texts of a project's Python files: of open documents as they are open, of all others as they lie on disk.

Special files, links, huge files and whatever is no text are left out or refused before anything reads them; `.gitignore` counts.
"""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from copydesk.errors import CopydeskError
from copydesk_server.headless.discover import Filters, discover
from copydesk_server.headless.source import MAX_BYTES, read
from copydesk_server.renaming.limits import Limits
from copydesk_server.renaming.refusal import Place, refuse

SUFFIXES = (".py", ".pyi", ".pyw")


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """One file. path: "" of a document that no file holds. shown: its name for people. encoding: as Python reads it. digest: of
    its bytes on disk; None of an open document. unreadable: why its text is not there, where it is not.
    """

    path: str
    shown: str
    text: str
    encoding: str = "utf-8"
    digest: str | None = None
    unreadable: str | None = None


def project_texts(roots: Sequence[str], opened: Mapping[str, str], limits: Limits) -> list[ProjectFile]:
    """The files below `roots`. opened: texts by absolute path. Raises RenameRefusedError beyond a limit."""
    found: dict[str, ProjectFile] = {}
    total = 0
    for path, text in opened.items():
        found[path] = ProjectFile(path, _shown(path, roots), text, _declared(text))
    for root in roots:
        try:
            places = discover([root], Filters(languages=("python",)))
        except CopydeskError as error:
            raise refuse(f"the project's files cannot be listed: {error}") from None
        if len(places) > limits.files:
            raise refuse(f"{root} has more than {limits.files} Python files")
        for place in places:
            path = os.path.abspath(place.path)
            if path in found:
                continue
            shown = _shown(path, roots)
            try:
                source = read(place.path, place.root)
            except CopydeskError as error:
                found[path] = ProjectFile(path, shown, "", unreadable=str(error))
                continue
            outside = not source.target.is_relative_to(Path(root).resolve())
            if os.path.islink(path) or outside:
                continue  # what it leads to is a file of its own
            total += len(source.text)
            if total > limits.bytes:
                raise refuse(f"the project's Python files have more than {limits.bytes >> 20} MiB")
            found[path] = ProjectFile(path, shown, source.text, source.encoding, source.digest)
    return sorted(found.values(), key=lambda file: file.path)


def unreadable_mention(file: ProjectFile, name: str) -> bool:
    """Whether a file that cannot be read as text may have the name: its bytes are searched, as far as they go."""
    try:
        with open(file.path, "rb", opener=_regular) as stream:
            return name.encode() in stream.read(MAX_BYTES)
    except OSError:
        return False


def check_size(file: ProjectFile, limits: Limits) -> None:
    """Raises RenameRefusedError for a file that is too large to be analysed."""
    if len(file.text) > limits.file_bytes:
        raise refuse(f"the file has more than {limits.file_bytes >> 10} KiB", [Place(file.shown, 1)])


def _regular(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def _shown(path: str, roots: Sequence[str]) -> str:
    inside = [root for root in roots if path.startswith(root.rstrip(os.sep) + os.sep)]
    return os.path.relpath(path, max(inside, key=len)) if inside else os.path.basename(path) or path


def _declared(text: str) -> str:
    """The encoding a text declares for itself, which its open document need not have."""
    try:
        head = "".join(text.split("\n", 2)[:2]).encode("ascii", "replace")
        name, _ = tokenize.detect_encoding(io.BytesIO(head).readline)
        return "utf-8" if name == "utf-8-sig" else name
    except SyntaxError:
        return "utf-8"
