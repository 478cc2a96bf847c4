"""Where the server is unsure: the person chooses among its alternatives, by the plugin or, without it, by Neovim's own question.
And edits that take long.

The engine is scripted: the instruction "unsure A|B" leaves the choice of A or B as a new beginning of the text, "hold" goes on
until it is cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import reports
from debian import unpack
from driver import Neovim

UNSURE = "unsure # 𝔵 one |# two"
ONE, TWO = "# 𝔵 one " + reports.TEXT, "# two" + reports.TEXT
FIRST = reports.TEXT.split("\n", 1)[0]
LABELS = [
    f"Write # 𝔵 one (50%)  - {FIRST}  + # 𝔵 one {FIRST}",
    f"Write # two (25%)  - {FIRST}  + # two{FIRST}",
]


@pytest.fixture(
    scope="module", params=[("trixie", "0.10"), ("forky", "0.12")], ids=lambda version: version[1]
)
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    suite, number = request.param
    home = tmp_path_factory.mktemp("nvim")
    nvim = Neovim.start(unpack(suite, "neovim"), home, setup="scripted", linter_encoding="utf-16")
    try:
        assert nvim.lua("local v = vim.version(); return v.major .. '.' .. v.minor") == number
        yield nvim
    finally:
        nvim.end()


@pytest.fixture
def nvim(running: Neovim, tmp_path: Path) -> Neovim:
    """With a report open, and a list that keeps what it offers, whose entries are taken by `chosen`."""
    running.keys("<Esc>")
    running.command("silent! CopydeskCancel")
    running.lua("require('copydesk.options').get().preview = false; vim.g.offered = nil")
    path = tmp_path / "report.py"
    path.write_text(reports.TEXT)
    running.open(path)
    running.lua(
        "vim.ui.select = function(items, options, chosen)\n"
        "  local labels = {}\n"
        "  for index, item in ipairs(items) do labels[index] = options.format_item(item) end\n"
        "  vim.g.offered, vim.g.prompt = labels, options.prompt\n"
        "  _G.chosen = function(index) chosen(items[index], items[index] and index) end\n"
        "end"
    )
    running.said()
    return running


def ask(nvim: Neovim, instruction: str = UNSURE) -> list[str]:
    """What is offered."""
    nvim.lua("require('copydesk.edit').ask(vim.api.nvim_get_current_buf(), 1, 3, ...)", instruction)
    return nvim.until(lambda: nvim.lua("return vim.g.offered"), "the list")


def phase(nvim: Neovim) -> str | None:
    found: str | None = nvim.lua("return require('copydesk.edit').phase(0)")
    return found


def becomes(nvim: Neovim, text: str) -> None:
    nvim.until(lambda: nvim.text() == text, "the edit")


def test_a_sign_of_life_while_an_edit_is_made(nvim: Neovim) -> None:
    nvim.lua("require('copydesk.edit').ask(vim.api.nvim_get_current_buf(), 1, 3, 'hold')")

    def said() -> str:
        return "".join(piece for mark in nvim.marks("copydesk_hint") for piece, _ in mark[3]["virt_text"])

    first = nvim.until(said, "a sign of life")
    assert first.strip()[1:] == " editing (cancel: :CopydeskCancel)"
    nvim.until(lambda: said()[:3] != first[:3], "another one")
    nvim.until(lambda: "editing for 5 s" in said(), "how long it has been")
    nvim.keys(":CopydeskCancel<CR>")
    nvim.until(lambda: phase(nvim) is None, "the end")
    assert (nvim.text(), said()) == (reports.TEXT, "")


def test_something_newer_was_asked_for_the_same_lines(nvim: Neovim) -> None:
    """The server cancels the first, of which Neovim says nothing to whoever asked."""
    nvim.lua("require('copydesk.edit').ask(vim.api.nvim_get_current_buf(), 1, 3, 'hold')")
    assert phase(nvim) == "running"
    nvim.lua(
        "local compat = require('copydesk.compat'); _G.newer = {}\n"
        "compat.request(compat.client(0), 'copydesk/edit', {\n"
        "  textDocument = { uri = vim.uri_from_bufnr(0), version = compat.version(vim.api.nvim_get_current_buf()) },\n"
        "  range = { start = { line = 0, character = 0 }, ['end'] = { line = 3, character = 0 } },\n"
        "  instruction = 'something newer',\n"
        "}, function(_, result) table.insert(_G.newer, result and result.status or 'error') end, 0)"
    )
    nvim.until(lambda: phase(nvim) is None, "the end of the first")
    nvim.until(lambda: nvim.lua("return _G.newer[1]"), "the newer one's answer")
    assert nvim.lua("return _G.newer") == ["unchanged"]
    assert (nvim.text(), nvim.marks(), nvim.said()) == (reports.TEXT, [], [])


def test_one_alone_is_asked_about_in_the_singular(nvim: Neovim) -> None:
    assert len(ask(nvim, "unsure # one")) == 1
    assert nvim.lua("return vim.g.prompt") == "copydesk: did you mean this?"


def test_one_is_chosen_and_made(nvim: Neovim) -> None:
    offered = ask(nvim)
    assert [label[:50] for label in offered] == [label[:50] for label in LABELS]
    assert nvim.lua("return vim.g.prompt") == "copydesk: did you mean one of these?"
    assert (phase(nvim), nvim.text()) == ("choosing", reports.TEXT)
    assert nvim.lua("return require('copydesk').statusline()") == "copydesk: which one?"
    nvim.lua("_G.chosen(2)")
    becomes(nvim, TWO)
    assert (phase(nvim), nvim.said()) == (None, [])
    nvim.keys("u")
    becomes(nvim, reports.TEXT)


def test_one_is_chosen_and_shown(nvim: Neovim) -> None:
    nvim.lua("require('copydesk.options').get().preview = true")
    ask(nvim)
    nvim.lua("_G.chosen(1)")
    assert (phase(nvim), nvim.text()) == ("waiting", reports.TEXT)
    assert nvim.virtual() == [ONE.split("\n", 1)[0]]
    nvim.keys(":CopydeskAccept<CR>")
    becomes(nvim, ONE)
    assert nvim.marks() == []


def test_whoever_leaves_the_list_leaves_the_text(nvim: Neovim) -> None:
    ask(nvim)
    nvim.lua("_G.chosen(0)")
    assert (phase(nvim), nvim.text(), nvim.marks(), nvim.said()) == (None, reports.TEXT, [], [])
    ask(nvim)
    nvim.keys(":CopydeskCancel<CR>")
    nvim.until(lambda: phase(nvim) is None, "the end")
    nvim.lua("_G.chosen(1)")
    assert (phase(nvim), nvim.text(), nvim.said()) == (None, reports.TEXT, [])


def test_a_change_below_moves_nothing_and_one_above_moves_it(nvim: Neovim) -> None:
    ask(nvim)
    nvim.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { '# below' })")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# above' })")
    nvim.lua("_G.chosen(2)")
    becomes(nvim, "# above\n" + TWO + "# below\n")


def test_a_change_of_its_lines_ends_it(nvim: Neovim) -> None:
    ask(nvim)
    nvim.lua("vim.api.nvim_buf_set_text(0, 0, 3, 0, 10, { 'Mine' })")
    changed = nvim.text()
    nvim.lua("_G.chosen(2)")
    nvim.hears("The code changed; nothing was applied.")
    assert (phase(nvim), nvim.text()) == (None, changed)


def test_a_recipe_that_is_unsure(nvim: Neovim) -> None:
    """Through the stock menu: the action that is resolved has the plugin's command."""
    nvim.lua(
        "local recipe = ...\n"
        "local compat = require('copydesk.compat')\n"
        "local client = compat.client(0)\n"
        "client.settings = vim.tbl_deep_extend('force', client.settings or {}, { copydesk = { recipes = { recipe } } })\n"
        "client.config.settings = client.settings\n"
        "compat.notify(client, 'workspace/didChangeConfiguration', { settings = client.settings })",
        {"title": "Begin anew", "instruction": UNSURE},
    )
    nvim.lua("_G.list = vim.ui.select")

    def offered() -> bool:
        nvim.lua("vim.g.offered = nil")
        nvim.go(1)
        nvim.keys("V")
        nvim.choose("Begin anew (copydesk)", selected=True)
        nvim.lua(
            "local menu = vim.ui.select\n"
            "vim.ui.select = function(items, options, chosen)\n"
            "  (options.kind == 'codeaction' and menu or _G.list)(items, options, chosen)\n"
            "end"
        )
        found = any("Begin anew" in title for title in nvim.offered())
        if not found:
            nvim.keys("<Esc>")
        return found

    nvim.until(offered, "the recipe")
    nvim.until(lambda: nvim.lua("return vim.g.offered")[0].startswith("Write"), "the alternatives")
    assert phase(nvim) == "choosing"
    nvim.lua("_G.chosen(2)")
    becomes(nvim, TWO)
