"""What git could not bring back is not written: the verdicts are git's own, and nothing that a repository names is run."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from copydesk_server.headless.git import Dirt
from git_repositories import git, hostile, keys, repository


@pytest.fixture(autouse=True)
def nobodys_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))


def refusal(path: Path, *, dirty: bool = False, staged: bool = False) -> str | None:
    dirt = Dirt()
    try:
        return dirt.refusal(path.resolve(), allow_dirty=dirty, allow_staged=staged)
    finally:
        dirt.close()


# -- what git could not bring back -------------------------------------------------------------------------------------


def test_what_git_could_not_bring_back(tmp_path: Path) -> None:
    names = ["clean.py", "dirty.py", "staged.py", "both \n.py", "removed.py"]
    repository(tmp_path, **{name.removesuffix(".py"): "old\n" for name in names})
    for name in names[1:-1]:
        (tmp_path / name).write_text("new\n")
    git(tmp_path, "add", "staged.py", "both \n.py")
    git(tmp_path, "rm", "-q", "--cached", "removed.py")
    (tmp_path / "both \n.py").write_text("newer\n")
    (tmp_path / "fresh.py").write_text("new\n")
    dirt = Dirt()

    def refused(name: str, *, dirty: bool = False, staged: bool = False) -> bool:
        return dirt.refusal(tmp_path / name, allow_dirty=dirty, allow_staged=staged) is not None

    assert not refused("clean.py")
    assert refused("dirty.py")
    assert refused("fresh.py")
    assert not refused("fresh.py", dirty=True)
    assert not refused("dirty.py", dirty=True)
    assert refused("staged.py", dirty=True)
    assert not refused("staged.py", staged=True)
    assert refused("both \n.py", staged=True)
    assert refused("both \n.py", dirty=True)
    assert not refused("both \n.py", dirty=True, staged=True)
    assert refused("removed.py")
    assert refused("removed.py", dirty=True), "that it is gone is staged"


def test_a_file_that_git_ignores_and_does_not_know_is_not_overwritten(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / ".gitignore").write_text("local.py\nbuild/\n")
    (tmp_path / "build").mkdir()
    for path in (tmp_path / "local.py", tmp_path / "build" / "made.py"):
        path.write_text("mine alone\n")
        assert "could not restore it; --allow-dirty" in (refusal(path) or "")
        assert refusal(path, dirty=True) is None
    git(tmp_path, "add", "-f", "local.py")
    git(tmp_path, "commit", "-q", "-m", "known all the same")
    assert refusal(tmp_path / "local.py") is None


def test_before_the_first_commit_all_is_staged(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("new\n")
    assert "--allow-dirty" in (refusal(tmp_path / "a.py") or "")
    git(tmp_path, "add", "--intent-to-add", "a.py")
    assert "--allow-dirty" in (refusal(tmp_path / "a.py") or "")
    git(tmp_path, "add", "a.py")
    assert "--allow-staged" in (refusal(tmp_path / "a.py") or "")


def test_a_conflict_is_a_change(tmp_path: Path) -> None:
    repository(tmp_path)
    git(tmp_path, "switch", "-q", "-c", "other")
    for branch in ("other", "main"):
        git(tmp_path, "switch", "-q", branch)
        (tmp_path / "a.py").write_text(f"{branch}\n")
        git(tmp_path, "commit", "-q", "-a", "-m", branch)
    git(tmp_path, "merge", "other", check=False)
    assert "--allow-dirty" in (refusal(tmp_path / "a.py") or "")


# -- repositories as git lays them out ---------------------------------------------------------------------------------


def _packed(folder: Path) -> Path:
    repository(folder, **{f"f{n}": f"line {n}\n" * 40 for n in range(30)}, a="old\n")
    for n in range(30):
        (folder / f"f{n}.py").write_text(f"line {n}\n" * 39)
    git(folder, "commit", "-q", "-a", "-m", "shorter")
    git(folder, "gc", "-q", "--aggressive")
    assert not list((folder / ".git" / "objects").glob("??/*"))
    return folder


def _worktree(folder: Path) -> Path:
    git(repository(folder / "main"), "worktree", "add", "-q", str(folder / "tree"))
    return folder / "tree"


def _worktree_configured(folder: Path) -> Path:
    tree = _worktree(folder)
    git(tree, "config", "extensions.worktreeConfig", "true")
    git(tree, "config", "--worktree", "core.autocrlf", "false")
    return tree


def _submodule(folder: Path) -> Path:
    git(repository(folder / "outer"), "submodule", "--quiet", "add", str(repository(folder / "inner")), "sub")
    assert (folder / "outer" / "sub" / ".git").is_file()
    return folder / "outer" / "sub"


def _borrowing(folder: Path) -> Path:
    git(folder, "clone", "-q", "--shared", str(repository(folder / "lender")), "borrower")
    return folder / "borrower"


def _version(number: int) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        repository(folder)
        (folder / "b.py").write_text("")
        git(folder, "add", "-N", "b.py")  # what only versions from 3 on can say
        git(folder, "update-index", "--index-version", str(number))
        assert (folder / ".git" / "index").read_bytes()[7] == max(number, 3)
        return folder

    return made


def _detached(folder: Path) -> Path:
    git(repository(folder), "checkout", "-q", "--detach")
    git(folder, "pack-refs", "--all")
    return folder


def _in_a_folder(folder: Path) -> Path:
    repository(folder, a="old\n")
    (folder / "deep" / "er").mkdir(parents=True)
    git(folder, "mv", "a.py", "deep/er/a.py")
    git(folder, "commit", "-q", "-m", "moved")
    return folder / "deep" / "er"


def _without_blobs(folder: Path) -> Path:
    git(repository(folder / "origin"), "config", "uploadpack.allowFilter", "true")
    git(folder, "clone", "-q", "--filter=blob:none", (folder / "origin").as_uri(), "partial")
    return folder / "partial"


@pytest.mark.parametrize(
    "layout",
    [
        _packed, _worktree, _worktree_configured, _submodule, _borrowing, _version(2), _version(3), _version(4), _detached,
        _in_a_folder, _without_blobs,
    ],
)  # fmt: skip
def test_a_layout_is_read(layout: Callable[[Path], Path], tmp_path: Path) -> None:
    path = layout(tmp_path).resolve() / "a.py"
    assert refusal(path) is None
    path.write_text("new\n")
    assert "unstaged" in (refusal(path) or "")
    git(path.parent, "add", "a.py")
    assert "--allow-staged" in (refusal(path) or "")
    git(path.parent, "commit", "-q", "-m", "new")
    assert refusal(path) is None


def _split(folder: Path) -> str:
    git(repository(folder), "update-index", "--split-index")
    return "its index is split"


def _sparse(folder: Path) -> str:
    repository(folder)
    (folder / "deep").mkdir()
    (folder / "deep" / "b.py").write_text("")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "deep")
    git(folder, "sparse-checkout", "init", "--cone", "--sparse-index")
    return "its index is sparse"


def _sha256(folder: Path) -> str:
    repository(folder, "--object-format=sha256")
    return "SHA-256"


def _no_trees(folder: Path) -> str:
    repository(folder)
    for path in (folder / ".git" / "objects").glob("??/*"):
        path.unlink()
    return "is not here"


def _says(name: str, data: str | bytes, said: str) -> Callable[[Path], str]:
    def made(folder: Path) -> str:
        path = repository(folder) / ".git" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return said

    return made


def _special(name: str) -> Callable[[Path], str]:
    def made(folder: Path) -> str:
        path = repository(folder) / name
        if name.endswith("packed-refs"):  # which counts where there is no file of the reference's own
            (folder / ".git" / "refs" / "heads" / "main").unlink()
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        (folder / "a.py").write_text("new\n")  # so that attributes are asked for
        return "not a regular file"

    return made


def _elsewhere(folder: Path) -> str:
    git(repository(folder), "config", "core.worktree", "..")
    (folder / ".git" / "config").open("a").write("[core]\n\tworktree = ../other\n")
    return "core.worktree"


@pytest.mark.parametrize(
    "broken",
    [
        _split, _sparse, _sha256, _no_trees, _elsewhere,
        _says("config", "[core]\n\trepositoryformatversion = 2\n", "unknown format 2"),
        _says("config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnew = 1\n", "unknown extension new"),
        _says("config", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n", "reftable"),
        _says("config", "[core]\n\tbare = true\n", "core.bare"),
        _says("config", b"\0[[[", "configuration cannot be read"),
        _says("HEAD", "ref: ../../etc/passwd\n", "HEAD cannot be read"),
        _says("HEAD", "ref: refs/heads/../../../a.py\n", "HEAD cannot be read"),
        _says("refs/heads/main", "ref: refs/heads/main\n", "HEAD leads nowhere"),
        _says("refs/heads/main", "0" * 40, "is not here"),
        _says("index", b"DIRC\0\0\0\x02\xff\xff\xff\xff", "index is damaged"),
        _says("index", b"DIRC\0\0\0\x07\0\0\0\0", "unknown version"),
        _says("objects/info/alternates", "\n".join(f"x{n}" for n in range(40)), "uses more than"),
        _says("info/attributes", "*a*a*a*a*a*a*a*a*a*b text\n", "wildcards"),
        _special(".git/index"), _special(".git/HEAD"), _special(".git/config"), _special(".git/refs/heads/main"),
        _special(".git/packed-refs"), _special(".git/objects/info/alternates"), _special(".git/info/attributes"),
        _special(".gitattributes"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_in_words(broken: Callable[[Path], str], tmp_path: Path) -> None:
    said = broken(tmp_path)
    assert said in (refusal(tmp_path / "a.py") or "")
    assert "--allow-dirty" in (refusal(tmp_path / "a.py") or "")
    assert refusal(tmp_path / "a.py", dirty=True, staged=True) is None


def test_no_repository_and_one_that_is_gone(tmp_path: Path) -> None:
    assert refusal(tmp_path / "a.py") is None
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert "its .git points to no repository" in (refusal(tmp_path / "a.py") or "")
    assert refusal(tmp_path / "a.py", dirty=True) is None


def test_damaged_packs_are_said(tmp_path: Path) -> None:
    for path in (_packed(tmp_path) / ".git" / "objects" / "pack").glob("pack-*"):
        path.chmod(0o644)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2))
    assert "damaged" in (refusal(tmp_path / "a.py") or "") or "is not here" in (
        refusal(tmp_path / "a.py") or ""
    )


# -- line ends ---------------------------------------------------------------------------------------------------------

ENDS = {"lf": b"a\nb\n", "crlf": b"a\r\nb\r\n", "mixed": b"a\r\nb\n", "binary": b"a\r\n\0b\n"}
ATTRIBUTES = {
    "none": "", "text": "text", "no": "-text", "auto": "text=auto", "eolcrlf": "eol=crlf", "eollf": "text=auto eol=lf",
    "macro": "binary", "own": "ours", "old": "crlf=input",
}  # fmt: skip


@pytest.mark.parametrize("autocrlf", ["", "true", "input"])
def test_line_ends_are_judged_as_git_judges_them(autocrlf: str, tmp_path: Path) -> None:
    """Every mixture of what is stored, what lies there and what is configured. What is stored as it lies there is never dirty."""
    git(tmp_path, "init", "-q")
    rules = "".join(f"{name}-* {said}\n" for name, said in ATTRIBUTES.items() if said)
    (tmp_path / ".gitattributes").write_text("[attr]ours text=auto\n" + rules)
    if autocrlf:
        (tmp_path / "included").write_text(f"[core]\n\tautocrlf = {autocrlf}\n")
        git(tmp_path, "config", "include.path", "../included")
    blobs = {
        ends: git(tmp_path, "hash-object", "-w", "--stdin", data=data).decode().strip()
        for ends, data in ENDS.items()
    }
    cases = {
        f"{name}-{stored}-{found}.py": (stored, found)
        for name, stored, found in itertools.product(ATTRIBUTES, ENDS, ENDS)
    }
    lines = "".join(f"100644 {blobs[stored]}\t{name}\n" for name, (stored, _) in cases.items())
    git(tmp_path, "update-index", "--index-info", data=lines.encode())
    for name, (_, found) in cases.items():
        (tmp_path / name).write_bytes(ENDS[found])
    said = git(tmp_path, "status", "--porcelain", "-z", "-uno").decode().split("\0")
    changed = {line[3:] for line in said if line[1:2] == "M"}
    assert changed
    dirt = Dirt()
    ours = {
        name
        for name in cases
        if dirt.refusal(tmp_path.resolve() / name, allow_dirty=False, allow_staged=True)
    }
    assert ours == {name for name in changed if len(set(cases[name])) == 2}


# -- hostile repositories ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["config", "included", "worktree"])
def test_no_key_of_configuration_runs_a_program(where: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.mkdir()
    folder = repository(tmp_path / "folder", clean="old\n", dirty="old\n", bare="old\n", filtered="plain\n")
    (folder / ".gitattributes").write_text(
        "*.py filter=hostile diff=hostile merge=hostile\nbare.py !filter\n"
    )
    git(folder, "-c", "filter.hostile.clean=tr a-z A-Z", "add", "--renormalize", "filtered.py")
    git(folder, "commit", "-q", "-m", "filtered")
    for name in ("dirty", "bare"):
        (folder / f"{name}.py").write_text("new\n")
    config = folder / ".git" / "config"
    if where == "worktree":
        git(folder, "config", "core.repositoryformatversion", "1")
        git(folder, "config", "extensions.worktreeConfig", "true")
        (folder / ".git" / "config.worktree").write_text(hostile(canary))
    elif where == "included":
        (folder / ".git" / "more").write_text(hostile(canary))
        config.open("a").write("[include]\n\tpath = more\n")
    else:
        config.open("a").write(hostile(canary))
    for hook in (
        "post-index-change",
        "pre-commit",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-checkout",
    ):
        path = folder / ".git" / "hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {canary}/hook-{hook}\n")
        path.chmod(0o755)
    assert refusal(folder / "clean.py") is None
    assert refusal(folder / "filtered.py") is None, "its size and time are those that git has written down"
    assert "`filter` in .gitattributes" in (refusal(folder / "dirty.py") or "")
    assert "unstaged" in (refusal(folder / "bare.py") or "")
    assert list(canary.iterdir()) == []
    assert len(keys()) > 300


@pytest.mark.parametrize(
    ("key", "value"),
    [("filter.hostile.clean", "touch {canary}; cat"), ("core.fsmonitor", "touch {canary}; false")],
)
def test_git_itself_would_run_one(key: str, value: str, tmp_path: Path) -> None:
    """That the traps above can be fallen into."""
    canary = tmp_path / "canary"
    folder = repository(tmp_path / "folder")
    (folder / ".gitattributes").write_text("*.py filter=hostile\n")
    git(folder, "config", key, value.format(canary=canary))
    (folder / "a.py").write_text("new\n")  # as long as before: its content must be looked at
    assert refusal(folder / "a.py") is not None
    assert not canary.exists()
    git(folder, "status", check=False)
    assert canary.exists()


def test_nothing_is_fetched(tmp_path: Path) -> None:
    """A partial clone has git fetch what is missing, by a program of the repository's choice."""
    canary = tmp_path / "canary"
    folder = _without_blobs(tmp_path)
    git(folder, "config", "remote.origin.url", "ssh://example.invalid/x")
    git(folder, "config", "core.sshCommand", f"touch {canary}; false")
    commit = git(folder, "rev-parse", "HEAD").decode().strip()
    tree = git(folder, "rev-parse", "HEAD^{tree}").decode().strip()
    for kept in (folder / ".git" / "objects" / "pack").glob("*"):
        kept.rename(folder / kept.name)
    for pack in folder.glob("*.pack"):
        git(folder, "unpack-objects", "-q", data=pack.read_bytes())
    (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    (folder / ".git" / "objects" / "pack" / "pack-0.promisor").touch()
    assert f"tree {tree[:12]} is not here" in (refusal(folder / "a.py") or "")
    assert not canary.exists()
    git(folder, "ls-tree", commit, check=False)
    assert canary.exists(), "git would have fetched it"
