"""All fixes of one kind in all files of a folder, from Neovim's stock menu: nothing changes before the person agrees. 0.12 asks
by itself, with 0.10 the server does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from debian import unpack
from driver import Neovim

FILES = {
    "one.py": "import os\nimport sys\n\nprint(sys.argv)\n",
    "two.py": "import os, re\n\nprint(re, '𝒳')\n",
    "three.py": "import os  # noqa: F401\n",
    "pyproject.toml": "",
}
FIXED = {
    **FILES,
    "one.py": "import sys\n\nprint(sys.argv)\n",
    "two.py": "import re\n\nprint(re, '𝒳')\n",
}


@pytest.fixture(params=[("trixie", "0.10"), ("forky", "0.12")], ids=lambda version: version[1])
def nvim(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Neovim]:
    """With the first file open. `vim.g.agrees` is what the person says."""
    suite, _ = request.param
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    # The scripted engine fixes no finding, and what it says of one in advance ends what a menu offers.
    nvim = Neovim.start(
        unpack(suite, "neovim"), tmp_path, setup="scripted", linter_encoding="utf-16", precompute=False
    )
    nvim.lua(
        "vim.g.questions = {}\n"
        "vim.fn.confirm = function(question)\n"
        "  local asked = vim.g.questions\n"
        "  asked[#asked + 1] = question\n"
        "  vim.g.questions = asked\n"
        "  return vim.g.agrees and 1 or 2\n"
        "end"
    )
    try:
        nvim.open(folder / "one.py")
        yield nvim
    finally:
        nvim.end()


def asked(nvim: Neovim, *, agrees: bool) -> None:
    """Take the action from the menu, and answer what is asked then."""
    nvim.lua("vim.g.agrees = ...", agrees)
    menus: list[list[str]] = []

    def offered() -> bool:
        nvim.go(1, 7)
        nvim.choose("Fix all in the workspace", "Apply" if agrees else "Cancel")
        menus.append(nvim.offered())
        return any("in the workspace" in title for title in menus[-1])

    nvim.until(offered, "the action", menus)


def answered(nvim: Neovim) -> bool:
    """Whether the person was asked, in either way."""
    menu = nvim.lua("return vim.g.asked") or []
    return bool(nvim.lua("return #vim.g.questions > 0")) or "Apply" in menu


def test_the_person_agrees(nvim: Neovim, tmp_path: Path) -> None:
    asked(nvim, agrees=True)
    nvim.until(lambda: nvim.text() == FIXED["one.py"], "the edit")
    assert answered(nvim)
    nvim.command("wall")
    folder = tmp_path / "folder"
    nvim.until(lambda: (folder / "two.py").read_text(encoding="utf-8") == FIXED["two.py"], "the other file")
    assert {name: (folder / name).read_text(encoding="utf-8") for name in FILES} == FIXED


def test_the_person_does_not(nvim: Neovim, tmp_path: Path) -> None:
    asked(nvim, agrees=False)
    nvim.until(lambda: answered(nvim), "the question")
    nvim.states()  # what was under way is over
    nvim.command("wall")
    folder = tmp_path / "folder"
    assert {name: (folder / name).read_text(encoding="utf-8") for name in FILES} == FILES
