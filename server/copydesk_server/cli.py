"""The command `copydesk`: the edge where named errors become exit codes.

A command's module is imported when that command runs, so that `copydesk program …` and `--help` start fast and never import
torch.

Exit codes, as in ruff: 0 done, 1 something remains (a program that is not legal for its document), 2 the command itself
failed (usage, a file that cannot be read, a model that cannot be loaded), 70 an internal error, told in a report file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from copydesk.errors import CopydeskError, ProgramError
from copydesk_server.arguments.parser import build_parser
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


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"copydesk: {one_line(message)}\n")
    return code
