"""`try` statements: put round statements, with other exceptions, other handlers, or gone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.blocks import is_text, statements_of
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.clauses import Clause, clauses_of, named, plain_statements, reindented
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, delete_lines, insert_lines, replace_lines, replace_node
from copydesk.refactorings.requested import logging_calls, requested_jumps, requested_statements
from copydesk.syntax.tree import rows, text_of

_TRY_WORDS = frozenset({
    "try", "except", "catch", "caught", "guard", "wrap", "swallow", "handle", "fail", "fails", "failing", "blow", "blows",
    "error", "errors", "even", "finally", "always", "suppress", "skipped", "skip", "ignore", "raise", "raises", "exception",
})  # fmt: skip


def _wrap(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if not arguments.words & _TRY_WORDS and not arguments.exceptions:
        return
    named_errors = list(dict.fromkeys(arguments.exceptions))[:3]
    errors = named_errors[:2] or ["Exception"]
    if len(named_errors) > 1:
        errors.insert(0, f"({', '.join(named_errors)})")
    actions = list(requested_jumps(context, arguments, 6))
    actions += list(logging_calls(context, arguments))[:2]
    actions = list(dict.fromkeys([*actions, "pass"]))[:7]
    statements = [n for n in plain_statements(context) if not is_text(n)]
    statements = [n for n in statements if not n.type.endswith(("definition", "pass_statement"))]
    statements.sort(
        key=lambda n: not any(w in arguments.words for w in re.findall(r"\w+", text_of(n).lower()))
    )
    for error in errors:
        for node in statements[:10]:
            for action in actions:
                if action == "continue" and not _in_loop(node):
                    continue
                yield from _wrapped(context, node, error, action)


def _in_loop(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type not in ("function_definition", "class_definition"):
        if above.type in ("for_statement", "while_statement"):
            return True
        above = above.parent
    return False


def _wrapped(context: RefactoringContext, node: Node, error: str, action: str) -> Iterator[Proposal]:
    (first, last), indent = rows(node), context.indent(node)
    moved = reindented(context, first, last, 4)
    alias = " as e" if re.search(r"\be\b", action) else ""
    if moved is not None:
        lines = [f"{indent}try:\n", *moved, f"{indent}except {error}{alias}:\n", f"{indent}    {action}\n"]
        yield f"Try {named(node)}, except {error}: {action}", replace_lines(first, last, lines)
        if action.startswith("raise "):
            lines = [
                f"{indent}try:\n",
                *moved,
                f"{indent}except Exception as e:\n",
                f"{indent}    {action} from e\n",
            ]
            yield f"Try {named(node)}, except Exception: {action} from e", replace_lines(first, last, lines)


def _finally(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What comes last is done even where the statements before it fail."""
    for node in plain_statements(
        context, "expression_statement", "delete_statement", "if_statement", "assignment"
    ):
        siblings = statements_of(node.parent)
        at = siblings.index(node)
        last = reindented(context, *rows(node), 4)
        indent = context.indent(node)
        for start in siblings[max(0, at - 4) : at]:
            if is_text(start) or last is None:
                continue
            first, end = rows(start)[0], rows(node)[0] - 1
            body = reindented(context, first, end, 4)
            while body and not body[-1].strip():
                body.pop()
            if body:
                lines = [f"{indent}try:\n", *body, f"{indent}finally:\n", *last]
                title = f"Try {named(start)}, finally {named(node)} even where it fails"
                yield title, replace_lines(first, rows(node)[1], lines)
                after = siblings[at + 1] if at + 1 < len(siblings) else None
                if after is not None and after.type == "return_statement":
                    moved = reindented(context, *rows(after), 4)
                    lines = [f"{indent}try:\n", *body, *(moved or []), f"{indent}finally:\n", *last]
                    if moved is not None:
                        yield f"{title}, return inside", replace_lines(first, rows(after)[1], lines)
        following = siblings[at + 1 :]
        if (
            following
            and last is not None
            and arguments.words & {"finally", "restore", "always", "fails", "even"}
        ):
            end = rows(following[-1])[1]
            for statement in [s for s in requested_statements(context, arguments) if "\n" not in s][:2]:
                body = reindented(context, rows(following[0])[0], end, 4)
                if body is not None:
                    lines = [f"{indent}try:\n", *body, f"{indent}finally:\n", f"{indent}    {statement}\n"]
                    yield (
                        f"Try the rest, finally {statement}",
                        replace_lines(rows(following[0])[0], end, lines),
                    )


def _types(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What an `except` clause catches."""
    errors = list(dict.fromkeys(arguments.exceptions))[:3]
    for clause in context.starting("except_clause"):
        line = clause.start_point[0] + 1
        head = context.view(line, line)[0]
        found = re.fullmatch(r"(\s*except)(?: (\(.*\)|[\w.]+))?( as \w+)?:(.*\n)", head)
        if found is None:
            continue
        start, caught, alias, end = found[1], found[2] or "", found[3] or "", found[4]
        old = [part.strip() for part in caught.strip("()").split(",") if part.strip()]
        news: dict[str, str] = {}
        for error in errors or ["Exception"]:
            news[error] = f"Catch {error} alone"
            if old and error not in old:
                news[f"({', '.join([*old, error])})"] = f"Catch {error}, too"
        if len(errors) > 1:
            news[f"({', '.join(errors)})"] = f"Catch {' and '.join(errors)}"
            news[f"({', '.join(dict.fromkeys([*old, *errors]))})"] = f"Catch {' and '.join(errors)}, too"
        for part in old if len(old) > 1 else ():
            news[part] = f"Catch {part} alone"
            rest = [other for other in old if other != part]
            news[rest[0] if len(rest) == 1 else f"({', '.join(rest)})"] = f"Do not catch {part}"
        news.setdefault("Exception", "Catch Exception")
        for new, title in news.items():
            yield (
                f"{title}, not {caught or 'everything'}",
                replace_lines(line, line, [f"{start} {new}{alias}:{end}"]),
            )
        if alias:
            yield f"Catch {caught} without a name", replace_lines(line, line, [f"{start} {caught}:{end}"])
        else:
            for name in dict.fromkeys([*[*(n for n in arguments.names if len(n) < 6)][:2], "e", "exc"]):
                yield (
                    f"Catch {caught} as {name}",
                    replace_lines(line, line, [f"{start} {caught or 'Exception'} as {name}:{end}"]),
                )


def _handlers(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """What a handler does, one more handler, no handler."""
    jumps = requested_jumps(context, arguments)
    actions = [
        *jumps,
        *list(logging_calls(context, arguments))[:4],
        *requested_statements(context, arguments),
    ]
    if arguments.words & {"raise", "reraise", "re", "rethrow", "swallow", "swallowed", "swallowing"}:
        actions.insert(0, "raise")
    actions = list(dict.fromkeys([*actions, "pass"]))[:8]
    errors = list(dict.fromkeys(arguments.exceptions))[:2]
    for node in context.walk("try_statement"):
        clauses = clauses_of(context, node)
        if not clauses:
            continue
        indent = context.indent(node)
        handlers = [clause for clause in clauses if clause.word == "except"]
        for clause in handlers:
            inner = " " * clause.body.start_point[1]
            for action in actions:
                title = f"{action[0].upper()}{action[1:]} in {named(clause.node)}"
                yield (
                    f"{title}, nothing else",
                    replace_lines(clause.first, clause.last, [f"{inner}{action}\n"]),
                )
                yield title, insert_lines(clause.first, [f"{inner}{action}\n"])
                if not clause.leaves:
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


def _merge(context: RefactoringContext, handlers: list[Clause], indent: str) -> Iterator[Proposal]:
    for one, two in itertools.pairwise(handlers):
        if context.view(one.first, one.last) == context.view(two.first, two.last):
            kinds = [
                re.match(r"\s*except \(?([\w., ]+?)\)?:", context.view(c.head, c.head)[0]) for c in (one, two)
            ]
            if kinds[0] is not None and kinds[1] is not None:
                line = f"{indent}except ({kinds[0][1]}, {kinds[1][1]}):\n"
                yield (
                    "Merge the except clauses into one",
                    replace_lines(one.head, two.last, [line, *context.view(two.first, two.last)]),
                )


def _split(context: RefactoringContext, handlers: list[Clause]) -> Iterator[Proposal]:
    for clause in handlers:
        found = re.match(r"(\s*except) \(([\w., ]+)\)( as \w+)?:", context.view(clause.head, clause.head)[0])
        if found is not None:
            body = context.view(clause.first, clause.last)
            lines: list[str] = []
            for kind in filter(None, (part.strip() for part in found[2].split(","))):
                lines += [f"{found[1]} {kind}{found[3] or ''}:\n", *body]
            yield "Split the except clause, one each", replace_lines(clause.head, clause.last, lines)


def _else(context: RefactoringContext, found: Sequence[Clause]) -> Iterator[Proposal]:
    """The last statements of a `try`, which cannot fail as meant, in an `else`."""
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


def _suppress(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    text = "".join(context.lines)
    name = "suppress" if re.search(r"from contextlib import .*\bsuppress\b", text) else "contextlib.suppress"
    for node in context.walk("try_statement"):
        clauses = clauses_of(context, node)
        if (
            len(clauses) != 2
            or clauses[1].word != "except"
            or [s.type for s in clauses[1].statements] != ["pass_statement"]
        ):
            continue
        found = re.match(r"\s*except \(?([\w., ]+?)\)?:", context.view(clauses[1].head, clauses[1].head)[0])
        if found is not None:
            line = f"{context.indent(node)}with {name}({found[1]}):\n"
            body = context.view(clauses[0].first, clauses[0].last)
            yield f"Use {name}", replace_lines(clauses[0].head, clauses[1].last, [line, *body])


def _hasattr(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    """A look before the leap, in place of `try`: `hasattr` for `AttributeError`, `in` for `KeyError`."""
    for node in context.walk("try_statement"):
        clauses = clauses_of(context, node)
        if len(clauses) != 2 or clauses[1].word != "except":
            continue
        head = context.view(clauses[1].head, clauses[1].head)[0]
        indent = context.indent(node)
        for place in context.walk("attribute", "subscript"):
            first, last = rows(place)
            if not (clauses[0].first <= first and last <= clauses[0].last):
                continue
            of = place.child_by_field_name("object") or place.child_by_field_name("value")
            key = place.child_by_field_name("attribute") or place.child_by_field_name("subscript")
            if of is None or key is None:
                continue
            tests = []
            if place.type == "attribute" and "AttributeError" in head:
                tests.append((f'hasattr({text_of(of)}, "{text_of(key)}")', "hasattr"))
            if place.type == "subscript" and "KeyError" in head:
                tests.append((f"{text_of(key)} in {text_of(of)}", "in"))
            for test, word in tests:
                yield (
                    f"Use {word} instead of the try/except: if {test}",
                    (
                        *replace_lines(clauses[0].head, clauses[0].head, [f"{indent}if {test}:\n"]),
                        *replace_lines(clauses[1].head, clauses[1].head, [f"{indent}else:\n"]),
                    ),
                )


def _causes(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """`raise` with another cause: one that gets its name for it, or none."""
    for clause in context.starting("except_clause"):
        line = clause.start_point[0] + 1
        head = context.view(line, line)[0]
        found = re.fullmatch(r"(\s*except(?: \(.*\)| [\w.]+)?)( as (\w+))?:(.*\n)", head)
        if found is None:
            continue
        for node in context.walk("raise_statement"):
            if (
                not (clause.start_byte < node.start_byte and node.end_byte <= clause.end_byte)
                or not node.named_children
            ):
                continue
            cause = node.child_by_field_name("cause")
            end = text_of(node)
            base = end[: end.rindex(" from ")] if cause is not None else end
            first, last = rows(node)
            if cause is not None:
                lines = f"{context.indent(node)}{base}\n"
                yield "Raise without from", replace_lines(first, last, [lines])
            names = (
                [found[3]]
                if found[3]
                else list(
                    dict.fromkeys(
                        [n for n in arguments.names if n in ("e", "exc", "err", "ex", "error")]
                        + ["e", "exc", "err"]
                    )
                )
            )
            kind = found[1] if found[1].strip() != "except" else f"{found[1]} Exception"
            for name in names:
                made = replace_lines(first, last, [f"{context.indent(node)}{base} from {name}\n"])
                renamed: Edits = (
                    () if found[3] else replace_lines(line, line, [f"{kind} as {name}:{found[4]}"])
                )
                yield f"Chain the exception, raise from {name} as the cause", renamed + made
            yield "Raise from None", replace_lines(first, last, [f"{context.indent(node)}{base} from None\n"])
            yield (
                "Re-raise the original, bare raise",
                replace_lines(first, last, [f"{context.indent(node)}raise\n"]),
            )


def _raised(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    """Another type raised; a return or a raise in place of the other."""
    jumps = requested_jumps(context, arguments, 6)
    for node in plain_statements(
        context,
        "raise_statement",
        "return_statement",
        "pass_statement",
        "continue_statement",
        "break_statement",
    ):
        if node.type == "raise_statement" and node.named_children:
            error = node.named_children[0]
            called = error.child_by_field_name("function") if error.type == "call" else error
            for name in arguments.exceptions[:3] if called is not None else ():
                assert called is not None
                yield f"Raise {name} instead of {text_of(called)}", replace_node(context.lines, called, name)
        for jump in jumps:
            lines = [f"{context.indent(node)}{jump}\n"]
            title = f"{jump[0].upper()}{jump[1:]} instead of {named(node)}"
            yield title, replace_lines(*rows(node), lines)


TRY = Refactoring("try", "refactor.surround.tryExcept", _wrap)
TRY_FINALLY = Refactoring("try_finally", "refactor.surround.tryFinally", _finally)
CAUGHT_TYPES = Refactoring("caught_types", "refactor.rewrite.caughtTypes", _types)
HANDLERS = Refactoring("handlers", "refactor.rewrite.handlers", _handlers)
SUPPRESS = Refactoring("suppress", "refactor.rewrite.suppress", _suppress)
LOOK_FIRST = Refactoring("look_first", "refactor.rewrite.lookFirst", _hasattr)
CAUSES = Refactoring("causes", "refactor.rewrite.causes", _causes)
JUMP_INSTEAD = Refactoring("jump_instead", "refactor.rewrite.jumpInstead", _raised)
