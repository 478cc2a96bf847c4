"""Writing a file completely or not at all."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path, *, shared: bool = False) -> Iterator[Path]:
    """A path next to `path` to write to. At the end it replaces `path`; if writing fails, it is removed.

    shared: other processes and threads may write `path` at the same time. Creates the folder. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(
        f"{path.name}.{os.getpid()}-{threading.get_ident()}.partial" if shared else f"{path.name}.partial"
    )
    try:
        yield partial
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
