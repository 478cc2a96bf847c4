"""What a function declares: parameters, defaults, decorators."""

from __future__ import annotations

from copydesk.refactorings.signatures.add_default import ADD_DEFAULT
from copydesk.refactorings.signatures.add_parameter import ADD_PARAMETER
from copydesk.refactorings.signatures.change_signature import METHOD_KIND, SIGNATURE_FORMS
from copydesk.refactorings.signatures.decorators import ADD_DECORATOR, REMOVE_DECORATOR
from copydesk.refactorings.signatures.drop_parameter import DROP_PARAMETER
from copydesk.refactorings.signatures.keyword_only import KEYWORD_ONLY
from copydesk.refactorings.signatures.make_async import MAKE_ASYNC
from copydesk.refactorings.signatures.parameter_default import PARAMETER_DEFAULT
from copydesk.refactorings.signatures.remove_parameter import REMOVE_PARAMETER

REFACTORINGS = (
    ADD_DEFAULT,
    ADD_PARAMETER,
    METHOD_KIND,
    SIGNATURE_FORMS,
    ADD_DECORATOR,
    REMOVE_DECORATOR,
    DROP_PARAMETER,
    KEYWORD_ONLY,
    MAKE_ASYNC,
    PARAMETER_DEFAULT,
    REMOVE_PARAMETER,
)
