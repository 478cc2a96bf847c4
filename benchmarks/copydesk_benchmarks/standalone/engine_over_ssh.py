"""How long a quick fix in a warm file takes where the engine is a child, a command, and a command at the other end of SSH.

    python -m copydesk_benchmarks engine_over_ssh [--model NAME] [--threads N] [--delay 0.05] [--scale 1.0]

Every fix is the engine's, none the linter's own. The same machine runs both ends, and each fix is asked of all in turn, so
that what differs is the way between them. `--delay`: seconds that a proxy before sshd holds back every byte, each way. Target:
with 50 ms of delay at most 120 ms more than a child, p50. Needs sshd and ssh.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from statistics import median

from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.standalone.server_latency import URI, Table, diagnostics, ready, source
from loopback_sshd import MISSING, DelayingProxy, LoopbackSshd, available
from lsp_client import FULL, LspClient
from lsp_client import environment as tree

LINES = 500


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


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="mini", help="default: mini, the embedded model")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--delay", type=float, default=0.05, help="seconds, each way (default: 0.05)")
    parser.add_argument("--scale", type=float, default=1.0, help="how many, 1.0 being what is reported")
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
