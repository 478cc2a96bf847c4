"""Messages with a value in them, with another text, in one piece."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import rewrite_node
from copydesk.refactorings.expressions import callee, positional, variables
from copydesk.refactorings.requested import quoted_texts, subjects
from copydesk.refactorings.spoken import named_in
from copydesk.refactorings.texts.text_lines import STRING, is_docstring
from copydesk.syntax.tree import text_of

_MOST = 16
_GIVEN = frozenset({"value", "type", "class", "given", "got", "actual", "received", "passed"})
"""Words for what was wrong, where an instruction does not name it."""
_QUOTED = frozenset({"quote", "quoted", "quotes", "repr"})
_BRACKETS = frozenset({"brackets", "parens", "parentheses", "parenthesis"})
_OPEN = re.compile(
    r"(?::|=|\b(?:for|of|in|to|from|at|by|with|file|value|name|key|option|type|argument|version))$"
)
"""What a message ends with that its value follows without a colon."""
_SILENT = re.compile(r"^raise ((?:\w+\.)*[A-Z]\w*)(?:\(\))?$")
"""An error that is raised without a message."""
_KEYED = re.compile(r"[\w.]+\[[\"'](\w+)[\"']\]")
_MOST_VALUES = 3
_VERBS = ("Include", "Mention", "Say", "Show", "Name", "Tell", "Report", "Add", "Put", "Print", "Give", "Log")


def _messages(context: RefactoringContext, arguments: Arguments) -> list[Node]:
    """Strings that are messages: those of several words first."""
    found = [n for n in context.walk("string", "concatenated_string") if not is_docstring(n)]
    found = [n for n in found if n.parent is None or n.parent.type != "concatenated_string"]
    return sorted(found, key=lambda n: -_said(text_of(n), arguments))[:_MOST]


def _said(text: str, arguments: Arguments) -> float:
    words = set(re.findall(r"\w+", text.lower()))
    return len(words & arguments.words) + 0.5 * (" " in text)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    texts = [text for text in quoted_texts(arguments) if "\\" not in text][:4]
    values = _values(context, arguments)
    verb = next((verb for verb in _VERBS if verb.lower() in arguments.words), _VERBS[0])
    for node in context.walk("assert_statement"):
        for text in texts if node.named_child_count == 1 else ():
            made = f"{text_of(node)}, {_literal(text)}"
            yield f'Say "{text}" where the assertion fails', rewrite_node(context.lines, node, made)
    for node in context.walk("raise_statement"):
        for silent in _SILENT.findall(text_of(node)):
            for text in texts:
                told = rewrite_node(context.lines, node, f"raise {silent}({_literal(text)})")
                yield f'Say "{text}" in the error', told
    messages = _messages(context, arguments)
    for node in messages:
        old = f" instead of {named(node)}" if len(messages) > 1 else ""
        found = STRING.fullmatch(text_of(node)) if node.type == "string" else None
        if found is None:
            joined = _joined(node)
            if joined is not None:
                yield "Join the message, one string", rewrite_node(context.lines, node, joined)
            for text in texts:
                yield f'Say "{text}"{old}', rewrite_node(context.lines, node, _literal(text))
            continue
        prefix, quotes, body = found.groups()
        if len(quotes) == 3 or "b" in prefix.lower() or "r" in prefix.lower():
            continue
        for text in texts:
            place = _with_values(node) if not re.search(r"[{%]", text) else node
            yield f'Say "{text}"{old}', rewrite_node(context.lines, place, _literal(text, quotes))
            for whole in _extended(body, text):
                yield (
                    f'Add "{text}" to the message',
                    rewrite_node(context.lines, node, _literal(whole, quotes, formatted="f" in prefix)),
                )
        if " " not in body and (not arguments.mentions(body) or _is_key(node)):
            continue
        escaped = body if "f" in prefix else body.replace("{", "{{").replace("}", "}}")
        stop = "." if escaped.endswith(".") else ""
        bare = escaped.removesuffix(".")
        tested = _tested(node) if arguments.words & _GIVEN else None
        if tested in values and not arguments.words & {"type", "class"}:
            tested = None  # it is named
        for what, form in _given_forms(tested, arguments) if tested is not None else ():
            if quotes not in form:
                text = f"f{quotes}{bare}{form}{stop}{quotes}"
                yield (
                    f"{verb} {what} in the message: {form.strip(': ,')}",
                    rewrite_node(context.lines, node, text),
                )
        for value in values:
            shown = value.replace('"', "'") if quotes == '"' else value.replace("'", '"')
            for form in _forms(shown, bare, arguments):
                text = f"f{quotes}{bare}{form}{stop}{quotes}"
                spoken = key[1] if (key := _KEYED.fullmatch(value)) else value
                where = "error message" if _is_raised(node) else "message"
                yield (
                    f"{verb} {spoken} {'to' if verb == 'Add' else 'in'} the {where}: {form.strip(': ,')}",
                    rewrite_node(context.lines, node, text),
                )
        if "f" in prefix and "{" not in body:
            yield "Drop the f, no placeholder", rewrite_node(context.lines, node, f"{quotes}{body}{quotes}")
        if not prefix and "{" in body:
            yield "Make it an f-string", rewrite_node(context.lines, node, f"f{quotes}{body}{quotes}")


def _is_raised(node: Node) -> bool:
    """Whether a string is what an error says that is raised here."""
    above = node.parent
    while above is not None and above.type in ("argument_list", "call", "keyword_argument"):
        above = above.parent
    return above is not None and above.type == "raise_statement"


def _is_key(node: Node) -> bool:
    """Whether a string is what is looked up, and no message."""
    above = node.parent
    return above is not None and (above.type == "subscript" or above.child_by_field_name("key") == node)


def _with_values(node: Node) -> Node:
    """A message with the values that `format` or `%` put into it: all of it goes where a text without a place for them comes."""
    above = node.parent
    if above is not None and above.type == "binary_operator" and above.child_by_field_name("left") == node:
        sign = above.child_by_field_name("operator")
        return above if sign is not None and text_of(sign) == "%" else node
    call = above.parent if above is not None and above.type == "attribute" else None
    formats = above is not None and text_of(above).endswith(".format")
    return call if call is not None and call.type == "call" and formats else node


def _values(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """What an instruction may want to have in a message: what it spells out, or else what it names in part."""
    named = [
        *(v for v in arguments.code if not v.startswith(("'", '"')) and context.knows(v)),
        *subjects(context, arguments, 3),
        *named_in(arguments, sorted(context.variables()), 2),
    ]
    found = [v for v in dict.fromkeys(named) if re.fullmatch(r"[\w.()\[\]-]+", v) and not v.isdigit()]
    reporting = _reporting(context)
    found = [v for v in found if v not in reporting]
    spelt = [value for value in found if arguments.mentions(value)]
    entries = [text_of(node) for node in context.walk("subscript")] if not spelt else []
    keyed = [one for one in entries if (key := _KEYED.fullmatch(one)) and key[1].lower() in arguments.words]
    dotted = [text_of(node) for node in context.walk("attribute") if not spelt and _is_value(node)]
    keyed += [one for one in dotted if one.rpartition(".")[2].lower() in arguments.words and "(" not in one]
    return list(dict.fromkeys([*spelt, *keyed] or found))[:_MOST_VALUES]


def _reporting(context: RefactoringContext) -> set[str]:
    """What takes messages: `log` of `log.msg("...")`."""
    calls = ((call, positional(call)) for call in context.walk("call"))
    return {callee(call).partition(".")[0] for call, given in calls if given and given[0].type == "string"}


def _is_value(node: Node) -> bool:
    """Whether an attribute is one that is read, and no method."""
    above = node.parent
    return above is None or (above.type != "attribute" and above.child_by_field_name("function") != node)


def _forms(value: str, message: str, arguments: Arguments) -> Iterator[str]:
    """How a value is put behind a message: in one way, unless the instruction has words for another."""
    words = arguments.words
    shown = f"{{{value}!r}}" if words & _QUOTED or "!r" in arguments.instruction else f"{{{value}}}"
    if words & _BRACKETS:
        yield f" ({shown})"
    elif "got" in words:
        yield f", got {shown}"
    elif "not" in words:
        yield f", not {shown}"
    elif _OPEN.search(message):
        yield f" {shown}"
        return
    yield f": {shown}"


def _given_forms(name: str, arguments: Arguments) -> Iterator[tuple[str, str]]:
    """What is said of a value that was wrong, and how it is put behind a message."""
    if arguments.words & {"type", "class"}:
        before = ", not " if "not" in arguments.words else ", got "
        said = f"the type of the value given, which type it got, {name} was"
        yield said, f"{before}{{type({name}).__name__}}"
        return
    form = f", got {{{name}!r}}" if "got" in arguments.words else f": {{{name}!r}}"
    yield f"the given value of {name}", form


def _tested(message: Node) -> str | None:
    """The first variable in the condition under which a message comes up."""
    above = message.parent
    while above is not None and above.type not in ("if_statement", "elif_clause", "function_definition"):
        above = above.parent
    test = above.child_by_field_name("condition") if above is not None else None
    return next(iter(variables(test)), None) if test is not None else None


def _extended(body: str, text: str) -> Iterator[str]:
    """A message with a text before it or behind it; once where one ends as the other begins."""
    tail = text.lstrip(".… ")
    overlap = next((k for k in range(min(len(body), len(tail)) - 1, 1, -1) if body.endswith(tail[:k])), 0)
    if overlap > 3:
        yield body + tail[overlap:]
    if tail[:1] in ",:;.(" or tail[:1].islower() or tail[:1] == "{":
        yield f"{body}{'' if tail[:1] in ',:;.' else ' '}{tail}"
        if tail[:1] not in ",:;.(":
            yield f"{body}, {tail}"
    yield f"{text}{'' if text.endswith(' ') else ' '}{body}"


def _literal(text: str, quotes: str = '"', *, formatted: bool = False) -> str:
    if quotes in text:
        quotes = "'" if quotes == '"' else '"'
    holes = re.search(r"\{[^{}\s]+\}|\{\w[^{}]*\}", text) is not None
    return f"{'f' if holes or formatted else ''}{quotes}{text}{quotes}"


def _joined(node: Node) -> str | None:
    """Adjacent strings as one."""
    parts = [STRING.fullmatch(text_of(part)) for part in node.named_children if part.type == "string"]
    if not all(parts) or "#" in text_of(node):
        return None
    quotes = {part[2] for part in parts if part is not None}
    if len(quotes) != 1:
        return None
    (quote,) = quotes
    formatted = any(part is not None and "f" in part[1] for part in parts)
    bodies = []
    for part in parts:
        assert part is not None
        plain = formatted and "f" not in part[1]
        bodies.append(part[3].replace("{", "{{").replace("}", "}}") if plain else part[3])
    return f"{'f' if formatted else ''}{quote}{''.join(bodies)}{quote}"


CHANGE_MESSAGE = Refactoring("change_message", "refactor.rewrite.changeMessage", _propose)
