"""More than anybody could want done: changes, cancels, messages nobody reads, messages that are none."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import select
import subprocess
import sys
import time

from attacks.arena import TEXT, Arena
from attacks.memory import Watch
from copydesk_server.lsp import jsonrpc
from lsp_client import BARE, SCRIPTED, entry, environment, frame
from soaking import Size, soak
from wire_fuzzing import fuzz, fuzz_process

DOCUMENTS = 8
CHANGES = 1500
MESSAGES = 2000
UNREAD = 40_000
STILL = 3.0
"""Seconds without a byte taken, after which the server is thought to have stopped listening."""
DEADLINE = 240.0


def work(arena: Arena) -> None:
    """What `server_soak.py` does: both mirrors are the client's text, no edit is stale, nothing is left over."""
    size = Size(documents=10, edits=800, fixes=20, cancels=20, seed=arena.random.randrange(1 << 32))
    report = asyncio.run(soak(size))
    assert not report.faults, report.faults
    arena.tried(size.edits + size.fixes + size.cancels)


def changes(arena: Arena) -> None:
    """All at once, without waiting; each request has one answer."""
    choose = arena.random
    with arena.server() as server:
        uris = [server.open(f"untitled:{number}.py", TEXT) for number in range(DOCUMENTS)]
        asked: list[int] = []
        for _ in range(CHANGES):
            uri = choose.choice(uris)
            if choose.random() < 0.02:
                server.change(uri, {"text": TEXT})
                asked.append(server.edit(uri))
                if choose.random() < 0.7:
                    server.cancel(asked[-1])
            else:
                line = choose.randrange(8)
                place = {"line": line, "character": choose.randrange(9)}
                text = choose.choice(("x", "\n", "é\U0001f600", "x" * 5000))
                server.change(uri, {"range": {"start": place, "end": place}, "text": text})
        for ident in asked:
            server.settled(ident)
        for uri in uris:
            server.close(uri)
        arena.tried(CHANGES)


def fuzzed(arena: Arena) -> None:
    """Messages with something wrong about them, to a server in this process and to one of its own."""
    logging.disable(logging.CRITICAL)  # what is wrong with each
    try:
        asyncio.run(fuzz(MESSAGES, arena.random.randrange(1 << 32)))
        fuzz_process(MESSAGES // 4, arena.random.randrange(1 << 32))
    finally:
        logging.disable(logging.NOTSET)
    arena.tried(MESSAGES + MESSAGES // 4)


def deaf(arena: Arena) -> None:
    """A client that asks and does not read. Once it reads, everything the server has taken is answered, once."""
    process = subprocess.Popen(
        [sys.executable, *entry(SCRIPTED), "--log-level", "error"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    watch = Watch(process.pid)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        params = {"processId": None, "capabilities": BARE}
        sent = bytearray(frame({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
        sent += frame({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        long = "x" * arena.random.choice((1, 300, 1000))
        for number in range(1, UNREAD):
            sent += frame({"jsonrpc": "2.0", "id": number, "method": f"copydesk/{long}"})
        sent += frame({"jsonrpc": "2.0", "id": UNREAD, "method": "shutdown"})
        _exchange(process, bytes(sent))
        arena.tried(UNREAD)
    finally:
        watch.end()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            stream.close()  # type: ignore[union-attr]
    arena.measured(watch.protocol, 1 << 11)


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write all that is taken while nothing is read; then read and write on."""
    source, sink = process.stdout.fileno(), process.stdin.fileno()  # type: ignore[union-attr]
    os.set_blocking(sink, False)
    frames, answered, view = jsonrpc.Frames(), set[int](), memoryview(data)
    end, reads = time.monotonic() + DEADLINE, False
    while len(answered) <= UNREAD:
        assert time.monotonic() < end, (
            f"{UNREAD + 1 - len(answered)} of {UNREAD + 1} requests without an answer"
        )
        readable, writable, _ = select.select([source] if reads else [], [sink] if view else [], [], STILL)
        if not readable and not writable:
            reads = True  # it has stopped listening, or has it all
        if writable:
            view = view[os.write(sink, view[: 1 << 16]) :]
        if readable:
            read = os.read(source, 1 << 16)
            assert read, "the server has gone"
            for body in frames.feed(read):
                message = json.loads(body)
                if "method" not in message:
                    assert message["id"] not in answered, f"{message['id']} was answered twice"
                    answered.add(message["id"])
