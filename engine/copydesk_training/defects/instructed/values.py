"""Instructions about values: another literal, one more entry, entries in order, another name called, dict.get, `+=`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from random import Random

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import (
    dotted,
    ends_line,
    fits,
    has_comment,
    heads,
    parenthesised,
    replaced,
    single,
    standard,
    statements,
)
from copydesk_training.defects.instructed.task import Task, either, tasks, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import MOST_LINES, whole_lines
from copydesk_training.defects.typos import BUILTINS

# -- literals --------------------------------------------------------------------------------------------------

Literal = tuple[FunctionNode, ast.Constant]
_NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "5",
    "10",
    "16",
    "32",
    "60",
    "100",
    "256",
    "1000",
    "1024",
    "4096",
    "0.5",
    "1.5",
    "-1",
)
_STRINGS = (
    "utf-8",
    "latin-1",
    "ascii",
    "rb",
    "wb",
    "a",
    "default",
    "unknown",
    "none",
    "strict",
    "ignore",
    "main",
    "-",
    "_",
    ",",
    ";",
)


def _literals(file: ParsedFile) -> Iterator[Literal]:
    for node in file.of(ast.Constant):
        function = file.function_of(node)
        if (
            function is None
            or not standard(function)
            or file.in_fstring(node)
            or node.lineno <= function.lineno
        ):
            continue
        statement, outer = file.statement_of(node), file.parent(node)
        if (
            statement is None
            or isinstance(outer, ast.Expr | ast.UnaryOp | ast.JoinedStr)
            or node.lineno in file.string_lines
        ):
            continue
        source = file.source(node)
        known = isinstance(node.value, bool | int | float) or re.fullmatch(
            r"""(["'])[\w.,;: /-]{1,20}\1""", source
        )
        if known and file.line_text(node.lineno).count(source) == 1 and not isinstance(outer, ast.MatchValue):
            yield function, node


def _revalued(file: ParsedFile, rng: Random, site: Literal) -> Task | None:
    function, node = site
    old = file.source(node)
    if isinstance(node.value, bool):
        new = str(not node.value)
    elif isinstance(node.value, str):
        new = f"{old[0]}{rng.choice(_STRINGS)}{old[0]}"
    else:
        doubled = str(node.value * 2) if isinstance(node.value, int | float) else "1"
        new = rng.choice((*_NUMBERS, doubled, doubled))
    if new == old:
        return None
    outer = file.parent(node)
    back = rng.random() < 0.4
    fields = {"old": new, "new": old} if back else {"old": old, "new": new}
    if isinstance(outer, ast.keyword) and outer.arg is not None:
        fields["name"] = outer.arg
    elif isinstance(outer, ast.Assign) and len(outer.targets) == 1 and (name := dotted(outer.targets[0])):
        fields["name"] = name
    word = re.compile(rf"(?<![\w.]){re.escape(fields['old'])}(?![\w.])")
    first, last = function.lineno, function.end_lineno or 0
    rivals = {k for k in range(first, last + 1) if word.search(file.line_text(k))}
    if "name" in fields:
        named = re.compile(rf"(?<!\w){re.escape(fields['name'])}\s*=(?!=)")
        rivals |= {k for k in range(first, last + 1) if named.search(file.line_text(k))}
    line = node.lineno
    if back and word.search(file.line_text(line)):
        return None
    edit = Edit(file.start(node), file.end(node), new)
    return Task("change_value", function, (line, line), [edit], fields, back, rivals - {line})


change_value = varied("literals", _literals, _revalued)

# -- entries ---------------------------------------------------------------------------------------------------


def _last_entries(file: ParsedFile) -> Iterator[Task]:
    for value in file.of(ast.List, ast.Tuple, ast.Set, ast.Dict):
        statement = file.parent(value)
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or not file.alone(statement):
            continue
        name = dotted(statement.targets[0])
        entries = _entries(file, value)
        if (
            name is None
            or len(entries) < 3
            or not parenthesised(file, value)
            or not ends_line(file, statement)
        ):
            continue
        if has_comment(file, entries[-2][0], statement.end_lineno or 0):
            continue
        (_, end), (start, last) = _span(file, value, -2), _span(file, value, -1)
        entry = file.text[start:last]
        edit = Edit(end, last, "")
        number = file.line_at(start)
        if not file.text[file.line_start(start) : start].strip():
            if not file.text.startswith(",\n", last) or "\n" in entry:
                continue
            edit = Edit(*whole_lines(file, number, number), "")
        if len(entry) > 50 or "\n" in entry:
            continue
        kind = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set", ast.Dict: "dict"}[type(value)]
        first = statement.lineno if number - statement.lineno < MOST_LINES else number - 5
        fields = {"entry": entry, "name": name, "kind": kind}
        outer = file.function_of(value)
        yield Task("add_entry", outer, (first, statement.end_lineno or number), [edit], fields, True)


def _entries(file: ParsedFile, value: ast.expr) -> list[tuple[int, int]]:
    if isinstance(value, ast.Dict):
        plain = all(k is not None for k in value.keys)
        pairs = [
            (k.lineno, v.end_lineno or 0)
            for k, v in zip(value.keys, value.values, strict=True)
            if k is not None
        ]
        return pairs if plain else []
    assert isinstance(value, ast.List | ast.Tuple | ast.Set)
    tuples = any(isinstance(e, ast.Tuple) and not file.source(e).startswith("(") for e in value.elts)
    return [] if tuples else [(e.lineno, e.end_lineno or 0) for e in value.elts]


def _span(file: ParsedFile, value: ast.expr, k: int) -> tuple[int, int]:
    if isinstance(value, ast.Dict):
        key = value.keys[k]
        assert key is not None
        return file.start(key), file.end(value.values[k])
    assert isinstance(value, ast.List | ast.Tuple | ast.Set)
    return file.start(value.elts[k]), file.end(value.elts[k])


def _last_arguments(file: ParsedFile) -> Iterator[Task]:
    for call in file.of(ast.Call):
        function, callee = file.function_of(call), dotted(call.func)
        keyword = call.keywords[-1] if call.keywords else None
        if (
            function is None
            or callee is None
            or keyword is None
            or keyword.arg is None
            or file.in_fstring(call)
        ):
            continue
        rest = [*call.args, *call.keywords[:-1]]
        argument = file.source(keyword)
        if (
            not rest
            or len(argument) > 50
            or file.text[file.end(call) - 1 - len(argument) : file.end(call) - 1] != argument
        ):
            continue
        before = max(rest, key=file.end)
        if file.text[file.end(before) : file.start(keyword)] != ", ":
            continue
        edit = Edit(file.end(before), file.end(keyword), "")
        same = [n.lineno for n in ast.walk(function) if isinstance(n, ast.Call) and dotted(n.func) == callee]
        rivals = frozenset(same) - {call.lineno}
        if same.count(call.lineno) == 1:
            lines = call.lineno, call.end_lineno or call.lineno
            fields = {"argument": argument, "callee": callee, "name": keyword.arg}
            yield Task("add_argument", function, lines, [edit], fields, True, rivals)


add_entry = either(tasks("last_entries", _last_entries), tasks("last_arguments", _last_arguments))

# -- order -----------------------------------------------------------------------------------------------------


def _sortable(file: ParsedFile) -> Iterator[tuple[ast.Assign, str, list[ast.Constant]]]:
    for value in file.of(ast.List, ast.Tuple, ast.Set):
        statement = file.parent(value)
        if (
            not isinstance(statement, ast.Assign)
            or len(statement.targets) != 1
            or not 3 <= len(value.elts) <= 12
        ):
            continue
        name, first, last = dotted(statement.targets[0]), statement.lineno, statement.end_lineno or 0
        words = [
            e for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str) and single(e)
        ]
        texts = [str(e.value) for e in words]
        plain = len(words) == len(value.elts) and len({file.source(e)[0] for e in words}) == 1
        agreed = sorted(texts) == sorted(texts, key=str.casefold) and len(set(texts)) == len(texts)
        if name is not None and plain and agreed and not has_comment(file, first, last) and last - first < 20:
            if not any(re.search(r"(.)\1{2}", file.source(e)[:3]) for e in words):
                yield statement, name, words


def _sorted(file: ParsedFile, rng: Random, site: tuple[ast.Assign, str, list[ast.Constant]]) -> Task | None:
    statement, name, words = site
    texts = [file.source(e) for e in words]
    ordered = sorted(texts, key=lambda t: t[1:-1])
    back = ordered == texts
    new = rng.sample(texts, len(texts)) if back else ordered
    edits = [Edit(file.start(e), file.end(e), text) for e, text in zip(words, new, strict=True)]
    lines = statement.lineno, statement.end_lineno or statement.lineno
    rivals = frozenset(s.lineno for s, _, _ in file.cached("sortable", lambda: _sortable(file))) - {
        statement.lineno
    }
    return Task("sort_entries", file.function_of(statement), lines, edits, {"name": name}, back, rivals)


sort_entries = varied("sortable", _sortable, _sorted)

# -- other names -----------------------------------------------------------------------------------------------

_SWAPS = {
    "append": ("add", "appendleft", "extend"), "get": ("pop", "setdefault"), "strip": ("lstrip", "rstrip"), "rstrip": ("strip",),
    "lstrip": ("strip",), "lower": ("casefold", "upper"), "find": ("index", "rfind"), "rfind": ("find", "rindex"),
    "split": ("rsplit", "partition"), "startswith": ("endswith",), "keys": ("values", "items"), "remove": ("discard", "unlink"),
    "time": ("monotonic", "perf_counter"), "warn": ("warning",), "readline": ("read",), "read": ("readline", "readlines"),
    "info": ("debug", "warning"), "debug": ("info",), "error": ("exception", "warning"), "match": ("fullmatch", "search"),
    "search": ("match", "fullmatch"), "sorted": ("list", "reversed"), "list": ("tuple", "set", "sorted"), "max": ("min",),
    "min": ("max",), "copy": ("deepcopy",), "update": ("setdefault",), "write": ("send", "writelines"), "any": ("all",),
    "str": ("repr", "ascii"), "repr": ("str",), "int": ("float", "round"), "tuple": ("list",), "set": ("frozenset",),
}  # fmt: skip


def _callees(file: ParsedFile) -> Iterator[tuple[FunctionNode, str]]:
    for function in file.functions:
        if standard(function) and (function.end_lineno or 0) - function.lineno < MOST_LINES:
            names = {dotted(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)} - {None}
            for name in sorted(str(n) for n in names):
                yield function, name


def _replaced_call(file: ParsedFile, rng: Random, site: tuple[FunctionNode, str]) -> Task | None:
    """Every use of one function in a function, by another one of the same owner, or of the file."""
    function, old = site
    owner, _, last = old.rpartition(".")
    candidates = list(_SWAPS.get(last, ()))
    if not owner and old not in BUILTINS:
        candidates += [n.name for n in file.tree.body if isinstance(n, FunctionNode)]
    if owner == "self":
        outer = file.parent(function)
        candidates += [
            n.name for n in getattr(outer, "body", ()) if isinstance(n, FunctionNode) and "__" not in n.name
        ]
    candidates = [c for c in candidates if c != last and c != function.name]
    if not candidates:
        return None
    new = f"{owner}.{rng.choice(candidates)}" if owner else rng.choice(candidates)
    places = [n for n in ast.walk(function) if dotted(n) == old and isinstance(n, ast.Name | ast.Attribute)]
    source = file.source(function)
    words = len(re.findall(rf"(?<![\w.]){re.escape(old)}(?!\w)", source))
    if (
        re.search(rf"(?<![\w.]){re.escape(new)}(?!\w)", source)
        or words != len(places)
        or not all(map(single, places))
    ):
        return None
    edits = [Edit(file.start(n), file.end(n), new) for n in places]
    lines = min(n.lineno for n in places), max(n.lineno for n in places)
    back = rng.random() < 0.35
    fields = {"old": new, "new": old} if back else {"old": old, "new": new}
    return Task("replace_name", function, lines, edits, fields, back)


replace_name = varied("callees", _callees, _replaced_call)

# -- attributes ------------------------------------------------------------------------------------------------

_ATTRIBUTES = (
    "items", "entries", "_cache", "_buffer", "state", "_state", "options", "config", "_data", "handler", "queue", "_lock",
    "source", "target", "_value", "current", "_parent", "children", "_name", "_path", "stream", "_stream", "depth", "_index",
)  # fmt: skip


def _attributes(file: ParsedFile) -> Iterator[tuple[FunctionNode, str]]:
    for function in file.functions:
        if standard(function) and (function.end_lineno or 0) - function.lineno < MOST_LINES:
            names = {
                n.attr
                for n in ast.walk(function)
                if isinstance(n, ast.Attribute)
                and dotted(n.value) == "self"
                and not isinstance(file.parent(n), ast.Call)
            }
            for name in sorted(names):
                yield function, name


def _renamed(file: ParsedFile, rng: Random, site: tuple[FunctionNode, str]) -> Task | None:
    function, name = site
    new = rng.choice(_ATTRIBUTES)
    source = file.source(function)
    places = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and dotted(n) == f"self.{name}"]
    written = len(re.findall(rf"(?<!\w)self\.{name}(?!\w)", source))
    if re.search(rf"(?<!\w)\.{new}(?!\w)", source) or new == name or written != len(places):
        return None
    edits = [Edit(file.end(n) - len(name), file.end(n), new) for n in places]
    lines = min(n.end_lineno or 0 for n in places), max(n.end_lineno or 0 for n in places)
    back = rng.random() < 0.5
    fields = {"old": new, "new": name} if back else {"old": name, "new": new}
    return Task("rename_attribute", function, lines, edits, fields, back)


rename_attribute = varied("attributes", _attributes, _renamed)

# -- dict.get --------------------------------------------------------------------------------------------------


def _gets(file: ParsedFile) -> Iterator[Task]:
    for function, node in statements(file, ast.Assign):
        call = node.value
        if (
            not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Attribute)
            or call.func.attr != "get"
        ):
            continue
        owner = dotted(call.func.value)
        key = call.args[0] if call.args else None
        plain = single(node) and not has_comment(file, node.lineno, node.lineno) and not call.keywords
        if (
            owner is None
            or key is None
            or not plain
            or not 1 <= len(call.args) <= 2
            or len(node.targets) != 1
        ):
            continue
        if not isinstance(key, ast.Constant | ast.Name | ast.Attribute) or isinstance(
            getattr(key, "value", ""), bool
        ):
            continue
        default = file.source(call.args[1]) if len(call.args) == 2 else "None"
        if file.source(call) != f"{owner}.get({', '.join(file.source(a) for a in call.args)})":
            continue
        if len(call.args) == 2 and default == "None":
            continue  # nobody says whether it should be spelt out
        target, shown, indent = file.source(node.targets[0]), file.source(key), file.indent(node)
        read = f"{owner}[{shown}]"
        loose = len(call.args) == 2 and isinstance(call.args[1], ast.IfExp | ast.Lambda | ast.Starred)
        forms = [
            [
                f"{indent}if {shown} in {owner}:",
                f"{indent}    {target} = {read}",
                f"{indent}else:",
                f"{indent}    {target} = {default}",
            ]
        ]
        if not loose:
            forms.append([f"{indent}{target} = {read} if {shown} in {owner} else {default}"])
        rivals = heads(function, lambda n: isinstance(n, ast.If | ast.IfExp))
        lines = node.lineno, node.lineno
        # The value that nothing is found for is said only where the call says it.
        fields = {"owner": owner, "key": shown} | ({"default": default} if len(call.args) == 2 else {})
        subject = "dict_get" if len(call.args) == 2 else "dict_get_none"
        for new in forms:
            if fits(*new) and not isinstance(node.targets[0], ast.Tuple):
                yield Task(
                    subject,
                    function,
                    lines,
                    [replaced(file, *lines, new)],
                    fields,
                    True,
                    rivals - {node.lineno},
                )


dict_get = tasks("dict_get", _gets)

# -- augmented assignment --------------------------------------------------------------------------------------

_SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.BitOr: "|", ast.BitAnd: "&",
}  # fmt: skip


def _augmentations(file: ParsedFile) -> Iterator[Task]:
    for function, node in statements(file, ast.AugAssign, ast.Assign):
        if not single(node) or has_comment(file, node.lineno, node.lineno):
            continue
        tight = ast.Name | ast.Attribute | ast.Constant | ast.Call | ast.Subscript | ast.JoinedStr
        if isinstance(node, ast.AugAssign):
            sign = _SIGNS.get(type(node.op))
            if sign is None or not isinstance(node.value, tight):
                continue
            target, value, back = file.source(node.target), file.source(node.value), True
            new = f"{target} = {target} {sign} {value}"
        else:
            value_of = node.value
            sign = _SIGNS.get(type(value_of.op)) if isinstance(value_of, ast.BinOp) else None
            target = file.source(node.targets[0])
            if sign is None or len(node.targets) != 1 or file.source(value_of.left) != target:
                continue
            value, back = file.source(value_of.right), False
            new = f"{target} {sign}= {value}"
            if file.source(node) != f"{target} = {target} {sign} {value}":
                continue
        edit = Edit(file.start(node), file.end(node), new)
        rivals = heads(function, lambda n: isinstance(n, ast.Assign) and isinstance(n.value, ast.BinOp), node)
        lines = node.lineno, node.lineno
        yield Task("augmented", function, lines, [edit], {"name": target, "sign": sign}, back, rivals)


augmented_assignment = tasks("augmented", _augmentations)
