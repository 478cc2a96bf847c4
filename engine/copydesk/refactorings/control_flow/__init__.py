"""Branches, guards and returns."""

from __future__ import annotations

from copydesk.refactorings.control_flow.add_guard import ADD_GUARD
from copydesk.refactorings.control_flow.branches import (
    CONSOLIDATE_CONDITIONAL,
    DROP_BRANCH,
    MOVE_DEFAULT,
    NESTED_IF_TO_ELIF,
    SWAP_BRANCHES,
    UNWRAP_BLOCK,
)
from copydesk.refactorings.control_flow.else_after_return import ELSE_AFTER_RETURN
from copydesk.refactorings.control_flow.guard_clauses import CONTINUE_EARLY, GUARD_CLAUSE, NEST_AFTER_GUARD
from copydesk.refactorings.control_flow.invert_if import INVERT_IF
from copydesk.refactorings.control_flow.loop_else import LOOP_ELSE
from copydesk.refactorings.control_flow.merge_branches import MERGE_BRANCHES
from copydesk.refactorings.control_flow.nested_ifs import MERGE_NESTED_IFS, SPLIT_CONDITION
from copydesk.refactorings.control_flow.nested_withs import MERGE_WITHS, SPLIT_WITH
from copydesk.refactorings.control_flow.only_if import ONLY_IF
from copydesk.refactorings.control_flow.otherwise import OTHERWISE
from copydesk.refactorings.control_flow.return_alone import RETURN_ALONE
from copydesk.refactorings.control_flow.return_anyway import RETURN_ANYWAY
from copydesk.refactorings.control_flow.return_call import RETURN_CALL
from copydesk.refactorings.control_flow.returns import (
    CONSOLIDATE_RETURNS,
    RETURN_IN_BRANCHES,
    SPLIT_RETURN,
)
from copydesk.refactorings.control_flow.same_in_branches import SAME_IN_BRANCHES
from copydesk.refactorings.control_flow.use_at_once import USE_AT_ONCE
from copydesk.refactorings.control_flow.use_match import USE_MATCH

REFACTORINGS = (
    ADD_GUARD,
    MOVE_DEFAULT,
    DROP_BRANCH,
    NESTED_IF_TO_ELIF,
    CONSOLIDATE_CONDITIONAL,
    UNWRAP_BLOCK,
    ELSE_AFTER_RETURN,
    CONTINUE_EARLY,
    GUARD_CLAUSE,
    NEST_AFTER_GUARD,
    INVERT_IF,
    MERGE_NESTED_IFS,
    SPLIT_CONDITION,
    CONSOLIDATE_RETURNS,
    RETURN_IN_BRANCHES,
    SPLIT_RETURN,
    ONLY_IF,
    OTHERWISE,
    RETURN_CALL,
    RETURN_ANYWAY,
    RETURN_ALONE,
    MERGE_WITHS,
    SPLIT_WITH,
    SAME_IN_BRANCHES,
    MERGE_BRANCHES,
    LOOP_ELSE,
    USE_AT_ONCE,
    USE_MATCH,
    SWAP_BRANCHES,
)
