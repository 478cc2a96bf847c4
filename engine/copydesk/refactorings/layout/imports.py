"""Imports one below the other: those of one module as one, and several names on lines of their own."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import stands_alone, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import delete_lines, merged, replace_lines
from copydesk.syntax.tree import rows, text_of

_WORDS = frozenset({"import", "imports", "imported", "importing", "from"})
_LINES = frozenset({
    "line", "lines", "separate", "split", "own", "each", "per", "pep8", "isort", "alphabetical", "alphabetically",
})  # fmt: skip
_MORE = frozenset({"import", "add", "too", "also", "well", "need", "needs", "missing"})
"""Words of an instruction that wants a name imported, too."""
_ORDER = frozenset({"order", "sort", "sorted", "alphabetical", "alphabetically", "first", "isort"})
"""Words of an instruction about the order of names."""
_LONGEST = 88
"""Columns of an import that stays on one line."""


def _join(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Imports from one module that stand beside each other."""
    modules: dict[tuple[str, int], list[Node]] = {}
    for node in context.walk("import_from_statement") if arguments.words & _WORDS else ():
        module, block = node.child_by_field_name("module_name"), node.parent
        plain = "#" not in text_of(node) and "*" not in text_of(node) and stands_alone(context, node)
        if module is not None and block is not None and plain:
            modules.setdefault((text_of(module), block.id), []).append(node)
    for (module_name, _), nodes in modules.items():
        if len(nodes) < 2 or not _only_imports_between(nodes[0], nodes[-1]):
            continue
        names = list(dict.fromkeys(name for node in nodes for name in _names(node)))
        head = f"{context.indent(nodes[0])}from {module_name} import "
        gone = [delete_lines(*rows(node)) for node in nodes[1:]]
        put = replace_lines(*rows(nodes[0]), _written(head, names, context.indent(nodes[0])))
        yield f"Combine the imports from {module_name} into one, merge", merged(put, *gone)


def _split(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("import_statement", "import_from_statement") if arguments.words & _LINES else ():
        names, indent = _names(node), context.indent(node)
        if "#" in text_of(node) or not names or not stands_alone(context, node):
            continue
        if node.type == "import_statement" and len(names) > 1:
            lines = [f"{indent}import {name}\n" for name in names]
            yield "Split the imports, one per line, each on its own", replace_lines(*rows(node), lines)
        module = node.child_by_field_name("module_name")
        if module is not None and len(names) > 1:
            lines = [f"{indent}from {text_of(module)} import (\n"]
            lines += [*(f"{indent}    {name},\n" for name in names), f"{indent})\n"]
            title = f"Split the import from {text_of(module)}, one name per line"
            yield title, replace_lines(*rows(node), lines)


def _named(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """One name less, or one more, in an import."""
    for node in context.walk("import_from_statement"):
        module, names = node.child_by_field_name("module_name"), _names(node)
        if module is None or not names or "#" in text_of(node) or not stands_alone(context, node):
            continue
        indent = context.indent(node)
        head, lines = f"{indent}from {text_of(module)} import ", rows(node)
        for name in names if len(names) > 1 else ():
            if name.split()[-1].lower() in arguments.words:
                rest = _written(head, [one for one in names if one != name], indent)
                yield f"Do not import {name}, drop it: unused, not needed", replace_lines(*lines, rest)
        for name in arguments.names if arguments.words & _MORE else ():
            if name not in names and name not in _MORE and not context.knows(name):
                more = _written(
                    head, sorted([*names, name]) if sorted(names) == names else [*names, name], indent
                )
                yield f"Import {name}, too, from {text_of(module)}", replace_lines(*lines, more)
        if arguments.words & _ORDER and (ordered := sorted(names, key=str.casefold)) != names:
            yield (
                f"Sort the names imported from {text_of(module)}",
                replace_lines(*lines, _written(head, ordered, indent)),
            )


def _names(node: Node) -> list[str]:
    return [text_of(name) for name in node.children_by_field_name("name")]


def _written(head: str, names: list[str], indent: str) -> list[str]:
    """An import on one line, or with one name per line where that is too long."""
    flat = f"{head}{', '.join(names)}\n"
    if len(flat) <= _LONGEST + 1:
        return [flat]
    return [f"{head}(\n", *(f"{indent}    {name},\n" for name in names), f"{indent})\n"]


def _only_imports_between(first: Node, last: Node) -> bool:
    """Whether nothing but imports stands from one statement to another: their order then means nothing."""
    between = [n for n in statements_of(first.parent) if first.start_byte <= n.start_byte <= last.start_byte]
    return all(node.type in ("import_statement", "import_from_statement") for node in between)


JOIN_IMPORTS = Refactoring("join_imports", "refactor.rewrite.joinImports", _join)
SPLIT_IMPORTS = Refactoring("split_imports", "refactor.rewrite.splitImports", _split)
IMPORTED_NAMES = Refactoring("imported_names", "refactor.rewrite.importedNames", _named)
