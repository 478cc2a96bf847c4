"""Scopes of names, held against CPython's own symbol tables on real modules."""

from __future__ import annotations

import argparse
import dataclasses
import enum
import inspect
import symtable
import tarfile
import typing
from pathlib import Path
from types import ModuleType

import pytest

from copydesk_server.renaming.lexical import analyse
from copydesk_server.renaming.names import is_private
from copydesk_server.renaming.occurrence import MODULE, Role


@pytest.mark.parametrize("module", [argparse, dataclasses, enum, inspect, tarfile, typing])
def test_as_many_variables_as_python_has(module: ModuleType) -> None:
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    expected: dict[str, int] = {}

    def count(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            made = (
                symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace() or symbol.is_parameter()
            )
            if symbol.is_local() and made and symbol.get_name().isidentifier():
                expected[symbol.get_name()] = expected.get(symbol.get_name(), 0) + 1
        for child in table.get_children():
            count(child)

    count(symtable.symtable(text, module.__name__, "exec"))
    names = {name for name in expected if not name.startswith("_") or not is_private("_" + name.lstrip("_"))}
    names = {name for name in names if "__" not in name}
    found = analyse(text, names)
    assert found.broken is None
    for name in sorted(names):
        scopes = {place.scope for place in found.of(name)} - {None}
        assert len(scopes) == expected[name], name


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("old.old(old=old)", [Role.VARIABLE, Role.ATTRIBUTE, Role.KEYWORD, Role.VARIABLE]),
        ("import old.old", [Role.MODULE_PATH, Role.MODULE_PATH]),
        ("from old import old as old", [Role.MODULE_PATH, Role.IMPORTED, Role.VARIABLE]),
        ("f'{old!r:{old}}' 'old'  # old", [Role.VARIABLE, Role.VARIABLE]),
        ("__all__ = ['old']; __all__ += ('old',); x = ['old']", [Role.EXPORTED, Role.EXPORTED]),
        (
            "x: 'old'; y: Literal['old']; z: list['a.old | old']",
            [Role.VARIABLE, Role.ATTRIBUTE, Role.VARIABLE],
        ),
        ("match x:\n    case old(old=0): pass", [Role.VARIABLE, Role.ATTRIBUTE]),
    ],
)
def test_roles(text: str, roles: list[Role]) -> None:
    assert [place.role for place in analyse(text + "\n", {"old"}).of("old")] == roles


def test_a_class_is_no_scope_for_what_is_inside_its_methods() -> None:
    found = analyse("old = 1\nclass A:\n    old = 2\n    x = old\n    def m(self): return old\n", {"old"})
    scopes = [place.scope for place in found.of("old")]
    assert scopes == [MODULE, 1, 1, MODULE]
    assert [place.doubtful for place in found.of("old")] == [False, False, True, False]
