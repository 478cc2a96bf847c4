"""Whether a message is one of the protocol: every kind, with the fields it needs, each of its type. Nothing of it is quoted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from copydesk.text.document import Encoding
from copydesk_server.engine_process.messages import Message
from copydesk_server.errors import EngineProtocolError

Check: TypeAlias = Callable[[Any], bool]


def _integer(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 53


def _version(value: Any) -> bool:
    return type(value) is int and abs(value) < 1 << 53


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _real(value: Any) -> bool:
    return isinstance(value, int | float)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _one_of(*names: str) -> Check:
    return lambda value: isinstance(value, str) and value in names


def _all(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _values(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _range(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_integer, value))


def _edit(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 5 and all(map(_integer, value[:4])) and _text(value[4])


def _fields(needed: Mapping[str, Check], others: Mapping[str, Check] | None = None) -> Check:
    """An object with the fields needed, and of others those named. None: others are left alone."""
    known = {**needed, **(others or {})}

    def check(value: Any) -> bool:
        return (
            isinstance(value, dict)
            and needed.keys() <= value.keys()
            and all(known[name](found) if name in known else others is None for name, found in value.items())
        )

    return check


_PLACE = {"doc": _integer, "version": _version}
_ENCODING = _one_of(*(encoding.value for encoding in Encoding))
_ALTERNATIVE = {
    "title": _text, "probability": _number, "edits": _all(_edit), "program": _maybe(_text),
    "reason": _maybe(_text), "checked": _all(_text),
}  # fmt: skip
_INFO = {
    "name": _text, "device": _text, "dtype": _text, "languages": _all(_text), "page_lines": _integer, "kind": _text,
    "load_ms": _number,
}  # fmt: skip
_SETTINGS = {
    "model": _maybe(_text), "device": _text, "dtype": _text, "cache_bytes": _maybe(_integer), "log_level": _text,
    "served_model": _maybe(_text),
}  # fmt: skip

_TO_SERVER: dict[str, Check] = {
    "hello": _fields({"protocol": _integer, "copydesk": _text}),
    "progress": _fields({"message": _text, "percentage": _maybe(_integer)}),
    "ready": _fields(
        {"info": _fields(_INFO, {"advice": _maybe(_text), "fingerprint": _text, "chooses": _flag})}
    ),
    "failed": _fields({"message": _text}),
    "planned": _fields({"id": _integer, "scope": _all(_range)}),
    "hunk": _fields({"id": _integer, "seq": _integer, "edits": _all(_edit)}),
    "retracted": _fields({"id": _integer, "reason": _text}),
    "result": _fields(
        {
            "kind": _text,
            "id": _integer,
            "status": _one_of("edited", "unchanged", "refused", "failed", "cancelled"),
            "reason": _maybe(_text),
            "version": _version,
        },
        {
            "edits": _all(_edit),
            "program": _maybe(_text),
            "counts": _values(_integer),
            "ms": _values(_number),
            "checked": _all(_text),
            "exact": _flag,
            "law": _one_of("exact", "automaton", "monte-carlo", "one-step", "local"),
            "unsure": _flag,
            "known_fix": _flag,
            "lost": _flag,
            "log_likelihood": _real,
            "confidence": _maybe(_number),
            "alternatives": _all(_fields(_ALTERNATIVE, {})),
        },
    ),
    "status": _fields({"id": _integer, "figures": _object}),
    "resync": _fields({"doc": _integer}),
    "pong": _fields({"id": _integer}),
    "alive": _fields({}),
}
_TO_ENGINE: dict[str, Check] = {
    "hello": _fields(
        {"protocol": _integer, "copydesk": _text, "settings": _fields(_SETTINGS, {}), "beat": _number}
    ),
    "open": _fields({**_PLACE, "name": _text, "language": _text, "text": _text}),
    "splice": _fields({**_PLACE, "encoding": _ENCODING, "changes": _all(_edit)}),
    "look": _fields({"doc": _integer, "ranges": _all(_range)}),
    "close": _fields({"doc": _integer}),
    "submit": _fields(
        {
            "id": _integer,
            "doc": _integer,
            "request": _object,
            "priority": _one_of("edit", "prefetch"),
            "stream": _flag,
            "encoding": _ENCODING,
            "deadline": _maybe(_number),
        }
    ),
    "cancel": _fields({"id": _integer}),
    "status": _fields({"id": _integer}),
    "logging": _fields({"file": _maybe(_text), "level": _text}),
    "ping": _fields({"id": _integer}),
    "bye": _fields({}),
}


def check_to_server(message: Message) -> Message:
    """A message of an engine's, as it is. Raises EngineProtocolError."""
    return _checked(message, _TO_SERVER)


def check_to_engine(message: Message) -> Message:
    """A message to an engine, as it is. Raises EngineProtocolError."""
    return _checked(message, _TO_ENGINE)


def _checked(message: Message, kinds: Mapping[str, Check]) -> Message:
    kind = message["kind"]
    if kind not in kinds:
        raise EngineProtocolError("a message of an unknown kind")
    if not kinds[kind](message):
        raise EngineProtocolError(f"a message `{kind}` whose fields are not those of its kind")
    return message
