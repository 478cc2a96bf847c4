"""A name that nothing defines, imported: which imports would bind it, and where each belongs in the import block.

What can be seen is the document, the standard library by name and the order isort gives; what a package of the document's own
exports cannot be seen from here. A name that may come from a star import is imported from its module, and from no other.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from copydesk.quickfixes.handler import Candidates, FixContext, Handler
from copydesk.quickfixes.handlers.unresolved_name import (
    ALIASES,
    MEMBERS,
    flagged_place,
    standard_library_names,
)
from copydesk.quickfixes.kinds import NAME_KINDS
from copydesk.quickfixes.likely_names import likeliest, likely_names
from copydesk.quickfixes.unseen_names import STAR_IMPORT
from copydesk.request import Range
from copydesk.syntax.import_block import import_block, import_point
from copydesk.syntax.import_sorting import ImportLine, Place, import_lines, places, with_name
from copydesk.text.document import content
from copydesk.text.line_edit import LineEdit

MOST = 6
"""Ways to bind a name that are offered."""
LIKELIER = 0.5
"""A name in scope that costs less than this may be meant although the name can be imported."""
LONG_NAME = 8
"""So many letters make a common word unlikely."""
FAMILIAR = {
    **ALIASES,
    "nx": "networkx", "sns": "seaborn", "sp": "scipy", "mpl": "matplotlib", "jnp": "jax.numpy", "sm": "statsmodels.api",
    "pa": "pyarrow", "pl": "polars", "st": "streamlit", "gpd": "geopandas", "xr": "xarray", "sa": "sqlalchemy",
    "cabc": "collections.abc",
    "tp": "typing", "t": "typing", "dt": "datetime", "mp": "multiprocessing", "nn": "torch.nn", "F": "torch.nn.functional",
}  # fmt: skip
"""Short names that a package is known by."""
_OUTSIDERS = frozenset(
    {"numpy", "pandas", "scipy", "torch", "yaml", "requests", "pytest", "attr", "attrs", "jax", "matplotlib", "networkx",
     "sympy", "tqdm", "click", "six"}
)  # fmt: skip
"""Packages so common that their name alone says what to import."""
WELL_KNOWN = {
    "argparse": "ArgumentParser Namespace",
    "ast": "literal_eval",
    "bisect": "bisect_left bisect_right insort",
    "collections": "UserDict UserList",
    "collections.abc": (
        "AsyncIterable AsyncIterator Collection Container Coroutine Hashable ItemsView KeysView MutableSequence MutableSet Sized"
        " ValuesView"
    ),
    "concurrent.futures": "ProcessPoolExecutor ThreadPoolExecutor as_completed",
    "configparser": "ConfigParser",
    "contextlib": "AsyncExitStack asynccontextmanager nullcontext redirect_stdout",
    "contextvars": "ContextVar",
    "fractions": "Fraction",
    "functools": "singledispatch update_wrapper",
    "heapq": "heapify heappop heappush nlargest nsmallest",
    "importlib": "import_module",
    "inspect": "isclass isfunction signature",
    "io": "TextIOWrapper",
    "itertools": "accumulate cycle pairwise repeat starmap takewhile zip_longest",
    "logging": "getLogger",
    "numbers": "Integral Number Real",
    "operator": "itemgetter methodcaller",
    "tempfile": "NamedTemporaryFile TemporaryDirectory mkdtemp mkstemp",
    "textwrap": "dedent indent",
    "time": "monotonic perf_counter",
    "traceback": "format_exc print_exc",
    "typing": (
        "Annotated AnyStr Awaitable Callable Concatenate DefaultDict FrozenSet Generator Hashable IO Iterable Iterator Mapping"
        " MutableMapping Never NewType ParamSpec Self Sequence TypeAlias TypeGuard get_args get_origin runtime_checkable"
    ),
    "unittest": "TestCase",
    "urllib.request": "urlopen",
    "weakref": "WeakKeyDictionary WeakValueDictionary",
}
"""More such names than `MEMBERS` has: training draws from those, these are only offered."""
_APART = frozenset({"concurrent.futures", "importlib.metadata", "importlib.resources", "importlib.util", "logging.config",
    "logging.handlers", "unittest.mock", "urllib.error", "urllib.parse", "urllib.request", "xml.etree", "email.utils",
    "http.client", "http.server", "multiprocessing.pool"})  # fmt: skip
"""Modules that their package does not import by itself."""
_DEFAULT_MODULE = {"nn": "from torch import nn\n"}
_WRITTEN = re.compile(
    r"^[ \t]*(?:>>> |\.\.\. )?((?:from[ ][\w.]+[ ])?import[ ][\w., ]+?)[ \t]*$", re.MULTILINE
)


_MAYBE_STARRED = re.compile(r"may be undefined, or defined from star imports")


@dataclass(frozen=True, slots=True)
class Importable:
    """The ways to import a name, likeliest first. known: it is well known under this name, or the document imports it elsewhere.
    sure: so that the import is what the diagnostic asks for: a module's name is followed by a dot somewhere, and the
    document has no attribute of that name. one_source: one module alone has it, under a name that is no common word.
    """

    edits: tuple[LineEdit, ...]
    known: bool
    sure: bool
    one_source: bool


class MissingImport(Handler):
    """The name imported in each place where the import may stand. A name in scope that is likelier to be meant is offered beside
    it, or instead.
    """

    kinds = NAME_KINDS

    def candidates(self, context: FixContext) -> Candidates | None:
        lines, at = context.lines, context.diagnostic.start.line
        text = content(lines[at])
        place = flagged_place(context)
        if place is None or text.lstrip().startswith(("import ", "from ")):
            return None
        block = import_block(lines, "python", context.header_lines or None)
        if block is None:
            first = import_point(lines, "python")
            block = (first, first - 1)
        if not context.in_scope(*block):
            return None
        start, end = place
        name = text[start:end]
        known = context.diagnostic.imports
        starred = _MAYBE_STARRED.search(context.diagnostic.message) is not None
        modules = STAR_IMPORT.findall("".join(lines)) if starred else []
        if modules:
            has = standard_library_names()
            known = tuple(f"from {m} import {name}\n" for m in modules if name in has.get(m, (name,)))
            if not known:
                return None
        found = importable(name, lines, block, known)
        if found is None:
            return None
        imports = tuple((edit,) for edit in found.edits)
        names = likely_names(context, name, start)
        if found.known and names and names[0].cost < LIKELIER:
            slips = (
                LineEdit(at + 1, at + 1, f"{text[:start]}{new}{text[end:]}\n") for new in likeliest(names)
            )
            return Candidates((*((slip,) for slip in slips), *imports))
        if found.sure or (not names and (found.known or found.one_source)):
            return Candidates(imports)
        return None


def importable(
    name: str, lines: Sequence[str], block: Range, project: Sequence[str] = ()
) -> Importable | None:
    """How `name` could be imported by lines put into `block` (1-based; empty where there are no imports yet); None where
    it cannot be guessed. project: statements that bind it in other files of the project. Raises: never.
    """
    text = "".join(lines)
    if name == "Self" and re.search(r"\bSelf\.", text):
        return None  # a type: nothing is asked of it
    found = dict.fromkeys((*_written(name, text), *project))
    if not project:
        found.update(dict.fromkeys(_known(name, text)))
    module = f"import {name}\n"
    uses = re.findall(rf"(?<![\w.]){name}\b(\.\w)?", text)
    bare = module in found and bool(uses) and not any(uses)
    if bare:  # nobody uses a module without a dot: what others have under that name is meant, or it is a slip
        found.pop(module)
    known = bool(found)
    # Of misspelt names one in a hundred is by chance a name this well known; but `self.` is often what is missing.
    sure = known and re.search(rf"\bself\.{name}\b", text) is None
    if not known:
        found.update(dict.fromkeys(_listed(name)))
    if not known and f"from {name} import {name}\n" in found:  # `pprint`, `shlex`: called as its module is
        found = {f"from {name} import {name}\n": None}
        one_source = True
    else:
        words = len(re.findall(r"[A-Z][a-z]+", name)) if not name.islower() else 0
        rare = "_" in name or words > 1 or (not words and len(name) >= LONG_NAME)
        one_source = len(found) == 1 and rare
    have = import_lines(lines, block)
    ways: dict[LineEdit, None] = {}
    for statement in list(found)[:MOST]:
        for way in _ways(statement, lines, have, block):
            ways.setdefault(way)
    return Importable(tuple(ways), known, sure, one_source) if ways else None


def _written(name: str, text: str) -> Iterator[str]:
    """Statements that bind `name` and that the document itself writes somewhere."""
    for written in _WRITTEN.findall(text):
        head, _, listed = written.rpartition("import ")
        for item in listed.split(","):
            words = item.split()
            if words and words[-1] == name and len(words) in (1, 3):
                yield f"{head}import {' '.join(words)}\n"


def _known(name: str, text: str) -> Iterator[str]:
    """Statements that bind a household name."""
    if (name in sys.stdlib_module_names and not name.startswith("_")) or name in _OUTSIDERS:
        # `import concurrent` alone would not give `concurrent.futures`.
        inner = dict.fromkeys(re.findall(rf"(?<![\w.]){name}\.\w+", text))
        yield from (f"import {module}\n" for module in inner if module in _APART)
        yield f"import {name}\n"
    if name in FAMILIAR and re.search(rf"(?<![\w.]){name}\.\w", text):
        yield _DEFAULT_MODULE.get(name, f"import {FAMILIAR[name]} as {name}\n")
    for module, members in (*MEMBERS.items(), *WELL_KNOWN.items()):
        if name in members.split():
            yield f"from {module} import {name}\n"


def _listed(name: str) -> Iterator[str]:
    """Public names of the standard library, from modules that are imported most first."""
    for module in _modules_of().get(name, ())[:3]:
        yield f"from {module} import {name}\n"


@lru_cache(1)
def _modules_of() -> dict[str, list[str]]:
    """Modules of the standard library by public name."""
    found: dict[str, list[str]] = {}
    for module, names in standard_library_names().items():
        for name in names:
            found.setdefault(name, []).append(module)
    return found


def _ways(
    statement: str, lines: Sequence[str], have: Sequence[ImportLine], block: Range
) -> Iterator[LineEdit]:
    """Where a statement may stand; a name joins the statement that takes names from its module already."""
    new = ImportLine.of(statement, block[0])
    item = statement.rpartition("import ")[2].strip()
    listing = [line for line in have if not line.plain and "*" not in lines[line.first - 1]]
    alone = len({line.module for line in listing}) < len(listing)  # a name a line: nothing is joined
    for line in listing if not new.plain and not alone else ():
        if line.module == new.module:
            if line.first == line.last:
                text = with_name(content(lines[line.first - 1]), item)
                if text is not None:
                    yield LineEdit(line.first, line.first, text + "\n")
            else:
                row = _own_row(item, lines, line)
                if row is not None:
                    yield row
            return
    for place in places(new, have, lines, block):
        yield LineEdit(place.line, place.line - 1, _spaced(statement, place))


def _spaced(statement: str, place: Place) -> str:
    return "\n" * place.before + statement + "\n" * place.behind


def _own_row(name: str, lines: Sequence[str], line: ImportLine) -> LineEdit | None:
    """A line of its own among names in brackets that have one each."""
    rows = [content(text) for text in lines[line.first : line.last - 1]]
    if not rows or not all(re.fullmatch(r"[ \t]+\w+(?: as \w+)?,", row) for row in rows):
        return None
    names = [row.split()[0].rstrip(",") for row in rows]
    depth = rows[0][: len(rows[0]) - len(rows[0].lstrip())]
    at = next((k for k, other in enumerate(names) if other.lower() > name.lower()), len(names))
    return LineEdit(line.first + 1 + at, line.first + at, f"{depth}{name},\n")
