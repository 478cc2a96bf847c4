"""The same value as Python spells it today, or more plainly: literals for calls, generators for lists, `super()`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.expressions import (
    ATOMS,
    bare,
    callee,
    children_of,
    level_of,
    method_of,
    positional,
    replace_expression,
    single_line,
    variables,
)  # fmt: skip
from copydesk.syntax.tree import identifiers, text_of

_LITERALS = {
    "dict": "{}",
    "list": "[]",
    "tuple": "()",
    "str": "''",
    "int": "0",
    "float": "0.0",
    "bool": "False",
}
_BRACKETED = frozenset({
    "parenthesise", "parenthesize", "parentheses", "parens", "brackets", "bracket", "precedence", "binds", "tighter",
})  # fmt: skip
"""Words of an instruction about what belongs together."""
_OPERATIONS = (
    "binary_operator",
    "boolean_operator",
    "comparison_operator",
    "not_operator",
    "conditional_expression",
)
_TESTS = (
    "if_statement",
    "elif_clause",
    "while_statement",
    "not_operator",
    "boolean_operator",
    "assert_statement",
)
_COMPREHENSIONS = ("list_comprehension", "generator_expression", "set_comprehension")
_MAKES = {"list_comprehension": "list", "set_comprehension": "set", "generator_expression": ""}


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("string"):
        if re.fullmatch(r"[fF]([rR]?)([\"']).*\2", text_of(node)) and "{" not in text_of(node):
            yield (
                "Drop the f prefix of a text without placeholders",
                replace_node(context.lines, node, text_of(node)[1:]),
            )
        if re.match(r"[uU][\"']", text_of(node)) and single_line(node):
            yield (
                "Drop the u prefix of the text: python 2, superfluous",
                replace_node(context.lines, node, text_of(node)[1:]),
            )
    for node in context.walk("while_statement"):
        test = node.child_by_field_name("condition")
        if test is not None and text_of(test) == "1":
            yield "Use while True instead of while 1", replace_node(context.lines, test, "True")
    for node in context.starting("class_definition"):
        name, bases = node.child_by_field_name("name"), node.child_by_field_name("superclasses")
        if name is not None and bases is not None and text_of(bases) in ("(object)", "()"):
            yield (
                "Drop the superfluous base class object, not needed, explicit",
                replace_node(context.lines, bases, ""),
            )
    if arguments.words & _BRACKETED:
        for node in context.walk("binary_operator", "boolean_operator", "comparison_operator"):
            if node.parent is not None and node.parent.type in _OPERATIONS and single_line(node):
                title = f"Put brackets, parentheses, round {text_of(node)}"
                yield title, replace_node(context.lines, node, f"({text_of(node)})")
        for node in context.walk("expression_list"):
            if node.parent is not None and node.parent.type in ("assignment", "return_statement"):
                title = f"Put brackets, parentheses, round the tuple {text_of(node)}"
                yield title, replace_node(context.lines, node, f"({text_of(node)})")
    for node in context.walk(
        "call",
        "conditional_expression",
        "lambda",
        "tuple",
        "tuple_pattern",
        "list",
        "set",
        "dictionary",
        "parenthesized_expression",
        "dictionary_comprehension",
        *_COMPREHENSIONS,
    ):
        for title, text in _forms(node):
            yield title, replace_expression(context, node, text)


def _forms(node: Node) -> Iterator[tuple[str, str]]:
    if _is_bracketed_twice(node):
        yield "Remove the redundant brackets, double parentheses, parens", text_of(node)[1:-1].strip()
    if node.type == "call":
        yield from _of_call(node)
    elif node.type == "conditional_expression":
        yield from _of_conditional(node)
    elif node.type == "lambda":
        yield from _of_lambda(node)
    elif node.type == "dictionary_comprehension":
        yield from _of_dictionary(node)
    elif node.type in _COMPREHENSIONS:
        yield from _of_comprehension(node)
    elif node.type in ("list", "set", "dictionary"):
        yield from _of_collection(node)
    elif (
        node.type == "parenthesized_expression" and node.named_child_count == 1 and "\n" not in text_of(node)
    ):
        yield "Remove the brackets, redundant parentheses, parens", text_of(node)[1:-1]
    elif node.type == "tuple_pattern" and len(children_of(node)) > 1 and "\n" not in text_of(node):
        if node.parent is not None and node.parent.type in ("for_statement", "for_in_clause", "assignment"):
            yield "Remove the brackets, redundant parentheses, parens", text_of(node)[1:-1]
    elif node.type == "tuple" and len(children_of(node)) > 1:
        if node.parent is not None and node.parent.type in (
            "return_statement",
            "yield",
            "assignment",
            "for_statement",
            "for_in_clause",
        ):
            yield "Remove the brackets, redundant parentheses, parens", text_of(node)[1:-1]
        yield "Use a list instead of the tuple", f"[{text_of(node)[1:-1]}]"
        yield "Use a set instead of the tuple", f"{{{text_of(node)[1:-1]}}}"


def _is_bracketed_twice(node: Node) -> bool:
    """Whether brackets are the only thing in those of a call, or in others."""
    holder = node.parent
    if holder is None or holder.type not in ("argument_list", "parenthesized_expression"):
        return False
    several = node.type == "parenthesized_expression" and "\n" in text_of(node)
    return (several or node.type == "generator_expression") and len(children_of(holder)) == 1


def _of_collection(node: Node) -> Iterator[tuple[str, str]]:
    """A list or a set as another collection, or as its one entry; a dict by keywords."""
    entries, inner = children_of(node), text_of(node)[1:-1]
    inner = inner if "\n" in inner else inner.strip()
    if node.type in ("list", "set") and entries:
        comma = "," if len(entries) == 1 and not inner.rstrip().endswith(",") else ""
        added = (
            node.parent is not None and node.parent.type == "binary_operator"
        )  # to a list, as no tuple can be
        if not added:
            yield f"Use a tuple instead of the {node.type}", f"({inner}{comma})"
        other = ("list", f"[{inner}]") if node.type == "set" else ("set", f"{{{inner}}}")
        yield f"Use a {other[0]} instead of the {node.type}", other[1]
        if node.type == "list" and len(entries) == 1 and entries[0].type != "list_splat":
            yield f"Use {text_of(entries[0])} itself, no list", text_of(entries[0])
    pairs = [(one.child_by_field_name("key"), one.child_by_field_name("value")) for one in entries]
    if (
        node.type == "dictionary"
        and pairs
        and all(k and v and text_of(k)[1:-1].isidentifier() for k, v in pairs)
    ):
        made = ", ".join(f"{text_of(k)[1:-1]}={text_of(v)}" for k, v in pairs if k and v)
        yield "Use dict() instead of the literal", f"dict({made})"


def _of_call(node: Node) -> Iterator[tuple[str, str]]:
    called, given, method = callee(node), positional(node), method_of(node)
    arguments = node.child_by_field_name("arguments")
    if arguments is not None and arguments.type == "generator_expression":
        if called in ("list", "set"):
            made = text_of(arguments)[1:-1]
            kind = "list" if called == "list" else "set"
            yield (
                f"Use a {kind} comprehension instead of {called}()",
                f"[{made}]" if kind == "list" else f"{{{made}}}",
            )
        elif called == "dict":
            yield from _of_pairs(arguments)
        elif single_line(arguments):
            yield (
                f"Make a list first, not a generator: {called}([...])",
                f"{called}([{text_of(arguments)[1:-1]}])",
            )
    base, dot, name = called.rpartition(".")
    every = children_of(arguments) if arguments is not None else []
    if dot and base != "super()" and every and text_of(every[0]) == "self":
        made = ", ".join(map(text_of, every[1:]))
        yield f"Call super().{name} instead of {called}, without self: super()", f"super().{name}({made})"
    if called in ("np.dot", "numpy.dot") and given is not None and len(given) == 2:
        yield "Use the operator @ instead of dot", " @ ".join(map(text_of, given))
    if given is None:
        if called == "dict" and every and all(n.type == "keyword_argument" for n in every):
            pairs = [(n.child_by_field_name("name"), n.child_by_field_name("value")) for n in every]
            made = ", ".join(
                f'"{text_of(name)}": {text_of(value)}' for name, value in pairs if name and value
            )
            yield "Use a dict literal instead of dict()", f"{{{made}}}"
        return
    if not given and called in _LITERALS:
        yield f"Use the literal {_LITERALS[called]} instead of {called}()", _LITERALS[called]
    if called == "super" and given:
        yield "Use super() without arguments, modern: python3, Python 3", "super()"
    if len(given) == 1:
        (one,) = given
        if called == "dict":
            yield from _of_pairs(bare(one))
        if one.type == "list_comprehension":
            inner = text_of(one)[1:-1]
            yield f"Use a generator, no list inside {called}()", f"{called}({inner})"
            if called == "set":
                yield "Use a set comprehension", f"{{{inner}}}"
        if one.type in ("list", "tuple") and called in ("set", "list", "tuple"):
            inner = ", ".join(text_of(child) for child in children_of(one))
            opening, closing = {"set": ("{", "}"), "list": ("[", "]"), "tuple": ("(", ")")}[called]
            if inner:
                yield f"Use a {called} literal instead of {called}()", f"{opening}{inner}{closing}"
        if called == "bool" and one.type in ATOMS:
            yield f"Use True if {text_of(one)} else False", f"True if {text_of(one)} else False"
    if method is not None:
        owner, name = text_of(method[0]), text_of(method[1])
        texts = [text_of(one) for one in given]
        if name == "get" and len(given) == 2 and texts[1] == "None":
            yield "Drop the default None from get, superfluous, redundant", f"{owner}.get({texts[0]})"
        if name in ("get", "__getitem__", "getitem") and given:
            yield f"Use a subscript, [], which raises KeyError: {owner}[{texts[0]}]", f"{owner}[{texts[0]}]"
            if len(given) == 2:
                yield (
                    f"Fall back with or: {owner}.get({texts[0]}) or {texts[1]}",
                    f"{owner}.get({texts[0]}) or {texts[1]}",
                )
        if name == "format" and method[0].type != "string":
            yield f"Use format(): format({owner}, ...)", f"format({owner}, {', '.join(texts)})"
        if name == "copy" and not given:
            yield f"Copy by list({owner})", f"list({owner})"
            yield f"Copy by dict({owner})", f"dict({owner})"
        if name == "join" and len(given) == 1 and given[0].type == "list_comprehension":
            yield "Use a generator inside join", f"{owner}.join({texts[0][1:-1]})"
        if name == "__class__":
            yield f"Use type({owner})", f"type({owner})"
    if (
        called == "getattr"
        and len(given) in (2, 3)
        and given[1].type == "string"
        and text_of(given[1])[1:-1].isidentifier()
    ):
        yield "Use the attribute instead of getattr", f"{text_of(given[0])}.{text_of(given[1])[1:-1]}"
    if called in ("map", "filter") and len(given) == 2:
        function, over = given
        holder = node.parent
        alone = holder is not None and holder.type == "argument_list" and len(children_of(holder)) == 1
        yield from _of_map(called, function, text_of(over), alone=alone)


def _of_pairs(inner: Node) -> Iterator[tuple[str, str]]:
    """`dict()` of a generator of pairs."""
    if inner.type not in ("generator_expression", "list_comprehension"):
        return
    element, *clauses = children_of(inner)
    pair = children_of(element) if element.type == "tuple" else []
    if len(pair) != 2:
        return
    key, value = map(text_of, pair)
    rest = " ".join(text_of(clause) for clause in clauses)
    target = _target_of(inner)
    yield f"Use a dict comprehension instead of dict(): {target}{{{key}: …}}", f"{{{key}: {value} {rest}}}"
    left, right = (clauses[0].child_by_field_name(field) for field in ("left", "right"))
    if len(clauses) == 1 and left is not None and right is not None and text_of(left) == key:
        if key not in variables(pair[1]):
            over = text_of(right)
            given = over if value == "None" else f"{over}, {value}"
            yield f"Use dict.fromkeys: dict.fromkeys({given})", f"dict.fromkeys({given})"


def _target_of(node: Node) -> str:
    """What a variable is given by a statement that a node is part of: `name = `."""
    above: Node | None = node
    while above is not None and above.type not in ("assignment", "block", "lambda"):
        above = above.parent
    left = above.child_by_field_name("left") if above is not None and above.type == "assignment" else None
    return f"{text_of(left)} = " if left is not None else ""


def _of_map(called: str, function: Node, over: str, *, alone: bool) -> Iterator[tuple[str, str]]:
    """alone: it is the one argument of a call, whose brackets a generator needs no others in."""
    name, body = "x", f"{text_of(function)}(x)"
    if function.type == "lambda":
        parameters, value = function.child_by_field_name("parameters"), function.child_by_field_name("body")
        if parameters is None or value is None or not text_of(parameters).isidentifier():
            return
        name, body = text_of(parameters), text_of(value)
    inner = f"{body} for {name} in {over}" if called == "map" else f"{name} for {name} in {over} if {body}"
    yield f"Use a generator expression instead of {called}", inner if alone else f"({inner})"
    yield f"Use a list comprehension instead of {called}", f"[{inner}]"


def _of_conditional(node: Node) -> Iterator[tuple[str, str]]:
    children = children_of(node)
    if len(children) != 3:
        return
    yes, test, no = map(text_of, children)
    if (yes, no) == ("True", "False"):
        yield f"Use bool({test}) instead of True if ... else False", f"bool({test})"
        yield f"Use {test} itself instead of True if ... else False", test
    if (yes, no) == ("False", "True"):
        yield (
            f"Use not {test} instead of False if ... else True",
            f"not {test}" if level_of(test) > 3 else f"not ({test})",
        )
    if yes == test or test == f"{yes} is not None":
        yield f"Use or: {yes} or {no}, no ternary, fall back", f"{yes} or {no}"
    if test in (f"not {no}", f"{no} is None"):
        yield f"Use or: {no} or {yes}, no ternary, fall back", f"{no} or {yes}"
    yield f"Always {yes}, regardless of {test}, whatever the condition", yes
    yield f"Always {no}, regardless of {test}, whatever the condition", no
    yield f"Swap both values: {no} if {test}", f"{no} if {test} else {yes}"
    if yes == test:
        yield (
            f"Test whether {test} is not None: {yes} if {test} is not None",
            f"{yes} if {test} is not None else {no}",
        )


def _of_lambda(node: Node) -> Iterator[tuple[str, str]]:
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    names = text_of(parameters) if parameters is not None else ""
    if body is None or body.type != "call":
        return
    given = body.child_by_field_name("arguments")
    if given is not None and text_of(given) == f"({names})":
        yield f"Use {callee(body)} itself instead of the lambda", callee(body)
    method = method_of(body)
    if method is not None and text_of(method[0]) == names and given is not None and not children_of(given):
        for kind in ("str", "dict", "bytes", "list"):
            if hasattr({"str": str, "dict": dict, "bytes": bytes, "list": list}[kind], text_of(method[1])):
                yield f"Use {kind}.{text_of(method[1])} instead of the lambda", f"{kind}.{text_of(method[1])}"


def _of_dictionary(node: Node) -> Iterator[tuple[str, str]]:
    pair, *clauses = children_of(node)
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    if len(clauses) != 1 or clauses[0].type != "for_in_clause" or key is None or value is None:
        return
    left, right = clauses[0].child_by_field_name("left"), clauses[0].child_by_field_name("right")
    if left is None or right is None:
        return
    if text_of(left) == text_of(key) and text_of(left) not in variables(value):
        given = text_of(right) if text_of(value) == "None" else f"{text_of(right)}, {text_of(value)}"
        yield "Use dict.fromkeys instead of the comprehension", f"dict.fromkeys({given})"
    if text_of(left) == f"{text_of(key)}, {text_of(value)}":
        over = text_of(right).removesuffix(".items()")
        yield f"Use dict({over}) instead of the comprehension", f"dict({over})"


def _of_comprehension(node: Node) -> Iterator[tuple[str, str]]:
    element, *clauses = children_of(node)
    inner = text_of(node)[1:-1].strip() if text_of(node)[:1] in "[({" else text_of(node)
    called = node.parent
    alone = node.type == "generator_expression" and called is not None and called.type == "call"
    within = _only_argument_of(node)
    for kind, opening, closing in (("list", "[", "]"), ("set", "{", "}"), ("generator", "(", ")")):
        if (
            _MAKES[node.type] != kind
            and (node.type, kind) != ("generator_expression", "generator")
            and not alone
            and not (kind == "generator" and (within or _read_again(node)))
        ):
            laid_out = text_of(node)[1:-1] if "\n" in inner and not alone else inner
            yield f"Use a {kind} comprehension", f"{opening}{laid_out}{closing}"
    if node.type in ("set_comprehension", "list_comprehension"):
        for kind in (
            ("frozenset", "tuple", "set", "sorted") if within not in ("frozenset", "tuple", "set") else ()
        ):
            yield f"Make a {kind}, {kind}(...), frozen, not a comprehension", f"{kind}({inner})"
    if len(clauses) != 1 or clauses[0].type != "for_in_clause":
        return
    left, right = clauses[0].child_by_field_name("left"), clauses[0].child_by_field_name("right")
    if left is None or right is None:
        return
    over = text_of(right)
    if text_of(element) == text_of(left):
        for kind in dict.fromkeys([_MAKES[node.type] or "iter", "list", "set", "tuple"]):
            yield f"Use {kind}({over}) instead of the comprehension", f"{kind}({over})"
            if over.endswith(".keys()"):
                yield f"Use {kind}({over[:-7]}) instead of the comprehension", f"{kind}({over[:-7]})"
    given = positional(element) if element.type == "call" else None
    if given is not None and [text_of(one) for one in given] == [text_of(left)]:
        made = f"map({callee(element)}, {over})"
        if alone:
            yield f"Use {made} instead of the generator", f"({made})"
        elif node.type == "list_comprehension" and within:
            yield f"Use {made} instead of the comprehension in {within}()", made
        elif node.type == "list_comprehension":
            yield f"Use list({made}) instead of the comprehension", f"list({made})"


def _only_argument_of(node: Node) -> str:
    """What is called with a collection alone."""
    given = node.parent
    call = given.parent if given is not None and given.type == "argument_list" else None
    return callee(call) if call is not None and given is not None and len(children_of(given)) == 1 else ""


def _read_again(node: Node) -> bool:
    """Whether a collection gets a name that is read more than once, or tested: a generator is used up, and never empty."""
    assignment, scope = node.parent, function_of(node)
    left = assignment.child_by_field_name("left") if assignment is not None else None
    if assignment is None or assignment.type != "assignment" or left is None or left.type != "identifier":
        return False
    uses = [n for n in identifiers(scope) if text_of(n) == text_of(left) and n != left] if scope else []
    return len(uses) > 1 or any(n.parent is not None and n.parent.type in _TESTS for n in uses)


MODERNIZE = Refactoring("modernize", "refactor.rewrite.modernize", _propose, everywhere=True)
