"""The same said as Python has a word for it."""

from __future__ import annotations

from copydesk.refactorings.idioms.affixes import REMOVE_AFFIX
from copydesk.refactorings.idioms.any_of_calls import ANY_OF_CALLS
from copydesk.refactorings.idioms.counting_dicts import COUNTING_DICT
from copydesk.refactorings.idioms.entry_or_default import ENTRY_OR_DEFAULT
from copydesk.refactorings.idioms.equivalents import EQUIVALENT
from copydesk.refactorings.idioms.exist_ok import EXIST_OK
from copydesk.refactorings.idioms.getattr_default import GETATTR_DEFAULT
from copydesk.refactorings.idioms.joined_paths import JOINED_PATH
from copydesk.refactorings.idioms.lambda_function import DEF_TO_LAMBDA, LAMBDA_TO_DEF
from copydesk.refactorings.idioms.modernize import MODERNIZE
from copydesk.refactorings.idioms.operator_functions import OPERATOR_FUNCTION
from copydesk.refactorings.idioms.partials import PARTIAL
from copydesk.refactorings.idioms.prefix_slice import PREFIX_SLICE
from copydesk.refactorings.idioms.print_to_stream import PRINT_TO_STREAM
from copydesk.refactorings.idioms.python_three import PYTHON_THREE
from copydesk.refactorings.idioms.regex_anchors import REGEX_ANCHORS
from copydesk.refactorings.idioms.regex_classes import REGEX_CLASSES
from copydesk.refactorings.idioms.simplify import (
    APPEND,
    AUGMENTED_ASSIGNMENT,
    CHAINED_COMPARISON,
    DICT_GET,
    EXTEND,
    ISDISJOINT,
    MERGE_ISINSTANCE,
    ONE_OF,
    POSITIVE,
)
from copydesk.refactorings.idioms.use_divmod import USE_DIVMOD
from copydesk.refactorings.idioms.use_with import USE_WITH
from copydesk.refactorings.idioms.walrus import SPLIT_WALRUS, WALRUS, WALRUS_LOOP

REFACTORINGS = (
    EXIST_OK,
    APPEND,
    MODERNIZE,
    PYTHON_THREE,
    AUGMENTED_ASSIGNMENT,
    CHAINED_COMPARISON,
    DICT_GET,
    ENTRY_OR_DEFAULT,
    MERGE_ISINSTANCE,
    ONE_OF,
    ANY_OF_CALLS,
    USE_WITH,
    WALRUS,
    SPLIT_WALRUS,
    LAMBDA_TO_DEF,
    DEF_TO_LAMBDA,
    PARTIAL,
    GETATTR_DEFAULT,
    PRINT_TO_STREAM,
    EXTEND,
    ISDISJOINT,
    POSITIVE,
    EQUIVALENT,
    JOINED_PATH,
    REGEX_ANCHORS,
    WALRUS_LOOP,
    PREFIX_SLICE,
    USE_DIVMOD,
    OPERATOR_FUNCTION,
    REGEX_CLASSES,
    COUNTING_DICT,
    REMOVE_AFFIX,
)
