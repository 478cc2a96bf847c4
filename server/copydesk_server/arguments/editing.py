"""Commands that edit files: as a language server, and without a client."""

from __future__ import annotations

import argparse

from copydesk_server.arguments.shared import Commands, positive


def add_lsp(commands: Commands, options: argparse.ArgumentParser) -> None:
    """`copydesk lsp`. options: those of a model."""
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


def add_engine(commands: Commands, options: argparse.ArgumentParser) -> None:
    """`copydesk engine`. options: those of a model."""
    commands.add_parser(
        "engine",
        parents=[options],
        help="the engine alone, for a language server elsewhere",
        description="Run the model for one language server, over standard input and output: what its setting engine.command "
        "names. Its settings go before --model, --device and --dtype.",
    )


def add_fix(commands: Commands, options: argparse.ArgumentParser) -> None:
    """`copydesk fix`. options: those of a model."""
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
        "--linter-fixes", choices=("none", "safe", "unsafe"), default="unsafe",
        help="where the linter has a fix of its own, propose it: unsafe (default: all), safe, or none; unsafe ones are "
        "written with --unsafe-fixes",
    )  # fmt: skip
    fix.add_argument(
        "--unsafe-fixes", action="store_true", help="also write fixes that may change what the code means"
    )
    fix.add_argument(
        "--checked",
        action="store_true",
        help="also write fixes that parse and break nothing, but that no tool here can confirm",
    )
    fix.add_argument(
        "--unsure",
        action="store_true",
        help="where the model is unsure, take its likeliest edit, if no tool speaks against it",
    )
    _add_headless(fix, "the same as --unsafe-fixes --checked")


def add_refactor(commands: Commands, options: argparse.ArgumentParser) -> None:
    """`copydesk refactor`. options: those of a model."""
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
        "--no-schemas",
        action="store_true",
        help="let edits of package.json, tsconfig.json and other well-known JSON files break their schemas",
    )
    refactor.add_argument(
        "--candidates",
        metavar="N",
        type=positive,
        help="name the N most probable different edits of each request, with their probabilities",
    )
    unsure = refactor.add_mutually_exclusive_group()
    unsure.add_argument(
        "--unsure", action="store_true", help="where the model is unsure, take its likeliest edit"
    )
    unsure.add_argument(
        "--take",
        metavar="N",
        type=positive,
        help="take the N-th of the edits that an answer names, being unsure or for --candidates; for one file",
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
        type=positive,
        help="requests decoded together (default: as many as memory and device allow)",
    )
