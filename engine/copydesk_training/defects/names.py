"""Names that are not what they should be: misspelt, without `self.`, mixed up, or left over from a rename."""

from __future__ import annotations

import ast
import re
from random import Random

from copydesk.request import Diagnostic
from copydesk_training.defects.broken import Broken, Defect, Edit
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.typos import BUILTINS, typo
from copydesk_training.defects.vague import vague

TRIES = 12

_LEFTOVERS = [
    "result", "value", "item", "entry", "total", "current", "node", "index", "name", "path", "data", "obj",
    "count", "text", "key", "target", "res", "val", "elem", "info", "content", "response", "config",
    "options", "args", "params", "ctx", "buf", "line", "lines", "out", "ret", "tmp", "idx", "num", "size",
    "fn", "func", "cls", "other",
]  # fmt: skip


def undefined_name(file: ParsedFile, rng: Random) -> Defect | None:
    """A use of a name, misspelt. The right name stands elsewhere in the file, or is a builtin."""
    uses = file.cached("undefined_name", lambda: _uses(file))
    for _ in range(min(TRIES, len(uses))):
        node = rng.choice(uses)
        if len(file.names_loaded[node.id]) < 2 and node.id not in BUILTINS and _count(file, node.id) < 2:
            continue
        bad = typo(rng, node.id, file.words)
        if bad is not None:
            return _replaced(file, rng, node, bad, "undefined-name", {"name": bad, "good": node.id})
    return None


def attribute_typo(file: ParsedFile, rng: Random) -> Defect | None:
    """An attribute, misspelt; the right one is used elsewhere in the file too."""
    nodes = file.cached("attribute_typo", lambda: _attributes(file))
    for _ in range(min(TRIES, len(nodes))):
        node = rng.choice(nodes)
        bad = typo(rng, node.attr, file.words)
        if bad is None or (_count(file, node.attr) < 2 and rng.random() < 0.7):
            continue
        end = file.end(node)
        broken = Broken(file, [Edit(end - len(node.attr), end, bad)])
        owner = file.source(node.value)
        module = isinstance(node.value, ast.Name) and node.value.id in _modules(file)
        subject = "unknown-module-attribute" if module else "unknown-attribute"
        shown = owner if module else _class_name(file, node, rng)
        fields: dict[str, object] = {"name": bad, "good": node.attr, "owner": shown}
        return broken.defect(broken.diagnostic(rng, subject, *broken.span(), fields))
    return None


def missing_self(file: ParsedFile, rng: Random) -> Defect | None:
    """`self.x` without its `self.`."""
    nodes = file.cached("missing_self", lambda: _self_uses(file))
    for _ in range(min(TRIES, len(nodes))):
        node = rng.choice(nodes)
        if node.attr in BUILTINS or node.attr in file.names_loaded or node.attr in _stored(file):
            continue
        broken = Broken(file, [Edit(file.start(node), file.end(node), node.attr)])
        return broken.defect(undefined(broken, rng, "missing-self", *broken.span(), {"name": node.attr}))
    return None


def self_parameter(file: ParsedFile, rng: Random) -> Defect | None:
    """A method without its parameter `self`."""
    methods = file.cached("self_parameter", lambda: _methods(file))
    if not methods:
        return None
    owner, method = rng.choice(methods)
    first = method.args.args[0]
    start, end = file.start(first), file.end(first)
    rest = re.match(r"\s*,\s*", file.text[end : end + 80])
    broken = Broken(file, [Edit(start, end + (rest.end() if rest else 0), "")])
    count = len(method.args.args)
    at = file.text.index(method.name, file.start(method) + 3)  # behind "def"
    params = method.args.args[1:]
    if params:
        place = (file.start(params[0]), file.start(params[0]) + len(params[0].arg))
    else:
        place = (at, at + len(method.name))
    fields: dict[str, object] = {
        "method": method.name,
        "owner": owner.name,
        "count": count,
        "fewer": count - 1,
    }
    subject = "self-parameter" if params else "self-parameter-only"
    return broken.defect(
        broken.diagnostic(rng, subject, broken.offset(place[0]), broken.offset(place[1]), fields)
    )


def missing_await(file: ParsedFile, rng: Random) -> Defect | None:
    """An awaited call that is not."""
    nodes = file.cached("missing_await", lambda: [n for n in file.of(ast.Await) if not file.in_fstring(n)])
    if not nodes:
        return None
    node = rng.choice(nodes)
    start, end = file.start(node), file.end(node)
    inner = file.start(node.value)
    if not re.fullmatch(r"await +", file.text[start:inner]):
        return None
    broken = Broken(file, [Edit(start, inner, "")])
    callee = file.source(node.value.func) if isinstance(node.value, ast.Call) else file.source(node.value)
    fields: dict[str, object] = {"callee": callee.rpartition(".")[2]}
    return broken.defect(
        broken.diagnostic(rng, "missing-await", broken.offset(start), broken.offset(end), fields)
    )


def variable_misuse(file: ParsedFile, rng: Random) -> Defect | None:
    """Another local variable in the place of the right one."""
    found = swapped_variable(file, rng)
    if found is None:
        return None
    broken, good = found
    return vague(broken, rng, *broken.span(), "misuse", {"name": good})


def swapped_variable(file: ParsedFile, rng: Random) -> tuple[Broken, str] | None:
    """A use of one local variable made a use of another, and the right name."""
    functions = file.cached("variable_misuse", lambda: _small_functions(file, 3, 60))
    for _ in range(min(TRIES, len(functions))):
        function = rng.choice(functions)
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        local = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        local |= {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
        local -= {"self", "cls", "_"}
        loads = [n for n in names if isinstance(n.ctx, ast.Load) and n.id in local and _exact(file, n)]
        if len(local) < 2 or not loads:
            continue
        node = rng.choice(loads)
        other = rng.choice(sorted(local - {node.id}))
        return Broken(file, [Edit(file.start(node), file.end(node), other)]), node.id
    return None


def rename_leftover(file: ParsedFile, rng: Random) -> Defect | None:
    """One use of a local variable still has another name than its assignment."""
    functions = file.cached("rename_leftover", lambda: _small_functions(file, 2, 80))
    for _ in range(min(TRIES, len(functions))):
        function = rng.choice(functions)
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        stored = sorted({n.id for n in names if isinstance(n.ctx, ast.Store)} - {"_"})
        stored += [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
        if not stored:
            continue
        good = rng.choice(stored)
        loads = [n for n in names if n.id == good and isinstance(n.ctx, ast.Load) and _exact(file, n)]
        bad = _old_name(rng, good)
        if not loads or bad == good or bad in file.words or bad in BUILTINS:
            continue
        return _replaced(file, rng, rng.choice(loads), bad, "undefined-name", {"name": bad})
    return None


def _old_name(rng: Random, good: str) -> str:
    """What the variable may have been called before."""
    parts = good.strip("_").split("_")
    match rng.randrange(5):
        case 0 if len(parts) > 1:
            return rng.choice(parts)
        case 1:
            return rng.choice(("old_", "new_", "my_", "the_", "cur_", "all_")) + good.strip("_")
        case 2:
            return good + ("es" if good.endswith("s") else "s")
        case 3 if good.endswith("s") and len(good) > 3:
            return good[:-1]
        case _:
            return rng.choice(_LEFTOVERS)


def _replaced(
    file: ParsedFile, rng: Random, node: ast.Name, bad: str, subject: str, fields: dict[str, object]
) -> Defect:
    broken = Broken(file, [Edit(file.start(node), file.end(node), bad)])
    return broken.defect(undefined(broken, rng, subject, *broken.span(), fields))


def undefined(
    broken: Broken, rng: Random, subject: str, start: int, end: int, fields: dict[str, object]
) -> Diagnostic:
    """A diagnostic about an undefined name, as tools word it in a file with or without an `import *`."""
    star = broken.file.star
    if star is not None:
        return broken.diagnostic(rng, "undefined-starred", start, end, {**fields, "star": star})
    return broken.diagnostic(rng, subject, start, end, fields)


def _exact(file: ParsedFile, node: ast.Name) -> bool:
    """Whether the node is where it says."""
    return not file.in_fstring(node) or file.source(node) == node.id


def _uses(file: ParsedFile) -> list[ast.Name]:
    return [
        n for n in file.of(ast.Name) if isinstance(n.ctx, ast.Load) and len(n.id) >= 3 and _exact(file, n)
    ]


def _attributes(file: ParsedFile) -> list[ast.Attribute]:
    return [
        n
        for n in file.of(ast.Attribute)
        if len(n.attr) >= 4
        and (not file.in_fstring(n) or file.text[file.end(n) - len(n.attr) : file.end(n)] == n.attr)
        and not n.attr.startswith("__")
    ]


def _self_uses(file: ParsedFile) -> list[ast.Attribute]:
    return [
        n
        for n in file.of(ast.Attribute)
        if isinstance(n.value, ast.Name)
        and n.value.id == "self"
        and isinstance(n.ctx, ast.Load)
        and file.source(n) == f"self.{n.attr}"
    ]


def _methods(file: ParsedFile) -> list[tuple[ast.ClassDef, FunctionNode]]:
    return [
        (owner, m)
        for owner in file.of(ast.ClassDef)
        for m in owner.body
        if isinstance(m, FunctionNode)
        and m.args.args
        and not m.args.posonlyargs
        and m.args.args[0].arg == "self"
        and m.args.args[0].annotation is None
        and not any(
            isinstance(d, ast.Name) and d.id in ("staticmethod", "overload") for d in m.decorator_list
        )
    ]


def _small_functions(file: ParsedFile, least: int, most: int) -> list[FunctionNode]:
    return [f for f in file.functions if least <= (f.end_lineno or f.lineno) - f.lineno <= most]


def _modules(file: ParsedFile) -> set[str]:
    names = file.cached("modules", lambda: [a.asname or a.name for n in file.of(ast.Import) for a in n.names])
    return set(names)


def _stored(file: ParsedFile) -> frozenset[str]:
    """Names bound anywhere in the file, parameters and definitions too."""
    found = file.cached("stored", lambda: _bound(file))
    return frozenset(found)


def _bound(file: ParsedFile) -> list[str]:
    names = [n.id for n in file.of(ast.Name) if isinstance(n.ctx, ast.Store)]
    names += [a.arg for a in file.of(ast.arg)]
    names += [n.name for n in (*file.functions, *file.of(ast.ClassDef)) if file.parent(n) is file.tree]
    return names + [(a.asname or a.name).partition(".")[0] for a in file.of(ast.alias)]


def _count(file: ParsedFile, word: str) -> int:
    """How often a word stands in the text, two at most."""
    text, found, at = file.text, 0, 0
    while found < 2:
        at = text.find(word, at)
        if at < 0:
            break
        behind = at + len(word)
        if not (at and _wordy(text[at - 1])) and not (behind < len(text) and _wordy(text[behind])):
            found += 1
        at = behind
    return found


def _wordy(char: str) -> bool:
    return char.isalnum() or char == "_"


def _class_name(file: ParsedFile, node: ast.Attribute, rng: Random) -> str:
    if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        for outer in file.ancestors(node):
            if isinstance(outer, ast.ClassDef):
                return outer.name
    classes = [c.name for c in file.of(ast.ClassDef)]
    return rng.choice(["object", "str", "list", "dict", "None", *classes[:6]])
