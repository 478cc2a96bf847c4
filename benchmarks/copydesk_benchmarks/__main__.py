"""Every benchmark by one command: `python -m copydesk_benchmarks NAME [options]`, and without a name the list of them.

Those of `copydesk bench` write JSON, Markdown and pictures into `results/`; the others are the modules of `standalone/`, each of
which prints Markdown. Some of those drive copydesk with the clients of `tests/support`, so this runs in a checkout.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from copydesk_benchmarks import standalone
from copydesk_benchmarks.checkout import ROOT

HELP = ("-h", "--help")
OTHERS = ("instructions", "fidelity")
"""Steps of `copydesk bench` that `all` does not include."""


def main(argv: Sequence[str]) -> int:
    """The benchmark's exit code; 2 for a name that there is not."""
    from copydesk_server.commands.bench import STEPS

    if not argv or argv[0] in HELP:
        print(_usage([*STEPS, *OTHERS, "all"]))
        return 0
    name, *options = argv
    if name in (*STEPS, *OTHERS, "all"):
        from copydesk_server import cli

        return cli.main(["bench", *argv])
    if name not in modules():
        print(
            f"no such benchmark: {name}\n\n{_usage([*STEPS, *OTHERS, 'all'])}",
            file=sys.stderr,
        )
        return 2
    sys.path.append(str(ROOT / "tests" / "support"))
    sys.argv = [f"python -m copydesk_benchmarks {name}", *options]
    code: int = import_module(f"{standalone.__name__}.{name}").main()
    return code


def modules() -> dict[str, Path]:
    """The benchmarks of `standalone/` by name."""
    (folder,) = map(Path, standalone.__path__)
    return {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem != "__init__"}


def _usage(steps: Sequence[str]) -> str:
    lines = [
        "usage: python -m copydesk_benchmarks NAME [options]",
        "",
        f"copydesk bench: {', '.join(steps)}",
        "",
    ]
    for name, path in modules().items():
        summary = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
        lines.append(f"{name:23} {summary}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
