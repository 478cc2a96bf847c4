"""The race against what people would use instead: llama.cpp, transformers and copydesk, the same weights and edits, on a CPU.

    python -m copydesk_benchmarks race [--model standard] [--threads 1] [--lengths 50,200,1000,5000] [--rounds 3] [--seconds 2]
        [--out benchmarks/results]

Every row writes the same bytes: the gold text of its own format. Files are functions of the standard library with one function in
their middle that is edited in one to three lines. All rows take turns in one run; one that has taken `--seconds` at a length gets
no further turn there, one that would take more than `--longest` is not run, and says how long it would take. `--small` shows that
everything works. Needs the model, and what llama.cpp is built with (`make test-engines`); it is built first, once.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import torch

import llama_server
from copydesk.grammar.token_grammar import one_of
from copydesk.models.installed import installed_directory
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.served.dialect import Generation
from copydesk.served.http_client import Call
from copydesk.served.llama_cpp import LlamaCpp
from copydesk.served.session import Way
from copydesk.serving.loaded_model import LoadedModel
from copydesk_benchmarks import subject
from copydesk_benchmarks.checkout import ROOT
from copydesk_benchmarks.documents import edits
from copydesk_benchmarks.facts import default_threads, facts
from copydesk_benchmarks.llama_replay import CONTEXT, Replayer, compiled
from copydesk_benchmarks.race_rows import (
    DRAFTS,
    HEATS,
    EngineRow,
    GrammarRow,
    LlamaRow,
    Row,
    ServedRow,
    Stage,
    TransformersRow,
    stage,
)
from copydesk_benchmarks.race_tables import (
    Cell,
    Results,
    behind_table,
    forcing_table,
    latency_table,
    own_table,
    plot,
    targets,
    token_table,
)
from copydesk_benchmarks.report import Report
from copydesk_benchmarks.rivals import FORMATS, Format, Method, Rivals, Task
from copydesk_benchmarks.scripted_engine import ScriptedEngine
from copydesk_benchmarks.served_script import ServedEngine
from copydesk_benchmarks.sizes import ORDER

REFERENCE = "copydesk, torch int8"
WAYS: dict[Way, str] = {"decisions": "request by request", "whole": "as a whole"}
PRECISIONS = ("Q8_0", "bf16")
TRANSFORMERS: tuple[tuple[Method, Format], ...] = (
    ("generate", "blocks"), ("prompt lookup", "blocks"), ("generate", "scope"), ("tuned lookup", "scope"),
    ("generate", "file"), ("tuned lookup", "file"),
)  # fmt: skip


def _settings() -> str:
    return ", ".join(
        f"{d.kind} with n {d.size_n} and m {d.size_m} for {FORMATS[f]}"
        for f, d in DRAFTS["its n-gram drafts, tuned"].items()
    )


NOTES = (
    "ms: the mean over edits of the median run. A row that takes long begins with the edit that is dearest for copydesk and"
    " may stop there; its ratio compares the same edits.",
    "cold: nothing is computed yet, so the prompt is part of the time. warm: what the prompt shows of the document is in"
    " the cache (llama.cpp's prompt cache, copydesk's warm page), the request behind it is not. copydesk's document has just"
    " been typed in, so its syntax tree is out of date.",
    "Rows that rewrite the scope, or write search/replace blocks, are shown copydesk's own page and not the whole file:"
    " without copydesk's paging their prompts would grow with the file.",
    "llama.cpp is told which tokens to write: each of its forwards is the one it would do, and its drafts are accepted as"
    " far as the gold text agrees with them. `llama_replay.cpp` calls the library that `llama-server` is made of, with the"
    " server's defaults, without its HTTP, samplers and checks. The last table shows what that does to it.",
    "n-gram drafts: `--spec-type ngram-simple` as it comes. Tuned: what served these edits best of fourteen settings of"
    f" llama.cpp's five kinds, which is {_settings()}. For blocks no setting was faster than none.",
    "GBNF: the grammar of copydesk's programs on that page, token by token, parsed with each request as the server does; of"
    " copies and new text alone where subs would be too many.",
    "transformers: float32, whose single tokens took a third of the time of its bf16; prompt lookup with the tuned settings"
    " of `copydesk bench edit`, as they come for blocks.",
    "copydesk's times have planning, tokenising, grammar, checks and edits in them. The others get their prompts as tokens,"
    " and reading what they wrote is not part of their time. Every row's text stands for the edited file, byte for byte.",
    "copydesk over llama.cpp: its requests to a real `llama-server` over HTTP; text is written under a grammar that allows"
    " the gold text alone.",
    f"does not fit the context: of {CONTEXT:,} tokens. ≥: not run; its pace on a shorter file times the tokens.",
)


def main() -> int:
    """Write `race-cpu.md`, `race-cpu.json` and `race-cpu.png`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="standard")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--lengths", default="50,200,1000,5000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--longest", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--small", action="store_true", help="50 lines, one round, one edit, short rows")
    args = parser.parse_args()
    if args.small:
        args.lengths, args.rounds, args.seconds, args.longest = "50", 1, 0.0, 15.0
    if missing := llama_server.missing():
        print(missing, file=sys.stderr)
        return 2
    torch.set_num_threads(args.threads)
    began = time.monotonic()
    machine = facts(torch.device("cpu"))
    with ExitStack() as held:
        log = held.enter_context(open(os.devnull, "wb"))
        field = Field(args, held, log)
        results = race(field, args)
        paces = field.paces()
    minutes = (time.monotonic() - began) / 60
    report = Report(
        "race-cpu",
        "The race against what people would use instead",
        f"python -m copydesk_benchmarks race {' '.join(sys.argv[1:])}".strip(),
        datetime.now(UTC).date().isoformat(),
        machine,
        {
            "model": args.model,
            "threads": args.threads,
            "llama.cpp": f"{field.build} of {llama_server.PACKAGE}, {field.system}",
            "minutes": minutes,
        },
        [
            *(latency_table(results, heat, REFERENCE) for heat in HEATS),
            behind_table(results, REFERENCE),
            own_table(results, REFERENCE),
            token_table(results),
            forcing_table(paces),
        ],
        targets(results, REFERENCE),
        plot(results, args.out / "race-cpu.png"),
        list(NOTES),
    )
    print(report.save(args.out).read_text("utf-8"))
    return 0


class Field:
    """All engines and servers of a race, and its rows."""

    def __init__(self, args: argparse.Namespace, held: ExitStack, log: IO[bytes]) -> None:
        directory = installed_directory(args.model)
        assert directory is not None, f"copydesk model get {args.model}"
        files = {"bf16": llama_server.exported(args.model), "Q8_0": llama_server.quantized(args.model)}
        self.engines = {
            dtype: ScriptedEngine(LoadedModel.load(args.model, device="cpu", dtype=dtype))
            for dtype in ("int8", "bf16")
        }
        llama_server.built(llama_server.SERVER)
        program = compiled(llama_server.folder() / "build", llama_server.source())
        self.replayers = {kind: Replayer(program, files[kind], args.threads, log) for kind in PRECISIONS}
        self.served = {}
        for kind in PRECISIONS:
            server = llama_server.LlamaServer(
                files[kind], args.model, log, "--cache-ram", "0", threads=args.threads
            )
            held.callback(server.close)
            self.served[kind] = ServedEngine(server.address, args.model)
        for engine in self.engines.values():
            held.callback(engine.close)
        for replayer in self.replayers.values():
            held.callback(replayer.close)
        for served in self.served.values():
            held.callback(served.close)
        rivals = Rivals(subject.load(directory, device="cpu", dtype="fp32"))
        self.build, self.system = self.replayers["bf16"].build, self.replayers["bf16"].system.strip(" |\n")
        self.rows: list[Row] = [
            EngineRow(f"copydesk, torch {dtype}", engine) for dtype, engine in self.engines.items()
        ]
        for kind in PRECISIONS:
            for way, said in WAYS.items():
                self.rows.append(ServedRow(f"copydesk over llama.cpp {kind}, {said}", self.served[kind], way))
        for kind, replayer in self.replayers.items():
            self.rows.append(GrammarRow(f"llama.cpp {kind}, programs under GBNF", replayer))
            for format, told in reversed(FORMATS.items()):
                name = f"llama.cpp {kind}, {told}"
                self.rows.append(LlamaRow(name, replayer, format, None))
                self.rows += [
                    LlamaRow(f"{name}, {said}", replayer, format, drafts[format])
                    for said, drafts in DRAFTS.items()
                    if format in drafts
                ]
        self.rows += [TransformersRow(rivals, method, format) for method, format in TRANSFORMERS]
        self._shortest: Stage | None = None

    def stage(self, lines: int, names: Sequence[str]) -> Stage:
        by_name = {edit.name: edit for edit in edits(lines)}
        found = stage([by_name[name] for name in names], self.engines["int8"], self.served["Q8_0"])
        if self._shortest is None:
            self._shortest = found
            # What each does once, before anything is timed; llama.cpp's programs did it when they started.
            for row in self.rows:
                if row.kind in ("engine", "served") or row.name == self.rows[-1].name:
                    row.run(found, found.edits[-1])
        return found

    def paces(self) -> dict[str, dict[str, float]]:
        """Milliseconds a token of writing a scope, told and untold."""
        assert self._shortest is not None
        task = self._shortest.tasks["scope", self._shortest.edits[0].name]
        return {
            kind: {
                name: ms / len(task.gold) for name, ms in _told_and_untold(task, replayer, self.served[kind])
            }
            for kind, replayer in self.replayers.items()
        }


def race(field: Field, args: argparse.Namespace) -> Results:
    """All rows at all lengths. What is cheap comes first, so that it is known how long the rest would take."""
    results = Results(
        kinds={row.name: row.kind for row in field.rows},
        groups={row.name: row.group for row in field.rows},
        own=[row.name for row in field.rows if row.own],
    )
    paces: dict[str, float] = {}
    names = ORDER[:1] if args.small else ORDER
    for lines in map(int, args.lengths.split(",")):
        with _told(f"{lines} lines: prepared"):
            on = field.stage(lines, names)
        results.files[lines] = on.edits[0].before.count("\n")
        for number in range(args.rounds):
            for row in field.rows:
                cell = results.cells.setdefault(row.name, {}).setdefault(lines, Cell())
                with _told(f"{lines} lines, round {number + 1}: {row.name}"):
                    _turn(row, on, cell, args, paces)
    return results


def _turn(row: Row, on: Stage, cell: Cell, args: argparse.Namespace, paces: dict[str, float]) -> None:
    """One run of every edit, as long as there is time."""
    for edit in on.edits:
        if cell.why:
            return
        prompt, written = row.sizes(on, edit)
        if not cell.written:
            cell.prompt, cell.written = prompt, written
            expected = paces.get(row.pace, 0.0) * written
            if prompt + written > CONTEXT:
                cell.why = f"does not fit the context ({prompt + written:,} tokens)"
            elif expected > args.longest:
                cell.why = f"≥ {expected:,.0f} s"
            if cell.why:
                return
        spent = sum(seconds for runs in cell.seconds.values() for found in runs.values() for seconds in found)
        if spent > args.seconds and cell.seconds["warm"]:
            return
        for heat, seconds in row.run(on, edit).items():
            cell.seconds[heat].setdefault(edit.name, []).append(seconds)
        paces[row.pace] = cell.seconds["warm"][edit.name][-1] / written


def _told_and_untold(task: Task, replayer: Replayer, served: ServedEngine) -> Iterator[tuple[str, float]]:
    """Milliseconds of writing as many tokens as the task has, behind its prompt, by four ways of doing so."""
    prompt, dialect = [*task.shown, *task.asked], served.dialect.dialect
    assert isinstance(dialect, LlamaCpp)
    vocabulary = served.editor.loaded_model.vocabulary
    assert isinstance(vocabulary, HFVocabulary)
    specials = sorted(vocabulary.specials.values())  # none of which may end it
    yield "told", replayer.write(task.shown, task.asked, task.gold).write_ms
    yield "its own choice", replayer.write(task.shown, task.asked, task.gold, free=True).write_ms
    dialect.generate(Generation(prompt, None, 1), Call())  # the prompt is cached from here on
    began = time.perf_counter()
    free = dialect.generate(Generation(prompt, None, len(task.gold), denied=specials), Call())
    yield "the server", (time.perf_counter() - began) * 1e3 * len(task.gold) / max(1, free.count)
    began = time.perf_counter()
    dialect.generate(Generation(prompt, one_of([tuple(task.gold)]), len(task.gold)), Call())
    yield "under a forcing grammar", (time.perf_counter() - began) * 1e3


@contextmanager
def _told(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"{what}, {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
