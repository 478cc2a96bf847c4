"""One Neovim, driven as a person would: keys go in through its input queue, and what it shows is read through its API.

Knows Neovim and pynvim; of copydesk only how a client is asked for.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pynvim

from debian import Unpacked

T = TypeVar("T")

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DEADLINE = 90.0
PAUSE = 0.02
LAST_LINES, LONGEST_LINE = 30, 400

CLIENTS = "(vim.lsp.get_clients or vim.lsp.get_active_clients)"


class Neovim:
    """A running Neovim with copydesk and a linter beside it."""

    def __init__(self, nvim: Any) -> None:
        self._nvim = nvim

    @classmethod
    def start(
        cls,
        editor: Unpacked,
        home: Path,
        *,
        setup: str,
        linter_encoding: str,
        folder: Path | None = None,
        precompute: bool = True,
    ) -> Neovim:
        """Started in `folder` (default: `home`), which is not the checkout, where an environment may lie.

        setup: "setup"; "module", which has `python -m` start the server; "enable"; "scripted", with an engine that does what an
        instruction says (`engine_hosts.py`); or "stock", without the plugin.
        precompute: the setting, which "enable" and "stock" leave as it comes.
        Raises what pynvim raises where it does not start.
        """
        libraries = next(editor.root.glob("usr/lib/*-linux-*/lua/5.1"), None)
        share = editor.root / "usr/share"
        binaries = Path(sys.executable).parent
        environment = {
            "VIMRUNTIME": str(editor.only("usr/share/nvim/runtime")),
            "LUA_PATH": f"{share}/lua/5.1/?.lua;{share}/lua/5.1/?/init.lua;;",
            "LUA_CPATH": f"{libraries}/?.so;;",
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_STATE_HOME": str(home / "state"),
            "NVIM_LOG_FILE": str(home / "nvim.log"),
            "COPYDESK_NVIM_CLIENT": str(ROOT / "nvim-client"),
            "COPYDESK_SETUP": setup,
            "COPYDESK_PRECOMPUTE": str(int(precompute)),
            "COPYDESK_COMMAND": str(binaries / "copydesk"),
            "COPYDESK_PYTHON": sys.executable,
            "COPYDESK_SCRIPTED_SERVER": str(ROOT / "tests/support/scripted_server.py"),
            "COPYDESK_LINTER": str(HERE.parent / "linter_server.py"),
            "COPYDESK_LINTER_ENCODING": linter_encoding,
            "PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in ("engine", "server", "tests/support")),
            "PATH": os.pathsep.join([str(binaries), os.environ["PATH"]]),
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
        }
        argv = [
            *editor.command("usr/bin/nvim"),
            "--embed",
            "--headless",
            "-u",
            str(HERE / "init.lua"),
            "-i",
            "NONE",
            "-n",
            "--cmd",
            f"cd {folder or home}",
        ]
        with _environment(environment):
            return cls(pynvim.attach("child", argv=argv))

    def end(self) -> None:
        """As if the person had said `:qall!`."""
        with contextlib.suppress(OSError, EOFError):
            self._nvim.command("qall!", async_=True)
        self._nvim.close()

    # -- what a person does --------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """`:edit`, and wait until copydesk's server looks after the buffer, its model is there and the linter has spoken."""
        self.command(f"edit! {path}")
        self.until(lambda: self.client("id"), "copydesk's server")
        self.until(lambda: "ready" in self.states(), "the model")
        self.until(lambda: self.lua("return #vim.diagnostic.get(0) > 0"), "the linter's diagnostics")

    def keys(self, keys: str) -> None:
        """Typed, as in a mapping: `<CR>` is the key."""
        self._nvim.input(keys)

    def command(self, command: str) -> None:
        """An ex command."""
        self._nvim.command(command)

    def go(self, line: int, column: int = 0) -> None:
        """The cursor: 1-based line, 0-based byte."""
        self.lua("vim.api.nvim_win_set_cursor(0, {...})", line, column)

    def choose(self, *titles: str, selected: bool = False) -> None:
        """The stock menu of code actions at the cursor, or of the selection; takes the entry whose title has one of `titles` in
        it: a fix is called by its edit where that is known in time. A question that the action asks is answered likewise.
        """
        self.lua(
            "local wanted = ...; vim.g.offered, vim.g.asked = nil, nil\n"
            "vim.ui.select = function(items, options, chosen)\n"
            "  local titles, found = {}, nil\n"
            "  for index, item in ipairs(items) do\n"
            "    titles[index] = options.format_item and options.format_item(item) or tostring(item)\n"
            "    for _, one in ipairs(wanted) do\n"
            "      if titles[index]:find(one, 1, true) then found = index end\n"
            "    end\n"
            "  end\n"
            "  vim.g[options.kind == 'codeaction' and 'offered' or 'asked'] = titles\n"
            "  chosen(found and items[found], found)\n"
            "end",
            list(titles),
        )
        self.keys(("" if selected else "<Esc>") + "<Cmd>lua vim.lsp.buf.code_action()<CR>")

    def offered(self) -> list[str]:
        """The titles in the menu that `choose` has asked for: none where nobody has an action there (yet)."""

        def told() -> list[list[str]]:
            titles = self.lua("return vim.g.offered")
            if titles is not None:
                return [titles]
            return [[]] if any("No code actions available" in one for one in self.said()) else []

        return self.until(told, "the menu")[0]

    # -- what a person sees --------------------------------------------------------------------------------------------

    def lua(self, code: str, *arguments: Any) -> Any:
        """What a piece of Lua returns."""
        return self._nvim.exec_lua(code, *arguments)

    def text(self) -> str:
        """The buffer, as lines that each end in a newline."""
        return "".join(f"{line}\n" for line in self._nvim.current.buffer[:])

    def client(self, field: str) -> Any:
        """A field of copydesk's client for this buffer; None where there is none."""
        return self.lua(
            f"local c = {CLIENTS}({{ name = 'copydesk', bufnr = 0 }})[1]; return c and c[...]", field
        )

    def states(self) -> list[str]:
        """Of this buffer's engines: one, once copydesk's server has said how it is.

        Each client is asked by itself: where another attaches before the first answers, Neovim's `buf_request_sync` waits for an
        answer that it never asked for.
        """
        states: list[str] = self.lua(
            f"local states = {{}}\nfor _, client in ipairs({CLIENTS}({{ name = 'copydesk', bufnr = 0 }})) do\n"
            "  local own = vim.fn.has('nvim-0.11') == 1 and { client } or {}\n"
            "  local asked = vim.list_extend(own, { 'copydesk/status', vim.empty_dict(), 60000, 0 })\n"
            "  local answer = client.request_sync(unpack(asked))\n"
            "  if answer and type(answer.result) == 'table' then table.insert(states, answer.result.state) end\n"
            "end\n"
            "return states"
        )
        return states

    def marks(self, group: str | None = None) -> list[Any]:
        """The extmarks of the preview, with their details."""
        return self.lua(  # type: ignore[no-any-return]
            "local space = vim.api.nvim_get_namespaces()[...]\n"
            "return space and vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true }) or {}",
            group or "copydesk_preview",
        )

    def virtual(self) -> list[str]:
        """The lines shown that are not in the buffer."""
        return [
            "".join(piece for piece, _ in line)
            for mark in self.marks()
            for line in mark[3].get("virt_lines", [])
        ]

    def said(self) -> list[str]:
        """Notifications since the last time."""
        said: list[str] = self.lua("local said = vim.g.notified; vim.g.notified = {}; return said")
        return said

    def hears(self, words: str) -> None:
        """Wait for a notification with these words."""
        heard: list[str] = []

        def there() -> bool:
            heard.extend(self.said())
            return any(words in message for message in heard)

        self.until(there, f"the message {words!r}", heard)

    def log(self) -> str:
        """The end of Neovim's log of language servers, where what they write to standard error is."""
        path = Path(self.lua("return vim.lsp.get_log_path()"))
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else []
        return "\n".join(line[:LONGEST_LINE] for line in lines[-LAST_LINES:])

    def until(self, there: Callable[[], T], what: str, *more: Any) -> T:
        """Wait for a condition; its value."""
        end = time.monotonic() + DEADLINE
        while not (value := there()):
            if time.monotonic() > end:
                messages = self._nvim.command_output("messages")
                raise AssertionError(
                    f"waited {DEADLINE:.0f} s for {what}: {more} {self.said()} {self.text()!r} {messages}\n{self.log()}"
                )
            time.sleep(PAUSE)
        return value


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Any:
    """pynvim starts its child with the environment there is."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
