"""Copy/gen programs over the numbered lines of a document: `program.py` says what is legal and what text a
program stands for, `ops.py` holds the operations, `sub.py` the one rule about a sub's old text, `text.py`
the printed form, `edits.py` the way to an editor's edits. Nothing here knows tokens, files, scopes or
models.
"""

from copydesk.program.ops import Copy, Gen, Op, Sub
from copydesk.program.program import Mode, Program
from copydesk.program.sub import SUB_LINES, SubSpan, sub_span
from copydesk.program.text import escape, unescape

__all__ = [
    "Copy",
    "Gen",
    "Mode",
    "Op",
    "Program",
    "SUB_LINES",
    "Sub",
    "SubSpan",
    "escape",
    "sub_span",
    "unescape",
]
