"""Memory that was freed, given back to the system.

glibc keeps what is freed in the middle of its heap, and texts, trees and tensors of a thousand files leave holes everywhere.
Knows the C library; nothing of files.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Costs some milliseconds; does nothing where the C library is no glibc. Raises: never."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library
        return None
    return trim
