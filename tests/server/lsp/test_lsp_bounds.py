"""What is bounded: how long a request may take, how large a document may be, how much waits for a client that does not read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.text.document import split_lines
from copydesk_server.lsp import request_deadline
from copydesk_server.lsp.settings import defaults
from copydesk_server.lsp.sizes import LONG, Size
from lsp_desk import URI, Desk, desk, diagnostic, edit

TEXT = "a = 1\nb = 2\nif x == None:\n    pass\nc = 3\n"


def configure(d: Desk, **settings: Any) -> None:
    d.app.settings.set_values(settings)


# -- time --------------------------------------------------------------------------------------------------------------


ASK = {"textDocument": {"uri": URI, "version": 1}, "diagnostic": diagnostic(2)}


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From its call on, time runs a million times as fast for what is set to happen later."""
    return lambda: _hurry(monkeypatch)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time runs a million times as fast for what is set to happen later."""
    _hurry(monkeypatch)


def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    real = asyncio.BaseEventLoop.call_later

    def call_later(loop: Any, delay: float, *rest: Any, **more: Any) -> Any:
        return real(loop, delay * 1e-6, *rest, **more)

    monkeypatch.setattr(asyncio.BaseEventLoop, "call_later", call_later)


@pytest.mark.parametrize("method", ["codeAction/resolve", "workspace/executeCommand", "copydesk/edit"])
def test_a_request_that_takes_too_long_is_answered_with_the_reason(
    method: str, hurry: Callable[[], None]
) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.engine.obeys = False
            d.open(TEXT)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            params = {
                "codeAction/resolve": action,
                "workspace/executeCommand": {"command": "copydesk.server.apply", "arguments": [action["data"]]},
                "copydesk/edit": {**ASK, "token": "t"},
            }[method]  # fmt: skip
            hurry()
            ident = d.ask(method, params)
            job = await d.engine.job(0)
            answer = await d.answer(ident)
            assert answer["error"]["code"] == -32803
            assert "20 seconds" in answer["error"]["message"]
            assert "requestTimeout" in answer["error"]["message"]
            assert job.cancelled, "the model is stopped"
            job.edited(edit((2, 5), (2, 7), "is"))  # too late, and not answered again
            await d.settled()

    asyncio.run(scenario())


@pytest.mark.usefixtures("hurried")
def test_a_model_that_never_loads_keeps_no_request_waiting_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_deadline, "LOADING_SECONDS", 59.0)

    async def scenario() -> None:
        async with desk(loads=True) as d:
            d.open(TEXT)
            answer = await d.answer(d.ask("copydesk/edit", ASK))
            assert answer["error"]["code"] == -32803
            assert "59 seconds" in answer["error"]["message"]
            assert "still loading" in answer["error"]["message"]

    asyncio.run(scenario())


@pytest.mark.usefixtures("hurried")
def test_the_time_of_a_request_begins_when_the_engine_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_deadline, "LOADING_SECONDS", 1e9)

    async def scenario() -> None:
        async with desk(loads=True) as d:
            d.open(TEXT)
            ident = d.ask("copydesk/edit", ASK)
            job = await d.engine.job(0)
            await asyncio.to_thread(time.sleep, 0.1)  # five thousand times the limit
            assert not job.cancelled
            assert not [message for message in d.wire.sent if message.get("id") == ident]
            d.engine.loaded()
            answer = await d.answer(ident)
            assert answer["error"]["code"] == -32803
            assert job.cancelled

    asyncio.run(scenario())


@pytest.mark.usefixtures("hurried")
def test_a_request_that_does_not_end_is_answered_all_the_same() -> None:
    async def scenario() -> None:
        async with desk() as d:
            end = asyncio.Event()

            @d.app.server.feature("copydesk/stubborn")
            async def stubborn(_: Any) -> str:
                while not end.is_set():
                    try:
                        await end.wait()
                    except asyncio.CancelledError:
                        continue
                return "too late"

            answer = await d.answer(d.ask("copydesk/stubborn", {}))
            assert answer["error"]["code"] == -32803
            end.set()
            await d.settled()

    asyncio.run(scenario())


@pytest.mark.usefixtures("hurried")
def test_what_was_shown_is_taken_back_before_the_error() -> None:
    async def scenario() -> None:
        async with desk() as d:
            configure(d, requestTimeout=86400)
            d.open(TEXT)
            where = {"textDocument": {"uri": URI, "version": 1}, "diagnostic": diagnostic(2), "token": "t"}
            ident = d.ask("copydesk/edit", where)
            job = await d.engine.job(0)
            from copydesk_server.engine_process.jobs import HunkEvent

            job.job.show(HunkEvent(0, (edit((2, 5), (2, 7), "is"),)))
            await d.answer(ident)
            said = [m.get("method", "answer") for m in d.wire.sent if m.get("id") in (ident, None)]
            assert [one for one in said if one in ("copydesk/hunk", "copydesk/retract", "answer")] == [
                "copydesk/hunk",
                "copydesk/retract",
                "answer",
            ]

    asyncio.run(scenario())


# -- documents ---------------------------------------------------------------------------------------------------------


@given(st.text(st.sampled_from("aé\U0001f600\n\r"), max_size=30), st.integers(0, 2))
def test_a_size_is_that_of_the_text(text: str, long: int) -> None:
    lines = split_lines(text + ("x" * LONG + "\n") * long)
    size = Size(lines)
    assert size.bytes == sum(len(line.encode()) for line in lines)
    assert size.longest == max((len(line.encode()) for line in lines if len(line) >= LONG), default=0)
    size.remove(lines)
    assert (size.bytes, size.longest) == (0, 0)


@pytest.mark.parametrize(
    ("setting", "text", "more"),
    [
        ("maxDocumentBytes", "a == None\n", "é\n" * 600),
        ("maxLineBytes", "a == None\n", "é" * 2100),
    ],
)
def test_a_document_beyond_a_limit_does_not_reach_the_engine(setting: str, text: str, more: str) -> None:
    limit = {"maxDocumentBytes": 1024, "maxLineBytes": 4096}[setting]

    async def scenario() -> None:
        async with desk() as d:
            configure(d, **{setting: limit})
            d.open(text + more)
            document = d.app.documents.get(URI)
            assert document is not None
            assert not d.engine._documents
            assert await d.actions((0, 0), diagnostics=[diagnostic(0)]) == []
            ask = {"textDocument": {"uri": URI, "version": 1}, "diagnostic": diagnostic(0)}
            refused = await d.request("copydesk/edit", ask)
            assert refused["status"] == "refused"
            assert setting in refused["reason"]
            d.change((0, 0), (0, 0), "x")
            (said,) = d.said()
            assert setting in said
            assert str(limit) in said
            # It is served as soon as it is small enough, with the text of then, and refused when it grows again.
            d.change((1, 0), (9999, 0), "")
            assert [lines.text for lines, _ in d.engine._documents.values()] == [d.text()]
            assert len(await d.actions((0, 0), diagnostics=[diagnostic(0)])) == 1
            d.change((1, 0), (1, 0), more)
            assert not d.engine._documents
            # Another limit is another matter.
            configure(d)
            assert [lines.text for lines, _ in d.engine._documents.values()] == [d.text()]
            configure(d, **{setting: limit})
            assert not d.engine._documents
            d.close()

    asyncio.run(scenario())


def test_the_limits_have_room_for_what_people_write() -> None:
    assert defaults().max_document_bytes == 1 << 20
    assert defaults().max_line_bytes == 1 << 18
