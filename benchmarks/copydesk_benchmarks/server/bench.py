"""One run of `copydesk bench`: where results go, how large it is, which model; what all its steps share.

Needs torch and transformers and no more, so that steps which need no more run where nothing else is installed.
"""

from __future__ import annotations

import argparse
import gc
import os
from datetime import date
from pathlib import Path

import torch
from rich.console import Console

from copydesk.errors import CopydeskError
from copydesk.models.load import resolve
from copydesk_benchmarks import facts, subject
from copydesk_benchmarks.report import Report, Value
from copydesk_benchmarks.sizes import SIZES, Size

DATA = "COPYDESK_EVAL_DATA"
"""Names the folder of the HumanEvalPack files where --data does not."""


class Bench:
    """One run of the command: where results go, how large it is, and the models loaded so far."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.size: Size = SIZES[args.size]
        self.out = Path(args.out)
        self.device = torch.device("cuda" if _on_cuda(args.device) else "cpu")
        self.console = Console(stderr=True, quiet=args.quiet, highlight=False)
        self._loaded: dict[str, subject.Subject] = {}

    def subject(self, shape: str | None) -> subject.Subject:
        """The model of a shape, or the one named by --model. One at a time: two of 7B need not fit."""
        key = shape or "model"
        if key not in self._loaded:
            self._loaded.clear()
            self.say(f"loading {shape or self.args.model or 'the embedded model'}")
            args = self.args
            if shape is not None:
                dtype = "bf16" if args.dtype == "auto" else args.dtype
                self._loaded[key] = subject.random(
                    shape, device=str(self.device), dtype=dtype, seed=args.seed
                )
            else:
                place = resolve(args.model) if args.model is not None else None
                self._loaded[key] = subject.load(place, device=str(self.device), dtype=args.dtype)
        return self._loaded[key]

    def release(self) -> None:
        """Let go of the model, where another comes."""
        if len(self.args.shape or ()) > 1:
            self._loaded.clear()
            gc.collect()
            if self.device.type == "cuda":
                torch.cuda.empty_cache()

    def report(self, name: str, title: str, **setting: Value) -> Report:
        return Report(
            self.stem(name),
            title,
            command_line(self.args.argv),
            date.today().isoformat(),
            facts.facts(self.device),
            {**setting, "size": self.args.size, "seed": self.args.seed},
        )

    def stem(self, name: str) -> str:
        """What the files of a benchmark are called."""
        tag = f"-{self.args.tag}" if self.args.tag else ""
        return f"{name}-{self.device.type}{tag}"

    def say(self, what: str) -> None:
        self.console.print(what, style="dim")


def data_folder(args: argparse.Namespace) -> Path:
    """Where the HumanEvalPack files are. Raises CopydeskError where nobody says."""
    named = args.data or os.environ.get(DATA)
    if named is None:
        raise CopydeskError(f"name the folder of the HumanEvalPack files with --data or {DATA}")
    return Path(named)


def command_line(argv: list[str]) -> str:
    """The command as a reader would type it: what names this machine's folders is left as the name of what it is."""
    words = ["copydesk"]
    for word in argv:
        name, joined, value = word.partition("=")
        if joined and os.sep in value:
            words.append(f"{name}={name.lstrip('-').upper()}")
        elif os.sep in word:
            words.append(words[-1].lstrip("-").upper())
        else:
            words.append(word)
    return " ".join(words)


def _on_cuda(device: str) -> bool:
    if device == "cuda" and not torch.cuda.is_available():
        raise CopydeskError("CUDA was asked for and is not available")
    return device == "cuda" or (device == "auto" and torch.cuda.is_available())
