"""Changes that cannot be read: no document of which the text is in doubt is edited, and the person is told."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from copydesk_server.lsp import incoming, jsonrpc
from lsp_desk import URI, desk, diagnostic

TEXT = "a = 1\nb = 2\nif x == None:\n    pass\n"
OTHER = "untitled:b.py"
CHANGE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "method": "textDocument/didChange",
    "params": {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": "x\n"}]},
}
WRITTEN = json.dumps(CHANGE).encode()


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        (WRITTEN[:-1], {URI, OTHER}),
        (WRITTEN.replace(b"x\\n", b"\xff"), {URI, OTHER}),
        (jsonrpc.TOO_LONG, {URI, OTHER}),
        (b"", set()),
        (b"[" * (incoming.MAX_CONTAINERS + 1) + WRITTEN, {URI, OTHER}),
        (WRITTEN.replace(b'"text"', b'"txet"'), {URI}),
        (WRITTEN.replace(b"2.0", b"1.0"), {URI}),
        (b"{", set()),
        (WRITTEN[:-1].replace(b"didChange", b"didSave"), set()),
        (b'{"jsonrpc": "2.0", "id": 7.5, "method": "copydesk/status"}', set()),
    ],
)
def test_a_document_whose_text_is_in_doubt_is_left_alone(body: bytes, lost: set[str]) -> None:
    async def scenario() -> None:
        async with desk() as d:
            for uri in (URI, OTHER):
                d.open(TEXT, uri)
            d.app.protocol.receive(body)
            for answer in [m for m in d.wire.sent if "method" not in m]:
                assert answer["id"] is None
                d.wire.sent.remove(answer)
            for uri in (URI, OTHER):
                shown = await d.actions((2, 0), diagnostics=[diagnostic(2)], uri=uri)
                assert (shown == []) is (uri in lost)
            assert len(d.engine._documents) == 2 - len(lost), "and the engine's copy has gone"
            assert len([one for one in d.said() if "opened again" in one]) == (len(lost) == 2)
            for uri in lost:  # opened again, it is served again
                d.close(uri)
                d.open(TEXT, uri)
                assert await d.actions((2, 0), diagnostics=[diagnostic(2)], uri=uri)

    asyncio.run(scenario())


def test_the_person_is_told_once_and_not_where_nothing_was_open() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.app.protocol.receive(jsonrpc.TOO_LONG)
            assert d.said() == []
            d.open(TEXT)
            d.app.protocol.receive(jsonrpc.TOO_LONG)
            d.app.protocol.receive(jsonrpc.TOO_LONG)
            assert len(d.said()) == 1
            d.wire.sent = [m for m in d.wire.sent if "method" in m]

    asyncio.run(scenario())
