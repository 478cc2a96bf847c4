"""Another function or method called with the same arguments; another name in place of one."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from importlib import import_module
from inspect import isfunction

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.direction import is_reversed
from copydesk.refactorings.edits import replace_node, replace_nodes
from copydesk.refactorings.expressions import (
    callee,
    is_mentioned,
    loads,
    mentioned,
    method_of,
    positional,
    replace_expression,
)
from copydesk.refactorings.spoken import named_in, spoken_values
from copydesk.syntax.tree import text_of

_RENAMED = {
    "xrange": "range", "unicode": "str", "basestring": "str", "raw_input": "input", "long": "int", "unichr": "chr", "izip": "zip",
    "imap": "map", "ifilter": "filter", "iteritems": "items", "itervalues": "values", "iterkeys": "keys", "viewitems": "items",
    "assertEquals": "assertEqual", "assertItemsEqual": "assertCountEqual", "warn": "warning", "getargspec": "getfullargspec",
    "IOError": "OSError", "EnvironmentError": "OSError", "StandardError": "Exception", "utcnow": "now", "clock": "perf_counter",
    "abspath": "realpath", "mktemp": "mkstemp", "get_event_loop": "get_running_loop",
}  # fmt: skip
"""Names that Python has given up, or nearly, by what has come in their place."""
_SIBLINGS = (
    "debug info warning error exception critical", "strip lstrip rstrip removeprefix removesuffix", "lower upper casefold title",
    "startswith endswith", "append extend insert add update appendleft extendleft", "find index rfind rindex",
    "split rsplit splitlines partition rpartition", "items keys values", "min max sum", "any all",
    "sorted reversed list tuple set",
    "list tuple set frozenset dict", "str repr ascii", "int float round", "match fullmatch search findall finditer", "sub subn",
    "get pop setdefault", "remove discard pop", "isfile exists isdir lexists", "is_file exists is_dir", "mkdir makedirs",
    "read readline readlines", "write writelines", "put put_nowait", "acquire release", "union intersection difference update",
    "isdigit isdecimal isnumeric isalpha isalnum", "ljust rjust center zfill", "dump dumps", "load loads", "copy deepcopy",
    "floor ceil trunc", "perf_counter monotonic time", "isinstance issubclass", "getattr hasattr", "join abspath realpath",
    "read_text read_bytes open", "write_text write_bytes", "resolve absolute expanduser", "iterdir glob rglob",
    "run check_output check_call call Popen", "wait communicate", "popitem popleft pop", "encode decode", "hex oct bin",
    "digest hexdigest",
)  # fmt: skip
"""Functions and methods that are taken for one another."""
_ASKING = {
    "rstrip": "end trailing right", "lstrip": "start leading beginning left", "removesuffix": "end suffix", "update": "all",
    "removeprefix": "start prefix", "endswith": "end ends", "startswith": "start starts begin", "min": "smallest least",
    "max": "largest biggest", "casefold": "case", "extend": "all", "discard": "missing", "setdefault": "missing",
}  # fmt: skip
"""Words that ask for one of them."""
_QUANTIFIERS = {"all": ("every", "each", "both"), "any": ("one", "enough", "some", "least", "either")}
"""Words that ask for one of the two and say how many."""
_ONCE = frozenset({"once", "first", "last", "only", "one", "right", "left", "maxsplit", "1", "limit"})
_WITHOUT_TEXT = frozenset({
    "capitalize", "casefold", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
    "isprintable", "isspace", "istitle", "isupper", "lower", "splitlines", "swapcase", "title", "upper",
})  # fmt: skip
"""Methods of texts that take no other text: what the old method took is not theirs."""
_OF_KEYS = frozenset({"get", "pop", "setdefault"})
"""Methods that need a key."""
_MODULES = frozenset({
    "re", "os", "json", "math", "itertools", "functools", "operator", "warnings", "logging", "subprocess", "shutil", "random",
    "time", "datetime", "collections", "copy", "string", "struct", "inspect", "contextlib", "textwrap", "sys",
})  # fmt: skip
"""Modules whose names are known without a look at the code."""
_KNOWN = (str, bytes, list, dict, set, frozenset, tuple, int, float, re.Pattern)


def _names_error(name: str, arguments: Arguments) -> bool:
    return name in arguments.exceptions or name.endswith(("Error", "Exception", "Warning"))


def _calls(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    news = [name for name in arguments.names if _is_callable(name, context, arguments)]
    called: dict[str, list[Node]] = {}
    # Of a call that goes on below the selection the name alone can change.
    calls = [*context.walk("call"), *(node for node in context.starting("call") if not context.has(node))]
    for call in mentioned(calls, arguments):
        target = call.child_by_field_name("function")
        method = method_of(call)
        name = method[1] if method is not None else target
        if target is None or name is None or name.type != "identifier":
            continue
        old = text_of(name)
        called.setdefault(text_of(target), []).append(name)
        for new in _others(old, news, arguments):
            misfit = _names_error(new, arguments) and not _is_error(target)
            if misfit or (method is not None and _is_unrelated(old, new, arguments)):
                continue
            known = method is not None or context.knows(new) or _is_called(new, arguments)
            if method is not None and not _may_have(context, method[0], new):
                continue
            if new != old and known and not is_reversed(old, new, arguments.instruction):
                if not (method is not None and not _takes_as_many(old, new, call)):
                    yield (
                        f"Call {new} instead of {old}: {text_of(target)}{_asked(new, arguments)}",
                        replace_node(context.lines, name, new),
                    )
                if new not in _OF_KEYS and not (method is None and hasattr(builtins, old)):
                    yield from _with_fewer_arguments(context, call, new)
        if method is not None or "." in text_of(target):
            told = text_of(target)
            for new in (*arguments.dotted, *news):
                if (
                    told != new
                    and not (_names_error(new, arguments) and not _is_error(target))
                    and not ("." not in new and _is_unrelated(old, new, arguments))
                    and not _prints(told, new)
                    and not is_reversed(told, new, arguments.instruction)
                    and (method is None or _takes_as_many(old, new.rpartition(".")[2], call))
                ):
                    yield f"Call {new} instead of {told}", replace_node(context.lines, target, new)
        else:
            for new in arguments.dotted:
                if _may_be_called(target, new):
                    yield f"Call {new} instead of {old}", replace_node(context.lines, target, new)
        given = call.child_by_field_name("arguments")
        for snippet in arguments.code if given is not None else ():
            found = re.fullmatch(r"(?:([\w.]*)\.)?([a-z_]\w*)\((.*)\)", snippet)
            if found is None or (method is not None and found[1] and found[1] != text_of(method[0])):
                continue
            if method is not None and not _may_have(context, method[0], found[2]):
                continue
            if method is not None:
                made = f"{text_of(method[0])}.{found[2]}({found[3]})"
                yield f"Call {snippet} instead of {old}: {made}", replace_expression(context, call, made)
            elif context.knows(snippet) and snippet != "super()":  # which is another refactoring
                yield f"Call {snippet} instead of {old}", replace_expression(context, call, snippet)
        if (
            method is not None
            and old in ("split", "rsplit")
            and given is not None
            and arguments.words & _ONCE
        ):
            inner = text_of(given)[1:-1]
            for new in ("split", "rsplit") if "," not in inner else ():
                for more in ("1", "maxsplit=1"):
                    sep = inner or ("None" if more == "1" else "")
                    made = f"{text_of(method[0])}.{new}({sep}{', ' if sep else ''}{more})"
                    yield (
                        f"Call {new} with {more}, once, only the first or last: {made}",
                        replace_expression(context, call, made),
                    )
    imported = _imported(context)
    for spelt, places in called.items():
        old = text_of(places[0])
        if spelt in imported:
            continue  # where the import is in sight, it takes part
        for new in _others(old, news, arguments) if len(places) > 1 else ():
            if new != old:
                title = f"Call {new} instead of {spelt} in all calls"
                yield title, replace_nodes(context.lines, [(n, new) for n in places])


def _imported(context: RefactoringContext) -> frozenset[str]:
    """The names that a selected `from` imports."""
    found = context.walk("import_from_statement")
    return frozenset(text_of(name) for node in found for name in node.children_by_field_name("name"))


def _is_unrelated(old: str, new: str, arguments: Arguments) -> bool:
    """Whether both are methods of known kinds, and not of the same, where the instruction does not name the old one."""
    lines = [set(line.split()) for line in _SIBLINGS]
    known = all(any(name in line for line in lines) for name in (old, new))
    return known and old not in arguments.words and not any({old, new} <= line for line in lines)


def _is_called(name: str, arguments: Arguments) -> bool:
    """Whether an instruction writes it as a function, and not as a method of something."""
    return re.search(rf"(?<![\w.]){re.escape(name)}\(", arguments.instruction) is not None


def _may_have(context: RefactoringContext, owner: Node, name: str) -> bool:
    """Whether a module of Python's own, if that is the owner, has something of this name."""
    module = text_of(owner)
    if owner.type != "identifier" or module not in _MODULES:
        return True
    imported = any(re.match(rf"\s*import (?:[\w.]+, )*{module}\b", line) for line in context.lines)
    return not imported or hasattr(import_module(module), name)


def _is_module_function(name: str) -> bool:
    """Whether it is a function of one of Python's own modules: `re.search`."""
    module, dot, last = name.partition(".")
    return bool(dot) and module in _MODULES and isfunction(getattr(import_module(module), last, None))


def _is_function(node: Node) -> bool:
    """Whether a name is called, or given to a call, as a function may be."""
    parent = node.parent
    if parent is None or parent.type in ("argument_list", "keyword_argument"):
        return True
    return parent.type == "call" and parent.child_by_field_name("function") == node


def _takes_as_many(old: str, new: str, call: Node) -> bool:
    """Whether a method means with the same arguments what is meant: `pop` has no default by itself, as `get` has."""
    given = positional(call)
    if (old, new) == ("dict", "fromkeys") or (given and new in _WITHOUT_TEXT):
        return False
    if new in ("partition", "rpartition") and (given is None or len(given) != 1 or _is_unpacked(call)):
        return False  # they take one text and give three
    return not ((old, new) == ("get", "pop") and given and len(given) == 1)


def _is_unpacked(call: Node) -> bool:
    left = call.parent.child_by_field_name("left") if call.parent is not None else None
    return left is not None and left.type == "pattern_list"


def _may_be_called(node: Node, new: str) -> bool:
    """Whether a name may stand for another one, with the arguments that the old one is called with, if it is."""
    call = node.parent
    if call is None or call.type != "call" or call.child_by_field_name("function") != node:
        return True
    of_types = any(hasattr(kind, new) for kind in _KNOWN) and not hasattr(builtins, new)
    if of_types and "." in text_of(node):
        return False  # a method stands behind what has it
    return _takes_as_many(text_of(node).rpartition(".")[2], new.rpartition(".")[2], call)


def _with_fewer_arguments(context: RefactoringContext, call: Node, new: str) -> Iterator[Proposal]:
    """A function or method that needs no argument, or only the first one."""
    given, target = positional(call), callee(call)
    if new in ("partition", "rpartition") and _is_unpacked(call):
        return
    owner = target.rpartition(".")[0]
    made = f"{owner}.{new}" if owner else new
    for kept in [[], given[:1]][: len(given)] if given else ():
        text = f"{made}({', '.join(map(text_of, kept))})"
        yield f"Call {new} instead of {target}: {text}", replace_expression(context, call, text)


def _prints(old: str, new: str) -> bool:
    """Whether a stream's `write` would be called `print`, which writes elsewhere."""
    return new == "print" and old.endswith(".write")


def _asked(name: str, arguments: Arguments) -> str:
    """The words of an instruction that ask for a function."""
    said = [word for word in _QUANTIFIERS.get(name, ()) if word in arguments.words]
    return f", {' '.join(said)}" if said else ""


def _others(old: str, news: list[str], arguments: Arguments) -> Iterator[str]:
    if old in _RENAMED:
        yield _RENAMED[old]
    yield from news
    for line in _SIBLINGS:
        names = line.split()
        if old in names:
            yield from (
                name
                for name in names
                if name not in news
                and (len(names) < 4 or arguments.words & {name, *_ASKING.get(name, "").split()})
            )


def _is_callable(name: str, context: RefactoringContext, arguments: Arguments) -> bool:
    if hasattr(builtins, name) or any(hasattr(kind, name) for kind in _KNOWN) or "_" in name.strip("_"):
        return True
    spelt = (
        any(f"{sign}{name}" in arguments.instruction for sign in '.`"') or f"{name}(" in arguments.instruction
    )
    return spelt or context.knows(name) or any(name in line.split() for line in _SIBLINGS)


def _names(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    news = [
        n
        for n in (*arguments.dotted, *arguments.names)
        if context.knows(n, type=True) or n in context.names()
    ]
    news = list(dict.fromkeys([*news, *named_in(arguments, sorted(context.names()))]))
    places: dict[str, list[Node]] = {}
    errors = arguments.exceptions
    for node in mentioned(loads(context), arguments):
        old = text_of(node)
        misfits = errors if not _is_error(node) else ()
        places.setdefault(old, []).append(node)
        for new in news[:8] if is_mentioned(node, arguments) else news[:3]:
            if new in misfits:
                continue
            if (
                new != old
                and not _prints(old, new)
                and not is_reversed(old, new, arguments.instruction)
                and _may_be_called(node, new)
                and (_is_function(node) or not _is_module_function(new))
            ):
                said = ", another exception type, raise this error" if new in errors else ""
                yield f"Use {new} instead of {old}{said}", replace_node(context.lines, node, new)
        owner, dot, last = old.rpartition(".")
        for new in arguments.names[:6] if dot and last.isupper() else ():
            if new.isupper() and new != last:
                yield (
                    f"Use {owner}.{new} instead of {old}",
                    replace_node(context.lines, node, f"{owner}.{new}"),
                )
        if old in _RENAMED:
            yield (
                f"Use {_RENAMED[old]} instead of {old}, which is Python 2",
                replace_node(context.lines, node, _RENAMED[old]),
            )
    code = [one for one in arguments.code if not one.isidentifier() and context.knows(one)]
    literals = list(dict.fromkeys([*spoken_values(arguments)[:4], *code[:4]]))
    for old, loaded in places.items():
        nodes = sorted([*loaded, *_inside(context, old)], key=lambda one: one.start_byte)
        for new in literals if arguments.mentions(old) else ():
            if is_reversed(old, new, arguments.instruction):
                continue
            one_line = len({one.start_point[0] for one in nodes}) == 1
            for one in nodes if len(nodes) == 1 or not one_line else ():
                yield f"Use {new} instead of {old}", replace_expression(context, one, new)
            if len(nodes) > 1:
                yield (
                    f"Use {new} instead of {old} everywhere",
                    replace_nodes(context.lines, [(n, new) for n in nodes]),
                )
        for new in news[:8] if len(nodes) > 1 else ():
            if new in errors and not any(map(_is_error, nodes)):
                continue
            if new != old and not is_reversed(old, new, arguments.instruction):
                yield (
                    f"Use {new} instead of {old} everywhere",
                    replace_nodes(context.lines, [(n, new) for n in nodes]),
                )


def _is_error(node: Node) -> bool:
    """Whether a name is that of an exception type, or stands where one would be raised or caught."""
    name = text_of(node).rpartition(".")[2]
    kind = getattr(builtins, name, None)
    if name.endswith(("Error", "Exception", "Warning")) or (
        isinstance(kind, type) and issubclass(kind, BaseException)
    ):
        return True
    above = node.parent
    while above is not None and above.type in ("call", "tuple", "argument_list", "as_pattern"):
        above = above.parent
    return above is not None and above.type in ("raise_statement", "except_clause")


def _inside(context: RefactoringContext, dotted: str) -> Iterator[Node]:
    """Where a dotted name is the beginning of a longer one."""
    for node in context.walk("attribute"):
        if node.parent is not None and node.parent.type == "attribute" and text_of(node) == dotted:
            yield node


CALL_ANOTHER = Refactoring("call_another", "refactor.rewrite.callAnother", _calls, everywhere=True)
USE_NAME = Refactoring("use_name", "refactor.rewrite.useName", _names)
