"""Branches that do the same with one value or another: done once, the value chosen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import next_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, in_one_line, named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.new_names import new_names
from copydesk.syntax.tree import rows


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if not clauses or clauses[0].test is None or len(clauses[0].statements) != 1:
            continue
        last, other = clauses[-1].last, clauses[-1]
        statements = list(other.statements)
        behind = next_statement(node)
        if len(clauses) == 1 and clauses[0].leaves and behind is not None:
            statements, last = [behind], rows(behind)[1]
        elif len(clauses) != 2 or other.word != "else":
            continue
        test = in_one_line(clauses[0].test)
        texts = [in_one_line(one) for one in (clauses[0].statements[0], *statements)]
        if test is None or len(texts) != 2 or texts[0] is None or texts[1] is None:
            continue
        for once, value in _merged(texts[0], texts[1]):
            chosen = f"{value[0]} if {test} else {value[1]}"
            indent = context.indent(node)
            made = once.format(chosen)
            title = f"One statement with a conditional expression, ternary: {made}"
            yield title, replace_lines(rows(node)[0], last, [f"{indent}{made}\n"])
            yield from _with_variable(context, arguments, clauses[0], (once, chosen, last))


def _with_variable(
    context: RefactoringContext, arguments: Arguments, clause: Clause, made: tuple[str, str, int]
) -> Iterator[Proposal]:
    """The value chosen first and given a name."""
    once, chosen, last = made
    keyword = once.partition("{}")[0].removesuffix("=")
    own = (
        keyword[len(keyword.rstrip("abcdefghijklmnopqrstuvwxyz_")) :]
        if once.partition("{}")[0].endswith("=")
        else ""
    )
    for name in dict.fromkeys([*([own] if own else []), *new_names(context, arguments, 2)]):
        indent = context.indent(clause.node)
        lines = [f"{indent}{name} = {chosen}\n", f"{indent}{once.format(name)}\n"]
        title = f'Choose "{name}" first, then {named(clause.statements[0])} once'
        yield title, replace_lines(clause.head, last, lines)


def _merged(one: str, two: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The statement with a place left open (`{}`), and what stands there in either; where they differ in one expression alone."""
    try:
        trees = [ast.parse(text).body[0] for text in (one, two)]
    except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
        return
    if not isinstance(trees[0], (ast.Expr, ast.Assign, ast.Return, ast.AugAssign)):
        return
    different = _difference(trees[0], trees[1])
    if different is None or "{" in one + two:
        return
    parts = [ast.get_source_segment(text, node) for text, node in zip((one, two), different, strict=True)]
    if parts[0] is not None and parts[1] is not None:
        part = different[0]
        start = one.encode()[: part.col_offset].decode()
        end = one.encode()[part.end_col_offset :].decode()
        yield f"{start}{{}}{end}" if _is_free(start, end) else f"{start}({{}}){end}", (parts[0], parts[1])


def _difference(one: ast.AST, two: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """The innermost expressions in which two trees differ; None where there are none, or they differ elsewhere, too."""
    if type(one) is not type(two):
        return (one, two) if isinstance(one, ast.expr) and isinstance(two, ast.expr) else None
    found: list[tuple[ast.expr, ast.expr] | None] = []
    for field in one._fields:
        a, b = getattr(one, field), getattr(two, field)
        pairs = (
            list(zip(a, b, strict=True))
            if isinstance(a, list) and isinstance(b, list) and len(a) == len(b)
            else [(a, b)]
        )
        for x, y in pairs:
            if isinstance(x, ast.AST) and isinstance(y, ast.AST):
                if ast.dump(x) != ast.dump(y):
                    found.append(_difference(x, y))
            elif x != y:
                found.append(None)
    inner = found[0] if len(found) == 1 else None
    if inner is not None:
        return inner
    whole = isinstance(one, ast.expr) and isinstance(two, ast.expr) and bool(found)
    return (one, two) if whole and isinstance(one, ast.expr) and isinstance(two, ast.expr) else None


def _is_free(before: str, behind: str) -> bool:
    """Whether an expression with `if` and `else` may stand between two parts of a statement without brackets."""
    before, behind = before.rstrip(), behind.lstrip()
    opened = not before or before[-1] in "(,=[{" or before.endswith("return")
    return opened and (not behind or behind[0] in "),]}")


MERGE_BRANCHES = Refactoring("merge_branches", "refactor.rewrite.mergeBranches", _propose)
