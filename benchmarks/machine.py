"""What a table says of the machine it was made on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def hardware() -> str:
    """The processor's name and its cores."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), name)
    return f"{named}, {os.cpu_count()} cores"
