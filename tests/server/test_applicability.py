"""Which edits may change what the code means, by example."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk_server.applicability import applicability
from copydesk_server.project_imports import Projects
from copydesk_server.verification import judge, judge_all
from server_tools import found, the_ruff

INIT, MODULE = Path("package/__init__.py"), Path("package/module.py")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("from .a import f\nx = 1\n", "x = 1\n", "unsafe"),
        ("from .a import f, g\n", "from .a import f\n", "unsafe"),
        ("from .a import f\n", "from .a import f as f\n", "safe"),
        ("from .a import f\n", "def f():\n    pass\n", "safe"),
        ("import os.path\n", "import os\n", "safe"),
        ("def f():\n    import os\n", "def f():\n    pass\n", "safe"),
        ("from __future__ import annotations\n", "", "safe"),
    ],
)
def test_imports_of_a_package(before: str, after: str, expected: str) -> None:
    assert applicability(before, after, [], INIT) == expected
    assert applicability(before, after, [], MODULE) == "safe"


@pytest.mark.parametrize(
    ("other", "text", "expected"),
    [
        ("package/other.py", "from .module import f\n", "refused"),
        ("package/other.py", "from package.module import (\n    g,\n    f as h,\n)\n", "refused"),
        ("package/other.py", "from .module import *\n", "unsafe"),
        ("package/other.py", "from . import module\n\nmodule.f()\n", "unsafe"),
        ("package/other.py", "import package.module\n\npackage.module.f()\n", "unsafe"),
        ("package/other.py", "import package.module as m\n\nm.f()\n", "unsafe"),
        (
            "tests/test_module.py",
            'from package.module import g\n\n\ndef test_g(mocker):\n    mocker.patch("package.module.f")\n',
            "unsafe",
        ),
        ("tests/test_module.py", "module = fresh('package.module')\n\nmodule.f()\n", "unsafe"),
        ("package/other.py", "from .module import g\n", "safe"),
        ("package/other.py", "from .a import f\n", "safe"),
        ("package/other.py", "from . import module\n\nmodule.g(self.f)\n", "safe"),
        ("package/module.py", "from .module import f\n", "safe"),
    ],
)
def test_imports_that_other_files_take(other: str, text: str, expected: str, tmp_path: Path) -> None:
    """A name that a module imports and does not use itself."""
    before, after = "from .a import f, g\n\ng()\n", "from .a import g\n\ng()\n"
    for name, content in {
        "pyproject.toml": "",
        "package/__init__.py": "",
        MODULE: before,
        other: text,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    path = tmp_path / MODULE
    (said,) = the_ruff().check(before, path, select="F401")
    judged = judge_all(
        before, after, [said], language="python", path=path, ruff=the_ruff(), projects=Projects()
    )
    if expected == "refused":
        reason = f"it removes `f`, which {other} imports from here"
        assert (judged.verdict, judged.reason) == ("refused", reason)
    else:
        assert (judged.verdict, judged.applicability) == ("confirmed", expected)


def test_an_instruction_may_remove_what_another_file_imports(tmp_path: Path) -> None:
    """The other file may be changed next; only a finding never asks for this."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "other.py").write_text("from module import f\n")
    path, before, after = tmp_path / "module.py", "from a import f\n\nx = 1\n", "x = 1\n"
    path.write_text(before)
    judged = judge_all(before, after, [], language="python", path=path, ruff=the_ruff(), projects=Projects())
    assert (judged.verdict, judged.applicability) == ("checked", "unsafe")


def test_a_file_that_comes_to_take_it_is_seen(tmp_path: Path) -> None:
    """As a server sees it, which asks again and again; among them for a module that was not there before."""
    (tmp_path / "pyproject.toml").write_text("")
    other, path, new = tmp_path / "other.py", tmp_path / "module.py", tmp_path / "new.py"
    path.write_text("from a import f\n")
    other.write_text("new = load()\nnew.f()\n")
    projects = Projects(once=False)

    def taken(path: Path) -> bool:
        return applicability("from a import f\n", "\n", [], path, projects=projects) == "unsafe"

    assert not taken(path)
    new.write_text("from a import f\n")
    assert [taken(path), taken(new)] == [False, True]
    other.write_text("module = load()\nmodule.f()\n")
    assert [taken(path), taken(new)] == [True, False]


def test_a_star_import_takes_what_the_module_lists(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    path = tmp_path / "module.py"
    (tmp_path / "other.py").write_text("from module import *\n")
    for listed, expected in (("", "unsafe"), ('__all__ = ["g"]\n', "safe")):
        path.write_text(f"from a import f\n{listed}")
        assert applicability(path.read_text(), listed, [], path, projects=Projects()) == expected


@pytest.mark.parametrize(
    ("files", "added", "expected"),
    [
        ({}, "import json", "safe"),
        ({"package/other.py": "import numpy\n"}, "import numpy as np", "safe"),
        ({"package/other.py": "def f():\n    import numpy\n"}, "import numpy as np", "unsafe"),
        (
            {"package/other.py": "try:\n    import numpy\nexcept ImportError:\n    pass\n"},
            "import numpy",
            "unsafe",
        ),
        ({"tests/test_module.py": "import numpy\n"}, "import numpy", "unsafe"),
        ({MODULE.as_posix(): "import numpy\n"}, "from numpy import array", "safe"),
        ({"package/other.py": "def f(): ...\n"}, "from .other import f", "safe"),
        ({"package/other.py": "def f(): ...\n"}, "from package.other import f", "safe"),
        ({"package/other.py": "from .module import g\ndef f(): ...\n"}, "from .other import f", "unsafe"),
        ({"package/other.py": "def f():\n    from .module import g\n"}, "from .other import f", "safe"),
        (
            {"package/other.py": "from . import third\n", "package/third.py": "import package.module\n"},
            "from .other import f",
            "unsafe",
        ),
        ({"package/__init__.py": "from .module import g\n"}, "from package import g", "unsafe"),
        (
            {"package/__init__.py": "from .module import g\n", "package/other.py": ""},
            "from package import other",
            "safe",
        ),
    ],
)
def test_imports_that_are_added(files: dict[str, str], added: str, expected: str, tmp_path: Path) -> None:
    """What other files import only where they need it may not be there; what loads this file in its turn is not whole yet."""
    before = "def g():\n    return f\n"
    for name, content in {"pyproject.toml": "", "package/__init__.py": "", MODULE: before, **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    after = f"{added}\n\n\n{before}"
    assert applicability(before, after, [], tmp_path / MODULE, projects=Projects()) == expected


TRIED = "import os\ntry:\n    import readline\nexcept ImportError:\n    pass\n"
SUPPRESSED = "import contextlib\nwith contextlib.suppress(ImportError):\n    import readline\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("from a import *\nfrom a import __all__\n", "from a import *\n", "unsafe"),
        ("from a import f\n__all__.extend(['f'])\n", "__all__.extend(['f'])\n", "unsafe"),
        ("from a import f\n__all__.extend(['g'])\n", "__all__.extend(['g'])\n", "safe"),
        (TRIED, TRIED.replace("import os\n", ""), "safe"),
        (TRIED, TRIED.replace("import readline", "pass"), "unsafe"),
        (SUPPRESSED, SUPPRESSED.replace("import readline", "pass"), "unsafe"),
        (TRIED + SUPPRESSED, TRIED + SUPPRESSED.replace("import readline", "pass"), "unsafe"),
        (TRIED, SUPPRESSED, "safe"),
        ("try:\n    import json\nexcept ImportError:\n    json = None\n", "json = None\n", "unsafe"),
    ],
)
def test_imports_that_are_not_unused(before: str, after: str, expected: str) -> None:
    """Ruff calls `__all__` unused, and what is imported to see whether it is there."""
    assert applicability(before, after, []) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def area(width):\n    return widht\n", "safe"),
        ("from shapes import *\n\n\ndef area(width):\n    return widht\n", "unsafe"),
        ("globals().update(SIZES)\n\n\ndef area(width):\n    return widht\n", "unsafe"),
        ("def area(width):\n    return widht\n\n\ndel widht\n", "unsafe"),
        ("def area(width):\n    del width\n    return widht\n", "safe"),
    ],
)
def test_names_that_may_be_there_all_the_same(text: str, expected: str) -> None:
    code = "F405" if "*" in text else "F821"
    said = found(text.count("\n", 0, text.index("return")) + 1, 11, 16, code, "Undefined name `widht`")
    after = text.replace("return widht", "return width")
    assert applicability(text, after, [said]) == expected


def function(default: str, body: str) -> str:
    return f"def f(key, seen={default}):\n    {body}\n"


@pytest.mark.parametrize(
    ("default", "body", "expected"),
    [
        ("{}", "if key not in seen: seen[key] = 1\n    return seen[key]", "unsafe"),
        ("set()", "if key in seen: return\n    seen.add(key)", "unsafe"),
        ("{}", "return seen.setdefault(key, 1)", "unsafe"),
        ("collections.OrderedDict()", "seen[key] = seen.get(key)", "unsafe"),
        ("[]", "seen.append(key)\n    return seen", "safe"),
        ("{}", "return seen[key]", "safe"),
        ("None", "seen[key] = seen[key]", "safe"),
        ("()", "return key in seen", "safe"),
    ],
)
def test_defaults_that_are_memos(default: str, body: str, expected: str) -> None:
    before, after = function(default, body), function("None", f"seen = seen or {{}}\n    {body}")
    assert applicability(before, after, []) == expected
    assert applicability(before, before.replace("return", "return  "), []) == "safe", "the default stays"
    assert applicability(before.replace("f(key,", "f(key, *,"), after, []) == expected


@pytest.mark.parametrize(
    ("before", "after", "code", "expected"),
    [
        ("def f(x):\n    return x == None\n", "def f(x):\n    return x is None\n", "E711", "unsafe"),
        ("def f(x):\n    return not x in ()\n", "def f(x):\n    return x not in ()\n", "E713", "safe"),
    ],
)
@pytest.mark.parametrize("source", ["Ruff", "flake8"])
def test_what_ruff_calls_unsafe(before: str, after: str, code: str, expected: str, source: str) -> None:
    """Whoever reported it, and whether or not ruff's own fix was to be used."""
    (said,) = the_ruff().check(before, None, select=code)
    asked = found(1, said.start.character, said.end.character, code, said.message, source)
    judged = judge(before, after, asked, language="python", path=None, ruff=the_ruff())
    assert (judged.verdict, judged.applicability) == ("confirmed", expected)


@pytest.mark.parametrize(
    ("before", "after", "code", "expected"),
    [
        ("x = dict(a=1)\n", 'x = {"a": 1}\n', "C408", "safe"),
        ("x = dict(  # why\n    a=1\n)\n", 'x = {"a": 1}\n', "C408", "unsafe"),
        ("def f():\n    x = f()\n    return x\n", "def f():\n    return f()\n", "RET504", "safe"),
        ("def f():\n    x = f()\n    f()\n", "def f():\n    f()\n    f()\n", "F841", "unsafe"),
        ("def f():\n    x = f()\n", "def f():\n    f()\n", "F841", "safe"),
        ("x = zip(a, b)\n", "x = zip(a, b, strict=False)\n", "B905", "unsafe"),
        ("x: typing.List[int] = f(1)\n", "x: list[int] = f(1)\n", "UP006", "safe"),
        ("y = ä, cast(typing.List[int], x)\n", "y = ä, cast(list[int], x)\n", "UP006", "safe"),
        ("y = ä, type(typing.List[int])\n", "y = ä, type(list[int])\n", "UP006", "unsafe"),
        ("y = x is typing.List\n", "y = x is list\n", "UP006", "unsafe"),
        ("class A(TestCase):\n    def f(self): self.assert_(1)\n",
         "class A(TestCase):\n    def f(self): self.assertTrue(1)\n", "UP005", "safe"),
        ("class A(Checks):\n    def f(self): self.assert_(1)\n",
         "class A(Checks):\n    def f(self): self.assertTrue(1)\n", "UP005", "unsafe"),
    ],
)  # fmt: skip
def test_what_copydesk_knows_better(before: str, after: str, code: str, expected: str) -> None:
    """Ruff calls its fixes for these unsafe, and those of UP005 and UP006 always safe."""
    before, after = ("import typing\n\n" + text + "print(typing)\n" for text in (before, after))
    (said,) = the_ruff().check(before, None, select=code)
    judged = judge_all(before, after, [said], language="python", path=None, ruff=the_ruff(), rules=(code,))
    assert (judged.verdict, judged.applicability) == ("confirmed", expected)


@pytest.mark.parametrize(
    ("before", "after", "code", "expected"),
    [
        (
            "try:\n    f()\nexcept:\n    g()\n",
            "try:\n    f()\nexcept Exception:\n    g()\n",
            "E722",
            "unsafe",
        ),
        ("x = type(a) == type(b)\n", "x = isinstance(a, type(b))\n", "E721", "unsafe"),
        ("def f(l):\n    return l\n", "def f(line):\n    return line\n", "E741", "safe"),
    ],
)
def test_what_quick_fixes_change(before: str, after: str, code: str, expected: str) -> None:
    """Ruff has no fixes for these; what a model writes instead of a quick fix is called unsafe."""
    (said,) = the_ruff().check(before, None, select=code)
    assert applicability(before, after, [said]) == expected
    assert applicability(before, after, [said], known_fix=False) == "unsafe"
    assert applicability(before, before.replace("  ", "   "), [said], known_fix=False) == "safe"
