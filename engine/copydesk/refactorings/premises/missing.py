"""Instructions about code that the selected lines do not have: a kind of code, or a name."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.premises.docstrings import docstrings

Test = Callable[[RefactoringContext], bool]


@dataclass(frozen=True, slots=True)
class _Kind:
    """words: what people call it. there: whether selected lines may have one."""

    words: str
    there: Test


def selected_text(context: RefactoringContext) -> str:
    """The selected lines."""
    return "".join(context.lines[number - 1] for number in context.numbers())


def _written(pattern: str) -> Test:
    found = re.compile(pattern, re.IGNORECASE)
    return lambda context: found.search(context.derived(selected_text)) is not None


def _has_hints(context: RefactoringContext) -> bool:
    return any(node.type == "type" for node in context.overlapping())


def _has_docstring(context: RefactoringContext) -> bool:
    return any(docstrings(context)) or '"""' in context.derived(selected_text)


_BLOCK = r"(?: (?:block|branch|branches|clause|clauses|part))?"
_KINDS = (
    _Kind(r"(?:debug(?:ging)? )?print(?:s|outs?| statements?| calls?)?(?:\(\))?", _written(r"print")),
    _Kind(r"(?:(?:inline|block|leading|trailing) )?comments?", _written("#")),
    _Kind(r"doc ?strings?", _has_docstring),
    _Kind(r"(?:todo|fixme|xxx)s?(?: comments?| notes?)?", _written(r"todo|fixme|xxx")),
    _Kind(r"assert(?:s|ions?| statements?)?", _written("assert")),
    _Kind(r"lambdas?(?: functions?)?", _written(r"\blambda\b")),
    _Kind(r"while(?: true)?(?: loops?)?", _written(r"\bwhile\b")),
    _Kind(r"(?:(?:for|inner|outer|explicit|manual) )?loops?", _written(r"\b(?:for|while)\b")),
    _Kind(r"(?:(?:list|dict|set|generator) )?comprehensions?", _written(r"\bfor\b")),
    _Kind(rf"try(?:[ /](?:and )?except)?{_BLOCK}", _written(r"\btry\b")),
    _Kind(rf"except{_BLOCK}", _written(r"\bexcept\b")),
    _Kind(rf"finally{_BLOCK}", _written(r"\bfinally\b")),
    _Kind(rf"else{_BLOCK}", _written(r"\belse\b")),
    _Kind(rf"elifs?{_BLOCK}", _written(r"\belif\b")),
    _Kind(r"(?:nested )?ifs?(?: statements?| blocks?)?", _written(r"\bif\b")),
    _Kind(rf"with{_BLOCK}", _written(r"\bwith\b")),
    _Kind(r"globals?(?: statements?| declarations?)?", _written(r"\bglobal")),
    _Kind(r"ternar(?:y|ies)(?: operators?| expressions?)?|conditional expressions?", _written(r"\bif\b")),
    _Kind(r"noqas?(?: comments?)?", _written("noqa")),
    _Kind(r"type:? ?ignores?(?: comments?)?", _written(r"type: *ignore")),
    _Kind(r"type (?:hints?|annotations?)", _has_hints),
    _Kind(r"f-?strings?", _written(r"\br?fr?['\"]")),
    _Kind(r"walrus(?: operators?)?", _written(":=")),
    _Kind(r"decorators?", _written("@")),
    _Kind(r"semicolons?", _written(";")),
    _Kind(r"backslash(?:es)?", _written(r"\\")),
    _Kind(r"yields?", _written(r"\byield\b")),
    _Kind(r"(?:early )?returns?(?: statements?)?", _written(r"\breturn\b")),
    _Kind(r"raises?", _written(r"\braise\b")),
    _Kind(r"(?:%|percent)(?:-| )formatting|%s|%", _written("%")),
    _Kind(r"\.?format(?:\(\))?(?: calls?)?", _written("format")),
    _Kind(r"(?:local )?imports?(?: statements?)?", _written(r"\bimport\b")),
    _Kind(r"super(?:\(\))?(?: calls?)?", _written(r"\bsuper\b")),
    _Kind(r"pass(?: statements?)?", _written(r"\bpass\b")),
    _Kind(r"continues?", _written(r"\bcontinue\b")),
    _Kind(r"breaks?", _written(r"\bbreak\b")),
)
_SOME = (
    r"(?:(?:the|this|that|these|those|all|any|every|both|an?|its|unused|useless|unnecessary|needless|superfluous|redundant|"
    r"old|stale|outdated|obsolete|leftover|left-over|extra|bare|big|long|whole|retry|other|remaining|last|first|second) )*"
)
_CHANGES = (
    rf"^(?:please )?(?:remove|drop|delete|kill|get rid of|strip out|take out|throw out|lose) {_SOME}KIND"
    r"(?= (?:from|in|here|and|around|about|on|at|of|that|which|over|before|after|too|again|please)\b|[.,;!]|$)",
    rf"^(?:please )?(?:replace|turn|convert|rewrite|change|unroll) {_SOME}KIND"
    r"(?= (?:by|with|in|into|to|as|here|an?|one)\b)",
    rf"^(?:please )?use (?:an? )?[\w ]+ for {_SOME}KIND(?: here)?[.!]?$",
    rf"\b(?:instead of|rather than|in place of) {_SOME}KIND(?= (?:here|in|for|over)\b|[.,;!)]|$)",
)
"""How a kind of code is named that is to go or to become another one."""
_WISHES = [
    (kind, [re.compile(change.replace("KIND", f"(?P<noun>{kind.words})")) for change in _CHANGES])
    for kind in _KINDS
]
_CODE = r"(?P<quote>[`'\"]?)(?P<name>@?[^\W\d]\w*(?:\.\w+)*(?:\(\))?)(?P=quote)"
_NAMED = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?:please )?rename (?:the )?(?:\w+ )?{_CODE} (?:to|->|as|into)\b",
        rf"^(?:please )?replace (?:the )?{_CODE} (?:by|with)\b",
        rf"\b(?:instead of|rather than) (?:the )?{_CODE}(?=[.,;!)]|$| (?:here|in|for)\b)",
        rf"^{_CODE} ?(?:->|=>|→) ?\S+$",
        rf"^(?:please )?(?:remove|drop|delete|get rid of) (?:the )?(?:unused )?"
        rf"(?:call to |parameter |argument |variable |decorator |import |attribute |keyword )?{_CODE}"
        r"(?:[.!]?$| (?:here|from|again|and)\b)",
        rf"\bnameerror (?:for|of|on|about|with) {_CODE}",
        rf"\btypo in {_CODE}",
        rf"^(?:the )?(?:name |variable )?{_CODE} (?:is|isn't|reads|sounds)\b.*\b(?:rename|call it|name it)\b",
    )
]
"""How a name is said that is to go or to become another one. Whether it is a name, and no English word, its form says."""
_MARKED = re.compile(r"[_.(@]|[a-z][A-Z]|^[A-Z]|\d")


def missing(context: RefactoringContext, instruction: str) -> str | None:
    """What an instruction is about, and the selected lines have not."""
    said = instruction.replace("`", "").strip().lower()
    for kind, wishes in _WISHES:
        found = next((match for wish in wishes if (match := wish.search(said))), None)
        if found is not None and not kind.there(context):
            return f"the selected lines have no {found['noun']}"
    text = context.derived(selected_text).lower()
    for name in _names(instruction.strip()):
        if name.strip("@()").rpartition(".")[2].strip("_").lower() not in text:
            return f"{name} is not in the selected lines"
    return None


def _names(instruction: str) -> Iterator[str]:
    for pattern in _NAMED:
        for found in pattern.finditer(instruction):
            name = found["name"]
            if (found["quote"] == "`" or _MARKED.search(name)) and not _implied(name):
                yield name


def _implied(name: str) -> bool:
    """Whether code does without writing it: what it returns at the end, or what a subscript raises."""
    return name in ("None", "True", "False", "Python") or (hasattr(builtins, name) and name[0].isupper())
