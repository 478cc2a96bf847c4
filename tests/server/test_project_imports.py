"""How a project imports a name: what its other files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.request import Diagnostic
from copydesk.text.document import Position
from copydesk_server.project_imports import ProjectImports, Projects, project_root, with_project_imports

FILES = {
    "pyproject.toml": "",
    "src/pkg/__init__.py": "",
    "src/pkg/tools.py": "import numpy as np\nfrom pathlib import Path\n\n\ndef helper(): ...\n\n\nLIMIT: int = 3\n",
    "src/pkg/nodes.py": "from .tools import (\n    helper,  # why\n    LIMIT as most,\n)\n",
    "src/pkg/deep/__init__.py": "",
    "src/pkg/deep/one.py": "from ..tools import helper\nfrom .. import nodes\nimport xml.dom\n",
    "src/pkg/deep/two.py": "from pkg.tools import helper\nfrom os import path\n",
    "tests/test_pkg.py": "from pkg.tools import helper\nfixture = 1\n",
    "broken.py": "def (\nfrom",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "at", "text", "statements"),
    [
        ("np", "src/pkg/deep/three.py", "", ["import numpy as np"]),
        ("Path", "src/pkg/deep/three.py", "", ["from pathlib import Path"]),
        ("most", "src/pkg/deep/three.py", "from ..x import y\n", ["from ..tools import LIMIT as most"]),
        ("helper", "src/pkg/three.py", "from .x import y\n", ["from .tools import helper"]),
        ("helper", "src/pkg/three.py", "from pkg.x import y\n", ["from pkg.tools import helper"]),
        ("helper", "tests/test_other.py", "", ["from pkg.tools import helper"]),
        ("LIMIT", "src/pkg/deep/three.py", "from ..x import y\n", ["from ..tools import LIMIT"]),  # defined, never imported
        ("nodes", "src/pkg/deep/three.py", "from ..x import y\nnodes.x\n", ["from .. import nodes"]),
        ("nodes", "src/pkg/deep/three.py", "nodes(1)\n", []),  # a module is not called
        ("path", "src/pkg/deep/three.py", "path.join\n", ["from os import path"]),
        ("path", "src/pkg/deep/three.py", "x: path\n", []),
        ("xml", "src/pkg/deep/three.py", "xml.dom.x\n", ["import xml.dom"]),
        ("xml", "src/pkg/deep/three.py", "xml.sax.x\n", []),
        ("fixture", "src/pkg/three.py", "", []),  # of a test
        ("LIMIT", "src/pkg/tools.py", "", []),  # its own
        ("nothing", "src/pkg/three.py", "", []),
    ],
)  # fmt: skip
def test_statements(project: Path, name: str, at: str, text: str, statements: list[str]) -> None:
    found = ProjectImports(project).statements(name, project / at, text)
    assert [each.rstrip("\n") for each in found] == statements


def test_a_changed_file_is_read_again_unless_once(project: Path) -> None:
    again, once = ProjectImports(project), ProjectImports(project, once=True)
    path = project / "src/pkg/three.py"
    assert again.statements("fresh", path, "") == once.statements("fresh", path, "") == ()
    (project / "src/pkg/nodes.py").write_text("from elsewhere import fresh\n")
    assert again.statements("fresh", path, "", read=False) == ()
    assert again.statements("fresh", path, "") == ("from elsewhere import fresh\n",)
    assert once.statements("fresh", path, "") == ()


def test_only_undefined_names_are_looked_for(project: Path) -> None:
    at = Position(0, 0)
    undefined, other = Diagnostic(at, at, "Undefined name `np`", "F821"), Diagnostic(at, at, "x `np`", "E501")
    found = with_project_imports([undefined, other], project / "a.py", "np.x", ProjectImports(project))
    assert [each.imports for each in found] == [("import numpy as np\n",), ()]


def test_roots(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert project_root(project / "src/pkg/tools.py") == project
    assert Projects().of(project / "src/pkg/tools.py") is not None
    alone = tmp_path_factory.mktemp("alone")
    (alone / "pkg").mkdir()
    (alone / "pkg" / "__init__.py").write_text("")
    assert project_root(alone / "pkg" / "a.py") == alone
    outside = ProjectImports(project).statements("np", alone / "pkg" / "a.py", "")
    assert outside == ()
