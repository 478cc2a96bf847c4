"""What goes wrong round the real engine: the buffer stays as it is, the server answers, and nothing is left running.

The same with a scripted engine, which is quicker, is in `test_lsp_base.py` and `test_engine_process.py`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine_hosts import kill
from lsp_client import BARE, DEADLINE, FULL, LspClient, environment
from lsp_desk import applied

pytestmark = pytest.mark.slow

TEXT = "def first(x, y):\n    if x == None:\n        return y\n    return x\n"
FIXED = TEXT.replace("== None", "is None")
FOUND = {
    "range": {"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 16}},
    "message": "Comparison to `None` should be `cond is None`",
    "code": "E711",
    "source": "Ruff",
    "severity": 2,
}
URI = "untitled:a.py"
FROZEN = pytest.mark.skipif(
    not hasattr(signal, "SIGSTOP"), reason="no way to hold a process in the middle of its work"
)


# -- the engine's process ----------------------------------------------------------------------------------------------


@FROZEN
def test_an_engine_killed_in_the_middle_of_an_edit() -> None:
    with real() as client:
        client.initialize(FULL)
        client.open(URI, TEXT)
        client.ready()
        ident, pid = caught_in_the_middle(client)
        assert not client.notes("window/showMessage")
        kill(pid)
        assert "started again" in client.wait("window/showMessage")["message"]
        # The light bulb does not wait for the new one, and typing does not either.
        assert action(client)["title"].startswith("Look for a fix: ")
        client.change(URI, {"range": span(0, 0), "text": "# typed meanwhile\n"})
        resolved = client.answer(ident)
        text = "# typed meanwhile\n" + TEXT
        assert applied(text, resolved["edit"], 2, URI) == text.replace("== None", "is None")
        client.change(URI, {"range": span(0, 0, 1, 0), "text": ""})
        again = client.request("codeAction/resolve", action(client))
        assert applied(TEXT, again["edit"], 3, URI) == FIXED
        assert client.ready()["pid"] != pid
        assert not client.notes("window/showMessage"), "one message"


def test_an_engine_that_runs_out_of_memory_and_goes_on() -> None:
    with LspClient(host="engine_hosts:starved") as client:
        client.settings = {"precompute": False}
        client.initialize(FULL)
        client.open(URI, TEXT)
        pid = client.ready()["pid"]
        unchanged = client.request("codeAction/resolve", action(client))
        assert "edit" not in unchanged
        assert "memory" in client.wait("window/showMessage")["message"]
        resolved = client.request("codeAction/resolve", action(client))
        assert applied(TEXT, resolved["edit"], 1, URI) == FIXED
        assert client.ready()["pid"] == pid


@pytest.mark.parametrize("what", ["missing", "garbage"])
def test_a_model_that_cannot_be_loaded(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    if what == "garbage":
        folder.mkdir()
        for name in ("config.json", "copydesk.json", "tokenizer.json", "model.safetensors"):
            (folder / name).write_bytes(b"\xff\x00 no model at all")
    with real() as client:
        client.settings = {"model": str(folder), "precompute": False}
        client.initialize(FULL)
        client.open(URI, TEXT)
        said = client.wait("window/showMessage")
        assert said["type"] == 1
        assert str(folder) in said["message"] or what == "garbage"
        assert "Traceback" not in said["message"]
        assert actions(client) == [], "what cannot be done is not offered"
        ask = {"textDocument": {"uri": URI, "version": 1}, "diagnostic": FOUND}
        answer = client.request("copydesk/edit", ask)
        assert (answer["status"], answer["edit"]) == ("failed", None)
        assert not client.notes("window/showMessage"), "one message"
        # Another model in the settings is all it takes.
        client.settings = {"precompute": False}
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        client.ready()
        resolved = client.request("codeAction/resolve", action(client))
        assert applied(TEXT, resolved["edit"], 1, URI) == FIXED


# -- the client, and the end -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["loading", "ready", "editing"])
def test_a_client_that_is_killed_leaves_nothing_running(moment: str) -> None:
    client = subprocess.Popen(
        [sys.executable, __file__, moment],
        stdout=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    try:
        assert client.stdout is not None
        server, engine = map(int, client.stdout.readline().split())
        assert psutil.pid_exists(server)
        assert psutil.pid_exists(engine)
    finally:
        client.kill()
        client.wait(DEADLINE)
        client.stdout.close()
    gone(server)
    gone(engine)


@pytest.mark.parametrize("how", ["exit", "shutdown", "input"])
def test_the_end_comes_also_while_the_real_model_is_loading(how: str) -> None:
    with real() as client:
        client.initialize(FULL)
        client.open(URI, TEXT)
        client.wait("$/progress", lambda params: params["value"].get("message", "").startswith("Loading"))
        engine = client.request("copydesk/status")["pid"]
        left = client.ask("codeAction/resolve", action(client))
        if how == "shutdown":
            client.request("shutdown")
            with contextlib.suppress(Exception):
                client.answer(left)
        client.expected_code = 0 if how == "shutdown" else 1
        if how == "input":
            client.end_input()
        else:
            client.notify("exit")
        client.exit_code()
        gone(engine)
        client.closed()
        client._answers.pop(left, None)  # the model may have been quicker


# -- what these tests share --------------------------------------------------------------------------------------------


def real() -> LspClient:
    client = LspClient(host=None)
    client.settings = {"precompute": False, "requestTimeout": 600}  # a model takes its time to come back
    return client


def actions(client: LspClient) -> list[dict[str, Any]]:
    params = {
        "textDocument": {"uri": URI},
        "range": FOUND["range"],
        "context": {"diagnostics": [FOUND], "only": ["quickfix"]},
    }
    found: list[dict[str, Any]] = client.request("textDocument/codeAction", params)
    return found


def action(client: LspClient) -> dict[str, Any]:
    """As it comes where its edit is not known in time: the engine has to be asked."""
    (only,) = actions(client)
    return {key: value for key, value in only.items() if key != "edit"}


def caught_in_the_middle(client: LspClient) -> tuple[int, int]:
    """A request whose edit has begun and is not over; the engine's process stands still."""
    chosen = action(client)
    for _ in range(50):
        pid = client.request("copydesk/status")["pid"]
        ident = client.ask("codeAction/resolve", chosen)
        os.kill(pid, signal.SIGSTOP)
        client.barrier()
        if ident not in client._answers:
            return ident, pid
        os.kill(pid, signal.SIGCONT)
        client.answer(ident)
    raise AssertionError("no edit takes long enough to be caught")


def span(*place: int) -> dict[str, Any]:
    first, start, last, end = (*place, *place)[:4]
    return {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}


def gone(pid: int) -> None:
    """Wait until there is no such process; one that only waits to be buried is gone."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return
        except psutil.NoSuchProcess:
            return
        time.sleep(0.01)
    raise AssertionError(f"process {pid} is still running")


def _be_a_client(moment: str) -> None:
    """A process with a server, for a test that kills it: tells the server's and the engine's process ids, and waits."""
    client = LspClient(host=None)
    client.initialize(BARE, process_id=os.getpid())
    client.open(URI, TEXT)
    engine = client.status_when(lambda status: status["pid"] is not None)["pid"]
    if moment != "loading":
        client.ready()
    if moment == "editing":
        client.ask("copydesk/edit", {"textDocument": {"uri": URI, "version": 1}, "diagnostic": FOUND})
    sys.stdout.write(f"{client.process.pid} {engine}\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    _be_a_client(sys.argv[1])
