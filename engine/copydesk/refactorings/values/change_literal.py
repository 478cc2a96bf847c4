"""Another literal in place of one, or of all that are spelt alike."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node, replace_nodes
from copydesk.refactorings.expressions import callee
from copydesk.refactorings.spoken import literals_like, spoken_values
from copydesk.syntax.tree import text_of

_LITERALS = ("integer", "float", "string", "true", "false", "none", "unary_operator")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_NO_NUMBERS = frozenset({"True", "False", "None"})
_RECKONING = ("augmented_assignment", "binary_operator", "subscript", "slice")
_QUOTES = ("'", '"')
_JOINTS = ("-", "_", ".", "/", ":", " ", "=", "#", "@")
"""What a text ends with behind which something is to come."""
_FLIPPED = {"True": "False", "False": "True"}
_CODEC_ERRORS = ("strict", "ignore", "replace", "backslashreplace", "surrogateescape")
_UNITS = frozenset(
    {"ms", "milliseconds", "millis", "second", "seconds", "sec", "secs", "minute", "minutes", "hour", "hours"}
)
_TIMED = re.compile(r"\d(?:ms|s|min|m|h)\b")
_OF_OTHER_UNITS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(?:ms|millis\w*|min\w*|hours?)\b")
_LASTING = re.compile("sleep|wait|timeout|delay|interval|period|pause")
"""Words of an instruction about how long something takes, its numbers that are not of seconds, and names of what is that long."""
_SWITCH = {"True": ("False", "Turn off"), "False": ("True", "Turn on")}
_SWITCHED = {
    "Turn off": re.compile(r"\b(turn|switch|set)(s|ed|ing)?\b.*\boff\b|\b(disabl|deactivat)\w+"),
    "Turn on": re.compile(r"\b(turn|switch|set)(s|ed|ing)?\b.*\bon\b|\b(enabl|activat)\w+"),
}


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    news = [code for code in (*arguments.code, *spoken_values(arguments)) if _is_literal(code)]
    names = [name for name in arguments.names if name.isupper() and len(name) > 1]
    names += [name for name in arguments.dotted if name.rpartition(".")[2].isupper() and context.knows(name)]
    places = [node for node in context.walk(*_LITERALS) if _is_whole(node)]
    places.sort(key=lambda node: not arguments.mentions(text_of(node).strip("\"'")))
    alike: dict[str, list[Node]] = {}
    for node in places:
        alike.setdefault(text_of(node), []).append(node)
    timed = arguments.words & _UNITS or _TIMED.search(arguments.instruction) is not None
    lasting = [node for node in places if _lasts(node)] if timed else []
    of_other_units = set(_OF_OTHER_UNITS.findall(arguments.instruction))
    yield from _switched(context, arguments)
    yield from _given_by_name(context, [*news, "True", "False", "None"])
    for old, nodes in alike.items():
        others = _handlers(old, arguments)
        for new in dict.fromkeys(
            [
                *(_in_quotes_of(old, new) for new in news),
                *others,
                *literals_like(old, arguments, 12),
                *names,
                _FLIPPED.get(old, old),
            ]
        ):
            new = _with_field(old, new)
            fitting = [node for node in nodes if new not in _NO_NUMBERS or not _is_reckoned_with(node)]
            if lasting and new.replace(".", "").isdigit():
                fitting = [node for node in fitting if node in lasting and new not in of_other_units]
            for node in fitting:
                made = _spaced(node, new, arguments)
                said = f"Join with {made} instead of {old}" if made != new else f"Change {old} to {made}"
                name = _name_of(node) if len(fitting) > 1 else None
                said += f": {name}" if name is not None and _IDENTIFIER.fullmatch(name) else ""
                yield said, replace_node(context.lines, node, made)
            if len(fitting) > 1:
                everywhere = replace_nodes(context.lines, [(node, new) for node in fitting])
                yield f"Change {old} to {new} everywhere", everywhere


def _lasts(node: Node) -> bool:
    """Whether it is a number of seconds: what is slept or waited for, by the names round it."""
    if node.type not in ("integer", "float") or node.parent is None:
        return False
    holder = node.parent
    if holder.type == "argument_list" and holder.parent is not None:
        return _LASTING.search(callee(holder.parent).rpartition(".")[2].lower()) is not None
    return _LASTING.search((_name_of(node) or "").lower()) is not None


def _with_field(old: str, new: str) -> str:
    """A text with the placeholder that the old one ends with, and that it has none for: what is formatted into it stays."""
    field = re.search(r"(?:\{[^{}]*\}|%[sdr])(?=[\"']$)", old)
    if (
        field is None
        or new[:1] not in _QUOTES
        or new[-2:-1] not in _JOINTS
        or re.search(r"\{[^{}]*\}|%[sdr]", new)
    ):
        return new
    return f"{new[:-1]}{field[0]}{new[-1]}"


def _spaced(node: Node, new: str, arguments: Arguments) -> str:
    """A comma between what is joined, with the blank behind it that the old sign had, or was, unless it is quoted without."""
    holder = node.parent
    name = (
        holder.child_by_field_name("attribute") if holder is not None and holder.type == "attribute" else None
    )
    sign = new[1:-1]
    if name is None or text_of(name) != "join" or sign not in (",", ";") or " " not in text_of(node):
        return new
    return (
        new if arguments.mentions(f"'{sign}'") or arguments.mentions(f'"{sign}"') else f"{new[:-1]} {new[-1]}"
    )


def _in_quotes_of(old: str, new: str) -> str:
    """A string in the quotes of the one whose place it takes, where it is another text."""
    plain = min(len(old), len(new)) > 2 and old[0] in _QUOTES and new[0] in _QUOTES
    if not plain or old[0] == new[0] or old[1:-1] == new[1:-1] or old[1] == old[0] or new[1] == new[0]:
        return new
    return new if old[0] in new or "\\" in new else f"{old[0]}{new[1:-1]}{old[0]}"


def _handlers(old: str, arguments: Arguments) -> list[str]:
    """Another way to handle errors of a codec (`"replace"` for `"ignore"`) that an instruction speaks of."""
    if old.strip("\"'") not in _CODEC_ERRORS:
        return []
    asked = [name for name in _CODEC_ERRORS if any(word.startswith(name) for word in arguments.words)]
    return [f"{old[0]}{name}{old[0]}" for name in asked if name not in old]


def _is_reckoned_with(node: Node) -> bool:
    """Whether it is a number that is added, multiplied and so on, or counts entries."""
    inside = node.parent.type if node.parent is not None else ""
    return node.type in ("integer", "float") and inside in _RECKONING


def _switched(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What has a name and is on, turned off, and the other way round, where the instruction speaks of that."""
    for node in context.walk("true", "false"):
        new, title = _SWITCH[text_of(node)]
        name = _name_of(node)
        if name is not None and _SWITCHED[title].search(arguments.instruction.lower()):
            yield f"{title} {name}: {new}", replace_node(context.lines, node, new)


def _name_of(value: Node) -> str | None:
    """The name of the argument, entry, parameter or variable that has a value."""
    parent = value.parent
    if parent is None or value not in (
        parent.child_by_field_name("value"),
        parent.child_by_field_name("right"),
    ):
        return None
    named = next(filter(None, map(parent.child_by_field_name, ("name", "key", "left"))), None)
    return text_of(named).strip("\"'") if named is not None else None


def _given_by_name(context: RefactoringContext, news: Iterable[str]) -> Iterator[Proposal]:
    """A literal in place of the variable that a call is given by name."""
    for node in context.walk("keyword_argument"):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None or value.type not in ("identifier", "attribute"):
            continue
        for new in dict.fromkeys(news):
            yield (
                f"Always pass {text_of(name)}={new}, whatever {text_of(value)} is",
                replace_node(context.lines, value, new),
            )


def _is_whole(node: Node) -> bool:
    parent = node.parent
    inner = parent is not None and parent.type in ("unary_operator", "expression_statement")
    return not inner and _is_literal(text_of(node))


def _is_literal(code: str) -> bool:
    try:
        made = ast.literal_eval(code)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return False
    return made is None or isinstance(made, (bool, int, float, str, bytes))


CHANGE_LITERAL = Refactoring("change_literal", "refactor.rewrite.changeLiteral", _propose)
