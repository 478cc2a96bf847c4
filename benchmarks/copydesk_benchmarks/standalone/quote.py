"""Puts tables of figures into README.md and benchmarks/README.md, out of the results they name.

    python -m copydesk_benchmarks quote

A comment `<!-- from results/edit-cpu.md: Targets -->` is followed by that table of that file, word for word; what stood there
before is replaced. The tests hold documents and results together.
"""

from __future__ import annotations

import re

from copydesk_benchmarks.checkout import ROOT

DOCUMENTS = (ROOT / "README.md", ROOT / "benchmarks" / "README.md")
QUOTE = re.compile(
    r"(<!-- from (?:benchmarks/)?(results/[\w.-]+\.md): ([^\n]+?) -->\n)(?:\n?(?:\|[^\n]*\n)+)?"
)


def table_of(text: str, title: str) -> str | None:
    """The table under the heading `title` of a results file."""
    found = re.search(rf"^## {re.escape(title)}\n\n((?:\|[^\n]*\n)+)", text, re.MULTILINE)
    return found[1] if found else None


def main() -> int:
    missing = 0
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")

        def quoted(match: re.Match[str]) -> str:
            nonlocal missing
            path = ROOT / "benchmarks" / match[2]
            table = table_of(path.read_text(encoding="utf-8"), match[3]) if path.is_file() else None
            if table is None:
                missing += 1
                print(f"{match[2]} has no table {match[3]!r}")
                return match[1]
            return f"{match[1]}\n{table}"

        document.write_text(QUOTE.sub(quoted, text), encoding="utf-8")
    return 1 if missing else 0
