"""Formatting by `%` and `.format` as f-strings, where it is plain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, combined, rewrite_node
from copydesk.syntax.tree import text_of

_TEXTS = ("string", "concatenated_string")
_PLAIN = re.compile(r"""^([rR]?)(["'])(?!\2)[^\n]*\2$""")
_PERCENT = re.compile(r"%([srd%])|%")
_NAME = re.compile(r"[\w.\[\]]+")
_JOIN = re.compile(r"""(["'])([^\"'\\{}]*)\1\.join\([\[(]([^\[\]()]+,[^\[\]()]+)[\])]\)""")
_ASKED = re.compile(r"\bf-?string", re.IGNORECASE)
_LAYOUT = re.compile(r"\s*\n\s*")
_BRACES = re.compile(r"\{(\w*)((?:![rsa])?(?::[^{}]*)?)\}|[{}]")


def use_f_strings(context: RefactoringContext, *, numbers: bool = False) -> Edits | None:
    """All that is formatted in the selection; None where one of several is not plain. numbers: `%d` as well, which would refuse
    what is no number.
    """
    found: list[tuple[Node, str]] = []
    for node in context.walk("binary_operator", "call"):
        if _by_percent(node) or _by_format(node):
            new = f_string_for(node, numbers=numbers)
            if new is None:
                return None
            found.append((node, new))
    if found:
        return combined(context.lines, [rewrite_node(context.lines, node, new) for node, new in found])
    return () if any(text_of(n).startswith(("f'", 'f"')) for n in context.walk("string")) else None


def _by_percent(node: Node) -> bool:
    operator = node.child_by_field_name("operator") if node.type == "binary_operator" else None
    left = node.child_by_field_name("left")
    return operator is not None and text_of(operator) == "%" and left is not None and left.type in _TEXTS


def _by_format(node: Node) -> bool:
    called = node.child_by_field_name("function") if node.type == "call" else None
    if called is None or called.type != "attribute":
        return False
    of, what = called.child_by_field_name("object"), called.child_by_field_name("attribute")
    return of is not None and of.type in _TEXTS and what is not None and text_of(what) == "format"


def f_string_for(node: Node, *, numbers: bool) -> str | None:
    """An f-string for what is formatted by `%` or `.format`; None for anything else, and where it is not plain."""
    if not _by_percent(node) and not _by_format(node):
        return None
    if _by_percent(node):
        text, given = node.child_by_field_name("left"), node.child_by_field_name("right")
        if text is None or given is None:
            return None
        values = given.named_children if given.type == "tuple" else [given]
        return _filled(text, [text_of(value) for value in values], percent=True, numbers=numbers)
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    of = called.child_by_field_name("object") if called is not None else None
    if of is None or given is None or any(n.type.endswith("splat") for n in given.named_children):
        return None
    # What has a name comes behind the rest, and is looked for by it.
    entries = [text_of(n) for n in given.named_children if n.type != "keyword_argument"]
    named = [text_of(n).partition("=")[::2] for n in given.named_children if n.type == "keyword_argument"]
    entries += [value.strip() for _, value in named]
    return _filled(of, entries, [name.strip() for name, _ in named], percent=False)


def _filled(
    text: Node, values: list[str], names: Sequence[str] = (), *, percent: bool, numbers: bool = False
) -> str | None:
    """The f-string, of several texts that stand together in their layout; None where a placeholder or a value is not plain.
    names: of the last values.
    """
    parts = [text] if text.type == "string" else [one for one in text.named_children if one.type != "comment"]
    used: list[int] = []
    numbered: set[bool] = set()
    begin = at = text.start_byte
    source, made = text_of(text).encode(), []
    for part in parts:
        new = _filled_part(text_of(part), values, names, used, numbered, percent=percent, numbers=numbers)
        if new is None:
            return None
        made += [source[at - begin : part.start_byte - begin].decode(), new]
        at = part.end_byte
    if set(used) != set(range(len(values))) or len(numbered) > 1:
        return None
    if any(used.count(k) > 1 and not _NAME.fullmatch(values[k]) for k in used):
        return None  # it would be called twice
    return "".join(made)


def _filled_part(
    text: str,
    values: list[str],
    names: Sequence[str],
    used: list[int],
    numbered: set[bool],
    *,
    percent: bool,
    numbers: bool,
) -> str | None:
    """One text with the values it takes, which `used` and `numbered` are told of; as it is where it takes none."""
    text = text.removeprefix("u").removeprefix("U")
    plain = _PLAIN.match(text)
    if plain is None or any(re.search(r"[\\\n{}#:!]", v) for v in values):
        return None
    if any(plain[2] in v for v in values):  # Python 3.11 wants other quotes round these
        other = "'" if plain[2] == '"' else '"'
        if other in text or any(other in v or v[0] == plain[2] for v in values):
            return None
        text = f"{plain[1]}{other}{text[len(plain[1]) + 1 : -1]}{other}"
    if percent and ("{" in text or "}" in text):
        return None
    before = len(used)
    made, at = [], 0
    for found in (_PERCENT if percent else _BRACES).finditer(text):
        made.append(text[at : found.start()])
        at = found.end()
        if percent and found[1] == "%":
            made.append("%")
            continue
        if percent and found[1] == "d" and not numbers:
            return None
        if found[1] is None or (not percent and found[1] and not (found[1].isdecimal() or found[1] in names)):
            return None
        unnamed = len(values) - len(names)
        if not percent and found[1] in names:
            number = unnamed + names.index(found[1])
        else:
            number = int(found[1]) if not percent and found[1] else sum(k < unnamed for k in used)
            numbered.add(percent or bool(found[1]))
        if number >= len(values):
            return None
        used.append(number)
        behind = ("!r" if found[1] == "r" else "") if percent else found[2]
        made.append(f"{{{values[number]}{behind}}}")
    return "f" * (len(used) > before) + "".join(made) + text[at:]


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield "Use f-strings", use_f_strings(context, numbers=True)
    asked = _ASKED.search(arguments.instruction) is not None
    for node in context.walk("binary_operator", "call"):
        if (new := f_string_for(node, numbers=True)) is not None:
            yield f"Use {_LAYOUT.sub(' ', new)}", rewrite_node(context.lines, node, new)
        elif (
            new := f_string_of_sum(node) or _join_of(node) or (_sum_of_names(node) if asked else None)
        ) is not None:
            yield f"Use an f-string: {new}", rewrite_node(context.lines, node, new)


def f_string_of_sum(node: Node) -> str | None:
    """An f-string for texts and values that are added; None where none is a text, or one is not plain."""
    parts: list[Node] = []
    rest: Node | None = node
    while rest is not None and rest.type == "binary_operator":
        sign, right = rest.child_by_field_name("operator"), rest.child_by_field_name("right")
        if sign is None or right is None or text_of(sign) != "+":
            return None
        parts.insert(0, right)
        rest = rest.child_by_field_name("left")
    if (
        rest is None
        or node.type != "binary_operator"
        or (node.parent and node.parent.type == "binary_operator")
    ):
        return None
    parts.insert(0, rest)
    said = [text_of(part) for part in parts]
    quotes = [text[0] for part, text in zip(parts, said, strict=True) if part.type == "string"]
    plain = all(quote in "\"'" for quote in quotes)
    if not quotes or not plain or any(re.search(r"[\\\n{}]", text) for text in said):
        return None
    if any(
        part.type != "string" and re.search(r"[#:!]", text) for part, text in zip(parts, said, strict=True)
    ):
        return None
    made = ""
    values = [text for part, text in zip(parts, said, strict=True) if part.type != "string"]
    if any(quotes[0] in value for value in values):  # Python 3.11 wants other quotes round these
        quotes = ["'" if quotes[0] == '"' else '"', *quotes[1:]]
    for part, text in zip(parts, said, strict=True):
        if (part.type == "string" and not _PLAIN.match(text)) or (
            part.type != "string" and quotes[0] in text
        ):
            return None
        value = re.fullmatch(r"str\(([^,]+)\)", text)
        made += text[1:-1] if part.type == "string" else f"{{{value[1] if value else text}}}"
    return f"f{quotes[0]}{made}{quotes[0]}" if quotes[0] not in made and len(parts) > len(quotes) else None


def _join_of(node: Node) -> str | None:
    """`"/".join([a, b])`: an f-string for a few values that are joined."""
    found = _JOIN.fullmatch(text_of(node)) if node.type == "call" else None
    values = [value.strip() for value in found[3].split(",")] if found is not None else []
    if found is None or not all(_NAME.fullmatch(value) for value in values):
        return None
    return f"f{found[1]}{found[2].join(f'{{{value}}}' for value in values)}{found[1]}"


def _sum_of_names(node: Node) -> str | None:
    """`a + b`, which an instruction says are texts."""
    if node.type != "binary_operator" or (node.parent is not None and node.parent.type == "binary_operator"):
        return None
    values = [value.strip() for value in text_of(node).split("+")]
    return f'f"{"".join(f"{{{value}}}" for value in values)}"' if all(map(_NAME.fullmatch, values)) else None


F_STRING = Refactoring("f_string", "refactor.rewrite.fString", _propose, menu="cursor")
