"""How long a quick fix in a warm file takes where the engine is a child, a command, and a command at the other end of SSH.

    python -m copydesk_benchmarks engine_over_ssh [--model NAME] [--threads N] [--delay 0.05] [--scale 1.0]
    python -m copydesk_benchmarks engine_over_ssh --minutes 10 [--every 30] [--seed 0]

Every fix is the engine's, none the linter's own. The same machine runs both ends, and each fix is asked of all in turn, so
that what differs is the way between them. `--delay`: seconds that a proxy before sshd holds back every byte, each way. Target:
with 50 ms of delay at most 120 ms more than a child, p50. Needs sshd and ssh.

With `--minutes` a person works so long over SSH with that delay, and every `--every` seconds the connection is cut while a
request is under way. Target: no request lost, no edit for another text; the exit code is 1 where one was.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from random import Random
from statistics import median
from threading import Event
from typing import Any

from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.standalone.server_latency import URI, Table, diagnostics, ready, source
from loopback_sshd import MISSING, DelayingProxy, LoopbackSshd, available
from lsp_client import FULL, LspClient, ResponseError, edited
from lsp_client import environment as tree

LINES = 500
FIXES = 40
"""Findings that a person asks about."""
THINKS = (0.2, 1.5)
"""Seconds between two requests."""
TYPES_ON = 0.3
"""Of the requests, the share during which the person types."""


def connected(command: Sequence[str], args: argparse.Namespace, text: str) -> LspClient:
    """A server of this engine that has the text open and is ready."""
    client = LspClient(host=None, env={"OMP_NUM_THREADS": str(args.threads)}, model=args.model)
    client.settings = {"engine": {"command": list(command)}, "precompute": False, "linterFixes": "none"}
    client.ignore("window/showMessage")
    client.initialize(FULL)
    client.open(URI, text)
    ready(client)
    return client


def measure(clients: Mapping[str, LspClient], text: str, count: int) -> dict[str, list[float]]:
    """Seconds of each fix, asked a second time. No edit is applied, so pages stay warm."""
    seconds: dict[str, list[float]] = {name: [] for name in clients}
    for found in diagnostics(text)[:count]:
        params = {"textDocument": {"uri": URI, "version": 1}, "diagnostic": found}
        for name, client in clients.items():
            client.request("copydesk/edit", params)
            began = time.perf_counter()
            answer = client.request("copydesk/edit", params)
            if answer["ms"]:  # the engine was asked
                seconds[name].append(time.perf_counter() - began)
    return seconds


@dataclass
class Work:
    """What came of it. seconds: of requests without a cut; cut: of those during which there was one.

    other: edits that are not the local engine's, in the right lines all the same; stale: those in lines that are not.
    """

    seconds: list[float] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    stale: int = 0
    other: int = 0


class Person:
    """At a client that has `text` open at version 1: types a line at the top, asks for a fix further down, now and then types on
    before the answer is there, and looks at it.
    """

    def __init__(self, client: LspClient, uri: str, text: str, seed: int) -> None:
        self._client, self._uri, self._random = client, uri, Random(seed)
        self._texts = {1: text}
        self._typed = {1: 0}
        self._last = 1
        self.work = Work()

    def at_work(
        self,
        fixes: Sequence[tuple[dict[str, Any], str]],
        seconds: float,
        every: float,
        cut: Callable[[], object],
    ) -> Work:
        """fixes: findings, and the text that a local engine makes of each. seconds: how long; every: seconds between two cuts,
        which come while a request is under way."""
        began = time.monotonic()
        due = began + every
        pause = Event()
        while (now := time.monotonic()) < began + seconds:
            self._type()
            cuts = now >= due
            due += every * cuts
            self._ask(*self._random.choice(fixes), cut if cuts else None)
            pause.wait(self._random.uniform(*THINKS))
        return self.work

    def _type(self) -> None:
        line = f"# {self._last}\n"
        top = {"line": 0, "character": 0}
        version = self._client.change(self._uri, {"range": {"start": top, "end": top}, "text": line})
        self._texts[version] = line + self._texts[self._last]
        self._typed[version] = self._typed[self._last] + 1
        self._last = version

    def _ask(self, finding: dict[str, Any], fixed: str, cut: Callable[[], object] | None) -> None:
        asked = self._last
        moved = {**finding, "range": {name: self._moved(place) for name, place in finding["range"].items()}}
        params = {"textDocument": {"uri": self._uri, "version": asked}, "diagnostic": moved}
        began = time.perf_counter()
        ident = self._client.ask("copydesk/edit", params)
        if cut is not None:
            cut()
        elif self._random.random() < TYPES_ON:
            self._type()
        try:
            answer = self._client.answer(ident)
        except (ResponseError, AssertionError):
            self.work.lost += 1
            return
        (self.work.seconds if cut is None else self.work.cut).append(time.perf_counter() - began)
        said = f"{answer['status']}, {answer['verdict']}"
        self.work.verdicts[said] = self.work.verdicts.get(said, 0) + 1
        if answer["status"] == "failed":
            self.work.lost += 1
        elif answer["edit"] is not None:
            self._check(answer, finding, fixed)

    def _check(self, answer: dict[str, Any], finding: dict[str, Any], fixed: str) -> None:
        version = answer["version"]
        if version not in self._texts:
            self.work.stale += 1
            return
        text, edits = edited(self._texts[version], answer["edit"])
        if text.split("\n")[self._typed[version] :] == fixed.split("\n"):
            return
        first = finding["range"]["start"]["line"] + self._typed[version]
        near = any(edit.start.line <= first + 1 and edit.end.line >= first - 1 for edit in edits)
        self.work.other += near
        self.work.stale += not near

    def _moved(self, place: dict[str, int]) -> dict[str, int]:
        return {**place, "line": place["line"] + self._typed[self._last]}


def cut_again_and_again(
    stack: ExitStack, far: Sequence[str], proxy: DelayingProxy, args: argparse.Namespace, text: str
) -> int:
    """A person's work over a connection that is cut. The exit code."""
    child = stack.enter_context(connected((), args, text))
    fixes = []
    for found in diagnostics(text):
        answer = child.request(
            "copydesk/edit", {"textDocument": {"uri": URI, "version": 1}, "diagnostic": found}
        )
        if answer["ms"] and answer["edit"] is not None:  # the engine was asked
            fixes.append((found, edited(text, answer["edit"])[0]))
        if len(fixes) == FIXES:
            break
    client = stack.enter_context(connected(far, args, text))
    work = Person(client, URI, text, args.seed).at_work(fixes, 60 * args.minutes, args.every, proxy.cut)
    table = Table()
    table.row("no cut", work.seconds)
    table.row("a cut under way", work.cut)
    reconnects = client.ready()["connection"]["reconnects"]
    asked = len(work.seconds) + len(work.cut)
    print(
        f"\n{asked} requests, {len(work.cut)} cuts, {reconnects} reconnects: {work.lost} lost, {work.stale} stale edits, "
        f"{work.other} other than the local engine's; {work.verdicts}"
    )
    return int(bool(work.lost or work.stale))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--delay", type=float, default=0.05, help="seconds, each way (default: 0.05)")
    parser.add_argument("--scale", type=float, default=1.0, help="how many, 1.0 being what is reported")
    parser.add_argument("--minutes", type=float, help="a person's work of so long, with cuts")
    parser.add_argument("--every", type=float, default=30.0, help="seconds between two cuts (default: 30)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if not available():
        print(MISSING, file=sys.stderr)
        return 2
    os.environ["PYTHONPATH"] = tree()["PYTHONPATH"]
    program = (sys.executable, "-m", "copydesk_server", "engine")
    print(f"`python -m copydesk_benchmarks engine_over_ssh {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}, {args.threads} threads; model {args.model}; Python {platform.python_version()}, "
        f"torch {version('torch')}; load average at the start {os.getloadavg()[0]:.1f}\n"
    )
    with ExitStack() as stack:
        sshd = LoopbackSshd(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        stack.callback(sshd.close)
        proxy = DelayingProxy(sshd.port, args.delay)
        stack.callback(proxy.close)
        ways = {
            "a child": (),
            "a command": program,
            "a command over SSH": sshd.command(program, threads=args.threads),
            f"the same, {1e3 * args.delay:g} ms each way": sshd.command(
                program, port=proxy.port, threads=args.threads
            ),
        }
        text = source(LINES)
        if args.minutes is not None:
            return cut_again_and_again(
                stack, sshd.command(program, port=proxy.port, threads=args.threads), proxy, args, text
            )
        clients = {
            name: stack.enter_context(connected(command, args, text)) for name, command in ways.items()
        }
        seconds, table = measure(clients, text, round(100 * args.scale)), Table()
        for name, values in seconds.items():
            table.row(
                name, values, f"{1e3 * (median(seconds['a child']) + 0.12):.0f} p50" if ways[name] else ""
            )
        print()
        for name in [name for name, command in ways.items() if command]:
            figures = clients[name].request("copydesk/status")["connection"]
            print(f"- {name}: " + ", ".join(f"{key} {value}" for key, value in figures.items()))
    return 0
