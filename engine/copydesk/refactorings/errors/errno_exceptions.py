"""An error number that is compared as the exception that Python has for it (PEP 3151)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import has_comment
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_lines
from copydesk.refactorings.errors.except_head import except_head
from copydesk.syntax.tree import identifiers, text_of

_KINDS = {
    "EEXIST": "FileExistsError", "ENOENT": "FileNotFoundError", "EACCES": "PermissionError", "EPERM": "PermissionError",
    "EISDIR": "IsADirectoryError", "ENOTDIR": "NotADirectoryError", "EINTR": "InterruptedError", "ECHILD": "ChildProcessError",
    "ESRCH": "ProcessLookupError", "ETIMEDOUT": "TimeoutError", "ECONNREFUSED": "ConnectionRefusedError",
    "ECONNRESET": "ConnectionResetError", "ECONNABORTED": "ConnectionAbortedError", "EPIPE": "BrokenPipeError",
    "EAGAIN": "BlockingIOError", "EWOULDBLOCK": "BlockingIOError",
}  # fmt: skip
_CAUGHT = ("OSError", "IOError", "EnvironmentError", "os.error", "socket.error", "select.error")
_TEST = re.compile(r"(\w+)\.errno (==|!=) errno\.([A-Z]+)")


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for clause in context.walk("except_clause"):
        head = except_head(context, clause)
        body = next((child for child in clause.children if child.type == "block"), None)
        tests = [] if body is None else [n for n in body.named_children if n.type != "comment"]
        if head is None or head.caught not in _CAUGHT or not tests or tests[0].type != "if_statement":
            continue
        clauses = clauses_of(context, tests[0])
        found = _TEST.fullmatch(text_of(clauses[0].test)) if clauses and clauses[0].test is not None else None
        kind = _KINDS.get(found[3], "") if found is not None else ""
        if (
            found is None
            or not kind
            or found[1] != head.name
            or has_comment(context, head.line, clause.end_point[0] + 1)
        ):
            continue
        behind = [text_of(one) for one in tests[1:] if one.type != "pass_statement"]
        kept = _kept(context, clauses, behind, equal=found[2] == "==")
        if kept is None:
            continue
        used = sum(text_of(node) == head.name for node in identifiers(clause)) > 2
        written = head.written(kind, head.name if used else "")
        title = f"Catch {kind} instead of checking errno"
        yield title, replace_lines(head.line, clause.end_point[0] + 1, [written, *kept])


def _kept(
    context: RefactoringContext, clauses: Sequence[Clause], behind: Sequence[str], *, equal: bool
) -> list[str] | None:
    """The lines that are left to the handler; None where it does more than to raise any other error again."""
    bodies = [[text_of(one) for one in clause.statements] for clause in clauses]
    others = bodies[1] if len(bodies) == 2 and clauses[1].word == "else" else behind
    if equal and others == ["raise"] and len(clauses) <= 2 and (not behind or len(clauses) == 1):
        return _moved(context, clauses[0])
    if not equal and bodies[0] == ["raise"] and not behind and len(clauses) <= 2:
        return (
            _moved(context, clauses[1]) if len(clauses) == 2 else [f"{context.indent(clauses[0].node)}pass\n"]
        )
    return None


def _moved(context: RefactoringContext, clause: Clause) -> list[str]:
    return [line[4:] if line.strip() else line for line in context.view(clause.first, clause.last)]


ERRNO_EXCEPTION = Refactoring("errno_exception", "refactor.rewrite.errnoException", _propose)
