"""What conditions test."""

from __future__ import annotations

from copydesk.refactorings.conditions.accept_another import ACCEPT_ANOTHER
from copydesk.refactorings.conditions.add_condition import ADD_CONDITION
from copydesk.refactorings.conditions.change_operator import CHANGE_OPERATOR
from copydesk.refactorings.conditions.change_test import CHANGE_TEST
from copydesk.refactorings.conditions.drop_condition import DROP_CONDITION
from copydesk.refactorings.conditions.same_of_another import SAME_OF_ANOTHER

REFACTORINGS = (
    ACCEPT_ANOTHER,
    ADD_CONDITION,
    CHANGE_OPERATOR,
    CHANGE_TEST,
    DROP_CONDITION,
    SAME_OF_ANOTHER,
)
