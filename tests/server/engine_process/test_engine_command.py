"""The engine as a command: real programs over their standard streams, honest ones and others."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest

from copydesk import __version__
from copydesk.decode.laws.law import LAWS
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, apply_edits
from copydesk_server.engine_process import command_process
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.frames import (
    LENGTH,
    TO_ENGINE,
    TO_SERVER,
    frame_of,
    message_of,
    read_frame,
)
from copydesk_server.engine_process.handshake import PROTOCOL, engine_hello, server_hello
from copydesk_server.engine_process.jobs import EngineJob, HunkEvent, Retracted
from copydesk_server.engine_process.message_check import check_to_engine, check_to_server
from copydesk_server.engine_process.messages import EngineSettings, Message, result_message
from copydesk_server.engine_process.model_fingerprint import model_fingerprint
from copydesk_server.engine_process.outbox import Outbox
from copydesk_server.engine_process.stdio_main import CancelledJobs
from copydesk_server.engine_process.watchdog import Watchdog
from copydesk_server.errors import EngineProtocolError
from engine_hosts import DEADLINE, Recorder, kill, run, state, until
from engine_programs import REAL, SCRIPTED, answering, writing
from lsp_client import environment

pytestmark = pytest.mark.slow

TEXT = "import os\n\n\ndef f(x):\n    if x == None:\n        return 1\n    return x\n"
NONE = Diagnostic(
    Position(4, 7), Position(4, 16), "Comparison to `None` should be `cond is None`", "E711", "Ruff"
)


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands get this environment."""
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])


class Mirror:
    """A document as the server has it."""

    def __init__(self, engine: Engine, text: str = TEXT, doc: int = 1) -> None:
        self.engine, self.doc, self.version = engine, doc, 0
        self.lines = TextLines(text)
        engine.open(doc, "a.py", "python", 0, lambda: self.lines.text)

    def insert(self, text: str) -> None:
        edit = TextEdit(Position(0, 0), Position(0, 0), text)
        self.lines.splice(edit.start, edit.end, edit.new_text)
        self.version += 1
        self.engine.splice(self.doc, self.version, [edit], Encoding.UTF16)

    def ask(self, instruction: str, **options: Any) -> EngineJob:
        request = EditRequest(instruction=instruction)
        return self.engine.submit(self.doc, request, encoding=Encoding.UTF16, **options)


@contextlib.asynccontextmanager
async def started(
    command: Sequence[str],
    *,
    backoff: Sequence[float] = (0.0,),
    watchdog: Callable[..., Watchdog] = Watchdog,
    **settings: Any,
) -> AsyncIterator[tuple[Engine, Recorder]]:
    heard = Recorder()
    engine = Engine(
        EngineSettings(command=tuple(command), **settings), heard, backoff=backoff, watchdog=watchdog
    )
    engine.start()
    try:
        yield engine, heard
    finally:
        await engine.close()
        commands = [process.cmdline() for process in psutil.Process().children()]
        assert not [words for words in commands if list(command[1:]) == words[1:]], (
            "something is left running"
        )


# -- an honest one -----------------------------------------------------------------------------------------------------


def test_a_command_does_what_a_child_does() -> None:
    async def main() -> None:
        async with started(SCRIPTED, model="far") as (engine, heard):
            mirror, jobs, texts = Mirror(engine), [], []
            for n in range(20):
                mirror.insert(f"# {n}\n")
                jobs.append(mirror.ask("text"))
                texts.append(mirror.lines.text)
            for n, job in enumerate(jobs):
                result = await job.result
                assert (result.reason, result.version) == (texts[n], n + 1)
            assert heard.progress == [("Connected", None), ("Loading", 50)]
            assert engine.info is not None
            assert engine.info.name == "far"
            streamed = mirror.ask("hunks", stream=True)
            events = [event async for event in streamed.hunks()]
            assert [type(event) for event in events] == [HunkEvent, HunkEvent, Retracted]
            await until(lambda: engine._round_trip.ms is not None)
            status = await engine.status()
            assert (status["warm_pages"], status["documents"]) == (1, 1)
            figures = status["connection"]
            assert figures["copydesk"] == __version__
            assert figures["round_trip_ms"] >= 0
            assert figures["bytes_sent"] > 20 * len("# 1\n") + len(TEXT)
            assert figures["bytes_received"] > sum(map(len, texts))

    run(main())


def test_changes_travel_and_not_the_text() -> None:
    async def main() -> None:
        async with started(SCRIPTED) as (engine, _):
            await state(engine, "ready")
            mirror = Mirror(engine, "x = 1\n" * 100_000)
            await mirror.ask("say x").result
            sent = (await engine.status())["connection"]["bytes_sent"]
            assert sent > 600_000
            for n in range(10):
                mirror.insert(f"# {n}\n")
            await mirror.ask("say x").result
            assert (await engine.status())["connection"]["bytes_sent"] - sent < 10_000

    run(main())


def test_a_cancel_reaches_a_command_that_is_at_work() -> None:
    async def main() -> None:
        async with started(SCRIPTED) as (engine, _):
            mirror = Mirror(engine)
            held, waiting = mirror.ask("hold"), mirror.ask("say x")
            await held.planned
            waiting.cancel()
            held.cancel()
            assert (await held.result).status == "cancelled"
            assert (await waiting.result).status == "cancelled"
            assert (await mirror.ask("say x").result).status == "edited"

    run(main())


def test_a_connection_that_is_cut_is_made_again_and_fed() -> None:
    async def main() -> None:
        async with started(SCRIPTED, backoff=(0.0, 0.0)) as (engine, heard):
            mirror, other = Mirror(engine), Mirror(engine, "x\n", 2)
            for round in range(2):
                job = mirror.ask("hold", stream=True)
                await job.planned
                assert engine.pid is not None
                kill(engine.pid)
                result = await job.result
                assert (result.status, result.lost) == ("failed", True)
                mirror.insert(f"# meanwhile {round}\n")
                assert (await mirror.ask("text").result).reason == mirror.lines.text
                assert (await other.ask("text").result).reason == "x\n"
            assert [name for name, _ in heard.states] == ["loading", "ready", *["restarting", "ready"] * 2]
            assert (await engine.status())["connection"]["reconnects"] == 2

    run(main())


def test_configure_goes_to_a_command_and_back() -> None:
    async def main() -> None:
        async with started(SCRIPTED, model="far") as (engine, _):
            mirror = Mirror(engine)
            assert (await mirror.ask("text").result).reason == TEXT
            engine.configure(EngineSettings("near", command=SCRIPTED))
            mirror.insert("# one\n")
            assert (await mirror.ask("text").result).reason == mirror.lines.text
            assert engine.info is not None
            assert engine.info.name == "near"
            engine.configure(EngineSettings("missing", command=SCRIPTED))
            assert (await mirror.ask("text").result).reason == "there is no model of that name"

    run(main())


def test_the_embedded_model_over_a_command(tmp_path: Path) -> None:
    """`copydesk engine` itself."""

    async def main() -> None:
        async with started(REAL) as (engine, _):
            await state(engine, "ready")
            assert engine.info is not None
            assert (engine.info.name, len(engine.info.fingerprint)) == ("mini", 16)
            mirror = Mirror(engine)
            request = EditRequest(diagnostics=[NONE])
            result = await engine.submit(1, request, encoding=Encoding.UTF16).result
            assert result.status == "edited", result.reason
            assert "if x is None:" in apply_edits(mirror.lines.text, result.edits)
            engine.configure(EngineSettings(str(tmp_path), command=REAL))
            await state(engine, "failed")
            assert str(tmp_path) in str(engine.message)

    run(main())


@pytest.mark.parametrize("law", LAWS)
def test_an_engine_may_name_every_law(law: str) -> None:
    told = {"kind": "result", "id": 1, "status": "edited", "reason": None, "version": 1, "law": law}
    assert check_to_server(told) == told


# -- what is no engine -------------------------------------------------------------------------------------------------


OTHER = {**engine_hello(), "protocol": PROTOCOL + 1, "copydesk": "9.9.9"}
HELLO = frame_of(engine_hello())
READY: Message = {
    "kind": "ready",
    "info": {
        "name": "m", "device": "cpu", "dtype": "float32", "languages": [], "page_lines": 64, "kind": "program", "load_ms": 1,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (writing(frame_of(OTHER)), "install the same copydesk on both machines"),
        (writing(b"Welcome to gpubox!\n"), "does not answer as an engine"),
        (writing(LENGTH.pack(1 << 30) + b"x" * 100), "a frame of 1,073,741,824 bytes"),
        (writing(frame_of({"kind": "ready"})), "the first message is no greeting"),
        (writing(HELLO + LENGTH.pack(TO_SERVER + 1)), "it sent a frame of"),
        (writing(HELLO + LENGTH.pack(9) + b"\xff" * 9), "it sent a frame that is not JSON"),
        (writing(HELLO + LENGTH.pack(1 << 15) + b"[" * (1 << 15)), "it sent a frame that is not JSON"),
        (answering({"kind": "failed", "message": "no\x1b[2J\nmodel" + "!" * 1000}), "no\u241b[2J model!!!"),
        (answering([1]), "it sent a frame that is no message"),
        (answering({"kind": "open"}), "it sent a message of an unknown kind"),
        (answering({"kind": "ready", "info": {}}), "it sent a message `ready` whose fields"),
        (("/bin/sh", "-c", "echo gpubox: no such host >&2; exit 255"), "255; sh: gpubox: no such host"),
        (("/no/such/program",), "`program` cannot be started: No such file"),
        (("no-such-program-anywhere", "engine"), "is no program on PATH"),
        ((sys.executable, "-c", "pass"), "exit status 0"),
    ],
)
def test_what_is_no_engine_is_said_in_words(command: Sequence[str], said: str) -> None:
    async def main() -> None:
        async with started(command, backoff=(0.0, 0.0, 3600.0)) as (engine, _):
            job = Mirror(engine).ask("text")
            await state(engine, "failed")
            assert said in str(engine.message)
            assert (await job.result).status == "failed"
            late = Mirror(engine).ask("text")
            assert (late.result.done(), (await late.result).reason) == (True, engine.message)

    run(main())


@pytest.mark.parametrize("program", ["planted", "./planted"])
def test_no_program_of_the_folder_is_the_engine(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "planted"
    planted.write_text('#!/bin/sh\ntouch "$(dirname "$0")/ran"\n')
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), ".", os.environ["PATH"]]))

    async def main() -> None:
        async with started((program,), backoff=(0.0, 0.0, 3600.0)) as (engine, _):
            await state(engine, "failed")
            assert "is no program on PATH" in str(engine.message)

    run(main())
    assert not (tmp_path / "ran").exists()


def test_a_command_does_not_start_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def main() -> None:
        tells = ("/bin/sh", "-c", "pwd >&2; exit 3")
        async with started(tells, backoff=(0.0, 0.0, 3600.0)) as (engine, _):
            await state(engine, "failed")
            assert os.path.dirname(os.__file__) in str(engine.message)
            assert str(tmp_path) not in str(engine.message)

    run(main())


def test_a_program_that_hangs_is_ended() -> None:
    async def main() -> None:
        hangs, watchdog = ("/bin/sh", "-c", "sleep 3600"), partial(Watchdog, beat=0.01)
        async with started(hangs, backoff=(0.0, 0.0, 3600.0), watchdog=watchdog) as (engine, _):
            job = Mirror(engine).ask("text")
            await state(engine, "failed")
            assert "it gave no sign of life" in str(engine.message)
            assert (await job.result).status == "failed"
            assert not [
                each for each in psutil.process_iter(["cmdline"]) if each.info["cmdline"] == ["sleep", "3600"]
            ]

    run(main())


def test_what_a_command_leaves_behind_holds_nothing_up() -> None:
    """It has the pipe, and never reads."""

    async def main() -> None:
        leaves = ("/bin/sh", "-c", "sleep 3601 >/dev/null & exit 3")
        async with started(leaves, backoff=(0.0, 0.0, 3600.0)) as (engine, _):
            Mirror(engine, "x = 1\n" * 100_000)
            await state(engine, "failed")
            assert "exit status 3" in str(engine.message)
            assert not [
                each for each in psutil.process_iter(["cmdline"]) if "3601" in (each.info["cmdline"] or ())
            ]

    run(main())


def test_a_command_that_failed_is_tried_again_in_the_background(tmp_path: Path) -> None:
    async def main() -> None:
        there = tmp_path / "there"
        script = 'test -e "$0" && exec "$@"; exit 255'
        async with started(("/bin/sh", "-c", script, str(there), *SCRIPTED)) as (engine, heard):
            mirror = Mirror(engine)
            await state(engine, "failed")
            there.touch()
            await state(engine, "ready")
            assert (await mirror.ask("text").result).reason == TEXT
            assert [name for name, _ in heard.states] == ["loading", "restarting", "failed", "ready"]

    run(main())


def test_an_edit_for_another_version_is_not_taken() -> None:
    lies = result_message(1, "edited", None, 7, edits=[[0, 0, 0, 0, "x"]])

    async def main() -> None:
        # It says so before it is asked: the job has the first number there is.
        async with started(answering(READY, lies)) as (engine, _):
            job = Mirror(engine).ask("text")
            result = await job.result
            assert (result.status, result.edits, result.lost) == ("failed", (), True)

    run(main())


def test_a_stream_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_process, "TO_SERVER", 1000)
    hunks = [{"kind": "hunk", "id": 1, "seq": n, "edits": [[0, 0, 0, 0, "x" * 50]]} for n in range(20)]

    async def main() -> None:
        async with started(answering(READY, *hunks), backoff=(3600.0,)) as (engine, _):
            job = Mirror(engine).ask("text", stream=True)
            assert (await job.result).lost
            assert "more hunks than an edit has" in str(engine.message)

    run(main())


@pytest.mark.parametrize(
    "change",
    [
        {"status": "confirmed"}, {"version": "1"}, {"edits": [[0, 0, 0, -1, ""]]}, {"edits": [[0, 0, 0, 0, 0]]},
        {"edits": {}}, {"verdict": "confirmed"}, {"scope": [[1, 9]]}, {"checked": "ruff"}, {"counts": {"forced": "x"}},
        {"confidence": float("nan")}, {"alternatives": [{"title": "t"}]}, {"id": True}, {"reason": 1},
    ],
)  # fmt: skip
def test_a_result_with_anything_else_in_it_is_none(change: Message) -> None:
    good = result_message(1, "edited", None, 0, edits=[[0, 0, 0, 0, "x"]], counts={}, confidence=0.5)
    assert check_to_server(good) == good
    with pytest.raises(EngineProtocolError):
        check_to_server({**good, **change})


# -- the engine's side -------------------------------------------------------------------------------------------------


def spoken_to(*frames: bytes, close: bool = True) -> tuple[list[Message], int, bytes]:
    """What the scripted engine says, its exit code, and what it says to people. close: its input ends after this."""
    with subprocess.Popen(
        SCRIPTED, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        assert engine.stderr is not None
        for frame in frames:
            engine.stdin.write(frame)
        engine.stdin.flush()
        if close:
            engine.stdin.close()
        heard = []
        with contextlib.suppress(EOFError):
            while True:
                heard.append(message_of(read_frame(engine.stdout, TO_SERVER)))
        return heard, engine.wait(DEADLINE), engine.stderr.read()


GREETING = server_hello(EngineSettings(), 0.01)


def test_the_engine_ends_with_its_input_and_keeps_its_output_clean() -> None:
    heard, code, _ = spoken_to(frame_of(GREETING), frame_of({"kind": "bye"}), close=False)
    assert (heard[0], code) == (engine_hello(), 0)
    assert {message["kind"] for message in heard} <= {"hello", "alive", "progress", "ready"}
    heard, code, _ = spoken_to(frame_of(GREETING))
    assert code == 0


def test_the_engine_ends_where_nobody_is_heard_any_more() -> None:
    """Its input never ends: a cable was pulled."""
    heard, code, said = spoken_to(frame_of(GREETING), close=False)
    assert code == 0
    assert b"nothing was heard" in said
    assert [message["kind"] for message in heard].count("alive") == 30


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ([frame_of({**GREETING, "protocol": PROTOCOL + 1})], b"install the same copydesk"),
        ([frame_of({"kind": "open"})], b"the first message is no greeting"),
        ([b"GET / HTTP/1.1\r\n\r\n"], b"a frame of"),
        ([frame_of({**GREETING, "settings": {}})], b"whose fields are not those"),
        ([frame_of(GREETING), LENGTH.pack(TO_ENGINE + 1)], b"a frame of"),
        ([frame_of(GREETING), frame_of({"kind": "splice", "doc": 1})], b"message `splice` whose fields"),
        ([frame_of(GREETING), frame_of({"kind": "stop"})], b"unknown kind"),
    ],
)
def test_what_is_no_server_ends_the_engine(frames: list[bytes], said: bytes) -> None:
    _, code, told = spoken_to(*frames, close=False)
    assert code != 0
    assert said in told


def test_messages_of_the_client_are_those_of_the_protocol() -> None:
    """`check_to_engine` sees what `client.py` and `document_feed.py` send in all tests above; here, the rest."""
    for message in (
        GREETING, {"kind": "ping", "id": 1}, {"kind": "bye"}, {"kind": "logging", "file": None, "level": "debug"},
        {"kind": "look", "doc": 1, "ranges": [(1, 2)]}, {"kind": "close", "doc": 1},
    ):  # fmt: skip
        sent = message_of(read_frame(Stream(frame_of(message)), TO_ENGINE))
        assert check_to_engine(sent)["kind"] == message["kind"]


class Stream:
    """Bytes that come one by one."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int) -> bytes:
        piece, self._data = self._data[:1], self._data[1:]
        return piece


def test_a_cancel_that_overtakes_its_job_counts_and_nothing_is_kept() -> None:
    jobs = CancelledJobs()
    jobs.cancel(3)
    jobs.submitted(2)
    jobs.submitted(3)
    assert (jobs[2], jobs[3]) == (False, True)
    jobs.answered(3)
    jobs.cancel(3)
    assert not jobs[3]
    jobs.cancel(2)
    assert jobs[2]
    jobs.answered(2)
    assert (jobs._running, jobs._cancelled) == (set(), set())


def test_control_messages_overtake_the_rest() -> None:
    outbox = Outbox(frozenset({"cancel"}))
    messages: list[Message | None] = [
        {"kind": "open"}, {"kind": "submit"}, {"kind": "cancel", "id": 1}, None, {"kind": "cancel", "id": 2},
    ]  # fmt: skip
    for message in messages:
        outbox.put(message)
    got = [outbox.get() for _ in messages]
    assert got == [messages[2], messages[4], messages[0], messages[1], None]


def test_a_fingerprint_tells_models_apart(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"\0" * (1 << 20))
    (tmp_path / "config.json").write_text("{}")
    first = model_fingerprint(tmp_path)
    (tmp_path / "README.md").write_text("words")
    assert model_fingerprint(tmp_path) == first
    weights.write_bytes(b"\0" * ((1 << 20) - 1) + b"\1")
    assert model_fingerprint(tmp_path) != first
    assert model_fingerprint(tmp_path / "none") == ""
