"""The errors an edit request may end in instead of a result. Codes and messages go to the client."""

from __future__ import annotations

from pygls.exceptions import JsonRpcException

CANCELLED = -32800
CONTENT_MODIFIED = -32801


class StoppedError(JsonRpcException):
    """A request that is not answered with a result."""


def cancelled() -> StoppedError:
    """The person does not want an answer any more."""
    return StoppedError("cancelled", CANCELLED)


def replaced() -> StoppedError:
    """The person has asked for something else at the same place."""
    return StoppedError("a newer request for the same place", CANCELLED)


def modified(reason: str = "the text it is for has changed") -> StoppedError:
    """An answer would be for another text than the one asked about."""
    return StoppedError(reason, CONTENT_MODIFIED)
