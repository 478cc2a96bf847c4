"""Whatever comes in: the server lives, and every request that can be answered is answered once.

The fuzzer is `wire_fuzzing.py`; `python -m copydesk_benchmarks wire_soak` runs it for as long as you like.
"""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from typing import Any

import pytest

from copydesk_server.lsp import incoming, jsonrpc
from lsp_client import BARE, FULL, LspClient, ResponseError
from lsp_desk import URI, desk, diagnostic
from wire_fuzzing import Fuzzer, fuzz, fuzz_process, legal, nested, read

pytestmark = pytest.mark.slow

TEXT = "a = 1\nb = 2\nif x == None:\n    pass\nc = 3\n"


# -- at random ---------------------------------------------------------------------------------------------------------


def test_38000_bodies_are_taken_or_refused_under_their_own_id() -> None:
    fuzzer = Fuzzer(seed=0)
    for _ in range(38_000):
        body = fuzzer.body()
        try:
            answered = incoming.decode(body).get("id")
        except jsonrpc.MessageError as error:
            answer = error.answer()
            answered = answer["id"] if answer is not None else None
        message = read(body)
        ident = message.get("id") if isinstance(message, dict) else None
        if legal(ident) and ("method" in message or not {"result", "error"} & set(message)):
            assert answered == ident, body


def test_10000_messages_to_the_whole_protocol_process() -> None:
    report = asyncio.run(fuzz(10_000, seed=1))
    assert report.messages == 10_000
    assert report.requests > 2_000


@pytest.mark.parametrize("text", ["[" * 300_000, "[\\n" * 300_000])
def test_brackets_within_a_text_cost_no_memory(text: str) -> None:
    body = f'{{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{{"text":"{text}"}}}}'.encode()
    tracemalloc.start()
    try:
        incoming.decode(body)
        assert tracemalloc.get_traced_memory()[1] < 6 * len(body)
    finally:
        tracemalloc.stop()


def test_2000_messages_over_standard_streams() -> None:
    assert fuzz_process(2_000, seed=2).requests > 400


# -- one by one --------------------------------------------------------------------------------------------------------

NO_URI = {"copydesk": "fix", "uri": [], "version": 1}
KILLERS: list[tuple[Any, int | None]] = [
    ({"id": [], "error": "x"}, None),
    ({"id": {}, "result": 1}, None),
    ({"id": [1], "method": "shutdown"}, -32600),
    ({"id": 9001, "method": "exit"}, -32600),
    ({"id": 9002, "method": "exit", "params": {}}, -32600),
    ({"id": 9003, "method": "initialized", "params": {}}, -32600),
    ({"id": 9004, "method": "textDocument/didOpen", "params": {}}, -32600),
    ({"id": 9005, "method": "$/cancelRequest", "params": {"id": 9005}}, -32600),
    ({"method": "shutdown"}, None),
    ({"method": "shutdown", "params": None}, None),
    ({"method": "initialize", "params": {"capabilities": {}}}, None),
    ({"id": 9006, "method": "copydesk/status", "params": 7}, -32602),
    ({"method": "exit", "params": "x"}, None),
    ({"id": 9007, "method": ["exit"]}, -32600),
    ({"id": 9008}, -32600),
    ({"id": 9009, "method": "copydesk/status", "result": 1}, -32600),
    ({"id": 1 << 60, "method": "copydesk/status"}, -32600),
    ({"id": "x" * 5000, "method": "copydesk/status"}, -32600),
    ({"method": "$/cancelRequest", "params": {"id": []}}, None),
    ({"method": "window/workDoneProgress/cancel", "params": {"token": {}}}, None),
    ({"method": "copydesk/visibleRanges", "params": {"uri": [], "ranges": 7}}, None),
    ({"id": 9010, "method": "codeAction/resolve", "params": {"title": "", "data": NO_URI}}, -32602),
    ({"id": 9011, "method": "copydesk/edit", "params": {"textDocument": {}, "workDoneToken": []}}, -32602),
]  # fmt: skip


def test_no_single_message_ends_the_server() -> None:
    with LspClient() as client:
        client.initialize(FULL)
        for message, code in KILLERS:
            client.send(message)
            if code is not None:
                ident = message["id"] if legal(message["id"]) else None
                with pytest.raises(ResponseError) as error:
                    client.answer(ident)
                assert error.value.code == code, message
            client.barrier()


@pytest.mark.parametrize("depth", [65, 320, 800])
@pytest.mark.parametrize("objects", [False, True])
def test_deep_data_is_answered(depth: int, objects: bool) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            deep = nested(depth, objects)
            for method, params in (
                ("codeAction/resolve", {"title": "x", "data": deep}),
                ("textDocument/codeAction", _at(diagnostic(2, data=deep))),
                ("workspace/executeCommand", {"command": "copydesk.server.apply", "arguments": [deep]}),
            ):
                answer = await d.answer(d.ask(method, params))
                assert answer["error"]["code"] == -32600

    asyncio.run(scenario())


def test_data_within_the_bounds_comes_back_as_it_was() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            deep = nested(incoming.MAX_DEPTH - 4, objects=True)
            assert (await d.request("codeAction/resolve", {"title": "x", "data": deep}))["data"] == deep

    asyncio.run(scenario())


def test_a_large_forged_text_is_refused_at_once() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            place = {"line": 2, "character": 0}
            for size, code in ((3 << 20, -32600), (1000, -32602)):
                forged = {"start": place, "end": place, "new_text": "x" * size}
                found = {
                    "start": place,
                    "end": place,
                    "message": "m",
                    "code": None,
                    "source": None,
                    "severity": 1,
                }
                data = {
                    "copydesk": "fix",
                    "uri": URI,
                    "version": 1,
                    "diagnostic": {**found, "fixes": [[forged]]},
                }
                answer = await d.answer(d.ask("codeAction/resolve", {"title": "x", "data": data}))
                assert answer["error"]["code"] == code
            assert not d.engine.jobs

    asyncio.run(scenario())


@pytest.mark.parametrize("what", ["deep", "raises", "no JSON"])
@pytest.mark.parametrize("waits", [False, True])
def test_what_goes_wrong_while_an_answer_is_written_is_answered(what: str, waits: bool) -> None:
    class Unwritable:
        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            raise MemoryError

    results = {"deep": nested(5000, objects=False), "raises": Unwritable(), "no JSON": {(1, 2): 3}}

    async def scenario() -> None:
        async with desk() as d:

            @d.app.server.feature("copydesk/odd")
            async def odd(_: Any) -> Any:
                return results[what]

            @d.app.server.feature("copydesk/oddAtOnce")
            def odd_at_once(_: Any) -> Any:
                return results[what]

            answer = await d.answer(d.ask("copydesk/odd" if waits else "copydesk/oddAtOnce", {}))
            assert answer["error"]["code"] == -32603

    asyncio.run(scenario())


def test_a_question_that_cannot_be_written_fails_for_who_asks() -> None:
    async def scenario() -> None:
        async with desk() as d:
            asked = d.app.protocol.send_request("copydesk/anything", {"deep": nested(5000, objects=False)})
            assert asked.exception() is not None
            assert not d.app.protocol.pending["asked"]

    asyncio.run(scenario())


def test_an_id_is_used_again_only_after_its_answer() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            ident = d.ask("codeAction/resolve", action)
            await d.engine.job(0)
            d.notify("$/cancelRequest", {"id": ident})
            again = {"id": ident, "method": "copydesk/status", "params": {}}
            d.send(again)  # the first is being cancelled, and not answered yet
            await d.settled()
            answers = [m["error"]["code"] for m in d.wire.sent if m.get("id") == ident]
            assert answers == [-32600, -32800]
            d.wire.sent = [m for m in d.wire.sent if m.get("id") != ident]
            d.send(again)
            assert "result" in await d.answer(ident)

    asyncio.run(scenario())


def test_a_change_that_cannot_be_read_takes_its_document_out_of_step() -> None:
    """Edits of a text the client does not have would be worse than none."""

    async def scenario() -> None:
        async with desk() as d:
            for change in ({"range": 7, "text": "x"}, {"text": nested(100, objects=False)}):
                d.open(TEXT)
                assert d.app.documents.get(URI) is not None
                identifier = {"uri": URI, "version": 2}
                d.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
                assert d.app.documents.get(URI) is None
                assert await d.actions((2, 0), diagnostics=[diagnostic(2)]) == []

    asyncio.run(scenario())


# -- bounds ------------------------------------------------------------------------------------------------------------


def test_a_message_that_is_too_long_is_read_past() -> None:
    long, short = b"x" * 101, b'{"jsonrpc":"2.0","method":"m"}'
    data = b"".join(
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in (short, long, short, long)
    )
    for step in (1, 7, 64, len(data)):
        frames = jsonrpc.Frames(100)
        found = [body for at in range(0, len(data), step) for body in frames.feed(data[at : at + step])]
        assert found == [short, jsonrpc.TOO_LONG, short, jsonrpc.TOO_LONG]
        assert not frames.midway


def test_an_empty_body_is_no_json() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        client.raw(b"Content-Length: 0\r\n\r\n")
        with pytest.raises(ResponseError, match="not JSON") as error:
            client.answer(None)
        assert error.value.code == -32700
        client.barrier()


def test_a_client_that_sends_too_much_is_told() -> None:
    with LspClient() as client:
        client.initialize(BARE)
        body = b" " * (jsonrpc.MAX_BODY + 1)
        client.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        with pytest.raises(ResponseError, match="64 MiB") as error:
            client.answer(None)
        assert error.value.code == -32700
        client.barrier()


@pytest.mark.parametrize(
    ("method", "size", "taken"),
    [
        ("textDocument/didOpen", 16 << 20, True),
        ("textDocument/didChange", 16 << 20, True),
        ("copydesk/diagnostics", 4 << 20, True),
        ("copydesk/diagnostics", 16 << 20, False),
        ("codeAction/resolve", 1 << 10, True),
        ("codeAction/resolve", 2 << 20, False),
        ("nonsense", 2 << 20, False),
    ],
)
def test_only_documents_are_long(method: str, size: int, taken: bool) -> None:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": {"text": "x" * size}}
    asks = method not in incoming.NOTIFICATIONS
    if asks:
        message["id"] = 7
    body = json.dumps(message).encode()
    if taken:
        assert incoming.decode(body) == message
        return
    with pytest.raises(jsonrpc.MessageError) as error:
        incoming.decode(body)
    answer = error.value.answer()
    assert (answer["id"] if answer is not None else None) == (7 if asks else None)


def test_brackets_are_counted_but_not_those_of_a_text() -> None:
    def body(params: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}).encode()

    braces = 'x = "{[\\"' * incoming.MAX_CONTAINERS
    assert incoming.decode(body({"text": braces}))["params"]["text"] == braces
    with pytest.raises(jsonrpc.MessageError):
        incoming.decode(body([[]] * incoming.MAX_CONTAINERS))


def test_the_methods_are_those_that_are_served() -> None:
    async def scenario() -> None:
        async with desk({"textDocument": {"inlineCompletion": {}}}) as d:
            manager = d.app.protocol.fm
            served = {*manager.features, *manager.builtin_features, "initialize", "$/cancelRequest"}
            assert served == incoming.REQUESTS | incoming.NOTIFICATIONS

    asyncio.run(scenario())


def _at(found: dict[str, Any]) -> dict[str, Any]:
    return {"textDocument": {"uri": URI}, "range": found["range"], "context": {"diagnostics": [found]}}
