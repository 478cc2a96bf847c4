"""copydesk edits code by Copy-as-Decode: a model emits a short program of copies and gens, and the engine turns it into edits.

The names below load on first touch: `import copydesk` costs nothing, and only `Editor` brings in torch.
"""

from __future__ import annotations

from importlib import import_module, metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copydesk.editor import Editor
    from copydesk.oracle import oracle_program
    from copydesk.program import Program
    from copydesk.request import Diagnostic, EditRequest

__all__ = ["Diagnostic", "EditRequest", "Editor", "Program", "__version__", "oracle_program"]

try:
    __version__ = metadata.version("copydesk")
except metadata.PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0.0.0+source"

_HOME = {
    "Diagnostic": "copydesk.request",
    "EditRequest": "copydesk.request",
    "Editor": "copydesk.editor",
    "Program": "copydesk.program",
    "oracle_program": "copydesk.oracle",
}


def __getattr__(name: str) -> object:
    """Load an exported name from its room (PEP 562)."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
