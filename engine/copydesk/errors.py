"""Every error the engine raises on purpose, by name.

Callers catch `CopydeskError` at an edge and show `str(error)`; nothing here knows how it is shown.
"""

from __future__ import annotations


class CopydeskError(Exception):
    """Base of all named errors. Document and cache are as they were before the call that raised it."""


class FileRefusedError(CopydeskError):
    """A file that is not read: no regular file (a pipe, a device, a directory), too large, changed while being read."""


class DocumentTooLargeError(CopydeskError):
    """A text that is not edited: it, or one line of it, is larger than the limits allow, or it is nested too deeply."""


class DocumentError(CopydeskError):
    """A splice or position that does not fit the document."""


class ProgramError(CopydeskError):
    """A program that is not legal for its document (ranges, order, adjacency, a sub whose old text is not unique)."""


class ProgramSyntaxError(ProgramError):
    """Program text that does not parse. `line` and `column` are 1-based."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


class ScopeError(CopydeskError):
    """A scope that does not fit the document, or that no page can show."""


class ContextLengthError(CopydeskError):
    """The request needs more tokens than the model's context holds, for example one very long line."""


class FormatError(CopydeskError):
    """An edit format declaration (`copydesk.json`) that cannot be used."""


class TokenizerError(CopydeskError):
    """A missing tokenizer, or one that cannot spell what the edit format needs."""


class GrammarError(CopydeskError):
    """A grammar that llguidance or the automaton builder refuses."""


class ModelError(CopydeskError):
    """A model that cannot be loaded: missing or corrupt files, an unknown architecture."""


class AdapterError(CopydeskError):
    """An adapter that cannot be read or written, a base that no adapter can be for, or two that do not belong together."""


class OutOfMemoryError(CopydeskError):
    """The device ran out of memory even after the cache was evicted and the forward retried once."""


class CacheError(CopydeskError):
    """The KV cache cannot serve a request within its byte budget, or failed its integrity check."""


class EditorClosedError(CopydeskError):
    """Something was asked of an editor that is closed."""


class ServerError(CopydeskError):
    """A server of models that cannot be used: not reached, too slow, a wrong key, a version or a tokenizer that does not fit, or
    an answer that is none."""


class OutsideGrammarError(ServerError):
    """A server wrote what the grammar of its request does not allow: nothing of it is used."""


class RequestError(CopydeskError):
    """A request whose values are out of range or contradict each other."""


class TrainingError(CopydeskError):
    """A corpus, a shard or a training run that cannot be made or continued: a missing package, a full disk, other settings."""
