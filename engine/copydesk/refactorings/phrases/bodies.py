"""What a function's body begins with: a docstring, an answer for None; and a print behind an assignment."""

from __future__ import annotations

import re
from functools import partial

from copydesk.refactorings.code_words import expression
from copydesk.refactorings.control_flow.add_guard import return_if_none
from copydesk.refactorings.phrases.words import Rule, code, first_match, name, only, plain, some, wordings
from copydesk.refactorings.statements.print_variable import print_variable
from copydesk.refactorings.texts.docstrings import add_docstring

_NAME, _VALUE = name("name"), code("value")
_QUOTED = re.compile(r"""(\"{3}|'{3}|["'`])(?P<text>[^\n]+?)\1""")
_SAYS = wordings(
    r"(?:(?:add|write|insert) (?:the |a )?docstring(?: saying)?|document this function|docstring): (?P<text>[^\n]+)"
)
_ABOUT_IT = (
    "add set insert put write use give it the a as to with text that says saying should be exactly of for this function method "
    "needs document at top in one-line one line doc string"
)
_NOW = some(
    "add a an guard check clause early at the start beginning top begin that this function should then first thing just "
    "only right away straight immediately with which for and"
)
_DONE = r"(?:,? (?:at the (?:start|beginning|top)|first|first thing|right away|immediately|straight away|before anything else))?"
_GUARD = wordings(
    rf"{_NOW}returns? (?:of )?{_VALUE} {_NOW}(?:if|when|for) {_NAME} (?:is |being )?None{_DONE}",
    rf"{_NOW}(?:if|when) {_NAME} is None(?:,|:| then)? {_NOW}returns? {_VALUE}{_DONE}",
    rf"{_NOW}(?:handle|against) {_NAME} being None[:,]? \(?return {_VALUE}\)?",
    rf"(?:check|test) {_NAME} for None first(?: and|,) return {_VALUE}(?: in that case)?",
)
_SEEN = "it its it's is has been was gets set assigned computed assignment the value right directly just line where of variable"
_PRINT = re.compile(
    rf"^{some('add insert put debug: debug a the')}print(?: of | for |\(| )(?:the (?:value of |variable )?)?{_NAME}\)?"
    r"(?: variable)? (?P<when>(?:(?:right|directly|just) )?(?:after|behind|once|below) .+)$",
    re.IGNORECASE,
)


def body_rule(instruction: str) -> Rule | None:
    """Reads a wish about a function's body."""
    if (found := first_match(_GUARD, instruction)) and (value := expression(found["value"])):
        return partial(return_if_none, found["name"], value)
    found = _PRINT.match(instruction)
    if found is None or not only(
        found["when"], "after behind once below", f"{_SEEN} {found['name'].lower()}"
    ):
        return None
    return partial(print_variable, found["name"])


def docstring_rule(instruction: str) -> Rule | None:
    """Reads a wish for a docstring, whose text is in quotes, or behind a colon to the last full stop."""
    quoted = [found["text"] for found in _QUOTED.finditer(instruction)]
    if len(quoted) == 1 and only(plain(_QUOTED.sub(" ", instruction)), "docstring doc", _ABOUT_IT):
        return partial(add_docstring, quoted[0])
    said = first_match(_SAYS, instruction)
    return partial(add_docstring, said["text"]) if said is not None and not quoted else None
