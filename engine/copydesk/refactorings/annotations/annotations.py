"""Annotations of variables, parameters and what is returned: added, made from others, changed in their spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.code_words import annotation, literal_type
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_at, replace_node, replace_nodes, replace_span
from copydesk.refactorings.expressions import callee, children_of, mentioned, single_line
from copydesk.refactorings.parameters import list_parameters, name_of
from copydesk.refactorings.spoken import spoken_types
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import text_of

_UNION = re.compile(r"(?:typing\.)?(Optional|Union)\[")
_LOGICAL = ("comparison_operator", "not_operator", "true", "false")
_ALIASES = {
    "List": "list",
    "Dict": "dict",
    "Tuple": "tuple",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Type": "type",
}
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


def named_types(arguments: Arguments) -> list[str]:
    """Types that an instruction spells or names, and unions with None where it says that something may be None."""
    types = list(dict.fromkeys([*arguments.types, *spoken_types(arguments)]))
    types = [
        name
        for name in types
        if name[:1].isupper() or not name.isidentifier() or name in spoken_types(arguments)
    ]
    of = re.findall(
        r"\b(list|set|tuple|dict|iterable|sequence|iterator)s? of (?:the )?(\w+?)s?\b",
        arguments.instruction.lower(),
    )
    for outer, inner in of:
        inner = {"string": "str", "integer": "int", "number": "int", "boolean": "bool"}.get(inner, inner)
        types.append(f"{outer if outer in ('list', 'set', 'tuple', 'dict') else outer.capitalize()}[{inner}]")
        types.append(f"tuple[{inner}, ...]")
    if arguments.words & {"none", "optional", "missing"}:
        types += [
            f"{name} | None" for name in types if name not in ("None", "True", "False") and "None" not in name
        ]
        types += [f"Optional[{name}]" for name in types if "None" not in name and "Optional" not in name]
    if len(found := spoken_types(arguments)) > 1:
        types += [f"{one} | {two}" for one in found for two in found if one != two]
    no_types = ("True", "False", *arguments.exceptions)
    return [name for name in dict.fromkeys(types) if annotation(name) and name not in no_types][:24]


def _variables(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    types = [name for name in named_types(arguments) if context.knows(name, type=True)]
    for node in mentioned(context.walk("assignment"), arguments):
        left, right, said = (node.child_by_field_name(field) for field in ("left", "right", "type"))
        if left is None or left.type not in ("identifier", "attribute"):
            continue
        inferred = literal_type(text_of(right)) if right is not None else None
        for type in dict.fromkeys([*types, *([inferred] if inferred else [])]):
            title = f"Annotate {text_of(left)} as {type}"
            yield (
                title,
                replace_node(context.lines, said, type)
                if said
                else insert_at(context.lines, end_of(left), f": {type}"),
            )
        if said is not None and right is not None:
            yield (
                f"Drop the annotation of {text_of(left)}",
                replace_span(context.lines, end_of(left), end_of(said), ""),
            )


def _signature(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    types = [name for name in named_types(arguments) if context.knows(name, type=True)]
    for function in mentioned(context.starting("function_definition"), arguments):
        given, said = function.child_by_field_name("parameters"), function.child_by_field_name("return_type")
        if given is None:
            continue
        parameters = [p for p in list_parameters(function) if name_of(p) not in ("", "self", "cls")]
        returned = inferred_return(function)
        results = list(dict.fromkeys([*([returned] if returned else []), *types, "None"]))
        for type in results:
            title = f"Annotate the return type as {type}"
            arrow = insert_at(context.lines, end_of(given), f" -> {type}") if said is None else None
            yield title, replace_node(context.lines, said, type) if said is not None else arrow
        typed = {name_of(p): _type_for(p, arguments) for p in parameters}
        splices = [s for p in parameters if (kind := typed[name_of(p)]) and (s := _annotated(p, kind))]
        if splices:
            yield "Annotate the parameters", spliced(context.lines, splices)
        for type in results if said is None else ():
            title = f"Annotate the signature: parameters and return type {type}"
            returned_as = Splice(end_of(given), end_of(given), f" -> {type}")
            if splices:
                yield title, spliced(context.lines, [*splices, returned_as])
            for p in parameters:
                for one in types:
                    if (typed_as := _annotated(p, one)) is not None:
                        title = f"Annotate {name_of(p)} as {one}, and the return type as {type}"
                        yield title, spliced(context.lines, [typed_as, returned_as])


def _annotated(parameter: Node, type: str) -> Splice | None:
    if parameter.type == "identifier":
        return Splice(end_of(parameter), end_of(parameter), f": {type}")
    left, default = parameter.child_by_field_name("name"), parameter.child_by_field_name("value")
    if parameter.type == "default_parameter" and left is not None and default is not None:
        return Splice(end_of(left), start_of(default), f": {type} = ")
    return None


def _type_for(parameter: Node, arguments: Arguments) -> str | None:
    """The type that stands behind a parameter's name in the instruction, else that of its default."""
    if parameter.type not in ("identifier", "default_parameter"):
        return None
    text, name = arguments.instruction, name_of(parameter)
    said = (
        r"(?: (?:is|are|as|=|be|can|should|takes))*(?: an?)?[:,]? \(?`?([\w.]+(?:\[[^\]]*\])?(?: \| [\w.]+)*)"
    )
    found = re.search(rf"(?<![\w.]){re.escape(name)}{said}", text)
    if found is not None:
        word = found[1].rstrip(".,")
        spoken = spoken_types(Arguments(words=frozenset({word.lower()})))
        if spoken:
            word = spoken[0]
        if re.match(r"(?:`|\))* or none\b", text[found.end() :], re.IGNORECASE):
            word = f"{word} | None"
        if annotation(word) is not None and (spoken or word[:1].isupper() or "[" in word or "|" in word):
            return word
    default = parameter.child_by_field_name("value")
    return literal_type(text_of(default)) if default is not None else None


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
        return _RETURNING.get(name) or _METHODS.get(name.rpartition(".")[2])
    return literal_type(text)


def _spelling(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Unions by `|`, generics in lower case; None last; one more type that is allowed, or one fewer."""
    types = [name for name in named_types(arguments) if context.knows(name, type=True)]
    modern: list[tuple[Node, str]] = []
    generic: list[tuple[Node, str]] = []
    for node in context.starting("type"):
        if not single_line(node) or (
            node.parent is not None and node.parent.type in ("type_parameter", "union_type")
        ):
            continue
        old = text_of(node)
        new = with_bars(old)
        lower = re.sub(
            r"\b(?:typing\.)?(List|Dict|Tuple|Set|FrozenSet|Type)\b(?=\[)", lambda m: _ALIASES[m[1]], old
        )
        if new != old:
            modern.append((node, new))
            yield f"Write the union by |: {new} instead of {old}", replace_node(context.lines, node, new)
        if lower != old:
            generic.append((node, lower))
            yield (
                f"Write the builtin generic: {lower} instead of {old}",
                replace_node(context.lines, node, lower),
            )
            yield (
                f"Write the modern type: {with_bars(lower)} instead of {old}",
                replace_node(context.lines, node, with_bars(lower)),
            )
        parts = _parts(new)
        if len(parts) > 1:
            for k, part in enumerate(parts):
                rest = [*parts[:k], *parts[k + 1 :]]
                yield f"Drop {part} from the type {old}", replace_node(context.lines, node, " | ".join(rest))
                if part == "None" and k < len(parts) - 1:
                    yield (
                        f"Write None last in the type {old}",
                        replace_node(context.lines, node, " | ".join([*rest, part])),
                    )
        for extra in dict.fromkeys([*types, "None"]):
            if extra in parts:
                continue
            for k in range(1, len(parts)):
                if parts[k] == "None" or is_spelt(parts[k - 1], arguments):
                    made = " | ".join([*parts[:k], extra, *parts[k:]])
                    yield (
                        f"Allow {extra} in the type too, after {parts[k - 1]}: {made}",
                        replace_node(context.lines, node, made),
                    )
            if old.startswith("Optional[") and old.endswith("]"):
                made = f"Optional[Union[{old[9:-1]}, {extra}]]"
                yield f"Allow {extra} in the type too: {made}", replace_node(context.lines, node, made)
            if extra not in parts:
                yield (
                    f"Allow {extra} in the type too: {old} | {extra}",
                    replace_node(context.lines, node, f"{old} | {extra}"),
                )
                yield f"Change the type {old} to {extra}", replace_node(context.lines, node, extra)
        yield (
            f"Change the type {old} to Optional[{old}]: may be None",
            replace_node(context.lines, node, f"Optional[{old}]"),
        )
        if old.endswith("]") and "[" in old:
            for extra in types:
                head, _, inner = old.partition("[")
                if "," not in inner:
                    yield (
                        f"Allow {extra} inside the type {old}",
                        replace_node(context.lines, node, f"{head}[{inner[:-1]} | {extra}]"),
                    )
                    yield (
                        f"Change the type inside {old} to {extra}",
                        replace_node(context.lines, node, f"{head}[{extra}]"),
                    )
    optional = [(node, new) for node, new in modern if "Union" not in text_of(node)]
    if 1 < len(optional) < len(modern):
        yield "Write Optional by | None in all places", replace_nodes(context.lines, optional)
    kept = [(node, new) for node, new in generic if not text_of(node).startswith("Type")]
    if 1 < len(kept) < len(generic):
        yield (
            "Write list, dict, set and tuple in lower case, builtin generics",
            replace_nodes(context.lines, kept),
        )
    if len(modern) > 1:
        yield "Write all unions by |, modern, Optional and Union", replace_nodes(context.lines, modern)
    if len(generic) > 1:
        yield "Write all builtin generics in lower case, modern", replace_nodes(context.lines, generic)


def is_spelt(type: str, arguments: Arguments) -> bool:
    """Whether an instruction names a type."""
    return arguments.mentions(type) or type in spoken_types(arguments)


def _parts(type: str) -> list[str]:
    """The members of a union, from the left."""
    depth, parts = 0, [""]
    for char in type:
        depth += (char in "[(") - (char in "])")
        if char == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def with_bars(type: str) -> str:
    """`X | None` for `Optional[X]`, `A | B` for `Union[A, B]`, inside out."""
    while found := list(_UNION.finditer(type)):
        last = found[-1]
        depth, at = 1, last.end()
        commas = [last.end() - 1]
        while at < len(type) and depth:
            depth += (type[at] in "[(") - (type[at] in "])")
            if type[at] == "," and depth == 1:
                commas.append(at)
            at += 1
        if depth:
            return type
        ends = [*commas[1:], at - 1]
        parts = [type[a + 1 : b].strip() for a, b in zip(commas, ends, strict=True)]
        parts = [part for part in parts if part] + (["None"] if last[1] == "Optional" else [])
        type = f"{type[: last.start()]}{' | '.join(parts)}{type[at:]}"
    return type


ANNOTATE_VARIABLE = Refactoring("annotate_variable", "refactor.rewrite.annotateVariable", _variables)
ANNOTATE_FUNCTION = Refactoring("annotate_function", "refactor.rewrite.annotateFunction", _signature)
CHANGE_TYPE = Refactoring("change_type", "refactor.rewrite.changeType", _spelling, everywhere=True)
