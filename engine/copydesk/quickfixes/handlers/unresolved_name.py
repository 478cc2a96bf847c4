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
from functools import lru_cache

from copydesk.quickfixes.scope import is_syntax_error, names_undefined
from copydesk.quickfixes.similarity import meant
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
"""Below this a name is no misspelling of another: what is missing may be an import nobody can guess."""

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
_SUGGESTED = re.compile(r"(?:[Dd]id you mean:?|maybe) [`'\"](?:self\.)?([^\W\d]\w*)[`'\"]")
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
    place = flagged(diagnostic, content(lines[at]))
    if place is None:
        return None
    start, end = place
    wrong = content(lines[at])[start:end]
    names, attributes = _names(lines, at)
    told = [name for name in _SUGGESTED.findall(diagnostic.message) if name != wrong]
    if attribute:
        texts = [*told, *meant(wrong, attributes)] or _ranked(wrong, attributes, names)[0]
        return Narrowed(at + 1, start, end, tuple(dict.fromkeys(texts))) if texts else None
    own = [f"self.{wrong}"] if "self" in names else []
    added = tuple(_imports(wrong))
    texts, best = _ranked(wrong, names, (*_BUILTINS, *_MODULES, *_KEYWORDS))
    if best < LIKENESS and not added and wrong not in attributes:
        return None
    # A slip of the keyboard leaves few words; an attribute of that very name says that `self.` is what is missing.
    slips = [*told, *meant(wrong, (*names, *_BUILTINS, *_MODULES, *_KEYWORDS))]
    known = own if wrong in attributes else []
    if known or told or (slips and len(wrong) >= SHORT):
        return Narrowed(at + 1, start, end, tuple(dict.fromkeys((*known, *slips))), added)
    at_own = 4
    texts = [*texts[:at_own], *own, *texts[at_own:]]
    return Narrowed(at + 1, start, end, tuple(texts), added)


def flagged(diagnostic: Diagnostic, text: str) -> tuple[int, int] | None:
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
    pairs = _pairs(wrong)
    scored: list[tuple[float, int, str]] = []
    for k, name in enumerate(dict.fromkeys([*names, *more])):
        if abs(len(name) - len(wrong)) <= 3 and name != wrong:
            both = _pairs(name)
            likeness = 2 * len(pairs & both) / (len(pairs) + len(both))
            if likeness > 0.2:
                scored.append((-likeness, k, name))
    scored.sort()
    similar = [name for _, _, name in scored[:SIMILAR]]
    return list(dict.fromkeys([*similar, *names[:NEAR]])), -scored[0][0] if scored else 0.0


@lru_cache(4096)
def _pairs(word: str) -> frozenset[str]:
    """Neighbouring letters, with the ends marked; letters one apart too, for those that were swapped."""
    low = f"^{word.lower()}$"
    return frozenset(
        [*(low[k : k + 2] for k in range(len(low) - 1)), *(low[k] + low[k + 2] for k in range(len(low) - 2))]
    )


def _imports(name: str) -> list[str]:
    """Import statements that bind `name`."""
    found = [f"import {name}\n"] if name in sys.stdlib_module_names else []
    if name in ALIASES:
        found.append(f"import {ALIASES[name]} as {name}\n")
    found += [
        f"from {module} import {name}\n" for module, members in MEMBERS.items() if name in members.split()
    ]
    return found


def _keyword(diagnostic: Diagnostic, lines: Sequence[str]) -> Narrowed | None:
    """The word near a syntax error that may be a misspelt keyword: one that the document has nowhere else."""
    at = diagnostic.start.line
    best: tuple[float, int, int, int] | None = None
    for line in (at, at - 1):
        if not 0 <= line < len(lines):
            continue
        for match in _WORD.finditer(re.sub(r"#.*", "", content(lines[line]))):
            word = match.group()
            if keyword.iskeyword(word) or word in _BUILTINS or len(word) < 2:
                continue
            likeness = max(_closeness(word, good) for good in _KEYWORDS) - 0.05 * (line != at)
            if likeness >= 0.4 and (best is None or likeness > best[0]) and _once(word, lines):
                best = (likeness, line, *match.span())
    if best is None:
        return None
    _, line, start, end = best
    word = content(lines[line])[start:end]
    return Narrowed(line + 1, start, end, tuple(sorted(_KEYWORDS, key=lambda good: -_closeness(word, good))))


def _once(word: str, lines: Sequence[str]) -> bool:
    whole = re.compile(rf"(?<!\w){word}(?!\w)")
    return sum(len(whole.findall(line)) for line in lines if word in line) == 1


def _closeness(word: str, good: str) -> float:
    if abs(len(word) - len(good)) > 1:
        return 0.0
    if sorted(word) == sorted(good):
        return 0.9
    both = _pairs(word), _pairs(good)
    return 2 * len(both[0] & both[1]) / (len(both[0]) + len(both[1]))


def _neighbours(head: str) -> list[int]:
    """Where a sub's old text may begin before the place: at the space in front of it, at the token before that."""
    found = [len(head) - 1] if head.endswith(" ") else []
    match = re.search(r"(?:\w+|[^\w\s])[ ]?$", head)
    return [*found, match.start()] if match else found
