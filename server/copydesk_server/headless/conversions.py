"""What git would make of a working file before it compares it: other line ends, by attributes and configuration.

Programs that a repository configures for that (`filter`) are not run: what needs one is said.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path

from dulwich.attrs import (
    AttributeValue,
    GitAttributes,
    Pattern,
    compile_gitattributes_patterns,
    parse_git_attributes,
)
from dulwich.line_ending import line_ending_filter_for_action, read_eol_config, resolve_crlf_action

from copydesk_server.errors import RepositoryError
from copydesk_server.headless.regular import read_regular
from copydesk_server.headless.repository import Repository

LARGEST = 1 << 20
MOST_WILDCARDS = 8
"""In one pattern: matching many takes for ever."""
_CONVERTED = (b"filter", b"working-tree-encoding", b"ident")
_BINARY = {b"diff": False, b"merge": False, b"text": False}
_MACRO = b"[attr]"


class Attributes:
    """The attributes of a repository's files, from wherever git takes them.

    Reading raises RepositoryError, FileError or OSError.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._macros: dict[bytes, Mapping[bytes, AttributeValue]] = {b"binary": _BINARY}
        top = repository.top
        mine = [Path(os.path.expanduser(name)) for name in (self._configured_file(), "/etc/gitattributes")]
        outermost = [pattern for path in reversed(mine) for pattern in self._patterns(path)]
        self._attributes = GitAttributes(
            [*outermost, *self._patterns(top / ".gitattributes", followed=False)],
            directory_loader=lambda folder: self._patterns(
                top / os.fsdecode(folder) / ".gitattributes", folder, followed=False
            ),
            info_patterns=self._patterns(repository.common / "info" / "attributes"),
        )

    def of(self, name: bytes) -> dict[bytes, AttributeValue]:
        """Those of a file, by its path below the working tree's top."""
        said = self._attributes.match_path(name)
        for macro, values in self._macros.items():
            if said.get(macro) is True:
                said = {**values, **said}
        return said

    def _configured_file(self) -> str:
        try:
            return os.fsdecode(self._repository.configuration.get((b"core",), b"attributesFile"))
        except KeyError:
            folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join("~", ".config")
            return os.path.join(folder, "git", "attributes")

    def _patterns(
        self, path: Path, folder: bytes = b"", *, followed: bool = True
    ) -> list[tuple[Pattern, Mapping[bytes, AttributeValue]]]:
        if not followed and path.is_symlink():  # as git does
            return []
        try:
            lines = list(parse_git_attributes(io.BytesIO(read_regular(path, LARGEST))))
        except (FileNotFoundError, NotADirectoryError):
            return []
        for pattern, _ in lines:
            if sum(map(pattern.count, (b"*", b"?", b"["))) > MOST_WILDCARDS:
                raise RepositoryError(f"{path.name} has a pattern with more than {MOST_WILDCARDS} wildcards")
        self._macros |= {p.removeprefix(_MACRO): values for p, values in lines if p.startswith(_MACRO)}
        rules = [line for line in lines if not line[0].startswith(_MACRO)]
        return compile_gitattributes_patterns(rules, os.fsencode(path), folder)


def needs_program(attributes: Mapping[bytes, AttributeValue]) -> str | None:
    """The attribute by which git would convert more than line ends, or None."""
    named = (name for name in _CONVERTED if attributes.get(name) not in (None, False))
    return next((name.decode() for name in named), None)


def stored(
    data: bytes, attributes: Mapping[bytes, AttributeValue], repository: Repository, blob: bytes
) -> bytes:
    """`data` with the line ends it would be stored with. blob: what is stored now, which git looks at in `auto` mode."""
    eol, auto, _ = read_eol_config(repository.configuration)
    action = resolve_crlf_action(attributes, eol, _boolean(auto))
    convert = line_ending_filter_for_action(action, index_has_crlf=lambda: b"\r\n" in repository.blob(blob))
    return data if convert is None else convert.clean(data)


def _boolean(value: bytes) -> bytes:
    """git takes several words for true."""
    return b"true" if value in (b"yes", b"on", b"1", b"") else value
