"""Default scopes. In the examples `[|…|]` is what the diagnostic covers, `> ` marks lines in scope, `^` an insertion point."""

from __future__ import annotations

import random
import textwrap

import pytest

from copydesk.errors import ScopeError
from copydesk.quickfixes.kinds import NAME_KINDS, classify, is_syntax_error
from copydesk.quickfixes.scope import resolve_scope
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.syntax.import_block import import_block, import_point
from copydesk.syntax.tree import LiveSyntax, Parsed
from copydesk.text.document import Position, TextLines, split_lines

UNDEFINED = {"message": "Undefined name `nul`", "code": "F821", "source": "Ruff"}
PLAIN = {"message": "Unused thing", "code": "X1"}
SYNTAX = {"message": "SyntaxError: expected ':'", "code": "invalid-syntax"}
BLANKS = {"message": "Too many blank lines (3)", "code": "E303"}


def read(example: str) -> tuple[list[str], list[Range], Position, Position]:
    lines: list[str] = []
    ranges: list[Range] = []
    marks: list[Position] = []
    for raw in textwrap.dedent(example).removeprefix("\n").splitlines():
        if raw.rstrip() == "^":
            ranges.append((len(lines) + 1, len(lines)))
            continue
        gutter, text = raw[:2].ljust(2), raw[2:]
        for mark in ("[|", "|]"):
            if mark in text:
                marks.append(Position(len(lines), text.index(mark)))
                text = text.replace(mark, "", 1)
        lines.append(text + "\n")
        if gutter == "> ":
            n = len(lines)
            if ranges and ranges[-1][1] == n - 1 and ranges[-1][0] < n:
                ranges[-1] = (ranges[-1][0], n)
            else:
                ranges.append((n, n))
    start, end = marks
    return lines, ranges, start, end


def check(example: str, diagnostic: dict[str, str], language: str = "python") -> None:
    lines, expected, start, end = read(example)
    request = EditRequest(diagnostics=[Diagnostic(start, end, **diagnostic)])  # type: ignore[arg-type]
    assert resolve_scope(lines, request, language) == expected


EXAMPLES = {
    "simple statement": (
        PLAIN,
        """
        . def f(a):
        .     b = 1
        >     return [|a|] + b
        """,
    ),
    "statement over several lines": (
        PLAIN,
        """
        . def f(a):
        >     return g(
        >         a,
        >         [|b|],
        >     )
        """,
    ),
    "two statements": (
        PLAIN,
        """
        . def f(a):
        .     a = 0
        >     [|b = 1
        >     c = 2|]
        .     d = 3
        """,
    ),
    "short compound statement from its header": (
        PLAIN,
        """
        . x = 1
        > if [|x|]:
        >     y = 2
        > else:
        >     y = 3
        . z = 4
        """,
    ),
    "decorated function": (
        PLAIN,
        """
        . x = 1
        > @cache
        > def [|f|](a):
        >     return a
        """,
    ),
    "diagnostic that starts in the indentation": (
        PLAIN,
        """
        . def f(a):
        .     a = 0
        > [|    b = 1|]
        """,
    ),
    "default: its function's header and the place behind the docstring": (
        {
            "message": "Do not use mutable data structures for argument defaults",
            "code": "B006",
            "source": "Ruff",
        },
        "\n".join(
            [
                "",
                "> def f(a=[|[]|]):",
                '.     """Doc."""',
                "^",
                *(f".     a{k} = 1" for k in range(22)),
            ]
        ),
    ),
    "bracket never closed: down to a line no deeper": (
        {"message": "'[' was never closed", "code": "invalid-syntax"},
        """
        > def f(a):
        >     x = [|[|]
        >         a,
        >
        >     return x
        """,
    ),
    "syntax error behind a comment: the code before it": (
        SYNTAX,
        """
        . def f(a):
        >     x = g(a
        >
        >     # about y
        >     [|y|] = 1
        """,
    ),
    "unneeded assignment: the line above, too": (
        {"message": "Unnecessary assignment to `x` before `return` statement", "code": "RET504"},
        """
        . def f(a):
        .     b = 1
        >     x = a
        >     return [|x|]
        """,
    ),
    "suggestion from a module: the imports, too": (
        {"message": "Use `contextlib.suppress(KeyError)` instead of `try`-`except`-`pass`", "code": "SIM105"},
        """
        > import os
        .
        > [|try:
        >     os.remove(a)
        > except KeyError:
        >     pass|]
        """,
    ),
    "name: the statement and the imports": (
        UNDEFINED,
        '''
        . """Doc."""
        . from __future__ import annotations
        .
        > import os
        >
        > from a import (
        >     b,
        > )
        .
        .
        . def f(x):
        .     y = os
        >     return [|nul|]
        ''',
    ),
    "name: no imports yet": (
        UNDEFINED,
        '''
        . #!/usr/bin/env python
        . """Doc."""
        ^
        .
        > print([|nul|])
        . x = 1
        ''',
    ),
    "name: only a future import": (
        UNDEFINED,
        """
        . from __future__ import annotations
        ^
        .
        > print([|nul|])
        """,
    ),
    "name: bare file": (
        UNDEFINED,
        """
        . x = 1
        > print([|nul|])
        """,
    ),
    "name: guarded imports belong to the block": (
        UNDEFINED,
        """
        > import os
        > try:
        >     import json5
        > except ImportError:
        >     json5 = None
        .
        . if os:
        >     print([|nul|])
        """,
    ),
    "syntax: the missing colon is on the line before": (
        SYNTAX,
        """
        . x = 1
        .
        > def f(a)
        >     [|return|] a
        .
        . y = 2
        """,
    ),
    "syntax: the missing body is behind": (
        SYNTAX,
        """
        . x = 1
        .
        > def f(a):
        >
        > [|y|] = 2
        .
        . z = 3
        """,
    ),
    "blank lines above": (
        BLANKS,
        """
        . x = 1
        >
        >
        >
        > [|y|] = 2
        """,
    ),
    "white space": (
        PLAIN,
        """
        . x = 1
        > [| |]
        >
        . y = 2
        """,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_python(name: str) -> None:
    diagnostic, example = EXAMPLES[name]
    if name == "name: bare file":
        example = example.replace(". x = 1", "^\n        . x = 1")
    check(example, diagnostic)


def test_a_long_function_opens_its_header_alone() -> None:
    lines = ["x = 1\n", "def f(\n", "    a,\n", "    b,\n", "):\n", *(f"    x{n} = {n}\n" for n in range(30))]
    for line, character, expected in ((1, 4, (2, 2)), (2, 4, (2, 5)), (8, 4, (9, 9))):
        place = Diagnostic(Position(line, character), Position(line, character + 1), "x")
        assert resolve_scope(lines, EditRequest(diagnostics=[place]), "python") == [expected]


def test_a_long_string_opens_the_lines_round_the_diagnostic() -> None:
    lines = ['x = """\n', *(f"text {n} \n" for n in range(50)), '"""\n']
    place = Diagnostic(Position(30, 7), Position(30, 8), "trailing white space", "W291")
    ((first, last),) = resolve_scope(lines, EditRequest(diagnostics=[place]), "python")
    assert last - first + 1 == 20
    assert first < 31 < last


JAVASCRIPT = {
    "statement": (
        PLAIN,
        """
        . function f(a) {
        .   const b = 1;
        >   return [|a|] + b;
        . }
        """,
    ),
    "name": (
        {"message": "'nul' is not defined.", "code": "no-undef", "source": "eslint"},
        """
        . "use strict";
        > const fs = require("fs");
        > const {
        >   join,
        > } = require("path");
        .
        . function f(a) {
        >   return [|nul|];
        . }
        """,
    ),
    "name in a module": (
        {"message": "Cannot find name 'nul'.", "code": "2304", "source": "ts"},
        """
        > import fs from "fs";
        > import { join } from "path";
        .
        > class A { f() { return [|nul|]; } }
        """,
    ),
    "method": (
        PLAIN,
        """
        . class A {
        .   g() {}
        >   [|f|]() {
        >     return 1;
        >   }
        . }
        """,
    ),
}


@pytest.mark.parametrize("name", JAVASCRIPT)
def test_javascript(name: str) -> None:
    diagnostic, example = JAVASCRIPT[name]
    check(example, diagnostic, "javascript")


def test_another_language_falls_back_to_the_indented_block() -> None:
    check(
        """
        . #include <stdio.h>
        .
        . int main() {
        >   int a = 1;
        >   return [|b|];
        . }
        """,
        PLAIN,
        "c",
    )
    check(
        """
        > use std::io;
        > use std::fs::{
        >     self,
        > };
        .
        . fn main() {
        >   [|nul|]();
        . }
        """,
        {"message": "cannot find name `nul`"},
        "rust",
    )


def test_who_decides() -> None:
    lines = split_lines("a\nb\nc\n")
    place = Diagnostic(Position(0, 0), Position(0, 1), "x")
    assert resolve_scope(lines, EditRequest(scope=[(3, 3)], diagnostics=[place]), "python") == [(3, 3)]
    assert resolve_scope(lines, EditRequest(diagnostics=[place], instruction="do"), "python") == [(1, 1)]
    assert resolve_scope(lines, EditRequest(instruction="do"), "python") == [(1, 3)]
    assert resolve_scope([], EditRequest(instruction="do"), "python") == [(1, 0)]
    assert resolve_scope([], EditRequest(diagnostics=[place]), "python") == [(1, 0)]


def test_places_at_and_beyond_the_end() -> None:
    end = Diagnostic(Position(2, 0), Position(2, 0), "no newline at end of file", "W391")
    assert resolve_scope(["a\n", "b\n"], EditRequest(diagnostics=[end]), "python") == [(2, 2)]
    with pytest.raises(ScopeError, match="line 3"):
        resolve_scope(["a\n", "b"], EditRequest(diagnostics=[end]), "python")
    with pytest.raises(ScopeError, match="line 3"):
        resolve_scope(["a\n"], EditRequest(diagnostics=[end]), "python")


def test_no_insertion_point_behind_an_unterminated_line() -> None:
    place = Diagnostic(Position(0, 0), Position(0, 3), "undefined name 'x'")
    assert resolve_scope(['"""Doc."""'], EditRequest(diagnostics=[place]), "python") == [(1, 1)]


@pytest.mark.parametrize(
    "message",
    [
        "Undefined name `foo`",
        "undefined name 'foo'",
        '"foo" is not defined',
        "name 'foo' is not defined",
        'Name "foo" is not defined',
        "NameError: name 'foo' is not defined. Did you mean: 'fo'?",
        "Undefined variable 'foo'",
        'Import "foo" could not be resolved',
        "No module named 'foo'",
        "Unable to import 'foo'",
        "No name 'foo' in module 'bar'",
        'Cannot find implementation or library stub for module named "foo"',
        "Cannot find module 'foo' or its corresponding type declarations.",
        "'foo' is not defined.",
        "`foo` may be undefined, or defined from star imports",
    ],
)
def test_wordings_of_an_undefined_name(message: str) -> None:
    assert classify(Diagnostic(Position(0, 0), Position(0, 0), message)) in NAME_KINDS


@pytest.mark.parametrize(
    "message", ["`os` imported but unused", "Line too long", "Missing docstring", "unused variable"]
)
def test_other_messages_are_not_about_names(message: str) -> None:
    place = Diagnostic(Position(0, 0), Position(0, 0), message)
    assert classify(place) not in NAME_KINDS
    assert not is_syntax_error(place)


@pytest.mark.parametrize(
    "message",
    [
        "SyntaxError: Expected ')', found newline",
        "invalid syntax",
        "'(' was never closed",
        '"(" was not closed',
        "unterminated string literal (detected at line 1)",
        "unexpected indent",
        "Unindent not expected",
        "expected an indented block after 'if' statement on line 3",
        "Expected expression",
        "Parsing error: Unexpected token",
        "Simple statements must be separated by newlines or semicolons",
        "Expected `:`, found newline",
        "String literal is unterminated",
        "missing closing quote in string literal",
        "cannot assign to attribute here. Maybe you meant '==' instead of '='?",
    ],
)
def test_wordings_of_a_syntax_error(message: str) -> None:
    assert is_syntax_error(Diagnostic(Position(0, 0), Position(0, 0), message))


@pytest.mark.parametrize(
    ("text", "block", "point"),
    [
        ("", None, 1),
        ("x = 1\n", None, 1),
        ("import a\n", (1, 1), 1),
        ("# a licence\n\nx = 1\n", None, 2),
        ("# about x\nx = 1\n", None, 1),
        ("#!/usr/bin/python\nx = 1\n", None, 2),
        ('"""open\nimport a\n', None, 1),
        ('"""Doc\n\nof two."""\n\nimport a\nimport b\nx = 1\nimport c\n', (5, 6), 4),
        ("import a\n# why\nimport b  # (\n\n__all__ = [\n    1,\n]\nfrom c import d\nx = 1\n", (1, 8), 1),
        ("import a\n__all__ = []\n", (1, 1), 1),
        ("from a import (\n    b,\nx = 1\n", (1, 1), 1),  # half-typed
        ("from a import b, \\\n    c\nx = 1\n", (1, 2), 1),
        ("if TYPE_CHECKING:\n    import a\n\nif x:\n    y()\n", (1, 2), 1),
        ("\ufeffimport a\n", (1, 1), 1),
        ("import a\r\nimport b\r\n\r\nx = 1\r\n", (1, 2), 1),
    ],
)
def test_import_block(text: str, block: Range | None, point: int) -> None:
    lines = split_lines(text)
    assert import_block(lines, "python") == block
    assert import_point(lines, "python") == point


def test_import_block_within_a_limit() -> None:
    lines = split_lines("import a\nfrom b import (\n    c,\n    d,\n)\nimport e\n")
    assert import_block(lines, "python", 5) == (1, 5)
    assert import_block(lines, "python", 4) == (1, 1)
    assert import_block(lines[1:], "python", 3) == (1, 3)
    assert import_block(lines, "python", 0) is None


def test_a_tree_that_follows_edits_equals_a_fresh_one() -> None:
    rng = random.Random(3)
    lines = TextLines(
        "import os\n\n\ndef f(x):\n    return [x,\n            é]\n\n\nclass A:\n    def g(self): pass\n"
    )
    live = LiveSyntax(lines.lines, "python")
    pieces = ["", "x", "\n", "    y = 1\n", "(", ")", ":\n", "é\r\n", "def h():\n    pass\n", '"""']
    for step in range(300):
        line = rng.randrange(len(lines) + 1)
        end = min(len(lines), line + rng.randrange(3))
        start, stop = Position(line, rng.randrange(6)), Position(end, 9)
        live.note(lines.splice(start, stop, rng.choice(pieces)))
        if step % 3 == 0:
            parsed, fresh = live.parsed(), Parsed.of(lines.lines, "python")
            assert parsed is not None
            assert fresh is not None
            assert str(parsed.tree.root_node) == str(fresh.tree.root_node)
            assert (parsed.count, parsed.size) == (fresh.count, fresh.size)
