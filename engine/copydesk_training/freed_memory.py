"""What a training step frees stays with the process, where the C library is glibc.

A step allocates and frees gigabytes. glibc gives large pieces back to the kernel, and clearing their pages for the next step
takes a tenth of its time, or nearly half where pages are dear, as in a virtual machine. What is larger than any threshold that
glibc takes would go back even so: no piece is mapped by itself.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MAPPED_PIECES, _NEVER = -1, -4, -1
"""The parameters' numbers in malloc.h, and what switches the first off."""


def keep_freed_memory() -> bool:
    """Whether it will be kept: from now on, for this process."""
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # musl
        return False
    return all(
        mallopt(parameter, value) for parameter, value in ((_MAPPED_PIECES, 0), (_TRIM_THRESHOLD, _NEVER))
    )
