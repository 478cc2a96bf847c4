"""All quick fixes, and the one place where they are asked: which edits may fix a diagnostic, and whether it still applies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from tree_sitter import Tree

from copydesk.quickfixes.handler import Candidates, FixContext, Handler
from copydesk.quickfixes.handlers.ambiguous_name import AmbiguousName
from copydesk.quickfixes.handlers.bare_except import BareExcept
from copydesk.quickfixes.handlers.blank_lines import BlankLines
from copydesk.quickfixes.handlers.code_metric import CodeMetric
from copydesk.quickfixes.handlers.comparison import Comparison
from copydesk.quickfixes.handlers.final_newline import FinalNewline
from copydesk.quickfixes.handlers.fixed_by_linter import FixedByLinter
from copydesk.quickfixes.handlers.lambda_assignment import LambdaAssignment
from copydesk.quickfixes.handlers.linter_fix import proposed_edits
from copydesk.quickfixes.handlers.loop_variable_capture import LoopVariableCapture
from copydesk.quickfixes.handlers.missing_await import MissingAwait
from copydesk.quickfixes.handlers.missing_f_prefix import MissingFPrefix
from copydesk.quickfixes.handlers.missing_import import MissingImport
from copydesk.quickfixes.handlers.missing_indent import MissingIndent
from copydesk.quickfixes.handlers.missing_keyword_argument import MissingKeywordArgument
from copydesk.quickfixes.handlers.missing_self import MissingSelf
from copydesk.quickfixes.handlers.misspelt_keyword import MisspeltKeyword
from copydesk.quickfixes.handlers.multiple_statements import MultipleStatements
from copydesk.quickfixes.handlers.mutable_class_default import MutableClassDefault
from copydesk.quickfixes.handlers.mutable_default import MutableDefault
from copydesk.quickfixes.handlers.negation import Negation
from copydesk.quickfixes.handlers.open_without_with import OpenWithoutWith
from copydesk.quickfixes.handlers.overwritten_loop_variable import OverwrittenLoopVariable
from copydesk.quickfixes.handlers.pattern_not_raw import PatternNotRaw
from copydesk.quickfixes.handlers.raise_without_from import RaiseWithoutFrom
from copydesk.quickfixes.handlers.star_after_keyword import StarAfterKeyword
from copydesk.quickfixes.handlers.suppressed_error import SuppressedError
from copydesk.quickfixes.handlers.swapped_arguments import SwappedArguments
from copydesk.quickfixes.handlers.syntax_error import UnparsableText
from copydesk.quickfixes.handlers.unresolved_name import UnresolvedName
from copydesk.quickfixes.handlers.unused_import import UnusedImport
from copydesk.quickfixes.handlers.unused_variable import UnusedVariable
from copydesk.quickfixes.kinds import DiagnosticKind, classify
from copydesk.quickfixes.replacement import Replacement
from copydesk.request import Diagnostic, Range
from copydesk.syntax.import_block import import_block, import_point
from copydesk.text.line_edit import LineEdit

WIDEST = 40
"""Lines from the first to the last that an edit beyond its statement may span, imports apart: with the lines round them that is
as much as a page shows."""


@cache
def all_handlers() -> tuple[Handler, ...]:
    """Every quick fix. Of those for one kind, the first is preferred."""
    return (
        MissingImport(),
        MissingIndent(),
        UnparsableText(),
        UnresolvedName(),
        MisspeltKeyword(),
        AmbiguousName(),
        BareExcept(),
        BlankLines(),
        CodeMetric(),
        Comparison(),
        FinalNewline(),
        FixedByLinter(),
        LambdaAssignment(),
        LoopVariableCapture(),
        MissingAwait(),
        MissingFPrefix(),
        MissingKeywordArgument(),
        MissingSelf(),
        MutableClassDefault(),
        MutableDefault(),
        Negation(),
        OpenWithoutWith(),
        OverwrittenLoopVariable(),
        PatternNotRaw(),
        RaiseWithoutFrom(),
        MultipleStatements(),
        StarAfterKeyword(),
        SuppressedError(),
        SwappedArguments(),
        UnusedImport(),
        UnusedVariable(),
    )


def handlers_of(kind: DiagnosticKind | None) -> Sequence[Handler]:
    """The handlers of a kind, the preferred one first."""
    return _by_kind().get(kind, ()) if kind is not None else ()


@cache
def _by_kind() -> dict[DiagnosticKind, list[Handler]]:
    found: dict[DiagnosticKind, list[Handler]] = defaultdict(list)
    for handler in all_handlers():
        for kind in handler.kinds:
            found[kind].append(handler)
    return dict(found)


class QuickFixes:
    """The quick fixes of one diagnostic in one request. Each handler is asked for its candidates at most once, and not before
    they are needed. Raises: never.
    """

    def __init__(self, context: FixContext) -> None:
        self.context = context
        self._handlers: Sequence[Handler] = ()
        if context.language == "python" and context.diagnostic.start.line < len(context.lines):
            self._handlers = handlers_of(context.kind)
        self._found: dict[int, Candidates | None] = {}
        self._still_applies: bool | None = None

    def beyond_statement(self) -> list[LineEdit]:
        """What may change beyond the flagged statement, so that the scope can take it in."""
        asked = [
            self._candidates(k, self.context)
            for k, handler in enumerate(self._handlers)
            if handler.widens_scope
        ]
        return [part for found in asked if found is not None for edit in found.edits for part in edit]

    def candidates(self, scope: Sequence[Range]) -> Iterator[Candidates]:
        """What may fix the diagnostic where a request may write in `scope`, by preference: what the tool proposes, then what each
        handler answers. The scope is the same in every call.
        """
        proposed = proposed_edits(self.context.diagnostic, self.context.lines)
        if proposed is not None:
            yield proposed
        context = self.context.within(scope)
        for k in range(len(self._handlers)):
            found = self._candidates(k, context)
            if found is not None:
                yield found

    def replacement(self) -> Replacement | None:
        """What the model may write in one place, where it writes; None where that is not narrowed."""
        found = (handler.replacement(self.context) for handler in self._handlers)
        return next((each for each in found if each is not None), None)

    def refusal(self, scope: Sequence[Range]) -> str | None:
        """Why nothing is offered; None where there are candidates, or the model may write."""
        if next(self.candidates(scope), None) is not None:
            return None
        context = self.context.within(scope)
        return next((said for each in self._handlers if (said := each.refusal(context)) is not None), None)

    def still_applies(self) -> bool:
        """False where the lines show that the diagnostic is out of date."""
        if self._still_applies is None:
            self._still_applies = all(handler.still_applies(self.context) for handler in self._handlers)
        return self._still_applies

    def _candidates(self, k: int, context: FixContext) -> Candidates | None:
        if k not in self._found:
            handler = self._handlers[k]
            found = handler.candidates(context)
            self._found[k] = _near(found, context) if found is not None and handler.widens_scope else found
        return self._found[k]


def quick_fixes(
    diagnostic: Diagnostic,
    lines: Sequence[str],
    language: str,
    tree: Tree | None = None,
    header_lines: int = 0,
) -> QuickFixes:
    """The quick fixes of a diagnostic. `tree` is that of `lines`; header_lines: lines of the import block that may change, 0 for
    all.
    """
    return QuickFixes(FixContext(diagnostic, classify(diagnostic), lines, language, tree, header_lines))


def _near(found: Candidates, context: FixContext) -> Candidates | None:
    """Those of the edits that a page can show."""
    first, last = context.diagnostic.lines
    block = import_block(context.lines, "python", context.header_lines or None)
    top = block[1] if block is not None else import_point(context.lines, "python") - 1
    kept = []
    for edit in found.edits:
        apart = [part for part in edit if part.last > top]  # every page shows the imports
        end = max([last, *(part.last for part in apart)])
        begin = min([first, *(part.first for part in apart)])
        if end - begin < WIDEST:
            kept.append(edit)
    return replace(found, edits=tuple(kept)) if kept else None
