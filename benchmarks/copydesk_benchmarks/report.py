"""Results as files: tables with everything they rest on, as JSON and as Markdown.

One report is one command. Documents quote the Markdown and nothing else. Knows values; nothing of how they were measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from copydesk_benchmarks.facts import Facts, in_words

Value = str | int | float | bool | None
TARGETS = "Targets"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain values under named columns. Notes say what a reader must know to judge the numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: {len(row)} values under {len(self.columns)} columns")

    def markdown(self) -> str:
        """The table alone, as documents quote it."""
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(map(shown, row)) + " |" for row in self.rows]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Target:
    """Something that was wanted, what came of it, and whether that is enough; None where it was not measured."""

    what: str
    wanted: str
    measured: str
    met: bool | None


@dataclass(slots=True)
class Report:
    """All that one benchmark found. name: the stem of its files. setting: model, precision, sizes, seed."""

    name: str
    title: str
    command: str
    date: str
    machine: Facts
    setting: dict[str, Value]
    tables: list[Table] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    plots: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def json(self) -> str:
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    def markdown(self) -> str:
        setting = "; ".join(f"{key} {shown(value)}" for key, value in self.setting.items())
        parts = [f"# {self.title}\n", f"`{self.command}`, {self.date}\n", f"{in_words(self.machine)}\n"]
        if setting:
            parts.append(f"{setting}\n")
        for table in self.tables:
            parts += [f"## {table.title}\n", table.markdown()]
            parts += [_list(table.notes)] if table.notes else []
        if self.targets:
            parts += [f"## {TARGETS}\n", target_table(self.targets).markdown()]
        parts += [f"![{name}]({name})\n" for name in self.plots]
        parts += [_list(self.notes)] if self.notes else []
        return "\n".join(parts)

    def save(self, folder: Path) -> Path:
        """Write `name.json` and `name.md`; the Markdown file's path."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.json").write_text(self.json(), encoding="utf-8")
        path = folder / f"{self.name}.md"
        path.write_text(self.markdown(), encoding="utf-8")
        return path


def read_table(folder: Path, name: str, title: str) -> Table | None:
    """A table of a report written before; None where there is none."""
    try:
        data = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if title == TARGETS:
        return target_table([Target(**target) for target in data["targets"]])
    for table in data["tables"]:
        if table["title"] == title:
            rows = tuple(tuple(row) for row in table["rows"])
            return Table(title, tuple(table["columns"]), rows, tuple(table["notes"]))
    return None


def target_table(targets: Iterable[Target]) -> Table:
    """Targets as a table."""
    said = {None: "not measured", True: "yes", False: "no"}
    rows = tuple((t.what, t.wanted, t.measured, said[t.met]) for t in targets)
    return Table(TARGETS, ("what", "wanted", "measured", "met"), rows)


def shown(value: Value) -> str:
    """A value as a reader wants it: three digits that count, no exponents."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        size = abs(value)
        return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"
    return value.replace("|", "\\|")


def _list(notes: Sequence[str] | Iterable[str]) -> str:
    return "".join(f"- {note}\n" for note in notes)
