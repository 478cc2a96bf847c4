"""How random programs under different models ended, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ENDED = ("edited", "unchanged", "refused")


def endings_table(found: Mapping[str, int], models: Iterable[str]) -> str:
    """In Markdown. found: programs by how they ended, all together, and by "MODEL ENDED"."""
    rows = ["| model | edited | unchanged | refused: the tokens were spent |", "|---|---|---|---|"]
    for name in ("", *models):
        counts = [found.get(f"{name} {ended}".strip(), 0) for ended in ENDED]
        shares = (f"{count:,} ({count / max(1, sum(counts)):.0%})" for count in counts)
        rows.append(f"| {name or 'all'} | {' | '.join(shares)} |")
    return "\n".join(rows)
