"""Formatting by `%` and `.format` as f-strings, where it is plain."""

from __future__ import annotations

import re

from tree_sitter import Node

from copydesk.refactorings.phrases.selection import Rule, Selection, Way
from copydesk.refactorings.phrases.words import only
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import text_of

_ASKED = (
    "use an a convert make this turn into to instead of % percent .format format str.format() format() formatting "
    "formatted string strings the old old-style style rewrite with for here rather than over change modernise modernize "
    "switch from operator no by replace it that and"
)
_PLAIN = re.compile(r"""^(["'])(?!\1)[^\\\n]*\1$""")
_PERCENT = re.compile(r"%([sr%])|%")
_BRACES = re.compile(r"\{(\d*)((?:![rsa])?(?::[^{}]*)?)\}|[{}]")


def string_rule(instruction: str) -> Rule | None:
    """Reads a wish for f-strings."""
    said = re.sub(r"\bf[ -]?strings?\b|\bf\"\"", "f-string", instruction.lower())
    modern = said in ("modernise the string formatting", "modernize the string formatting")
    return _formatted if modern or only(said, "f-string", _ASKED) else None


def _formatted(selected: Selection) -> Way | None:
    splices = []
    for node in selected.walk():
        if _by_percent(node) or _by_format(node):
            new = _f_string(node)
            if new is None or node.start_point[0] != node.end_point[0]:
                return None  # one of several that is not plain
            splices.append(Splice(start_of(node), end_of(node), new))
    if splices:
        return spliced(selected.lines, splices) or None
    return (
        ()
        if any(text_of(n).startswith(("f'", 'f"')) for n in selected.walk() if n.type == "string")
        else None
    )


def _by_percent(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_operator" else None
    left = node.child_by_field_name("left")
    return operator is not None and text_of(operator) == "%" and left is not None and left.type == "string"


def _by_format(node: Node) -> bool:
    called = node.child_by_field_name("function") if node.type == "call" else None
    if called is None or called.type != "attribute":
        return False
    of, what = called.child_by_field_name("object"), called.child_by_field_name("attribute")
    return of is not None and of.type == "string" and what is not None and text_of(what) == "format"


def _f_string(node: Node) -> str | None:
    if _by_percent(node):
        text, given = node.child_by_field_name("left"), node.child_by_field_name("right")
        if text is None or given is None:
            return None
        values = given.named_children if given.type == "tuple" else [given]
        return _filled(text_of(text), [text_of(value) for value in values], percent=True)
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    of = called.child_by_field_name("object") if called is not None else None
    if (
        of is None
        or given is None
        or any(n.type.endswith(("argument", "splat")) for n in given.named_children)
    ):
        return None
    return _filled(text_of(of), [text_of(value) for value in given.named_children], percent=False)


def _filled(text: str, values: list[str], *, percent: bool) -> str | None:
    """The f-string; None where a placeholder or a value is not plain."""
    if not _PLAIN.match(text) or any(re.search(r"[\\\n{}#:!]", v) or text[0] in v for v in values):
        return None
    if percent and ("{" in text or "}" in text):
        return None
    used: list[int] = []
    numbered: set[bool] = set()
    made, at = [], 0
    for found in (_PERCENT if percent else _BRACES).finditer(text):
        made.append(text[at : found.start()])
        at = found.end()
        if percent and found[1] == "%":
            made.append("%")
            continue
        number = int(found[1]) if not percent and found[1] else len(used)
        numbered.add(percent or bool(found[1]))
        if found[1] is None or number >= len(values):
            return None
        used.append(number)
        behind = ("!r" if found[1] == "r" else "") if percent else found[2]
        made.append(f"{{{values[number]}{behind}}}")
    if set(used) != set(range(len(values))) or len(numbered) > 1:
        return None
    return "f" + "".join(made) + text[at:]
