"""`except` clauses: what they catch and do, more or fewer of them, or none at all."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import stands_alone
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, named, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, merged, replace_lines, replace_node
from copydesk.refactorings.errors.except_head import except_head
from copydesk.refactorings.expressions import callee, children_of
from copydesk.refactorings.requested import (
    implied_errors,
    logging_calls,
    requested_jumps,
    requested_statements,
)
from copydesk.syntax.suppression import suppressing
from copydesk.syntax.tree import rows, text_of

_ACTIONS = {
    "raise": "Re-raise the error, raise",
    "pass": "Ignore the error, pass",
    "break": "Stop there, break",
}
"""How titles put what a handler does, other than by its code."""
_PASSED_OVER = frozenset({"skip", "skipped", "ignore", "ignored", "skips", "over"})
"""Words of an instruction about what shall not stop the rest."""
_NOT_THERE = frozenset({"isn", "missing", "exist", "nonexistent", "there", "gone"})
_LEAVES = re.compile(r"(?:raise|return|continue|break)\b")
_SHORT_TRY = re.compile(
    r"try: *(?P<does>\S[^\n]*)\n\s*except (?P<kinds>[\w.]+|\([\w., ]+\)): *(?:\n\s*)?pass", re.ASCII
)
"""`try: os.unlink(path)`, and `pass` for an error."""


def _types(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What an `except` clause catches."""
    yield from _suppressed(context, arguments)
    errors = list(dict.fromkeys(arguments.exceptions))[:3] or implied_errors(context, arguments)[:4]
    for clause in context.starting("except_clause"):
        head = except_head(context, clause)
        if head is None:
            continue
        caught, old = head.caught, head.kinds
        news: dict[str, str] = {}
        for error in errors or ["Exception"]:
            news[error] = f"Catch {error} alone"
            if old and error not in old:
                # What is named like a constant holds several.
                parts = [f"*{old[0]}"] if len(old) == 1 and old[0].isupper() else old
                news[f"({', '.join([*parts, error])})"] = f"Catch {error}, too"
        if len(errors) > 1 and arguments.exceptions:
            news[f"({', '.join(errors)})"] = f"Catch {' and '.join(errors)}"
            news[f"({', '.join(dict.fromkeys([*old, *errors]))})"] = f"Catch {' and '.join(errors)}, too"
        for base in [error for error in errors if _covers(error, old)] if len(old) > 1 else ():
            news = {base: f"Catch {base}, the parent of {'both' if len(old) == 2 else 'all'}"}
        for part in old if len(old) > 1 else ():
            news[part] = f"Catch {part} alone"
            rest = [other for other in old if other != part]
            news[rest[0] if len(rest) == 1 else f"({', '.join(rest)})"] = f"Do not catch {part}"
        news.setdefault("Exception", "Catch Exception")
        if not caught:
            news.setdefault("BaseException", "Catch BaseException")
        for new, title in news.items():
            yield f"{title}, not {caught or 'everything'}", head.changed(new)
        if head.name:
            yield f"Catch {caught} without a name", head.changed(name="")
        else:
            for name in dict.fromkeys([*[*(n for n in arguments.names if len(n) < 6)][:2], "e", "exc"]):
                yield f"Catch {caught} as {name}", head.changed(name=name)


def _covers(base: str, kinds: Iterable[str]) -> bool:
    """Whether all of some of Python's own exceptions derive from another one."""
    parent, *types = (getattr(builtins, name, None) for name in (base, *kinds))
    return base not in kinds and all(
        isinstance(parent, type) and isinstance(kind, type) and issubclass(kind, parent) for kind in types
    )


def _suppressed(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What `suppress` lets pass."""
    errors = list(dict.fromkeys(arguments.exceptions))[:3]
    for node in context.walk("call") if errors else ():
        given = node.child_by_field_name("arguments")
        if given is None or callee(node).rpartition(".")[2] != "suppress":
            continue
        old = [text_of(child) for child in children_of(given)]
        lists = {"alone": errors, "too": [*old, *(error for error in errors if error not in old)]}
        for said, kinds in lists.items():
            title = f"Suppress {' and '.join(errors)} {said}, not {', '.join(old)}"
            yield title, replace_node(context.lines, given, f"({', '.join(kinds)})")


def _handlers(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What a handler does, one more handler, no handler."""
    jumps = requested_jumps(context, arguments)
    actions = [
        *[code for code in arguments.code if code.endswith(")") and code[:1].isidentifier()][:2],
        *jumps,
        *list(logging_calls(context, arguments))[:4],
        *requested_statements(context, arguments),
    ]
    if arguments.words & {"raise", "reraise", "re", "rethrow", "swallow", "swallowed", "swallowing"}:
        actions.insert(0, "raise")
    actions = list(dict.fromkeys([*actions, "pass"]))[:8]
    errors = list(dict.fromkeys(arguments.exceptions))[:2]
    if not errors and arguments.words & _PASSED_OVER:
        errors = implied_errors(context, arguments)[:2]
        if arguments.words & _NOT_THERE and "FileNotFoundError" not in errors:
            errors.append("FileNotFoundError")
    for node in context.walk("try_statement"):
        clauses = clauses_of(context, node)
        if not clauses:
            continue
        indent = context.indent(node)
        handlers = [clause for clause in clauses if clause.word == "except"]
        for clause in handlers:
            inner = " " * clause.body.start_point[1]
            for action in actions:
                fails = " when it fails," if action.startswith("return") else ""
                title = (
                    f"{_ACTIONS.get(action, action[0].upper() + action[1:])}{fails} in {named(clause.node)}"
                )
                alone = replace_lines(clause.first, clause.last, [f"{inner}{action}\n"])
                does = [named(one) for one in clause.statements]
                if [text_of(one) for one in clause.statements] == [action]:
                    continue
                only = f"{title}, not {does[0]}" if len(does) == 1 else f"{title}, nothing else"
                yield only, merged(_unnamed(context, clause, action), alone)
                if not _LEAVES.match(action) and action != "pass":  # what follows would be dead
                    yield title, insert_lines(clause.first, [f"{inner}{action}\n"])
                passes = [one.type for one in clause.statements] == ["pass_statement"]
                if not clause.leaves and not passes and action != "pass":
                    yield title, insert_lines(clause.last + 1, [f"{inner}{action}\n"])
        place = handlers[-1].last + 1 if handlers else clauses[0].last + 1
        for error in errors:
            for action in actions[:5]:
                alias = " as e" if re.search(r"\be\b", action) else ""
                lines = [f"{indent}except {error}{alias}:\n", f"{indent}    {action}\n"]
                yield f"Add except {error}: {action}", insert_lines(place, lines)
                if handlers:
                    yield f"Add except {error} first: {action}", insert_lines(handlers[0].head, lines)
        for statement in requested_statements(context, arguments)[:2]:
            if not any(clause.word == "finally" for clause in clauses):
                lines = [f"{indent}finally:\n", f"{indent}    {statement}\n"]
                yield f"Add finally: {statement}", insert_lines(clauses[-1].last + 1, lines)
        yield from _merge(context, handlers, indent)
        yield from _split(context, handlers)
        yield from _else(context, clauses)


def _unnamed(context: RefactoringContext, clause: Clause, action: str) -> Edits:
    """The head of a handler without a name for the error, where its action has no use for one."""
    head = except_head(context, clause.node)
    used = head is None or not head.name or re.search(rf"\b{head.name}\b", action) is not None
    return () if head is None or used else head.changed(name="")


def _merge(context: RefactoringContext, handlers: list[Clause], indent: str) -> Iterator[Proposal]:
    for one, two in pairwise(handlers):
        if context.view(one.first, one.last) == context.view(two.first, two.last):
            heads = [except_head(context, clause.node) for clause in (one, two)]
            kinds = [kind for head in heads if head is not None and not head.name for kind in head.kinds]
            if all(head is not None and head.caught and not head.name for head in heads):
                lines = [f"{indent}except ({', '.join(kinds)}):\n", *context.view(two.first, two.last)]
                yield "Merge the except clauses into one", replace_lines(one.head, two.last, lines)


def _split(context: RefactoringContext, handlers: list[Clause]) -> Iterator[Proposal]:
    for clause in handlers:
        head = except_head(context, clause.node)
        if head is not None and head.caught.startswith("("):
            body = context.view(clause.first, clause.last)
            lines = [line for kind in head.kinds for line in (head.written(kind), *body)]
            yield "Split the except clause, one each", replace_lines(clause.head, clause.last, lines)


def _else(context: RefactoringContext, found: Sequence[Clause]) -> Iterator[Proposal]:
    """The last statements of a `try`, which cannot fail as meant, in an `else`."""
    other = next((clause for clause in found if clause.word == "else"), None)
    if other is not None and found[0].statements and not found[0].leaves:
        lines = context.view(other.first, other.last)
        put = insert_lines(found[0].last + 1, lines)
        title = (
            f"Move {named(other.statements[0])} into the try, after {named(found[0].statements[-1])}, no else"
        )
        yield title, put + delete_lines(other.head, other.last)
    if any(clause.word in ("else", "finally") for clause in found) or len(found) < 2:
        return
    statements = found[0].statements
    for start in statements[1:]:
        first = rows(start)[0]
        lines = context.view(first, found[0].last)
        indent = " " * found[0].node.start_point[1]
        made = insert_lines(found[-1].last + 1, [f"{indent}else:\n", *lines])
        yield f"Move {named(start)} to an else of the try", delete_lines(first, found[0].last) + made
        moved = reindented(context, first, found[0].last, -4)
        if moved is not None:
            put = insert_lines(found[-1].last + 1, moved)
            yield f"Move {named(start)} out of the try, after it", delete_lines(first, found[0].last) + put
    for end in statements[:-1]:
        last = rows(end)[1]
        moved = reindented(context, found[0].first, last, -4)
        if moved is not None:
            lines = [*moved, *context.view(found[0].head, found[0].head)]
            yield f"Move {named(end)} out of the try, before it", replace_lines(found[0].head, last, lines)


def _tries(context: RefactoringContext) -> Iterator[tuple[str, Clause, Clause]]:
    """`try` statements of one `except` clause and no other, with their indentation."""
    for node in context.walk("try_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) == 2 and clauses[1].word == "except":
            yield context.indent(node), clauses[0], clauses[1]


def _suppress(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    imported = re.search(r"from contextlib import .*\bsuppress\b", "".join(context.lines))
    name = "suppress" if imported else "contextlib.suppress"
    several = len(list(context.walk("try_statement"))) > 1
    for indent, body, handler in _tries(context):
        around = f" round {named(body.statements[0])}" if several and body.statements else ""
        edit = suppressing(body.node, name, context.lines, drops=True)
        if edit is not None:
            yield f"Use {name}{around}", (edit,)
            continue
        head = except_head(context, handler.node)
        passes = [statement.type for statement in handler.statements] == ["pass_statement"]
        if passes and head is not None and head.caught and not head.name:
            lines = [f"{indent}with {name}({', '.join(head.kinds)}):\n", *context.view(body.first, body.last)]
            yield f"Use {name}{around}", replace_lines(body.head, handler.last, lines)
    for node in context.walk("try_statement"):
        short = _SHORT_TRY.fullmatch(text_of(node))
        if short is not None and stands_alone(context, node):
            kinds, indent = short["kinds"].strip("()"), context.indent(node)
            lines = [f"{indent}with {name}({kinds}):\n", f"{indent}    {short['does']}\n"]
            around = f" round {short['does']}" if several else ""
            yield f"Use {name}{around}", replace_lines(*rows(node), lines)


def _unsuppress(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for node in context.walk("with_statement"):
        clause, indent = next(iter(clauses_of(context, node)), None), context.indent(node)
        found = re.fullmatch(
            r"with (?:contextlib\.)?suppress\(([\w., ]+)\):", text_of(node).split("\n", 1)[0]
        )
        if clause is not None and found is not None:
            caught = f"({found[1]})" if "," in found[1] else found[1]
            lines = [f"{indent}try:\n", *context.view(clause.first, clause.last)]
            lines += [f"{indent}except {caught}:\n", f"{indent}    pass\n"]
            yield "Use try and except instead of suppress", replace_lines(clause.head, clause.last, lines)


def _look_first(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A look before the leap, in place of `try`: `hasattr` for `AttributeError`, `in` for `KeyError`."""
    for indent, body, handler in _tries(context):
        head = context.lines[handler.head - 1]
        for place in context.walk("attribute", "subscript"):
            first, last = rows(place)
            of = place.child_by_field_name("object") or place.child_by_field_name("value")
            key = place.child_by_field_name("attribute") or place.child_by_field_name("subscript")
            if not (body.first <= first and last <= body.last) or of is None or key is None:
                continue
            if place.type == "attribute" and "AttributeError" in head:
                word, test = "hasattr", f'hasattr({text_of(of)}, "{text_of(key)}")'
            elif place.type == "subscript" and "KeyError" in head:
                word, test = "in", f"{text_of(key)} in {text_of(of)}"
            else:
                continue
            yield (
                f"Use {word} instead of the try/except: if {test}",
                replace_lines(body.head, body.head, [f"{indent}if {test}:\n"])
                + replace_lines(handler.head, handler.head, [f"{indent}else:\n"]),
            )


CHANGE_CAUGHT_TYPES = Refactoring(
    "change_caught_types", "refactor.rewrite.changeCaughtTypes", _types, everywhere=True
)
CHANGE_HANDLERS = Refactoring("change_handlers", "refactor.rewrite.changeHandlers", _handlers)
REPLACE_EXCEPTION_WITH_PRECHECK = Refactoring(
    "replace_exception_with_precheck", "refactor.rewrite.replaceExceptionWithPrecheck", _look_first
)
SUPPRESS = Refactoring("suppress", "refactor.rewrite.suppress", _suppress)
UNSUPPRESS = Refactoring("unsuppress", "refactor.rewrite.unsuppress", _unsuppress)
