"""A model that is served as one that chooses among described edits, and says what a test scripts."""

from __future__ import annotations

from dataclasses import replace

from copydesk.models.replay import ReplayModel
from copydesk.serving.loaded_model import EMBEDDED, LoadedModel


def choosing_model() -> LoadedModel:
    """The embedded model's codec, whose format says that it chooses."""
    found = LoadedModel.load(EMBEDDED, device="cpu", dtype="fp32")
    found.model = ReplayModel(found.model)
    assert found.codec is not None
    found.codec.format = replace(found.codec.format, chooses=True)
    return found
