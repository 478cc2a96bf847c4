"""Surround with try: statements that may fail, with what is done when they do, or always."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import (
    BLOCKS,
    assigned,
    can_leave,
    is_text,
    movable,
    next_statement,
    selected_statements,
    statements_of,
)
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import named, plain_statements, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, replace_lines
from copydesk.refactorings.expressions import callee
from copydesk.refactorings.requested import (
    implied_errors,
    logging_calls,
    reporting_functions,
    requested_jumps,
    requested_statements,
)
from copydesk.request import Range
from copydesk.syntax.splice import end_of, start_of
from copydesk.syntax.tree import identifiers, rows, text_of

_ACTIONS = ("pass", "return", "return None", "return False", "continue")
_TRY_WORDS = frozenset({
    "try", "except", "catch", "caught", "guard", "wrap", "swallow", "handle", "fail", "fails", "failing", "blow", "blows",
    "error", "errors", "even", "finally", "always", "suppress", "skipped", "skip", "ignore", "raise", "raises", "exception",
})  # fmt: skip
_RAISED_BY = [
    (error, re.compile(calls))
    for error, calls in (
        ("FileNotFoundError", r"\bopen\(|\bos\.(?:remove|unlink|stat|listdir|rename)\(|\.(?:unlink|stat|read_(?:text|bytes))\("),
        ("ValueError", r"(?<!\bos)\.(?:remove|index)\(|\b(?:int|float)\(|\.(?:strptime|fromisoformat)\(|\bjson\.loads?\("),
        ("KeyError", r"^del \w.*\[|\.pop\([^,()]+\)|= ?[\w.]+\[\w"),
        ("IndexError", r"\.(?:pop|popleft)\(\)|\[-?\d+\]"),
        ("StopIteration", r"\bnext\([^,]*\)"),
        ("UnicodeDecodeError", r"\.decode\("),
    )
]  # fmt: skip
"""What calls raise that people want to be ignored."""
_RAISING = frozenset({"raise", "reraise", "re", "rethrow", "again", "propagate"})
"""Words of an instruction that wants an error to go on."""
_FINALLY_WORDS = frozenset({"finally", "restore", "always", "fails", "even"})
_MOST = 10
"""Statements that are wrapped, those first that the instruction has a word of."""
_NEAR = 4
"""How many statements are put into a `try` before the one that comes last in any case."""


def wrap_in_try(what: str | None, error: str, action: str, context: RefactoringContext) -> Edits | None:
    """what: the one statement it is; None for the selection, which has to be whole statements."""
    if what is None:
        return _wrap_lines(context.scope[0], error, action, context) if len(context.scope) == 1 else None
    found = [n for n in context.walk() if n.type.endswith("statement") and text_of(n) == what]
    return _wrap_lines(rows(found[0]), error, action, context) if len(found) == 1 else None


def _wrap_lines(lines: Range, error: str, action: str, context: RefactoringContext) -> Edits | None:
    """Lines that are whole statements; None for an action that cannot stand there."""
    statements, shown = _whole_statements(context, *lines), context.view(*lines)
    if not statements or not shown[-1].endswith("\n") or not movable(statements[0].parent, shown, ""):
        return None
    indent = context.split(start_of(statements[0]))[0]
    if indent.strip() or not can_leave(action, statements[0]):
        return None
    moved = [f"    {line}" if line.strip() else line for line in shown]
    return replace_lines(*lines, _tried(indent, moved, error, action))


def _whole_statements(context: RefactoringContext, first: int, last: int) -> Sequence[Node]:
    """The statements of one block that are lines `first` to `last`, and nothing else; none where there are no such."""
    inside = [n for n in context.walk() if rows(n)[0] == first and n.parent is not None]
    top = next((n for n in inside if n.parent is not None and n.parent.type in BLOCKS), None)
    if top is None or top.parent is None:
        return []
    found = [n for n in top.parent.named_children if first <= rows(n)[0] and rows(n)[1] <= last]
    whole = found and rows(found[-1])[1] == last and not context.split(end_of(found[-1]))[1].strip()
    return found if whole else []


def _tried(indent: str, body: Sequence[str], error: str, action: str) -> list[str]:
    lines = [f"{indent}    {line}\n" for line in action.split("\n")]
    return [f"{indent}try:\n", *body, f"{indent}except {error}:\n", *lines]


def _except(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """The selection and statements that the instruction spells out, with any answer; others with one that it names."""
    places: dict[Range, str] = {context.scope[0]: "the selection"} if len(context.scope) == 1 else {}
    for node in selected_statements(context):
        if arguments.mentions(text_of(node)):
            places[rows(node)] = text_of(node)
    for error in arguments.exceptions:
        for place, what in places.items():
            for action in _ACTIONS:
                title = f"Try {what}, except {error}: {action}"
                yield title, _wrap_lines(place, error, action, context)
    imports = list(plain_statements(context, "import_statement", "import_from_statement"))
    asked = arguments.words & _TRY_WORDS or arguments.exceptions
    jumps = requested_jumps(context, arguments, 6) if imports or asked else []
    for node in imports:
        for action in dict.fromkeys([*jumps[:4], "return None", "return False", "return", "pass"]):
            if can_leave(action, node):
                yield from _wrapped(context, node, "ImportError", action)
    if not asked:
        return
    errors = list(arguments.exceptions[:2]) or [*implied_errors(context, arguments)[:2], "Exception"]
    if len(arguments.exceptions) > 1:
        errors.insert(0, f"({', '.join(arguments.exceptions[:3])})")
    jumps = [jump for jump in jumps if jump != "raise"]  # as without the try
    actions = [*jumps, *list(logging_calls(context, arguments))[:2], "pass"]
    statements = [
        n
        for n in plain_statements(context)
        if not is_text(n) and not n.type.endswith(("definition", "pass_statement"))
    ]
    statements.sort(
        key=lambda n: not any(w in arguments.words for w in re.findall(r"\w+", text_of(n).lower()))
    )
    for node in statements[:_MOST]:
        likely = [] if arguments.exceptions else errors_of(text_of(node))
        for error in dict.fromkeys([*likely, *errors]):
            for action in list(dict.fromkeys([*_logged(context, arguments, node), *actions]))[:7]:
                if action != "continue" or can_leave(action, node):
                    yield from _wrapped(context, node, error, action)


def _logged(context: RefactoringContext, arguments: Arguments, statement: Node) -> Iterator[str]:
    """The error logged, with the name of what failed, and raised again."""
    calls = statement.named_children[0] if statement.type == "expression_statement" else statement
    calls = calls.child_by_field_name("right") or calls
    if not arguments.words & _RAISING or calls.type != "call":
        return
    for report in reporting_functions(context, arguments):
        if report.endswith(".exception"):
            yield f'{report}("{callee(calls)} failed")\nraise'


def errors_of(code: str) -> list[str]:
    """What a statement is known to raise where something is not there, or is no number, by what it calls."""
    return [error for error, calls in _RAISED_BY if calls.search(code)][:2]


def _wrapped(context: RefactoringContext, node: Node, error: str, action: str) -> Iterator[Proposal]:
    indent, moved = context.indent(node), reindented(context, *rows(node), 4)
    if moved is None:
        return
    tries = [(f"{error} as e" if re.search(r"\be\b", action) else error, action)]
    if action.startswith("raise "):
        tries.append(("Exception as e", f"{action} from e"))
    for caught, answer in tries:
        lines = _tried(indent, moved, caught, answer)
        said = answer.replace("\n", " and ")
        yield f"Try {named(node)}, except {caught}: {said}", replace_lines(*rows(node), lines)


def _is_bound_first(statement: Node, user: Node) -> bool:
    """Whether a statement gives a variable its value, as far as its block tells, that another one reads."""
    sides = assigned(statement)
    if sides is None or sides[0].type != "identifier":
        return False
    name = text_of(sides[0])
    above = statement.prev_named_sibling
    while above is not None:
        if name in map(text_of, identifiers(above)):
            return False
        above = above.prev_named_sibling
    return name in map(text_of, identifiers(user))


def _finally(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What comes last is done even where the statements before it fail."""
    statements = [s for s in requested_statements(context, arguments) if "\n" not in s][:2]
    for node in plain_statements(
        context, "expression_statement", "delete_statement", "if_statement", "assignment"
    ):
        siblings, (begin, end) = statements_of(node.parent), rows(node)
        at, last, indent = siblings.index(node), reindented(context, begin, end, 4), context.indent(node)
        if last is None:
            continue
        for start in siblings[max(0, at - _NEAR) : at]:
            first = rows(start)[0]
            body = reindented(context, first, begin - 1, 4) if not is_text(start) else None
            if any(_is_bound_first(one, node) for one in siblings[siblings.index(start) : at]):
                continue  # where that fails, the name would have no value
            while body and not body[-1].strip():
                body.pop()
            if not body:
                continue
            title = f"Try {named(start)}, finally {named(node)} even where it fails"
            head, tail = [f"{indent}try:\n", *body], [f"{indent}finally:\n", *last]
            yield title, replace_lines(first, end, [*head, *tail])
            after = next_statement(node)
            if after is not None and after.type == "return_statement":
                moved = reindented(context, *rows(after), 4)
                if moved is not None:
                    yield (
                        f"{title}, return inside",
                        replace_lines(first, rows(after)[1], [*head, *moved, *tail]),
                    )
        following = siblings[at + 1 :]
        for statement in statements if following and arguments.words & _FINALLY_WORDS else ():
            lines = rows(following[0])[0], rows(following[-1])[1]
            body = reindented(context, *lines, 4)
            if body is not None:
                made = [f"{indent}try:\n", *body, f"{indent}finally:\n", f"{indent}    {statement}\n"]
                yield f"Try the rest, finally {statement}", replace_lines(*lines, made)


WRAP_IN_TRY = Refactoring("wrap_in_try", "refactor.surround.try", _except)
TRY_FINALLY = Refactoring("try_finally", "refactor.surround.tryFinally", _finally)
