"""Branches that do the same with one value or another: done once, the value chosen."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import has_comment, next_statement
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import clauses_of, in_one_line, named
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import insert_lines, merged, replace_lines
from copydesk.refactorings.expressions import level_of
from copydesk.refactorings.new_names import new_names
from copydesk.syntax.tree import rows

_HELD = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_PARTS = (ast.Slice, ast.Starred)
_KEYWORD = re.compile(r"([^\W\d]\w*)=$")


@dataclass(frozen=True, slots=True)
class _Merged:
    """A statement with a place left open between `start` and `end`, and what stands there in one branch and in the other."""

    start: str
    end: str
    one: str
    other: str
    first: bool
    """Whether nothing guards it: it may as well be made before the statement."""

    @property
    def keyword(self) -> list[str]:
        """The name of the argument that the place is, if it has one."""
        return _KEYWORD.findall(self.start)

    def around(self, text: str) -> str:
        """The statement with an expression in its place, in brackets where it may need them."""
        before, behind = self.start.rstrip(), self.end.lstrip()
        opened = not before or before[-1] in "(,=[{" or before.endswith("return")
        joined = self.start[-1:].isalnum() or self.start[-1:] in ("_", ")", "]")
        free = not joined and (text.isidentifier() or (opened and (not behind or behind[0] in "),]}")))
        return f"{self.start}{text if free else f'({text})'}{self.end}"


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    yield from _chosen(context, arguments)
    for node in context.walk("if_statement"):
        clauses = clauses_of(context, node)
        if not clauses or clauses[0].test is None or len(clauses[0].statements) != 1:
            continue
        last, other = clauses[-1].last, clauses[-1]
        statements = other.statements
        behind = next_statement(node)
        if len(clauses) == 1 and clauses[0].leaves and behind is not None:
            statements, last = [behind], rows(behind)[1]
        elif len(clauses) != 2 or other.word != "else":
            continue
        test = in_one_line(clauses[0].test)
        texts = [in_one_line(one) for one in (clauses[0].statements[0], *statements)]
        if test is None or len(texts) != 2 or texts[0] is None or texts[1] is None:
            continue
        both = _merged(texts[0], texts[1])
        if both is not None and not has_comment(context, rows(node)[0], last):
            one, otherwise = (f"({text})" if level_of(text) < 2 else text for text in (both.one, both.other))
            chosen = f"{one} if {f'({test})' if level_of(test) < 2 else test} else {otherwise}"
            made = both.around(chosen)
            if ":=" not in test:
                title = f"One statement with a conditional expression, ternary: {made}"
                yield title, replace_lines(rows(node)[0], last, [f"{context.indent(node)}{made}\n"])
            free = [name for name in both.keyword if name not in context.variables()]
            for name in dict.fromkeys([*free, *new_names(context, arguments, 2)]) if both.first else ():
                lines = [f"{name} = {chosen}\n", f"{both.around(name)}\n"]
                title = f'Choose "{name}" first, then {named(clauses[0].statements[0])} once'
                yield (
                    title,
                    replace_lines(clauses[0].head, last, [context.indent(node) + line for line in lines]),
                )


def _chosen(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What all branches end with, but for one value: that gets a name in each, and the statement comes once, behind the `if`."""
    for node in context.walk("if_statement"):
        clauses, indent = clauses_of(context, node), context.indent(node)
        if len(clauses) < 2 or clauses[-1].word != "else" or not all(clause.statements for clause in clauses):
            continue
        ends = [clause.statements[-1] for clause in clauses]
        texts = [in_one_line(end) for end in ends]
        pairs = [_merged(texts[0] or "", text or "") for text in texts[1:]]
        merged_ones = [pair for pair in pairs if pair is not None]
        if len(merged_ones) < len(clauses) - 1 or not all(pair.first for pair in merged_ones):
            continue
        one = merged_ones[0]
        whole = not one.end.strip() and (one.start.endswith(" = ") or not one.start.strip())
        if len({(pair.start, pair.end) for pair in merged_ones}) > 1 or whole:
            continue
        if any(has_comment(context, *rows(end)) for end in ends):
            continue
        parts = [one.one, *(pair.other for pair in merged_ones)]
        usual = {"return": "result", "raise": "message"}.get(one.start.split(" ")[0], "value")
        names = [*new_names(context, arguments, 2), *one.keyword, usual]
        for name in list(dict.fromkeys(name for name in names if _is_free(name, context)))[:2]:
            put = [
                replace_lines(*rows(end), [f"{context.indent(end)}{name} = {part}\n"])
                for end, part in zip(ends, parts, strict=True)
            ]
            behind = insert_lines(clauses[-1].last + 1, [f"{indent}{one.around(name)}\n"])
            title = f'Choose "{name}" in the branches, then {one.around(name)} once, at the end, after the if'
            yield title, merged(*put, behind)


def _is_free(name: str, context: RefactoringContext) -> bool:
    return name not in context.variables() and not hasattr(builtins, name) and name.islower()


def _merged(one: str, two: str) -> _Merged | None:
    """None where two statements differ in more than one expression."""
    try:
        trees = [ast.parse(text).body[0] for text in (one, two)]
    except (SyntaxError, ValueError, IndexError, RecursionError, MemoryError):
        return None
    if not isinstance(trees[0], (ast.Expr, ast.Assign, ast.Return, ast.Raise, ast.AugAssign)):
        return None
    different = _difference(trees[0], trees[1])
    if different is None or isinstance(getattr(different[0], "ctx", None), (ast.Store, ast.Del)):
        return None
    parts = [ast.get_source_segment(text, node) for text, node in zip((one, two), different, strict=True)]
    if parts[0] is None or parts[1] is None:
        return None
    start = one.encode()[: different[0].col_offset].decode()
    guards = [
        node for node in ast.walk(trees[0]) if isinstance(node, (ast.BoolOp, ast.IfExp, ast.Await, ast.Yield))
    ]
    first = not any(child is different[0] for guard in guards for child in ast.walk(guard))
    return _Merged(start, one.encode()[different[0].end_col_offset :].decode(), parts[0], parts[1], first)


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
    # What is made later or elsewhere than the statement, or is no value by itself, differs as a whole.
    if (
        inner is not None
        and not isinstance(one, _HELD)
        and not any(isinstance(part, _PARTS) for part in inner)
    ):
        return inner
    return (one, two) if found and isinstance(one, ast.expr) and isinstance(two, ast.expr) else None


MERGE_BRANCHES = Refactoring("merge_branches", "refactor.rewrite.mergeBranches", _propose, everywhere=True)
