"""Defects put into clean code: what is asked, and the way back, for training."""

from __future__ import annotations

from copydesk_training.defects.registry import KINDS, Kind, examples, for_kind

__all__ = ["KINDS", "Kind", "examples", "for_kind"]
