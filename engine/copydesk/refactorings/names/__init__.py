"""Names of variables, functions and attributes."""

from __future__ import annotations

from copydesk.refactorings.names.import_alias import IMPORT_ALIAS
from copydesk.refactorings.names.own_class import OWN_CLASS
from copydesk.refactorings.names.rename import RENAME
from copydesk.refactorings.names.replace_name import REPLACE_NAME

REFACTORINGS = (
    RENAME,
    REPLACE_NAME,
    IMPORT_ALIAS,
    OWN_CLASS,
)
