"""Instructions that need an import besides: contextlib.suppress, operator, collections, pathlib in place of os.path."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random

from copydesk.request import Range
from copydesk.syntax.import_block import import_block
from copydesk.text.document import split_lines
from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import (
    dotted,
    follows,
    headed,
    heads,
    lines_of,
    replaced,
    rewritable,
    single,
    statements,
)
from copydesk_training.defects.instructed.task import Task, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile

Use = tuple[FunctionNode, Range, Edit, str, str, str, str]
"""The function, the lines, the edit, then the module, the name out of it, the new text and the old one."""


def imported(file: ParsedFile, module: str, name: str) -> tuple[str, list[Edit], Range | None] | None:
    """How `name` of `module` is spelt in a file, the edit that imports it where needed, and the lines of the import block.

    None where the file imports other names of that module, or has no imports to put another one behind.
    """
    top = [n for n in file.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    for node in top:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom) and (node.module, alias.name, alias.asname) == (
                module,
                name,
                None,
            ):
                return name, [], None
            if isinstance(node, ast.Import) and (alias.name, alias.asname) == (module, None):
                return f"{module}.{name}", [], None
    if any(isinstance(n, ast.ImportFrom) and n.module == module for n in top) or name in file.words:
        return None
    block = import_block(split_lines(file.text), "python")
    lines = [n.end_lineno or 0 for n in top if block is not None and block[0] <= n.lineno <= block[1]]
    if block is None or not lines or max(lines) != block[1] or block[1] - block[0] > 40:
        return None
    at = file.starts[block[1]] if block[1] < len(file.starts) else 0
    return name, [Edit(at, at, f"from {module} import {name}\n")], block


# -- use what a module has -------------------------------------------------------------------------------------

_EMPTY = {
    "{}": (("collections", "OrderedDict", "{}()"), ("collections", "defaultdict", "{}(list)"),
           ("collections", "Counter", "{}()")),
    "[]": (("collections", "deque", "{}()"),),
}  # fmt: skip


def _uses(file: ParsedFile) -> Iterator[Use]:
    for function, node in statements(file, ast.Assign):
        for module, name, form in _EMPTY.get(file.source(node.value), ()):
            if single(node):
                edit = Edit(file.start(node.value), file.end(node.value), form)
                yield function, (node.lineno, node.lineno), edit, module, name, form, file.source(node.value)
    for call in file.of(ast.Lambda):
        function_of = file.function_of(call)
        found = _getter(file, call)
        if function_of is not None and found is not None and not file.in_fstring(call) and single(call):
            edit = Edit(file.start(call), file.end(call), found[1])
            lines = call.lineno, call.lineno
            yield function_of, lines, edit, "operator", found[0], found[1], file.source(call)
    for function, node in statements(file, ast.Try):
        handler = node.handlers[0] if len(node.handlers) == 1 else None
        plain = handler is not None and not node.orelse and not node.finalbody and handler.type is not None
        if not plain or handler is None or handler.name or [type(s) for s in handler.body] != [ast.Pass]:
            continue
        last = node.body[-1].end_lineno
        if (
            not headed(file, node)
            or not follows(node.body[-1], handler)
            or not rewritable(file, node.lineno, node.end_lineno)
        ):
            continue
        errors = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        said = ", ".join(file.source(e) for e in errors)
        new = [
            f"{file.indent(node)}with {{}}({said}):",
            *(s.replace("{", "{{").replace("}", "}}") for s in lines_of(file, node.lineno + 1, last)),
        ]
        if not isinstance(node.body[0], ast.Import | ast.ImportFrom | ast.Return) and "\n" not in said:
            edit = replaced(file, node.lineno, node.end_lineno, new)
            yield (
                function,
                (node.lineno, node.end_lineno),
                edit,
                "contextlib",
                "suppress",
                f"{{}}({said})",
                "try/except/pass",
            )


def _getter(file: ParsedFile, node: ast.Lambda) -> tuple[str, str] | None:
    arguments = node.args
    if (
        len(arguments.args) != 1
        or arguments.defaults
        or arguments.vararg
        or arguments.kwarg
        or arguments.kwonlyargs
    ):
        return None
    body, name = node.body, arguments.args[0].arg
    if (
        isinstance(body, ast.Subscript)
        and isinstance(body.slice, ast.Constant)
        and file.source(body.value) == name
    ):
        return "itemgetter", f"{{}}({file.source(body.slice)})"
    if isinstance(body, ast.Attribute) and file.source(body.value) == name:
        return "attrgetter", f'{{}}("{body.attr}")'
    return None


def _used(file: ParsedFile, _: Random, use: Use) -> Task | None:
    function, lines, edit, module, name, form, old = use
    spelt = imported(file, module, name)
    if spelt is None:
        return None
    edits = [edit._replace(new=edit.new.format(spelt[0])), *spelt[1]]
    if spelt[2] is not None and spelt[2][1] >= lines[0]:
        return None
    rivals = frozenset(
        other[1][0] for other in file.cached("uses", lambda: _uses(file)) if other[6] == old
    ) - {lines[0]}
    fields = {"new": form.format(spelt[0]), "old": old, "module": module, "name": f"{module}.{name}"}
    if not spelt[1]:
        fields["known"] = spelt[0]
    return Task("import_use", function, lines, edits, fields, False, rivals, spelt[2])


import_use = varied("uses", _uses, _used)

# -- pathlib ---------------------------------------------------------------------------------------------------

_METHODS = {
    "os.path.exists": ".exists()", "os.path.isfile": ".is_file()", "os.path.isdir": ".is_dir()",
    "os.path.islink": ".is_symlink()",
    "os.path.basename": ".name", "os.path.getsize": ".stat().st_size", "os.path.getmtime": ".stat().st_mtime",
    "os.remove": ".unlink()", "os.unlink": ".unlink()", "os.mkdir": ".mkdir()", "os.rmdir": ".rmdir()", "os.stat": ".stat()",
    "os.lstat": ".lstat()", "os.path.expanduser": ".expanduser()", "os.path.isabs": ".is_absolute()",
    "os.readlink": ".readlink()",
    "os.path.join": "", "os.path.dirname": ".parent", "open": ".open",
}  # fmt: skip
Call = tuple[FunctionNode, ast.Call]


def _path_calls(file: ParsedFile) -> Iterator[Call]:
    for call in file.of(ast.Call):
        function, name = file.function_of(call), dotted(call.func)
        plain = name in _METHODS and single(call) and not file.in_fstring(call)
        if (
            function is None
            or not plain
            or not call.args
            or any(isinstance(a, ast.Starred) for a in call.args)
        ):
            continue
        within = any(isinstance(a, ast.Call) and dotted(a.func) in _METHODS for a in file.ancestors(call))
        if (
            (not call.keywords or name == "open")
            and not within
            and isinstance(call.args[0], ast.Name | ast.Attribute | ast.Call)
        ):
            yield function, call


def _as_path(file: ParsedFile, call: ast.Call, path: str) -> str | None:
    """A call of `os`, `os.path` or `open` as pathlib has it."""
    name = dotted(call.func) or ""
    arguments = [file.source(a) for a in call.args]
    inner = call.args[0]
    base = f"{path}({arguments[0]})"
    if isinstance(inner, ast.Call) and dotted(inner.func) == "os.path.join" and name != "os.path.join":
        joined = _as_path(file, inner, path)
        base = f"({joined})" if joined is not None else ""
    if name == "os.path.join":
        tight = all(
            isinstance(a, ast.Name | ast.Attribute | ast.Constant | ast.Call | ast.Subscript | ast.JoinedStr)
            for a in call.args
        )
        return (
            " / ".join([base, *arguments[1:]]) if tight and len(arguments) > 1 and not call.keywords else None
        )
    if name == "open":
        rest = [*arguments[1:], *(file.source(k) for k in call.keywords)]
        return f"{base}.open({', '.join(rest)})" if base else None
    return base + _METHODS[name] if base and len(arguments) == 1 else None


def _pathed(file: ParsedFile, _: Random, site: Call) -> Task | None:
    function, call = site
    spelt = imported(file, "pathlib", "Path")
    lines = call.lineno, call.lineno
    if spelt is None or (spelt[2] is not None and spelt[2][1] >= lines[0]):
        return None
    new = _as_path(file, call, spelt[0])
    tight = (
        isinstance(file.parent(call), ast.stmt | ast.keyword | ast.withitem)
        or dotted(call.func) != "os.path.join"
    )
    if new is None or not (tight or isinstance(file.parent(call), ast.Call)):
        return None
    others = file.cached("path calls", lambda: _path_calls(file))
    rivals = frozenset(c.lineno for f, c in others if f is function) - {call.lineno}
    if sum(c.lineno == call.lineno for _, c in others) > 1:
        return None
    edits = [Edit(file.start(call), file.end(call), new), *spelt[1]]
    fields = {"old": dotted(call.func) or "", "what": file.source(call)}
    rivals |= heads(
        function, lambda n: isinstance(n, ast.Call) and (dotted(n.func) or "").startswith(("os.", "shutil."))
    ) - {call.lineno}
    return Task("pathlib", function, lines, edits, fields, False, rivals, spelt[2])


pathlib = varied("path calls", _path_calls, _pathed)
