"""Writing results back: refused where it must not be, and told to the journal before and after.

The one place that joins a file's result, its journal and its replacement.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from copydesk_server.errors import FileError
from copydesk_server.headless.atomic_replace import refusal, replace
from copydesk_server.headless.git import Dirt
from copydesk_server.headless.journal import Journal
from copydesk_server.headless.source import Source
from copydesk_server.headless.temporary import temporary_name


@dataclass(slots=True)
class Writer:
    """Writes files of one run."""

    journal: Journal
    dirt: Dirt = field(default_factory=Dirt)
    allow_dirty: bool = False
    allow_staged: bool = False

    def refusal(self, source: Source) -> str | None:
        """Why `source` must not be written: asked before anything is decoded for it."""
        return refusal(source) or self.dirt.refusal(
            source.target, allow_dirty=self.allow_dirty, allow_staged=self.allow_staged
        )

    def is_done(self, source: Source) -> bool:
        """Whether the part of the run that was stopped left it as it is."""
        return self.journal.is_done(source.target, source.digest)

    def leave(self, source: Source) -> None:
        """It stays as it is: that is done."""
        self.journal.finish(source.target, source.digest)

    def write(self, source: Source, text: str) -> None:
        """Raises FileError (it must not be, or cannot hold the text), OSError (the disk), JournalError: it is then as it was."""
        data = source.encode(text)
        temporary = temporary_name()
        self.journal.intend(source.target, source.target.parent / temporary, data)
        try:
            replace(source, data, temporary)
        except (FileError, OSError):
            self.journal.take_back(source.target)
            raise
        self.journal.wrote(source.target, data)


def command_key(command: str, args: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """What one run is known by: the same command, in the same directory, asking for the same."""
    return {
        "command": command,
        "folder": os.path.realpath("."),
        **{name: getattr(args, name) for name in names},
    }
