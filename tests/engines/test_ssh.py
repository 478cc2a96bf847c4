"""The engine at the other end of a real `sshd` on loopback: `make test-engines`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from copydesk.request import EditRequest
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, apply_edits
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.engine_process.messages import EngineSettings
from engine_hosts import Recorder, run, state, until
from engine_programs import REAL, SCRIPTED
from loopback_sshd import MISSING, DelayingProxy, LoopbackSshd, available
from lsp_client import LspClient, environment

pytestmark = pytest.mark.skipif(not available(), reason=MISSING)

DELAY = 0.05
"""Seconds, each way."""
CUTS = 8
TEXT = "def f(x):\n    if x == None:\n        return 1\n    return x\n"


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackSshd]:
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = environment()["PYTHONPATH"]
    server = LoopbackSshd(tmp_path_factory.mktemp("sshd"))
    yield server
    server.close()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture
def proxy(sshd: LoopbackSshd) -> Iterator[DelayingProxy]:
    proxy = DelayingProxy(sshd.port, DELAY)
    yield proxy
    proxy.close()


def test_the_embedded_model_over_ssh(sshd: LoopbackSshd) -> None:
    with LspClient(host=None) as client:
        client.settings = {"engine": {"command": list(sshd.command(REAL))}, "precompute": False}
        client.initialize()
        assert client.ready()["connection"]["bytes_received"] > 0
        uri = client.open("file:///a.py", TEXT)
        finding = {
            "range": {"start": {"line": 1, "character": 9}, "end": {"line": 1, "character": 13}},
            "message": "Comparison to `None` should be `cond is None`", "code": "E711", "source": "Ruff", "severity": 2,
        }  # fmt: skip
        params = {"textDocument": {"uri": uri, "version": 1}, "diagnostic": finding}
        answer: dict[str, Any] = client.request("copydesk/edit", params)
        assert (answer["status"], answer["verdict"]) == ("edited", "confirmed")
        assert '"newText": " is"' in str(answer["edit"]).replace("'", '"')


def test_a_login_that_is_refused_is_said_in_sshs_words(sshd: LoopbackSshd, tmp_path: Path) -> None:
    async def main() -> None:
        command = [
            str(tmp_path / "no_key") if word.endswith("user_key") else word for word in sshd.command(SCRIPTED)
        ]
        engine = Engine(EngineSettings(command=tuple(command)), Recorder(), backoff=(0.0, 0.0, 3600.0))
        engine.start()
        await state(engine, "failed")
        assert "exit status 255" in str(engine.message)
        assert "Permission denied" in str(engine.message)
        await engine.close()

    run(main())


def test_the_round_trip_is_told(sshd: LoopbackSshd, proxy: DelayingProxy) -> None:
    async def main() -> None:
        engine = Engine(EngineSettings(command=sshd.command(SCRIPTED, port=proxy.port)), Recorder())
        engine.start()
        await state(engine, "ready")
        await until(lambda: engine._round_trip.ms is not None)
        assert (await engine.status())["connection"]["round_trip_ms"] >= 2e3 * DELAY
        await engine.close()

    run(main())


def test_requests_of_an_editor_outlive_a_cut(sshd: LoopbackSshd, proxy: DelayingProxy) -> None:
    with LspClient() as client:
        command = sshd.command(SCRIPTED, port=proxy.port)
        client.settings = {"engine": {"command": list(command)}, "precompute": False}
        client.ignore("window/showMessage")
        client.initialize()
        client.ready()
        uri = client.open("file:///a.py", TEXT)
        line = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        for number in range(1, 4):
            top = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
            version = client.change(uri, {"range": top, "text": f"# {number}\n"})
            asked = client.ask(
                "copydesk/edit",
                {
                    "textDocument": {"uri": uri, "version": version},
                    "range": line,
                    "instruction": "say # new\n",
                },
            )
            assert proxy.cut() == 2
            answer: dict[str, Any] = client.answer(asked)
            assert (answer["status"], answer["version"]) == ("edited", version)
            client.ready(lambda status, number=number: status["connection"]["reconnects"] == number)


class Person:
    """Types, asks, and asks once more where a connection was lost, as the edit service does."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.version, self.lost = engine, 0, 0
        self.lines = TextLines(TEXT)
        engine.open(1, "a.py", "python", 0, lambda: self.lines.text)

    def type(self, text: str) -> None:
        edit = TextEdit(Position(0, 0), Position(0, 0), text)
        self.lines.splice(edit.start, edit.end, edit.new_text)
        self.version += 1
        self.engine.splice(1, self.version, [edit], Encoding.UTF16)

    async def ask(self, number: int) -> None:
        """The answer is for the text as it was when it was asked for, or there is none."""
        while True:
            text, version = self.lines.text, self.version
            request = EditRequest(instruction=f"say # {number}\n")
            job = self.engine.submit(1, request, encoding=Encoding.UTF16)
            seen = self.engine.submit(1, EditRequest(instruction="text"), encoding=Encoding.UTF16)
            outcome: EditOutcome = await job.result
            told: EditOutcome = await seen.result
            if not (outcome.lost or told.lost):
                assert (outcome.status, outcome.version, told.version) == ("edited", version, version)
                assert told.reason == text
                assert apply_edits(text, outcome.edits) == f"# {number}\n{text}"
                return
            self.lost += 1


def test_no_request_is_lost_where_connections_are_cut(sshd: LoopbackSshd, proxy: DelayingProxy) -> None:
    async def main() -> None:
        heard = Recorder()
        command = sshd.command(SCRIPTED, port=proxy.port)
        engine = Engine(EngineSettings(command=command), heard, backoff=(0.0,))
        engine.start()
        person, answered = Person(engine), 0
        for cut in range(CUTS):
            await state(engine, "ready")
            asked = []
            for number in range(10):
                person.type(f"# {cut} {number}\n")
                asked.append(asyncio.create_task(person.ask(number)))
                await asyncio.sleep(0)  # it is on its way
            assert await asyncio.to_thread(proxy.cut) == 2
            person.type("# cut\n")
            await asyncio.gather(*asked)
            answered += len(asked)
        assert answered == 10 * CUTS
        assert person.lost >= CUTS
        status = await engine.status()
        assert (status["jobs"], status["connection"]["reconnects"]) == (0, CUTS)
        assert "failed" not in [name for name, _ in heard.states]
        await engine.close()

    run(main())
