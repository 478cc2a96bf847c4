"""Comprehensions, `any`, `all` and `sum` written out as loops, and loops put into one expression."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import has_comment, lead_and_value, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line, plain_statements
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import merged, replace_lines, replace_node, replace_nodes, rewrite_node
from copydesk.refactorings.negation import opposites
from copydesk.refactorings.new_names import new_names
from copydesk.syntax.tree import identifiers, rows, text_of

_COMPREHENSIONS = (
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
)
_EMPTY = {
    "list_comprehension": "[]",
    "set_comprehension": "set()",
    "dictionary_comprehension": "{}",
    "generator_expression": "[]",
}


def _parts(node: Node) -> tuple[Node, list[str]] | None:
    """The element of a comprehension, and the heads of its loops and tests, from the outside."""
    element, *clauses = node.named_children
    heads = [in_one_line(clause) for clause in clauses if clause.type in ("for_in_clause", "if_clause")]
    if not heads or None in heads or any(str(head).startswith("async") for head in heads):
        return None
    return element, [str(head) for head in heads]


def _written_out(heads: list[str], indent: str, last: list[str]) -> list[str]:
    lines = []
    for head in heads:
        lines.append(f"{indent}{head}:\n")
        indent += "    "
    return [*lines, *(f"{indent}{line}\n" for line in last)]


def _put(element: Node, name: str, kind: str) -> str:
    if kind == "dictionary_comprehension":
        key, value = (in_one_line(part) for part in element.named_children[:2])
        return f"{name}[{key}] = {value}"
    return f"{name}.{'add' if kind == 'set_comprehension' else 'append'}({in_one_line(element)})"


def _loop(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in plain_statements(context, "expression_statement", "return_statement"):
        found = lead_and_value(node)
        if found is None:
            continue
        (lead, value), (first, last), indent = found, rows(node), context.indent(node)
        yield from _answer(context, node, lead, value)
        for inner in [
            n
            for n in context.walk(*_COMPREHENSIONS)
            if value.start_byte <= n.start_byte and n.end_byte <= value.end_byte
        ]:
            parts = _parts(inner)
            if parts is None or (inner.type == "generator_expression" and inner == value):
                continue
            own = lead.removesuffix(" = ") if lead.endswith(" = ") and inner == value else ""
            names = [own] if own.isidentifier() else [*new_names(context, arguments, 2), "result"]
            for name in dict.fromkeys(names):
                lines = [f"{indent}{name} = {_EMPTY[inner.type]}\n"]
                lines += _written_out(parts[1], indent, [_put(parts[0], name, inner.type)])
                if not own.isidentifier():
                    whole = text_of(node)
                    start, end = inner.start_byte - node.start_byte, inner.end_byte - node.start_byte
                    raw = whole.encode()
                    put = (
                        f"({name})"
                        if inner.type == "generator_expression" and raw[start:end].startswith(b"(")
                        else name
                    )
                    if put.startswith("(") and inner.parent is not None and inner.parent.type == "call":
                        put = f"({name})"
                    tail = (raw[:start] + put.encode() + raw[end:]).decode()
                    lines += [f"{line}\n" for line in f"{indent}{tail}".split("\n")]
                yield f"Write the comprehension out as a for loop, {name}", replace_lines(first, last, lines)


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
    parts = _parts(inner) if inner is not None and inner.type in _COMPREHENSIONS else None
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


def _expression(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A loop that collects, counts, or looks for the first, as one expression."""
    for loop in context.walk("for_statement"):
        clauses = clauses_of(context, loop)
        siblings = statements_of(loop.parent)
        at = siblings.index(loop) if loop in siblings else -1
        left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
        if len(clauses) != 1 or left is None or right is None or at < 0:
            continue
        head = [f"for {text_of(left)} in {in_one_line(right)}"]
        inner = clauses[0].statements
        while len(inner) == 1 and inner[0].type in ("if_statement", "for_statement"):
            below = clauses_of(context, inner[0])
            if len(below) != 1:
                break
            if below[0].test is not None:
                head.append(f"if {in_one_line(below[0].test)}")
            else:
                target, over = inner[0].child_by_field_name("left"), inner[0].child_by_field_name("right")
                if target is None or over is None:
                    break
                head.append(f"for {text_of(target)} in {in_one_line(over)}")
            inner = below[0].statements
        while len(inner) > 1 and inner[0].type == "if_statement":
            below = clauses_of(context, inner[0])
            skips = len(below) == 1 and [text_of(s) for s in below[0].statements] == ["continue"]
            if not skips or below[0].test is None:
                break
            head.append(f"if {opposites(below[0].test)[0]}")
            inner = inner[1:]
        before = siblings[at - 1] if at else None
        after = siblings[at + 1] if at + 1 < len(siblings) else None
        if len(inner) == 1:
            yield from _collected(context, loop, " ".join(head), inner[0], before, after)


def _collected(
    context: RefactoringContext, loop: Node, head: str, only: Node, before: Node | None, after: Node | None
) -> Iterator[Proposal]:
    indent, (first, last) = context.indent(loop), rows(loop)
    text = in_one_line(only) or ""
    start = lead_and_value(before) if before is not None else None
    name = start[0].removesuffix(" = ") if start is not None else ""
    empty = text_of(start[1]) if start is not None else ""
    name = name.split(":")[0].strip()
    made: dict[str, str] = {}
    if text.startswith(f"{name}.append(") and empty in ("[]", "list()"):
        made[f"[{text[len(name) + 8 : -1]} {head}]"] = "comprehension"
    if text.startswith(f"{name}.extend(") and empty in ("[]", "list()"):
        made[f"[item {head} for item in {text[len(name) + 8 : -1]}]"] = "comprehension"
    if text.startswith(f"{name}.add(") and empty == "set()":
        made[f"{{{text[len(name) + 5 : -1]} {head}}}"] = "set comprehension"
    if text.startswith(f"{name}[") and empty in ("{}", "dict()") and "] = " in text:
        key, value = text[len(name) + 1 :].split("] = ", 1)
        made[f"{{{key}: {value} {head}}}"] = "dict comprehension"
    if text.startswith(f"{name} += ") and empty in ("0", "0.0"):
        made[f"sum({text[len(name) + 4 :]} {head})"] = "sum"
    for expression, kind in made.items():
        if before is None or has_comment(context, rows(before)[0], last):
            continue
        lead = f"{indent}{name} = {expression}\n"
        yield f"Replace the loop by a {kind}", replace_lines(rows(before)[0], last, [lead])
        if after is not None and after.type == "return_statement":
            uses = [n for n in identifiers(after) if text_of(n) == name]
            if len(uses) == 1 and rows(after)[0] == rows(after)[1]:
                whole = text_of(after)
                at = uses[0].start_byte - after.start_byte
                raw = whole.encode()
                tail = (raw[:at] + expression.encode() + raw[at + len(name) :]).decode()
                yield (
                    f"Return the {kind} directly, without the loop",
                    replace_lines(rows(before)[0], rows(after)[1], [f"{indent}{tail}\n"]),
                )
    if (
        only.type == "return_statement"
        and only.named_child_count == 1
        and after is not None
        and after.type == "return_statement"
    ):
        answer = in_one_line(only.named_children[0])
        other = text_of(after).removeprefix("return").strip() or "None"
        if answer in ("True", "False") and other in ("True", "False"):
            return
        line = f"{indent}return next(({answer} {head}), {other})\n"
        yield "Return the first by next()", replace_lines(first, rows(after)[1], [line])


def _setdefault(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """`if k not in d: d[k] = v` and a use of `d[k]`, as `d.setdefault(k, v)`."""
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        inner = clauses[0].statements if len(clauses) == 1 else []
        given = lead_and_value(inner[0]) if len(inner) == 1 else None
        test = clauses[0].test if clauses else None
        if given is None or test is None or test.type != "comparison_operator" or test.named_child_count != 2:
            continue
        key, of = (text_of(part) for part in test.named_children)
        value = in_one_line(given[1])
        place = f"{of}[{key}]"
        if text_of(test) != f"{key} not in {of}" or given[0] != f"{place} = " or value is None:
            continue
        indent, (first, last) = context.indent(node), rows(node)
        call = f"{of}.setdefault({key}, {value})"
        yield f"Use setdefault: {call}", replace_lines(first, last, [f"{indent}{call}\n"])
        uses = [n for n in context.walk("subscript") if text_of(n) == place and n.start_byte > node.end_byte]
        if uses and rows(uses[0])[0] == last + 1:
            yield (
                f"Use {call} in its place",
                merged(replace_lines(first, last, []), replace_node(context.lines, uses[0], call)),
            )


def _heads(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """A counter in the head of a loop or none, items by name instead of by number, reversed and so on."""
    for loop in context.starting("for_statement"):
        left, right = loop.child_by_field_name("left"), loop.child_by_field_name("right")
        body = loop.child_by_field_name("body")
        if left is None or right is None or body is None or left.start_point[0] != right.end_point[0]:
            continue
        target, over = text_of(left), text_of(right)
        inside = [n for n in context.walk("identifier") if body.start_byte <= n.start_byte < body.end_byte]
        if not over.startswith(("enumerate(", "range(")):
            inner = f"({target})" if left.type in ("pattern_list",) else target
            for name in dict.fromkeys([*new_names(context, arguments, 2), "i", "index"]):
                if not any(text_of(n) == name for n in inside):
                    head = replace_nodes(
                        context.lines, [(left, f"{name}, {inner}"), (right, f"enumerate({over})")]
                    )
                    yield f"Use enumerate with {name} in the loop", head
        if over.startswith("enumerate(") and left.type == "pattern_list" and left.named_child_count == 2:
            plain = over.removeprefix("enumerate(").removesuffix(")").split(", start")[0]
            item = text_of(left.named_children[1]).strip("()")
            yield "Loop without enumerate", replace_nodes(context.lines, [(left, item), (right, plain)])
        reads = [n for n in context.walk("subscript") if body.start_byte <= n.start_byte < body.end_byte]
        mine = {f"{target}[{k}]": k for k in range(4)}
        indexed = [(n, mine[text_of(n)]) for n in reads if text_of(n) in mine]
        uses = [n for n in inside if text_of(n) == target]
        if indexed and len(indexed) == len(uses):
            count = max(k for _, k in indexed) + 1
            news = list(_in_order(arguments, new_names(context, arguments, 6)))[-count:]
            if len(news) == count:
                nodes = [(left, ", ".join(news)), *((n, news[k]) for n, k in indexed)]
                yield (
                    f"Unpack in the head of the loop into {', '.join(news)}",
                    replace_nodes(context.lines, nodes),
                )


def _in_order(arguments: Arguments, names: list[str]) -> list[str]:
    return sorted(names, key=arguments.instruction.rfind)


def _brackets(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A generator for a list that is only gone over, and a list for a generator."""
    for node in context.walk("list_comprehension"):
        parent = node.parent
        if parent is not None and parent.type == "argument_list" and parent.named_child_count == 1:
            inside = text_of(node)[1:-1]
            yield (
                "Drop the list, a generator will do",
                rewrite_node(context.lines, node, inside.strip() if "\n" not in inside else inside),
            )
        yield (
            "Make the list comprehension a generator",
            rewrite_node(context.lines, node, f"({text_of(node)[1:-1]})"),
        )
        yield (
            "Make the list comprehension a set",
            rewrite_node(context.lines, node, f"{{{text_of(node)[1:-1]}}}"),
        )
    for node in context.walk("generator_expression"):
        text = text_of(node)
        if text.startswith("("):
            call = node.parent is not None and node.parent.type == "call"
            new = f"([{text[1:-1]}])" if call else f"[{text[1:-1]}]"
            yield "Make the generator a list", rewrite_node(context.lines, node, new)


WRITE_LOOP_OUT = Refactoring("write_loop_out", "refactor.rewrite.writeLoopOut", _loop)
LOOP_TO_EXPRESSION = Refactoring("loop_to_expression", "refactor.rewrite.loopToExpression", _expression)
SETDEFAULT = Refactoring("setdefault", "refactor.rewrite.setdefault", _setdefault)
LOOP_HEADS = Refactoring("loop_heads", "refactor.rewrite.loopHeads", _heads)
COMPREHENSION_KIND = Refactoring("comprehension_kind", "refactor.rewrite.comprehensionKind", _brackets)
