"""What a function declares: parameters, defaults, decorators."""

from __future__ import annotations

from copydesk.refactorings.signatures.add_parameter import ADD_PARAMETER
from copydesk.refactorings.signatures.change_signature import CHANGE_SIGNATURE, METHOD_KIND
from copydesk.refactorings.signatures.class_head import CLASS_BASES, DATACLASS_OPTION, FIELD_DEFAULT
from copydesk.refactorings.signatures.decorators import ADD_DECORATOR, REMOVE_DECORATOR
from copydesk.refactorings.signatures.introduce_parameter import INTRODUCE_PARAMETER
from copydesk.refactorings.signatures.keyword_only import KEYWORD_ONLY
from copydesk.refactorings.signatures.make_async import MAKE_ASYNC
from copydesk.refactorings.signatures.parameter_default import PARAMETER_DEFAULT
from copydesk.refactorings.signatures.plain_default import PLAIN_DEFAULT
from copydesk.refactorings.signatures.positional_only import POSITIONAL_ONLY
from copydesk.refactorings.signatures.remove_parameter import REMOVE_PARAMETER

REFACTORINGS = (
    ADD_PARAMETER,
    CHANGE_SIGNATURE,
    METHOD_KIND,
    ADD_DECORATOR,
    REMOVE_DECORATOR,
    KEYWORD_ONLY,
    MAKE_ASYNC,
    PARAMETER_DEFAULT,
    PLAIN_DEFAULT,
    REMOVE_PARAMETER,
    POSITIONAL_ONLY,
    INTRODUCE_PARAMETER,
    CLASS_BASES,
    DATACLASS_OPTION,
    FIELD_DEFAULT,
)
