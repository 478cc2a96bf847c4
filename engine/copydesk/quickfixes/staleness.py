"""Whether a diagnostic can still be true of the lines it points at: editors keep findings after the code has moved on.

Only what can be seen on the spot counts, and each kind's handler knows what to look for; what no handler knows is believed.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Tree

from copydesk.quickfixes.registry import quick_fixes
from copydesk.request import Diagnostic


def still_applies(
    diagnostic: Diagnostic, lines: Sequence[str], language: str, tree: Tree | None = None
) -> bool:
    """False where the lines show that the diagnostic is out of date. `tree` is that of `lines`. Raises: never."""
    return quick_fixes(diagnostic, lines, language, tree).still_applies()
