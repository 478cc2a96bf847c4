"""Between JSON and LSP's types: structuring what comes in, serialising what goes out.

Messages that LSP does not have stay plain JSON.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Protocol, TypeVar

from cattrs import Converter
from cattrs.errors import BaseValidationError
from lsprotocol import converters, types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

from copydesk_server.lsp.capabilities import dig
from copydesk_server.lsp.methods import STATUS

T = TypeVar("T")


class Structure(Protocol):
    """Makes one of LSP's types of plain JSON. Raises JsonRpcInvalidParams."""

    def __call__(self, value: Any, kind: type[T]) -> T: ...


def converter() -> Converter:
    """LSP's types, and plain JSON for messages LSP does not have."""
    made = converters.get_converter()
    for fallback in (JsonRPCRequestMessage, JsonRPCNotification):
        made.register_structure_hook(
            fallback, lambda message, cls: cls(**{"params": None, **{k: message[k] for k in message}})
        )
    made.register_structure_hook(JsonRPCResponseMessage, lambda message, cls: cls(**message))
    return made


def structure(made: Converter, value: Any, kind: type[T]) -> T:
    """One of LSP's types. Raises JsonRpcInvalidParams."""
    try:
        found: T = made.structure(value, kind)
    except (BaseValidationError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise JsonRpcInvalidParams(f"no {kind.__name__}") from error
    return found


def serialise(made: Converter, message: Any) -> str:
    """A message as JSON. Raises where it is too deep or has values JSON does not."""

    def default(value: Any) -> Any:
        if hasattr(value, "__attrs_attrs__"):
            return made.unstructure(value)
        return value.value if isinstance(value, Enum) else value.__dict__

    return json.dumps(message, default=default, separators=(",", ":"))


def superseding_key(message: Any) -> str | None:
    """A key shared by messages of which only the last one counts; None for all others."""
    method: str | None = getattr(message, "method", None)
    params: Any = getattr(message, "params", None)
    if method == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
        return f"{method} {params.uri}"
    if method == types.PROGRESS and isinstance(params.value, types.WorkDoneProgressReport):
        return f"{method} {params.token!r}"
    return STATUS if method == STATUS else None


def work_done_token(params: Any) -> int | str | None:
    """The `workDoneToken` of a request's params, LSP's own or ours."""
    token = (
        dig(params, "workDoneToken") if isinstance(params, dict) else getattr(params, "work_done_token", None)
    )
    return token if isinstance(token, (int, str)) else None
