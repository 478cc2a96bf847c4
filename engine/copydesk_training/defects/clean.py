"""Code with nothing to fix: a finding that no longer holds, a search for bugs where there are none, an
instruction that is already followed, words that ask for nothing in particular. The right program is one copy.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from random import Random

from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Position, split_lines
from copydesk_training.defects import (
    comments,
    flow,
    formatting,
    imports,
    names,
    rewording,
    semantics,
    signatures,
    style,
    syntax,
    whitespace,
)
from copydesk_training.defects.asks import ask
from copydesk_training.defects.broken import Broken, Defect
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.revision import functions, scope_of

Injector = Callable[[ParsedFile, Random], Defect | None]

_FIXED: tuple[Injector, ...] = (
    names.undefined_name,
    names.attribute_typo,
    names.missing_self,
    names.self_parameter,
    names.rename_leftover,
    imports.unused_import,
    syntax.missing_colon,
    syntax.missing_bracket,
    syntax.extra_bracket,
    syntax.missing_quote,
    syntax.missing_comma,
    syntax.keyword_typo,
    syntax.assignment_in_condition,
    semantics.none_comparison,
    semantics.true_comparison,
    semantics.mutable_default,
    semantics.bare_except,
    style.unused_variable,
    style.fstring_placeholder,
    style.not_in,
    style.not_is,
    style.type_comparison,
    whitespace.trailing_whitespace,
    whitespace.blank_whitespace,
)
"""Defects whose diagnostic, left behind on the mended line, can be seen to be out of date."""
_DONE: tuple[Injector, ...] = (
    rewording.rename,
    rewording.constant,
    signatures.type_hint,
    signatures.parameter,
    signatures.default,
    signatures.docstring,
    signatures.guard,
    rewording.extract,
    rewording.inline,
    formatting.fstring,
    flow.remove_prints,
    comments.comment,
    comments.remove_comments,
    flow.add_print,
)
"""Instructions whose result shows that nothing is left to do."""
MOVED = 0.35
"""The share of stale diagnostics that point at another line than the one that was mended."""
_MOVES = (*range(-12, 0), *range(1, 13))


def stale_diagnostic(file: ParsedFile, rng: Random) -> Defect | None:
    """A diagnostic of a defect that is mended already; now and then of another line, as the code has moved since."""
    for inject in rng.sample(_FIXED, 3):
        found = inject(file, rng)
        if found is None or not found.request.diagnostics or found.after != file.text:
            continue
        lines = split_lines(file.text)
        by = rng.choice(_MOVES) if rng.random() < MOVED else 0
        diagnostics = [_clamped(_moved(d, by, len(lines)), lines) for d in found.request.diagnostics]
        return Defect(file.text, file.text, EditRequest(diagnostics=diagnostics))
    return None


def _moved(diagnostic: Diagnostic, by: int, count: int) -> Diagnostic:
    """`by` lines farther down, inside a text of `count` lines."""
    by = min(max(by, -diagnostic.start.line), max(0, count - 1 - diagnostic.end.line))
    start, end = (Position(p.line + by, p.character) for p in (diagnostic.start, diagnostic.end))
    return replace(diagnostic, start=start, end=end)


def _clamped(diagnostic: Diagnostic, lines: list[str]) -> Diagnostic:
    def inside(position: Position) -> Position:
        line = min(position.line, max(0, len(lines) - 1))
        width = len(lines[line].rstrip("\n")) if lines else 0
        return (
            Position(line, min(position.character, width)) if position.line == line else Position(line, width)
        )

    start, end = inside(diagnostic.start), inside(diagnostic.end)
    return replace(diagnostic, start=start, end=max(start, end))


def no_bug(file: ParsedFile, rng: Random) -> Defect | None:
    """A request to look for bugs in a function that has none."""
    found = functions(file)
    if not found:
        return None
    request = EditRequest(
        scope=[scope_of(Broken(file, ()), rng.choice(found))], instruction=ask(rng, "check")
    )
    return Defect(file.text, file.text, request, False)


def unclear(file: ParsedFile, rng: Random) -> Defect | None:
    """Words from which nothing follows ("hmm", "make it better"), about a function or one of its lines."""
    found = functions(file)
    if not found:
        return None
    function = rng.choice(found)
    selected: ast.stmt = rng.choice(function.body) if rng.random() < 0.3 else function
    request = EditRequest(scope=[scope_of(Broken(file, ()), selected)], instruction=ask(rng, "unclear"))
    return Defect(file.text, file.text, request, False)


def already_done(file: ParsedFile, rng: Random) -> Defect | None:
    """An instruction that the code follows already."""
    for inject in rng.sample(_DONE, 3):
        found = inject(file, rng)
        if found is None or found.request.scope is None:
            continue
        grown = found.after.count("\n") - found.before.count("\n")
        scope = [(first, last + grown) for first, last in found.request.scope]
        request = EditRequest(scope=scope, instruction=found.request.instruction)
        return Defect(found.after, found.after, request)
    return None
