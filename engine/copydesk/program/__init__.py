"""Copy/gen programs over the numbered lines of a document.

`program.py` defines which programs are legal and what text they produce, `ops.py` the operations, `sub.py` the rule for a sub's
old text, `text.py` the printed form, `edits.py` the edits for an editor. Nothing here depends on tokens, files, scopes or models.
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
