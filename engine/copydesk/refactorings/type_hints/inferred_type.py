"""The types of what expressions and functions give, as far as their form says it."""

from __future__ import annotations

from tree_sitter import Node

from copydesk.refactorings.code_words import literal_type
from copydesk.refactorings.expressions import callee, children_of
from copydesk.syntax.tree import text_of

_LOGICAL = ("comparison_operator", "not_operator", "true", "false")
_RETURNING = {
    "isinstance": "bool", "issubclass": "bool", "callable": "bool", "hasattr": "bool", "any": "bool", "all": "bool",
    "bool": "bool", "len": "int", "int": "int", "str": "str", "repr": "str", "float": "float", "list": "list",
    "dict": "dict", "set": "set", "tuple": "tuple", "sorted": "list", "bytes": "bytes", "frozenset": "frozenset",
}  # fmt: skip
_METHODS = {
    "join": "str",
    "format": "str",
    "startswith": "bool",
    "endswith": "bool",
    "split": "list[str]",
    "strip": "str",
    "lower": "str",
}


def inferred_return(function: Node) -> str | None:
    """The type of what a function returns, where all of its returns say it: `bool` of comparisons, `"None"` of nothing."""
    body = function.child_by_field_name("body")
    found: dict[str | None, None] = {}
    waiting = [body] if body is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in ("function_definition", "class_definition", "lambda"):
            continue
        if node.type == "yield":
            return None
        if node.type == "return_statement":
            value = children_of(node)
            found[_type_of(value[0]) if value else "None"] = None
        waiting += node.named_children
    if not found:
        return "None"
    kinds = [kind for kind in found if kind != "None"]
    if None in found or len(kinds) > 1:
        return None
    return f"{kinds[0]} | None" if "None" in found and kinds else (kinds[0] if kinds else "None")


def _type_of(value: Node) -> str | None:
    text = text_of(value)
    if value.type in _LOGICAL:
        return "bool"
    if value.type == "none":
        return "None"
    if value.type in ("string", "concatenated_string"):
        return "bytes" if text[:1] in "bB" else "str"
    if value.type in ("list", "list_comprehension"):
        return "list"
    if value.type in ("dictionary", "dictionary_comprehension"):
        return "dict"
    if value.type == "boolean_operator":
        kinds = {_type_of(child) for child in children_of(value)}
        return kinds.pop() if len(kinds) == 1 else None
    if value.type == "parenthesized_expression":
        return _type_of(children_of(value)[0]) if children_of(value) else None
    if value.type == "call":
        name = callee(value)
        known = _RETURNING.get(name) or _METHODS.get(name.rpartition(".")[2])
        return known or _declared_return(value, name)
    return literal_type(text)


def _declared_return(call: Node, name: str) -> str | None:
    """What the called function of the same module, or method of the same class, is annotated to return."""
    holder = "class_definition" if name.startswith("self.") else "module"
    above: Node | None = call
    while above is not None and above.type != holder:
        above = above.parent
    body = above.child_by_field_name("body") if holder == "class_definition" and above is not None else above
    found = []
    for node in body.named_children if body is not None else ():
        defined, plain = node.child_by_field_name("name"), node.type == "function_definition"
        if plain and defined is not None and text_of(defined) == name.removeprefix("self."):
            found.append(node)
    type = found[0].child_by_field_name("return_type") if len(found) == 1 else None
    return text_of(type) if type is not None and not text_of(found[0]).startswith("async") else None
