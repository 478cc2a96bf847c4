"""A served model behind an engine that is a command (`engine.command`): its address is meant where the command runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from copydesk.editor import Editor
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Encoding, Position
from copydesk_server.engine_process.client import Engine
from copydesk_server.engine_process.messages import EngineSettings
from engine_hosts import Recorder, run, state
from engine_programs import ENGINE
from fake_servers import Backend, FakeServer, llama_cpp
from lsp_client import environment

TEXT = "def f(x):\n    if x == None:\n        return 1\n    return x\n"
NONE = Diagnostic(
    Position(1, 12), Position(1, 16), "Comparison to `None` should be `cond is None`", "E711", "Ruff"
)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with Editor.load("mini", "cpu", dtype="fp32", warm=False) as editor:
        loaded = editor.loaded_model
        with llama_cpp(Backend(loaded.model, loaded.vocabulary), "mini") as server:  # type: ignore[arg-type]
            yield server


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands get this environment."""
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])


def test_the_settings_of_a_served_model_reach_the_command(server: FakeServer) -> None:
    async def main() -> None:
        settings = EngineSettings(command=ENGINE, model=server.address, served_model="mini")
        engine = Engine(settings, Recorder(), backoff=(0.0,))
        engine.start()
        await state(engine, "ready")
        assert engine.info is not None
        assert engine.info.device.startswith("llama.cpp")
        engine.open(1, "a.py", "python", 0, lambda: TEXT)
        before = len(server.asked)
        job = engine.submit(1, EditRequest(diagnostics=[NONE], narrow=False), encoding=Encoding.UTF16)
        outcome = await job.result
        assert outcome.status in ("edited", "unchanged", "refused")
        assert len(server.asked) > before
        await engine.close()

    run(main())


def test_another_model_than_the_one_that_is_served_is_refused_in_words(server: FakeServer) -> None:
    async def main() -> None:
        settings = EngineSettings(command=ENGINE, model=server.address, served_model="standard")
        engine = Engine(settings, Recorder(), backoff=(0.0,))
        engine.start()
        await state(engine, "failed")
        assert "serves mini, not standard" in str(engine.message)
        await engine.close()

    run(main())
