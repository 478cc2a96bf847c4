"""What a training step frees stays with the process, where the C library is glibc.

A step allocates and frees gigabytes. glibc gives large pieces back to the kernel, and clearing their pages for the next step
takes up to a tenth of its time.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The parameters' numbers in malloc.h."""
_LARGEST_PIECE = 32 << 20
"""What glibc takes for the second at most on 64 bits."""


def keep_freed_memory() -> bool:
    """Whether it will be kept: from now on, for this process."""
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # musl
        return False
    return all(
        mallopt(parameter, value)
        for parameter, value in ((_MMAP_THRESHOLD, _LARGEST_PIECE), (_TRIM_THRESHOLD, 2**31 - 1))
    )
