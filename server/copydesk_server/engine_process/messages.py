"""What the two processes say to each other: settings, requests, edits and results as JSON, one object per frame.

JSON and not pickle: a frame can only ever become plain values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from copydesk.request import Diagnostic, EditRequest, Range, ToolFix
from copydesk.text.document import Position, TextEdit
from copydesk_server.engine_process.edit_outcome import EditAlternative, EditOutcome, Status

Message: TypeAlias = dict[str, Any]
"""`kind` names it, the rest depends on that.

To the engine:  open {doc, name, language, version, text}, splice {doc, version, encoding, changes}, look {doc, ranges},
                close {doc}, submit {id, slot, doc, request, priority, stream, encoding, deadline},
                cancel {id}, status {id}, logging {file, level}, bye.
To the server:  progress {message, percentage}, ready {info}, failed {message}, planned {id, scope}, hunk {id, seq, edits},
                retracted {id, reason}, result {id, ...}, status {id, figures}, resync {doc}, alive.

An engine that is no child, but a command that a person set, has no shared memory. `hello` comes first, `slot` counts for nothing:
To the engine:  hello {protocol, copydesk, settings, beat}, ping {id}.
To the server:  hello {protocol, copydesk}, pong {id}.
"""


OVERHEAD = 128
"""Bytes of a message without its texts, about."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What an engine is started with. model: name, directory, hub id or the address of a served one, None: the default one;
    cache_bytes: None: the default. served_model: a served model's name on its server, None: the only one there.

    command: the program that is the engine, and its arguments; None: a child of this process.
    """

    model: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    cache_bytes: int | None = None
    log_file: str | None = None
    log_level: str = "warning"
    command: tuple[str, ...] | None = None
    served_model: str | None = None

    def same_model(self, other: EngineSettings) -> bool:
        """Whether the two differ in their logging at most."""
        return replace(self, log_file=None, log_level="") == replace(other, log_file=None, log_level="")


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model an engine has loaded. languages: empty where any will do. advice: how to get a better one, for people; None where
    this one was chosen, or is the best there is. fingerprint: tells one model's files from another's. chooses: it has learnt to
    choose among the edits of refactorings.
    """

    name: str
    device: str
    dtype: str
    languages: tuple[str, ...]
    page_lines: int
    kind: str
    load_ms: float
    advice: str | None = None
    fingerprint: str = ""
    chooses: bool = False

    @property
    def reads_messages(self) -> bool:
        """Whether it makes of a finding's words what it can; else it knows those kinds alone that it was trained on."""
        return self.chooses or self.kind == "rewrite"


def encode(message: Message) -> bytes:
    """One frame. ASCII, so that lone surrogates travel too."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def decode(frame: bytes) -> Message:
    """What `encode` made the frame of."""
    message: Message = json.loads(frame)
    return message


def weight(message: Message) -> int:
    """About how many bytes a message to the child takes, at no cost."""
    kind = message["kind"]
    if kind == "open":
        return OVERHEAD + len(message["text"])
    if kind == "splice":
        return OVERHEAD + sum(OVERHEAD + len(change[-1]) for change in message["changes"])
    if kind == "submit":
        request = message["request"]
        return OVERHEAD * (8 + len(request["diagnostics"])) + len(request["instruction"] or "")
    return OVERHEAD


# -- values --------------------------------------------------------------------------------------------------------


def pack_edits(edits: Iterable[TextEdit]) -> list[list[Any]]:
    """Edits as lists of five."""
    return [[e.start.line, e.start.character, e.end.line, e.end.character, e.new_text] for e in edits]


def unpack_edits(packed: Sequence[Sequence[Any]]) -> tuple[TextEdit, ...]:
    """The way back."""
    return tuple(TextEdit(Position(a, b), Position(c, d), text) for a, b, c, d, text in packed)


def unpack_ranges(packed: Sequence[Sequence[int]]) -> tuple[Range, ...]:
    """JSON has no tuples."""
    return tuple((first, last) for first, last in packed)


def pack_request(request: EditRequest) -> Message:
    """A request as an object."""
    return asdict(request)


def unpack_request(packed: Message) -> EditRequest:
    """The way back. Raises RequestError, ScopeError for values no request has."""
    values = dict(packed)
    if values["scope"] is not None:
        values["scope"] = unpack_ranges(values["scope"])
    values["diagnostics"] = [_unpack_diagnostic(item) for item in values["diagnostics"]]
    return EditRequest(**values)


def _unpack_diagnostic(packed: Message) -> Diagnostic:
    def span(item: Message) -> Message:
        return {**item, "start": Position(**item["start"]), "end": Position(**item["end"])}

    fixes = tuple(
        ToolFix(tuple(TextEdit(**span(edit)) for edit in fix["edits"]), fix["safe"])
        for fix in packed["fixes"]
    )
    return Diagnostic(**{**span(packed), "fixes": fixes, "imports": tuple(packed["imports"])})


def unpack_info(packed: Message) -> ModelInfo:
    """From the `ready` message."""
    return ModelInfo(**{**packed, "languages": tuple(packed["languages"])})


def result_message(job: int, status: Status, reason: str | None, version: int, **more: Any) -> Message:
    """A job's result on its way; `more` are the other fields of `EditOutcome`, edits packed."""
    return {"kind": "result", "id": job, "status": status, "reason": reason, "version": version, **more}


def unpack_result(message: Message) -> EditOutcome:
    """From the `result` message."""
    values = {key: value for key, value in message.items() if key not in ("kind", "id")}
    values["edits"] = unpack_edits(values.get("edits", ()))
    values["checked"] = tuple(values.get("checked", ()))
    values["alternatives"] = tuple(map(_unpack_alternative, values.get("alternatives", ())))
    return EditOutcome(**values)


def _unpack_alternative(packed: Message) -> EditAlternative:
    return EditAlternative(
        **{**packed, "edits": unpack_edits(packed["edits"]), "checked": tuple(packed["checked"])},
        verdict="refused" if packed["reason"] is not None else "checked" if packed["edits"] else "unchanged",
    )
