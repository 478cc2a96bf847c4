"""How long a person waits for the language server, and whether typing ever waits for the model.

    python -m copydesk_benchmarks server_latency [--model DIR] [--threads N] [--nice N]
        [--parts startup,typing,busy,cancel,fix,ahead] [--scale 1.0]

Targets, on 2 CPU cores with the embedded model: `initialize` 300 ms from the start of the process; didChange in 20,000 lines 1 ms
(p99); while the model is busy the light bulb 10 ms and the event loop's lateness 5 ms (p99); a cancelled model is idle after one
forward + 5 ms (p99); a quick fix in a warm file of 500 lines 200 ms (p50) and 400 ms (p90), 10 ms where it was computed ahead.

`startup`, `fix` and `ahead` go over stdio, with the client of the tests; the others have the protocol in this process, so that
what is measured is the server's own time, and the real engine in its child.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.metadata import version
from statistics import mean, median, quantiles
from typing import Any

import psutil

from copydesk.request import EditRequest
from copydesk_benchmarks.facts import hardware
from copydesk_server.lsp.app import App
from copydesk_server.lsp.options import Options
from lsp_client import FULL, LspClient
from server_tools import the_ruff
from soaking import CAPABILITIES, Client, until

URI = "untitled:bench.py"
RULES = "E711,E712,F841,F401,F821,B006,RET505,SIM108,UP032,C408,E731"
BLOCK = """

def fetch_{n}(client, key, seen=[], retries=3):
    unused_{n} = len(key)
    if client == None:
        return "nothing for {{}}".format(key)
    else:
        seen.append(key)
    for attempt in range(retries):
        answer = client.get(key, attempt)
        if answer != None:
            return answr_{n}
    check = lambda value: value is True
    return dict(key=key, check=check)


def total_{n}(values):
    result = 0
    for value in values:
        result += value * {n}
    print(os.getcwd(), json.dumps(result))
    return result
"""
INSTRUCTIONS = [
    "add a docstring",
    "add type hints",
    "rename result to total",
    "raise a ValueError for negative values",
]


def source(lines: int) -> str:
    """A file of about so many lines, with what linters find in it."""
    blocks = [BLOCK.format(n=n) for n in range(1 + lines // BLOCK.count("\n"))]
    return "\n".join(("import os\nimport sys\n" + "".join(blocks)).split("\n")[:lines]) + "\n"


class Table:
    """Rows of milliseconds."""

    def __init__(self) -> None:
        print("| ms | n | min | p50 | p90 | p99 | max | target |\n|---|---|---|---|---|---|---|---|")

    def row(self, name: str, seconds: Sequence[float], target: str = "") -> None:
        if len(seconds) < 2:
            print(f"| {name} | {len(seconds)} | | | | | | {target} |", flush=True)
            return
        ms = [1e3 * value for value in seconds]
        cuts = quantiles(ms, n=100, method="inclusive")
        cells = (min(ms), median(ms), cuts[89], cuts[98], max(ms))
        print(
            f"| {name} | {len(ms)} | " + " | ".join(f"{v:.2f}" for v in cells) + f" | {target} |", flush=True
        )


# -- over stdio --------------------------------------------------------------------------------------------------------


def startup(table: Table, args: argparse.Namespace) -> None:
    seconds = []
    for _ in range(max(10, round(20 * args.scale))):
        began = time.perf_counter()
        client = LspClient(host=None, env=environment(args), model=args.model)
        client.initialize(FULL, initialized=False)
        seconds.append(time.perf_counter() - began)
        client.expected_code = 1
        with client:
            client.notify("exit")
    table.row("process start → `initialize` answered", seconds, "300 median")


def fix(table: Table, args: argparse.Namespace) -> None:
    """Each request is asked once to warm its page, and then measured. No edit is applied, so the page stays warm."""
    text = source(500)
    with server(args, precompute=False) as client:
        client.open(URI, text)
        ready(client)
        identifier = {"uri": URI, "version": 1}
        asks: list[dict[str, Any]] = [{"diagnostic": found} for found in diagnostics(text)]
        heads = [number for number, line in enumerate(text.split("\n")) if line.startswith("def total_")]
        for number, line in enumerate(heads):
            span = {"start": {"line": line, "character": 0}, "end": {"line": line + 6, "character": 0}}
            asks.append({"instruction": INSTRUCTIONS[number % len(INSTRUCTIONS)], "range": span})
        random.Random(0).shuffle(asks)
        asks = asks[: round(120 * args.scale)]
        waited: dict[str, list[float]] = defaultdict(list)
        within: dict[str, list[float]] = defaultdict(list)
        rules: dict[str, list[float]] = defaultdict(list)
        for ask in asks:
            params = {"textDocument": identifier, **ask}
            client.request("copydesk/edit", params)
            began = time.perf_counter()
            answer = client.request("copydesk/edit", params)
            seconds = time.perf_counter() - began
            way = kind_of(answer["counts"])
            rule = ask["diagnostic"]["code"] if "diagnostic" in ask else "instruction"
            for name in ("all", way):
                waited[name].append(seconds)
                within[name].append(answer["ms"].get("total", 0.0) / 1e3)
            rules[f"{rule} ({answer['status']})"].append(seconds)
        table.row("quick fix or edit, request → answer", waited["all"], "200 p50, 400 p90")
        for way in sorted(waited):
            if way != "all":
                table.row(f"- {way}", waited[way])
                table.row("  - of it the engine", within[way])
        for rule in sorted(rules):
            table.row(f"- {rule}", rules[rule])


def ahead(table: Table, args: argparse.Namespace) -> None:
    text = source(100)
    with server(args, precompute=True, precomputeLimit=256, inlineCompletions=True) as client:
        client.open(URI, text)
        ready(client)
        found = diagnostics(text)
        client.notify("copydesk/diagnostics", {"uri": URI, "version": 1, "diagnostics": found})
        there: list[dict[str, Any]] = []
        before, since = -1, time.monotonic()
        while time.monotonic() - since < 5.0:  # until nothing new has come for a while
            there = [one for one in found if any("edit" in action for action in light_bulb(client, one))]
            if len(there) != before:
                before, since = len(there), time.monotonic()
            time.sleep(0.5)
        seconds, resolved, ghost = [], [], []
        for _ in range(max(1, round(10 * args.scale))):
            for one in there:
                began = time.perf_counter()
                action, *_ = light_bulb(client, one)  # those of all findings of its kind come behind it
                seconds.append(time.perf_counter() - began)
                bare = {name: value for name, value in action.items() if name != "edit"}
                began = time.perf_counter()
                assert "edit" in client.request("codeAction/resolve", bare)
                resolved.append(time.perf_counter() - began)
            for one in found:
                place = {"textDocument": {"uri": URI}, "position": one["range"]["start"]}
                began = time.perf_counter()
                client.request("textDocument/inlineCompletion", {**place, "context": {"triggerKind": 2}})
                ghost.append(time.perf_counter() - began)
        table.row(
            f"computed ahead ({len(there)} of {len(found)} are edits): light bulb with the edit",
            seconds,
            "10",
        )
        table.row("computed ahead: resolve", resolved, "10")
        table.row("computed ahead: ghost text, or none", ghost, "10")


def light_bulb(client: LspClient, one: dict[str, Any]) -> list[dict[str, Any]]:
    context = {"diagnostics": [one], "only": ["quickfix"]}
    params = {"textDocument": {"uri": URI}, "range": one["range"], "context": context}
    found: list[dict[str, Any]] = client.request("textDocument/codeAction", params)
    return found


def server(args: argparse.Namespace, **settings: Any) -> LspClient:
    client = LspClient(host=None, env=environment(args), model=args.model)
    client.settings = settings
    client.ignore("window/showMessage")
    client.initialize(FULL)
    return client


def ready(client: LspClient) -> None:
    """The model is loaded, and every page that is to be warm is."""
    while client.request("copydesk/status")["state"] != "ready":
        time.sleep(0.01)


def diagnostics(text: str) -> list[dict[str, Any]]:
    return [
        {
            "range": {
                "start": {"line": found.start.line, "character": found.start.character},
                "end": {"line": found.end.line, "character": found.end.character},
            },
            "message": found.message,
            "code": found.code,
            "source": "Ruff",
            "severity": 2,
        }
        for found in the_ruff().check(text, None, select=RULES)
    ]


def kind_of(counts: dict[str, int]) -> str:
    """How a request was answered, by what it cost."""
    if not counts.get("forwards"):
        return "nothing to ask the model (0 forwards)"
    if not counts.get("generated"):
        return "one of finitely many (no token generated)"
    return "free decoding"


def environment(args: argparse.Namespace) -> dict[str, str]:
    return {"OMP_NUM_THREADS": str(args.threads)}


# -- with the protocol in this process ---------------------------------------------------------------------------------


async def inside(table: Table, args: argparse.Namespace, parts: set[str]) -> None:
    client = Client()
    client.app = App(
        Options(quiet=True, model=args.model, log_level="error"),
        client,
        {"processId": None, "capabilities": CAPABILITIES},
    )
    try:
        client.notify("initialized")
        await until(lambda: client.app.engine.state == "ready", "the engine")
        if args.nice:
            psutil.Process(client.app.engine.pid).nice(args.nice)
        if "typing" in parts:
            await typing(table, args, client)
        client.open(URI, source(500))
        if "busy" in parts:
            await busy(table, args, client)
        if "cancel" in parts:
            await cancel(table, args, client)
    finally:
        await client.app.lifecycle.finish(None)


async def typing(table: Table, args: argparse.Namespace, client: Client) -> None:
    """Characters typed all over a file of 20,000 lines in which 500 findings are known."""
    uri, text = "untitled:long.py", source(20_000)
    client.open(uri, text)
    found = diagnostics(text)[:500]
    client.notify("copydesk/diagnostics", uri=uri, version=1, diagnostics=found)
    lines, random_ = text.count("\n"), random.Random(0)
    seconds = []
    for number in range(round(3000 * args.scale)):
        place = {"line": random_.randrange(lines), "character": 0}
        change = {"range": {"start": place, "end": place}, "text": random_.choice(["x", " ", "\n", "# é\n"])}
        body = message(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": number + 2}, "contentChanges": [change]},
        )
        began = time.perf_counter()
        client.app.protocol.receive(body)
        seconds.append(time.perf_counter() - began)
        await asyncio.sleep(0.001)
    table.row("didChange, 20,000 lines, inside the server", seconds, "1 p99")
    client.notify("textDocument/didClose", textDocument={"uri": uri})


async def busy(table: Table, args: argparse.Namespace, client: Client) -> None:
    """One request after another keeps the model decoding, while somebody types elsewhere and asks for the light bulb."""
    seconds = 10 * args.scale
    late: list[float] = []
    ticker = asyncio.create_task(tick(late))
    await asyncio.sleep(seconds)
    ticker.cancel()
    table.row("event loop late by, model idle", late)
    late.clear()
    ticker = asyncio.create_task(tick(late))
    worker = asyncio.create_task(keep_busy(client))
    bulbs: list[float] = []
    uri = "untitled:other.py"
    client.open(uri, source(500))
    found = diagnostics(source(500))
    end, random_ = time.monotonic() + seconds, random.Random(0)
    while time.monotonic() < end:
        one = random_.choice(found)
        done = asyncio.Event()
        context = {"diagnostics": [one], "only": ["quickfix"]}
        params = {"textDocument": {"uri": uri}, "range": one["range"], "context": context}
        began = time.perf_counter()
        # As a body that has arrived: the loop has to come round to it.
        asyncio.get_running_loop().call_soon(
            client.ask, "textDocument/codeAction", params, answered(began, bulbs, done)
        )
        await done.wait()
        await asyncio.sleep(random_.uniform(0.001, 0.02))
    worker.cancel()
    ticker.cancel()
    status = await client.app.engine.status()
    table.row("light bulb, model busy", bulbs, "10 p99")
    table.row("event loop late by, model busy", late, "5 p99")
    assert status["latencies"], "the model was not busy"
    client.close(uri)


def answered(began: float, seconds: list[float], done: asyncio.Event) -> Callable[[dict[str, Any]], None]:
    def handler(answer: dict[str, Any]) -> None:
        seconds.append(time.perf_counter() - began)
        assert "result" in answer, answer  # empty where nothing can be done about the finding
        done.set()

    return handler


async def tick(late: list[float], every: float = 0.005) -> None:
    """How late a timer of this loop fires. The clock of timers has a grain of its own (a millisecond in epoll)."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + every
        await asyncio.sleep(every)
        late.append(max(0.0, loop.time() - due))


async def keep_busy(client: Client) -> None:
    document = client.app.documents.get(URI)
    assert document is not None
    number = 0
    while True:
        job = client.app.engine.submit(document.id, free_edit(number), encoding="utf-16")
        await job.result
        number += 1


def free_edit(number: int) -> EditRequest:
    """An instruction for a whole function: text the model has to write."""
    lines = source(500).split("\n")
    heads = [at + 1 for at, line in enumerate(lines) if line.startswith("def fetch_")][:-1]
    first = heads[number % len(heads)]
    return EditRequest(
        scope=[(first, first + 12)],
        instruction=f"{INSTRUCTIONS[number % len(INSTRUCTIONS)]} {number}",
        temperature=1.0,
        seed=number,
    )


async def cancel(table: Table, args: argparse.Namespace, client: Client) -> None:
    document = client.app.documents.get(URI)
    assert document is not None
    engine = client.app.engine
    forwards = []
    for number in range(12):
        result = await engine.submit(document.id, free_edit(number), encoding="utf-16").result
        if result.counts.get("forwards"):
            forwards.append(result.ms["total"] / 1e3 / result.counts["forwards"])
    seconds, random_ = [], random.Random(0)
    for number in range(round(200 * args.scale)):
        job = engine.submit(document.id, free_edit(number), encoding="utf-16")
        await job.planned
        await asyncio.sleep(random_.uniform(0.005, 0.05))
        if job.result.done():
            continue
        began = time.perf_counter()
        job.cancel()
        result = await job.result
        if result.status == "cancelled":
            seconds.append(time.perf_counter() - began)
    one = 1e3 * mean(forwards)
    table.row("one forward of these requests (their time by their forwards)", forwards)
    table.row("cancel → the model is idle", seconds, f"{one + 5:.1f} p99")


def message(method: str, params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()


# ----------------------------------------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--parts", default="startup,typing,busy,cancel,fix,ahead")
    parser.add_argument(
        "--nice", type=int, default=0, help="the engine's priority in typing, busy and cancel"
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="how many of each, 1.0 being what is reported"
    )
    args = parser.parse_args()
    parts = set(args.parts.split(","))
    os.environ["OMP_NUM_THREADS"] = str(args.threads)  # the engine's process inherits it
    print(f"`python -m copydesk_benchmarks server_latency {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}, {args.threads} threads; model {args.model}; Python {platform.python_version()}, "
        f"torch {version('torch')}, pygls {version('pygls')}; load average at the start {os.getloadavg()[0]:.1f}\n"
    )
    table = Table()
    if "startup" in parts:
        startup(table, args)
    if parts & {"typing", "busy", "cancel"}:
        asyncio.run(inside(table, args, parts))
    if "fix" in parts:
        fix(table, args)
    if "ahead" in parts:
        ahead(table, args)
    return 0
