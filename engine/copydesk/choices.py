r"""What new text can be, where a diagnostic narrows it to a finite list: names instead of spelling.

An undefined name becomes one of the document's names, a builtin, an attribute of `self` or an import; an unknown
attribute one of the attributes the document uses; a misspelt keyword a keyword. Works on text alone and on code that
does not parse. Knows Python; nothing of tokens, so the spaces and neighbours that a sub may take along are listed as
texts of their own.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from copydesk.document import content
from copydesk.request import Diagnostic
from copydesk.scope import is_syntax_error, names_undefined

SIMILAR = 48
"""So many names that look like the wrong one are offered,"""
NEAR = 48
"""and so many that stand near it."""

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
ALIASES = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "tf": "tensorflow", "ET": "xml.etree.ElementTree"}

_MODULES = tuple(sorted(name for name in sys.stdlib_module_names if not name.startswith("_")))
_BUILTINS = tuple(name for name in dir(builtins) if not name.startswith("_"))
_KEYWORDS = tuple(word for word in keyword.kwlist if word[0].islower())
_ATTRIBUTE = re.compile(
    r"has no attribute|has no '?\w+'? member|cannot access attribute|is not a known attribute", re.IGNORECASE
)
_ATTRIBUTE_CODES = frozenset({"attr-defined", "reportAttributeAccessIssue", "E1101", "no-member"})
_SCAN = re.compile(
    r'''"""(?:[^\\]|\\.)*?"""|\'\'\'(?:[^\\]|\\.)*?\'\'\'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*'''
    r"""|(?<![\w.])(\.?)([^\W\d]\w*)|\.[ ]?([^\W\d]\w*)""",
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r"[`'\"]([^\W\d]\w*)[`'\"]")


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What `line` (1-based) may say in `content[start:end]`, best guesses first; and lines that may be added elsewhere."""

    line: int
    start: int
    end: int
    texts: tuple[str, ...]
    added: tuple[str, ...] = ()

    def new_texts(self, text: str, begin: int, stop: int) -> list[str]:
        """The new texts of a sub whose old text is `text[begin:stop]`, for the line's content `text`: those that leave the line
        with one of `texts` in its place. An old text that only meets part of the place allows the texts that agree with
        the rest of it; one that misses the place allows none.
        """
        head, tail = text[self.start : max(self.start, begin)], text[min(self.end, stop) : self.end]
        before, behind = text[begin : self.start], text[self.end : stop]
        if begin > self.end or stop < self.start:
            return []
        found = (
            before + new[len(head) : len(new) - len(tail)] + behind
            for new in self.texts
            if new.startswith(head) and new.endswith(tail) and len(new) >= len(head) + len(tail)
        )
        return list(dict.fromkeys(new for new in found if new))


def choices_for(diagnostic: Diagnostic, lines: Sequence[str], language: str) -> list[str] | None:
    """What new text may be, as `EditRequest.choices`; None where the diagnostic does not narrow it.

    Each text stands bare and with the space or the neighbouring token it may be replaced with. Raises: never.
    """
    found = narrow(diagnostic, lines, language)
    if found is None:
        return None
    text = content(lines[found.line - 1])
    begins = {found.start, *_neighbours(text[: found.start])}
    news: list[str] = []
    for begin in sorted(begins, reverse=True):
        news += found.new_texts(text, begin, found.end)
    if text.count(text[found.start : found.end]) > 1 and found.end < len(text):
        news += found.new_texts(text, found.start, found.end + 1)
    return list(dict.fromkeys([*news, *found.added])) or None


def narrow(diagnostic: Diagnostic, lines: Sequence[str], language: str) -> Narrowed | None:
    """The place a diagnostic is about and what may stand there, or None."""
    at = diagnostic.start.line
    if language != "python" or at >= len(lines):
        return None
    if is_syntax_error(diagnostic):
        return _keyword(diagnostic, lines)
    undefined = names_undefined(diagnostic)
    attribute = not undefined and (
        diagnostic.code in _ATTRIBUTE_CODES or _ATTRIBUTE.search(diagnostic.message) is not None
    )
    if not undefined and not attribute:
        return None
    place = _flagged(diagnostic, content(lines[at]))
    if place is None:
        return None
    start, end = place
    wrong = content(lines[at])[start:end]
    names, attributes = _names(lines, at)
    if attribute:
        texts = _ranked(wrong, attributes)
        return Narrowed(at + 1, start, end, tuple(texts)) if texts else None
    own = [f"self.{wrong}"] if wrong in attributes else []
    texts = [*own, *_ranked(wrong, names, (*_BUILTINS, *_MODULES))]
    added = tuple(_imports(wrong))
    return Narrowed(at + 1, start, end, tuple(texts), added) if texts or added else None


def _flagged(diagnostic: Diagnostic, text: str) -> tuple[int, int] | None:
    """The identifier a diagnostic is about: the one it marks, or the one its message names first on that line."""
    start = diagnostic.start.character
    end = diagnostic.end.character if diagnostic.end.line == diagnostic.start.line else len(text)
    marked = text[start:end]
    if marked.isidentifier():
        return start, end
    for name in _QUOTED.findall(diagnostic.message):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            if match.start() >= start or not marked.strip():
                return match.span()
    word = _WORD.match(text, start)
    return word.span() if word is not None else None


def _names(lines: Sequence[str], at: int) -> tuple[list[str], list[str]]:
    """The document's names and attributes, those nearest to line `at` (0-based) first."""
    above = "".join(lines[: at + 1])
    names: dict[str, None] = {}
    attributes: dict[str, None] = {}
    # From the line down, then from the line up: what was used last is likeliest.
    for text, backwards in (("".join(lines[at:]), False), (above, True)):
        words = _SCAN.findall(text)
        for dot, name, attribute in reversed(words) if backwards else words[: len(words)]:
            if name and not dot:
                names.setdefault(name)
            elif name or attribute:
                attributes.setdefault(name or attribute)
    return [n for n in names if not keyword.iskeyword(n)], list(attributes)


def _ranked(wrong: str, names: Iterable[str], more: Iterable[str] = ()) -> list[str]:
    """Names that look like `wrong`, then those that come first in `names`."""
    names = [n for n in names if n != wrong]
    pairs = _pairs(wrong)
    scored: list[tuple[float, int, str]] = []
    for k, name in enumerate(dict.fromkeys([*names, *more])):
        if abs(len(name) - len(wrong)) <= 3 or name in wrong or wrong in name:
            both = _pairs(name)
            likeness = 2 * len(pairs & both) / (len(pairs) + len(both))
            if likeness > 0.2:
                scored.append((-likeness, k, name))
    scored.sort()
    similar = [name for _, _, name in scored[:SIMILAR]]
    return list(dict.fromkeys([*similar, *names[:NEAR]]))


def _pairs(word: str) -> set[str]:
    """Neighbouring letters, with the ends marked; letters one apart too, for those that were swapped."""
    low = f"^{word.lower()}$"
    return {low[k : k + 2] for k in range(len(low) - 1)} | {low[k] + low[k + 2] for k in range(len(low) - 2)}


def _imports(name: str) -> list[str]:
    """Import statements that bind `name`."""
    found = [f"import {name}\n"] if name in sys.stdlib_module_names else []
    if name in ALIASES:
        found.append(f"import {ALIASES[name]} as {name}\n")
    found += [f"from {module} import {name}\n" for module, members in MEMBERS.items() if name in members.split()]
    return found


def _keyword(diagnostic: Diagnostic, lines: Sequence[str]) -> Narrowed | None:
    """The word on the line of a syntax error that may be a misspelt keyword."""
    at = diagnostic.start.line
    for line in (at, at - 1):
        if line < 0:
            break
        text = content(lines[line])
        best: tuple[float, int, int] | None = None
        for match in _WORD.finditer(re.sub(r"#.*", "", text)):
            word = match.group()
            if keyword.iskeyword(word) or word in _BUILTINS or len(word) < 2:
                continue
            likeness = max(_closeness(word, good) for good in _KEYWORDS)
            if likeness >= 0.5 and (best is None or likeness > best[0]):
                best = (likeness, *match.span())
        if best is not None:
            _, start, end = best
            word = text[start:end]
            good = sorted(_KEYWORDS, key=lambda k: -_closeness(word, k))
            return Narrowed(line + 1, start, end, tuple(good))
    return None


def _closeness(word: str, good: str) -> float:
    if abs(len(word) - len(good)) > 1:
        return 0.0
    if sorted(word) == sorted(good) and word != good:
        return 0.9
    both = _pairs(word), _pairs(good)
    return 2 * len(both[0] & both[1]) / (len(both[0]) + len(both[1]))


def _neighbours(head: str) -> list[int]:
    """Where a sub's old text may begin before the place: at the space in front of it, at the token before that."""
    found = [len(head) - 1] if head.endswith(" ") else []
    match = re.search(r"(?:\w+|[^\w\s])[ ]?$", head)
    return [*found, match.start()] if match else found
