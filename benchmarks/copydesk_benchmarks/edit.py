"""The race: the same edits of the same files, with the same weights on the same machine, by every way there is.

Every row writes the gold text of its own format over real forwards and must end with the edited file. Rows take turns within
a round; a way that takes long runs fewer rounds and edits, and one that would take too long is not run, and says how long it
would take. Knows rows and times; how a row works is `rivals.py` and the engine itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from copydesk.program import Copy, Program
from copydesk.serving.loaded_model import LoadedModel
from copydesk.serving.plan import Plan
from copydesk.text.document import split_lines
from copydesk_benchmarks.coverage import speed_bound
from copydesk_benchmarks.documents import Edit, edits
from copydesk_benchmarks.rivals import FORMATS, METHODS, Format, Method, Rivals, Run, Task, task
from copydesk_benchmarks.scripted_engine import ScriptedEngine
from copydesk_benchmarks.sizes import HEADLINE, ORDER, RIVALS, Limits
from copydesk_benchmarks.subject import Subject

ENGINE = "copydesk"


@dataclass(slots=True)
class Row:
    """One way at one length, cold or warm. `runs` by edit. expected: seconds it would take at least,
    where it was not run."""

    name: str
    lines: int
    warm: bool
    runs: dict[str, list[Run]] = field(default_factory=dict)
    expected: float | None = None

    @property
    def spent(self) -> float:
        return sum(run.seconds for runs in self.runs.values() for run in runs)

    @property
    def count(self) -> int:
        return sum(map(len, self.runs.values()))

    def ms(self, names: Sequence[str] | None = None) -> float | None:
        """The mean over edits of the median run, in ms; None where it was not run."""
        chosen = [runs for name, runs in self.runs.items() if names is None or name in names]
        return fmean(median(run.seconds for run in runs) for runs in chosen) * 1e3 if chosen else None

    def least(self) -> float | None:
        """The same of the fastest runs."""
        return (
            fmean(min(run.seconds for run in runs) for runs in self.runs.values()) * 1e3
            if self.runs
            else None
        )

    def mean(self, of: Callable[[Run], int]) -> float | None:
        """The mean over edits of a count."""
        return fmean(of(runs[0]) for runs in self.runs.values()) if self.runs else None


@dataclass(frozen=True, slots=True)
class Gold:
    """One edit's shortest program on the file, and what the closed form says of it."""

    edit: Edit
    program: Program
    file_tokens: int
    spans: Counter[int]
    spoken: int

    def bound(self, speedups: dict[int, float]) -> float:
        """How many times faster than writing the file token by token copies can be: Σ N + g over Σ N/s(N) + g."""
        return speed_bound(self.spans, self.spoken, speedups)


class Race:
    """All rows over one model. Lengths are run in ascending order, so that a row knows how slow it is."""

    def __init__(self, subject: Subject, loaded_model: LoadedModel, limits: Limits) -> None:
        assert loaded_model.codec is not None
        self.subject = subject
        self.limits = limits
        self.codec = loaded_model.codec
        self.engine_rows = ScriptedEngine(loaded_model)
        self.editor = self.engine_rows.editor
        self.rivals = Rivals(subject)
        self.rows: list[Row] = []
        self.golds: dict[int, list[Gold]] = {}
        self.lengths: dict[int, int] = {}
        self._pace: dict[tuple[str, bool], tuple[float, int]] = {}

    def run(
        self,
        lines: int,
        rivals: Sequence[tuple[Method, Format]] = RIVALS,
        names: Sequence[str] = ORDER,
        told: Callable[[str], None] = lambda _: None,
    ) -> None:
        """All rows on a file of about `lines` lines. Raises CopydeskError where a row wrote anything but the edited file."""
        by_name = {edit.name: edit for edit in edits(lines)}
        chosen = [by_name[name] for name in names]
        self.lengths[lines] = chosen[0].before.count("\n")
        self.golds[lines] = []
        ways: list[tuple[Row, Callable[[Edit], Run], int, int]] = []
        for warm in (False, True):
            ways.append(
                (Row(ENGINE, lines, warm), self.engine_rows.warm if warm else self.engine_rows.cold, 0, 0)
            )
        self.engine_rows.scripted.forget()
        plans = {edit.name: self._prepare(edit, lines) for edit in chosen}
        if not self._pace:
            self._warm_up(rivals, chosen[0], plans[chosen[0].name])
        for method, format in rivals:
            tasks = {
                edit.name: task(format, edit, self.codec, plans[edit.name].page, plans[edit.name].asked)
                for edit in chosen
            }
            written = max(len(t.gold) for t in tasks.values())
            prompt = max(len(t.shown) + len(t.asked) for t in tasks.values())
            for warm in (False, True):
                row = Row(f"{METHODS[method]}, {FORMATS[format]}", lines, warm)
                ways.append((row, self._rival(method, tasks, warm), written, prompt))
        for number in range(self.limits.rounds):
            for row, way, size, prompt in ways:
                if number == 0:
                    told(f"{self.lengths[lines]} lines: {row.name}, {'warm' if row.warm else 'cold'}")
                for edit in chosen:
                    if not self._again(row, size, prompt):
                        break
                    row.runs.setdefault(edit.name, []).append(way(edit))
        for row, _, size, prompt in ways:
            if row.runs and size:
                runs = [run for found in row.runs.values() for run in found]
                pace = fmean(run.seconds / run.written for run in runs)
                self._pace[row.name, row.warm] = (pace, prompt + size)
            self.rows.append(row)

    def of(self, lines: int, *, warm: bool) -> list[Row]:
        return [row for row in self.rows if row.lines == lines and row.warm == warm]

    def engine(self, lines: int, *, warm: bool) -> Row:
        return next(row for row in self.of(lines, warm=warm) if row.name == ENGINE)

    def read(self, row: Row) -> float | None:
        """Bytes of weights that the row's forwards read, the mean over its edits."""
        forwards, drafts = row.mean(lambda run: run.forwards), row.mean(lambda run: run.drafts)
        if forwards is None or drafts is None:
            return None
        return forwards * self.subject.weight_bytes + (drafts * self.rivals.draft_bytes if drafts else 0)

    def close(self) -> None:
        self.engine_rows.close()

    def _rival(self, method: Method, tasks: Mapping[str, Task], warm: bool) -> Callable[[Edit], Run]:
        return lambda edit: self.rivals.run(method, tasks[edit.name], warm=warm)

    def _warm_up(self, rivals: Sequence[tuple[Method, Format]], edit: Edit, plan: Plan) -> None:
        """Every method once, in its cheapest format, before anything is timed."""
        for method, format in dict(rivals).items():  # of each method the last format, which is the cheapest
            self.rivals.run(method, task(format, edit, self.codec, plan.page, plan.asked), warm=True)
        self.engine_rows.cold(edit)
        self.engine_rows.warm(edit)

    def _again(self, row: Row, size: int, prompt: int) -> bool:
        """Whether there is time for one more run of this row, which writes `size` tokens behind `prompt`."""
        if row.expected is not None:
            return False
        pace, context = self._pace.get((row.name, row.warm), (0.0, 1))
        least = pace * size
        # A token costs more behind a longer context. The length that targets are about is run where it can be.
        growth = 1.0 if row.lines == HEADLINE else max(1.0, (prompt + size) / context) / 2 + 0.5
        most = least * growth
        if not row.runs and (most > self.limits.longest or prompt > self.limits.prompt):
            row.expected = least
            return False
        return not row.runs or row.spent < self.limits.slow

    def _prepare(self, edit: Edit, lines: int) -> Plan:
        """What the closed form says of an edit; the plan tells the rivals which page it is on."""
        prepared = self.engine_rows.prepare(edit)
        program = prepared.program
        sizes = [len(self.codec.line(line)) for line in split_lines(edit.before)]
        spans = Counter(sum(sizes[op.start - 1 : op.end]) for op in program.ops if isinstance(op, Copy))
        copied = sum(length * count for length, count in spans.items())
        after = sum(len(self.codec.line(line)) for line in split_lines(edit.after))
        self.golds[lines].append(Gold(edit, program, after, spans, max(0, after - copied)))
        return prepared.plan
