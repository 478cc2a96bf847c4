"""What tools say, and what it is about: real messages of ruff, pycodestyle, pyright, mypy, pylint, ty, CPython and others."""

from __future__ import annotations

import pytest

from copydesk.quickfixes.kinds import DiagnosticKind, classify, is_syntax_error
from copydesk.quickfixes.registry import handlers_of
from copydesk.request import Diagnostic
from copydesk.text.position import Position

K = DiagnosticKind

# Kind, code, message. Every message decides alone, too, unless the kind is known by its code only.
MESSAGES = [
    # ruff
    (K.SYNTAX_ERROR, "invalid-syntax", "Expected ':', found newline"),
    (K.UNDEFINED_NAME, "F821", "Undefined name `os`"),
    (K.UNDEFINED_NAME, "F405", "`join` may be undefined, or defined from star imports"),
    (K.UNUSED_IMPORT, "F401", "`os.path` imported but unused"),
    (K.UNUSED_VARIABLE, "F841", "Local variable `x` is assigned to but never used"),
    (K.UNUSED_LOOP_VARIABLE, "B007", "Loop control variable `i` not used within loop body"),
    (K.OVERWRITTEN_LOOP_VARIABLE, "PLW2901", "`for` loop variable `line` overwritten by assignment target"),
    (K.LOOP_VARIABLE_CAPTURE, "B023", "Function definition does not bind loop variable `x`"),
    (K.AMBIGUOUS_NAME, "E741", "Ambiguous variable name: `l`"),
    (K.MUTABLE_CLASS_DEFAULT, "RUF012", "Mutable default value for class attribute"),
    (K.MUTABLE_CLASS_DEFAULT, "RUF012", "Mutable class attributes should be annotated with `typing.ClassVar`"),
    (K.MUTABLE_DEFAULT, "B006", "Do not use mutable data structures for argument defaults"),
    (K.MISSING_SELF, "misc", 'Method must have at least one argument. Did you forget the "self" argument?'),
    (K.ZIP_WITHOUT_STRICT, "B905", "`zip()` without an explicit `strict=` parameter"),
    (K.WARNING_WITHOUT_STACKLEVEL, "B028", "No explicit `stacklevel` keyword argument found"),
    (K.RUN_WITHOUT_CHECK, "PLW1510", "`subprocess.run` without explicit `check` argument"),
    (K.BARE_EXCEPT, "E722", "Do not use bare `except`"),
    (K.MULTIPLE_STATEMENTS_ON_ONE_LINE, "E701", "Multiple statements on one line (colon)"),
    (K.MULTIPLE_STATEMENTS_ON_ONE_LINE, "E702", "Multiple statements on one line (semicolon)"),
    (K.RAISE_WITHOUT_FROM, "B904", "Within an `except` clause, raise exceptions with `raise ... from err` or `raise ... from"
     " None` to distinguish them from errors in exception handling"),
    (K.OPEN_WITHOUT_WITH, "SIM115", "Use a context manager for opening files"),
    (K.LAMBDA_ASSIGNMENT, "E731", "Do not assign a `lambda` expression, use a `def`"),
    (K.NONE_COMPARISON, "E711", "Comparison to `None` should be `cond is None`"),
    (K.BOOL_COMPARISON, "E712", "Avoid equality comparisons to `True`; use `x:` for truth checks"),
    (K.TYPE_COMPARISON, "E721", "Use `is` and `is not` for type comparisons, or `isinstance()` for isinstance checks"),
    (K.NOT_IN_TEST, "E713", "Test for membership should be `not in`"),
    (K.NOT_IS_TEST, "E714", "Test for object identity should be `is not`"),
    (K.F_STRING_WITHOUT_PLACEHOLDERS, "F541", "f-string without any placeholders"),
    (K.TRAILING_WHITESPACE, "W291", "Trailing whitespace"),
    (K.WHITESPACE_ON_BLANK_LINE, "W293", "Blank line contains whitespace"),
    (K.ONE_BLANK_LINE_EXPECTED, "E301", "Expected 1 blank line, found 0"),
    (K.TWO_BLANK_LINES_EXPECTED, "E302", "Expected 2 blank lines, found 1"),
    (K.TWO_BLANK_LINES_EXPECTED, "E305", "Expected 2 blank lines after class or function definition, found (1)"),
    (K.TOO_MANY_BLANK_LINES, "E303", "Too many blank lines (3)"),
    (K.MISSING_FINAL_NEWLINE, "W292", "No newline at end of file"),
    (K.TRAILING_NEWLINES, "W391", "Too many newlines at end of file"),
    (K.STANDARD_LIBRARY_ALTERNATIVE, "SIM105", "Use `contextlib.suppress(KeyError)` instead of `try`-`except`-`pass`"),
    (K.STAR_AFTER_KEYWORD, "B026", "Star-arg unpacking after a keyword argument is strongly discouraged"),
    (K.PATTERN_NOT_RAW, "RUF043", "Pattern passed to `match=` contains metacharacters but is neither escaped nor raw"),
    (K.CODE_METRIC, "C901", "`benchmark` is too complex (19 > 10)"),
    (K.CODE_METRIC, "PLR0904", "Too many public methods (136 > 20)"),
    (K.CODE_METRIC, "PLR0911", "Too many return statements (10 > 6)"),
    (K.CODE_METRIC, "PLR0913", "Too many arguments in function definition (10 > 5)"),
    (K.CODE_METRIC, "PLR0917", "Too many positional arguments (10 > 5)"),
    (K.CODE_METRIC, "PLR1702", "Too many nested blocks (6 > 5)"),
    # pycodestyle, pyflakes
    (K.SYNTAX_ERROR, "E999", "SyntaxError: invalid syntax"),
    (K.UNDEFINED_NAME, None, "undefined name 'os'"),
    (K.UNUSED_IMPORT, None, "'os' imported but unused"),
    (K.TWO_BLANK_LINES_EXPECTED, None, "E302 expected 2 blank lines, found 1"),
    (K.TRAILING_NEWLINES, None, "W391 blank line at end of file"),
    (K.CODE_METRIC, None, "C901 'run' is too complex (12)"),
    # pyright
    (K.SYNTAX_ERROR, None, '"(" was not closed'),
    (K.SYNTAX_ERROR, None, "Expected indented block"),
    (K.UNDEFINED_NAME, "reportUndefinedVariable", '"os" is not defined'),
    (K.UNRESOLVED_IMPORT, "reportMissingImports", 'Import "yaml" could not be resolved'),
    (K.UNKNOWN_ATTRIBUTE, "reportAttributeAccessIssue", 'Cannot access attribute "foo" for class "A"'),
    (K.UNUSED_IMPORT, "reportUnusedImport", 'Import "pi" is not accessed'),
    (K.UNUSED_VARIABLE, "reportUnusedVariable", 'Variable "x" is not accessed'),
    (K.MISSING_AWAIT, "reportUnusedCoroutine",
     'Result of async function call is not used; use "await" or assign result to variable'),
    # mypy
    (K.UNDEFINED_NAME, "name-defined", 'Name "os" is not defined'),
    (K.UNRESOLVED_IMPORT, "import-not-found", 'Cannot find implementation or library stub for module named "yaml"'),
    (K.UNKNOWN_ATTRIBUTE, "attr-defined", 'Module has no attribute "foo"; maybe "for"?'),
    # pylint
    (K.UNDEFINED_NAME, "E0602", "Undefined variable 'os'"),
    (K.UNRESOLVED_IMPORT, "E0401", "Unable to import 'yaml'"),
    (K.UNRESOLVED_IMPORT, "E0611", "No name 'foo' in module 'os'"),
    (K.UNKNOWN_ATTRIBUTE, "E1101", "Instance of 'A' has no 'foo' member"),
    (K.UNUSED_IMPORT, "W0611", "Unused join imported from os.path"),
    (K.UNUSED_IMPORT, "W0611", "Unused import os"),
    (K.UNUSED_VARIABLE, "W0612", "Unused variable 'x'"),
    (K.OVERWRITTEN_LOOP_VARIABLE, "W2901", "Redefining 'line' from loop (line 3)"),
    (K.LOOP_VARIABLE_CAPTURE, "W0640", "Cell variable x defined in loop"),
    (K.MUTABLE_DEFAULT, "W0102", "Dangerous default value [] as argument"),
    (K.SWAPPED_ARGUMENTS, "W1114", "Positional arguments appear to be out of order"),
    (K.RUN_WITHOUT_CHECK, "W1510", "'subprocess.run' used without explicitly defining the value for 'check'."),
    (K.BARE_EXCEPT, "W0702", "No exception type(s) specified"),
    (K.MULTIPLE_STATEMENTS_ON_ONE_LINE, "C0321", "More than one statement on a single line"),
    (K.RAISE_WITHOUT_FROM, "W0707", "Consider explicitly re-raising using 'raise B from e'"),
    (K.OPEN_WITHOUT_WITH, "R1732", "Consider using 'with' for resource-allocating operations"),
    (K.LAMBDA_ASSIGNMENT, "C3001",
     'Lambda expression assigned to a variable. Define a function using the "def" keyword instead.'),
    (K.SINGLETON_COMPARISON, "C0121", "Comparison 'x == None' should be 'x is None'"),
    (K.TYPE_INSTEAD_OF_ISINSTANCE, "C0123", "Use isinstance() rather than type() for a typecheck."),
    (K.UNNECESSARY_NEGATION, "C0117", 'Consider changing "not a == b" to "a != b"'),
    (K.F_STRING_WITHOUT_PLACEHOLDERS, "W1309", "Using an f-string that does not have any interpolated variables"),
    (K.CODE_METRIC, "R0902", "Too many instance attributes (10/7)"),
    (K.CODE_METRIC, "R0903", "Too few public methods (1/2)"),
    (K.MISSING_FINAL_NEWLINE, "C0304", "Final newline missing"),
    (K.TRAILING_NEWLINES, "C0305", "Trailing newlines"),
    # ty
    (K.UNDEFINED_NAME, "unresolved-reference", "Name `os` used when not defined"),
    (K.UNRESOLVED_IMPORT, "unresolved-import", "Cannot resolve imported module `yaml`"),
    # CPython
    (K.SYNTAX_ERROR, None, "SyntaxError: unmatched ')'"),
    (K.SYNTAX_ERROR, None, "IndentationError: unexpected indent"),
    (K.UNDEFINED_NAME, None, "NameError: name 'os' is not defined. Did you mean: 'so'?"),
    (K.UNRESOLVED_IMPORT, None, "ModuleNotFoundError: No module named 'yaml'"),
    (K.UNRESOLVED_IMPORT, None, "ImportError: cannot import name 'a' from 'b'"),
    (K.UNKNOWN_ATTRIBUTE, None, "AttributeError: module 'os' has no attribute 'foo'"),
    (K.TOO_MANY_ARGUMENTS, None, "TypeError: A.f() takes 1 positional argument but 2 were given"),
    (K.MISSING_AWAIT, None, "RuntimeWarning: coroutine 'f' was never awaited"),
    # ESLint, TypeScript
    (K.UNDEFINED_NAME, "no-undef", "'foo' is not defined."),
    (K.UNDEFINED_NAME, "2304", "Cannot find name 'foo'."),
    (K.UNRESOLVED_IMPORT, "2307", "Cannot find module 'foo' or its corresponding type declarations."),
]  # fmt: skip

BY_CODE_ALONE = [
    (K.CALL_IN_DEFAULT, "B008", "Do not perform function call `f` in argument defaults"),
    (K.UNNECESSARY_ASSIGNMENT, "RET504", "Unnecessary assignment to `x` before `return` statement"),
    (K.MISSING_SELF, "N805", "First argument of a method should be named `self`"),
    (K.MISSING_F_PREFIX, "RUF027", "Possible f-string without an `f` prefix"),
    (K.BLANK_LINE_AFTER_DECORATOR, "E304", "Blank lines found after function decorator (1)"),
]
CODE_NEEDED = {"unresolved-reference", "unresolved-import"}
"""Rules whose messages are in no pattern."""


def finding(message: str, code: str | None) -> Diagnostic:
    return Diagnostic(Position(0, 0), Position(0, 0), message, code)


@pytest.mark.parametrize(("kind", "code", "message"), MESSAGES + BY_CODE_ALONE)
def test_what_it_is_about(kind: DiagnosticKind, code: str | None, message: str) -> None:
    assert classify(finding(message, code)) is kind


@pytest.mark.parametrize(("kind", "code", "message"), [row for row in MESSAGES if row[1] not in CODE_NEEDED])
def test_the_message_says_it_alone(kind: DiagnosticKind, code: str | None, message: str) -> None:
    assert classify(finding(message, None)) is kind
    assert classify(finding(message, "unknown-rule")) is kind
    assert is_syntax_error(finding(message, None)) == (kind is K.SYNTAX_ERROR)


@pytest.mark.parametrize(("kind", "code", "message"), BY_CODE_ALONE)
def test_some_are_known_by_their_code_only(kind: DiagnosticKind, code: str, message: str) -> None:
    assert classify(finding(message, None)) is not kind
    assert classify(finding("", code)) is kind


@pytest.mark.parametrize(
    "message", ["Line too long (140 > 130)", "Missing docstring in public module", "possible bug here", ""]
)
def test_others_are_not_known(message: str) -> None:
    assert classify(finding(message, None)) is None
    assert classify(finding(message, "X100")) is None


def test_a_code_wins_over_a_message() -> None:
    assert classify(finding("invalid syntax", "F401")) is K.UNUSED_IMPORT


@pytest.mark.parametrize("kind", DiagnosticKind)
def test_every_kind_has_a_handler_and_a_message_here(kind: DiagnosticKind) -> None:
    assert handlers_of(kind)
    assert any(row[0] is kind for row in MESSAGES + BY_CODE_ALONE)
