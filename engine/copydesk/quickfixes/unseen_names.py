"""Names that a module may have where its text does not show it: by star imports, put into its namespace as it runs, or bound
until the module deletes them.
"""

from __future__ import annotations

import re

STAR_IMPORT = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?[ \t]*\*", re.MULTILINE)
"""Its group is the module that all names are imported of."""
HAS_UNSEEN_NAMES = re.compile(
    rf"{STAR_IMPORT.pattern}|(?<![\w.])(?:globals|vars|exec)[ \t]*\(|\bglobal_enum\b|\b_convert_\("
    r"|(?<![\w.])sys\.modules\[__name__\]|^del\b",
    re.MULTILINE,
)
"""Found in a text in which a name may be there that a linter calls undefined."""
