"""copydesk in Neovim: the plugin, the real server with the embedded model, and beside it a server that owns the diagnostics.

One Neovim of each version for the whole file; every test has a file of its own. The folder they lie in is hostile: each module
that a Python could import from it is a decoy that notes when it runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

import reports
from debian import unpack
from decoys import Trap
from driver import Neovim

NUMBERS = itertools.count(1)


@dataclass(frozen=True)
class Version:
    """A Neovim, the way the plugin is set up in it, and what it agrees on with servers."""

    suite: str
    number: str
    setup: str
    encoding: str
    linter_encoding: str


VERSIONS = [
    Version("trixie", "0.10", "module", "utf-16", "utf-16"),
    Version("forky", "0.12", "enable", "utf-8", "utf-32"),
]


@pytest.fixture(scope="module", params=VERSIONS, ids=lambda version: version.number)
def running(
    request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Neovim]:
    version: Version = request.param
    nvim = Neovim.start(
        unpack(version.suite, "neovim"),
        tmp_path_factory.mktemp("nvim"),
        setup=version.setup,
        linter_encoding=version.linter_encoding,
        folder=folder,
    )
    try:
        found = nvim.lua("local v = vim.version(); return v.major .. '.' .. v.minor")
        assert found == version.number
        nvim.version = version  # type: ignore[attr-defined]
        yield nvim
    finally:
        nvim.end()


@pytest.fixture
def nvim(running: Neovim) -> Neovim:
    """As every test finds it: no edit on its way, nothing said."""
    running.keys("<Esc>")
    running.command("silent! CopydeskCancel")
    running.lua("require('copydesk.options').get().preview = false")
    running.said()
    return running


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Trap:
    return Trap(tmp_path_factory.mktemp("trap"))


@pytest.fixture(scope="module")
def folder(trap: Trap) -> Path:
    """One workspace, so that one server looks after all files."""
    return trap.folder


@pytest.fixture
def report(nvim: Neovim, folder: Path) -> Path:
    return opened(nvim, folder, reports.TEXT.encode())


def opened(nvim: Neovim, folder: Path, content: bytes) -> Path:
    path = folder / f"report{next(NUMBERS)}.py"
    path.write_bytes(content)
    nvim.open(path)
    return path


def saved(nvim: Neovim, path: Path) -> bytes:
    nvim.command("write")
    return path.read_bytes()


def becomes(nvim: Neovim, text: str) -> None:
    nvim.until(lambda: nvim.text() == text, "the edit")


def select(nvim: Neovim, lines: tuple[int, int]) -> None:
    """In visual mode, from the first line down."""
    nvim.go(lines[0])
    nvim.keys("V" + f"{lines[1] - lines[0]}j")


def ask(nvim: Neovim, lines: tuple[int, int], instruction: str) -> None:
    """`:CopydeskEdit` on a range, typed on the command line."""
    nvim.keys(f"<Esc>:{lines[0]},{lines[1]}CopydeskEdit {instruction}<CR>")


def server_of(nvim: Neovim) -> psutil.Process:
    """copydesk's process: its command, or `python -m copydesk_server`."""
    children = psutil.Process(nvim.lua("return vim.fn.getpid()")).children()
    names = ("copydesk", "copydesk_server")
    (server,) = (one for one in children if any(Path(part).name in names for part in one.cmdline()))
    return server


def wait_for(nvim: Neovim, phase: str | None) -> None:
    nvim.until(lambda: nvim.lua("return require('copydesk.edit').phase(0)") == phase, f"the phase {phase}")


# -- quick fixes ---------------------------------------------------------------------------------------------------------


def test_the_encoding_agreed_on(nvim: Neovim, report: Path) -> None:
    assert nvim.client("offset_encoding") == nvim.version.encoding  # type: ignore[attr-defined]
    status = nvim.lua(
        "local compat = require('copydesk.compat')\n"
        "return compat.request_sync(compat.client(0), 'copydesk/status', vim.empty_dict(), 60000, 0)"
    )
    assert status["result"]["positionEncoding"] == nvim.version.encoding  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "titles", "expected"),
    [
        (reports.NONE_LINE, reports.NONE_TITLES, reports.NONE_FIXED),
        (reports.UNUSED_LINE, reports.UNUSED_TITLES, reports.UNUSED_FIXED),
    ],
)
@pytest.mark.parametrize("crlf", [False, True], ids=["lf", "crlf"])
def test_a_quick_fix_of_what_another_server_found(
    nvim: Neovim, folder: Path, line: int, titles: tuple[str, ...], expected: str, crlf: bool
) -> None:
    path = opened(nvim, folder, reports.crlf(reports.TEXT) if crlf else reports.TEXT.encode())
    nvim.go(line)
    nvim.choose(*titles)
    becomes(nvim, expected)
    assert saved(nvim, path) == (reports.crlf(expected) if crlf else expected.encode())
    nvim.keys("u")
    becomes(nvim, reports.TEXT)


def test_a_fix_is_not_made_where_its_line_changed_first(nvim: Neovim, report: Path) -> None:
    """The menu is open while the person's other hand types: what was offered is for a text that is gone."""
    nvim.go(reports.NONE_LINE)
    nvim.lua(
        "vim.ui.select = function(items, _, chosen)\n"
        "  vim.api.nvim_buf_set_text(0, 22, 4, 22, 6, { 'while' })\n"
        "  vim.g.offered = #items\n"
        "  chosen(items[1], 1)\n"
        "end"
    )
    nvim.keys("<Esc><Cmd>lua vim.lsp.buf.code_action()<CR>")
    changed = reports.TEXT.replace("    if (mark", "    while (mark")
    becomes(nvim, changed)
    # Whatever was on its way has been answered once the server has answered something later.
    nvim.lua(
        "local compat = require('copydesk.compat')\n"
        "return compat.request_sync(compat.client(0), 'copydesk/status', vim.empty_dict(), 60000, 0)"
    )
    assert nvim.text() == changed


# -- edits by instruction ------------------------------------------------------------------------------------------------


def test_a_selection_and_an_instruction(nvim: Neovim, report: Path) -> None:
    select(nvim, reports.LABEL)
    nvim.keys(f":CopydeskEdit {reports.RETURNS}<CR>")
    becomes(nvim, reports.RETURNS_DONE)
    assert nvim.marks() == []
    assert saved(nvim, report) == reports.RETURNS_DONE.encode()
    nvim.keys("u")
    becomes(nvim, reports.TEXT)


def test_the_instruction_is_asked_for_and_remembered(nvim: Neovim, report: Path) -> None:
    nvim.lua(
        "local text = ...; vim.ui.input = function(options, answered) vim.g.prompt = options.prompt; answered(text) end",
        reports.HINT,
    )
    nvim.keys(f"<Esc>:{reports.LABEL[0]},{reports.LABEL[1]}CopydeskEdit<CR>")
    becomes(nvim, reports.HINT_DONE)
    assert nvim.lua("return vim.g.prompt") == "copydesk: "
    assert nvim.lua("return require('copydesk.history').items()[1]") == reports.HINT
    assert nvim.lua("return vim.fn.histget('input', -1)") == reports.HINT


def test_the_code_action_asks_too(nvim: Neovim, report: Path) -> None:
    nvim.lua("local text = ...; vim.ui.input = function(_, answered) answered(text) end", reports.RETURNS)
    select(nvim, reports.LABEL)
    nvim.choose("Edit with instruction…", selected=True)
    becomes(nvim, reports.RETURNS_DONE)


def test_a_recipe(nvim: Neovim, report: Path) -> None:
    """From the settings, through the stock menu."""
    recipe = {"title": "Annotate", "instruction": reports.RETURNS}
    nvim.lua(
        "local recipe = ...\n"
        "local compat = require('copydesk.compat')\n"
        "local client = compat.client(0)\n"
        "client.settings = vim.tbl_deep_extend('force', client.settings or {}, { copydesk = { recipes = { recipe } } })\n"
        "client.config.settings = client.settings\n"
        "compat.notify(client, 'workspace/didChangeConfiguration', { settings = client.settings })",
        recipe,
    )

    def offered() -> bool:
        select(nvim, reports.LABEL)
        nvim.choose("Annotate (copydesk)", selected=True)
        # Where there are several servers, some Neovims add whose action it is.
        found = any("Annotate (copydesk)" in title for title in nvim.offered())
        if not found:
            nvim.keys("<Esc>")
        return found

    nvim.until(offered, "the recipe")
    becomes(nvim, reports.RETURNS_DONE)


def test_crlf(nvim: Neovim, folder: Path) -> None:
    path = opened(nvim, folder, reports.crlf(reports.TEXT))
    ask(nvim, reports.LABEL, reports.RETURNS)
    becomes(nvim, reports.RETURNS_DONE)
    assert saved(nvim, path) == reports.crlf(reports.RETURNS_DONE)


def test_a_rename_goes_through_its_references(nvim: Neovim, report: Path) -> None:
    uses = report.parent / f"uses_{report.stem}.py"
    uses.write_text(f"from {report.stem} import label\n\nprint(label(1))\n")
    nvim.go(reports.LABEL[0], 4)
    nvim.lua("vim.lsp.buf.rename('named')")
    becomes(nvim, reports.TEXT.replace("def label(", "def named("))
    nvim.command("wall")
    assert uses.read_text() == f"from {report.stem} import named\n\nprint(named(1))\n"


# -- the preview ---------------------------------------------------------------------------------------------------------


def test_accept(nvim: Neovim, report: Path) -> None:
    nvim.lua("require('copydesk.options').get().preview = true")
    ask(nvim, reports.LABEL, reports.RETURNS)
    wait_for(nvim, "waiting")
    assert nvim.text() == reports.TEXT, "nothing is written before it is accepted"
    assert nvim.virtual() == ['def label(value, mark="😀") -> str:']
    assert [mark for mark in nvim.marks() if mark[3].get("hl_group") == "CopydeskDelete"] == []
    (virtual,) = [line for mark in nvim.marks() for line in mark[3].get("virt_lines", [])]
    assert [text for text, group in virtual if group == "CopydeskAdd"] == [" -> str"]
    assert nvim.lua("return require('copydesk').statusline()") == "copydesk: accept?"
    assert hints(nvim) == ["accept: :CopydeskAccept  reject: :CopydeskReject"]
    nvim.keys("<Esc>ggO# above<Esc>")
    nvim.keys(":CopydeskAccept<CR>")
    becomes(nvim, "# above\n" + reports.RETURNS_DONE)
    assert nvim.marks() == []
    nvim.keys("u")
    becomes(nvim, "# above\n" + reports.TEXT)


def hints(nvim: Neovim) -> list[str]:
    """The words behind the lines of an edit."""
    return [
        "".join(piece for piece, _ in mark[3]["virt_text"]).strip() for mark in nvim.marks("copydesk_hint")
    ]


def test_reject(nvim: Neovim, report: Path) -> None:
    nvim.lua("require('copydesk.options').get().preview = true")
    nvim.lua("vim.keymap.set('n', '<F9>', '<Plug>(copydesk-reject)', { buffer = true })")
    ask(nvim, reports.LABEL, reports.RETURNS)
    wait_for(nvim, "waiting")
    assert hints(nvim) == ["accept: :CopydeskAccept  reject: <F9>"]
    nvim.keys("<F9>")
    wait_for(nvim, None)
    assert (nvim.text(), nvim.marks(), hints(nvim)) == (reports.TEXT, [], [])
    assert nvim.lua("return vim.bo.modified") is False


def test_a_change_of_its_lines_ends_the_waiting(nvim: Neovim, report: Path) -> None:
    nvim.lua("require('copydesk.options').get().preview = true")
    ask(nvim, reports.LABEL, reports.RETURNS)
    wait_for(nvim, "waiting")
    nvim.keys(f"<Esc>{reports.LABEL[0]}GA # mine<Esc>")
    nvim.hears("The code changed; nothing was applied.")
    wait_for(nvim, None)
    assert nvim.marks() == []
    nvim.keys(":CopydeskAccept<CR>")
    nvim.hears("nothing to accept")
    assert nvim.text() == reports.TEXT.replace('mark="😀"):', 'mark="😀"): # mine')


def test_what_was_shown_is_taken_back_when_nothing_comes_of_it(nvim: Neovim, report: Path) -> None:
    watched(nvim)
    ask(nvim, reports.LABEL, reports.REFUSED)
    nvim.hears("changed nothing: ")
    seen, shown = nvim.lua("return { vim.g.seen, vim.g.shown }")
    assert seen[-1] == "retract"
    assert shown[seen.index("hunk")] > 0, "the hunks were shown"
    assert shown[-1] == 0, "and taken back when the server said so"
    assert (nvim.text(), nvim.marks()) == (reports.TEXT, [])


def watched(nvim: Neovim) -> None:
    """Keeps what the server notified, and how many marks there were after each."""
    nvim.lua(
        "vim.g.seen, vim.g.shown = {}, {}\n"
        "for _, name in ipairs({ 'hunk', 'retract' }) do\n"
        "  vim.lsp.handlers['copydesk/' .. name] = function(_, params)\n"
        "    require('copydesk.edit')[name](params)\n"
        "    local marks = vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().copydesk_preview, 0, -1, {})\n"
        "    local seen, shown = vim.g.seen, vim.g.shown\n"
        "    seen[#seen + 1], shown[#shown + 1] = name, #marks\n"
        "    vim.g.seen, vim.g.shown = seen, shown\n"
        "  end\n"
        "end"
    )


# -- in the middle -------------------------------------------------------------------------------------------------------


def at_the_first_hunk(nvim: Neovim, action: str) -> None:
    """Runs a piece of Lua in the very turn in which the first hunk comes."""
    nvim.lua(
        "local action = assert(loadstring(...)); vim.g.acted = 0\n"
        "vim.lsp.handlers['copydesk/hunk'] = function(_, params)\n"
        "  require('copydesk.edit').hunk(params)\n"
        "  if vim.g.acted == 0 then vim.g.acted = 1; action() end\n"
        "end",
        action,
    )


def test_cancel_in_the_middle(nvim: Neovim, report: Path) -> None:
    at_the_first_hunk(
        nvim,
        "vim.g.before = #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_get_namespaces().copydesk_preview, 0, -1, {})\n"
        "vim.cmd('CopydeskCancel')",
    )
    ask(nvim, reports.LABEL, reports.RETURNS)
    nvim.until(lambda: nvim.lua("return vim.g.acted") == 1, "the first hunk")
    assert nvim.lua("return vim.g.before") > 0
    assert nvim.lua("return require('copydesk.edit').phase(0)") is None
    assert nvim.marks() == []
    # The next edit is served, and the one that was cancelled has left nothing behind.
    ask(nvim, reports.LABEL, reports.HINT)
    becomes(nvim, reports.HINT_DONE)
    nvim.keys("u")
    becomes(nvim, reports.TEXT)


def test_an_answer_that_was_on_its_way_when_it_was_cancelled(nvim: Neovim, report: Path) -> None:
    at_the_first_hunk(nvim, "vim.cmd('CopydeskCancel')")
    nvim.lua(
        "local compat = require('copydesk.compat'); _G.kept = { compat.request, compat.cancel }; _G.answers = {}\n"
        "compat.cancel = function() end\n"
        "compat.request = function(client, method, params, handler, buf)\n"
        "  return _G.kept[1](client, method, params, function(err, result)\n"
        "    handler(err, result)\n"
        "    table.insert(_G.answers, result and result.status or 'error')\n"
        "  end, buf)\n"
        "end"
    )
    try:
        ask(nvim, reports.LABEL, reports.RETURNS)
        nvim.until(lambda: nvim.lua("return #_G.answers > 0"), "the answer")
        assert nvim.lua("return _G.answers") == ["edited"]
        assert (nvim.text(), nvim.marks(), nvim.said()) == (reports.TEXT, [], [])
    finally:
        nvim.lua("local c = require('copydesk.compat'); c.request, c.cancel = _G.kept[1], _G.kept[2]")


def test_typed_elsewhere_during_an_edit(nvim: Neovim, report: Path) -> None:
    at_the_first_hunk(nvim, "vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# 😀 above', '' })")
    ask(nvim, reports.LABEL, reports.RETURNS)
    becomes(nvim, "# 😀 above\n\n" + reports.RETURNS_DONE)
    nvim.keys("u")
    becomes(nvim, "# 😀 above\n\n" + reports.TEXT)
    assert nvim.said() == []


def test_typed_in_its_lines_during_an_edit(nvim: Neovim, report: Path) -> None:
    at_the_first_hunk(nvim, "vim.api.nvim_buf_set_text(0, 24, 4, 24, 10, { 'yield' })")
    ask(nvim, reports.LABEL, reports.RETURNS)
    nvim.hears("The code changed; nothing was applied.")
    assert nvim.text() == reports.TEXT.replace("return mark +", "yield mark +")
    assert nvim.marks() == []


def test_typed_between_the_question_and_the_answer(nvim: Neovim, report: Path) -> None:
    """The lines move while the person words the instruction; where they change, there is nothing to ask."""
    nvim.lua("vim.ui.input = function(_, answered) vim.g.asked = 1; _G.answered = answered end")
    nvim.keys(f"<Esc>:{reports.LABEL[0]},{reports.LABEL[1]}CopydeskEdit<CR>")
    nvim.until(lambda: nvim.lua("return vim.g.asked") == 1, "the question")
    nvim.keys("ggO# above<Esc>")
    nvim.until(lambda: nvim.text().startswith("# above\n"), "the line")
    nvim.lua("_G.answered(...)", reports.RETURNS)
    becomes(nvim, "# above\n" + reports.RETURNS_DONE)
    nvim.lua("vim.g.asked = 0")
    nvim.keys(f"<Esc>:{reports.LABEL[0] + 1},{reports.LABEL[1] + 1}CopydeskEdit<CR>")
    nvim.until(lambda: nvim.lua("return vim.g.asked") == 1, "the question")
    nvim.keys(f"{reports.LABEL[1] + 1}GA  # mine<Esc>")
    nvim.until(lambda: nvim.text().endswith("# mine\n"), "the comment")
    nvim.lua("_G.answered(...)", reports.HINT)
    nvim.hears("The code changed; nothing was applied.")


def test_one_undo_block_while_typing(nvim: Neovim, report: Path) -> None:
    """The person is in insert mode, above: what was typed before and after the edit are blocks of their own."""
    at_the_first_hunk(nvim, "")
    nvim.keys("<Esc>ggOone ")
    nvim.until(lambda: nvim.text().startswith("one "), "what was typed")
    line = reports.LABEL[0] + 1, reports.LABEL[1] + 1
    nvim.keys(f"<Cmd>{line[0]},{line[1]}CopydeskEdit {reports.RETURNS}<CR>")
    becomes(nvim, "one \n" + reports.RETURNS_DONE)
    nvim.keys("two<Esc>")
    becomes(nvim, "one two\n" + reports.RETURNS_DONE)
    nvim.keys("u")
    becomes(nvim, "one \n" + reports.RETURNS_DONE)
    nvim.keys("u")
    becomes(nvim, "one \n" + reports.TEXT)
    nvim.keys("u")
    becomes(nvim, reports.TEXT)


def test_nothing_of_the_folder_was_imported(nvim: Neovim, report: Path, trap: Trap) -> None:
    """By the server and its engine, which work here too; the tests above have asked them for all they can do."""
    ask(nvim, reports.LABEL, reports.RETURNS)
    becomes(nvim, reports.RETURNS_DONE)
    assert nvim.lua("return vim.fn.getcwd()") == str(trap.folder.resolve())
    assert trap.ran() == []


def test_a_server_that_ends_in_the_middle(nvim: Neovim, report: Path) -> None:
    """Last in this file: the server has to be started again. It stands still meanwhile, lest the answer come before the end."""
    server = server_of(nvim)
    server.suspend()
    nvim.lua(
        "local first, last, instruction = ...; local compat = require('copydesk.compat')\n"
        "vim.cmd(('%d,%dCopydeskEdit %s'):format(first, last, instruction))\n"
        "compat.stop(compat.client(0), true)",
        *reports.LABEL,
        reports.RETURNS,
    )
    server.kill()
    nvim.hears("the server has ended")
    assert (nvim.text(), nvim.marks()) == (reports.TEXT, [])
    wait_for(nvim, None)
    ask(nvim, reports.LABEL, reports.RETURNS)
    nvim.hears("no server looks after this buffer")
    nvim.command("CopydeskRestart")
    nvim.until(lambda: nvim.client("id"), "another server")
    ask(nvim, reports.LABEL, reports.RETURNS)
    becomes(nvim, reports.RETURNS_DONE)
