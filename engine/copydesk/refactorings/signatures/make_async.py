"""A coroutine in place of a function, which awaits what it calls."""

from __future__ import annotations

from collections.abc import Iterator

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import Edits, insert_at
from copydesk.syntax.splice import Splice, spliced, start_of
from copydesk.syntax.tree import rows, text_of

_WORDS = frozenset({"async", "coroutine", "awaitable", "await", "awaited"})


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    for function in context.walk("function_definition"):
        if text_of(function).startswith("async"):
            continue
        first, last = rows(function)
        awaited: list[Splice] = []
        names: list[str] = []
        for call in context.walk("call"):
            called = call.child_by_field_name("function")
            inside = first < rows(call)[0] <= last and (call.parent is None or call.parent.type != "await")
            if called is not None and inside and arguments.mentions(text_of(called)):
                awaited.append(Splice(start_of(call), start_of(call), "await "))
                names.append(text_of(called))
        if not awaited and arguments.words & _WORDS:
            yield "Make it a coroutine, async", insert_at(context.lines, start_of(function), "async ")
        if awaited:
            head = Splice(start_of(function), start_of(function), "async ")
            edits: Edits = spliced(context.lines, [head, *awaited])
            yield f"Make it a coroutine that awaits {', '.join(dict.fromkeys(names))}", edits


MAKE_ASYNC = Refactoring("make_async", "refactor.rewrite.makeAsync", _propose)
