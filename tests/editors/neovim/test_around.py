"""What is round an edit: the program view, status, restart, health and help; what the server is told; which file is run.

In the newest Neovim alone, but for what every version must do.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import reports
from debian import unpack
from decoys import Trap
from driver import ROOT, Neovim
from lsp_client import LspClient
from lsp_desk import applied

CLIENT = ROOT / "nvim-client"
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    home = tmp_path_factory.mktemp("nvim")
    nvim = Neovim.start(unpack("forky", "neovim"), home, setup="setup", linter_encoding="utf-16")
    try:
        yield nvim
    finally:
        nvim.end()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture
def nvim(running: Neovim, folder: Path) -> Neovim:
    running.keys("<Esc>")
    running.command("silent! only!")
    path = folder / f"report{next(NUMBERS)}.py"
    path.write_bytes(reports.TEXT.encode())
    running.open(path)
    running.said()
    return running


def edited(nvim: Neovim) -> None:
    nvim.command(f"{reports.LABEL[0]},{reports.LABEL[1]}CopydeskEdit {reports.RETURNS}")
    nvim.until(lambda: nvim.text() == reports.RETURNS_DONE, "the edit")


def test_the_program_and_where_its_lines_come_from(nvim: Neovim) -> None:
    edited(nvim)
    nvim.command("CopydeskProgram")
    nvim.until(lambda: nvim.lua("return vim.api.nvim_buf_get_name(0)") == "copydesk://program", "the view")
    lines = nvim.text().split("\n")
    assert re.fullmatch(r" *1 = copy 1-21 +│ \"\"\"Reports 😀\.\"\"\"", lines[0]), "the text comes first"
    assert any(re.fullmatch(r" *⋮ copy 1-21 +│ \d+ lines", line) for line in lines)
    assert re.match(r".*report\d+\.py: edited, checked", lines[-2])
    (new,) = [line for line in lines if " ~ " in line]
    assert re.fullmatch(r"22 ~ sub 22 +│ def label\(value, mark=\"😀\"\) -> str:", new)
    assert any(re.fullmatch(r"21 = copy 1-21 +│ ", line) for line in lines)
    assert '<copy lines="1-21"/>' in lines
    marks = nvim.marks("copydesk_program")
    row = lines.index(new)
    shown = [
        new.encode()[m[2] : m[3]["end_col"]]
        for m in marks
        if m[1] == row and "Substituted" in m[3]["hl_group"]
    ]
    assert shown == [b") -> str"]
    assert nvim.lua("return vim.bo.modifiable") is False
    nvim.keys("q")
    nvim.until(lambda: nvim.text() == reports.RETURNS_DONE, "the file")


def test_a_fix_from_the_menu_has_its_program_too(nvim: Neovim) -> None:
    nvim.go(reports.UNUSED_LINE)
    nvim.choose(*reports.UNUSED_TITLES)
    nvim.until(lambda: nvim.text() == reports.UNUSED_FIXED, "the fix")
    # Asking sends the change first.
    nvim.command("CopydeskProgram")
    nvim.until(lambda: '<copy lines="5-25"/>' in nvim.text(), "the view")


def test_who_has_no_linter_gets_one(tmp_path: Path) -> None:
    """The first file of somebody who has installed copydesk and nothing else."""
    alone = Neovim.start(unpack("forky", "neovim"), tmp_path, setup="setup", linter_encoding="utf-16")
    try:
        alone.lua(
            "vim.api.nvim_clear_autocmds({ event = 'FileType', pattern = 'python' })"
        )  # no other linter
        path = tmp_path / "first.py"
        path.write_bytes(reports.TEXT.encode())
        alone.open(path)
        assert alone.lua("return vim.diagnostic.get(0)[1].source") == "copydesk-ruff"
        alone.go(reports.UNUSED_LINE)
        alone.choose(*reports.UNUSED_TITLES)
        alone.until(lambda: alone.text() == reports.UNUSED_FIXED, "the fix")
    finally:
        alone.end()


def test_status(nvim: Neovim) -> None:
    edited(nvim)
    nvim.command("CopydeskStatus")
    floating = (
        "for _, window in ipairs(vim.api.nvim_list_wins()) do\n"
        "  if vim.api.nvim_win_get_config(window).relative ~= '' then\n"
        "    return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)\n"
        "  end\n"
        "end"
    )
    told = nvim.until(lambda: nvim.lua(floating), "the figures")
    assert "state: ready" in told
    assert "positionEncoding: utf-8" in told
    assert nvim.lua("return require('copydesk').statusline()") == "copydesk"
    nvim.command("enew")
    assert nvim.lua("return require('copydesk').statusline()") == ""


def test_restart(nvim: Neovim) -> None:
    before = nvim.client("id")
    nvim.command("CopydeskRestart")
    nvim.until(lambda: nvim.client("id") not in (None, before), "another server")
    edited(nvim)


@pytest.mark.parametrize("code", [0, 2])
def test_the_model_is_fetched_by_the_servers_own_command(nvim: Neovim, tmp_path: Path, code: int) -> None:
    program, asked = tmp_path / "copydesk", tmp_path / "asked"
    program.write_text(
        f"#!/bin/sh\necho \"$@\" > {asked}\necho 'downloading 40%' >&2\n"
        f"[ {code} = 0 ] || echo 'copydesk: the disk is full' >&2\nexit {code}\n"
    )
    program.chmod(0o755)
    nvim.lua(
        "local o = require('copydesk.options').get(); _G.kept = o.cmd; o.cmd = { ..., 'lsp' }", str(program)
    )
    before = nvim.client("id")
    try:
        nvim.command("CopydeskModel")
        nvim.hears("the model is there" if code == 0 else "the model could not be fetched: the disk is full")
    finally:
        nvim.lua("require('copydesk.options').get().cmd = _G.kept")
    assert asked.read_text() == "model get standard\n"
    if code == 0:
        nvim.until(lambda: nvim.client("id") not in (None, before), "another server")
        edited(nvim)
    else:
        assert nvim.client("id") == before


def test_health(nvim: Neovim) -> None:
    edited(nvim)
    nvim.command("checkhealth copydesk")
    report = nvim.text()
    assert "ERROR" not in report
    assert "the server is " in report
    assert re.search(r"OK copydesk \d+\.\d+", report)
    assert re.search(r"OK the server of .* answers", report)
    assert re.search(r"OK the model \S+ is ready on the cpu in ", report)
    assert re.search(r"WARNING a better model can be had: .*CopydeskModel", report)


def test_health_without_a_server_to_run(nvim: Neovim) -> None:
    nvim.lua(
        "local o = require('copydesk.options').get(); _G.kept = o.cmd; o.cmd = { 'copydesk-that-is-not', 'lsp' }"
    )
    try:
        nvim.command("checkhealth copydesk")
        assert "copydesk-that-is-not is not on PATH" in nvim.text()
        assert "ERROR" in nvim.text()
    finally:
        nvim.lua("require('copydesk.options').get().cmd = _G.kept")


def test_help(nvim: Neovim, tmp_path: Path) -> None:
    """Every tag is unique and can be jumped to, every command and option is described, every link leads somewhere."""
    text = (CLIENT / "doc/copydesk.txt").read_text()
    copy = tmp_path / "doc"
    copy.mkdir()
    (copy / "copydesk.txt").write_text(text)
    nvim.command(f"helptags {copy}")  # fails where a tag is there twice
    tags = {line.split("\t")[0] for line in (copy / "tags").read_text().split("\n") if line}
    assert set(re.findall(r"(?<!\S)\|([^|\s]+)\|", text)) <= tags | {
        "vim.lsp.buf.rename()",
        "vim.lsp.enable()",
        "vim.ui.input()",
        "vim.ui.select()",
        "lsp-attach",
    }
    commands = re.findall(r'command\("(\w+)"', (CLIENT / "plugin/copydesk.lua").read_text())
    assert {f":{name}" for name in commands} <= tags
    options = nvim.lua("return vim.tbl_keys(require('copydesk.options').get())")
    assert {f"copydesk-{name}" for name in options} <= tags
    assert [line for line in text.split("\n") if len(line) > 79] == []
    nvim.lua("vim.opt.runtimepath:append(...)", str(tmp_path))
    assert ":CopydeskEdit" in nvim.lua("return vim.fn.getcompletion(':Copydesk', 'help')")


# -- what is shown -------------------------------------------------------------------------------------------------------


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "newText": text}


def new_words(lines: Any) -> list[str]:
    return [
        "".join(f"[{text}]" if group == "CopydeskAdd" else text for text, group in line) for line in lines
    ]


@pytest.mark.parametrize(
    ("edits", "comes", "goes"),
    [
        ([edit((1, 0), (1, 0), "new\n\tmore\n")], (1, True, ["[new]", "[    more]"]), []),
        ([edit((1, 0), (1, 0), "new\r\n")], (1, True, ["[new]"]), []),
        ([edit((3, 0), (3, 0), "end\n")], (2, False, ["[end]"]), []),
        ([edit((1, 0), (2, 0), "")], None, ["b 😀 = 2"]),
        ([edit((1, 0), (2, 0), "c = 3\n")], (1, False, ["[c] = [3]"]), ["b 😀", "2"]),
        ([edit((1, 7), (1, 8), "3")], (1, False, ["b 😀 = [3]"]), ["2"]),
        ([edit((1, 0), (1, 1), "c"), edit((1, 7), (1, 8), "3")], (1, False, ["[c] 😀 = [3]"]), ["b", "2"]),
        ([edit((0, 4), (1, 0), "1\n\n")], (1, True, ["[]"]), []),
        ([edit((1, 0), (1, 0), "x ")], (1, False, ["[x ]b 😀 = 2"]), []),
        ([edit((0, 5), (1, 0), "")], (1, False, ["a = [1b] 😀 = 2"]), ["1", "b"]),
        ([edit((2, 4), (2, 5), "\x1b[31m")], (2, False, ["c = [^[[31m]"]), ["3"]),
    ],
)
def test_a_preview(nvim: Neovim, edits: Any, comes: Any, goes: list[str]) -> None:
    """Where new lines stand (row, above it or below), their new words in brackets, and which words go; positions are UTF-16."""
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'a = 1', 'b 😀 = 2', 'c = 3' })")
    nvim.lua("require('copydesk.preview').show(vim.api.nvim_get_current_buf(), ..., 'utf-16')", edits)
    marks = nvim.marks()
    lines = [mark for mark in marks if "virt_lines" in mark[3]]
    if comes is None:
        assert lines == []
    else:
        ((_, row, _, details),) = lines
        assert (row, bool(details.get("virt_lines_above")), new_words(details["virt_lines"])) == comes
    text = nvim.text().encode()
    starts = [0, *(match.end() for match in re.finditer(rb"\n", text))]
    gone = [
        text[starts[row] + column : starts[details["end_row"]] + details["end_col"]].decode()
        for _, row, column, details in marks
        if details.get("hl_group") == "CopydeskDelete"
    ]
    assert gone == goes
    nvim.lua("require('copydesk.preview').clear(vim.api.nvim_get_current_buf())")
    assert nvim.marks() == []


def test_no_function_is_newer_than_the_floor(nvim: Neovim) -> None:
    """Neovim 0.8 is API level 10. What the plugin asks for by name has been there since then."""
    since = {one["name"]: one["since"] for one in nvim.lua("return vim.fn.api_info().functions")}
    used = {name for path in CLIENT.rglob("*.lua") for name in re.findall(r"\bnvim_\w+", path.read_text())}
    assert len(used) > 20
    assert {name: since.get(name) for name in used if since.get(name, 99) > 10} == {}


# -- what the server is told ---------------------------------------------------------------------------------------------


def heard(nvim: Neovim) -> None:
    """Keeps what is notified."""
    nvim.lua(
        "_G.heard = {}; local compat = require('copydesk.compat'); local notify = compat.notify\n"
        "compat.notify = function(client, method, params)\n"
        "  table.insert(_G.heard, { method, params })\n"
        "  return notify(client, method, params)\n"
        "end"
    )


def notified(nvim: Neovim, method: str) -> list[Any]:
    return [params for name, params in nvim.lua("return _G.heard") if name == method]


def test_what_is_in_sight(nvim: Neovim) -> None:
    heard(nvim)
    nvim.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, vim.fn['repeat']({ '# more' }, 500))")
    nvim.keys("<Esc>G<Cmd>redraw<CR>")
    bottom = nvim.lua("return vim.api.nvim_buf_line_count(0)")

    def seen() -> bool:
        told = notified(nvim, "copydesk/visibleRanges")
        return bool(told) and told[-1]["ranges"][0]["end"]["line"] == bottom

    nvim.until(seen, "the last lines")
    (told,) = notified(nvim, "copydesk/visibleRanges")[-1]["ranges"]
    assert 0 < bottom - told["start"]["line"] < 100


def test_findings_of_all_sources_in_the_servers_units(nvim: Neovim) -> None:
    heard(nvim)
    nvim.lua(
        "local space = vim.api.nvim_create_namespace('by hand')\n"
        "vim.diagnostic.set(space, 0, { { lnum = 22, col = 60, end_lnum = 22, end_col = 72, message = 'mine',\n"
        "  severity = 1, source = 'hand', code = 7 } })"
    )

    def told() -> Any:
        sent = notified(nvim, "copydesk/diagnostics")
        return [d for d in sent[-1]["diagnostics"] if d["message"] == "mine"] if sent else []

    (mine,) = nvim.until(told, "the finding")
    assert mine == {
        "range": {"start": {"line": 22, "character": 60}, "end": {"line": 22, "character": 72}},
        "message": "mine",
        "severity": 1,
        "source": "hand",
        "code": 7,
    }
    assert {d["source"] for d in notified(nvim, "copydesk/diagnostics")[-1]["diagnostics"]} == {
        "Ruff",
        "hand",
    }
    line = reports.TEXT.split("\n")[22]
    head = line.encode()[:60].decode()
    for encoding, character in (("utf-32", len(head)), ("utf-16", len(head.encode("utf-16-le")) // 2)):
        (converted,) = nvim.lua(
            "local found = vim.diagnostic.get(0, { namespace = vim.api.nvim_create_namespace('by hand') })\n"
            "local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)\n"
            "return require('copydesk.diagnostics').as_lsp(found, lines, ...)",
            encoding,
        )
        assert converted["range"]["start"] == {"line": 22, "character": character}
    nvim.lua("vim.diagnostic.reset(vim.api.nvim_create_namespace('by hand'), 0)")


# -- an answer for another version ---------------------------------------------------------------------------------------


def answered_for_another(nvim: Neovim, times: int) -> None:
    nvim.lua(
        "_G.asked = 0; local times = ...; local compat = require('copydesk.compat'); _G.request = compat.request\n"
        "compat.request = function(client, method, params, handler, buf)\n"
        "  return _G.request(client, method, params, function(err, result)\n"
        "    _G.asked = _G.asked + 1\n"
        "    if result and _G.asked <= times then\n"
        "      result.version = result.version + 1000\n"
        "      result.edit.documentChanges[1].textDocument.version = result.version\n"
        "    end\n"
        "    handler(err, result)\n"
        "  end, buf)\n"
        "end",
        times,
    )


@pytest.mark.parametrize(("times", "done"), [(1, True), (9, False)])
def test_it_is_asked_once_more(nvim: Neovim, times: int, done: bool) -> None:
    answered_for_another(nvim, times)
    try:
        nvim.command(f"{reports.LABEL[0]},{reports.LABEL[1]}CopydeskEdit {reports.RETURNS}")
        if done:
            nvim.until(lambda: nvim.text() == reports.RETURNS_DONE, "the edit")
        else:
            nvim.hears("The code changed; nothing was applied.")
            assert nvim.text() == reports.TEXT
        assert nvim.lua("return _G.asked") == 2
    finally:
        nvim.lua("require('copydesk.compat').request = _G.request")


def test_an_edit_outside_of_its_lines_is_never_made(nvim: Neovim) -> None:
    nvim.lua(
        "local compat = require('copydesk.compat'); _G.request = compat.request\n"
        "compat.request = function(client, method, params, handler, buf)\n"
        "  return _G.request(client, method, params, function(err, result)\n"
        "    result.edit.documentChanges[1].edits[1].range.start.line = 0\n"
        "    handler(err, result)\n"
        "  end, buf)\n"
        "end"
    )
    try:
        nvim.command(f"{reports.LABEL[0]},{reports.LABEL[1]}CopydeskEdit {reports.RETURNS}")
        nvim.hears("The code changed; nothing was applied.")
        assert nvim.text() == reports.TEXT
    finally:
        nvim.lua("require('copydesk.compat').request = _G.request")


# -- which file is run ---------------------------------------------------------------------------------------------------


def test_nothing_in_the_workspace_is_run(nvim: Neovim, tmp_path: Path) -> None:
    workspace, elsewhere = tmp_path / "workspace", tmp_path / "elsewhere"
    for folder in (workspace / "bin", elsewhere):
        folder.mkdir(parents=True)
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    (tmp_path / "link").symlink_to(workspace / "bin")

    def find(name: str, *path: str) -> Any:
        return nvim.lua(
            "local name, path, workspace = ...; local before = vim.env.PATH; vim.env.PATH = path\n"
            "local found, why = require('copydesk.executable').find(name, { workspace })\n"
            "vim.env.PATH = before; return { found, why }",
            name,
            ":".join(path),
            str(workspace),
        )

    inside, outside = str(workspace / "bin"), str(elsewhere)
    assert find("tool", inside, outside) == [f"{outside}/tool"]
    assert find("tool", str(tmp_path / "link"), outside) == [f"{outside}/tool"]
    for path in ([inside], [str(tmp_path / "link")]):
        (_, why) = find("tool", *path)
        assert "lies in the workspace" in why
    for relative in ("", ".", "bin"):
        nvim.command(f"cd {workspace}")
        assert "not on PATH" in find("tool", relative)[1]
    assert "relative path" in find("./bin/tool", outside)[1]
    assert find(f"{inside}/tool", outside) == [f"{inside}/tool"], (
        "named in full it is the person's own choice"
    )


def test_a_python_that_starts_the_server_imports_nothing_of_the_folder(tmp_path: Path) -> None:
    """`python -m` looks in the working directory first, were it not for the client."""
    trap = Trap(tmp_path / "trap")
    path = trap.folder / "report.py"
    path.write_bytes(reports.TEXT.encode())
    editor = unpack("forky", "neovim")
    nvim = Neovim.start(
        editor, tmp_path / "home", setup="module", linter_encoding="utf-16", folder=trap.folder
    )
    try:
        nvim.open(path)
        edited(nvim)
        assert trap.ran() == []
    finally:
        nvim.end()


def test_options_that_are_none_are_named(nvim: Neovim) -> None:
    nvim.lua("_G.kept = vim.deepcopy(require('copydesk.options').get())")
    nvim.lua("require('copydesk.options').set({ previw = true, debounce = 'x', preview = true })")
    said = nvim.said()
    assert any("no option" in message and "previw" in message for message in said)
    assert any('"debounce" is a number' in message for message in said)
    assert nvim.lua("local o = require('copydesk.options').get(); return { o.preview, o.debounce }") == [
        True,
        150,
    ]
    nvim.lua("require('copydesk.options').set(_G.kept)")


# -- without the plugin --------------------------------------------------------------------------------------------------


def test_the_readmes_lines_for_neovims_own_client(tmp_path: Path) -> None:
    """No plugin and no second server: copydesk lints, and the stock menu does the rest."""
    (lines,) = re.findall(r"```lua\n(vim\.lsp\.config\(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    nvim = Neovim.start(unpack("forky", "neovim"), tmp_path / "home", setup="stock", linter_encoding="")
    try:
        nvim.lua(lines)
        assert nvim.lua("return vim.fn.exists(':CopydeskEdit')") == 0
        path = tmp_path / "report.py"
        path.write_bytes(reports.TEXT.encode())
        nvim.open(path)
        nvim.go(reports.UNUSED_LINE)
        nvim.choose(*reports.UNUSED_TITLES)
        nvim.until(lambda: nvim.text() == reports.UNUSED_FIXED, "the fix")
        nvim.command("write")
        assert path.read_bytes() == reports.UNUSED_FIXED.encode()
    finally:
        nvim.end()


# -- older than the floor ------------------------------------------------------------------------------------------------


def test_a_neovim_that_is_too_old_is_told_so() -> None:
    old = unpack("bookworm", "neovim")
    script = f"set rtp^={CLIENT}"
    done = subprocess.run(
        [
            *old.command("usr/bin/nvim"),
            "--headless",
            "--clean",
            "--cmd",
            script,
            "-c",
            "echo exists(':CopydeskEdit')",
            "-c",
            "qall",
        ],
        env={
            "VIMRUNTIME": str(old.only("usr/share/nvim/runtime")),
            "HOME": "/nonexistent",
            "PATH": "/usr/bin:/bin",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "copydesk needs Neovim 0.8 or newer" in done.stderr
    assert done.stderr.rstrip().endswith("0")


# -- the texts -----------------------------------------------------------------------------------------------------------


def test_a_bare_client_gets_the_same_edits() -> None:
    """What the editors' files are compared with is the server's own answer. Where this fails, the model has changed."""
    with LspClient(host=None) as client:
        client.ignore("textDocument/publishDiagnostics")
        client.settings = {"precompute": False, "requestTimeout": 600}
        client.initialize(encodings=["utf-16"])
        for number, (instruction, expected) in enumerate(
            [(reports.RETURNS, reports.RETURNS_DONE), (reports.HINT, reports.HINT_DONE)]
        ):
            uri = client.open(f"untitled:report{number}.py", reports.TEXT)
            first, last = reports.LABEL
            params = {
                "textDocument": {"uri": uri, "version": 1},
                "range": {
                    "start": {"line": first - 1, "character": 0},
                    "end": {"line": last, "character": 0},
                },
                "instruction": instruction,
            }
            answer = client.request("copydesk/edit", params)
            assert applied(reports.TEXT, answer["edit"], 1, uri) == expected
