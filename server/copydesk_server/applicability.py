"""Whether an edit keeps what the code means, as far as that can be told."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from copydesk.errors import DocumentError
from copydesk.quickfixes.kinds import DiagnosticKind, classify
from copydesk.quickfixes.unseen_names import HAS_UNSEEN_NAMES
from copydesk.request import Diagnostic
from copydesk.text.document import Encoding, apply_edits, split_lines, view_text
from copydesk_server.same_meaning.comparison import NO_TREE, mean_the_same, parsed

if TYPE_CHECKING:
    from copydesk_server.project_imports import Projects

Applicability: TypeAlias = Literal["safe", "unsafe"]
"""unsafe: the code may mean something else after it."""

_INIT, _ALL = "__init__.py", "__all__"
_MUTABLE_CALLS = frozenset({"dict", "list", "set", "defaultdict", "OrderedDict", "Counter", "deque"})
_WRITING = frozenset({"add", "append", "setdefault", "update"})
_READING = frozenset({"get", "pop", "setdefault"})
_ABOUT_TRIED = re.compile(r"\b(?:import|try|with)\b")
"""In lines of which one comes or goes where an import gets out of a `try` or a `with`."""
_TYPE_CALLS = frozenset({"cast", "NamedTuple", "NewType", "TypedDict", "TypeVar"})
"""Functions that take types as types."""
_CHANGING = frozenset(
    {
        DiagnosticKind.BARE_EXCEPT,
        DiagnosticKind.CALL_IN_DEFAULT,
        DiagnosticKind.LOOP_VARIABLE_CAPTURE,
        DiagnosticKind.MUTABLE_DEFAULT,
        DiagnosticKind.OPEN_WITHOUT_WITH,
        DiagnosticKind.TYPE_COMPARISON,
        DiagnosticKind.TYPE_INSTEAD_OF_ISINSTANCE,
    }
)
"""Findings about code that may be meant as it is, and does something else after their quick fixes."""


def applicability(
    before: str,
    after: str,
    diagnostics: Sequence[Diagnostic],
    path: Path | None = None,
    *,
    known_fix: bool = True,
    projects: Projects | None = None,
) -> Applicability:
    """ "unsafe" unless each of the diagnostics is mended by what the linter calls safe, or by a quick fix that is known to keep
    the meaning, or the edit is known to leave meaning and comments as they are; where an import goes from an `__init__.py`, or
    one that is tried, or that the module lists by name or other files import from here; where a default goes that is
    a memo; where the file would import what the project's others do not need, or what loads the file in its turn. Raises: never.

    diagnostics: of `before`, with all fixes that are known. path: the file, where there is one. known_fix: as in
    `EditResult`. projects: what other files import. Blocks while these are read.
    """
    for diagnostic in diagnostics:
        if (known_fix and not may_change(diagnostic, before)) or _is_safe_fix(before, after, diagnostic):
            continue
        if not mean_the_same(before, after):
            return "unsafe"
        break  # so it is whatever the others say
    lines = Counter(split_lines(before)), Counter(split_lines(after))
    gone, come = lines[0] - lines[1], lines[1] - lines[0]
    if not gone and before.count("import") == after.count("import"):
        return "safe"  # neither an import comes or goes, nor a default
    try:
        trees = _tree(before), _tree(after)
    except NO_TREE:
        return "safe"
    if not all(_may_load(one, path, projects) for one in _top(trees[1]) - _top(trees[0])):
        return "unsafe"
    if not gone:
        return "safe"
    if any(map(_ABOUT_TRIED.search, (*gone, *come))) and _tried(trees[0]) - _tried(trees[1]):
        return "unsafe"
    lost = _imported(trees[0]) - _bound(trees[1])
    if lost and (not lost.isdisjoint(_listed(trees[0])) or _is_taken_elsewhere(lost, path, projects)):
        return "unsafe"
    memos = _memos(before)
    if memos and not memos <= _mutable_defaults(trees[1]):
        return "unsafe"
    return "safe"


_tree = lru_cache(maxsize=4)(parsed)  # one text is compared with what each of its fixes makes of it
"""As `parsed`, of texts of which the trees are only looked at."""


def _top(tree: ast.Module) -> set[tuple[int, str, str]]:
    """What the module imports whenever it is loaded, and must find: dots, module, and the name that is taken from it, if any."""
    found: set[tuple[int, str, str]] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {(0, name.name, "") for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.level, node.module or "", name.name) for name in node.names}
    return found


def _may_load(imported: tuple[int, str, str], path: Path | None, projects: Projects | None) -> bool:
    """Whether the file can still be loaded if it imports that, as far as it is known."""
    project = projects.of(path) if projects is not None and path is not None else None
    dots, module, name = imported
    standard = not dots and module.split(".")[0] in sys.stdlib_module_names
    return standard or project is None or path is None or project.may_load(dots, module, name, path)


def missed_import(before: str, after: str, path: Path | None, projects: Projects | None) -> str | None:
    """What another file would no longer find: "`name`, which other.py imports from here". None where an edit takes away nothing
    that another file is seen to import. Raises: never.
    """
    project = projects.of(path) if projects is not None and path is not None else None
    if project is None or path is None:
        return None
    try:
        gone = _imported(_tree(before)) - _bound(_tree(after))
    except NO_TREE:
        return None
    found = project.importer(gone, path) if gone else None
    return f"`{found[0]}`, which {found[1]} imports from here" if found is not None else None


def _is_taken_elsewhere(names: set[str], path: Path | None, projects: Projects | None) -> bool:
    """Whether other files may take one of the names from this one: what an `__init__.py` imports is mostly for others, and
    `__all__` always.
    """
    if _ALL in names or (path is not None and path.name == _INIT):
        return True
    project = projects.of(path) if projects is not None and path is not None else None
    return path is not None and project is not None and project.user(names, path) is not None


def may_change(diagnostic: Diagnostic, text: str) -> bool:
    """Whether fixes of a finding of `text` may change what the code means: the linter calls one of its own unsafe, or has none,
    and the quick fixes for findings of this kind do, or the name that is missing may be there all the same. diagnostic:
    with all fixes that are known.
    """
    if diagnostic.fixes:
        return _is_doubtful(diagnostic, text) or not all(fix.safe for fix in diagnostic.fixes)
    kind = classify(diagnostic)
    if kind is DiagnosticKind.UNDEFINED_NAME:
        return HAS_UNSEEN_NAMES.search(text) is not None
    return kind in _CHANGING


def _is_doubtful(diagnostic: Diagnostic, text: str) -> bool:
    """Whether ruff's word that a fix of a finding of `text` is safe is not to be taken: not all that has an `assert_` is a
    `TestCase` (UP005), and `type(List[int])` is another type than `type(list[int])` (UP006).
    """
    if diagnostic.code == "UP005":
        return re.search(r"\bTestCase\b", text) is None
    return diagnostic.code == "UP006" and _is_value(diagnostic, text)


def _is_value(diagnostic: Diagnostic, text: str) -> bool:
    """Whether the code of a finding is compared or given to a function, which may look at what it is. Raises: never."""
    lines = split_lines(text)
    line, character = diagnostic.start.line, diagnostic.start.character
    try:
        node: ast.AST | None = _tree(text)
        at = line + 1, len(lines[line][:character].encode())
    except (*NO_TREE, IndexError):
        return False
    while node is not None:
        if isinstance(node, ast.Compare) or (
            isinstance(node, ast.Call) and _last_name(node.func) not in _TYPE_CALLS
        ):
            return True
        node = next((child for child in ast.iter_child_nodes(node) if _holds(child, at)), None)
    return False


def _last_name(node: ast.expr) -> str | None:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def _holds(node: ast.AST, at: tuple[int, int]) -> bool:
    """Whether a line (from 1) and column (in bytes) lie in a node; one without a place may hold them."""
    if not isinstance(node, ast.stmt | ast.expr | ast.excepthandler | ast.arg | ast.keyword):
        return any(_holds(child, at) for child in ast.iter_child_nodes(node))
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (node.lineno, node.col_offset) <= at < end


def _is_safe_fix(before: str, after: str, diagnostic: Diagnostic) -> bool:
    """Whether the edit is one that the linter calls safe."""
    result = view_text(after)
    for fix in diagnostic.fixes if not _is_doubtful(diagnostic, before) else ():
        try:
            if fix.safe and view_text(apply_edits(before, fix.edits, Encoding.UTF32)) == result:
                return True
        except DocumentError:  # it was made for another text
            continue
    return False


def _imported(tree: ast.Module) -> set[str]:
    """The names that the module's imports bind for others."""
    return {
        (name.asname or name.name).partition(".")[0]
        for node in _of_module(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    }


def _tried(tree: ast.Module) -> Counter[str]:
    """The names whose imports stand in a `try` or a `with`, where more may hang on whether they succeed, and how often."""
    return Counter(
        (name.asname or name.name).partition(".")[0]
        for block in ast.walk(tree)
        if isinstance(block, ast.Try | ast.TryStar | ast.With)
        for statement in block.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for name in statement.names
    )


def _listed(tree: ast.Module) -> set[str]:
    """The texts in the module's lists and tuples, which may be names as those in `__all__` are."""
    return {
        one.value
        for node in ast.walk(tree)
        if isinstance(node, ast.List | ast.Tuple | ast.Set)
        for one in node.elts
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


def _bound(tree: ast.Module) -> set[str]:
    """All names the module binds."""
    bound = _imported(tree)
    for node in _of_module(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    return bound


def _of_module(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes outside functions and classes, which are given themselves."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _mutable_defaults(tree: ast.Module) -> set[tuple[str, str]]:
    """(function, parameter) for each default that all calls share and may change."""
    return {(function.name, name) for function, name in _with_mutable_default(tree)}


@lru_cache(maxsize=4)
def _memos(text: str) -> set[tuple[str, str]]:
    """Those of a text's mutable defaults that calls write to and look things up in: what one leaves there the next one finds.

    Raises what `parsed` does.
    """
    return {
        (function.name, name)
        for function, name in _with_mutable_default(_tree(text))
        if {"read", "written"} <= set(_uses(function, name))
    }


def _with_mutable_default(
    tree: ast.Module,
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            positional = [*arguments.posonlyargs, *arguments.args]
            last = positional[len(positional) - len(arguments.defaults) :]
            pairs = [
                *zip(last, arguments.defaults, strict=True),
                *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
            ]
            yield from ((node, argument.arg) for argument, default in pairs if _mutable(default))


def _mutable(default: ast.expr | None) -> bool:
    if isinstance(default, ast.Call):
        called = default.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
        return name in _MUTABLE_CALLS
    return isinstance(default, ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp)


def _uses(function: ast.AST, name: str) -> Iterator[Literal["read", "written"]]:
    """What the function does with what the name holds: writes into it, looks something up in it."""

    def is_it(node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == name

    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and is_it(node.value):
            yield "read" if isinstance(node.ctx, ast.Load) else "written"
        elif isinstance(node, ast.Attribute) and is_it(node.value):
            if node.attr in _WRITING:
                yield "written"
            if node.attr in _READING:
                yield "read"
        elif (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[-1], ast.In | ast.NotIn)
            and is_it(node.comparators[-1])
        ):
            yield "read"
