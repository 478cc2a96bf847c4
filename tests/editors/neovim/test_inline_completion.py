"""Ghost text in Neovim 0.12: the plugin with the setting on, the real server with the embedded model and its own linter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from debian import unpack
from driver import ROOT, Neovim

TEXT = '''"""Reports 😀."""


def label(value):
    if value == "😀":
        return 1
    return valeu
'''
HEADER = 5
"""1-based: the line whose colon goes."""
SHOWN = "nvim.lsp.inline_completion"


@pytest.fixture(scope="module")
def nvim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    home = tmp_path_factory.mktemp("nvim")
    started = Neovim.start(unpack("forky", "neovim"), home, setup="stock", linter_encoding="utf-16")
    try:
        started.lua(
            "vim.opt.runtimepath:prepend(...)\n"
            "vim.cmd('runtime plugin/copydesk.lua')\n"
            "require('copydesk').setup({\n"
            "  cmd = { vim.env.COPYDESK_COMMAND, 'lsp' },\n"
            "  settings = { inlineCompletions = true, lint = 'on' },\n"
            "})\n"
            "vim.keymap.set('i', '<C-f>', vim.lsp.inline_completion.get)",
            str(ROOT / "nvim-client"),
        )
        yield started
    finally:
        started.end()


@pytest.fixture
def label(nvim: Neovim, tmp_path: Path) -> Path:
    nvim.keys("<Esc>")
    path = tmp_path / "label.py"
    path.write_text(TEXT)
    nvim.open(path)
    return path


def shown(nvim: Neovim) -> str:
    """The ghost text of the buffer."""
    return "".join(piece for mark in nvim.marks(SHOWN) for piece, _ in mark[3].get("virt_text", []))


def counts(nvim: Neovim) -> dict[str, int]:
    answer = nvim.lua(
        "local compat = require('copydesk.compat')\n"
        "return compat.request_sync(compat.client(0), 'copydesk/status', vim.empty_dict(), 60000, 0)"
    )
    return answer["result"]["inlineCompletions"]  # type: ignore[no-any-return]


def test_a_colon_that_was_forgotten_is_shown_and_accepted(nvim: Neovim, label: Path) -> None:
    before = counts(nvim)
    nvim.go(HEADER)
    nvim.keys("A<BS>")  # the editor asks now, before any tool has spoken
    nvim.until(lambda: shown(nvim) == ":", "the colon as ghost text")
    assert nvim.text() == TEXT.replace('"😀":\n', '"😀"\n'), "nothing is written before it is accepted"
    nvim.keys("<C-f>")
    nvim.until(lambda: nvim.text() == TEXT, "the colon")
    after = {"shown": before["shown"] + 1, "accepted": before["accepted"] + 1}
    nvim.until(lambda: counts(nvim) == after, "what is counted")


def test_behind_the_cursor(nvim: Neovim, label: Path) -> None:
    nvim.go(HEADER)
    nvim.keys("A<BS><Esc>Ix<BS>")
    nvim.until(lambda: shown(nvim) == ":", "the colon as ghost text")
    ((_, row, column, _),) = nvim.marks(SHOWN)
    assert (row, column) == (HEADER - 1, len('    if value == "😀"'.encode()))
    nvim.keys("<C-f>")
    nvim.until(lambda: nvim.text() == TEXT, "the colon")


def test_nothing_is_shown_elsewhere(nvim: Neovim, label: Path) -> None:
    nvim.go(HEADER)
    nvim.keys("A<BS>")
    nvim.until(lambda: shown(nvim) == ":", "the colon as ghost text")
    nvim.keys("<Down>")
    nvim.until(lambda: shown(nvim) == "", "no ghost text")
    assert not nvim.lua("return vim.lsp.inline_completion.get()")
