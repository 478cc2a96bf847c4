"""Instructions about a function's head: keyword-only parameters, one parameter less, all type hints, decorators, async."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from random import Random

from copydesk.request import Range
from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import dotted, ends_line, standard
from copydesk_training.defects.instructed.task import Task, either, tasks, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import MOST_LINES, body_start, documented, parameters_of, whole_lines
from copydesk_training.defects.typos import BUILTINS


def _head(function: FunctionNode) -> Range:
    """The lines of the head, without decorators."""
    return function.lineno, function.body[0].lineno - 1


# -- keyword-only ----------------------------------------------------------------------------------------------


def _star(file: ParsedFile, function: FunctionNode, arg: ast.arg, subject: str) -> Task:
    at = file.start(arg)
    head = file.text[file.line_start(at) : at]
    new = "*, " if head.strip() else "*,\n" + head
    return Task(
        subject, function, _head(function), [Edit(at, at, new)], {"name": arg.arg, "function": function.name}
    )


def _keyword_only(file: ParsedFile) -> Iterator[Task]:
    for function in file.functions:
        arguments = function.args
        special = function.name.startswith("__") and function.name != "__init__"
        if not standard(function) or special or arguments.vararg or arguments.posonlyargs:
            continue
        plain = parameters_of(function)
        if not arguments.kwonlyargs:
            if plain and "#" not in file.text[file.start(function) : file.start(function.body[0])]:
                yield _star(file, function, plain[-1], "keyword_only")
                if len(plain) > 1:
                    yield _star(file, function, plain[0], "keyword_only_all")
            continue
        first = arguments.kwonlyargs[0]
        lead = re.search(r"\*,\s+$", file.text[: file.start(first)])
        if lead is None or ("\n" in lead.group() and not lead.group().startswith("*,\n")):
            continue
        defaults = (*arguments.defaults, *arguments.kw_defaults)
        if any(one is not None and other is None for one, other in itertools.pairwise(defaults)):
            continue  # without the star a parameter with a default would stand before one that has none
        subject = "keyword_only" if len(arguments.kwonlyargs) == 1 else "keyword_only_all"
        if plain and subject == "keyword_only_all":
            continue
        edit = Edit(lead.start(), file.start(first), "")
        fields = {"name": first.arg, "function": function.name}
        yield Task(subject, function, _head(function), [edit], fields, True)


keyword_only = tasks("keyword_only", _keyword_only)

# -- one parameter less ----------------------------------------------------------------------------------------

_EXTRA = (
    ("timeout", "None"), ("encoding", "None"), ("strict", "False"), ("context", "None"), ("logger", "None"),
    ("retries", "3"), ("default", "None"), ("recursive", "True"), ("prefix", "''"), ("limit", "None"),
    ("callback", "None"), ("force", "False"), ("options", "None"), ("depth", "0"), ("cache", "None"),
)  # fmt: skip
_FLAGS = ("verbose", "debug", "trace", "dry_run", "quiet", "show_progress", "noisy", "log_calls")


def _with_calls(file: ParsedFile) -> Iterator[FunctionNode]:
    for function in file.functions:
        short = (function.end_lineno or 0) - function.lineno < MOST_LINES
        if standard(function) and short and function.args.args and not function.args.vararg:
            yield function


def _dropped(file: ParsedFile, rng: Random, function: FunctionNode) -> Task | None:
    """A function with a parameter too many, which it passes on or asks about; the file's own has none."""
    source = file.source(function)
    arguments = function.args
    at = file.end(arguments.defaults[-1] if arguments.defaults else arguments.args[-1])
    if file.text[at : at + 1] not in (",", ")"):
        return None
    flag = rng.random() < 0.4
    name, value = (rng.choice(_FLAGS), "False") if flag else rng.choice(_EXTRA)
    if re.search(rf"\b{name}\b", source):
        return None
    edits = [Edit(at, at, f", {name}={value}")]
    fields = {"name": name, "function": function.name}
    if flag:
        place = body_start(file, function)
        if place is None:
            return None
        indent, start = place
        words = function.name.strip("_").replace("_", " ")
        shown = rng.choice((f'"{words}"', f'"in {words}"', f'"{words} called"'))
        edits.append(Edit(start, start, f"{indent}if {name}:\n{indent}    print({shown})\n"))
    else:
        calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and _takes_more(file, function, n)]
        if not calls:
            return None
        call = rng.choice(calls)
        edits.append(Edit(file.end(call) - 1, file.end(call) - 1, f", {name}={name}"))
        fields["callee"] = dotted(call.func) or ""
    last = function.end_lineno or function.lineno
    return Task("drop_parameter", function, (function.lineno, last), edits, fields, True)


def _takes_more(file: ParsedFile, function: FunctionNode, call: ast.Call) -> bool:
    inside = file.function_of(call) is function and call.lineno >= function.body[0].lineno
    plain = bool(call.args) and not any(isinstance(a, ast.GeneratorExp | ast.Starred) for a in call.args)
    named = all(k.arg is not None for k in call.keywords) and dotted(call.func) is not None
    tail = file.text[file.end(call) - 2]
    one = call.lineno == call.end_lineno and tail not in ", \n" and not file.in_fstring(call)
    builtin = isinstance(call.func, ast.Name) and call.func.id in BUILTINS
    return inside and plain and named and one and not builtin


drop_parameter = varied("drop_parameter", _with_calls, _dropped)

# -- all type hints --------------------------------------------------------------------------------------------


def _typed(file: ParsedFile) -> Iterator[Task]:
    for function in file.functions:
        arguments = function.args
        every = [
            *arguments.posonlyargs,
            *arguments.args,
            arguments.vararg,
            *arguments.kwonlyargs,
            arguments.kwarg,
        ]
        named = [
            a for k, a in enumerate(every) if a is not None and not (k == 0 and a.arg in ("self", "cls"))
        ]
        if not standard(function) or not named or any(a.annotation is None for a in named) or len(named) > 6:
            continue
        edits, hints = [], []
        defaults = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
        for arg in named:
            assert arg.annotation is not None
            hints.append(f"{arg.arg}: {file.source(arg.annotation)}")
            end, new = file.end(arg.annotation), ""
            behind = next((d for d in defaults if file.text[end : file.start(d)] == " = "), None)
            if behind is not None:
                end, new = file.start(behind), "="
            edits.append(Edit(file.start(arg) + len(arg.arg), end, new))
        if function.returns is not None:
            head = file.text.rfind(")", 0, file.start(function.returns))
            edits.append(Edit(head + 1, file.end(function.returns), ""))
        said = ", ".join(hints)
        if function.returns is not None:
            said += f" -> {file.source(function.returns)}"
        if (
            len(edits) >= 2
            and "\n" not in said
            and not any("\n" in file.text[e.start : e.end] for e in edits)
        ):
            yield Task(
                "full_type_hints",
                function,
                _head(function),
                edits,
                {"hints": said, "function": function.name},
                True,
            )


full_type_hints = tasks("full_type_hints", _typed)

# -- decorators ------------------------------------------------------------------------------------------------


def _decorators(file: ParsedFile, adding: bool) -> Iterator[Task]:
    for node in [*file.functions, *file.of(ast.ClassDef)]:
        for k, decorator in enumerate(node.decorator_list):
            source = file.source(decorator)
            alone = file.line_text(decorator.lineno).strip() == f"@{source}"
            if not alone or decorator.lineno + 1 > node.lineno or (adding and k > 0):
                continue
            edit = Edit(*whole_lines(file, decorator.lineno, decorator.lineno), "")
            fields = {
                "decorator": source,
                "name": node.name,
                "bare": source.partition("(")[0].rpartition(".")[2],
            }
            if adding:
                yield Task(
                    "add_decorator", node, (decorator.lineno, node.body[0].lineno - 1), [edit], fields, True
                )
            elif len(node.decorator_list) == 1:
                yield Task("remove_decorator", node, (decorator.lineno, node.lineno), [edit], fields)


add_decorator = tasks("add_decorator", lambda file: _decorators(file, True))
remove_decorator = tasks("remove_decorator", lambda file: _decorators(file, False))

# -- async -----------------------------------------------------------------------------------------------------


def _asynchronous(file: ParsedFile) -> Iterator[Task]:
    """Coroutines that await a few calls, with the plain functions they might have been."""
    for function in file.of(ast.AsyncFunctionDef):
        nodes = list(ast.walk(function))
        loops = ast.AsyncFor | ast.AsyncWith | ast.AsyncFunctionDef | ast.comprehension
        awaits = [n for n in nodes if isinstance(n, ast.Await)]
        if (
            not standard(function)
            or any(isinstance(n, loops) for n in nodes[1:])
            or not 1 <= len(awaits) <= 3
        ):
            continue
        callees = [dotted(n.value.func) if isinstance(n.value, ast.Call) else None for n in awaits]
        calls = [dotted(n.func) for n in nodes if isinstance(n, ast.Call)]
        once = all(c is not None and calls.count(c) == callees.count(c) for c in callees)
        spelt = all(file.text[file.start(n) : file.start(n.value)] == "await " for n in awaits)
        wrapped = any(isinstance(file.parent(n), ast.Attribute | ast.Subscript | ast.Call) for n in awaits)
        long = (function.end_lineno or 0) - function.lineno >= MOST_LINES
        if (
            long
            or not once
            or not spelt
            or wrapped
            or not file.text.startswith("async def", file.start(function))
        ):
            continue
        start = file.start(function)
        edits = [Edit(start, start + len("async "), "")]
        edits += [Edit(file.start(n), file.start(n.value), "") for n in awaits]
        said = " and ".join(dict.fromkeys(c for c in callees if c is not None))
        lines = function.lineno, function.end_lineno or function.lineno
        yield Task("make_async", function, lines, edits, {"calls": said, "name": function.name}, True)


make_async = tasks("make_async", _asynchronous)

# -- guards ----------------------------------------------------------------------------------------------------

_STATES = {
    "empty": "not {0}", "None": "{0} is None", "negative": "{0} < 0", "zero": "{0} == 0",
    "not a string": "not isinstance({0}, str)", "not callable": "not callable({0})",
}  # fmt: skip
_ANSWERS = ("return", "return None", "return False", "return []", "return 0", "return ''", "return {}")


def _bodies(file: ParsedFile) -> Iterator[FunctionNode]:
    return (f for f in file.functions if standard(f) and parameters_of(f) and body_start(file, f) is not None)


def _guarded(file: ParsedFile, rng: Random, function: FunctionNode) -> Task | None:
    place = body_start(file, function)
    name = rng.choice(parameters_of(function)).arg
    if place is None or re.search(rf"if (not )?{name}\b", file.source(function)):
        return None
    indent, at = place
    body = function.body[1 if documented(function) else 0]
    lines = function.lineno, body.lineno
    if rng.random() < 0.35:
        new = f"{indent}if not {name}:\n{indent}    return\n"
        return Task("bail_out", function, lines, [Edit(at, at, new)], {"name": name})
    state = rng.choice(("empty", "empty", *_STATES))
    action = rng.choice(_ANSWERS)
    if rng.random() < 0.4:
        error = rng.choice(("ValueError", "ValueError", "TypeError"))
        quality = f"not be {state}" if not state.startswith("not") else f"be {state[4:]}"
        action = f'raise {error}("{name} must {quality}")'
    test = _STATES[state].format(name)
    new = f"{indent}if {test}:\n{indent}    {action}\n"
    fields = {"name": name, "state": state, "action": action}
    return Task("guard_state", function, lines, [Edit(at, at, new)], fields)


bail_out = varied("bail_out", _bodies, _guarded)

# -- fields ----------------------------------------------------------------------------------------------------

_FIELDS = (
    ("created_at", "float", "0.0"), ("enabled", "bool", "True"), ("comment", "str", '""'), ("retries", "int", "3"),
    ("parent", "str | None", "None"), ("count", "int", "0"), ("verbose", "bool", "False"), ("label", "str", '""'),
    ("priority", "int", "0"), ("timeout", "float | None", "None"), ("owner", "str | None", "None"),
)  # fmt: skip
Fields = tuple[ast.ClassDef, list[ast.AnnAssign]]


def _records(file: ParsedFile) -> Iterator[Fields]:
    """Dataclasses and the like, with the fields at their top."""
    for node in file.of(ast.ClassDef):
        words = {dotted(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}
        words |= {dotted(b) for b in node.bases}
        last = [str(w).rpartition(".")[2] for w in words]
        if not {"dataclass", "NamedTuple"} & set(last):
            continue
        found = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
        plain = found and all(
            n.lineno == n.end_lineno and file.alone(n) and ends_line(file, n) for n in found
        )
        first = node.body.index(found[0]) if found else 0
        if plain and node.body[first : first + len(found)] == found:
            yield node, found


def _last_field(file: ParsedFile) -> Iterator[Task]:
    for node, found in _records(file):
        if len(found) < 2:
            continue
        last = found[-1]
        fields = {"field": file.source(last), "name": file.source(last.target), "class": node.name}
        edit = Edit(*whole_lines(file, last.lineno, last.lineno), "")
        fields["after"] = file.source(found[-2].target)
        lines = found[0].lineno, last.lineno
        yield Task("dataclass_field", node, lines, [edit], fields, True)


def _new_field(file: ParsedFile, rng: Random, site: Fields) -> Task | None:
    node, found = site
    name, kind, value = rng.choice(_FIELDS)
    if re.search(rf"\b{name}\b", file.source(node)):
        return None
    last = found[-1]
    _, at = whole_lines(file, last.lineno, last.lineno)
    field = f"{name}: {kind} = {value}"
    fields = {"field": field, "name": name, "class": node.name, "after": file.source(last.target)}
    new = f"{file.indent(last)}{field}\n"
    return Task("dataclass_field", node, (found[0].lineno, last.lineno), [Edit(at, at, new)], fields)


dataclass_field = either(tasks("last_field", _last_field), varied("new_field", _records, _new_field))
