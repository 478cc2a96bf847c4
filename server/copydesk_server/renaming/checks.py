"""What speaks against renaming a symbol: whatever may refer to it and cannot be renamed with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from copydesk_server.renaming.lexical import analyse
from copydesk_server.renaming.names import word
from copydesk_server.renaming.occurrence import MODULE, Module, Role
from copydesk_server.renaming.project_texts import ProjectFile, unreadable_mention
from copydesk_server.renaming.refusal import Place, refuse
from copydesk_server.renaming.symbol_groups import Group, Mention, SymbolGroups

FIXTURES = ("fixture",)
"""Decorators of functions that are asked for by the names of parameters."""


class Checks:
    """All of them, for one symbol."""

    def __init__(
        self,
        old: str,
        files: Mapping[str, ProjectFile],
        modules: Mapping[str, tuple[ProjectFile, Module]],
        groups: SymbolGroups,
        group: Group,
    ) -> None:
        """files: the project's. modules: those that have the name."""
        self._old, self._files, self._modules, self._groups, self._group = old, files, modules, groups, group

    def run(self) -> None:
        """Raises RenameRefusedError."""
        old, group = self._old, self._group
        places = [mention.place for mention in group.mentions]
        modules = [mention.place for mention in group.mentions if mention.at.role is Role.MODULE_PATH]
        if modules:
            raise refuse(f'"{old}" is a module: files are not renamed', modules)
        if group.outside:
            raise refuse(f'"{old}" is {group.outside[0]}, which is not defined in the project', places)
        if not group.variables or not any(m.at.binds for m in group.mentions):
            raise refuse(f'nobody knows where "{old}" is defined', places)
        doubtful = [m.place for m in self._groups.mentions if m.at.doubtful]
        if doubtful:
            raise refuse(f'"{old}" may be a name of the class or of what is round it', doubtful)
        if is_local(group, old):
            return
        for file in self._files.values():
            if file.unreadable is not None and unreadable_mention(file, old):
                raise refuse(
                    f"the file has the name and cannot be read: {file.unreadable}", [Place(file.shown, 1)]
                )
        self._check_unexplained()
        self._check_classes()
        self._check_functions()

    def _check_unexplained(self) -> None:
        left = self._groups.unexplained(self._group)
        if not self._group.has("class"):
            # Only a module could have it: an object that is none cannot.
            attributes: list[Mention] = [m for m in left if m.at.role is Role.ATTRIBUTE]
            if attributes and (used := self._module_values()) is None:
                left = [m for m in left if m not in attributes]
            elif attributes:
                raise refuse(
                    f'"{self._old}" of an unknown object may be this one, since {used} uses its module as a value',
                    [m.place for m in attributes],
                )
        if not left:
            return
        imported = [m.place for m in left if m.at.role is Role.IMPORTED]
        if imported:
            raise refuse(f'nobody knows the module that "{self._old}" is imported from', imported)
        keywords = [m.place for m in left if m.at.role is Role.KEYWORD]
        if keywords:
            raise refuse(
                f'nobody knows the function that is called with "{self._old}=", which may be this one',
                keywords,
            )
        raise refuse(f'"{self._old}" of an object of unknown type may be this one', [m.place for m in left])

    def _module_values(self) -> Place | None:
        """Where a module that has the symbol is used as a value, and not for what it has."""
        stems = set()
        for path, scope in self._group.variables:
            if scope == MODULE:
                stem = Path(path).stem
                stems.add(Path(path).parent.name if stem == "__init__" else stem)
        for stem in sorted(stems - {""}):
            wanted = word(stem)
            for file in self._files.values():
                if wanted.search(file.text) and (line := _value_line(file, stem)) is not None:
                    return Place(file.shown, line + 1)
        return None

    def _check_classes(self) -> None:
        mine = {scope.name for scope in self._group.variables.values() if scope.kind == "class"}
        for key, (place, base) in self._groups.unknown_bases.items():
            if key in self._group.variables:
                raise refuse(f'nobody knows the base class "{base}", which may have "{self._old}"', [place])
            if base.rpartition(".")[2] in mine:
                raise refuse(
                    f'nobody knows whether its base class "{base}" is the one that has "{self._old}"', [place]
                )
        protocols = [
            Place(self._files[path].shown, scope.line + 1)
            for (path, _), scope in self._group.variables.items()
            if scope.kind == "class" and any(b and b[2].rpartition(".")[2] == "Protocol" for b in scope.bases)
        ]
        others = {
            (m.file.path, m.at.scope)
            for m in self._groups.mentions
            if m.at.binds and m.at.scope is not None and m not in self._group.mentions
            and self._modules[m.file.path][1].scopes[m.at.scope].kind == "class"
        }  # fmt: skip
        if protocols and others:
            raise refuse("a protocol has it: nobody knows which classes are meant to follow", protocols)
        theirs = {self._modules[path][1].scopes[scope].name for path, scope in others}
        for file in self._files.values() if mine and theirs else ():
            for name, bases, line in _joining_classes(file, mine, theirs):
                why = f'"{name}" inherits from {bases}, which both have "{self._old}": one could take the place of the other'
                raise refuse(why, [Place(file.shown, line + 1)])

    def _check_functions(self) -> None:
        old = self._old
        fixtures, stubs = [], []
        for path, number in self._group.variables:
            module = self._modules[path][1]
            for inner in module.scopes:
                if inner.name == old and inner.outer == number and inner.kind == "function":
                    if any(d.rpartition(".")[2] in FIXTURES for d in inner.decorators):
                        fixtures.append(Place(self._files[path].shown, inner.line + 1))
            if (path + "i") in self._files and word(old).search(self._files[path + "i"].text):
                stubs.append(Place(self._files[path + "i"].shown, 1))
        if fixtures:
            raise refuse("it is a fixture, which tests ask for by the names of their parameters", fixtures)
        if stubs:
            raise refuse("a stub file describes it, which would have to be renamed with it", stubs)
        if not self._group.has_parameter(old) or not any(
            m.at.role is Role.KEYWORD for m in self._group.mentions
        ):
            return
        owners = {
            (path, number): scope
            for (path, number), scope in self._group.variables.items()
            if old in scope.parameters
        }
        for (path, number), scope in owners.items():
            for file, module in self._modules.values():
                for k, other in enumerate(module.scopes):
                    same = other.kind == "function" and other.name == scope.name and old in other.parameters
                    methods = _in_class(module, other.outer) and _in_class(
                        self._modules[path][1], scope.outer
                    )
                    if same and methods and (file.path, k) not in owners and (file.path, k) != (path, number):
                        raise refuse(
                            f'another method "{scope.name}" has the parameter, too, and calls name it',
                            [
                                Place(self._files[path].shown, scope.line + 1),
                                Place(file.shown, other.line + 1),
                            ],
                        )


def _joining_classes(file: ProjectFile, mine: set[str], theirs: set[str]) -> Iterator[tuple[str, str, int]]:
    """Classes with a base of each kind, by their names: (name, bases, 0-based line)."""
    if not any(word(name).search(file.text) for name in mine) or not any(
        word(name).search(file.text) for name in theirs
    ):
        return
    for scope in analyse(file.text, ()).scopes:
        bases = [base[2] for base in scope.bases if base is not None]
        last = {base.rpartition(".")[2] for base in bases}
        if scope.kind == "class" and len(bases) > 1 and last & mine and last & theirs:
            yield scope.name, " and ".join(bases), scope.line


def is_local(group: Group, name: str) -> bool:
    """Whether nothing outside of one function can mean it."""
    plain = all(mention.at.role is Role.VARIABLE for mention in group.mentions)
    inside = all(
        scope.kind in ("function", "lambda", "comprehension") and name not in scope.parameters
        for scope in group.variables.values()
    )
    return plain and inside and bool(group.variables) and not group.outside


def _in_class(module: Module, outer: int | None) -> bool:
    return outer is not None and module.scopes[outer].kind == "class"


def _value_line(file: ProjectFile, stem: str) -> int | None:
    """The first line of a file in which a module of that name, once imported, stands for itself."""
    module = analyse(file.text, (stem,))
    imports = [o for o in module.occurrences if o.role in (Role.MODULE_PATH, Role.IMPORTED)]
    names = {stem, *(o.alias for o in imports if o.alias is not None)} if imports else set()
    if len(names) > 1:
        module = analyse(file.text, names)
        imports = [o for o in module.occurrences if o.role in (Role.MODULE_PATH, Role.IMPORTED)]
    nested = any(o.role is Role.MODULE_PATH and not o.binds for o in imports)
    bound = {(o.alias or o.name, o.scope) for o in imports if o.binds}
    aliases = {o.alias for o in imports}
    for o in module.occurrences:
        variable = (
            o.role is Role.VARIABLE and not o.binds and (o.name in aliases or (o.name, o.scope) in bound)
        )
        attribute = o.role is Role.ATTRIBUTE and nested and o.name == stem
        if (variable or attribute) and not module.lines[o.line][o.end :].lstrip().startswith("."):
            return o.line
    return None
