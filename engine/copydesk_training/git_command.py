"""How git is asked about a repository that somebody else may have configured: it runs no program named there, fetches nothing."""

from __future__ import annotations

from pathlib import Path

from copydesk.errors import TrainingError
from copydesk.files.executables import find_executable

_SWITCHES = (
    "core.fsmonitor=false",  # a program that is asked what has changed
    "log.showSignature=false",  # which gpg.program would check
    "protocol.allow=never",  # what a partial clone lacks would be fetched, by core.sshCommand for one
)


def git_command(repository: Path, *arguments: str) -> list[str]:
    """The command that asks git about a repository. Raises TrainingError where there is no git outside of it."""
    program = find_executable("git", opened=[repository])
    if program is None:
        raise TrainingError("git is not there: install it")
    switches = [word for switch in _SWITCHES for word in ("-c", switch)]
    return [str(program), *switches, "--no-pager", "-C", str(repository), *arguments]
