"""Editors for tests: mock or tiny random models behind the real facade, no weights, no files, no thread."""

from __future__ import annotations

from typing import Any

from copydesk.editor import Document, Editor
from copydesk.models.replay import ReplayModel
from copydesk.program import Program
from copydesk.prompting.codec import special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import ByteVocabulary
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.serving.loaded_model import LoadedModel
from copydesk.serving.plan import script_of
from mock_model import MockModel
from tiny_models import build, hand_written, qwen2


def byte_vocabulary(kind: str = "lines") -> ByteVocabulary:
    return ByteVocabulary(special_tokens(127) if kind == "lines" else ())


def editor(
    model: Any = None, kind: str = "lines", cache_bytes: int | None = None, warm: bool = False, **changes: Any
) -> Editor:
    """An editor over bytes on `model` (a MockModel by default)."""
    vocabulary = byte_vocabulary(kind)
    model = model or MockModel(vocabulary.size)
    return Editor(
        LoadedModel.of(model, EditFormat(kind=kind, **changes), vocabulary),
        cache_bytes=cache_bytes,
        warm=warm,
    )


def tiny_qwen(kind: str = "lines", **changes: Any) -> Any:
    """A tiny random Qwen2 in fp32 with a vocabulary of bytes."""
    return hand_written(build(qwen2(byte_vocabulary(kind).size, **changes)))


def settle(desk: Editor) -> None:
    """Warm everything in sight, as the thread would."""
    while desk.warm_step():
        pass


def replay(desk: Editor, document: Document, request: EditRequest, program: Program) -> EditResult:
    """Decode `request` with the model made to say `program`. `desk.loaded_model.model` is a ReplayModel."""
    model = desk.loaded_model.model
    assert isinstance(model, ReplayModel)
    plan = document.plan(request)
    model.scripts.clear()
    model.scripts[1] = script_of(desk.loaded_model, plan, program)
    return document.edit(request)
