"""Programs from a served model, decided one by one and as a whole, and from the same model in this process.

    python -m copydesk_benchmarks served_ways [--server llamacpp:URL] [--model standard] [--requests 20] [--threads 1]

Without `--server` llama.cpp's own server is run on loopback, built first where it is not there yet (`make test-engines`).
Requests are instructions in plain words on small functions that the model answers freely, without rules and lists. Requests
counted are those to the server, or forwards of our own; "same" are programs equal to those of our own model.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median

import torch

from copydesk.editor import Editor
from copydesk.program import Program
from copydesk.request import EditRequest
from copydesk_benchmarks.facts import default_threads, facts, in_words


@dataclass
class Measured:
    """Of every request: milliseconds, requests or forwards, tokens generated, prompt tokens computed and cached, the program."""

    ms: list[float] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    computed: list[int] = field(default_factory=list)
    cached: list[int] = field(default_factory=list)
    programs: list[Program | None] = field(default_factory=list)
    refused: int = 0


def main() -> int:
    """Print a table as Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--server")
    parser.add_argument("--model", default="standard")
    parser.add_argument("--requests", type=int, default=20)
    parser.add_argument("--threads", type=int, default=default_threads())
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    machine = facts(torch.device("cpu"))
    rows: dict[str, Measured] = {}
    with Editor.load(args.model, "cpu", warm=False) as own:
        dtype = str(own.loaded_model.model.dtype).removeprefix("torch.")
        rows[f"in this process ({dtype})"] = ours = measure(own, args.requests)
    with (
        _server(args.server, args.model, args.threads) as address,
        Editor.load(address, served_model=args.model, warm=False) as served,
    ):
        session = served.loaded_model.served
        assert session is not None
        chosen = session.way
        for way in ("decisions", "whole"):
            session.way = way
            rows[f"served, {way}" + (" (the probe's choice)" if way == chosen else "")] = measure(
                served, args.requests
            )
        software, trip = session.description.software, session.round_trip
    print("# Programs from a served model, decided one by one and as a whole\n")
    print(
        f"`python -m copydesk_benchmarks served_ways {' '.join(sys.argv[1:])}`, {datetime.now(UTC).date().isoformat()}\n"
    )
    print(f"{in_words(machine)}; {software}, bf16; a request for one token takes {trip * 1e3:.0f} ms\n")
    print("| | ms, median | ms, most | requests | tokens | of prompts: computed | cached | same | refused |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        same = sum(a == b for a, b in zip(row.programs, ours.programs, strict=True))
        print(
            f"| {name} | {median(row.ms):.0f} | {max(row.ms):.0f} | {median(row.asked):.0f} | {median(row.tokens):.0f} | "
            f"{median(row.computed):.0f} | {median(row.cached):.0f} | "
            f"{same}/{len(row.programs)} | {row.refused} |"
        )
    print(
        "\nEvery request is asked twice, the second time with its page in the cache; that one counts. Requests: to the server, or"
        " forwards of our own. same: programs equal to those of our own model, whose weights are rounded otherwise. As a whole, a"
        " program is chosen token by token, and has no subs where they are too many: its answers are not those of the exact law."
    )
    return 0


def measure(editor: Editor, requests: int) -> Measured:
    """Every request twice, the second time with its page in the cache; that one counts."""
    import served_cases

    found = Measured()
    for case in served_cases.instructions(requests):
        document = editor.open("a.py", case.text)
        request = EditRequest(
            scope=[case.scope],
            instruction=case.params["instruction"],
            phrases=False,
            narrow=False,
            max_tokens=96,
        )
        document.edit(request)
        result = document.edit(request)
        document.close()
        found.ms.append(result.ms["total"])
        found.asked.append(result.counts.forwards)
        found.tokens.append(result.counts.generated + result.counts.drafted)
        found.computed.append(result.counts.prefilled)
        found.cached.append(result.counts.reused)
        found.programs.append(result.program)
        found.refused += result.status == "refused"
    return found


@contextmanager
def _server(address: str | None, model: str, threads: int) -> Iterator[str]:
    if address is not None:
        yield address
        return
    import llama_server

    with open(os.devnull, "wb") as log:
        server = llama_server.LlamaServer(llama_server.exported(model), model, log, threads=threads)
        try:
            yield server.address
        finally:
            server.close()
