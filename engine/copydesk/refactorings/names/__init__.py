"""Names of variables, functions and attributes."""

from __future__ import annotations

from copydesk.refactorings.names.rename_local import RENAME_LOCAL
from copydesk.refactorings.names.rename_more import RENAME_MORE
from copydesk.refactorings.names.replace_name import REPLACE_NAME

REFACTORINGS = (
    RENAME_LOCAL,
    RENAME_MORE,
    REPLACE_NAME,
)
