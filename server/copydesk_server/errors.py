"""Errors of the server's own edge, by name: tools that are not there, input that cannot be read."""

from __future__ import annotations

from copydesk.errors import CopydeskError


class RuffError(CopydeskError):
    """ruff cannot be run, does not answer in time, or answers what cannot be read."""


class DiagnosticsError(CopydeskError):
    """Diagnostics in no format copydesk reads, or malformed."""


class IsolationError(CopydeskError):
    """Python was started in a way that lets it import what lies in the working directory."""


class FileError(CopydeskError):
    """A file that is left alone, and why: it cannot be read, is no text, has changed since it was read."""


class RepositoryError(CopydeskError):
    """A git repository that is damaged, or laid out in a way that is not read."""


class JournalError(CopydeskError):
    """A journal that cannot be kept, or none to go on from."""


class EditError(CopydeskError):
    """Edits that do not fit the document they are for. They are never sent."""


class ServerError(CopydeskError):
    """A language server that does not answer, or answers with an error."""


class ModelStoreError(CopydeskError):
    """A model that cannot be had by name: unknown, not downloaded, not what was recorded, no room for it."""


class RenameRefusedError(CopydeskError):
    """Nothing is renamed. The message says why, and where, in words for the person."""


class EngineStartError(CopydeskError):
    """The command that is to be the engine cannot be started."""


class EngineProtocolError(CopydeskError):
    """What is said over the pipe to an engine is not the protocol, or another version of it."""
