"""The whole command line as one parser."""

from __future__ import annotations

import argparse
from typing import Any

from copydesk import __version__
from copydesk_server.arguments.editing import add_engine, add_fix, add_lsp, add_refactor
from copydesk_server.arguments.inspecting import add_model, add_program
from copydesk_server.arguments.measuring import add_bench, add_eval
from copydesk_server.arguments.shared import Commands, model_options
from copydesk_server.arguments.training import add_train
from copydesk_server.printable import shown_name


class _CommandParser(argparse.ArgumentParser):
    """A parser of one command, which prints that command's usage where it cannot read something, and not its parent's."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(map(shown_name, rest))}")
        return found, rest


def build_parser() -> argparse.ArgumentParser:
    """Each command is the name of a module in `commands/`."""
    parser = argparse.ArgumentParser(
        prog="copydesk",
        description="Edit code by copy/gen programs: the model says what to keep and writes only what changes.",
    )
    parser.add_argument("--version", action="version", version=f"copydesk {__version__}")
    commands: Commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_CommandParser
    )
    options = model_options()
    add_program(commands)
    add_train(commands)
    add_eval(commands, model_options(several=True, measures=True))
    add_bench(commands, model_options(measures=True))
    add_lsp(commands, options)
    add_engine(commands, options)
    add_fix(commands, options)
    add_refactor(commands, options)
    add_model(commands)
    commands.add_parser(
        "demo",
        parents=[options],
        help="watch the language server fix a small broken project",
        description="Fix a small broken project through the language server and show how. Needs ruff.",
    )
    commands.add_parser(
        "doctor",
        parents=[options],
        help="report what is installed and what is missing",
        description="Report the versions, device, cache folder and model in use. Exits with 1 if any is missing.",
    )
    return parser
