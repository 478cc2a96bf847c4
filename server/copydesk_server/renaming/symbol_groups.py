"""Which places of a name mean one symbol, in all files: what Python's scoping says, joined by what jedi says.

A place belongs to a variable of a module, or is an attribute, a keyword or an imported name that jedi leads to a definition.
Those that lead to each other are one group. What jedi cannot lead anywhere is kept apart, with what it could belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from copydesk_server.renaming.jedi_definitions import Definition
from copydesk_server.renaming.names import word
from copydesk_server.renaming.occurrence import Module, Occurrence, Role, Scope
from copydesk_server.renaming.project_texts import ProjectFile
from copydesk_server.renaming.refusal import Place, refuse

Key: TypeAlias = tuple[str, ...] | tuple[str, str, int] | tuple[str, str, int, int]
"""A variable ("variable", path, scope), a place ("place", path, line, column), or what lies outside ("outside", description)."""
BASES_DEEP = 20
"""Classes above a class that are looked at."""
FOLLOWED = 50
"""Steps from a name to a class."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place of the name in a file."""

    file: ProjectFile
    at: Occurrence

    @property
    def place(self) -> Place:
        return Place(self.file.shown, self.at.line + 1)

    @property
    def key(self) -> Key:
        return ("place", self.file.path, self.at.line, self.at.column)


@dataclass(slots=True)
class Group:
    """One symbol. variables: (path, scope), with their scopes."""

    mentions: list[Mention] = field(default_factory=list)
    variables: dict[tuple[str, int], Scope] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)

    def has_parameter(self, name: str) -> bool:
        """Whether a function has it as a parameter."""
        return any(name in scope.parameters for scope in self.variables.values())

    def has(self, kind: str) -> bool:
        """Whether one of its variables is of a scope of that kind."""
        return any(scope.kind == kind for scope in self.variables.values())


class SymbolGroups:
    """All places of one name in a project."""

    def __init__(
        self,
        modules: Mapping[str, tuple[ProjectFile, Module]],
        name: str,
        follow: Callable[[ProjectFile, int, int], list[Definition]],
        follow_expressions: Callable[[ProjectFile, Sequence[str]], list[Definition]],
        module_of: Callable[[ProjectFile], Module],
    ) -> None:
        """modules: the files that have the name. module_of: the classes of any file."""
        self._modules, self._name = modules, name
        self._follow, self._follow_expressions, self._module_of = follow, follow_expressions, module_of
        self._parents: dict[Key, Key] = {}
        self._led: dict[Key, list[Definition]] = {}
        self._linked: set[tuple[str, int]] = set()
        self.unknown_bases: dict[tuple[str, int], tuple[Place, str]] = {}
        self.mentions = [Mention(file, at) for file, module in modules.values() for at in module.of(name)]
        self._by_key = {mention.key: mention for mention in self.mentions}
        for mention in self.mentions:
            at, path = mention.at, mention.file.path
            if at.scope is not None:
                self._join(mention.key, ("variable", path, at.scope))
            if at.of_class is not None:
                self._join(mention.key, ("variable", path, at.of_class))

    def group_at(self, path: str, line: int, column: int, *, joined: bool = True) -> Group:
        """The symbol at a place. joined: by what jedi says, too. Raises RenameRefusedError where there is none."""
        target = next(
            (
                m
                for m in self.mentions
                if m.file.path == path and m.at.line == line and m.at.column <= column <= m.at.end
            ),
            None,
        )
        if target is None:
            raise refuse("there is no name to rename at this place")
        if target.at.role is Role.MODULE_PATH:
            raise refuse(f'"{self._name}" is a module: files are not renamed', [target.place])
        if not joined:
            return self._group(target)
        self._lead(target)
        before = -1
        while True:
            group = self._group(target)
            relevant = [m for m in self.mentions if m.key not in self._led and self._is_relevant(m, group)]
            for mention in relevant:
                self._lead(mention)
            if group.has("class"):
                for file, module in list(self._modules.values()):
                    self._link_bases(file, module)
            size = len(group.mentions) + len(group.variables) + len(self._led)
            if not relevant and size == before:
                return group
            before = size

    def unexplained(self, group: Group) -> list[Mention]:
        """Places that may belong to the group: nobody knows where they lead."""
        mine = {mention.key for mention in group.mentions}
        return [
            mention
            for mention in self.mentions
            if mention.key not in mine
            and mention.at.role is not Role.EXPORTED
            and self._is_relevant(mention, group)
            and not self._led.get(mention.key)
            and not self._is_explained(mention, group)
        ]

    # -- what may belong to a group ------------------------------------------------------------------------------------

    def _is_relevant(self, mention: Mention, group: Group) -> bool:
        """Whether a place that scoping alone does not explain may belong to such a group."""
        role, at = mention.at.role, mention.at
        reached = group.has("class") or group.has("module") or bool(group.outside) or not group.variables
        if role is Role.ATTRIBUTE:
            return reached
        if role is Role.KEYWORD:
            fields = any(m.at.assigned and m.at.role is Role.VARIABLE for m in group.mentions) and group.has(
                "class"
            )
            return fields or group.has_parameter(self._name) or not group.variables
        if role is Role.IMPORTED:
            return reached
        if role is Role.VARIABLE and at.scope is None:
            return reached and self._modules[mention.file.path][1].star_imports
        return False

    def _is_explained(self, mention: Mention, group: Group) -> bool:
        """Whether scoping says what it is: an attribute of an instance whose class has it, say."""
        if mention.at.role is Role.KEYWORD:
            return self._is_of_another_call(mention, group)
        root = self._root(mention.key)
        return mention.at.of_class is not None and any(
            m.at.binds and self._root(m.key) == root for m in self.mentions
        )

    def _is_of_another_call(self, mention: Mention, group: Group) -> bool:
        """Whether a keyword is given to what lies outside of the project, which gets nothing that could pass it on."""
        callee = mention.at.callee
        if callee is None:
            return False
        line, column, arguments = callee
        owners = {scope.name for scope in group.variables.values()}
        owners |= {
            self._module_of(self._modules[path][0]).scopes[scope.outer].name
            for (path, _), scope in group.variables.items()
            if scope.outer is not None
        }
        if any(owner and word(owner).search(arguments) for owner in owners):
            return False
        waiting, seen, outside = self._follow(mention.file, line, column), 0, False
        while waiting and seen < FOLLOWED:
            seen += 1
            one = waiting.pop()
            if one.file is None:
                outside = True
            elif one.line is not None and one.kind == "class" and self._class_at(one) is None:
                waiting += self._follow(*place_of(one))
            else:
                return False
        return outside and not waiting

    # -- joining -------------------------------------------------------------------------------------------------------

    def _lead(self, mention: Mention) -> None:
        """Join a place with what it leads to."""
        at, key = mention.at, mention.key
        own = at.role in (Role.ATTRIBUTE, Role.KEYWORD, Role.IMPORTED) or (
            at.role is Role.VARIABLE and at.scope is None
        )
        if key in self._led or not own:
            return
        self._led[key] = found = self._follow(mention.file, at.line, at.column)
        for definition in found:
            self._join(key, self._key_of(definition))

    def _key_of(self, definition: Definition) -> Key:
        if definition.file is not None and definition.line is not None:
            key: Key = ("place", definition.file.path, definition.line, definition.column)
            if key in self._by_key:
                return key
            return ("other", definition.file.path, definition.line, definition.column)
        if definition.file is not None:
            return ("module", definition.described)
        return ("outside", definition.described)

    def _link_bases(self, file: ProjectFile, module: Module) -> None:
        """A class shares its attributes with those it inherits from."""
        for number, scope in enumerate(module.scopes):
            key: Key = ("variable", file.path, number)
            if scope.kind != "class" or key not in self._parents or (file.path, number) in self._linked:
                continue
            self._linked.add((file.path, number))
            names = [base[2] for base in scope.bases if base is not None]
            wanted = [f"{name}{call}.{self._name}" for name in names for call in ("", "()")]
            for definition in self._follow_expressions(file, wanted) if names else ():
                self._join(key, self._key_of(definition))
            unknown = self._unknown_base(file, scope, 0)
            if unknown is not None:
                self.unknown_bases[file.path, number] = (Place(file.shown, scope.line + 1), unknown)

    def _unknown_base(self, file: ProjectFile, scope: Scope, depth: int) -> str | None:
        """A class above a class, as it is written there, of which nobody knows what it is; None where all are known."""
        local = scope.outer is not None and self._module_of(file).scopes[scope.outer].kind not in (
            "module",
            "class",
        )
        for base in scope.bases:
            if base is None or depth > BASES_DEEP:
                return "an expression"
            line, column, text = base
            classes = self._follow_classes(file, line, column)
            if not classes or (local and any(of.file is None for of, _ in classes)):
                return text
            for of, above in classes:
                if of.file is not None and above is not None:
                    unknown = self._unknown_base(of.file, above, depth + 1)
                    if unknown is not None:
                        return unknown
        return None

    def _follow_classes(
        self, file: ProjectFile, line: int, column: int
    ) -> list[tuple[Definition, Scope | None]]:
        """The classes that a name means, through imports: with their scopes, where they are the project's. None where one of them
        cannot be followed.
        """
        found: list[tuple[Definition, Scope | None]] = []
        waiting, seen = self._follow(file, line, column), {(file.path, line, column)}
        while waiting:
            one = waiting.pop()
            if one.file is None:
                if one.kind != "class":
                    return []
                found.append((one, None))
            elif one.line is None:
                return []
            elif (scope := self._class_at(one)) is not None:
                found.append((one, scope))
            else:
                place = (one.file.path, one.line, one.column)
                if place in seen or len(seen) > FOLLOWED:
                    return []
                seen.add(place)
                further = self._follow(*place_of(one))
                if not further:
                    return []
                waiting += further
        return found

    def _class_at(self, definition: Definition) -> Scope | None:
        assert definition.file is not None
        there = (definition.line, definition.column)
        scopes = self._module_of(definition.file).scopes
        return next((s for s in scopes if s.kind == "class" and (s.line, s.column) == there), None)

    def _join(self, one: Key, two: Key) -> None:
        a, b = self._root(one), self._root(two)
        if a != b:
            self._parents[a] = b

    def _root(self, key: Key) -> Key:
        self._parents.setdefault(key, key)
        while self._parents[key] != key:
            self._parents[key] = key = self._parents[self._parents[key]]
        return key

    def _group(self, target: Mention) -> Group:
        root, group = self._root(target.key), Group()
        for key in list(self._parents):
            if self._root(key) != root:
                continue
            if key[0] == "place" and key in self._by_key:
                group.mentions.append(self._by_key[key])
            elif key[0] == "variable":
                path, number = str(key[1]), int(key[2])
                group.variables[path, number] = self._module_of(self._modules[path][0]).scopes[number]
            elif key[0] in ("outside", "module", "other"):
                group.outside.append(str(key[1]))
        group.mentions.sort(key=lambda m: (m.file.path, m.at.line, m.at.column))
        return group


def place_of(definition: Definition) -> tuple[ProjectFile, int, int]:
    """Where a definition of the project stands."""
    assert definition.file is not None
    assert definition.line is not None
    return definition.file, definition.line, definition.column
