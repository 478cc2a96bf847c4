"""`copydesk program …`: programs without a model. It imports no model library.

Files are bytes: they are decoded as UTF-8 with surrogate escapes, so any byte, a BOM included, comes back out as it went in.
"""

from __future__ import annotations

import argparse
import json
import sys

from copydesk.oracle import oracle_program
from copydesk.program import Program
from copydesk.text.document import Encoding, Position
from copydesk_server.input_file import read_input


def run(args: argparse.Namespace) -> int:
    """Run one action. Raises ProgramError for a program that is not legal, OSError for a file that cannot be read."""
    if args.action == "oracle":
        program = oracle_program(_read(args.before), _read(args.after), subs=not args.no_subs)
        _write(str(program))
        return 0
    document = _read(args.document)
    program = Program.parse(_read(args.program), mode=args.mode)
    if args.action == "resolve":
        _write(program.resolve(document))
    elif args.action == "edits":
        _write(_edits_json(program, document, Encoding(args.encoding)))
    else:
        # rich takes a tenth of a second to import, and only this action draws.
        from copydesk_server.program_view import show

        show(program, document)
    return 0


def _read(name: str) -> str:
    return read_input(name).decode("utf-8", errors="surrogateescape")


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", errors="surrogateescape"))


def _edits_json(program: Program, document: str, encoding: Encoding) -> str:
    """LSP TextEdits: `[{"range": {"start": {"line", "character"}, "end": …}, "newText"}]`."""

    def position(at: Position) -> dict[str, int]:
        return {"line": at.line, "character": at.character}

    edits = [
        {"range": {"start": position(edit.start), "end": position(edit.end)}, "newText": edit.new_text}
        for edit in program.edits(document, encoding=encoding)
    ]
    return json.dumps(edits, indent=2) + "\n"
