"""Attack copydesk for as long as you like: kills, floods, stalls, special files, hostile repositories and models, huge documents.

    python -m copydesk_benchmarks soak --minutes 20 [--seed 7] [--only "kills of the engine"] [--round 3] \
        [--out benchmarks/server.md]

The attacks (`tests/support/attacks/`) take turns until the time is over. Each round's random numbers come from the seed, the
attack's name and the round's number, so that `--only NAME --round N` with the same seed brings one of them again. Exit code 1
where something was lost, ran, went unanswered or took more memory than is stated.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import platform
import random
import secrets
import signal
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import lsp_client
import soaking
from attacks import ATTACKS
from attacks.arena import MB, Arena, Figures
from copydesk.models.installed import VARIABLE
from copydesk_benchmarks.facts import hardware

log = logging.getLogger(__name__)

HEADING = "## Under attack"
LONGEST = 600
"""Seconds of one round, after which something hangs."""
PATIENCE = 300.0
"""Seconds that anything is waited for: a soak runs beside other work."""


def main() -> int:
    """Print what is done as it is done, and the table at the end."""
    args = _arguments()
    os.environ[VARIABLE] = os.devnull  # the embedded model is what is attacked, whatever is installed
    seed = args.seed if args.seed is not None else secrets.randbelow(1 << 32)
    _say(f"seed {seed}")
    seen = {name: Figures() for name in ATTACKS if args.only in (None, name)}
    lsp_client.DEADLINE = soaking.DEADLINE = PATIENCE
    signal.signal(signal.SIGALRM, _too_long)
    began = time.monotonic()
    number = args.round
    over = False
    with contextlib.suppress(KeyboardInterrupt):  # what was done counts
        while not over:
            order = list(seen)
            random.Random(f"{seed}/{number}").shuffle(order)
            for name in order:
                _round(name, seed, number, seen[name])
                over = time.monotonic() - began > 60 * args.minutes and all(f.rounds for f in seen.values())
                if over:
                    break
            number += 1
    page = _page(seen, seed, time.monotonic() - began, " ".join(sys.argv[1:]))
    _say("\n" + page)
    if args.out is not None:
        _put(Path(args.out), page)
    return 1 if any(figures.faults for figures in seen.values()) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    minutes = float(os.environ.get("SOAK_MINUTES") or 20)
    parser.add_argument(
        "--minutes", type=float, default=minutes, metavar="M", help="each attack has its turn at least once"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="default: one that is made up and printed")
    parser.add_argument("--only", choices=list(ATTACKS), metavar="NAME")
    parser.add_argument("--round", type=int, default=0, metavar="N", help="the first round's number")
    parser.add_argument(
        "--out", metavar="FILE", help=f"a Markdown file whose section {HEADING!r} is replaced"
    )
    return parser.parse_args()


def _round(name: str, seed: int, number: int, seen: Figures) -> None:
    _say(f"{name}, round {number}")
    began = time.monotonic()
    signal.alarm(LONGEST)
    try:
        with tempfile.TemporaryDirectory(prefix="copydesk-soak-", ignore_cleanup_errors=True) as folder:
            ATTACKS[name](Arena(random.Random(f"{seed}/{name}/{number}"), Path(folder), seen))
    except Exception as error:  # whatever it is, the other attacks have their turns
        seen.faults.append(f"{name}, round {number}: {type(error).__name__}: {str(error)[:600]}")
        log.exception("%s failed", name)
    finally:
        signal.alarm(0)
        seconds = time.monotonic() - began
        seen.rounds += 1
        seen.seconds += seconds
        _say(
            f"  {seconds:.0f} s; protocol process {seen.protocol / MB:.1f} MB (largest message {seen.message / MB:.1f}), "
            f"engine {seen.grown / MB:+.1f} MB, {len(seen.faults)} faults"
        )


def _too_long(*_: object) -> None:
    raise TimeoutError(f"it did not end in {LONGEST} s")


def _page(seen: dict[str, Figures], seed: int, seconds: float, arguments: str) -> str:
    rows = [
        "| attack | rounds | things done | s | MB, protocol process | its largest message | MB, engine above its rest | faults |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, figures in seen.items():
        sizes = [
            f"{size / MB:.1f}" if size else "" for size in (figures.protocol, figures.message, figures.grown)
        ]
        counts = [figures.rounds, figures.tried, f"{figures.seconds:.0f}", *sizes, len(figures.faults)]
        rows.append(f"| {name} | " + " | ".join(map(str, counts)) + " |")
    faults = [f"- {fault}" for figures in seen.values() for fault in figures.faults]
    return "\n".join([
        HEADING,
        "",
        f"`python -m copydesk_benchmarks soak {arguments}`: seed {seed}, {seconds / 60:.1f} minutes, "
        f"{time.strftime('%Y-%m-%d')}.",
        f"{hardware()}, load average {os.getloadavg()[1]:.1f}; Python {platform.python_version()}, torch {version('torch')}.",
        "Stated: protocol process at most 150 MB + 4 × its largest message, engine at most 512 MB above its rest.",
        "",
        *rows,
        "",
        "Lost, run, unanswered or too large: " + ("nothing." if not faults else ""),
        *faults,
    ])  # fmt: skip


def _put(path: Path, page: str) -> None:
    """Replace the section of the page, or add it at the end."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    before, found, after = text.partition(HEADING + "\n")
    rest = "\n## " + after.partition("\n## ")[2] if found and "\n## " in after else ""
    path.write_text(before.rstrip("\n") + "\n\n" + page.rstrip("\n") + "\n" + rest, encoding="utf-8")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
