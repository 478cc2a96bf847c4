"""Branches, guards and returns."""

from __future__ import annotations

from copydesk.refactorings.control_flow.add_guard import ADD_BRANCH, ADD_GUARD, DEFAULT_FOR_NONE, WRAP_IN_IF
from copydesk.refactorings.control_flow.branches import (
    DEFAULT_BEFORE_IF,
    DROP_BRANCH,
    ELIF,
    MERGE_BRANCHES,
    PULL_OUT_OF_BRANCHES,
    SPLIT_BRANCH,
    UNWRAP,
)
from copydesk.refactorings.control_flow.conditional_expression import CONDITIONAL_TO_IF, IF_TO_CONDITIONAL
from copydesk.refactorings.control_flow.else_after_return import ELSE_AFTER_RETURN
from copydesk.refactorings.control_flow.guard_clauses import CONTINUE_EARLY, GUARD_CLAUSE, NEST_REST
from copydesk.refactorings.control_flow.invert_if import INVERT_IF
from copydesk.refactorings.control_flow.nested_ifs import MERGE_NESTED_IFS, SPLIT_CONDITION
from copydesk.refactorings.control_flow.returns import (
    ONE_RETURN,
    RETURN_IN_BRANCHES,
    RETURN_OR_NOT,
    TWO_RETURNS,
)

REFACTORINGS = (
    ADD_BRANCH,
    ADD_GUARD,
    DEFAULT_FOR_NONE,
    WRAP_IN_IF,
    DEFAULT_BEFORE_IF,
    DROP_BRANCH,
    ELIF,
    MERGE_BRANCHES,
    PULL_OUT_OF_BRANCHES,
    SPLIT_BRANCH,
    UNWRAP,
    CONDITIONAL_TO_IF,
    IF_TO_CONDITIONAL,
    ELSE_AFTER_RETURN,
    CONTINUE_EARLY,
    GUARD_CLAUSE,
    NEST_REST,
    INVERT_IF,
    MERGE_NESTED_IFS,
    SPLIT_CONDITION,
    ONE_RETURN,
    RETURN_IN_BRANCHES,
    RETURN_OR_NOT,
    TWO_RETURNS,
)
