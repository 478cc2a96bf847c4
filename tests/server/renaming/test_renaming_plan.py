"""What a rename changes in all files of a project, and what it refuses: tables of small projects.

`|` marks the cursor. A file that is expected to change is given as it will be; all others must stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from copydesk.text.document import split_lines
from copydesk_server.errors import RenameRefusedError
from copydesk_server.renaming.limits import Limits
from copydesk_server.renaming.plan import plan_rename
from copydesk_server.renaming.request import RenameRequest

Rename = Callable[..., dict[str, str]]


@pytest.fixture(scope="session")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What jedi has read of Python itself: read once for all tests."""
    return tmp_path_factory.mktemp("parsed")


@pytest.fixture
def rename(tmp_path: Path, parsed: Path) -> Rename:
    def run(
        files: dict[str, str],
        new: str,
        *,
        old: str | None = None,
        opened: dict[str, str] | None = None,
        inside: bool = True,
        limits: Limits | None = None,
    ) -> dict[str, str]:
        project, scratch = tmp_path / "project", tmp_path / "scratch"
        scratch.mkdir()
        place = None
        for name, text in files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if "|" in text and place is None:
                before, _, after = text.partition("|")
                _, _, last = before.rpartition("\n")
                place = str(path), before.count("\n"), len(last)
                text = before + after
            path.write_text(text)
        assert place is not None
        path_name, line, column = place
        shown = {str(project / name): text for name, text in (opened or {}).items()}
        request = RenameRequest(
            (str(project),) if inside else (),
            shown if inside else {path_name: Path(path_name).read_text()},
            path_name,
            None if old is not None else line,
            None if old is not None else column,
            new,
            old=old,
            cache_folder=str(parsed),
            limits=limits or Limits(),
        )
        found = plan_rename(request, scratch)
        changed: dict[str, str] = {}
        for file in found.files:
            lines = split_lines(file.file.text)
            for line, column in reversed(file.places):
                row = lines[line]
                assert row[column:].startswith(found.old)
                lines[line] = row[:column] + found.new + row[column + len(found.old) :]
            changed[str(Path(file.file.path).relative_to(project))] = "".join(lines)
        return changed

    return run


@dataclass(frozen=True)
class Case:
    name: str
    files: dict[str, str]
    expected: dict[str, str]
    new: str = "new"


CASES = [
    Case(
        "a function and its callers",
        {
            "a.py": "def |old(x):\n    return x\n\n\nold(1)  # old\n",
            "b.py": "from a import old\nimport a\n\na.old(2)\nold(3)\n",
            "c.py": "import a as q\n\n\nclass Z:\n    old = 1\n\n\nq.old()\nZ().old\n",
            "d.py": "from a import old as other\n\nother()\nold = 'old'\n",
            "e.py": "def f(old):\n    return old.old\n",
        },
        {
            "a.py": "def new(x):\n    return x\n\n\nnew(1)  # old\n",
            "b.py": "from a import new\nimport a\n\na.new(2)\nnew(3)\n",
            "c.py": "import a as q\n\n\nclass Z:\n    old = 1\n\n\nq.new()\nZ().old\n",
            "d.py": "from a import new as other\n\nother()\nold = 'old'\n",
        },
    ),
    Case(
        "from a caller",
        {
            "a.py": "def old():\n    pass\n",
            "pkg/__init__.py": "",
            "pkg/b.py": "from a import old\n\no|ld()\n",
        },
        {"a.py": "def new():\n    pass\n", "pkg/b.py": "from a import new\n\nnew()\n"},
    ),
    Case(
        "a name of two letters, in more than thirty files",
        {"a.py": "def |ab():\n    pass\n", **{f"m{k}.py": "from a import ab\n\nab()\n" for k in range(40)}},
        {"a.py": "def new():\n    pass\n", **{f"m{k}.py": "from a import new\n\nnew()\n" for k in range(40)}},
    ),
    Case(
        "through packages that hand it on",
        {
            "src/pkg/__init__.py": "from .core import old\n\n__all__ = ['old']\n",
            "src/pkg/core.py": "def |old():\n    pass\n",
            "src/pkg/more/__init__.py": "",
            "src/pkg/more/use.py": "from ..core import old\nfrom pkg import old as second\nfrom .. import core\n\ncore.old()\n",
            "tests/test_it.py": "import pkg\nfrom pkg import old\n\n\ndef test():\n    assert pkg.old() is old()\n",
        },
        {
            "src/pkg/__init__.py": "from .core import new\n\n__all__ = ['new']\n",
            "src/pkg/core.py": "def new():\n    pass\n",
            "src/pkg/more/use.py": "from ..core import new\nfrom pkg import new as second\nfrom .. import core\n\ncore.new()\n",
            "tests/test_it.py": "import pkg\nfrom pkg import new\n\n\ndef test():\n    assert pkg.new() is new()\n",
        },
    ),
    Case(
        "import *",
        {"a.py": "def |old():\n    pass\n", "b.py": "from a import *\n\nold()\n"},
        {"a.py": "def new():\n    pass\n", "b.py": "from a import *\n\nnew()\n"},
    ),
    Case(
        "a method, what overrides it and who calls it",
        {
            "a.py": "class A:\n    def |old(self):\n        pass\n\n    def m(self):\n        self.old()\n",
            "b.py": "from a import A\n\n\nclass B(A):\n    def old(self):\n        super().old()\n\n\nB().old()\n\n\n"
            "def f(z: A):\n    z.old()\n",
            "c.py": "class C:\n    def old(self):\n        pass\n\n\nC().old()\n",
        },
        {
            "a.py": "class A:\n    def new(self):\n        pass\n\n    def m(self):\n        self.new()\n",
            "b.py": "from a import A\n\n\nclass B(A):\n    def new(self):\n        super().new()\n\n\nB().new()\n\n\n"
            "def f(z: A):\n    z.new()\n",
        },
    ),
    Case(
        "an attribute with several assignments, and one that is declared",
        {
            "a.py": "class A:\n    old: int = 0\n\n    def __init__(self):\n        self.|old = 1\n\n    def m(self):\n"
            "        self.old += 2\n        return [self.old for old in ()]\n\n\nprint(f'{A().old} {A.old}')\n",
        },
        {
            "a.py": "class A:\n    new: int = 0\n\n    def __init__(self):\n        self.new = 1\n\n    def m(self):\n"
            "        self.new += 2\n        return [self.new for old in ()]\n\n\nprint(f'{A().new} {A.new}')\n",
        },
    ),
    Case(
        "a field of a dataclass",
        {
            "a.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass P:\n    |old: int\n",
            "b.py": "from a import P\n\nP(old=1).old\ndict(old=2)\n",
        },
        {
            "a.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass P:\n    new: int\n",
            "b.py": "from a import P\n\nP(new=1).new\ndict(old=2)\n",
        },
    ),
    Case(
        "a parameter and the calls that name it",
        {
            "a.py": "def f(old=1):\n    return |old\n\n\nf(old=2)\n",
            "b.py": "from a import f\n\n\ndef g(old):\n    return f(old=old)\n\n\ng(old=1).old\n",
        },
        {
            "a.py": "def f(new=1):\n    return new\n\n\nf(new=2)\n",
            "b.py": "from a import f\n\n\ndef g(old):\n    return f(new=old)\n\n\ng(old=1).old\n",
        },
    ),
    Case(
        "a class, quoted annotations too",
        {
            "a.py": '__all__ = ["Old"]\n\n\nclass |Old:\n    def m(self) -> "Old":\n        return self\n\n\n'
            'def q(x: "list[Old] | None"):\n    "Old"\n',
            "b.py": "import a\n\n\nclass B(a.Old):\n    pass\n",
        },
        {
            "a.py": '__all__ = ["New"]\n\n\nclass New:\n    def m(self) -> "New":\n        return self\n\n\n'
            'def q(x: "list[New] | None"):\n    "Old"\n',
            "b.py": "import a\n\n\nclass B(a.New):\n    pass\n",
        },
        "New",
    ),
    Case(
        "a local variable, whatever other files have",
        {
            "a.py": "def f():\n    |old = 1\n    return [old for old in range(old)], lambda: old\n",
            "b.py": "x.old = unknown(old=1)\n",
        },
        {"a.py": "def f():\n    new = 1\n    return [old for old in range(new)], lambda: new\n"},
    ),
    Case(
        "a global of functions",
        {
            "a.py": "old = 1\n\n\ndef f():\n    global |old\n    old = 2\n\n\ndef g():\n    old = 3\n    return old\n"
        },
        {
            "a.py": "new = 1\n\n\ndef f():\n    global new\n    new = 2\n\n\ndef g():\n    old = 3\n    return old\n"
        },
    ),
    Case(
        "a module that is used as a value matters only where a receiver is unknown",
        {"a.py": "def |old():\n    pass\n", "b.py": "import a\n\nprint(a)\na.old()\n"},
        {"a.py": "def new():\n    pass\n", "b.py": "import a\n\nprint(a)\na.new()\n"},
    ),
    Case(
        "names that match and case give",
        {
            "a.py": "def f(v):\n    match v:\n        case [|old, *_]:\n            return old\n"
            "        case {'old': k}:\n            return k\n"
        },
        {
            "a.py": "def f(v):\n    match v:\n        case [new, *_]:\n            return new\n"
            "        case {'old': k}:\n            return k\n"
        },
    ),
    Case(
        "characters of several bytes, and line breaks of all kinds",
        {"a.py": "é = '𝒳'; |old = é\r\nprint('𝒳é', old)\r\n"},
        {"a.py": "é = '𝒳'; new = é\r\nprint('𝒳é', new)\r\n"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_renames(case: Case, rename: Rename) -> None:
    assert rename(case.files, case.new) == case.expected


REFUSED = [
    (
        "an unknown object",
        {"a.py": "class A:\n    def |old(self):\n        pass\n", "b.py": "def f(z):\n    z.old()\n"},
        "new",
        'b.py:2: "old" of an object of unknown type',
    ),
    (
        "an unknown function",
        {"a.py": "def f(|old):\n    pass\n", "b.py": "def g(h):\n    h(old=1)\n"},
        "new",
        "b.py:2: nobody knows the function",
    ),
    (
        "a function that is handed on",
        {"a.py": "from functools import partial\n\n\ndef f(|old):\n    pass\n\n\npartial(f, old=1)\n"},
        "new",
        "a.py:8: nobody knows the function",
    ),
    (
        "an unknown base",
        {"a.py": "import missing\n\n\nclass A(missing.B):\n    def |old(self):\n        pass\n"},
        "new",
        'a.py:4: nobody knows the base class "missing.B"',
    ),
    (
        "another's base",
        {"a.py": "import threading\n\n\nclass A(threading.Thread):\n    def |run(self):\n        pass\n"},
        "new",
        "not defined in the project",
    ),
    (
        "an unknown module",
        {"a.py": "def |old():\n    pass\n", "b.py": "from gone import old\n"},
        "new",
        "b.py:1: nobody knows the module",
    ),
    ("a module", {"old.py": "", "a.py": "import |old\n"}, "new", "files are not renamed"),
    (
        "Python's own",
        {"a.py": "import os\n\nos.|getcwd()\n"},
        "new",
        "os.getcwd, which is not defined in the project",
    ),
    ("a builtin", {"a.py": "|print(1)\n"}, "new", "builtins.print, which is not"),
    (
        "a special method",
        {"a.py": "class A:\n    def __|init__(self):\n        pass\n"},
        "new",
        "a meaning of its own",
    ),
    ("a keyword", {"a.py": "|old = 1\n"}, "class", "is a keyword"),
    ("no name", {"a.py": "|old = 1\n"}, "not a name", "is not a name"),
    ("the same name", {"a.py": "|old = 1\n"}, "old", "already"),
    ("nothing there", {"a.py": "old = | 1\n"}, "new", "no name at this place"),
    ("a text", {"a.py": "'o|ld'\n"}, "new", "no name to rename"),
    (
        "a syntax error",
        {"a.py": "def |old():\n    pass\n", "b.py": "from a import old\n\nold(\n"},
        "new",
        "b.py:3: the file has a syntax error",
    ),
    (
        "a fixture",
        {"a.py": "import pytest\n\n\n@pytest.fixture\ndef |old():\n    pass\n\n\ndef test(old):\n    pass\n"},
        "new",
        "a fixture",
    ),
    ("a stub", {"a.py": "def |old():\n    pass\n", "a.pyi": "def old() -> None: ...\n"}, "new", "stub"),
    (
        "a protocol",
        {
            "a.py": "from typing import Protocol\n\n\nclass P(Protocol):\n    def |old(self): ...\n",
            "b.py": "class Q:\n    def old(self):\n        pass\n",
        },
        "new",
        "a protocol",
    ),
    (
        "classes that another one joins",
        {
            "a.py": "class A:\n    def |old(self):\n        pass\n",
            "b.py": "class B:\n    def old(self):\n        pass\n",
            "c.py": "from a import A\nfrom b import B\n\n\nclass C(A, B):\n    pass\n",
        },
        "new",
        'c.py:5: "C" inherits from A and B',
    ),
    (
        "a doubtful name",
        {"a.py": "old = 1\n\n\nclass A:\n    old = |old\n"},
        "new",
        "may be a name of the class",
    ),
    (
        "a module as a value",
        {
            "a.py": "def |old():\n    pass\n",
            "b.py": "import a\nimport c\n\nc.f(a)\n",
            "c.py": "def f(m):\n    m.old()\n",
        },
        "new",
        "b.py:4 uses its module as a value",
    ),
    (
        "a name in the same scope",
        {"a.py": "def f():\n    |old = 1\n    new = 2\n    return old\n"},
        "new",
        'a.py:3: "new" is there already',
    ),
    (
        "a name that would be caught",
        {"a.py": "|old = 1\n\n\ndef f(new):\n    return old\n"},
        "new",
        "would mean something else",
    ),
    (
        "a name that would catch",
        {"a.py": "new = 1\n\n\ndef f():\n    |old = 2\n    return old, new\n"},
        "new",
        "would mean something else",
    ),
    (
        "a builtin that would be hidden",
        {"a.py": "|old = 1\nprint(old)\n"},
        "print",
        "would mean something else",
    ),
    (
        "a name where it is imported",
        {"a.py": "def |old():\n    pass\n", "b.py": "from a import old\n\nnew = old\n"},
        "new",
        'b.py:3: "new" is there already',
    ),
    (
        "a method of the class",
        {"a.py": "class A:\n    def |old(self):\n        self.new = 1\n"},
        "new",
        'has "new" already',
    ),
    (
        "a method of a class above",
        {
            "a.py": "class A:\n    def new(self):\n        pass\n\n\nclass B(A):\n    def |old(self):\n        pass\n"
        },
        "new",
        'inherits "new"',
    ),
    (
        "a method of a class below",
        {
            "a.py": "class A:\n    def |old(self):\n        pass\n",
            "b.py": "import a\n\n\nclass B(a.A):\n    new = 1\n",
        },
        "new",
        "which inherits it, has",
    ),
    (
        "any keyword",
        {"a.py": "def f(|old, **more):\n    pass\n\n\nf(1, new=2)\n"},
        "new",
        "takes any keyword",
    ),
    (
        "what import * would bring",
        {"a.py": "def |old():\n    pass\n", "b.py": "from a import *\n\nnew = 1\n"},
        "new",
        "import *",
    ),
    (
        "parameters of methods of one name",
        {
            "a.py": "class A:\n    def m(self, |old):\n        pass\n\n\nclass B(A):\n    def m(self, old):\n"
            "        pass\n\n\nA().m(old=1)\n"
        },
        "new",
        'another method "m"',
    ),
]


@pytest.mark.parametrize(
    ("files", "new", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refuses(files: dict[str, str], new: str, reason: str, rename: Rename) -> None:
    with pytest.raises(RenameRefusedError) as error:
        rename(files, new)
    assert reason in str(error.value)


def test_open_documents_count_and_not_their_files(rename: Rename) -> None:
    files = {"a.py": "def |old():\n    pass\n", "b.py": "from a import old\n", "c.py": "from a import old\n"}
    opened = {"b.py": "# nothing of it\n", "d.py": "import a\n\na.old()\n"}
    assert rename(files, "new", opened=opened) == {
        "a.py": "def new():\n    pass\n",
        "c.py": "from a import new\n",
        "d.py": "import a\n\na.new()\n",
    }


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        (
            "old",
            "def new():\n    pass\n\n\nclass A:\n    def old(self):\n        pass\n\n    def m(self, old):\n        return old\n",
        ),
        (
            "A.old",
            "def old():\n    pass\n\n\nclass A:\n    def new(self):\n        pass\n\n    def m(self, old):\n        return old\n",
        ),
    ],
)
def test_a_name_without_a_place(old: str, expected: str, rename: Rename) -> None:
    text = "def old():\n    pass\n\n\nclass A:\n    def old(self):\n        pass\n\n    def m(self, old):\n        return old\n"
    assert rename({"a.py": "|" + text}, "new", old=old) == {"a.py": expected}


def test_a_name_of_several_symbols_is_refused(rename: Rename) -> None:
    text = "|def f(old):\n    pass\n\n\ndef g(old):\n    pass\n"
    with pytest.raises(RenameRefusedError, match=r"a\.py:1, a\.py:5: several things"):
        rename({"a.py": text}, "new", old="old")


def test_a_file_of_no_project(rename: Rename) -> None:
    with pytest.raises(RenameRefusedError, match="no opened folder"):
        rename({"a.py": "def |old():\n    pass\n"}, "new", inside=False)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(files=1), "more than 1 Python files"),
        (Limits(mentions=1), "more than 1 files have the name"),
        (Limits(occurrences=2), "occur more than 2 times"),
        (Limits(file_bytes=30), "a.py:1: the file has more than"),
        (Limits(bytes=30), "have more than"),
    ],
)
def test_limits(limits: Limits, reason: str, rename: Rename) -> None:
    files = {"a.py": "def |old():\n    return 'a longer text'\n", "b.py": "from a import old\n\nold()\n"}
    with pytest.raises(RenameRefusedError, match=reason):
        rename(files, "new", limits=limits)
