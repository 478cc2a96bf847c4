"""A rename in a process of its own, which is ended when it takes too long or nobody wants it any more."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from copydesk_server.errors import RenameRefusedError
from copydesk_server.isolation import isolate
from copydesk_server.renaming.request import RenameAnswer, RenameRequest

_WORKER = "copydesk_server.renaming.worker"


def cache_folder() -> str | None:
    """Where parsed modules of Python itself are kept between renames; None where that would be relative to the working
    directory.
    """
    folder = user_cache_path("copydesk") / "jedi"
    return str(folder) if folder.is_absolute() else None


def rename(request: RenameRequest) -> RenameAnswer:
    """Blocks. Raises RenameRefusedError; IsolationError."""
    isolate()
    with tempfile.TemporaryDirectory(prefix="copydesk-rename-") as scratch:
        process = subprocess.Popen([sys.executable, "-P", "-m", _WORKER], **_streams(scratch))
        try:
            data, _ = process.communicate(request.encode(scratch), timeout=request.limits.seconds)
        except subprocess.TimeoutExpired:
            raise _late(request) from None
        finally:
            process.kill()
            process.wait()
    return _read(data, process.returncode)


async def rename_apart(request: RenameRequest) -> RenameAnswer:
    """Ended with the task that waits for it. Raises RenameRefusedError, IsolationError, OSError."""
    isolate()
    scratch = await asyncio.to_thread(tempfile.mkdtemp, prefix="copydesk-rename-")
    try:
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-P", "-m", _WORKER], **_streams(scratch)
        )
        try:
            data, _ = await asyncio.wait_for(
                process.communicate(request.encode(scratch)), request.limits.seconds
            )
        except TimeoutError:
            raise _late(request) from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await asyncio.shield(process.wait())
        code = process.returncode
        return await asyncio.to_thread(_read, data, code)
    finally:
        await asyncio.shield(asyncio.to_thread(_remove, Path(scratch)))


def _streams(scratch: str) -> dict[str, Any]:
    return {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.DEVNULL,  # a traceback would have somebody's text in it
        "cwd": scratch,
    }


def _late(request: RenameRequest) -> RenameRefusedError:
    return RenameRefusedError(f"the analysis did not end within {request.limits.seconds:g} seconds")


def _read(data: bytes, code: int | None) -> RenameAnswer:
    if code != 0:
        raise RenameRefusedError(f"the analysis ended early (exit code {code})")
    return RenameAnswer.decode(data)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
