"""LSP's metaModel as a judge of plain JSON: is this message what the specification says, no less and no more?

lsprotocol's types are generated from the metaModel, one class per structure; they are read here as a schema. Stricter than
reading a message with them, which forgives members nobody knows, nulls where there may be none and numbers that are truth values.

    faults({"jsonrpc": "2.0", "method": "window/showMessage", "params": {"type": 9, "message": 1}}) == [
        "params.type: 9 is no MessageType", "params.message: 1 is no str"]
"""

from __future__ import annotations

import collections.abc
import enum
import types as python_types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import attrs
from lsprotocol import types

Json = Any

NUMBERS = (int, float)
INTEGERS = range(-(2**31), 2**31)
NO_ANSWER = object()

PROGRESS = {
    "begin": types.WorkDoneProgressBegin,
    "report": types.WorkDoneProgressReport,
    "end": types.WorkDoneProgressEnd,
}


def faults(message: Json, *, answers: str | None = None) -> list[str]:
    """What is wrong with a message that a server sends. answers: the method of the request, where it is a response."""
    return list(_message(message, answers))


def faults_of(value: Json, kind: Any) -> list[str]:
    """What keeps `value` from being a `kind`, one of LSP's types."""
    return list(_value(value, kind, "value"))


def _message(message: Json, answers: str | None) -> Iterator[str]:
    if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
        yield "no JSON-RPC 2.0"
        return
    if "method" in message:
        yield from _members(message, {"jsonrpc", "id", "method", "params"}, "")
        if answers is not None:
            yield "a response has no method"
        yield from _call(message)
    else:
        yield from _members(message, {"jsonrpc", "id", "result", "error"}, "")
        yield from _response(message, answers)


def _call(message: Mapping[str, Json]) -> Iterator[str]:
    """A request or notification of the server's."""
    method = message["method"]
    if method not in types.METHOD_TO_TYPES:
        yield f"{method} is no method of LSP's"
        return
    if types.message_direction(method) == "clientToServer":
        yield f"{method} is for clients to send"
    _, response, params, _ = types.METHOD_TO_TYPES[method]
    if (response is not None) != ("id" in message):
        yield f"{method} is a {'request' if response is not None else 'notification'}"
    if params is None:
        yield from ["params: there are none"] if "params" in message else []
        return
    wrong = list(_value(message.get("params"), params, "params"))
    yield from wrong
    if wrong:
        return
    if method == types.PROGRESS:
        yield from _progress(message["params"].get("value"))
    elif method == types.CLIENT_REGISTER_CAPABILITY:
        for registration in message["params"]["registrations"]:
            options = types.METHOD_TO_TYPES[registration["method"]][3]
            if registration.get("registerOptions") is not None:
                yield from _value(registration["registerOptions"], options, "registerOptions")


def _progress(value: Json) -> Iterator[str]:
    kind = PROGRESS.get(value.get("kind")) if isinstance(value, Mapping) else None
    if kind is not None:
        yield from _value(value, kind, "params.value")
    else:
        yield "params.value: no progress of work that is done"


def _response(message: Mapping[str, Json], answers: str | None) -> Iterator[str]:
    if ("result" in message) == ("error" in message):
        yield "either a result or an error"
    elif "error" in message:
        yield from _value(message["error"], types.ResponseError, "error")
        if isinstance(message.get("id", NO_ANSWER), bool | float) or "id" not in message:
            yield "id: none"
    elif answers is None:
        yield "an answer to nothing"
    elif answers not in types.METHOD_TO_TYPES:
        yield f"{answers} is no method of LSP's"
    else:
        response = types.METHOD_TO_TYPES[answers][1]
        if response is None:
            yield f"{answers} is not answered"
        else:
            yield from _value(message.get("id"), int | str, "id")
            yield from _value(message["result"], _hints(response)["result"], "result")


# -- values ------------------------------------------------------------------------------------------------------------


def _value(value: Json, kind: Any, where: str) -> Iterator[str]:
    origin = typing.get_origin(kind)
    if kind is Any or kind is types.LSPObject or kind is object:
        return
    if origin in (typing.Union, python_types.UnionType):
        yield from _alternatives(value, typing.get_args(kind), where)
    elif kind is type(None):
        yield from [] if value is None else [f"{where}: {value!r} is not null"]
    elif origin in (collections.abc.Sequence, list):
        if not isinstance(value, list):
            yield f"{where}: {value!r} is no list"
            return
        for number, item in enumerate(value):
            yield from _value(item, typing.get_args(kind)[0], f"{where}[{number}]")
    elif origin is tuple:
        parts = typing.get_args(kind)
        if not isinstance(value, list) or len(value) != len(parts):
            yield f"{where}: {value!r} is no tuple of {len(parts)}"
            return
        for number, (item, part) in enumerate(zip(value, parts, strict=True)):
            yield from _value(item, part, f"{where}[{number}]")
    elif origin in (collections.abc.Mapping, dict):
        if not isinstance(value, dict):
            yield f"{where}: {value!r} is no object"
            return
        for name, item in value.items():
            yield from _value(name, typing.get_args(kind)[0], f"{where}.{name}")
            yield from _value(item, typing.get_args(kind)[1], f"{where}.{name}")
    elif isinstance(kind, type) and attrs.has(kind):
        yield from _structure(value, kind, where)
    elif isinstance(kind, type) and issubclass(kind, enum.Enum):
        # True == 1 in Python, not in JSON.
        if isinstance(value, bool) or value not in [member.value for member in kind]:
            yield f"{where}: {value!r} is no {kind.__name__}"
    elif kind in (str, bool, int, float):
        right = (
            isinstance(value, NUMBERS if kind is float else kind) and isinstance(value, bool) == (kind is bool)
        )  # fmt: skip
        if not right or (kind is int and value not in INTEGERS):
            yield f"{where}: {value!r} is no {kind.__name__}"
    else:
        raise AssertionError(f"lsprotocol has a kind of type that nobody here knows: {kind!r}")


def _alternatives(value: Json, kinds: Sequence[Any], where: str) -> Iterator[str]:
    """Any of them will do. Otherwise what it is nearest to is what it was meant to be."""
    found = [list(_value(value, kind, where)) for kind in kinds]
    if all(found):
        yield from min(found, key=lambda wrong: (wrong[0].startswith(f"{where}: "), len(wrong)))


def _structure(value: Json, kind: type, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: {value!r} is no {kind.__name__}"
        return
    fields = {_wire_name(field.name): field for field in attrs.fields(kind)}
    yield from _members(value, set(fields), f"{where}.")
    hints = _hints(kind)
    for name, field in fields.items():
        there = f"{where}.{name}"
        always = types.is_special_property(
            kind, field.name
        )  # written also where it says nothing: null, or a constant
        if name not in value:
            if always or field.default is attrs.NOTHING:
                yield f"{there}: missing"
            continue
        item = value[name]
        if item is None and not always and hints[field.name] is not typing.Any:
            yield f"{there}: null, where it is left out if there is none"
            continue
        wrong = list(_value(item, hints[field.name], there))
        yield from wrong
        if (
            not wrong
            and field.validator is not None
            and isinstance(item, str | int)
            and not _decimal(hints[field.name])
        ):
            yield from _range(field, item, there)


def _range(field: Any, item: Json, where: str) -> Iterator[str]:
    """What a type alone does not say: constants, and the numbers an integer of LSP's may be."""
    validator: Callable[[Any, Any, Any], Any] = field.validator
    try:
        validator(None, field, item)
    except (ValueError, TypeError):
        yield f"{where}: {item!r} is out of range"


def _decimal(hint: Any) -> bool:
    return hint is float or float in typing.get_args(hint)


def _members(value: Mapping[str, Json], known: set[str], where: str) -> Iterator[str]:
    yield from (f"{where}{name}: nobody knows it" for name in value if name not in known)


def _wire_name(name: str) -> str:
    first, *rest = name.removesuffix("_").split("_")
    return first + "".join(part.title() for part in rest)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind, vars(types))
