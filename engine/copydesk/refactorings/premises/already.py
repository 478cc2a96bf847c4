"""Instructions for what the selected lines have already: a docstring, a type, a default, a decorator, sorted imports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.parameters import name_of, parameters_of
from copydesk.refactorings.premises.docstrings import docstrings
from copydesk.refactorings.premises.missing import selected_text
from copydesk.syntax.tree import text_of

_CHANGE = re.compile(
    r"\b(?:remove|drop|delete|strip|instead|rather|no|not|never|(?:do|is|are|should|need|must)n't|longer|shorten|wrong|outdated|trim|fix|typo|dead|"
    r"and|but|then)\b|->.*->"
)
"""Words of who wants something else than what is there, or more than one thing."""
_DOCSTRING = re.compile(
    r"(?:add|write|give (?:it|this|that)|needs?|insert|put in) (?:a |the |an |some |short |brief |missing |one[- ]line )*"
    r"doc ?(?:string|s|umentation)(?: for (?:it|this)| that (?:says|mentions|explains|describes) what \w+ (?:does|returns))?"
    r"|(?:the )?doc ?string is missing|missing doc ?string"
)
_ANNOTATE = r"(?:annotate|type[- ]?hint|type|add (?:a |an |the |missing |type )*(?:hints?|types?|annotations?)(?: to| for)?)"
_RETURN = re.compile(
    rf"{_ANNOTATE} (?:the |its )?(?:return(?: types?| values?)?|what (?:it|this) returns(?:,.*)?)"
    r"|(?:add|declare) (?:the |a |an )?(?:missing )?return (?:type|annotation)(?: annotation| hint)?"
)
_ARROW = re.compile(r"-> ?(?P<type>[\w.]+(?:\[[\w\[\], .|]+\])?(?: \| [\w.]+)*)")
_ARGUMENTS = re.compile(rf"{_ANNOTATE} (?:all )?(?:the |its )?(?:param\w*|arg\w*|signature)")
_STATIC = r"(?:(?:make|turn) (?:it|this)(?: into)?|should be|this is|->)(?: a| an)? @?{kind}(?: too| here)?"
_DECORATORS = (
    (r"static(?: ?method)?", "staticmethod"),
    (r"class ?method", "classmethod"),
    (r"property", "property"),
    (r"cached[ _]property", "cached_property"),
    (r"abstract(?: ?method)?", "abstractmethod"),
)
_SORTED = re.compile(
    r"(?:sort|order) (?:the |these |those )?imports(?: alphabetically)?|(?:the )?imports should be sorted"
)
_IMPORT = re.compile(r"\s*(?:import|from)\s")
_F_STRING = re.compile(
    r"(?:(?:(?:please )?use|(?:make|turn|convert) (?:it|this|that|(?P<named>the \w+))(?: to| into)?|.*should be)(?: an?)? )?"
    r"f-?strings?"
    r"(?: for (?:the|that) (?:message|text|error))?"
)
_PLAIN_SENTENCE = re.compile(r"(?<![fF'\"])(['\"])(?!\1)[^'\"\n{]* [^'\"\n{]*\1")
"""A text of several words that is no f-string, and may be the one that an instruction names."""
_OTHER_TEXT = re.compile(r"['\"]\s*%|\.format\(|['\"]\s*\+|\+\s*['\"]|%s|%d")
_ARGUMENT = re.compile(
    r"(?:(?:add|pass|set|use|with|give|needs?) )?(?P<name>[^\W\d]\w*)=(?P<value>[\w.\"'-]+)"
    r"(?: (?:in|on|for|when|by|as|inside|to|initially|there|at|of)\b"
    r"(?!.*\b(?:back-?ticks?|quotes?|quoted|italics?|docstring|docs|comment|message|text)\b)[^=]*)?"
)


_ERROR = r"(?:an? |the )?(?P<error>[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning))"
_CAUGHT = re.compile(rf"(?:also )?(?:catch|handle|ignore|suppress) {_ERROR}(?: too| as well| also)?")
_RAISED = re.compile(rf"(?:it should )?raise {_ERROR}(?: instead)?(?: of (?P<old>[A-Z]\w+))?")
_KEYWORD_ONLY = (
    r"(?:make )?(?:the )?{name} (?:should be |must be |can be |a )?(?:keyword[- ]only|passed by keyword)"
)
_MADE = r"(?:make (?:it|this)|(?:it |this )?should be|turn (?:it|this) into) (?:an? )?"


def already_so(context: RefactoringContext, instruction: str) -> str | None:
    """What an instruction wants, and the selected lines have."""
    said = instruction.lower()
    if found := _RAISED.fullmatch(instruction):
        return _of_raising(context.derived(selected_text), found["error"], found["old"])
    if _CHANGE.search(said):
        return None
    return next(_told(context, instruction, said), None)


def _of_raising(text: str, error: str, old: str | None) -> str | None:
    """Where one error is raised in one place, and it is that one."""
    once = len(re.findall(r"\braise \w", text)) == 1 and re.search(rf"\braise {error}\b", text)
    return f"it raises {error} already" if once and (old is None or old not in text) else None


def _told(context: RefactoringContext, instruction: str, said: str) -> Iterator[str]:
    text = context.derived(selected_text)
    documented = docstrings(context)
    if _DOCSTRING.fullmatch(said) and documented and all(documented):
        yield "there is a docstring already"
    function = context.function()
    returns = function.child_by_field_name("return_type") if function is not None else None
    if returns is not None:
        arrow = _ARROW.fullmatch(instruction)
        if _RETURN.fullmatch(said) or (arrow and _tight(arrow["type"]) == _tight(text_of(returns))):
            yield f"the return type is annotated already: {text_of(returns)}"
    yield from _of_parameters(context, instruction, said)
    decorators = {
        text_of(node).lstrip("@ ").partition("(")[0].rpartition(".")[2].strip()
        for node in context.overlapping()
        if node.type == "decorator"
    }
    for kind, decorator in _DECORATORS:
        if decorator in decorators and re.search(rf"(?:^|, |\b){_STATIC.format(kind=f'(?:{kind})')}$", said):
            yield f"it has @{decorator} already"
    if _SORTED.fullmatch(said):
        blocks = list(_import_blocks(context))
        if all(block in (sorted(block), sorted(block, key=_plain_first)) for block in blocks):
            yield "the imports are sorted already" if blocks else "the selected lines have no imports"
    wanted = _F_STRING.fullmatch(said)
    if wanted and re.search(r"\br?fr?['\"]", text) and not _OTHER_TEXT.search(text):
        if not (wanted["named"] and _PLAIN_SENTENCE.search(text)):
            yield "it is an f-string already"
    caught = _CAUGHT.fullmatch(instruction)
    if caught and re.search(rf"except[^\n]*\b{caught['error']}\b|suppress\([^)]*\b{caught['error']}\b", text):
        yield f"{caught['error']} is caught already"
    if re.fullmatch(rf"{_MADE}generator(?: function)?", said) and re.search(r"\byield\b", text):
        yield "it is a generator already"
    if function is not None and re.fullmatch(rf"{_MADE}(?:async|coroutine)(?: function)?", said):
        if text_of(function).startswith("async"):
            yield "it is async already"
    given = _ARGUMENT.fullmatch(instruction)
    if given and re.search(rf"(?<![\w.]){given['name']}\s*=\s*{re.escape(given['value'])}(?!\w)", text):
        yield f"{given['name']} is {given['value']} already"


def _of_parameters(context: RefactoringContext, instruction: str, said: str) -> Iterator[str]:
    parameters = [one for one in parameters_of(context) if name_of(one) not in ("self", "cls", "")]
    typed = [one.type.startswith("typed") for one in parameters]
    if parameters and all(typed) and _ARGUMENTS.fullmatch(said):
        yield "the parameters are annotated already"
    every = parameters_of(context)
    kinds = [one.type for one in every]
    star = next(
        (k for k, kind in enumerate(kinds) if kind in ("keyword_separator", "list_splat_pattern")), len(kinds)
    )
    behind = [name_of(one) for one in every[star:]]
    for one, has_type in zip(parameters, typed, strict=True):
        name, value = name_of(one), one.child_by_field_name("value")
        spelt = re.escape(name.lower())
        if name in behind and re.fullmatch(_KEYWORD_ONLY.format(name=spelt), said):
            yield f"{name} is keyword-only already"
        if has_type and re.fullmatch(rf"{_ANNOTATE} (?:the )?(?:\w+ )?{spelt}", said):
            yield f"{name} is annotated already"
        if value is None:
            continue
        optional = rf"(?:let |make )?(?:the )?{spelt} (?:should |must |can )?(?:be |is )?(?:optional|have a default(?: value)?)"
        if re.fullmatch(optional, said):
            yield f"{name} is optional already"
        default = re.fullmatch(
            rf"(?:let |make )?(?:the )?{spelt} (?:should )?defaults? to (.+)|default (?:of |to )?(.+) for {spelt}",
            instruction, re.IGNORECASE,
        )  # fmt: skip
        if default and (default[1] or default[2]) == text_of(value):
            yield f"{name} is {text_of(value)} by default already"


def _import_blocks(context: RefactoringContext) -> Iterator[list[str]]:
    """The selected imports that stand below each other."""
    block: list[str] = []
    for number in context.numbers():
        line = context.lines[number - 1]
        if _IMPORT.match(line):
            block.append(line.strip())
        elif block:
            yield block
            block = []
    if block:
        yield block


def _plain_first(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def _tight(text: str) -> str:
    return text.replace(" ", "")
