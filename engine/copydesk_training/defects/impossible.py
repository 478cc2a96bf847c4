"""Instructions that cannot be followed, or need not be: about names that are not in the selection, prints where none are, a
parameter or an annotation that is there already. The right program is one copy.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from copydesk.request import EditRequest
from copydesk.text.document import split_lines
from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Broken, Defect
from copydesk_training.defects.parsed import WORD, FunctionNode, ParsedFile
from copydesk_training.defects.revision import default_of, functions, parameters_of, scope_of

TRIES = 8
_NAMES = (
    "result", "value", "item", "total", "node", "index", "name", "path", "data", "count", "text", "key", "target", "info",
    "timeout", "verbose", "debug", "encoding", "limit", "prefix", "callback", "depth", "retries", "config", "context", "user",
    "dry_run", "max_size", "user_id", "file_name", "new_value", "is_valid", "items", "buffer", "offset", "session", "tmp", "idx",
)  # fmt: skip
_TYPES = (
    "int",
    "str",
    "bool",
    "float",
    "bytes",
    "list[str]",
    "dict[str, int]",
    "str | None",
    "Path",
    "Any",
    "set[int]",
)
_VALUES = ("None", "False", "True", "0", "1", "10", "''", "-1", "[]")
_ERRORS = ("ValueError", "KeyError", "OSError", "TypeError", "AttributeError")
_ACTIONS = ("ignore it", "return None", "re-raise", "return", "return False")
_CONSTANTS = ("MAX_SIZE", "TIMEOUT", "DEFAULT_LIMIT", "ENCODING", "RETRIES", "BUFFER_SIZE")
_LITERALS = ("3600", "1024", "86400", "'utf-8'", "0.25", "4096", "'default'", "1e-6")
_CALLS = (
    "len({0})",
    "{0}.strip()",
    "{0}[0]",
    "{0}.items()",
    "str({0})",
    "{0}.name",
    "sorted({0})",
    "{0} + 1",
)


class _Place(NamedTuple):
    """A function of a file, with the text and the words of its lines."""

    file: ParsedFile
    function: FunctionNode
    text: str
    words: frozenset[str]

    def absent(self, rng: Random, count: int = 1) -> list[str]:
        """Different names that stand nowhere in it."""
        return rng.sample([name for name in _NAMES if name not in self.words], count)

    def has(self, *types: type[ast.AST]) -> bool:
        return any(isinstance(node, types) for node in ast.walk(self.function))


Fields = dict[str, str] | None


def _rename(place: _Place, rng: Random) -> Fields:
    old, new = place.absent(rng, 2)
    return {"old": old, "new": new}


def _type_hint(place: _Place, rng: Random) -> Fields:
    annotated = [a for a in parameters_of(place.function) if a.annotation is not None]
    if annotated and rng.random() < 0.5:
        arg = rng.choice(annotated)
        shown = place.file.source(arg.annotation)
        return {"name": arg.arg, "type": shown} if "\n" not in shown else None
    return {"name": place.absent(rng)[0], "type": rng.choice(_TYPES)}


def _type_hint_default(place: _Place, rng: Random) -> Fields:
    annotated = [a.arg for a in parameters_of(place.function) if a.annotation is not None]
    return {"name": rng.choice(annotated) if annotated and rng.random() < 0.5 else place.absent(rng)[0]}


def _return_hint(place: _Place, _: Random) -> Fields:
    shown = place.file.source(place.function.returns) if place.function.returns is not None else "\n"
    return None if "\n" in shown else {"type": shown}


def _existing_parameter(place: _Place, rng: Random) -> Fields:
    pairs = [(a, default_of(place.function, a)) for a in parameters_of(place.function)]
    known = [(a.arg, place.file.source(d)) for a, d in pairs if isinstance(d, ast.Constant | ast.Name)]
    if not known:
        return None
    name, value = rng.choice(known)
    return {"name": name, "value": value} if "\n" not in value else None


def _default(place: _Place, rng: Random) -> Fields:
    same = _existing_parameter(place, rng) if rng.random() < 0.5 else None
    return same or {"name": place.absent(rng)[0], "value": rng.choice(_VALUES)}


def _no_name(place: _Place, rng: Random) -> Fields:
    return {"name": place.absent(rng)[0]}


def _guard(place: _Place, rng: Random) -> Fields:
    return {"name": place.absent(rng)[0], "value": rng.choice(_VALUES)}


def _raise_guard(place: _Place, rng: Random) -> Fields:
    return {"name": place.absent(rng)[0], "error": rng.choice(("ValueError", "TypeError"))}


def _extract(place: _Place, rng: Random) -> Fields:
    what, name = place.absent(rng, 2)
    return {"value": rng.choice(_CALLS).format(what), "name": name}


def _constant(place: _Place, rng: Random) -> Fields:
    name, value = rng.choice(_CONSTANTS), rng.choice(_LITERALS)
    return None if name in place.words or value.strip("'") in place.text else {"name": name, "value": value}


def _try(place: _Place, rng: Random) -> Fields:
    target, what = place.absent(rng, 2)
    statement = f"{target} = {rng.choice(_CALLS).format(what)}"
    return {"what": statement, "error": rng.choice(_ERRORS), "action": rng.choice(_ACTIONS)}


def _remove_prints(place: _Place, _: Random) -> Fields:
    return None if any("print" in word for word in place.words) else {}


def _remove_comments(place: _Place, _: Random) -> Fields:
    return None if "#" in place.text else {}


def _fstring(place: _Place, rng: Random) -> Fields:
    formats = any(mark in place.text for mark in ("%", ".format", "+", "join"))
    return None if formats else {"style": rng.choice(("%", "str.format"))}


def _early_return(place: _Place, _: Random) -> Fields:
    return None if place.has(ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match) else {}


def _invert_if(place: _Place, _: Random) -> Fields:
    return None if place.has(ast.If, ast.IfExp) else {}


_SUBJECTS: dict[str, Callable[[_Place, Random], Fields]] = {
    "rename": _rename,
    "type_hint": _type_hint,
    "type_hint_default": _type_hint_default,
    "return_hint": _return_hint,
    "fstring": _fstring,
    "early_return": _early_return,
    "try": _try,
    "remove_prints": _remove_prints,
    "add_print": _no_name,
    "parameter": _existing_parameter,
    "remove_parameter": _no_name,
    "default": _default,
    "remove_comments": _remove_comments,
    "constant": _constant,
    "extract": _extract,
    "inline": _no_name,
    "guard": _guard,
    "raise_guard": _raise_guard,
    "invert_if": _invert_if,
}
"""Subject → the fields of an instruction that changes nothing there; None where it would, or might."""


def impossible(file: ParsedFile, rng: Random) -> Defect | None:
    """An instruction for a function in which there is nothing that it could change."""
    found = functions(file)
    for _ in range(TRIES if found else 0):
        function = rng.choice(found)
        scope = scope_of(Broken(file, ()), function)
        text = "".join(split_lines(file.text)[scope[0] - 1 : scope[1]])
        place = _Place(file, function, text, frozenset(WORD.findall(text)))
        subject = rng.choice(list(_SUBJECTS))
        fields = _SUBJECTS[subject](place, rng)
        if fields is None:
            continue
        instruction = ask(rng, subject, function=function.name, **fields)
        return Defect(file.text, file.text, EditRequest(scope=[scope], instruction=instruction))
    return None
