"""Draws a training run's curve: exact match and losses over requests, beside the levels of other models.

    copydesk eval curve --run DIR --examples WORK/shards --narrow off --page-lines 20 --per-kind 40
    python -m copydesk_benchmarks curve DIR [--out PNG] [--narrow on]

The first command measures the saved models of DIR that are not in DIR/curve.jsonl yet; this one draws DIR/curve.png from it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from copydesk.errors import CopydeskError
from copydesk_training.evaluation.curve_plot import PICTURE, draw


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", metavar="DIR", type=Path, help="a training run with curve.jsonl")
    parser.add_argument("--out", metavar="PNG", type=Path, help=f"default: {PICTURE} in DIR")
    parser.add_argument(
        "--narrow", choices=("on", "off"), help="with lists or without (default: off if measured)"
    )
    args = parser.parse_args()
    try:
        print(draw(args.run, args.out or args.run / PICTURE, mode=args.narrow))
    except CopydeskError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
