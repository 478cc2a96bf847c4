"""What several commands have in common."""

from __future__ import annotations

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def model_options(*, several: bool = False, measures: bool = False) -> argparse.ArgumentParser:
    """Options of every command that runs a model, or several of them. What measures says itself which model it runs."""
    options = argparse.ArgumentParser(add_help=False)
    group = options.add_argument_group("model")
    group.add_argument(
        "--model",
        metavar="MODEL",
        action="append" if several else "store",
        help="a model's name (copydesk model list), a directory, a hub id, or a served model: llamacpp:URL, vllm:URL, sglang:URL "
        "or openai:URL, its key in $COPYDESK_SERVER_KEY or the keyring (default: "
        + (
            "mini, the embedded model)"
            if measures
            else "standard if installed, else mini, the embedded model)"
        )
        + ("; several are compared on the same examples" if several else ""),
    )
    group.add_argument(
        "--served-model",
        metavar="NAME",
        help="the served model's name on its server; if it is also an installed model or a model's directory, the server is "
        "asked for programs as that one writes them, else for new text (default: the only one the server has)",
    )
    group.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="default: auto, CUDA if there is one",
    )
    group.add_argument(
        "--dtype", choices=("auto", "fp32", "bf16", "int8"), default="auto", help="default: auto"
    )
    group.add_argument("--seed", type=int, default=0, help="seed of all sampling (default: 0)")
    group.add_argument("--quiet", action="store_true", help="print results only")
    return options


def positive(text: str) -> int:
    """A number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
