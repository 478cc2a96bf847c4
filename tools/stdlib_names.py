"""Write `engine/copydesk/quickfixes/handlers/stdlib_names.txt`: the standard library's modules with their public names.

    python tools/stdlib_names.py [DIR...]

Modules come in the order of how many files under DIR (by default the standard library itself) import them, so that a name
several modules have is offered from the likeliest first. Run it with the newest Python the package supports.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import sys
import sysconfig
import warnings
from collections import Counter
from pathlib import Path
from types import ModuleType

TABLE = Path(__file__).parent.parent / "engine" / "copydesk" / "quickfixes" / "handlers" / "stdlib_names.txt"
SUBMODULES = [
    "asyncio.subprocess", "collections.abc", "concurrent.futures", "ctypes.util", "email.message",
    "email.mime.multipart", "email.mime.text", "email.utils", "html.parser", "http.client", "http.cookiejar",
    "http.cookies", "http.server", "importlib.abc", "importlib.machinery", "importlib.metadata",
    "importlib.resources", "importlib.util", "json.decoder", "json.encoder", "logging.config", "logging.handlers",
    "multiprocessing.pool", "os.path", "unittest.mock", "urllib.error", "urllib.parse", "urllib.request",
    "urllib.robotparser", "wsgiref.simple_server", "xml.dom.minidom", "xml.etree.ElementTree", "xml.sax.saxutils",
]  # fmt: skip
LEFT_OUT = {"antigravity", "this", "idlelib", "lib2to3", "turtledemo", "pydoc_data", "test"}
"""Modules that do something when imported, or that nobody imports from."""
CROWDED = {"tkinter", "turtle", "curses", "token", "symbol", "opcode", "errno", "winreg", "msvcrt"}
"""Modules whose names are constants by the hundred: they are meant to be used through the module."""
_IMPORT = re.compile(r"^[ \t]*(?:from[ ]([\w.]+)[ ]import\b|import[ ]([\w.]+))", re.MULTILINE)


def main() -> None:
    """Write the table and say how large it is."""
    folders = [Path(name) for name in sys.argv[1:]] or [Path(sysconfig.get_path("stdlib"))]
    counts: Counter[str] = Counter()
    for folder in folders:
        for path in folder.rglob("*.py"):
            text = path.read_text(encoding="utf-8", errors="replace")
            counts.update({plain or whole for plain, whole in _IMPORT.findall(text)})
    plain = (name for name in sys.stdlib_module_names if not name.startswith("_") and name not in LEFT_OUT)
    names = sorted({*plain, *SUBMODULES}, key=lambda name: (-counts[name], name))
    rows = [f"{name}: {' '.join(_public(name))}".rstrip() for name in names]
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    TABLE.write_text(
        f"# Python {version}, by tools/stdlib_names.py\n" + "\n".join(rows) + "\n", encoding="utf-8"
    )
    sys.stdout.write(f"{TABLE}: {len(rows)} modules, {TABLE.stat().st_size:,} bytes\n")


def _public(name: str) -> list[str]:
    """What `from name import …` may name; nothing for modules that cannot be imported here."""
    if name in CROWDED:
        return []
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            module = importlib.import_module(name)
    except Exception:  # noqa: BLE001 - other platforms' modules fail in ways of their own
        return []
    listed = getattr(module, "__all__", None)
    found = list(listed) if listed is not None else [n for n in dir(module) if _own(module, n)]
    return sorted({n for n in found if n.isidentifier() and not n.startswith("_")})


def _own(module: ModuleType, name: str) -> bool:
    """Whether a module without `__all__` means a name of its to be imported."""
    value = getattr(module, name)
    if name.startswith("_") or isinstance(value, ModuleType):
        return False
    return getattr(value, "__module__", module.__name__) in (
        module.__name__,
        f"_{module.__name__}",
        "builtins",
        None,
    )


if __name__ == "__main__":
    main()
