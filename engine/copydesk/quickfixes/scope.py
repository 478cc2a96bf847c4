"""Where a request may write when it does not say so itself.

For a diagnostic: the smallest statement round it; for an undefined name or a missing import the import block as well; and the
lines that the tool or a quick fix may change. For a syntax error: the lines round it and the block they are in. Statements come
from a syntax tree; languages without one get the block that indentation and blank lines mark. A scope in the request wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node, Tree

from copydesk.errors import ScopeError
from copydesk.quickfixes.handler import FixContext
from copydesk.quickfixes.handlers.linter_fix import edited_lines
from copydesk.quickfixes.kinds import BLANK_LINE_KINDS, DEFAULT_KINDS, NAME_KINDS, DiagnosticKind
from copydesk.quickfixes.messages import SyntaxHint, syntax_hints
from copydesk.quickfixes.registry import QuickFixes, quick_fixes
from copydesk.request import Diagnostic, EditRequest, Range, normalise_scope
from copydesk.syntax.import_block import import_block, import_point
from copydesk.syntax.tree import parse, point, rows
from copydesk.text.document import terminator

STATEMENT_LINES = 20
"""No statement's scope is longer."""
LOOK_BACK = 6
"""How far above a syntax error the line is looked for that may have caused it."""
IMPORT_LINES = 16
"""As many lines as a page's header shows by default; a scope that the header does not show would need a cold
page.
"""

# Nodes whose children are statements.
_BODIES = frozenset(
    {
        "module",
        "block",
        "program",
        "statement_block",
        "class_body",
        "switch_body",
        "switch_case",
        "switch_default",
    }
)


def resolve_scope(
    lines: Sequence[str],
    request: EditRequest,
    language: str,
    import_lines: int = IMPORT_LINES,
    tree: Tree | None = None,
    fixes: Sequence[QuickFixes] | None = None,
) -> list[Range]:
    """The scope of `request` in the document `lines`, normalised (`normalise_scope`).

    The request's own scope wins; without one it is drawn from the diagnostics; an instruction alone may
    change the whole file. `import_lines` bounds the import block (`EditFormat.header_lines`); `tree` saves
    parsing `lines` again, and `fixes`, of each diagnostic, saves asking for them again. Raises ScopeError for what is
    outside the document.
    """
    count = len(lines)
    if request.scope is not None:
        return normalise_scope(request.scope, count)
    if not request.diagnostics:
        return [(1, count)]
    ranges: list[Range] = []
    tree = tree if tree is not None else parse(lines, language)
    if fixes is None:
        fixes = [quick_fixes(d, lines, language, tree, import_lines) for d in request.diagnostics]
    for known in fixes:
        ranges += diagnostic_scope(known)
    return normalise_scope(ranges, count)


def diagnostic_scope(fixes: QuickFixes) -> list[Range]:
    """The ranges one diagnostic opens. Raises ScopeError for one outside the document."""
    context = fixes.context
    diagnostic, kind, tree = context.diagnostic, context.kind, context.tree
    lines, language = context.lines, context.language
    count = len(lines)
    first, last = diagnostic.lines
    if first > count + 1 or (first > 1 and first == count + 1 and not terminator(lines[-1])):
        raise ScopeError(f"a diagnostic at line {first} is outside the document, which has {count} lines")
    if count == 0:
        return [(1, 0)]
    first, last = (
        min(first, count),
        min(last, count),
    )  # tools point at the empty line behind the final terminator
    scope = [_place(context, (first, last))]
    if kind is DiagnosticKind.UNNECESSARY_ASSIGNMENT:  # the assignment above goes, too
        above = next((k for k in range(scope[0][0] - 1, 0, -1) if _is_code(lines[k - 1])), scope[0][0])
        scope[0] = (max(above, scope[0][1] - STATEMENT_LINES + 1), scope[0][1])
    if kind in NAME_KINDS or kind is DiagnosticKind.STANDARD_LIBRARY_ALTERNATIVE:
        block = import_block(lines, language, context.header_lines or None)
        if block is None:
            at = import_point(lines, language)
            # Behind a last line without terminator nothing can be inserted: that line itself has to change.
            block = (at, at - 1) if at <= count or terminator(lines[-1]) else (count, count)
        scope.append(block)
    if tree is not None and kind in DEFAULT_KINDS:
        scope += _body_start(tree, point(lines, first - 1, diagnostic.start.character))
    if diagnostic.fixes:
        scope += [edited_lines(edit, count) for fix in diagnostic.fixes for edit in fix.edits]
    else:
        scope += [(part.first, part.last) for part in fixes.beyond_statement()]
    return scope


def _place(context: FixContext, at: Range) -> Range:
    lines, diagnostic, tree = context.lines, context.diagnostic, context.tree
    if context.kind is DiagnosticKind.SYNTAX_ERROR:
        if SyntaxHint.OPEN_BRACKET in syntax_hints(diagnostic.message):
            return syntax_block(lines, at[0], _bracket_end(lines, *at))
        return syntax_block(lines, *at)
    if not any(line.strip() for line in lines[at[0] - 1 : at[1]]):
        return _blank_run(lines, *at)
    found = _statement(lines, diagnostic, at, tree) if tree is not None else indented_block(lines, *at)
    if context.kind in BLANK_LINE_KINDS:
        while found[0] > 1 and not lines[found[0] - 2].strip():
            found = (found[0] - 1, found[1])  # the blank lines above are what it is about
    return found


def _statement(lines: Sequence[str], diagnostic: Diagnostic, at: Range, tree: Tree) -> Range:
    """The smallest statement that covers the diagnostic, or the largest part of it within the limit."""
    begin = point(lines, at[0] - 1, diagnostic.start.character if diagnostic.start.line == at[0] - 1 else 0)
    end = point(lines, at[1] - 1, diagnostic.end.character if diagnostic.end.line == at[1] - 1 else 1 << 30)
    begin = _skip_blanks(lines, at[0], begin)
    leaf = tree.root_node.descendant_for_point_range(begin, max(begin, end))
    chain: list[Node] = []
    node = leaf
    while node is not None and node.type not in _BODIES:
        if node.type == "ERROR":
            return syntax_block(lines, *at)
        chain.append(node)
        node = node.parent
    if chain:
        fitting = [node for node in chain if _length(rows(node)) <= STATEMENT_LINES]
        return rows(fitting[-1]) if fitting else cut(at, rows(chain[0]))
    # Several statements, or white space between them: those that the diagnostic touches.
    touched = [
        rows(child) for child in (leaf.children if leaf is not None else []) if _touch(rows(child), at)
    ]
    if not touched:
        return indented_block(lines, *at)
    whole = (min(at[0], touched[0][0]), max(at[1], touched[-1][1]))
    return whole if _length(whole) <= STATEMENT_LINES else cut(at, whole)


def _skip_blanks(lines: Sequence[str], line: int, place: tuple[int, int]) -> tuple[int, int]:
    """A diagnostic that starts in the indentation means the code behind it."""
    text = lines[line - 1]
    indent = len(text) - len(text.lstrip())
    return (place[0], indent) if place[0] == line - 1 and place[1] < indent and text.strip() else place


def syntax_block(lines: Sequence[str], first: int, last: int) -> Range:
    """The lines round a syntax error and the small block they are in.

    Parsers speak one line late (a missing colon, an unclosed bracket) or early (a missing body), so the code
    lines before, past blank lines and comments, and behind belong to it; the block then grows to the lines at
    least as deep, up to a blank line, within the limit.
    """
    before = next(
        (k for k in range(first - 1, max(0, first - LOOK_BACK - 1), -1) if _is_code(lines[k - 1])), first
    )
    after = last + 1 if last < len(lines) and lines[last].strip() else last
    return indented_block(lines, before, after, (first, last))


def indented_block(lines: Sequence[str], first: int, last: int, keep: Range | None = None) -> Range:
    """The run of lines round `first..last`, up to a blank line, that are indented at least as deep; centred
    on `keep` if too long.
    """
    depth = min((_indent(line) for line in lines[first - 1 : last] if line.strip()), default=0)
    top, bottom = first, last
    while top > 1 and lines[top - 2].strip() and _indent(lines[top - 2]) >= depth:
        top -= 1
    while bottom < len(lines) and lines[bottom].strip() and _indent(lines[bottom]) >= depth:
        bottom += 1
    return cut(keep or (first, last), (top, bottom))


def cut(keep: Range, block: Range) -> Range:
    """At most STATEMENT_LINES lines of `block`, with those of `keep` in their middle (its first lines if it
    is longer itself).
    """
    if _length(block) <= STATEMENT_LINES:
        return block
    if _length(keep) >= STATEMENT_LINES:
        return keep[0], keep[0] + STATEMENT_LINES - 1
    top = max(block[0], min(keep[0] - (STATEMENT_LINES - _length(keep)) // 2, block[1] - STATEMENT_LINES + 1))
    return top, top + STATEMENT_LINES - 1


def _bracket_end(lines: Sequence[str], first: int, last: int) -> int:
    """The line at which a bracket opened on line `first` must be closed by: the next one no deeper than it."""
    depth = _indent(lines[first - 1])
    for k in range(last + 1, min(len(lines), first + STATEMENT_LINES - 2) + 1):
        if lines[k - 1].strip() and _indent(lines[k - 1]) <= depth:
            return k
    return last


def _body_start(tree: Tree, at: tuple[int, int]) -> list[Range]:
    """The place behind the docstring of the function whose parameters are at `at`: there a default is made anew."""
    node = tree.root_node.descendant_for_point_range(at, at)
    while node is not None and node.type not in ("function_definition", "ERROR"):
        node = node.parent
    body = node.child_by_field_name("body") if node is not None else None
    if body is None:
        return []
    statements = [child for child in body.named_children if child.type != "comment"]
    first = statements[0] if statements else body
    if (
        first.type == "expression_statement"
        and first.named_children
        and first.named_children[0].type == "string"
    ):
        first = statements[1] if len(statements) > 1 else first
    line = first.start_point[0] + 1
    return [(line, line - 1)]


def _is_code(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith(("#", "//"))


def _blank_run(lines: Sequence[str], first: int, last: int) -> Range:
    while first > 1 and not lines[first - 2].strip():
        first -= 1
    while last < len(lines) and not lines[last].strip():
        last += 1
    return first, last


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def _length(lines: Range) -> int:
    return lines[1] - lines[0] + 1


def _touch(a: Range, b: Range) -> bool:
    return a[0] <= b[1] and b[0] <= a[1]
