"""The house itself: what the documents promise is there, floors hold, and versions agree."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import copydesk
from repository import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SOURCES = sorted(
    path
    for root in ("engine", "server", "benchmarks/copydesk_benchmarks")
    for path in (ROOT / root).rglob("*.py")
)


def project_files() -> list[Path]:
    """Every text file of the repository, by suffix and name rather than by asking git: a source archive has none."""
    kept = {".py", ".md", ".toml", ".txt", ".yaml", ".json", ".lark", ""}
    skipped = {".git", ".venv", "node_modules", "build", "dist", "__pycache__"}
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and path.suffix in kept
        and not skipped & set(path.relative_to(ROOT).parts)
        and not any(part.endswith("_cache") or part == ".hypothesis" for part in path.relative_to(ROOT).parts)
    ]


def name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None
    return re.sub(r"[-_.]+", "-", match.group()).lower()


def constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return {name_of(line): line.split("==")[1] for line in lines if line and not line.startswith("#")}


def test_import_contracts_hold() -> None:
    # In a process of its own: its logging set-up disables the loggers of whoever calls it.
    command = [
        sys.executable,
        "-c",
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_readmes_make_commands_are_targets() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        # At a line's start or opening a code span: prose may say "make" as people do.
        named = set(re.findall(r"(?:^|`)make ([a-z]+)", (ROOT / document).read_text(), re.MULTILINE))
        assert named, document
        assert named <= targets, document
    assert {"demo", "test", "lint", "bench", "clean"} <= targets


def test_readmes_copydesk_commands_parse() -> None:
    from copydesk_server.arguments.parser import build_parser

    fenced = "".join(
        re.findall(r"^```\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    )
    commands = re.findall(r"^copydesk (.+?)(?: [|>#].*)?$", fenced, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        build_parser().parse_args(shlex.split(command))


def test_versions_agree() -> None:
    version = PROJECT["project"]["version"]
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()
    try:
        installed = metadata.version("copydesk")
    except metadata.PackageNotFoundError:
        assert copydesk.__version__ == "0.0.0+source"
    else:
        assert copydesk.__version__ == installed == version


def release(version: str) -> tuple[int, ...]:
    return tuple(map(int, f"{version}.0".split(".")[:2]))


def test_constraints_pin_every_dependency_within_its_bounds() -> None:
    pinned = constraints()
    declared = [*PROJECT["project"]["dependencies"]]
    for extra in PROJECT["project"]["optional-dependencies"].values():
        declared += [requirement for requirement in extra if name_of(requirement) != "copydesk"]
    for requirement in declared:
        lower, _, upper = requirement.split(">=")[1].partition(",<")
        assert name_of(requirement) in pinned, requirement
        have, need = (release(version) for version in (pinned[name_of(requirement)], lower))
        assert have >= need, requirement
        assert not upper or have < release(upper), requirement
    assert pinned["torch"] == "2.13.0"
    assert not [version for version in pinned.values() if "+" in version]


def test_every_third_party_import_is_a_dependency() -> None:
    """An extra's packages are imported where they are needed, by modules of that extra's room alone."""
    declared = {name_of(requirement).replace("-", "_") for requirement in PROJECT["project"]["dependencies"]}
    rooms = {"copydesk_training": ["train"], "copydesk_benchmarks": ["bench", "rivals"]}
    extras = {
        room: {
            name_of(requirement).replace("-", "_")
            for extra in names
            for requirement in PROJECT["project"]["optional-dependencies"][extra]
        }
        for room, names in rooms.items()
    }
    own = {"copydesk", "copydesk_server", "copydesk_training", "copydesk_benchmarks"}
    for path in SOURCES:
        for name in imported_roots(path):
            allowed = declared.union(own, *(extras[room] for room in rooms if room in path.parts))
            if "standalone" in path.parts:  # benchmarks that run in a checkout, with the clients of its tests
                allowed |= {file.stem for file in (ROOT / "tests" / "support").iterdir()}
            assert name in allowed or name in sys.stdlib_module_names, (
                f"{path.relative_to(ROOT)} imports {name}"
            )


def imported_roots(path: Path) -> set[str]:
    roots = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            roots.add(node.module.partition(".")[0])
    return roots


def test_the_servers_files_import_each_other_in_one_direction() -> None:
    """Imports for type checkers, and those inside functions, included: whoever reads a file can read what it needs before it."""
    root = ROOT / "server"
    names = {module_name(root, path): path for path in sorted(root.rglob("*.py"))}
    imports = {name: imported_modules(path) & set(names) - {name} for name, path in names.items()}
    assert len(imports["copydesk_server.lsp.app"]) > 20
    while leaves := [name for name, needed in imports.items() if not needed & set(imports)]:
        for name in leaves:
            del imports[name]
    circle = {name: sorted(needed & set(imports)) for name, needed in imports.items()}
    assert not circle, circle


def module_name(root: Path, path: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path) -> set[str]:
    """The modules a file imports, as far as names tell; `from package import name` may be of a module or of its member."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_only_document_splits_lines() -> None:
    """`str.splitlines` also breaks at form feeds and U+2028; a line number it gives is wrong sooner or later."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                assert node.attr != "splitlines", (
                    f"{path.relative_to(ROOT)}:{node.lineno}: use document.split_lines"
                )


def test_architecture_shows_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for path in (ROOT / "engine" / "copydesk").iterdir():
        name = f"{path.name}/" if path.is_dir() else path.name
        if not name.startswith("__") and name != "py.typed":
            assert f"`{name}`" in text, f"{name} has no place in ARCHITECTURE.md"
    for path in (ROOT / "server" / "copydesk_server").iterdir():
        if path.is_dir() and path.name != "__pycache__":
            assert f"`{path.name}/`" in text, f"{path.name}/ has no place in ARCHITECTURE.md"


def test_the_repository_names_no_private_path() -> None:
    # Put together so that this file does not name one itself.
    private = re.compile("|".join([r"(?<![\w.])/(?:work|root|tmp|opt)" + "/", r"/home/\w+" + "/"]))
    for path in project_files():
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").split("\n"), start=1
        ):
            assert not private.search(line), f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"


def test_the_doctor_and_the_engine_look_for_the_same_files() -> None:
    from copydesk.models.directory import TOKENIZER_FILES
    from copydesk.serving.loaded_model import EMBEDDED
    from copydesk_server.commands import doctor

    assert Path(str(doctor.embedded_model())) == EMBEDDED
    assert doctor._TOKENIZER_FILES == TOKENIZER_FILES


def test_documents_link_to_files_that_exist() -> None:
    for document in ROOT.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            assert (ROOT / target).exists(), f"{document.name} links to {target}"


def test_import_copydesk_is_light_and_exports_load_on_touch() -> None:
    script = (
        "import sys, copydesk\n"
        "assert 'torch' not in sys.modules and 'copydesk.program' not in sys.modules\n"
        "copydesk.Program, copydesk.oracle_program\n"
        "assert 'torch' not in sys.modules\n"
        "assert set(copydesk.__all__) <= set(dir(copydesk))\n"
        "try:\n    copydesk.absent\nexcept AttributeError as error:\n    assert 'absent' in str(error)\n"
        "else:\n    raise SystemExit('no error')\n"
    )
    path = [str(ROOT / "engine"), str(ROOT / "server"), str(ROOT / "benchmarks")]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{script}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), "no module docstring"
