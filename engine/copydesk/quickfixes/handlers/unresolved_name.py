"""A name or an attribute that nothing defines, as one that exists.

An undefined name becomes one of the names of the document, a builtin or an attribute of `self`; an unknown attribute one of the
attributes that the document uses. Works on text alone and on code that does not parse.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Iterable, Sequence

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, replaced
from copydesk.quickfixes.kinds import NAME_KINDS, DiagnosticKind
from copydesk.quickfixes.messages import (
    quoted_identifiers,
    quoted_name,
    suggested_names,
    unknown_attribute,
)
from copydesk.quickfixes.replacement import Replacement
from copydesk.quickfixes.similarity import letter_pairs, meant
from copydesk.quickfixes.words import contains_word
from copydesk.request import Diagnostic
from copydesk.text.document import content

SIMILAR = 24
"""So many names that look like the wrong one are offered,"""
NEAR = 24
"""and so many that stand near it."""
WINDOW = 40
"""Lines round the diagnostic that count as near."""
FAR = 600
"""Names farther away are not looked for."""
SHORT = 5
"""Letters below which a word like the wrong one proves no slip: other names are offered too."""
LIKENESS = 0.4
"""Below this a name is no misspelling of another: what is missing may be an import that cannot be guessed."""

MEMBERS: dict[str, str] = {
    "abc": "ABC abstractmethod",
    "collections": "ChainMap Counter OrderedDict defaultdict deque namedtuple",
    "collections.abc": "Awaitable Callable Generator Iterable Iterator Mapping MutableMapping Sequence",
    "contextlib": "ExitStack closing contextmanager suppress",
    "copy": "deepcopy",
    "dataclasses": "asdict dataclass field fields",
    "datetime": "date datetime timedelta timezone",
    "decimal": "Decimal",
    "enum": "Enum IntEnum StrEnum auto",
    "functools": "cache cached_property lru_cache partial reduce total_ordering wraps",
    "io": "BytesIO StringIO",
    "itertools": "chain combinations count groupby islice permutations product zip_longest",
    "math": "ceil floor pi sqrt",
    "operator": "attrgetter itemgetter",
    "pathlib": "Path PurePath",
    "subprocess": "PIPE Popen",
    "threading": "Event Lock RLock Thread",
    "time": "perf_counter sleep",
    "types": "ModuleType SimpleNamespace TracebackType",
    "typing": (
        "TYPE_CHECKING Any ClassVar Dict Final Generic List Literal NamedTuple NoReturn Optional Protocol Set Tuple Type"
        " TypedDict TypeVar Union cast overload"
    ),
    "unittest.mock": "MagicMock Mock patch",
    "urllib.parse": "quote unquote urlencode urljoin urlparse",
    "uuid": "uuid4",
}
"""Names that are imported from a module so often that the module may be guessed."""
ALIASES = {
    "np": "numpy",
    "pd": "pandas",
    "plt": "matplotlib.pyplot",
    "tf": "tensorflow",
    "ET": "xml.etree.ElementTree",
}

_MODULES = tuple(sorted(name for name in sys.stdlib_module_names if not name.startswith("_")))
_BUILTINS = tuple(name for name in dir(builtins) if not name.startswith("_"))
_KEYWORDS = tuple(word for word in keyword.kwlist if word[0].islower())
_SCAN = re.compile(
    r'''"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*'''
    r"""|(?<![\w.])(\.?)([^\W\d]\w*)|\.[ ]?([^\W\d]\w*)""",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d]\w*")


class UnresolvedName(Handler):
    """The line with each name that may be meant; where an import may be the answer, the model chooses between the two."""

    kinds = frozenset({*NAME_KINDS, DiagnosticKind.UNKNOWN_ATTRIBUTE})

    def candidates(self, context: FixContext) -> Candidates | None:
        return replaced(context, self.replacement(context))

    def replacement(self, context: FixContext) -> Replacement | None:
        return _replacement(context)

    def still_applies(self, context: FixContext) -> bool:
        """While the statement uses the name that is quoted, or has the attribute."""
        message = context.diagnostic.message
        if context.kind is DiagnosticKind.UNKNOWN_ATTRIBUTE:
            attribute = unknown_attribute(message)
            return attribute is None or contains_word(context.statement(), attribute)
        name = quoted_name(message) if context.kind is DiagnosticKind.UNDEFINED_NAME else None
        return name is None or _uses(name, context.statement())


def _uses(name: str, text: str) -> bool:
    """Whether the statement may use the name: not only as an attribute, nor only to name an argument."""
    return any(
        text[: match.start()].rstrip()[-1:] not in ("(", ",")
        or not re.match(r"\s*=[^=}!:]", text[match.end() :])
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
    )


def _replacement(context: FixContext) -> Replacement | None:
    diagnostic, lines, at = context.diagnostic, context.lines, context.diagnostic.start.line
    place = flagged(diagnostic, content(lines[at]))
    if place is None:
        return None
    start, end = place
    wrong = content(lines[at])[start:end]
    names, attributes = _names(lines, at)
    suggested = [name for name in suggested_names(diagnostic.message) if name != wrong]
    if context.kind is DiagnosticKind.UNKNOWN_ATTRIBUTE:
        texts = [*suggested, *meant(wrong, attributes)] or _ranked(wrong, attributes, names)[0]
        return Replacement(at + 1, start, end, tuple(dict.fromkeys(texts))) if texts else None
    own = [f"self.{wrong}"] if "self" in names else []
    added = tuple(_imports(wrong))
    texts, best = _ranked(wrong, names, (*_BUILTINS, *_MODULES, *_KEYWORDS))
    if best < LIKENESS and not added and wrong not in attributes:
        return None
    # A slip of the keyboard leaves few words; an attribute of that very name says that `self.` is what is missing.
    slips = [*suggested, *meant(wrong, (*names, *_BUILTINS, *_MODULES, *_KEYWORDS))]
    known = own if wrong in attributes else []
    if known or suggested or (slips and len(wrong) >= SHORT):
        return Replacement(at + 1, start, end, tuple(dict.fromkeys((*known, *slips))), added)
    at_own = 4
    texts = [*texts[:at_own], *own, *texts[at_own:]]
    return Replacement(at + 1, start, end, tuple(texts), added)


def flagged(diagnostic: Diagnostic, text: str) -> tuple[int, int] | None:
    """The identifier a diagnostic is about: the one it marks, or the one its message names first on that line."""
    start = diagnostic.start.character
    end = diagnostic.end.character if diagnostic.end.line == diagnostic.start.line else len(text)
    marked = text[start:end]
    if marked.isidentifier():
        return start, end
    for name in quoted_identifiers(diagnostic.message):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            if match.start() >= start or not marked.strip():
                return match.span()
    word = _WORD.match(text, start)
    return word.span() if word is not None else None


def _names(lines: Sequence[str], at: int) -> tuple[list[str], list[str]]:
    """The document's names and attributes, those nearest to line `at` (0-based) first."""
    top, bottom = max(0, at - WINDOW), at + 1 + WINDOW
    above, below = max(0, at - FAR), at + FAR
    names: dict[str, None] = {}
    attributes: dict[str, None] = {}
    # Upwards from the line, then down: what was used last is likeliest.
    for first, last, backwards in (
        (top, at + 1, True),
        (at + 1, bottom, False),
        (above, top, True),
        (bottom, below, False),
    ):
        words = _SCAN.findall("".join(lines[first:last]))
        for dot, name, attribute in reversed(words) if backwards else words:
            if name and not dot:
                names.setdefault(name)
            elif name or attribute:
                attributes.setdefault(name or attribute)
    return [n for n in names if not keyword.iskeyword(n)], list(attributes)


def _ranked(wrong: str, names: Iterable[str], more: Iterable[str] = ()) -> tuple[list[str], float]:
    """Names that look like `wrong`, then those that come first in `names`; and how alike the best one is."""
    names = [n for n in names if n != wrong]
    pairs = letter_pairs(wrong)
    scored: list[tuple[float, int, str]] = []
    for k, name in enumerate(dict.fromkeys([*names, *more])):
        if abs(len(name) - len(wrong)) <= 3 and name != wrong:
            both = letter_pairs(name)
            likeness = 2 * len(pairs & both) / (len(pairs) + len(both))
            if likeness > 0.2:
                scored.append((-likeness, k, name))
    scored.sort()
    similar = [name for _, _, name in scored[:SIMILAR]]
    return list(dict.fromkeys([*similar, *names[:NEAR]])), -scored[0][0] if scored else 0.0


def _imports(name: str) -> list[str]:
    """Import statements that bind `name`."""
    found = [f"import {name}\n"] if name in sys.stdlib_module_names else []
    if name in ALIASES:
        found.append(f"import {ALIASES[name]} as {name}\n")
    found += [
        f"from {module} import {name}\n" for module, members in MEMBERS.items() if name in members.split()
    ]
    return found
