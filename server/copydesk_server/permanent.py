"""Objects that stay for a process's life, and are never looked at for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def permanent() -> Iterator[None]:
    """Whatever is there when this ends stays: modules and their classes, a model. No collection stops to look at it, not while it
    is made (torch alone makes some 600,000 objects: a fifth of a second) and not later. For a process of its own.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
