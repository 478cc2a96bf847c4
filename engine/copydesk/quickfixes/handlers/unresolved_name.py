"""A name or an attribute that nothing defines, as one that exists and is spelt like it.

An undefined name becomes a name in scope, a builtin, or an attribute of `self`; an unknown attribute one that the class, the
module or the document has. Where none is like it, and no import is known to bind it, nothing is offered.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

from copydesk.quickfixes.handler import Candidates, FixContext, Handler, replaced
from copydesk.quickfixes.kinds import NAME_KINDS, DiagnosticKind
from copydesk.quickfixes.likely_names import (
    LikelyName,
    likeliest,
    likely_attributes,
    likely_names,
    likely_words,
)
from copydesk.quickfixes.messages import quoted_identifiers, quoted_name, unknown_attribute
from copydesk.quickfixes.replacement import Replacement
from copydesk.quickfixes.unseen_names import HAS_UNSEEN_NAMES
from copydesk.quickfixes.words import contains_word
from copydesk.request import Diagnostic
from copydesk.text.document import content

TABLE = "stdlib_names.txt"

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

_EXPORTED = re.compile(r"\bin [`'\"]?__all__")
_WORD = re.compile(r"[^\W\d]\w*")
_OF_NONE = re.compile(r"[`'\"]None(Type)?[`'\"]")


class UnresolvedName(Handler):
    """The line with each name that may be meant, as far as their spelling does not decide between them."""

    kinds = frozenset({*NAME_KINDS, DiagnosticKind.UNKNOWN_ATTRIBUTE})

    def candidates(self, context: FixContext) -> Candidates | None:
        place = flagged_place(context)
        if place is None:
            return None
        start, end = place
        line = context.diagnostic.start.line + 1
        texts = tuple(likeliest(_likely(context, start, end)))
        return replaced(context, Replacement(line, start, end, texts)) if texts else None

    def replacement(self, context: FixContext) -> Replacement | None:
        place = flagged_place(context)
        if place is None:
            return None
        start, end = place
        line = context.diagnostic.start.line + 1
        wrong = content(context.lines[line - 1])[start:end]
        texts = tuple(each.text for each in _likely(context, start, end))
        added = tuple(_imports(wrong)) if context.kind in NAME_KINDS else ()
        return Replacement(line, start, end, texts, added) if texts or added else None

    def refusal(self, context: FixContext) -> str | None:
        place = flagged_place(context)
        if place is None or _OF_NONE.search(context.diagnostic.message):
            return None
        wrong = content(context.lines[context.diagnostic.start.line])[place[0] : place[1]]
        if context.kind is DiagnosticKind.UNKNOWN_ATTRIBUTE:
            return f"no attribute that is known here is spelt like {wrong}"
        if context.kind is DiagnosticKind.UNRESOLVED_IMPORT:
            return f"no module or name that is known here is spelt like {wrong}"
        return f"no name in scope is spelt like {wrong}, and no import is known to bind it; define it, or import it"

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


def flagged_place(context: FixContext) -> tuple[int, int] | None:
    """The characters of the flagged line that are the name, where it is one."""
    text = content(context.lines[context.diagnostic.start.line])
    place = flagged(context.diagnostic, text)
    return place if place is not None and text[place[0] : place[1]].isidentifier() else None


def _likely(context: FixContext, start: int, end: int) -> Sequence[LikelyName]:
    text = content(context.lines[context.diagnostic.start.line])
    wrong = text[start:end]
    if context.kind is DiagnosticKind.UNKNOWN_ATTRIBUTE:
        return likely_attributes(context, wrong, start, _members_of(text[:start]))
    if text.lstrip().startswith(("import ", "from ")):
        return likely_words(wrong, _importable_words(text, start))
    found = likely_names(context, wrong, start)
    if not _EXPORTED.search(context.diagnostic.message):
        return found
    if HAS_UNSEEN_NAMES.search("".join(context.lines)):
        return ()
    exported = set(_WORD.findall(context.statement()))
    return [each for each in found if each.text not in exported]


def _members_of(head: str) -> Sequence[str]:
    """The public names of the module of the standard library that stands before the dot."""
    owner = re.search(r"(?<![\w.])([\w.]+)\.$", head)
    return standard_library_names().get(owner.group(1), ()) if owner is not None else ()


def _importable_words(text: str, start: int) -> Sequence[str]:
    """What may stand at a place of an import statement: modules, or the names that a module of the standard library has."""
    source = re.match(r"\s*from\s+([\w.]+)\s+import\b", text)
    if source is not None and start >= source.end():
        return standard_library_names().get(source.group(1), ())
    return sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))


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


def _imports(name: str) -> list[str]:
    """Import statements that bind `name`."""
    found = [f"import {name}\n"] if name in sys.stdlib_module_names else []
    if name in ALIASES:
        found.append(f"import {ALIASES[name]} as {name}\n")
    found += [
        f"from {module} import {name}\n" for module, members in MEMBERS.items() if name in members.split()
    ]
    return found


@lru_cache(1)
def standard_library_names() -> dict[str, tuple[str, ...]]:
    """The public names of each module, those imported most first. Built once for each release by tools/stdlib_names.py."""
    found: dict[str, tuple[str, ...]] = {}
    for row in resources.files(__package__).joinpath(TABLE).read_text(encoding="utf-8").split("\n"):
        module, colon, names = row.partition(":")
        if colon and not row.startswith("#"):
            found[module] = tuple(names.split())
    return found
