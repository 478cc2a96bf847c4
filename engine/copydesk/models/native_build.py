"""Native code of the package, compiled once where a C++ compiler is found.

A library lies in the user's cache folder, keyed by its source, flags, compiler and processor. Knows compilers and files; nothing
of what is compiled.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from platformdirs import user_cache_path

from copydesk.files.atomic import replacing
from copydesk.files.executables import find_executable, search_path

FLAGS = ("-O3", "-march=native", "-fopenmp", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math")
BUILD_SECONDS = 120


def built(source: Path, *, headers: Sequence[Path] = (), flags: Sequence[str] = ()) -> Path | None:
    """The shared library of a C++ file, compiled now or for an earlier run; None where there is no compiler.

    headers: those of its folder that it includes. flags: besides `FLAGS`.

    Raises OSError or SubprocessError when it cannot be compiled.
    """
    compiler = find_executable("c++", "g++", "clang++")
    if compiler is None or os.name == "nt":
        return None
    text = b"".join(path.read_bytes() for path in (source, *headers))
    flags = (*FLAGS, *flags)
    key = hashlib.sha256(text + repr((str(compiler), flags, processor_flags())).encode()).hexdigest()[:16]
    target = user_cache_path("copydesk") / "kernels" / f"{key}.so"
    if target.is_file():
        return target
    with replacing(target, shared=True) as partial:
        command = [str(compiler), *flags, str(source), "-o", str(partial)]
        # The compiler looks for assembler and linker along PATH.
        path = os.pathsep.join(map(str, search_path(os.environ.get("PATH", ""))))
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
            env={**os.environ, "PATH": path},
        )
        if done.returncode:
            raise OSError(f"{compiler} failed: {done.stderr.strip()[-500:]}")
    return target


@cache
def processor_flags() -> str:
    """What `-march=native` depends on: a cache folder may be shared between machines."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n")
    except OSError:
        import platform

        return platform.processor()
    return next((line for line in lines if line.startswith("flags")), "")
