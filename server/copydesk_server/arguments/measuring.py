"""Commands that measure: models, and speed."""

from __future__ import annotations

import argparse

from copydesk_server.arguments.shared import Commands, positive


def add_eval(commands: Commands, options: argparse.ArgumentParser) -> None:
    """`copydesk eval`. options: those of a model."""
    measure = commands.add_parser(
        "eval",
        parents=[options],
        help="measure models on held-out examples and HumanEvalFix",
        description="Measure models through the engine: exact match, spans, mistakes and checks, by kind, with 95% intervals.",
    )
    measure.add_argument(
        "what",
        metavar="curve",
        nargs="?",
        choices=("curve",),
        help="measure the saved models of the training run --run, and the models of --model as levels beside them",
    )
    measure.add_argument(
        "--run", metavar="DIR", help="curve: the training run; curve.jsonl and curve.png go there"
    )
    measure.add_argument(
        "--base",
        metavar="NAME_OR_DIR",
        default="standard-base",
        help="the base that adapters were trained on, where --model or the run names adapter files (default: standard-base)",
    )
    measure.add_argument("--examples", metavar="DIR", help="a folder of shards with held-out examples")
    measure.add_argument(
        "--page-lines",
        metavar="N",
        type=positive,
        action="append",
        help="page length (default: the model's own)",
    )
    measure.add_argument(
        "--per-kind", metavar="N", type=positive, default=100, help="examples per kind (default: 100)"
    )
    measure.add_argument(
        "--kind", "--kinds", metavar="NAME", nargs="+", action="extend", help="only these kinds"
    )
    measure.add_argument(
        "--group", "--groups", metavar="NAME", nargs="+", action="extend",
        choices=("located", "names", "instructions", "nothing", "unlocated"),
        help="only the kinds of these groups: located, names (undefined ones), instructions, nothing (to do), unlocated",
    )  # fmt: skip
    measure.add_argument(
        "--minutes", metavar="N", type=float, help="end the held-out examples early, all kinds equally far"
    )
    measure.add_argument(
        "--together", metavar="N", type=positive, default=8, help="requests decoded at once (default: 8)"
    )
    measure.add_argument("--humaneval", metavar="FILE", help="humanevalpack_python.jsonl; its tests are run")
    measure.add_argument(
        "--narrow",
        choices=("both", "on", "off"),
        default="on",
        help="choose names and fixes from lists (on), let the model spell them (off), or measure both (default: on)",
    )
    measure.add_argument("--no-narrow", action="store_true", help="the same as --narrow off")
    measure.add_argument(
        "--phrases",
        choices=("on", "off"),
        default="on",
        help="apply common instructions by rules (default: on)",
    )
    measure.add_argument("--brief", action="store_true", help="print the rows of groups only, not of kinds")
    measure.add_argument("--json", metavar="FILE", help="write every verdict, one JSON object per line")


def add_bench(commands: Commands, options: argparse.ArgumentParser) -> None:
    """`copydesk bench`. options: those of a model."""
    bench = commands.add_parser(
        "bench",
        parents=[options],
        help="measure speed and quality: every table copydesk quotes",
        description="Measure, and write JSON, Markdown and pictures. Exits with 1 where a target was missed.",
    )
    bench.add_argument(
        "what", metavar="WHAT",
        choices=("kernel", "ceiling", "perturbation", "edit", "selector", "serve", "quality", "instructions", "fidelity", "all"),
        help="kernel, ceiling, perturbation, edit, selector, serve, quality, or all of these; instructions; fidelity",
    )  # fmt: skip
    bench.add_argument(
        "--out", metavar="DIR", default="benchmarks/results", help="default: benchmarks/results"
    )
    bench.add_argument("--tag", metavar="NAME", help="goes into the names of the files")
    bench.add_argument("--threads", type=positive, help="default: half the cores")
    bench.add_argument(
        "--size", choices=("default", "cuda", "tiny"), default="default", help="how much (default: default)"
    )
    bench.add_argument(
        "--shape", choices=("135m", "1.5b", "7b", "tiny"), action="append",
        help="a published shape with random weights, in place of --model (kernel takes several)",
    )  # fmt: skip
    bench.add_argument(
        "--lines", metavar="N", type=positive, action="append", help="edit: files of N lines (several times)"
    )
    bench.add_argument("--data", metavar="DIR", help="the HumanEvalPack files (default: $COPYDESK_EVAL_DATA)")
    bench.add_argument(
        "--pairs", metavar="DIR", help="ceiling: also NAME.before.EXT and NAME.after.EXT of this folder"
    )
    bench.add_argument("--history", metavar="REPO", help="ceiling: also the commits of a git repository")
    bench.add_argument("--examples", metavar="DIR", help="quality: shards with held-out examples")
    bench.add_argument(
        "--requests", metavar="N", type=positive, help="fidelity: at most so many (default: 500)"
    )
    group = bench.add_argument_group("instructions")
    group.add_argument("--set", choices=("dev", "sealed"), help="which records (default: dev)")
    group.add_argument(
        "--phrases", choices=("on", "off"), help="common instructions by rules (default: both)"
    )
    group.add_argument("--json", metavar="FILE", help="write every answer of the development set")
    group.add_argument(
        "--check-data", action="store_true", help="validate the records instead; runs no model"
    )
