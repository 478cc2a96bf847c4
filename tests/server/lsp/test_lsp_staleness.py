"""An edit is for the document as the server knows it when the answer leaves, whichever turn of the loop a change comes in."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lsp_desk import URI, Desk, desk, diagnostic, edit, span

TEXT = "a == None\nb == None\nc == None\n"
TURNS = range(24)
"""More than an answer takes from the engine's result to the wire."""


async def scenario(turns: int, ask: str) -> tuple[int, int]:
    """The version of the answer's edit, and the server's version of the document as it left."""
    async with desk() as d:
        d.open(TEXT)
        found = diagnostic(1)
        if ask == "codeAction/resolve":
            (params,) = await d.actions((1, 0), diagnostics=[found])
        else:
            params = {"textDocument": {"uri": URI, "version": 1}, "diagnostic": found}
        ident = d.ask(ask, params)
        sent: list[int] = []
        send = d.wire.send

        def watching(frame: bytes, key: str | None = None) -> None:
            send(frame, key)
            if d.wire.sent[-1].get("id") == ident:
                sent.append(version(d))

        d.wire.send = watching  # type: ignore[method-assign]
        job = await d.engine.job(0)
        job.plan((2, 2))
        job.edited(edit((1, 2), (1, 4), "is"))
        for _ in range(turns):
            await asyncio.sleep(0)
        d.change((0, 0), (0, 0), "# above\n")
        answer: dict[str, Any] = await d.answer(ident)
        (change,) = (answer["result"]["edit"])["documentChanges"]
        (one,) = change["edits"]
        said: int = change["textDocument"]["version"]
        assert one["range"] == span((said, 2), (said, 4)), "the edit is where its version has it"
        return said, sent[0]


def version(d: Desk) -> int:
    document = d.app.documents.get(URI)
    assert document is not None
    return document.version


@pytest.mark.parametrize("ask", ["codeAction/resolve", "copydesk/edit"])
def test_a_change_before_the_answer_leaves_is_in_it(ask: str) -> None:
    seen = [asyncio.run(scenario(turns, ask)) for turns in TURNS]
    assert all(said == known for said, known in seen), seen
    assert {said for said, _ in seen} == {1, 2}, "changes came before the answer, and after it"
