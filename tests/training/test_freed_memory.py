"""Memory that training keeps, in a process of its own, since the setting cannot be taken back."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

FAULTS_OF_A_SECOND_ROUND = """
import resource
from copydesk_training.freed_memory import keep_freed_memory

def touch() -> int:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    pieces = [bytearray(20 << 20) for _ in range(20)]
    for piece in pieces:
        piece[::4096] = bytes(len(piece) // 4096)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

if KEEP is not None:
    assert KEEP()
touch()
print(touch())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is glibc's")
def test_what_is_freed_is_not_given_back() -> None:
    kept, plain = (
        int(
            subprocess.run(
                [sys.executable, "-c", FAULTS_OF_A_SECOND_ROUND.replace("KEEP", keep)],
                capture_output=True, text=True, check=True,
            ).stdout
        )
        for keep in ("keep_freed_memory", "None")
    )  # fmt: skip
    pages = 20 * (20 << 20) // 4096
    assert kept < pages // 20
    assert plain > pages // 2, "glibc keeps it by itself: the setting is not needed any more"
