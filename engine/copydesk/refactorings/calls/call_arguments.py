"""The arguments of a call: one more, one fewer, another value, in another order, by name or by position."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import function_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at, insert_lines, replace_nodes
from copydesk.refactorings.expressions import (
    LITERALS,
    NAMES,
    callee,
    children_of,
    is_mentioned,
    mentioned,
    replace_expression,
)  # fmt: skip
from copydesk.refactorings.parameters import list_parameters
from copydesk.refactorings.spoken import literals_like, spoken_values
from copydesk.refactorings.values.entries import add_entry, drop_entry
from copydesk.syntax.splice import Splice, end_of, spliced, start_of
from copydesk.syntax.tree import text_of

_USUAL = {
    "sorted": ("reverse=True", "key=str.lower", "key=len"),
    "sort": ("reverse=True", "key=str.lower", "key=len"),
    "open": ("encoding='utf-8'", "newline=''", "errors='replace'", "'rb'", "'w'", "'a'"),
    "read_text": ("encoding='utf-8'",),
    "write_text": ("encoding='utf-8'",),
    "decode": ("'utf-8'", "errors='replace'", "errors='ignore'", "'ascii'", "'latin-1'"),
    "encode": ("'utf-8'", "errors='replace'", "errors='ignore'", "'ascii'"),
    "mkdir": ("parents=True", "exist_ok=True", "parents=True, exist_ok=True"),
    "makedirs": ("exist_ok=True",),
    "unlink": ("missing_ok=True",),
    "rmtree": ("ignore_errors=True",),
    "zip": ("strict=True",),
    "split": ("maxsplit=1", "'.'", "','"),
    "rsplit": ("maxsplit=1",),
    "splitlines": ("keepends=True", "True"),
    "warn": ("stacklevel=2", "DeprecationWarning", "DeprecationWarning, stacklevel=2", "UserWarning"),
    "dumps": ("sort_keys=True", "indent=2", "indent=4", "ensure_ascii=False", "default=str"),
    "dump": ("sort_keys=True", "indent=2", "indent=4", "ensure_ascii=False", "default=str"),
    "run": ("check=True", "capture_output=True", "text=True"),
    "print": ("flush=True", "end=''", "file=sys.stderr", "sep=''"),
    "debug": ("exc_info=True", "stacklevel=2"),
    "info": ("exc_info=True",),
    "warning": ("exc_info=True",),
    "error": ("exc_info=True",),
    "gather": ("return_exceptions=True",),
    "enumerate": ("1", "start=1"),
    "compile": ("re.IGNORECASE", "re.MULTILINE", "re.DOTALL", "re.VERBOSE"),
    "match": ("re.IGNORECASE", "flags=re.IGNORECASE", "re.DOTALL"),
    "search": ("re.IGNORECASE", "flags=re.IGNORECASE", "re.MULTILINE"),
    "fullmatch": ("re.IGNORECASE",),
    "findall": ("re.IGNORECASE", "re.MULTILINE"),
    "sub": ("count=1", "flags=re.IGNORECASE"),
    "replace": ("1",),
    "max": ("default=0", "default=None"),
    "min": ("default=0", "default=None"),
    "get": ("None", "0", "''", "[]", "{}", "False", "True", "()"),
    "pop": ("None", "0", "-1"),
    "getattr": ("None", "False", "''"),
    "setdefault": ("[]", "{}", "0", "set()"),
    "sum": ("0", "0.0", "start=0"),
    "round": ("2", "1", "3"),
    "int": ("16", "8", "2", "10", "0"),
    "Thread": ("daemon=True",),
    "field": ("repr=False", "compare=False", "default=None", "init=False"),
    "dataclass": ("frozen=True", "slots=True", "frozen=True, slots=True", "kw_only=True"),
    "lru_cache": ("maxsize=None",),
    "wait": ("timeout=None",),
    "join": ("timeout=None",),
}
"""Arguments that are given to a function beside what it needs, by its name."""
_ONCE = {
    ("replace", "1"): ", only the first one, once",
    ("sub", "count=1"): ", only the first one, once",
    ("split", "maxsplit=1"): ", only once, at the first",
    ("rsplit", "maxsplit=1"): ", only once, at the last",
}
"""What a limit of one means."""
_CODECS = ("encode", "decode")
"""Methods whose first argument says what a second one would say again."""
_BARE = frozenset(
    {"plain", "bare", "without", "no", "nothing", "drop", "simply", "shouldn", "argument", "arguments"}
)
"""Words of an instruction that wants fewer arguments."""
_OF_ARGUMENTS = frozenset(
    {"argument", "arguments", "args", "keyword", "keywords", "name", "names", "pass", "passed"}
)
"""Words about arguments, where these are listed."""
_FULL = frozenset({
    "startswith", "endswith", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "append", "add", "extend", "len",
    "repr", "bool", "callable",
})  # fmt: skip
"""Methods and functions that no second argument goes with, or hardly ever."""
_GROUP = {"ignorecase": "case insensitive", "multiline": "line lines", "dotall": "newlines dot"}


def _add(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    pairs = _spoken_pairs(arguments)
    values = [value for value in (*spoken_values(arguments), *arguments.values) if context.knows(value)]
    for node in mentioned(context.starting("call"), arguments):
        given, called = node.child_by_field_name("arguments"), callee(node)
        if given is None or given.type != "argument_list":
            continue
        has = [text_of(n) for n in children_of(given)]
        last = called.rpartition(".")[2]
        named = [n for n in children_of(given) if n.type == "keyword_argument"]
        keys = {text_of(n).partition("=")[0] for n in named}
        usual = () if last in _CODECS and len(has) > 1 else _USUAL.get(last, ())
        for entry in dict.fromkeys([*pairs, *usual]):
            placed = last in _CODECS and "=" not in entry and bool(has)
            if entry.partition("=")[0] not in keys and entry not in has and not placed:
                yield f"Pass {entry} to {called}{_said(entry, last)}", append_argument(context, given, entry)
        for entry in _passed_on(node):
            if entry not in has:
                yield f"Pass {entry} on to {called}", append_argument(context, given, entry)
        if last in _FULL and has:
            continue
        texts = [text_of(n) for n in children_of(given) if n.type == "string"]
        for value in literals_like(texts[0], arguments, 4) if texts and is_mentioned(node, arguments) else ():
            if value not in has:
                yield (
                    f"Pass {value} to {called} as the last argument, too",
                    append_argument(context, given, value),
                )
                yield (
                    f"Pass {value} to {called} as the first argument, too",
                    insert_at(context.lines, start_of(children_of(given)[0]), f"{value}, "),
                )
        for entry in pairs if named else ():
            if entry.partition("=")[0] not in keys:
                title = f"Pass {entry} to {called}, before {text_of(named[0])}"
                yield title, insert_at(context.lines, start_of(named[0]), f"{entry}, ")
        if not is_mentioned(node, arguments) and len(values) > 2:
            continue
        for value in dict.fromkeys(values[:8]):
            if value not in has:
                yield f"Pass {value} to {called} as the last argument", append_argument(context, given, value)
                if has and not has[0].startswith("*"):
                    yield (
                        f"Pass {value} to {called} as the first argument",
                        insert_at(context.lines, start_of(children_of(given)[0]), f"{value}, "),
                    )
                if value.isidentifier():
                    yield (
                        f"Pass {value} to {called} by keyword",
                        append_argument(context, given, f"{value}={value}"),
                    )


def _passed_on(call: Node) -> list[str]:
    """All other arguments of the function that a call is in, as they can be handed on."""
    function = function_of(call)
    return [
        text_of(parameter).partition(":")[0]
        for parameter in (list_parameters(function) if function is not None else ())
        if parameter.type in ("list_splat_pattern", "dictionary_splat_pattern")
        or (parameter.type == "typed_parameter" and text_of(parameter).startswith("*"))
    ]


def _said(entry: str, called: str) -> str:
    if (called, entry) in _ONCE:
        return _ONCE[called, entry]
    return next((f", {words}" for flag, words in _GROUP.items() if flag in entry.lower()), "")


def append_argument(context: RefactoringContext, given: Node, entry: str) -> Edits | None:
    """One more argument behind the last one of a call."""
    entries = children_of(given)
    if entries and entries[-1].type == "dictionary_splat" and "=" in entry:
        return insert_at(context.lines, start_of(entries[-1]), f"{entry}, ")
    named = next((e for e in entries if e.type == "keyword_argument"), None)
    if named is not None and named != entries[0] and "=" not in entry and not entry.startswith("*"):
        if context.starts_line(named):
            return insert_lines(named.start_point[0] + 1, [f"{context.indent(named)}{entry},\n"])
        return insert_at(context.lines, start_of(named), f"{entry}, ")
    if entries:
        return add_entry(given, entry, context)
    row, column = end_of(given)
    return insert_at(context.lines, (row, column - 1), entry)


def _spoken_pairs(arguments: Arguments) -> list[str]:
    """Keyword arguments as they are spelt, and as a name with a value beside it: `stacklevel 2`, `a timeout of 5`."""
    found = list(arguments.assignments)
    value = r"(\d[\w.]*|True|False|None|'[^']*'|\"[^\"]*\"|[\w.]+\(\)|[a-z]+\.[a-z]\w+)"
    for name, said in re.findall(
        rf"`?\b([a-z]\w+)`?,?(?: (?:of|is|to|as|be|set to|should be|at))? {value}(?!\w)",
        arguments.instruction,
    ):
        found.append(f"{name}={said}")
    for said, name in re.findall(rf"{value} (?:as|for) (?:the )?`?([a-z]\w+)", arguments.instruction):
        found.append(f"{name}={said}")
    for name in arguments.names:
        if "_" in name:
            found.append(f"{name}=True")
    return [pair for pair in dict.fromkeys(found) if pair.partition("=")[0].isidentifier()]


def _change(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    values = [
        value
        for value in (*spoken_values(arguments), *arguments.dotted, *arguments.values)
        if context.knows(value)
    ][:12]
    assigned = dict(pair.split("=", 1) for pair in _spoken_pairs(arguments))
    for node in mentioned(context.walk("call"), arguments):
        given, called = node.child_by_field_name("arguments"), callee(node)
        if given is None or given.type != "argument_list":
            continue
        entries, last = children_of(given), called.rpartition(".")[2]
        free = [name for name in arguments.names[:6] if name not in context.variables()]
        keys = {text_of(key) for e in entries if (key := e.child_by_field_name("name")) is not None}
        for k, entry in enumerate(entries):
            text = text_of(entry)
            if len(entries) > 1 or is_mentioned(entry, arguments) or arguments.words & _BARE:
                bare = f", without argument: {last}()" if len(entries) == 1 else ""
                yield f"Drop {text} from the call of {called}{bare}", drop_entry(context, given, k)
            name, value = entry.child_by_field_name("name"), entry.child_by_field_name("value")
            if entry.type == "keyword_argument" and name is not None and value is not None:
                news = [assigned[text_of(name)]] if text_of(name) in assigned else []
                news += literals_like(text_of(value), arguments, 4) if value.type in LITERALS else []
                news += {"True": ["False"], "False": ["True"]}.get(text_of(value), [])
                for new in dict.fromkeys([*news, *values]):
                    if new != text_of(value):
                        title = f"Pass {text_of(name)}={new} to {called}, not {text_of(value)}"
                        yield title, replace_expression(context, value, new)
                for other, new in assigned.items():
                    if other not in keys and arguments.mentions(text_of(name)):
                        title = f"Pass {other}={new} to {called} instead of {text_of(name)}"
                        yield title, replace_expression(context, entry, f"{other}={new}")
                for other in free if arguments.mentions(text_of(name)) else ():
                    if other not in keys and other not in assigned:
                        title = f"Pass {text_of(value)} to {called} as {other}= instead of {text_of(name)}="
                        yield title, replace_expression(context, name, other)
                yield (
                    f"Pass {text_of(value)} to {called} by position, without keyword",
                    replace_expression(context, entry, text_of(value)),
                )
                continue
            if entry.type in ("list_splat", "dictionary_splat"):
                continue
            for new in values:
                if new != text and not new.startswith(f"{called}("):
                    yield f"Pass {new} to {called}, not {text}", replace_expression(context, entry, new)
            own = [text.rpartition(".")[2].lstrip("_")] if entry.type in NAMES else []
            if all(e.type == "keyword_argument" for e in entries[k + 1 :]):
                for name in dict.fromkeys([*own, *(free if text != callee(node) else ())]):
                    title = f"Pass {text} to {called} by keyword, {name}="
                    yield (
                        title,
                        replace_expression(context, entry, f"{name}={text}") if name.isidentifier() else None,
                    )
        yield from _reordered(context, called, entries)
        yield from _named_in_order(context, arguments, called, entries)


def _named_in_order(
    context: RefactoringContext, arguments: Arguments, called: str, entries: list[Node]
) -> Iterator[Proposal]:
    """The names that an instruction lists, for as many of the last arguments, or of the last literals among them."""
    order = [
        name
        for name in dict.fromkeys(re.findall(r"[^\W\d]\w*", arguments.instruction))
        if name in arguments.names and name not in _OF_ARGUMENTS and name not in re.split(r"\W+", called)
    ]
    plain = [e for e in entries if e.type not in ("keyword_argument", "list_splat", "dictionary_splat")]
    listed = [name for name in order if "_" in name or name not in context.variables()]
    for given in (plain, [e for e in plain if e.type in LITERALS]):
        for count in range(2, min(len(given), len(listed), 5) + 1):
            for start in range(len(listed) - count + 1):
                names = listed[start : start + count]
                splices = [
                    Splice(start_of(e), start_of(e), f"{name}=")
                    for e, name in zip(given[-count:], names, strict=True)
                ]
                yield f"Pass by keyword to {called}: {', '.join(names)}", spliced(context.lines, splices)


def _reordered(context: RefactoringContext, called: str, entries: list[Node]) -> Iterator[Proposal]:
    plain = [e for e in entries if e.type not in ("keyword_argument", "list_splat", "dictionary_splat")]
    for k in range(len(plain) - 1) if len(plain) < 7 else ():
        one, two = plain[k], plain[k + 1]
        title = f"Swap the arguments of {called}: {text_of(two)} before {text_of(one)}, the order"
        yield title, replace_nodes(context.lines, [(one, text_of(two)), (two, text_of(one))])
    splices = [
        Splice(start_of(e), start_of(e), f"{text_of(e).rpartition('.')[2].lstrip('_')}=")
        for e in plain if e.type in NAMES
    ]  # fmt: skip
    for k in range(len(splices)) if len(splices) == len(plain) else ():
        rest = (
            f"all arguments of {called}"
            if k == 0
            else f"the arguments of {called} from {text_of(plain[k])} on"
        )
        yield f"Pass {rest} by keyword", spliced(context.lines, splices[k:])
    named = [
        (e, v)
        for e in entries
        if e.type == "keyword_argument" and (v := e.child_by_field_name("value")) is not None
    ]
    if len(named) > 1:
        title = f"Pass the arguments of {called} by position, without keywords"
        yield title, replace_nodes(context.lines, [(e, text_of(v)) for e, v in named])
    names = [text_of(e.child_by_field_name("name") or e) for e, _ in named]
    if len(named) > 1 and len(set(names)) == len(names) and len(named) == len(entries) - len(plain):
        ordered = sorted(named, key=lambda pair: text_of(pair[0]))
        if ordered != named:
            yield (
                f"Sort the keyword arguments of {called}",
                replace_nodes(
                    context.lines,
                    [(old, text_of(new)) for (old, _), (new, _) in zip(named, ordered, strict=True)],
                ),
            )


PASS_ARGUMENT = Refactoring("pass_argument", "refactor.rewrite.passArgument", _add, everywhere=True)
CHANGE_ARGUMENT = Refactoring("change_argument", "refactor.rewrite.changeArgument", _change, everywhere=True)
