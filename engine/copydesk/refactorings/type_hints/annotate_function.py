"""The annotations of a function: of its parameters and of what it returns, one or all at once."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import returns_value
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.code_words import annotation, literal_type
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at, replace_node, replace_nodes
from copydesk.refactorings.expressions import mentioned
from copydesk.refactorings.parameters import (
    list_parameters,
    name_of,
    parameter_of,
    parameters_of,
    plain_names,
)
from copydesk.refactorings.spoken import TYPES, spoken_types
from copydesk.refactorings.type_hints.inferred_type import inferred_return
from copydesk.refactorings.type_hints.named_types import (
    OF_WORDS,
    composed,
    composed_types,
    known_any,
    named_types,
    owners,
)
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import text_of

_RESULT = frozenset({
    "return", "returns", "returned", "returning", "result", "results", "out", "output", "gives", "give", "giving", "yields",
    "back", "nothing", "comes", "signature", "annotate", "annotations", "types", "hints", "typed", "all", "both", "everything",
    "function", "method", "none", "produces",
})  # fmt: skip
"""Words of an instruction about more than parameters."""
_STARRED = ("list_splat_pattern", "dictionary_splat_pattern")
_SAID = r"(?: (?:is|are|as|=|be|can|should|takes|annotated|typed|to))*(?: an?)?[:,]? \(?`?([\w.]+(?:\[[^\]]*\])?(?: \| [\w.]+)*)"
_ALIKE = r"`?(?:,? (?:and )?`?\w+`?(?= as | are | should |: |, | and ))*"
"""What may stand between a parameter and its type in an instruction, and the type."""
_REST = re.compile(
    r"\b(?:others|other ones|rest)(?: (?:is|are|as|all|should be))* (?:an? )?(optional )?(\w+)"
)


def annotate_parameter(name: str, type: str | None, context: RefactoringContext) -> Edits | None:
    """type: None for that of the default."""
    parameter = parameter_of(context, name)
    if parameter is None:
        return None
    said = parameter.child_by_field_name("type")
    if type is None:
        type = _type_of_default(parameter)
        if type is None:
            return () if said is not None else None
    if not context.knows(type, type=True):
        return None
    if said is not None:
        return replace_node(context.lines, said, type)
    splice = _annotated(parameter, type)
    return spliced(context.lines, [splice]) or None if splice is not None else None


def annotate_return(type: str, context: RefactoringContext) -> Edits | None:
    """`-> type`, in place of another one where there is one."""
    function = context.function()
    return _returning(context, function, type) if function and context.knows(type, type=True) else None


def _returning(context: RefactoringContext, function: Node, type: str) -> Edits | None:
    parameters, said = function.child_by_field_name("parameters"), function.child_by_field_name("return_type")
    if said is not None:
        return replace_node(context.lines, said, type)
    return insert_at(context.lines, end_of(parameters), f" -> {type}") if parameters is not None else None


def _annotated(parameter: Node, type: str) -> Splice | None:
    """A type for a parameter that has none."""
    if parameter.type in ("identifier", *_STARRED):
        return Splice(end_of(parameter), end_of(parameter), f": {type}")
    left, default = parameter.child_by_field_name("name"), parameter.child_by_field_name("value")
    if parameter.type != "default_parameter" or left is None or default is None:
        return None
    same_line = left.end_point[0] == default.start_point[0]
    return Splice(end_of(left), start_of(default), f": {type} = ") if same_line else None


def _bare_name(parameter: Node) -> str:
    """Its name, without stars."""
    starred = parameter.type in _STARRED and parameter.named_children
    return text_of(parameter.named_children[0]) if starred else name_of(parameter)


def _type_of_default(parameter: Node) -> str | None:
    default = parameter.child_by_field_name("value")
    return literal_type(text_of(default)) if default is not None else None


def _one_parameter(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    names, types = plain_names(context), _types(context, arguments)
    starred = {text_of(p).lstrip("*"): p for p in parameters_of(context) if p.type in _STARRED}
    asked = [name for name in (*names, *starred) if name in arguments.names]
    told = [p for p in parameters_of(context) if _bare_name(p) in asked and _said_type(p, arguments)]
    for name in names if len(told) < 2 else ():
        if not asked or name in asked:
            yield f'Annotate "{name}" with the type of its default', annotate_parameter(name, None, context)
        for type in dict.fromkeys(_optional(context, arguments, name, type) for type in types):
            yield f'Annotate "{name}" as "{type}"', annotate_parameter(name, type, context)
    for name in (name for name in starred if name in asked):
        for type in (type for type in types if context.knows(type, type=True)):
            splice = _annotated(starred[name], type)
            edits = spliced(context.lines, [splice]) if splice is not None else None
            yield f'Annotate "{text_of(starred[name])}" as "{type}"', edits


def _optional(context: RefactoringContext, arguments: Arguments, name: str, type: str) -> str:
    """A type of a parameter that is None by default, with None where the instruction says that it is optional."""
    parameter = parameter_of(context, name)
    default = parameter.child_by_field_name("value") if parameter is not None else None
    said = arguments.words & {"optional", "none"} and not {"None", "Optional", "Any"} & set(
        re.findall(r"\w+", type)
    )
    return f"{type} | None" if said and default is not None and text_of(default) == "None" else type


def _types(context: RefactoringContext, arguments: Arguments) -> list[str]:
    """What the instruction may mean as a type; a parameter of that name is what it is about."""
    names = owners(context)
    whole, parts = composed_types(arguments)
    types = [type for type in arguments.types if type not in names or hasattr(builtins, type)]
    types += [known_any(type, context) for type in spoken_types(arguments)]
    plain = [_of_module(type, context) for type in types if type not in parts]
    return list(dict.fromkeys([*whole, *filter(None, plain)]))


def _of_module(type: str, context: RefactoringContext) -> str | None:
    """A type; for the name of a module that is imported its type of that name (`socket.socket`), if the document has it."""
    text = "".join(context.lines)
    if not type.islower() or not re.search(rf"^\s*import (?:\w+, )*{re.escape(type)}\b", text, re.MULTILINE):
        return type
    return f"{type}.{type}" if re.search(rf"\b{re.escape(type)}\.{re.escape(type)}\b", text) else None


def _signature(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    own = context.function()
    for type in _types(context, arguments) if own is not None else ():
        if own is not None and (type != "None" or _may_return_none(own, arguments)):
            named = own.child_by_field_name("name")
            of = f" of {text_of(named)}" if named is not None and arguments.mentions(text_of(named)) else ""
            yield f'Annotate the return type{of} as "{type}"', annotate_return(type, context)
    types = named_types(context, arguments)
    for function in mentioned(context.starting("function_definition"), arguments):
        given, said = function.child_by_field_name("parameters"), function.child_by_field_name("return_type")
        if given is None:
            continue
        at = end_of(given)
        if arguments.words & {"drop", "remove", "without", "no", "delete"}:
            yield from _without(context, arguments, function)
        spelt = [s for p in list_parameters(function) if (s := _as_spelt(p, arguments)) is not None]
        if said is None and (arrow := re.search(r"->\s*(.+)$", arguments.instruction)):
            spelt += [Splice(at, at, f" -> {type}") for type in [_leading_type(arrow[1])] if type]
        if len(spelt) > 1:
            yield "Annotate the signature", spliced(context.lines, spelt)
        results = [inferred_return(function), *types, "None"]
        results = [r for r in dict.fromkeys(results) if r != "None" or _may_return_none(function, arguments)]
        for result in filter(None, results):
            yield f"Annotate the return type as {result}", _returning(context, function, result)
        parameters = [p for p in list_parameters(function) if _bare_name(p) not in ("", "self", "cls")]
        rest = _type_of_rest(arguments)
        typed = [
            (p, known_any(kind, context))
            for p in parameters
            if (
                kind := _type_for(p, arguments)
                or (rest if p.type in ("identifier", "default_parameter") else None)
            )
        ]
        splices = [s for p, kind in typed if (s := _annotated(p, kind))]
        what = ", ".join(f"{_bare_name(p)} as {kind}" for p, kind in typed)
        asked = [p for p in parameters if _bare_name(p) in arguments.names]
        if splices and (not asked or any(p in asked for p, _ in typed)):
            yield f"Annotate the parameters: {what}", spliced(context.lines, splices)
        if asked and types and not _speaks_of_result(function, arguments):
            results = []
        for result in filter(None, results if said is None else ()):
            arrow_to = Splice(at, at, f" -> {result}")
            if splices:
                title = f"Annotate the signature: {what}, and the return type as {result}"
                yield title, spliced(context.lines, [*splices, arrow_to])
            for p, type in ((p, type) for p in parameters for type in types):
                if (splice := _annotated(p, type)) is not None:
                    title = f"Annotate {_bare_name(p)} as {type}, and the return type as {result}"
                    yield title, spliced(context.lines, [splice, arrow_to])
        yield from _several(context, arguments, function, types)


def _speaks_of_result(function: Node, arguments: Arguments) -> bool:
    """Whether an instruction says something of what a function gives back, or of all of its annotations."""
    named = function.child_by_field_name("name")
    spoken = arguments.words & _RESULT or "->" in arguments.instruction
    return bool(spoken) or (named is not None and arguments.mentions(text_of(named)))


def _several(
    context: RefactoringContext, arguments: Arguments, function: Node, types: Sequence[str]
) -> Iterator[Proposal]:
    """Types for several parameters at once: all alike, or those named in the instruction each with its own, in order."""
    bare = [
        p for p in list_parameters(function) if p.type == "identifier" and name_of(p) not in ("self", "cls")
    ]
    said = function.child_by_field_name("return_type")
    given = function.child_by_field_name("parameters")
    if len(bare) < 2 or given is None:
        return
    order = {word: at for at, word in enumerate(re.findall(r"\w+", arguments.instruction))}
    places = {
        kind: [at for word, at in order.items() if word in (kind, *TYPES.get(kind, "").split())]
        for kind in types
    }
    in_order = sorted((kind for kind in types if places[kind]), key=lambda kind: min(places[kind]))
    named = [p for p in bare if name_of(p) in order] or bare
    others = {_bare_name(p) for p in list_parameters(function)} & set(order)
    if others and not others & {name_of(p) for p in bare}:
        return  # it speaks of another one
    chosen = [list(zip(bare, [kind] * len(bare), strict=True)) for kind in types[:4]]
    chosen += [list(zip(named, in_order, strict=True))] if len(named) == len(in_order) else []
    for pairs in chosen:
        splices = [splice for p, kind in pairs if (splice := _annotated(p, kind)) is not None]
        what = ", ".join(f"{name_of(p)} as {kind}" for p, kind in pairs)
        yield f"Annotate {what}", spliced(context.lines, splices)
        results = ("None", *types[:3]) if said is None and _speaks_of_result(function, arguments) else ()
        for result in results:
            arrow = Splice(end_of(given), end_of(given), f" -> {result}")
            title = f"Annotate {what}, and the return type as {result}"
            yield title, spliced(context.lines, [*splices, arrow])


def _inferred(context: RefactoringContext, _arguments: Arguments) -> Iterator[Proposal]:
    """The return type that the returns say, of a function that is annotated in part or returns something."""
    function = context.function()
    if function is None or function.child_by_field_name("return_type") is not None:
        return
    type = inferred_return(function)
    typed = any(p.type.startswith("typed") for p in list_parameters(function))
    if type is not None and (typed or type != "None"):
        yield f"Annotate the return type as {type}", _returning(context, function, type)


def _may_return_none(function: Node, arguments: Arguments) -> bool:
    """Whether `-> None` would be right, or is asked for in so many words."""
    body = function.child_by_field_name("body")
    return body is None or not returns_value(body) or "-> None" in arguments.instruction


def _without(context: RefactoringContext, arguments: Arguments, function: Node) -> Iterator[Proposal]:
    """Annotations dropped: of the parameters that the instruction names, and of all."""
    given = [p for p in list_parameters(function) if p.type in ("typed_parameter", "typed_default_parameter")]
    named = [p for p in given if any(arguments.mentions(word) for word in re.findall(r"\w+", text_of(p))[:1])]
    for title, some in (("those named", named), ("all parameters", given)):
        pairs = [(p, re.sub(r":.*?(?= = |$)", "", text_of(p)).replace(" = ", "=")) for p in some]
        yield f"Drop the annotations of {title}", replace_nodes(context.lines, pairs) if pairs else None


def _as_spelt(parameter: Node, arguments: Arguments) -> Splice | None:
    """The type of a parameter as an instruction writes it: `name: type`."""
    name = name_of(parameter)
    if parameter.type in _STARRED and parameter.named_children:
        name = text_of(parameter.named_children[0])
    found = re.search(rf"(?<![\w.]){re.escape(name)}: ?(.+)", arguments.instruction) if name else None
    type = _leading_type(found[1]) if found is not None else None
    return _annotated(parameter, type) if type is not None else None


def _leading_type(text: str) -> str | None:
    """The longest type that a text begins with, up to a comma, an arrow or its end."""
    stops = [match.start() for match in re.finditer(r",| ->|[.;`\"]|$| and ", text)]
    found = (text[:stop].strip() for stop in reversed(stops))
    return next((said for said in found if said and annotation(said) is not None), None)


def _type_for(parameter: Node, arguments: Arguments) -> str | None:
    """The type that stands behind a parameter's name in the instruction, else that of its default."""
    if parameter.type not in ("identifier", "default_parameter", *_STARRED):
        return None
    return _said_type(parameter, arguments) or _type_of_default(parameter)


def _type_of_rest(arguments: Arguments) -> str | None:
    """The type that an instruction has for all parameters it does not name: `the others are strings`."""
    found = _REST.search(arguments.instruction.lower())
    spoken = spoken_types(Arguments(words=frozenset({found[2]}))) if found is not None else ()
    return (f"{spoken[0]} | None" if found is not None and found[1] else spoken[0]) if spoken else None


def _said_type(parameter: Node, arguments: Arguments) -> str | None:
    found = re.search(rf"(?<![\w.]){re.escape(_bare_name(parameter))}{_ALIKE}{_SAID}", arguments.instruction)
    if found is not None:
        word = found[1].rstrip(".,")
        of = re.compile(rf"({re.escape(word)}) {OF_WORDS}", re.IGNORECASE)
        made = of.match(arguments.instruction, found.start(1))
        if made is not None and (whole := composed(made)):
            none = re.match(r",? or none\b", arguments.instruction[made.end() :], re.IGNORECASE)
            return f"{whole[0]} | None" if none is not None else whole[0]
        spoken = spoken_types(Arguments(words=frozenset({word.lower()})))
        word = spoken[0] if spoken else word
        if re.match(r"(?:`|\))* or none\b", arguments.instruction[found.end() :], re.IGNORECASE):
            word = f"{word} | None"
        if annotation(word) is not None and (
            spoken or word[:1].isupper() or any(sign in word for sign in "[|.")
        ):
            return word
    return None


ANNOTATE_PARAMETER = Refactoring(
    "annotate_parameter", "refactor.rewrite.parameterType", _one_parameter, menu="cursor"
)
ANNOTATE_SIGNATURE = Refactoring(
    "annotate_signature", "refactor.rewrite.annotateSignature", _signature, menu="cursor", offer=_inferred
)
