"""How tools word what they find: messages, codes, sources and reach, as tables.

A subject names a defect. Messages are templates over the fields that an injector fills in; a wording whose
fields it does not know is left out. It knows nothing of code.
"""

from __future__ import annotations

import string
from functools import cache
from random import Random
from typing import Literal, NamedTuple

Reach = Literal["span", "start", "line", "whole-line"]


class Wording(NamedTuple):
    """One message of one tool.

    `reach`: what the tool marks: the place itself, its first character only, from there to the line's end, or
    the whole line. `severity` as in LSP. `weight`: how often it is drawn beside the others.
    """

    source: str | None
    code: str | None
    message: str
    severity: int = 1
    reach: Reach = "span"
    weight: float = 1.0
    symbol: str | None = None


def ruff(code: str | None, message: str, weight: float = 2.0) -> Wording:
    """As ruff's language server and its JSON output word it."""
    return Wording("Ruff", code or "invalid-syntax", message, 2 if code else 1, "span", weight)


def flakes(code: str, message: str) -> Wording:
    """As flake8 prints it; pyflakes' own messages are these without a code."""
    return Wording("flake8", code, message, 2, "start", 0.5)


def pyflakes(message: str) -> Wording:
    """As the pyflakes plugin of a language server gives it: up to the line's end, no code."""
    return Wording("pyflakes", None, message, 2, "line", 0.7)


def pyright(code: str | None, message: str, severity: int = 1, weight: float = 1.2) -> Wording:
    """As pyright and Pylance word it."""
    return Wording("Pyright", code, message, severity, "span", weight)


def mypy(code: str, message: str) -> Wording:
    """As mypy words it."""
    return Wording("mypy", code, message, 1, "span", 0.7)


def pylint(code: str, symbol: str, message: str) -> Wording:
    """As pylint words it; some language servers show the number, others the symbol."""
    return Wording("pylint", code, message, 2 if code[0] in "WCR" else 1, "span", 0.6, symbol)


def runtime(message: str, weight: float = 0.7) -> Wording:
    """The last line of a traceback: it names a line, not a column."""
    return Wording(None, None, message, 1, "whole-line", weight)


def said(message: str, weight: float = 0.7) -> Wording:
    """A remark of a person or a review tool at a place."""
    return Wording(None, None, message, 2, "span", weight)


_STARRED = (
    ruff("F405", "`{name}` may be undefined, or defined from star imports"),
    flakes("F405", "'{name}' may be undefined, or defined from star imports: {star}"),
    pyflakes("'{name}' may be undefined, or defined from star imports: {star}"),
)
_UNDEFINED = (
    ruff("F821", "Undefined name `{name}`"),
    pyflakes("undefined name '{name}'"),
    flakes("F821", "undefined name '{name}'"),
    pyright("reportUndefinedVariable", '"{name}" is not defined'),
    mypy("name-defined", 'Name "{name}" is not defined'),
    pylint("E0602", "undefined-variable", "Undefined variable '{name}'"),
    runtime("NameError: name '{name}' is not defined"),
)

WORDINGS: dict[str, tuple[Wording, ...]] = {
    "undefined-starred": (*_STARRED, *_UNDEFINED[3:]),
    "undefined-name": (*_UNDEFINED, runtime("NameError: name '{name}' is not defined. Did you mean: '{good}'?")),
    "missing-self": (
        *_UNDEFINED,
        runtime("NameError: name '{name}' is not defined. Did you mean: 'self.{name}'?"),
    ),
    "missing-import": (
        *_UNDEFINED,
        runtime("NameError: name '{name}' is not defined. Did you forget to import '{name}'?", 0.4),
    ),
    "undefined-local": (
        *_UNDEFINED,
        runtime(
            "UnboundLocalError: cannot access local variable '{name}' where it is not associated with"
            " a value",
        ),
    ),
    "unknown-attribute": (
        pyright(
            "reportAttributeAccessIssue",
            'Cannot access attribute "{name}" for class "{owner}"\n  Attribute "{name}" is unknown',
            weight=2,
        ),
        mypy("attr-defined", '"{owner}" has no attribute "{name}"'),
        mypy("attr-defined", '"{owner}" has no attribute "{name}"; maybe "{good}"?'),
        pylint("E1101", "no-member", "Instance of '{owner}' has no '{name}' member; maybe '{good}'?"),
        pylint("E1101", "no-member", "Instance of '{owner}' has no '{name}' member"),
        runtime("AttributeError: '{owner}' object has no attribute '{name}'. Did you mean: '{good}'?"),
        runtime("AttributeError: '{owner}' object has no attribute '{name}'"),
    ),
    "unknown-module-attribute": (
        pyright(
            "reportAttributeAccessIssue",
            '"{name}" is not a known attribute of module "{owner}"',
            weight=2,
        ),
        mypy("attr-defined", 'Module has no attribute "{name}"; maybe "{good}"?'),
        mypy("attr-defined", 'Module has no attribute "{name}"'),
        pylint("E1101", "no-member", "Module '{owner}' has no '{name}' member; maybe '{good}'?"),
        runtime("AttributeError: module '{owner}' has no attribute '{name}'. Did you mean: '{good}'?"),
        runtime("AttributeError: module '{owner}' has no attribute '{name}'"),
    ),
    "unused-import": (
        ruff("F401", "`{full}` imported but unused"),
        pyflakes("'{full}' imported but unused"),
        flakes("F401", "'{full}' imported but unused"),
        pyright(None, 'Import "{name}" is not accessed', 4),
        pyright("reportUnusedImport", 'Import "{name}" is not accessed', 2, 0.5),
        pylint("W0611", "unused-import", "Unused {what}"),
    ),
    "unused-variable": (
        ruff("F841", "Local variable `{name}` is assigned to but never used"),
        pyflakes("local variable '{name}' is assigned to but never used"),
        flakes("F841", "local variable '{name}' is assigned to but never used"),
        pyright(None, 'Variable "{name}" is not accessed', 4),
        pyright("reportUnusedVariable", 'Variable "{name}" is not accessed', 2, 0.5),
        pylint("W0612", "unused-variable", "Unused variable '{name}'"),
    ),
    "self-parameter": (
        ruff("N805", "First argument of a method should be named `self`"),
        pyright("reportSelfClsParameterName", 'Instance methods should take a "self" parameter', weight=2),
        pylint("E0213", "no-self-argument", 'Method \'{method}\' should have "self" as first argument'),
        flakes("N805", "first argument of a method should be named 'self'"),
        runtime("TypeError: {owner}.{method}() takes {fewer} positional arguments but {count} were given"),
    ),
    "self-parameter-only": (
        pyright("reportSelfClsParameterName", 'Instance methods should take a "self" parameter', weight=2),
        pylint("E0211", "no-method-argument", "Method '{method}' has no argument"),
        mypy("misc", "Method must have at least one argument. Did you forget the \"self\" argument?"),
        runtime("TypeError: {owner}.{method}() takes 0 positional arguments but 1 was given"),
    ),
    "missing-await": (
        pyright(
            "reportUnusedCoroutine",
            'Result of async function call is not used; use "await" or assign result to variable',
            weight=2,
        ),
        mypy("unused-coroutine", 'Value of type "Coroutine[Any, Any, Any]" must be used'),
        runtime("RuntimeWarning: coroutine '{callee}' was never awaited"),
        said("missing `await`"),
    ),
    "none-comparison": (
        ruff("E711", "Comparison to `None` should be `cond {good} None`"),
        flakes("E711", "comparison to None should be 'if cond {good} None:'"),
        Wording(
            "pycodestyle",
            "E711",
            "E711 comparison to None should be 'if cond {good} None:'",
            2,
            "start",
            0.5,
        ),
        pylint("C0121", "singleton-comparison", "Comparison '{source}' should be '{fixed}'"),
        said("use `{good} None` instead of `{bad} None`", 0.4),
    ),
    "true-comparison": (
        ruff("E712", "{advice}"),
        flakes("E712", "comparison to {value} should be 'if cond is {value}:' or 'if {cond}:'"),
        pylint(
            "C0121",
            "singleton-comparison",
            "Comparison '{source}' should be '{source_is}' if checking for the singleton value"
            " {value}, or '{fixed}' if testing for {truth}",
        ),
    ),
    "mutable-default": (
        ruff("B006", "Do not use mutable data structures for argument defaults", 3),
        flakes(
            "B006",
            "Do not use mutable data structures for argument defaults.  They are created during"
            " function definition time. All calls to the function reuse this one instance of that data"
            " structure, persisting changes between them.",
        ),
        pylint("W0102", "dangerous-default-value", "Dangerous default value {value} as argument"),
        said("mutable default argument", 0.4),
    ),
    "bare-except": (
        ruff("E722", "Do not use bare `except`"),
        flakes("E722", "do not use bare 'except'"),
        pylint("W0702", "bare-except", "No exception type(s) specified"),
        said("bare except; use `except Exception:`", 0.4),
    ),
    "fstring-placeholder": (
        ruff("F541", "f-string without any placeholders"),
        pyflakes("f-string is missing placeholders"),
        flakes("F541", "f-string is missing placeholders"),
        pylint(
            "W1309",
            "f-string-without-interpolation",
            "Using an f-string that does not have any interpolated variables",
        ),
    ),
    "missing-f-prefix": (
        ruff("RUF027", "Possible f-string without an `f` prefix"),
        said("this string should be an f-string", 0.5),
        said("missing `f` prefix", 0.5),
    ),
    "useless-expression": (
        ruff("B018", "Found useless expression. Either assign it to a variable or remove it."),
        pyright("reportUnusedExpression", "Expression value is unused", 2),
        pylint("W0104", "pointless-statement", "Statement seems to have no effect"),
        said("missing `return`", 0.5),
        said("the result of this expression is never returned", 0.4),
    ),
    "useless-call": (
        pyright("reportUnusedExpression", "Expression value is unused", 2),
        pylint("W0106", "expression-not-assigned", 'Expression "{source}" is assigned to nothing'),
        said("missing `return`", 0.5),
    ),
    "unused-call": (
        pyright(
            "reportUnusedCallResult",
            'Result of call expression is of type "{type}" and is not used; assign to variable "_" if'
            ' this is intentional',
            2,
        ),
        said("missing `return`"),
        said("the result of this expression is never returned"),
        runtime("TypeError: {method}() returned None"),
    ),
    "missing-argument": (
        pyright("reportCallIssue", 'Argument missing for parameter "{name}"', weight=2),
        mypy("call-arg", 'Missing positional argument "{name}" in call to "{callee}"'),
        pylint("E1120", "no-value-for-parameter", "No value for argument '{name}' in function call"),
        runtime("TypeError: {callee}() missing 1 required positional argument: '{name}'"),
    ),
    "missing-keyword": (
        pyright("reportCallIssue", 'Argument missing for parameter "{name}"', weight=2),
        mypy("call-arg", 'Missing named argument "{name}" for "{callee}"'),
        pylint("E1125", "missing-kwoa", "Missing mandatory keyword argument '{name}' in function call"),
        runtime("TypeError: {callee}() missing 1 required keyword-only argument: '{name}'"),
    ),
    "argument-order": (
        pylint("W1114", "arguments-out-of-order", "Positional arguments appear to be out of order"),
        said("these arguments look swapped"),
        said("arguments in the wrong order"),
    ),
    "logic": (
        said("possible bug here"),
        said("this line looks wrong"),
        said("suspicious expression"),
        said("possible logic error"),
        said("this condition looks wrong", 0.3),
        Wording("review", None, "This looks like a bug", 2, "whole-line", 0.7),
        runtime("AssertionError", 0.7),
    ),
    "misuse": (
        said("possible bug here"),
        said("this line looks wrong"),
        said("`{name}` looks like the wrong variable here"),
        said("wrong variable used"),
        said("did you mean to use `{name}` here?", 0.7),
    ),
    "not-in": (
        ruff("E713", "Test for membership should be `not in`"),
        flakes("E713", "test for membership should be 'not in'"),
        pylint("C0117", "unnecessary-negation", 'Consider changing "{source}" to "{fixed}"'),
    ),
    "not-is": (
        ruff("E714", "Test for object identity should be `is not`"),
        flakes("E714", "test for object identity should be 'is not'"),
        pylint("C0117", "unnecessary-negation", 'Consider changing "{source}" to "{fixed}"'),
    ),
    "type-comparison": (
        ruff("E721", "Use `is` and `is not` for type comparisons, or `isinstance()` for isinstance checks"),
        flakes(
            "E721",
            "do not compare types, for exact checks use `is` / `is not`, for instance checks use"
            " `isinstance()`",
        ),
        pylint("C0123", "unidiomatic-typecheck", "Use isinstance() rather than type() for a typecheck."),
    ),
    "lambda-assignment": (
        ruff("E731", "Do not assign a `lambda` expression, use a `def`"),
        flakes("E731", "do not assign a lambda expression, use a def"),
        pylint(
            "C3001",
            "unnecessary-lambda-assignment",
            "Lambda expression assigned to a variable. Define a function using the \"def\" keyword"
            " instead.",
        ),
    ),
    "trailing-whitespace": (
        ruff("W291", "Trailing whitespace"),
        Wording("pycodestyle", "W291", "W291 trailing whitespace", 2, "line"),
        flakes("W291", "trailing whitespace"),
        pylint("C0303", "trailing-whitespace", "Trailing whitespace"),
    ),
    "blank-whitespace": (
        ruff("W293", "Blank line contains whitespace"),
        Wording("pycodestyle", "W293", "W293 blank line contains whitespace", 2, "line"),
        flakes("W293", "blank line contains whitespace"),
        pylint("C0303", "trailing-whitespace", "Trailing whitespace"),
    ),
    "missing-newline": (
        ruff("W292", "No newline at end of file"),
        Wording("pycodestyle", "W292", "W292 no newline at end of file", 2, "start"),
        flakes("W292", "no newline at end of file"),
        pylint("C0304", "missing-final-newline", "Final newline missing"),
    ),
    "newlines-at-end": (
        ruff("W391", "Too many newlines at end of file"),
        flakes("W391", "blank line at end of file"),
        pylint("C0305", "trailing-newlines", "Trailing newlines"),
    ),
    "blank-lines-few": (
        ruff("{code}", "Expected {wanted} blank lines, found {found}"),
        flakes("{code}", "expected {wanted} blank lines, found {found}"),
        Wording(
            "pycodestyle",
            "{code}",
            "{code} expected {wanted} blank lines, found {found}",
            2,
            "line",
            0.7,
        ),
    ),
    "blank-line-one": (
        ruff("E301", "Expected 1 blank line, found 0"),
        flakes("E301", "expected 1 blank line, found 0"),
    ),
    "blank-lines-after": (
        ruff("E305", "Expected 2 blank lines after class or function definition, found ({found})"),
        flakes("E305", "expected 2 blank lines after class or function definition, found {found}"),
    ),
    "blank-lines-many": (
        ruff("E303", "Too many blank lines ({found})"),
        flakes("E303", "too many blank lines ({found})"),
        Wording("pycodestyle", "E303", "E303 too many blank lines ({found})", 2, "line", 0.7),
    ),
}  # fmt: skip
"""Subject → the ways to word it."""


@cache
def _fields(message: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(message) if name)


def choose(rng: Random, subject: str, fields: dict[str, object]) -> Wording:
    """One of the wordings of `subject` whose fields are all given. Raises KeyError for an unknown subject."""
    known = [w for w in WORDINGS[subject] if _fields(w.message) <= fields.keys()]
    picked = rng.choices(known, [w.weight for w in known])[0]
    if picked.symbol is not None and rng.random() < 0.4:
        picked = picked._replace(code=picked.symbol)
    if picked.code is not None and "{" in picked.code:
        picked = picked._replace(code=picked.code.format_map(fields))
    return picked
