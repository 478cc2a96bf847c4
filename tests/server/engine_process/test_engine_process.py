"""The engine's proxy and its child processes: order, faults, restarts, and that nothing is left running."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Encoding, Position, TextEdit, TextLines, apply_edits
from copydesk_server.engine_process.child_process import CONTEXT
from copydesk_server.engine_process.client import HOST, Engine
from copydesk_server.engine_process.edit_outcome import EditAlternative, EditOutcome
from copydesk_server.engine_process.flags import SLOTS, Flags
from copydesk_server.engine_process.jobs import EngineJob, HunkEvent, Retracted
from copydesk_server.engine_process.messages import (
    EngineSettings,
    decode,
    encode,
    pack_request,
    result_message,
    unpack_request,
    unpack_result,
)
from engine_hosts import DEADLINE, SCRIPTED, Recorder, kill, run, state, until
from repository import ROOT

TEXT = "import os\n\n\ndef f(x):\n    if x == None:\n        return 1\n    return x\n"
NONE = Diagnostic(
    Position(4, 7), Position(4, 16), "Comparison to `None` should be `cond is None`", "E711", "Ruff"
)


class Mirror:
    """A document as the server has it."""

    def __init__(self, engine: Engine, text: str = TEXT, doc: int = 1, name: str = "a.py") -> None:
        self.engine, self.doc, self.version = engine, doc, 0
        self.lines = TextLines(text)
        engine.open(doc, name, "python", 0, lambda: self.lines.text)

    def insert(self, text: str, line: int = 0) -> None:
        edit = TextEdit(Position(line, 0), Position(line, 0), text)
        self.lines.splice(edit.start, edit.end, edit.new_text)
        self.version += 1
        self.engine.splice(self.doc, self.version, [edit], Encoding.UTF16)

    def ask(self, instruction: str | None = None, **options: Any) -> EngineJob:
        return self.engine.submit(
            self.doc, EditRequest(instruction=instruction), encoding=Encoding.UTF16, **options
        )


@contextlib.asynccontextmanager
async def started(
    model: str | None = None, *, backoff: Sequence[float] = (0.0,), host: str = SCRIPTED
) -> AsyncIterator[tuple[Engine, Recorder]]:
    heard = Recorder()
    engine = Engine(EngineSettings(model), heard, backoff=backoff, host=host)
    engine.start()
    try:
        yield engine, heard
    finally:
        await engine.close()
        assert not children(), "something is left running"


def children() -> list[psutil.Process]:
    """Engines among this process's children (multiprocessing keeps a tracker of its own)."""
    found = []
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if any("spawn_main" in word for word in process.cmdline()):
                found.append(process)
    return found


def test_jobs_see_the_version_they_were_submitted_on_also_while_loading() -> None:
    async def main() -> None:
        async with started() as (engine, heard):
            mirror, jobs, texts = Mirror(engine), [], []
            for n in range(50):
                mirror.insert(f"# {n}\n", n % 3)
                jobs.append(mirror.ask("text"))
                texts.append(mirror.lines.text)
                if n == 25:
                    await state(engine, "ready")
            for n, job in enumerate(jobs):
                result = await job.result
                assert (result.reason, result.version, job.version) == (texts[n], n + 1, n + 1)
                assert await job.planned == job.scope == ((1, 1),)
            assert [name for name, _ in heard.states] == ["loading", "ready"]
            assert heard.progress == [("Loading", 50)]
            assert (await engine.status())["warm_pages"] == 1

    run(main())


def test_hunks_come_in_order_then_the_retraction_then_the_end() -> None:
    async def main() -> None:
        async with started() as (engine, _):
            job = Mirror(engine).ask("hunks", stream=True)
            events = [event async for event in job.hunks()]
            assert [event.seq for event in events if isinstance(event, HunkEvent)] == [0, 1]
            assert events[-1] == Retracted("it does not parse")
            assert (await job.result).status == "refused"

    run(main())


def test_a_cancel_reaches_a_child_that_reads_nothing() -> None:
    async def main() -> None:
        async with started() as (engine, _):
            mirror = Mirror(engine)
            held, waiting = mirror.ask("hold"), mirror.ask("say x")
            await held.planned
            waiting.cancel()
            held.cancel()
            held.cancel()
            assert (await held.result).status == "cancelled"
            assert (await waiting.result).status == "cancelled"
            held.cancel()  # its slot is somebody else's by now
            assert (await mirror.ask("say x").result).status == "edited"
            again = mirror.ask("hold")
            task = asyncio.create_task(_await(again))
            await again.planned
            task.cancel()  # as a request's task is
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await mirror.ask("say y").result).status == "edited"

    run(main())


async def _await(job: EngineJob) -> EditOutcome:
    return await job.result


def test_a_cancel_while_loading_is_answered_at_once() -> None:
    async def main() -> None:
        async with started("never") as (engine, _):
            job = Mirror(engine).ask("say x")
            job.cancel()
            assert job.result.done()
            assert (await job.result).status == "cancelled"
            assert await job.planned == ()

    run(main())


def test_a_child_killed_in_the_middle_is_replaced_and_has_the_documents() -> None:
    async def main() -> None:
        async with started(backoff=(0.0, 0.0)) as (engine, heard):
            mirror, other = Mirror(engine), Mirror(engine, "x\n", 2)
            job = mirror.ask("hold", stream=True)
            await job.planned
            first = engine.pid
            assert first is not None
            kill(first)
            result = await job.result
            assert (result.status, result.lost) == ("failed", True)
            assert [event async for event in job.hunks()] == []
            mirror.insert("# meanwhile\n")
            waiting = mirror.ask("text")
            mirror.insert("# and again\n")
            assert (await waiting.result).reason == "# meanwhile\n" + TEXT
            assert (await mirror.ask("text").result).reason == mirror.lines.text
            assert (await other.ask("text").result).reason == "x\n"
            assert engine.pid != first
            assert (await mirror.ask("die").result).lost
            assert (await mirror.ask("text").result).reason == mirror.lines.text
            states = [name for name, _ in heard.states]
            assert states == ["loading", "ready", "restarting", "ready", "restarting", "ready"]
            if sys.platform != "win32":
                assert "killed by signal 9" in str(heard.states[2][1])

    run(main())


def test_a_child_that_dies_while_loading_is_given_up_after_three_times() -> None:
    async def main() -> None:
        async with started("dies") as (engine, heard):
            mirror = Mirror(engine)
            job = mirror.ask("text")
            assert (await job.result).lost
            await state(engine, "failed")
            assert [name for name, _ in heard.states] == ["loading", "restarting", "failed"]
            assert "3 times" in str(heard.states[-1][1])
            assert (await mirror.ask("text").result).reason == heard.states[-1][1]
            assert (await engine.status())["state"] == "failed"
            engine.configure(EngineSettings())
            assert (await mirror.ask("text").result).reason == TEXT

    run(main())


def test_a_model_that_cannot_be_loaded_is_a_message_and_another_can() -> None:
    async def main() -> None:
        async with started("missing") as (engine, heard):
            mirror = Mirror(engine)
            early = mirror.ask("text")
            result = await early.result
            assert (result.status, result.lost, await early.planned) == ("failed", False, ())
            assert (
                heard.states[-1] == ("failed", "there is no model of that name") == ("failed", result.reason)
            )
            late = mirror.ask("text")
            assert late.result.done()
            mirror.insert("# one\n")
            engine.configure(EngineSettings("other"))
            assert (await mirror.ask("text").result).reason == mirror.lines.text
            assert engine.info is not None
            assert engine.info.name == "other"

    run(main())


def test_configure_while_a_job_runs_changes_the_model_and_keeps_the_documents() -> None:
    async def main() -> None:
        async with started() as (engine, heard):
            mirror = Mirror(engine)
            job = mirror.ask("hold")
            await job.planned
            pid = engine.pid
            engine.configure(EngineSettings(log_level="debug"))
            assert not job.result.done()
            engine.configure(EngineSettings("other"))
            result = await job.result
            assert (result.status, result.reason, result.lost) == ("failed", "the model was changed", True)
            mirror.insert("# one\n")
            engine.configure(EngineSettings("third"))  # before the second has begun
            assert (await mirror.ask("text").result).reason == mirror.lines.text
            assert engine.info is not None
            assert (engine.info.name, engine.pid == pid) == ("third", False)
            engine.configure(EngineSettings("third"))  # the directory was replaced
            await state(engine, "loading")
            await state(engine, "ready")
            assert [name for name, _ in heard.states].count("restarting") == 0

    run(main())


@pytest.mark.parametrize("moment", ["at once", "loading", "editing"])
def test_close_leaves_no_process(moment: str) -> None:
    async def main() -> None:
        async with started("never" if moment == "loading" else None) as (engine, heard):
            job = Mirror(engine).ask("hold")
            if moment == "loading":
                await until(lambda: heard.progress)
            elif moment == "editing":
                await job.planned
            await engine.close()
            assert not children()
            assert (await job.result).status == "failed"
            assert engine.state == "closed"
            await engine.close()

    run(main())


def test_closing_a_document_cancels_its_jobs() -> None:
    async def main() -> None:
        async with started() as (engine, _):
            mirror = Mirror(engine)
            job = mirror.ask("hold")
            await job.planned
            engine.close_document(1)
            assert (await job.result).status == "cancelled"
            assert (await mirror.ask("text").result).reason == "the document is not open"
            again = Mirror(engine, "new\n")
            Mirror(engine, "newer\n")  # the same number: the one before is gone
            assert (await again.ask("text").result).reason == "newer\n"

    run(main())


def test_slots_are_used_again() -> None:
    async def main() -> None:
        async with started() as (engine, _):
            mirror = Mirror(engine)
            for n in range(5):
                jobs = [mirror.ask("say x") for _ in range(1000)]
                for job in jobs[n::3]:
                    job.cancel()
                results = [await job.result for job in jobs]
                assert {result.status for result in results} == {"edited", "cancelled"}
            assert engine._jobs.flags.free == SLOTS - 1
            assert not len(engine._jobs)
            assert not engine._jobs.slots
            # More than there are slots: those without one are served all the same.
            jobs = [mirror.ask("say x") for _ in range(SLOTS + 100)]
            assert {(await job.result).status for job in jobs} == {"edited"}
            assert engine._jobs.flags.free == SLOTS - 1

    run(main())


@pytest.mark.parametrize("model", ["", "never"])
def test_a_child_goes_with_its_parent(model: str) -> None:
    """Killed, the parent can tell nobody anything."""
    here = ROOT / "tests" / "support"
    paths = [str(here), *(path for path in sys.path if path)]
    with subprocess.Popen(
        [sys.executable, str(here / "engine_hosts.py"), model],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    ) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        if sys.platform != "win32" and not model:
            child.send_signal(signal.SIGINT)  # a Ctrl-C in the terminal goes to both
        assert child.is_running()
        parent.kill()
        assert parent.stdout.read() == b"", "the child wrote to the protocol's stdout"
    with contextlib.suppress(psutil.NoSuchProcess):
        child.wait(DEADLINE)


def test_messages_keep_requests_and_results() -> None:
    request = EditRequest(
        scope=[(3, 2), (5, 9)],
        diagnostics=[NONE],
        instruction="lone \ud800 surrogate",
        choices=["a", "b\n"],
        seed=4,
        take_likeliest=True,
    )
    assert unpack_request(decode(encode(pack_request(request)))) == request
    edit = TextEdit(Position(0, 1), Position(2, 3), "\r\n\U0001f600\udfff")
    result = EditOutcome(
        "edited", None, 3, (edit,), "<program>", {"forced": 1}, {"total": 0.5}, ("syntax",), False, True, -1.5
    )
    message = result_message(
        7, "edited", None, 3, edits=[[0, 1, 2, 3, edit.new_text]], program="<program>", counts={"forced": 1},
        ms={"total": 0.5}, checked=["syntax"], exact=False, log_likelihood=-1.5, unsure=True,
    )  # fmt: skip
    assert unpack_result(decode(encode(message))) == result
    offered = [
        EditAlternative("First", 0.5, (edit,), "<program>", None, ("syntax",), "checked"),
        EditAlternative("Change nothing", 0.25, (), "<program>", None, (), "unchanged"),
        EditAlternative("Second", 0.125, (), "<program>", "it does not parse", (), "refused"),
    ]
    packed = [
        {
            "title": one.title, "probability": one.probability, "program": one.program, "reason": one.reason,
            "edits": [[0, 1, 2, 3, edit.new_text]] if one.edits else [], "checked": list(one.checked),
        }
        for one in offered
    ]  # fmt: skip
    message = result_message(8, "refused", "which?", 3, unsure=True, alternatives=packed, confidence=None)
    expected = EditOutcome("refused", "which?", 3, unsure=True, alternatives=tuple(offered))
    assert unpack_result(decode(encode(message))) == expected


def test_flags_run_out_gently() -> None:
    flags = Flags(CONTEXT, 3)
    taken = [flags.acquire() for _ in range(4)]
    assert sorted(taken) == [0, 0, 1, 2]
    flags.set(0)
    flags.set(2)
    flags.release(0)
    flags.release(2)
    assert list(flags.shared) == [0, 0, 1]
    assert (flags.acquire(), list(flags.shared)) == (2, [0, 0, 0])


# -- the real host -----------------------------------------------------------------------------------------------------


class Real:
    """The embedded model in a child, with a loop to run tests on: loading takes seconds, so one for all."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.heard = Recorder()
        self.runner.run(self._start())

    async def _start(self) -> None:
        self.engine = Engine(EngineSettings(model="mini"), self.heard, backoff=(0.0,), host=HOST)
        self.engine.start()
        await state(self.engine, "ready")

    def close(self) -> None:
        self.runner.run(self.engine.close())
        self.runner.close()


@pytest.fixture(scope="module")
def real() -> Any:
    real = Real()
    yield real
    real.close()
    assert not children()


def test_the_embedded_model_fixes_and_survives_a_kill(real: Real) -> None:
    async def main() -> None:
        engine = real.engine
        assert engine.info is not None
        assert (engine.info.name, engine.info.languages) == ("mini", ("python", "json", "jsonc"))
        text = TEXT
        mirror = Mirror(engine, text)
        before = Mirror(engine, "# \U0001f600\n", 2, "b.py")
        for round in range(2):
            job = engine.submit(1, EditRequest(diagnostics=[NONE]), encoding=Encoding.UTF16, stream=True)
            shown = [event async for event in job.hunks() if isinstance(event, HunkEvent)]
            result = await job.result
            assert result.status in ("edited", "unchanged", "refused")
            assert result.version == mirror.version
            if result.status == "edited":
                assert tuple(edit for event in shown for edit in event.edits) == result.edits
                assert apply_edits(mirror.lines.text, result.edits) != mirror.lines.text
            status = await engine.status()
            assert status["documents"] == status["engine_documents"] == 2
            assert status["warm_pages"] >= 1
            if round == 0:
                job = engine.submit(1, EditRequest(diagnostics=[NONE]), encoding=Encoding.UTF16)
                assert engine.pid is not None
                kill(engine.pid)
                assert (await job.result).status in ("failed", result.status)
                await state(engine, "restarting")
                before.insert("x = 1\n", 1)
        assert (await before.ask("add a comment").result).version == 1
        engine.close_document(1)
        engine.close_document(2)

    real.runner.run(main())


def test_a_directory_without_a_model_is_a_message_from_the_real_host(real: Real, tmp_path: Path) -> None:
    async def main() -> None:
        engine = real.engine
        mirror = Mirror(engine)
        engine.configure(EngineSettings(str(tmp_path)))
        result = await mirror.ask().result
        assert (result.status, engine.state, result.reason) == ("failed", "failed", engine.message)
        assert str(tmp_path) in str(engine.message)
        engine.configure(EngineSettings(model="mini"))
        await state(engine, "ready")
        job = engine.submit(1, EditRequest(scope=[(99, 99)]), encoding=Encoding.UTF16)
        assert "outside the document" in str((await job.result).reason)
        assert await job.planned == ()

    real.runner.run(main())
