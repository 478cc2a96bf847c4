"""A folder that may be there already: `exist_ok` in place of a test or an `except FileExistsError`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import has_comment, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.expressions import callee, method_of, single_line
from copydesk.syntax.tree import rows, text_of

_MAKES = ("makedirs", "mkdir")
_THERE = re.compile(
    r"(?:os\.path|path)\.(?:exists|isdir|isfile|lexists)\(([^()]+)\)|([\w.]+)\.(?:exists|is_dir|is_file)\(\)"
)
_MISSING = re.compile(r"not [\w.]*(exists|isdir|is_dir)\([^()]*\)$")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("if_statement", "try_statement"):
        clauses = clauses_of(context, node)
        if not clauses or any(clause.word not in ("if", "try", "except") for clause in clauses):
            continue
        yield from _ignoring(context, node, clauses)
        made = _with_exist_ok(clauses[0].body)
        test = text_of(clauses[0].test) if clauses[0].test is not None else ""
        tested = len(clauses) == 1 and _MISSING.match(test) is not None
        caught = len(clauses) == 2 and clauses[1].word == "except" and _passes(clauses[1].body)
        kept = not has_comment(context, clauses[0].head, clauses[-1].last)
        if made is not None and kept and (tested or caught):
            line = f"{context.indent(node)}{made}\n"
            yield "Use exist_ok=True instead", replace_lines(clauses[0].head, clauses[-1].last, [line])


def _ignoring(context: RefactoringContext, node: Node, clauses: Sequence[Clause]) -> Iterator[Proposal]:
    """A folder with all that is in it, or a file, that may be gone already: no test before it is removed."""
    body = clauses[0].statements
    call = body[0].named_children[0] if len(body) == 1 and body[0].named_children else None
    method = method_of(call) if call is not None and call.type == "call" and single_line(call) else None
    test = text_of(clauses[0].test) if clauses[0].test is not None else ""
    if call is None or method is None or len(clauses) != 1 or has_comment(context, *rows(node)):
        return
    inner, removes = text_of(call)[:-1], text_of(method[1])
    comma = "" if inner.endswith("(") else ", "
    asked = _THERE.fullmatch(test)
    if asked is None or (asked[1] or asked[2]) not in text_of(call) or "=" in inner:
        return
    for name, option in (("rmtree", "ignore_errors=True"), ("unlink", "missing_ok=True")):
        if removes == name and callee(call) != "os.unlink":
            line = f"{context.indent(node)}{inner}{comma}{option})\n"
            yield f"Use {option} instead of the check", replace_lines(*rows(node), [line])


def _with_exist_ok(body: Node) -> str | None:
    """The one call of a body, which makes a folder, with `exist_ok`; `os.mkdir` has none."""
    statements = statements_of(body)
    call = statements[0].named_children[0] if len(statements) == 1 and statements[0].named_children else None
    given = call.child_by_field_name("arguments") if call is not None and call.type == "call" else None
    if call is None or given is None or not single_line(call) or "exist_ok" in text_of(given):
        return None
    called = callee(call)
    if called.rpartition(".")[2] not in _MAKES or called == "os.mkdir":
        return None
    return f"{text_of(call)[:-1]}{', ' if given.named_children else ''}exist_ok=True)"


def _passes(body: Node) -> bool:
    return [statement.type for statement in statements_of(body)] == ["pass_statement"]


EXIST_OK = Refactoring("exist_ok", "refactor.rewrite.existOk", _propose)
