r"""What a diagnostic is about, whoever reports it: the one table of the codes and wordings of the tools that are known here.

A code is matched exactly and decides alone; a message decides where the code is unknown or missing, because editors pass some
findings on without a code. What a message says beyond its kind (names, counts) is read by `messages.py`.
"""

from __future__ import annotations

import re
import sys
from enum import Enum, auto
from typing import NamedTuple

from copydesk.request import Diagnostic


class DiagnosticKind(Enum):
    """One problem that tools report, under whatever code."""

    SYNTAX_ERROR = auto()
    UNDEFINED_NAME = auto()
    UNRESOLVED_IMPORT = auto()
    UNKNOWN_ATTRIBUTE = auto()
    UNUSED_IMPORT = auto()
    UNUSED_VARIABLE = auto()
    UNUSED_LOOP_VARIABLE = auto()
    OVERWRITTEN_LOOP_VARIABLE = auto()
    LOOP_VARIABLE_CAPTURE = auto()
    AMBIGUOUS_NAME = auto()
    MUTABLE_CLASS_DEFAULT = auto()
    MUTABLE_DEFAULT = auto()
    CALL_IN_DEFAULT = auto()
    MISSING_SELF = auto()
    TOO_MANY_ARGUMENTS = auto()
    SWAPPED_ARGUMENTS = auto()
    ZIP_WITHOUT_STRICT = auto()
    WARNING_WITHOUT_STACKLEVEL = auto()
    RUN_WITHOUT_CHECK = auto()
    MISSING_AWAIT = auto()
    BARE_EXCEPT = auto()
    RAISE_WITHOUT_FROM = auto()
    OPEN_WITHOUT_WITH = auto()
    LAMBDA_ASSIGNMENT = auto()
    UNNECESSARY_ASSIGNMENT = auto()
    NONE_COMPARISON = auto()
    BOOL_COMPARISON = auto()
    SINGLETON_COMPARISON = auto()
    TYPE_COMPARISON = auto()
    TYPE_INSTEAD_OF_ISINSTANCE = auto()
    NOT_IN_TEST = auto()
    NOT_IS_TEST = auto()
    UNNECESSARY_NEGATION = auto()
    F_STRING_WITHOUT_PLACEHOLDERS = auto()
    MISSING_F_PREFIX = auto()
    TRAILING_WHITESPACE = auto()
    WHITESPACE_ON_BLANK_LINE = auto()
    ONE_BLANK_LINE_EXPECTED = auto()
    TWO_BLANK_LINES_EXPECTED = auto()
    BLANK_LINE_AFTER_DECORATOR = auto()
    TOO_MANY_BLANK_LINES = auto()
    MISSING_FINAL_NEWLINE = auto()
    TRAILING_NEWLINES = auto()
    STANDARD_LIBRARY_ALTERNATIVE = auto()
    MULTIPLE_STATEMENTS_ON_ONE_LINE = auto()
    CODE_METRIC = auto()
    STAR_AFTER_KEYWORD = auto()
    PATTERN_NOT_RAW = auto()


class _Row(NamedTuple):
    kind: DiagnosticKind
    codes: frozenset[str]
    message: re.Pattern[str] | None


def _row(kind: DiagnosticKind, codes: str, message: str | None = None, *, flags: int = re.IGNORECASE) -> _Row:
    """`message` is searched for, in verbose form: spaces are escaped."""
    return _Row(
        kind,
        frozenset(codes.split()),
        re.compile(message, flags | re.VERBOSE) if message is not None else None,
    )


_K = DiagnosticKind
_STANDARD_LIBRARY = "|".join(sorted(sys.stdlib_module_names))

# In the order in which messages are tried.
_TABLE = (
    _row(_K.SYNTAX_ERROR,
         "E999 E902 E0001 syntax syntax-error invalid-syntax parse-error",
         r"""^(SyntaxError|IndentationError|TabError|Parsing\ error) | invalid\ syntax | syntax\ error
         | was\ never\ closed | was\ not\ closed | unmatched\ ['"] | does\ not\ match\ opening
         | unterminated\ (string|triple|f-string|template) | unexpected\ (indent|eof|end\ of\ (file|input)|token)
         | literal\ is\ unterminated | missing\ closing\ quote | cannot\ assign\ to\ .*\ here\b
         | unindent | expected\ (an\ )?indented\ block | unexpected\ indentation
         | ^expected\ (['"`:;,()]|an?\ (expression|statement|identifier)|expression|class\ name|function\ name)
         | statements\ must\ be\ separated\ by\ newlines"""),
    _row(_K.UNRESOLVED_IMPORT,
         # pyright; pylint; mypy; ty, pyrefly; eslint; TypeScript
         "reportMissingImports reportMissingModuleSource E0401 E0611 import-error no-name-in-module"
         " import-not-found import-untyped import unresolved-import missing-import import/no-unresolved n/no-missing-import 2307",
         r"""^(ModuleNotFound|Import)Error\b
         | import\ .+\ could\ not\ be\ resolved   # pyright
         | no\ module\ named | unable\ to\ import | no\ name\ .+\ in\ module
         | cannot\ find\ (implementation\ or\ library\ stub\ for\ )?(the\ )?module
         | cannot\ import\ name"""),
    _row(_K.UNDEFINED_NAME,
         # pyflakes, ruff; pyright; pylint; mypy; ty; eslint; TypeScript
         "F821 F405 undefined-name reportUndefinedVariable E0602 undefined-variable name-defined"
         " unresolved-reference unknown-name no-undef 2304 2503 2552 2580",
         r"""undefined\ (name|variable)           # ruff, pyflakes, pylint
         | may\ be\ undefined,\ or\ defined\ from\ star\ imports
         | ^NameError\b
         | \bname\ .+\ is\ not\ defined           # CPython, mypy
         | ^["'].+["']\ is\ not\ defined          # pyright, eslint
         | cannot\ find\ (implementation\ or\ library\ stub\ for\ )?(the\ )?(name|namespace)"""),
    _row(_K.UNKNOWN_ATTRIBUTE,
         "attr-defined reportAttributeAccessIssue E1101 no-member",
         r"has\ no\ attribute | has\ no\ '?\w+'?\ member | cannot\ access\ attribute | is\ not\ a\ known\ attribute"),
    _row(_K.UNUSED_IMPORT,
         "F401 W0611 unused-import reportUnusedImport",
         r"""^(F401\ )?[`'"][^`'"]+[`'"]\ imported\ but\ unused | ^import\ [`'"][\w.]+[`'"]\ is\ not\ accessed
         | ^unused\ [\w.]+(\ as\ \w+)?\ imported\ (from|as)\b | ^unused\ import\ [\w.]"""),
    _row(_K.UNUSED_VARIABLE,
         "F841 W0612 unused-variable reportUnusedVariable",
         r"""^(F841\ )?local\ variable\ .*\ is\ assigned\ to\ but\ never\ used | ^unused\ variable\ ['"`]
         | variable\ ['"`]\w+['"`]\ is\ (assigned\ to\ but\ never\ used|not\ accessed)"""),
    _row(_K.UNUSED_LOOP_VARIABLE, "B007", r"^(B007\ )?loop\ control\ variable\ .*\ not\ used\ within"),
    _row(_K.OVERWRITTEN_LOOP_VARIABLE,
         "PLW2901 W2901 redefined-loop-name",
         r"loop\ variable\ .*\ overwritten\ by\ | ^redefining\ '\w+'\ from\ loop"),
    _row(_K.LOOP_VARIABLE_CAPTURE,
         "B023 W0640 cell-var-from-loop",
         r"does\ not\ bind\ loop\ variable | ^Cell\ variable\ \w+\ defined\ in\ loop"),
    _row(_K.AMBIGUOUS_NAME, "E741", r"^(E741\ )?ambiguous\ variable\ name"),
    _row(_K.MUTABLE_CLASS_DEFAULT,
         "RUF012", r"mutable\ (default\ value\ for\ class\ attribute|class\ attributes\ should\ be\ annotated)"),
    _row(_K.CALL_IN_DEFAULT, "B008"),
    _row(_K.MUTABLE_DEFAULT,
         "B006 W0102 dangerous-default-value", r"mutable\ .*default | mutable\ data\ structures | dangerous\ default"),
    _row(_K.MISSING_SELF,
         "N805 E0213 E0211 no-self-argument no-method-argument reportSelfClsParameterName",
         r"forget\ the\ \"self\"\ argument"),
    _row(_K.TOO_MANY_ARGUMENTS, "", r"takes\ \d+\ positional\ arguments?\ but\ \d+\ (was|were)\ given"),
    _row(_K.SWAPPED_ARGUMENTS, "W1114 arguments-out-of-order", r"out\ of\ order | look\ swapped | wrong\ order"),
    _row(_K.ZIP_WITHOUT_STRICT, "B905", r"without\ an\ explicit\ `strict"),
    _row(_K.WARNING_WITHOUT_STACKLEVEL, "B028", r"no\ explicit\ `stacklevel"),
    _row(_K.RUN_WITHOUT_CHECK,
         "PLW1510 W1510 subprocess-run-check",
         r"subprocess\.run[`'\"]?\ (without\ explicit\ `check`|used\ without\ explicitly)"),
    _row(_K.MISSING_AWAIT,
         "reportUnusedCoroutine unused-coroutine", r"never\ awaited | missing\ `await` | use\ \"await\""),
    _row(_K.MULTIPLE_STATEMENTS_ON_ONE_LINE,
         "E701 E702 E704 C0321 multiple-statements multiple-statements-on-one-line-colon"
         " multiple-statements-on-one-line-semicolon",
         r"^(E70[124]\ )?multiple\ statements\ on\ one\ line | ^more\ than\ one\ statement\ on\ a\ single\ line"),
    _row(_K.BARE_EXCEPT, "E722 W0702 bare-except", r"bare\ [`']?except | ^no\ exception\ type"),
    _row(_K.RAISE_WITHOUT_FROM,
         "B904 W0707 raise-missing-from",
         r"raise\ exceptions\ with\ `raise\ \.\.\.\ from | consider\ explicitly\ re-?raising"),
    _row(_K.OPEN_WITHOUT_WITH,
         "SIM115 R1732 consider-using-with",
         r"use\ a?\ ?context\ (manager|handler)\ for\ opening\ files | ^consider\ using\ 'with'\ for\ resource-allocating"),
    _row(_K.LAMBDA_ASSIGNMENT,
         "E731 C3001 unnecessary-lambda-assignment",
         r"do\ not\ assign\ a\ [`']?lambda[`']?\ expression | ^lambda\ expression\ assigned\ to\ a\ variable"),
    _row(_K.UNNECESSARY_ASSIGNMENT, "RET504 R504"),
    _row(_K.NONE_COMPARISON,
         "E711", r"comparison\ to\ `?None | instead\ of\ `[=!]=\ None | ^use\ `is\ (not\ )?None`\ instead"),
    _row(_K.BOOL_COMPARISON, "E712", r"comparisons?\ to\ `?(True|False)\b"),
    _row(_K.SINGLETON_COMPARISON, "C0121 singleton-comparison", r"^comparison\ '.*'\ should\ be\ '"),
    _row(_K.TYPE_INSTEAD_OF_ISINSTANCE, "C0123 unidiomatic-typecheck", r"isinstance\(\)\ rather\ than\ type"),
    _row(_K.TYPE_COMPARISON, "E721", r"for\ type\ comparisons | do\ not\ compare\ types"),
    _row(_K.NOT_IN_TEST, "E713", r"^(E713\ )?test\ for\ membership | should\ be\ [`']?not\ in\b"),
    _row(_K.NOT_IS_TEST, "E714", r"^(E714\ )?test\ for\ object\ identity | should\ be\ [`']?is\ not\b"),
    _row(_K.UNNECESSARY_NEGATION, "C0117 unnecessary-negation", r"^consider\ changing\ \"not\ "),
    _row(_K.F_STRING_WITHOUT_PLACEHOLDERS,
         "F541 W1309 f-string-without-interpolation",
         r"f-string\ (is\ missing|without\ any)\ placeholders | f-string\ that\ does\ not\ have\ any\ interpolated"),
    _row(_K.MISSING_F_PREFIX, "RUF027", r"should\ be\ an\ f-string | missing\ `f`\ prefix"),
    _row(_K.TRAILING_WHITESPACE, "W291 C0303 trailing-whitespace", r"^(W291\ )?trailing\ whitespace"),
    _row(_K.WHITESPACE_ON_BLANK_LINE, "W293", r"^W293\ trailing\ whitespace | blank\ line\ contains\ whitespace"),
    _row(_K.BLANK_LINE_AFTER_DECORATOR, "E304", r"^(E304\ )?expected\ 0\ blank\ lines"),
    _row(_K.ONE_BLANK_LINE_EXPECTED, "E301 E306", r"^(E30\d\ )?expected\ 1\ blank\ lines?\b"),
    _row(_K.TWO_BLANK_LINES_EXPECTED, "E302 E305", r"^(E30\d\ )?expected\ \d\ blank\ lines?\b"),
    _row(_K.TOO_MANY_BLANK_LINES, "E303", r"^(E303\ )?too\ many\ blank\ lines"),
    _row(_K.MISSING_FINAL_NEWLINE,
         "W292 C0304 missing-final-newline", r"no\ newline\ at\ end\ of\ file | ^final\ newline\ missing"),
    _row(_K.TRAILING_NEWLINES,
         "W391 C0305 trailing-newlines",
         r"too\ many\ newlines\ at\ end\ of\ file | blank\ line\ at\ end\ of\ file | ^trailing\ newlines"),
    _row(_K.STAR_AFTER_KEYWORD, "B026", r"star-arg\ unpacking\ after\ a\ keyword"),
    _row(_K.PATTERN_NOT_RAW, "RUF043", r"contains\ metacharacters\ but\ is\ neither\ escaped\ nor\ raw"),
    _row(_K.CODE_METRIC,
         "C901 complex-structure PLR0904 PLR0911 PLR0912 PLR0913 PLR0914 PLR0915 PLR0916 PLR0917 PLR1702 C0302 R0901 R0902"
         " R0903 R0904 R0911 R0912 R0913 R0914 R0915 R0916 R0917 R1702 too-many-lines too-many-ancestors"
         " too-many-instance-attributes too-few-public-methods too-many-public-methods too-many-return-statements"
         " too-many-branches too-many-arguments too-many-locals too-many-statements too-many-boolean-expressions"
         " too-many-positional-arguments too-many-nested-blocks",
         r"^(C901\ |PLR\d+\ )?(['\"`][\w.]+['\"`]\ is\ too\ complex | too\ (many|few)\ [\w\ ]+)\ \(\d+(\ ?[>/]\ ?\d+)?\)"),
    _row(_K.STANDARD_LIBRARY_ALTERNATIVE,
         "", rf"^(Use|Prefer|Consider\ using)\ `({_STANDARD_LIBRARY})\.\w", flags=0),
)  # fmt: skip

_BY_CODE = {code: row.kind for row in reversed(_TABLE) for code in row.codes}

NAME_KINDS = frozenset({DiagnosticKind.UNDEFINED_NAME, DiagnosticKind.UNRESOLVED_IMPORT})
"""A name or a module that nothing binds: another name, or an import, may be the answer."""
DEFAULT_KINDS = frozenset({DiagnosticKind.MUTABLE_DEFAULT, DiagnosticKind.CALL_IN_DEFAULT})
"""A parameter's default that all calls share."""
BLANK_LINE_KINDS = frozenset(
    {
        DiagnosticKind.ONE_BLANK_LINE_EXPECTED,
        DiagnosticKind.TWO_BLANK_LINES_EXPECTED,
        DiagnosticKind.BLANK_LINE_AFTER_DECORATOR,
        DiagnosticKind.TOO_MANY_BLANK_LINES,
    }
)
"""The blank lines above a statement."""


def classify(diagnostic: Diagnostic) -> DiagnosticKind | None:
    """The kind of a diagnostic: by its code, else by its message; None for one that is not known. Raises: never."""
    if diagnostic.code is not None and diagnostic.code in _BY_CODE:
        return _BY_CODE[diagnostic.code]
    for row in _TABLE:
        if row.message is not None and row.message.search(diagnostic.message):
            return row.kind
    return None


def is_syntax_error(diagnostic: Diagnostic) -> bool:
    """Whether it says that the text does not parse."""
    return classify(diagnostic) is DiagnosticKind.SYNTAX_ERROR
