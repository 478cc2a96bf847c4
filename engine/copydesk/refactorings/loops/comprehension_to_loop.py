"""Replace comprehension with loop: a comprehension, `any` or `all` written out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import COMPREHENSIONS, lead_and_value, selected_statements
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import in_one_line, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.negation import opposites
from copydesk.refactorings.new_names import new_names
from copydesk.syntax.tree import rows, text_of

_EMPTY = {
    "list_comprehension": "[]",
    "set_comprehension": "set()",
    "dictionary_comprehension": "{}",
    "generator_expression": "[]",
}


def _parts(comprehension: Node) -> tuple[Node, list[str]] | None:
    """The element of a comprehension, and the heads of its loops and tests, from the outside."""
    element, *clauses = comprehension.named_children
    heads = [in_one_line(clause) for clause in clauses if clause.type in ("for_in_clause", "if_clause")]
    if not heads or None in heads or any(str(head).startswith("async") for head in heads):
        return None
    return element, [str(head) for head in heads]


def _written_out(heads: Sequence[str], indent: str, last: Sequence[str]) -> list[str]:
    lines = [f"{indent}{'    ' * depth}{head}:\n" for depth, head in enumerate(heads)]
    return [*lines, *(f"{indent}{'    ' * len(heads)}{line}\n" for line in last)]


def _filled(comprehension: Node, name: str, indent: str) -> list[str] | None:
    """A loop that fills a collection of that name."""
    parts, kind = _parts(comprehension), comprehension.type
    if parts is None:
        return None
    element, heads = parts
    if kind == "dictionary_comprehension":
        key, value = (in_one_line(part) for part in element.named_children[:2])
        put = f"{name}[{key}] = {value}"
    else:
        put = f"{name}.{'add' if kind == 'set_comprehension' else 'append'}({in_one_line(element)})"
    return [f"{indent}{name} = {_EMPTY[kind]}\n", *_written_out(heads, indent, [put])]


def _offer(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """One loop and at most one test, in one line, that make all of what a name is given."""
    for node in selected_statements(context, "expression_statement"):
        found, (first, last) = lead_and_value(node), rows(node)
        if found is None or found[1].type not in COMPREHENSIONS[:3] or first != last:
            continue
        name, parts = found[0].removesuffix(" = "), _parts(found[1])
        words = [head.split()[0] for head in parts[1]] if parts is not None else []
        lines = _filled(found[1], name, context.indent(node))
        if name.isidentifier() and words in (["for"], ["for", "if"]) and lines is not None:
            yield f'Fill "{name}" in a loop', replace_lines(first, last, lines)


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement", "return_statement"):
        found = lead_and_value(node)
        if found is None:
            continue
        lead, value = found
        yield from _answer(context, node, lead, value)
        yield from _yielded(context, node, lead, value)
        own = lead.removesuffix(" = ")
        for inner in context.walk(*COMPREHENSIONS):
            if not (value.start_byte <= inner.start_byte and inner.end_byte <= value.end_byte):
                continue
            if inner == value and inner.type == "generator_expression":
                continue
            assigned = inner == value and own.isidentifier() and lead.endswith(" = ")
            names = [own] if assigned else [*new_names(context, arguments, 2), "result"]
            for name in dict.fromkeys(names):
                lines = _filled(inner, name, context.indent(node))
                if lines is not None:
                    rest = [] if assigned else _with_name(context, node, inner, name)
                    title = f"Write the comprehension out as a for loop, {name}"
                    yield title, replace_lines(*rows(node), [*lines, *rest])


def _yielded(context: RefactoringContext, node: Node, lead: str, value: Node) -> Iterator[Proposal]:
    """A generator, or a list, that is returned as a loop that yields."""
    made = lead == "return " and value.type in ("generator_expression", "list_comprehension")
    parts = _parts(value) if made else None
    element = in_one_line(parts[0]) if parts is not None else None
    if parts is not None and element is not None:
        lines = _written_out(parts[1], context.indent(node), [f"yield {element}"])
        what = "generator" if value.type == "generator_expression" else "list"
        yield f"Write the {what} out as a for loop with yield, yielding", replace_lines(*rows(node), lines)


def _with_name(context: RefactoringContext, node: Node, inner: Node, name: str) -> list[str]:
    """The lines of a statement with a name in place of a comprehension in it."""
    raw = text_of(node).encode()
    start, end = inner.start_byte - node.start_byte, inner.end_byte - node.start_byte
    bracketed = inner.type == "generator_expression" and raw[start:end].startswith(b"(")
    put = f"({name})" if bracketed else name
    tail = (raw[:start] + put.encode() + raw[end:]).decode()
    return [f"{line}\n" for line in f"{context.indent(node)}{tail}".split("\n")]


def _answer(context: RefactoringContext, node: Node, lead: str, value: Node) -> Iterator[Proposal]:
    """`any(…)` and `all(…)` as a loop that returns."""
    negated = value.type == "not_operator"
    call = value.child_by_field_name("argument") if negated else value
    called = call.child_by_field_name("function") if call is not None and call.type == "call" else None
    given = call.child_by_field_name("arguments") if call is not None else None
    if called is None or given is None or text_of(called) not in ("any", "all"):
        return
    inner = (
        given
        if given.type == "generator_expression"
        else (given.named_children[0] if given.named_child_count == 1 else None)
    )
    parts = _parts(inner) if inner is not None and inner.type in COMPREHENSIONS else None
    if parts is None:
        return
    word = text_of(called)
    test = in_one_line(parts[0]) if word == "any" else opposites(parts[0])[0]
    one, two = ("True", "False") if (word == "any") != negated else ("False", "True")
    indent, (first, last) = context.indent(node), rows(node)
    if lead == "return ":
        lines = _written_out([*parts[1], f"if {test}"], indent, [f"return {one}"])
        yield (
            f"Write {word}() out as a for loop",
            replace_lines(first, last, [*lines, f"{indent}return {two}\n"]),
        )
    elif lead.endswith(" = "):
        lines = _written_out([*parts[1], f"if {test}"], indent, [f"{lead}{one}", "break"])
        yield (
            f"Write {word}() out as a for loop",
            replace_lines(first, last, [f"{indent}{lead}{two}\n", *lines]),
        )


COMPREHENSION_TO_LOOP = Refactoring(
    "comprehension_to_loop", "refactor.rewrite.comprehensionToLoop", _propose, menu="cursor", offer=_offer
)
