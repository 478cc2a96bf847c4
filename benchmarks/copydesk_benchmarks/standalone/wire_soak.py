"""Send the language server everything a client could, at random, for as long as you like.

    python -m copydesk_benchmarks wire_soak --messages 1000000 --seed 7

Most of it goes to a protocol process in this one, every tenth message to a server of its own over standard streams. It ends with
exit code 1 where the server did not answer, answered twice, or was gone; the seed that is printed brings the same messages again.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import secrets
import sys
import time

from wire_fuzzing import fuzz, fuzz_process


def main() -> int:
    """Print what is done as it is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, default=100_000, metavar="N")
    parser.add_argument(
        "--seed", type=int, default=None, metavar="S", help="default: one that is made up and printed"
    )
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else secrets.randbelow(1 << 32)
    sys.stdout.write(f"seed {seed}\n")
    logging.disable(logging.CRITICAL)  # what is wrong with each message
    began = time.monotonic()
    try:
        here = asyncio.run(fuzz(args.messages - args.messages // 10, seed, said=_said))
        there = fuzz_process(args.messages // 10, seed + 1)
    except AssertionError as error:
        sys.stdout.write(f"seed {seed}: {error}\n")
        return 1
    seconds = time.monotonic() - began
    messages, requests = here.messages + there.messages, here.requests + there.requests
    sys.stdout.write(
        f"{messages} messages in {seconds:.0f} s; {requests} requests, each answered once; {here.sessions + 1} sessions\n"
    )
    return 0


def _said(messages: int) -> None:
    sys.stdout.write(f"{messages} messages\n")
    sys.stdout.flush()
