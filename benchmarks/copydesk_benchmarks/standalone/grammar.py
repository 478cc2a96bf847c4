"""What the grammar costs per decoding step, at a vocabulary of 150,000 tokens, beside llguidance on the same states.

    OMP_NUM_THREADS=1 python -m copydesk_benchmarks grammar [--size 150000] [--kind tags|lines]

A step is one mask row looked up and one token taken. Targets: 20 µs median per step, 200 µs for the masks of 64 rows.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np

from copydesk.grammar.bodies import CLOSED_UNTERMINATED, Bodies
from copydesk.grammar.lark import InnerGrammar
from copydesk.prompting.codec import Codec, special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import TokenTable
from copydesk_benchmarks.acceptor import Acceptor
from copydesk_benchmarks.facts import hardware
from copydesk_benchmarks.llguidance_grammars import gen_grammar

LONGEST = 16


class SyntheticVocabulary(TokenTable):
    """All bytes, then distinct pieces of the standard library's source, as a large BPE has; encodes greedily."""

    def __init__(self, size: int, specials: Sequence[str] = ()) -> None:
        rng = random.Random(0)
        pieces = re.compile(rb" ?[A-Za-z_]+|[0-9]{1,3}| ?[^\sA-Za-z0-9_]+\n*|\s*\n|[ \t]+")
        found: dict[bytes, None] = dict.fromkeys(bytes([b]) for b in range(256))
        files = sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py"))
        rng.shuffle(files)
        wanted = size - len(specials)
        for path in files:
            for piece in dict.fromkeys(pieces.findall(path.read_bytes())):
                start = rng.randrange(len(piece))
                for part in (piece, piece[start:], piece + b"\n", b"\n" + piece):
                    found.setdefault(part[:LONGEST])
            if len(found) >= wanted:
                break
        table = [*found][:wanted] + [b""] * len(specials)
        numbers = {name: wanted + k for k, name in enumerate(specials)}
        super().__init__(table, numbers, hashlib.sha256(b"\0".join(table)).hexdigest())
        self._ids = {t: i for i, t in enumerate(table) if t}

    def encode(self, text: str) -> list[int]:
        data, out, at = text.encode(), [], 0
        while at < len(data):
            size = next(n for n in range(LONGEST, 0, -1) if data[at : at + n] in self._ids)
            out.append(self._ids[data[at : at + size]])
            at += len(self._bytes[out[-1]])
        return out


def report(what: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    middle, least, worst = (
        f"{t * 1e6:.2f}" for t in (median(ordered), ordered[0], ordered[int(len(ordered) * 0.99)])
    )
    print(f"| {what} | {least} | {middle} | {worst} | {len(ordered)} |")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def text_walks(made: Bodies, count: int) -> list[tuple[int, int]]:
    """(state, token) pairs along random texts."""
    rng = random.Random(1)
    out: list[tuple[int, int]] = []
    while len(out) < count:
        state = made.gen(True)
        for _ in range(40):
            allowed = made.allowed(state)
            token = (
                made.closing_path(state)[0]
                if rng.random() < 0.1
                else int(allowed[rng.randrange(len(allowed))])
            )
            out.append((state, token))
            state = made.advance(state, token)
            if state <= CLOSED_UNTERMINATED:
                break
    return out


def text_steps(made: Bodies) -> None:
    masks, advance = made.masks, made.advance
    times = []
    for state, token in text_walks(made, 20_000):
        start = time.perf_counter()
        masks[state]
        advance(state, token)
        times.append(time.perf_counter() - start)
    report("text: mask row + advance", times)
    rows = np.empty((64, masks.shape[1]), np.uint32)
    states = np.array([s for s, _ in text_walks(made, 64 * 200)[: 64 * 200]]).reshape(-1, 64)
    # mode="clip" lets NumPy write straight into `out`; every state is in range.
    report(
        "64 rows gathered into one array",
        [timed(partial(np.take, masks, s, 0, rows, "clip")) for s in states],
    )


def program_steps(codec: Codec, made: Bodies) -> None:
    rng = random.Random(2)
    views = [f"    value_{k} = compute(alpha, beta, {k})\n" for k in range(60)]
    lines = [codec.line(view) for view in views]
    cold, times = [], {"structure": list[float](), "old": list[float](), "text": list[float]()}
    for _ in range(40):
        first = rng.randint(1, 50)
        start = time.perf_counter()
        acceptor = Acceptor.for_page(codec, views, lines, [(first, first + 8)], made)
        state = acceptor.start()
        acceptor.mask(state)
        cold.append(time.perf_counter() - start)
        for _ in range(
            8
        ):  # later programs find the structural rows in the cache, as candidates on one page do
            state = acceptor.start()
            while not acceptor.done(state):
                allowed = acceptor.allowed(state)
                token = int(allowed[rng.randrange(len(allowed))])
                if state.phase == "text" and rng.random() < 0.3:
                    token = acceptor.closing_path(state)[0]
                start = time.perf_counter()
                acceptor.mask(state)
                behind = acceptor.advance(state, token)
                times[state.phase if state.phase in times else "structure"].append(
                    time.perf_counter() - start
                )
                state = behind
    report("new acceptor for a page of 60 lines", cold)
    for phase, found in times.items():
        report(f"program: mask + advance, {phase}", found)
    report("program: mask + advance, all", [t for found in times.values() for t in found])


def llguidance_steps(codec: Codec, made: Bodies) -> None:
    made_in = timed(lambda: InnerGrammar(gen_grammar(codec, drop_eol=True), codec.vocabulary))
    again = [
        timed(lambda: InnerGrammar(gen_grammar(codec, drop_eol=True), codec.vocabulary)) for _ in range(20)
    ]
    pristine = InnerGrammar(gen_grammar(codec, drop_eol=True), codec.vocabulary)
    rng, masks, steps = random.Random(3), [], []
    for _ in range(150):
        grammar, state = pristine.copy(), made.gen(True)
        for _ in range(20):
            masks.append(timed(grammar.mask))
            allowed = made.allowed(state)
            token = (
                made.closing_path(state)[0]
                if rng.random() < 0.1
                else int(allowed[rng.randrange(len(allowed))])
            )
            steps.append(masks[-1] + timed(partial(grammar.advance, token)))
            state = made.advance(state, token)
            if state <= CLOSED_UNTERMINATED:
                break
    report("llguidance: tokenizer and first grammar", [made_in])
    report("llguidance: another grammar", again)
    report("llguidance: mask, gen body", masks)
    report("llguidance: mask + advance, gen body", steps)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=150_000)
    parser.add_argument("--kind", choices=("tags", "lines"), action="append")
    arguments = parser.parse_args()
    print(
        f"{hardware()}, {os.environ.get('OMP_NUM_THREADS', 'default')} thread(s); "
        f"Python {sys.version.split()[0]}, NumPy {np.__version__}, llguidance {version('llguidance')}; seeds 0 to 3"
    )
    for kind in arguments.kind or ("tags", "lines"):
        vocabulary = SyntheticVocabulary(arguments.size, special_tokens(127) if kind == "lines" else ())
        codec = Codec(EditFormat(kind=kind), vocabulary)
        builds = [timed(partial(Bodies.build, codec)) for _ in range(3)]
        made = Bodies.build(codec)
        packing = timed(partial(getattr, made, "masks"))
        stored = made.to_bytes()
        reads = [timed(partial(Bodies.from_bytes, codec, stored)) for _ in range(3)]
        print(
            f"\n`{kind}`: {vocabulary.size} tokens, {made.states} states × {made.table.shape[1]} classes of tokens; "
            f"masks {made.masks.nbytes / 2**20:.1f} MiB, {len(stored) / 2**20:.2f} MiB when stored\n"
        )
        print("| | min µs | median µs | p99 µs | n |\n|---|---:|---:|---:|---:|")
        report("build the automaton", builds)
        report("pack its masks", [packing])
        report("read it back", reads)
        text_steps(made)
        program_steps(codec, made)
        llguidance_steps(codec, made)
    return 0
