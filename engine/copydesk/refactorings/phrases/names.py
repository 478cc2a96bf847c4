"""Another name for a name, where nothing else has it."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Sequence
from functools import partial

from tree_sitter import Node

from copydesk.refactorings.phrases.selection import Rule, Selection, Way
from copydesk.refactorings.phrases.words import first_match, name, wordings
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import is_label, text_of

_OLD, _NEW = name("old"), name("new")
_KIND = r"(?:variable|var|parameter|argument|param|arg|function|class|constant|name)"
_THING = rf"(?:(?:the |this |a )?(?:local )?{_KIND} )?"
_USES = (
    r"(?:,? (?:everywhere|and update all uses|update all uses|everywhere it'?s used|wherever it'?s used))?"
)
_RENAMED = wordings(
    rf"rename {_THING}{_OLD}(?: {_KIND})? (?:to|into|as|->) {_NEW}{_USES}",
    rf"change the (?:variable )?name (?:of )?{_OLD} (?:to|into) {_NEW}{_USES}",
    rf"replace the (?:variable )?name {_OLD} (?:by|with) {_NEW}{_USES}",
    rf"call {_THING}{_OLD} {_NEW}",
    rf"call {_THING}{_NEW} instead of {_OLD}",
    rf"use {_NEW} as the (?:variable )?name instead of {_OLD}",
    rf"{_THING}{_OLD}(?: {_KIND})? (?:should be|to be) (?:called|named|renamed to) {_NEW}{_USES}",
    rf"{_OLD} is a (?:bad|poor|misleading) name[,;:] (?:use|call it|rename it to) {_NEW}",
    rf"give {_OLD} a better name: {_NEW}",
    r"s/(?P<old>[^\W\d]\w*)/(?P<new>[^\W\d]\w*)/g?",
)
_ARROW = wordings(rf"{_OLD} (?:->|=>|\N{{RIGHTWARDS ARROW}}) {_NEW}(?: \(rename\))?")


def name_rule(instruction: str) -> Rule | None:
    """Reads a wish for another name."""
    if found := first_match(_RENAMED, instruction):
        return partial(_renamed, found["old"], found["new"])
    arrow = first_match(_ARROW, instruction)
    if arrow is not None and not hasattr(
        builtins, arrow["new"]
    ):  # else it may be a type, of what comes before it
        return partial(_renamed, arrow["old"], arrow["new"], sure=False)
    return None


def _renamed(old: str, new: str, selected: Selection, *, sure: bool = True) -> Way | None:
    """sure: the words speak of a name even where there is none."""
    if keyword.iskeyword(new) or keyword.iskeyword(old) or old == new:
        return None
    names = [node for node in selected.walk() if node.type == "identifier"]
    mine = [node for node in names if text_of(node) == old]
    if not mine:
        word = re.compile(rf"(?<!\w){old}(?!\w)", re.IGNORECASE)  # a sentence may begin with it
        said = any(word.search(selected.lines[n - 1]) for n in selected.numbers())
        return () if sure and not said else None  # a text or a comment may be meant
    if any(text_of(node) == new for node in names):
        return None  # two things would have one name
    variables = [node for node in mine if not is_label(node)]
    if any(map(_is_method, variables)) or any(_is_given(node, names) for node in mine):
        return None  # others may call it
    places = variables or mine
    return spliced(selected.lines, [Splice(start_of(n), end_of(n), new) for n in places]) or None


def _is_given(label: Node, names: Sequence[Node]) -> bool:
    """Whether it names an argument in a call of a function that is selected, too: then it is the parameter."""
    call = (
        label.parent.parent.parent if label.parent is not None and label.parent.parent is not None else None
    )
    called = call.child_by_field_name("function") if call is not None and call.type == "call" else None
    if not is_label(label) or called is None:
        return False
    defined = {text_of(n) for n in names if n.parent is not None and n.parent.type == "function_definition"}
    return text_of(called).rpartition(".")[2] in defined


def _is_method(name: Node) -> bool:
    function = name.parent
    if (
        function is None
        or function.type != "function_definition"
        or function.child_by_field_name("name") != name
    ):
        return False
    node = function.parent
    while node is not None and node.type in ("block", "decorated_definition"):
        node = node.parent
    return node is not None and node.type == "class_definition"
