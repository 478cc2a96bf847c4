"""The way of a request through the server's code, traced, against the table in ARCHITECTURE.md."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import copydesk_server
import lsp_desk
from copydesk_server.engine_process import client
from copydesk_server.engine_process.client import Engine
from engine_in_process import ThreadConnection
from lsp_desk import RESOLVES, desk, diagnostic
from repository import ROOT

SERVER = f"{Path(copydesk_server.__file__).parent}/"
TEXT = "import os\n\n\ndef load(text):\n    return json.loads(text)\n"
OURS = {"EditTask", "EngineJob", "EditRequest", "WorkerJob", "EditOutcome"}


class Trace:
    """The functions of the server that were called, each where it was called first, over all threads it was installed in."""

    def __init__(self) -> None:
        self.on = False
        self.called: dict[tuple[str, str], None] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if self.on and event == "call" and frame.f_code.co_filename.startswith(SERVER):
            path = frame.f_code.co_filename.removeprefix(SERVER)
            self.called.setdefault((path, frame.f_code.co_qualname))


async def resolve(trace: Trace) -> dict[str, Any]:
    """The edit of an undefined name's fix, as a client gets it."""
    async with desk(RESOLVES) as client:
        client.open(TEXT)
        while client.engine.state != "ready":
            await asyncio.sleep(0)
        unknown = diagnostic(4, "Undefined name `json`", code="F821")
        offered = await client.actions((4, 11), diagnostics=[unknown])
        (fix,) = (action for action in offered if (action.get("data") or {}).get("copydesk") == "fix")
        await client.settled()
        trace.on = True
        resolved = await client.request("codeAction/resolve", fix)
        trace.on = False
        edit: dict[str, Any] = resolved["edit"]
        return edit


def documented() -> tuple[list[tuple[str, str]], set[str]]:
    """The functions of the table, by file and name, and our own types in it."""
    page = (ROOT / "ARCHITECTURE.md").read_text()
    rows = page.split("## A quick fix from wire to wire")[1].split("\n## ")[0].split("| --- |")[-1]
    functions, types = list[tuple[str, str]](), set[str]()
    for row in rows.strip().splitlines():
        file, text, kinds = (cell.strip() for cell in row.strip("|").split("|"))
        named = re.match(r"`[^`]*`(?:, `[^`]*`)*", text)
        assert named is not None
        functions += [(file.strip("`"), name) for name in re.findall("`([^`]*)`", named[0])]
        types.update(re.findall(r"`(\w+)`", kinds))
    return functions, types


def test_the_documented_way_of_a_quick_fix_is_the_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = Trace()
    monkeypatch.setattr(client, "EngineConnection", ThreadConnection)
    monkeypatch.setattr(lsp_desk, "FakeEngine", lambda *args, loads, host: partial(Engine, host=host)(*args))
    before = sys.getprofile()
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        edit = asyncio.run(resolve(trace))
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    assert "import json\n" in str(edit["documentChanges"]).encode().decode("unicode_escape")
    functions, types = documented()
    called = list(trace.called)
    assert [function for function in functions if function not in called] == []
    assert functions == sorted(functions, key=called.index)
    assert len(functions) < 25
    assert len([name for _, name in called if not name.endswith(">")]) < 130  # helpers among them
    assert types - {"CodeAction", "WorkspaceEdit"} == OURS
