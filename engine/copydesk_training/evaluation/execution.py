"""Candidate programs and their tests in a subprocess, with limits on time, memory and files.

The limits guard against accidents (endless loops, runaway memory); they are not a sandbox for hostile code. The process gets an
empty working directory, no standard streams, no environment variables, and Python's isolated mode
without installed packages. POSIX only.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.util import find_spec

from copydesk.errors import TrainingError

SECONDS = 10
MEGABYTES = 1024
OPEN_FILES = 64
_FINISHED = 86
"""The exit status of a program that ran to its end: a candidate that exits early does not pass."""

_LIMITS = (
    "import resource as _r\n"
    f"_r.setrlimit(_r.RLIMIT_AS, ({MEGABYTES} << 20, {MEGABYTES} << 20))\n"
    f"_r.setrlimit(_r.RLIMIT_CPU, ({SECONDS}, {SECONDS}))\n"
    "_r.setrlimit(_r.RLIMIT_FSIZE, (0, 0))\n"
    "_r.setrlimit(_r.RLIMIT_CORE, (0, 0))\n"
    f"_r.setrlimit(_r.RLIMIT_NOFILE, ({OPEN_FILES}, {OPEN_FILES}))\n"
    "del _r\n"
)


def runs(program: str, *, seconds: float = SECONDS) -> bool:
    """Whether `program`, Python source, runs to its end without an exception.

    Raises TrainingError where the system has no resource limits (Windows).
    """
    if find_spec("resource") is None:
        raise TrainingError(
            "running tests of HumanEvalFix needs resource limits, which this system does not have"
        )
    source = f"{_LIMITS}{program}\nimport os as _os\n_os._exit({_FINISHED})\n"
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-c", source],
            cwd=folder,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(seconds) == _FINISHED
        except subprocess.TimeoutExpired:
            return False
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):  # all of them ended by themselves
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
