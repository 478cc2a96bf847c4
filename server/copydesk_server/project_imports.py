"""How a project imports a name: what its other files import under that name, which of its modules define it, and which of its
files take a name from a module.

Files are read as text and never run; what is found is an import that somebody has written before, or a name that is there. A
file is read again where its size or time of change is another one. Blocks while files are read.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from copydesk.errors import CopydeskError
from copydesk.files.regular_file import read_regular
from copydesk.quickfixes.handlers.unresolved_name import standard_library_names
from copydesk.quickfixes.kinds import DiagnosticKind, classify
from copydesk.quickfixes.messages import quoted_name
from copydesk.request import Diagnostic
from copydesk_server.headless.discover import Filters, discover

MOST_FILES = 5000
"""Of a project that is looked at; a larger one is not."""
MAX_BYTES = 1 << 20
MOST_STATEMENTS = 3
LEAST_SHARE = 0.5
"""Of the weight of the likeliest statement, for another one to be offered beside it."""
_DEFINED = 0.5
_SUBMODULE = 0.25
_NEAR = 2.0
"""What an import weighs in a file of the same folder, against 1 elsewhere."""
_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "ruff.toml", ".ruff.toml")

_FROM = re.compile(r"^([ \t]*)from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^()]*\)|[^\n(#;]+)", re.MULTILINE)
_IMPORT = re.compile(r"^([ \t]*)import[ \t]+([^\n#;]+)", re.MULTILINE)
_NAMED = re.compile(
    r"^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE
)
_ATTRIBUTE = re.compile(r"(\w+)\.(?=(\w+))")
_ITEM = re.compile(r"([\w.]+)(?:\s+as\s+(\w+))?$")
_RELATIVE = re.compile(r"^[ \t]*from[ \t]+(\.+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Import:
    """`from module import name as bound`, dots: before the module, name and bound "*" for all that it has; or
    `import module as bound`, where name is empty. top: it is carried out whenever the file is loaded, and must succeed.
    """

    bound: str
    dots: int
    module: str
    name: str = ""
    top: bool = True


@dataclass(frozen=True, slots=True)
class _File:
    """One file. parts: its path below the root, without suffix. stamp: by which a change is seen."""

    path: str
    parts: tuple[str, ...]
    package: bool
    stamp: tuple[int, int]
    imports: tuple[_Import, ...]
    defines: frozenset[str]


def with_project_imports(
    diagnostics: Sequence[Diagnostic],
    path: Path | None,
    text: str,
    index: ProjectImports | None,
    *,
    read: bool = True,
) -> list[Diagnostic]:
    """`diagnostics` of `text`; each undefined name with the imports that the project is known to have for it. read: as in
    `ProjectImports.statements`. Raises: never.
    """
    if index is None or path is None:
        return list(diagnostics)
    found = []
    for each in diagnostics:
        name = quoted_name(each.message) if is_undefined_name(each) else None
        found.append(
            replace(each, imports=index.statements(name, path, text, read=read)) if name is not None else each
        )
    return found


def is_undefined_name(diagnostic: Diagnostic) -> bool:
    """Whether it says that nothing binds a name."""
    return classify(diagnostic) is DiagnosticKind.UNDEFINED_NAME


def project_root(path: Path) -> Path | None:
    """The nearest folder above a file that looks like a project's; the outermost package it is in where none does."""
    marked = next((up for up in path.parents if any((up / mark).exists() for mark in _MARKS)), None)
    if marked is not None:
        return marked
    packages = [up for up in path.parents if (up / "__init__.py").exists()]
    return packages[-1].parent if packages else None


@dataclass(frozen=True, slots=True)
class Projects:
    """The imports of each project that files are in. once: they are read for the first question, and not again. Thread-safe."""

    once: bool = True
    _known: dict[Path, ProjectImports] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, path: Path) -> ProjectImports | None:
        """Those of a file's project; None where the file is in none."""
        root = project_root(path)
        if root is None:
            return None
        with self._lock:
            return self._known.setdefault(root, ProjectImports(root, once=self.once))


class ProjectImports:
    """The imports of the files below one folder. once: they are read for the first question, and not again. Thread-safe."""

    def __init__(self, root: Path, *, once: bool = False) -> None:
        self.root = root.resolve()
        self._once = once
        self._files: dict[str, _File] = {}
        self._attributes: dict[str, tuple[_File, frozenset[str]]] = {}
        self._modules: _Modules | None = None
        self._lock = threading.Lock()

    def statements(self, name: str, path: Path, text: str, *, read: bool = True) -> tuple[str, ...]:
        """Import statements that would bind `name` in the file `path`, whose text is `text`, as the project's other files write
        them; the most usual first. read: look at the files again; otherwise what was seen last counts. Raises: never.
        """
        with self._lock:
            if read and (self._modules is None or not self._once):
                self._read()
            modules = self._modules
        own = os.path.realpath(path)
        target = _parts(Path(own), self.root)
        if target is None or modules is None:
            return ()
        here, is_package = (
            modules.of(target, Path(own).name == "__init__.py"),
            Path(own).name == "__init__.py",
        )
        home = here if is_package else here[:-1]
        weights: dict[str, float] = defaultdict(float)
        style = modules.style(home, text)
        dotted = re.search(rf"(?<![\w.]){re.escape(name)}\.\w", text) is not None
        tests = _is_test(target)
        for file in modules.files:
            if file.path == own:
                continue
            module = modules.of(file.parts, file.package)
            package = module if file.package else module[:-1]
            near = _NEAR if file.parts[:-1] == target[:-1] else 1.0
            for each in file.imports:
                if each.bound == name:
                    source = _absolute(each, package)
                    if source is None or source == here or not (each.name or _used(each, text)):
                        continue
                    if dotted or not modules.has((*source, each.name) if each.name else source):
                        weights[_statement(each, source, home, style)] += near
            if _is_test(file.parts) and not tests:
                continue
            if name in file.defines and module != here and module:
                weights[_statement(_Import(name, 0, "", name), module, home, style)] += _DEFINED
            if dotted and len(module) > 1 and module[-1] == name and module != here:
                weights[_statement(_Import(name, 0, "", name), module[:-1], home, style)] += _SUBMODULE
        ranked = sorted(weights, key=lambda statement: (-weights[statement], statement))
        kept = [each for each in ranked if weights[each] >= LEAST_SHARE * weights[ranked[0]]]
        return tuple(kept[:MOST_STATEMENTS])

    def user(self, names: Collection[str], path: Path) -> str | None:
        """The path of another file that takes one of `names` from the module that the file `path` is: it imports the name, or
        everything, or has the name behind the module's, in code or in a text. None where there is none. Raises: never.
        """
        with self._lock:
            found = self._module(path)
            return self._user(names, *found) if found is not None else None

    def importer(self, names: Collection[str], path: Path) -> tuple[str, str] | None:
        """The name, and the path below the root of another file, where it imports one of `names` from the module that the file
        `path` is. None where there is none. Raises: never.
        """
        with self._lock:
            found = self._module(path)
        if found is None:
            return None
        own, here, modules = found
        for file in modules.files:
            for each in modules.imports_from(here, file) if file.path != own else ():
                if each.name in names:
                    return each.name, os.path.relpath(file.path, self.root)
        return None

    def may_load(self, dots: int, module: str, name: str, path: Path) -> bool:
        """Whether the file `path` may import a module, or a name from it, as it is loaded: from one of the project's own that
        does not load the file in its turn, or from one that some file, no test, imports whenever it is loaded. dots: before the
        module. Raises: never.
        """
        with self._lock:
            found = self._module(path)
        if found is None:
            return False
        own, here, modules = found
        package = here if os.path.basename(own) == "__init__.py" else here[:-1]
        source = _absolute(_Import(name, dots, module, name), package)
        if not source:
            return False
        if name and here[: len(source)] == source and not modules.is_own((*source, name)):
            return False  # a package that is loading this file, and may not have the name yet
        if modules.is_own(source[:1]):
            return here not in modules.loaded_with((*source, name) if name else source, here)
        return any(
            each.top and not each.dots and each.module.split(".")[0] == source[0]
            for file in modules.files
            if not _is_test(file.parts)
            for each in file.imports
        )

    def _module(self, path: Path) -> tuple[str, tuple[str, ...], _Modules] | None:
        """The real path of a file, the name of the module that it is, and all modules; None for a file elsewhere."""
        if self._modules is None or not self._once:
            self._read()
        own = os.path.realpath(path)
        target = _parts(Path(own), self.root)
        if target is None or self._modules is None:
            return None
        return own, self._modules.of(target, os.path.basename(own) == "__init__.py"), self._modules

    def _user(self, names: Collection[str], own: str, here: tuple[str, ...], modules: _Modules) -> str | None:
        attributes = {f"{here[-1]}.{name}" for name in names}
        others = [file for file in modules.files if file.path != own]
        # A star import takes what `__all__` lists, where there is one.
        lists = any("__all__" in file.defines for file in modules.files if file.path == own)
        public = not lists and any(not name.startswith("_") for name in names)
        taken = {*names, "*"} if public else set(names)
        for file in others:
            if any(each.name in taken for each in modules.imports_from(here, file)):
                return file.path
        stems = {
            file.parts[-2 if file.package else -1] for file in modules.files if len(file.parts) > file.package
        }
        for file in others:
            if not attributes.isdisjoint(self._attributes_of(file, stems)):
                return file.path
        return None

    def _read(self) -> None:
        """What the files say now; those that cannot be read are left out."""
        try:
            places = discover([str(self.root)], Filters(languages=("python",)))
        except CopydeskError:
            places = []
        if len(places) > MOST_FILES:
            places = []
        found: dict[str, _File] = {}
        for place in places:
            path = os.path.realpath(place.path)
            file = self._one(path)
            if file is not None:
                found[path] = file
        if self._modules is None or found != self._files:
            if found.keys() != self._files.keys():
                self._attributes.clear()  # other modules, other attributes
            self._files, self._modules = found, _Modules(list(found.values()))

    def _one(self, path: str) -> _File | None:
        parts = _parts(Path(path), self.root)
        if parts is None:
            return None
        try:
            status = os.stat(path)
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._files.get(path)
            if known is not None and known.stamp == stamp:
                return known
            text = read_regular(path, MAX_BYTES).decode("utf-8", "replace")
        except (OSError, CopydeskError):
            return None
        defines = frozenset(first or second for first, second in _NAMED.findall(text))
        package = os.path.basename(path).startswith("__init__.")
        return _File(path, parts, package, stamp, tuple(_imports(text)), defines)

    def _attributes_of(self, file: _File, stems: Collection[str]) -> frozenset[str]:
        """`stem.name` for each name behind one of the stems in a file, or behind what the file calls it."""
        known = self._attributes.get(file.path)
        if known is not None and known[0] is file:
            return known[1]
        called = {stem: stem for stem in stems}
        for each in file.imports:
            last = each.name or each.module.rpartition(".")[2]
            if last in stems:
                called[each.bound] = last
        try:
            pairs = set(_ATTRIBUTE.findall(read_regular(file.path, MAX_BYTES).decode("utf-8", "replace")))
        except (OSError, CopydeskError):
            pairs = set()
        found = frozenset(f"{called[owner]}.{name}" for owner, name in pairs if owner in called)
        self._attributes[file.path] = file, found
        return found


class _Modules:
    """The dotted names of files: below their outermost package, or, where a namespace package has no `__init__.py`, as the
    project's own imports name it.
    """

    def __init__(self, files: Sequence[_File]) -> None:
        self.files = files
        self._packages = {file.parts[:-1] for file in files if file.package}
        self._imported = {
            each.module.split(".")[0] for file in files for each in file.imports if not each.dots
        }
        self._by_name = {self.of(file.parts, file.package): file for file in files}
        self._dots = defaultdict[str, Counter[int]](Counter)
        for file in files:
            module = self.of(file.parts, file.package)
            for each in file.imports:
                if module and (each.dots or each.module.split(".")[0] == module[0]):
                    self._dots[module[0]][each.dots] += 1

    def of(self, parts: tuple[str, ...], package: bool) -> tuple[str, ...]:
        """The module's name, in its parts."""
        whole = parts[:-1] if package else parts
        start = len(parts) - 1
        while start > 0 and parts[:start] in self._packages:
            start -= 1
        for at in range(start, -1, -1):
            if at < len(whole) and whole[at] in self._imported:
                return whole[at:]
        return whole[start:] or whole

    def imports_from(self, module: tuple[str, ...], file: _File) -> Iterator[_Import]:
        """What a file imports from a module."""
        own = self.of(file.parts, file.package)
        package = own if file.package else own[:-1]
        return (each for each in file.imports if each.name and _absolute(each, package) == module)

    def is_own(self, name: tuple[str, ...]) -> bool:
        """Whether the project has a module, or a package, of that name."""
        return any(known[: len(name)] == name for known in self._by_name)

    def loaded_with(self, module: tuple[str, ...], here: tuple[str, ...]) -> set[tuple[str, ...]]:
        """The project's modules that are loaded where `here` imports `module`; the packages round `here` are loaded already."""
        found: set[tuple[str, ...]] = set()
        waiting = [module]
        while waiting:
            name = waiting.pop()
            for end in range(1, len(name) + 1):
                part, file = name[:end], self._by_name.get(name[:end])
                if file is None or part in found or here[:end] == part != here:
                    continue
                found.add(part)
                package = part if file.package else part[:-1]
                for each in file.imports:
                    source = _absolute(each, package) if each.top else None
                    if source is not None:
                        waiting.append((*source, each.name) if each.name else source)
        return found

    def has(self, name: tuple[str, ...]) -> bool:
        """Whether there is a module of that name: in the project, or in the standard library."""
        dotted = ".".join(name)
        return (
            name in self._by_name or dotted in sys.stdlib_module_names or dotted in standard_library_names()
        )

    def style(self, home: tuple[str, ...], text: str) -> int:
        """The most dots with which a file in the package `home` imports from its own: as many as its text has, or as the
        package's files have at least as often as the whole name.
        """
        own = max((len(dots) for dots in _RELATIVE.findall(text)), default=0)
        whole = home and re.search(rf"^[ \t]*from[ \t]+{re.escape(home[0])}\b", text, re.MULTILINE)
        if not home or whole:
            return own
        counted = self._dots[home[0]]
        return max([own, *(dots for dots, times in counted.items() if dots and times >= counted[0])])


def _parts(path: Path, root: Path) -> tuple[str, ...] | None:
    if not path.is_relative_to(root):
        return None
    return path.relative_to(root).with_suffix("").parts


def _is_test(parts: Sequence[str]) -> bool:
    return any(part in ("test", "tests", "conftest") or part.startswith("test_") for part in parts)


def _imports(text: str) -> Iterator[_Import]:
    for indent, dots, module, listed in _FROM.findall(text):
        if listed.strip() == "*":
            yield _Import("*", len(dots), module, "*", not indent)
        for item in re.sub(r"#[^\n]*", "", listed).strip("() \t\n").split(","):
            match = _ITEM.match(item.strip())
            if match is not None and "." not in match.group(1):
                bound = match.group(2) or match.group(1)
                yield _Import(bound, len(dots), module, match.group(1), not indent)
    for indent, listed in _IMPORT.findall(text):
        for item in listed.split(","):
            match = _ITEM.match(item.strip())
            if match is not None:
                bound = match.group(2) or match.group(1).split(".")[0]
                yield _Import(bound, 0, match.group(1), "", not indent)


def _absolute(each: _Import, package: tuple[str, ...]) -> tuple[str, ...] | None:
    """The module an import names, in its parts; None for one that leads out of its package."""
    named = tuple(each.module.split(".")) if each.module else ()
    if not each.dots:
        return named
    if each.dots > len(package):
        return None
    return (*package[: len(package) - each.dots + 1], *named)


def _used(each: _Import, text: str) -> bool:
    """Whether a text uses the submodule that `import a.b` is for."""
    return "." not in each.module or each.bound != each.module.split(".")[0] or f"{each.module}." in text


def _statement(each: _Import, source: tuple[str, ...], home: tuple[str, ...], style: int) -> str:
    """The import as a file in the package `home` writes it, with at most `style` dots."""
    alias = (
        ""
        if each.bound in (each.name, each.module.split(".")[0] if not each.name else "")
        else f" as {each.bound}"
    )
    if not each.name:
        return f"import {'.'.join(source)}{alias}\n"
    module = ".".join(source)
    common = 0
    while common < min(len(source), len(home)) and source[common] == home[common]:
        common += 1
    dots = len(home) - common + 1
    if common and dots <= style:
        module = "." * dots + ".".join(source[common:])
    return f"from {module} import {each.name}{alias}\n"
