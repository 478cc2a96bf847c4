"""What a selection grows to, by syntax, in the client's units."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lsp_desk import RESOLVES, URI, Desk, desk

TEXT = "import os\n\n\ndef f(x):\n    if x:\n        a = go('😀', x)\n        b = 2\n    return a\n"


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


async def ranges(d: Desk, line: int, character: int, uri: str = URI) -> list[tuple[int, int, int, int]]:
    """The smallest first."""
    position = {"line": line, "character": character}
    params = {"textDocument": {"uri": uri}, "positions": [position]}
    (one,) = await d.request("textDocument/selectionRange", params)
    found = []
    while one is not None:
        start, end = one["range"]["start"], one["range"]["end"]
        found.append((start["line"], start["character"], end["line"], end["character"]))
        one = one.get("parent")
    return found


@pytest.mark.parametrize(("encoding", "after"), [("utf-8", 25), ("utf-16", 23), ("utf-32", 22)])
def test_each_is_inside_the_next_in_the_clients_units(encoding: str, after: int) -> None:
    async def scenario() -> None:
        client: dict[str, Any] = {**RESOLVES, "general": {"positionEncodings": [encoding]}}
        async with desk(client) as d:
            d.open(TEXT)
            found = await ranges(d, 5, after - 2)  # x, behind the emoji
            assert found[0] == (5, after - 2, 5, after - 1)
            assert found[1] == (5, 14, 5, after)
            assert (5, 8, 6, 13) in found  # the block
            assert (4, 4, 6, 13) in found  # the if
            assert (3, 0, 7, 12) in found  # the function
            assert found[-1] == (0, 0, 8, 0)
            assert len(found) == len(set(found))

    run(scenario)


def test_a_text_that_changed_is_parsed_anew() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            assert (3, 0, 7, 12) in await ranges(d, 7, 4)
            d.change((0, 0), (0, 0), "# above\n")
            assert (4, 0, 8, 12) in await ranges(d, 8, 4)

    run(scenario)


def test_nobody_can_parse_it_or_it_is_not_open() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open("x", "untitled:a.txt", language="plaintext")
            for uri in ("untitled:a.txt", "untitled:b.py"):
                params = {"textDocument": {"uri": uri}, "positions": [{"line": 0, "character": 0}]}
                assert await d.request("textDocument/selectionRange", params) is None

    run(scenario)
