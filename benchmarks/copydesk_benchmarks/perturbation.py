"""What becomes of right programs when their spans are a little wrong, with and without a scope that pins the rest.

Every endpoint of every copy is moved by a number drawn evenly from -ε..ε. Without a grammar the endpoints land where they land
(inside the file; a span turned round is empty). With one, each span is one of those the rules allow at that point, the nearest
to the noisy one: lines outside the scope cannot be lost, whatever is drawn. Knows programs and rules; nothing of models.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from copydesk.errors import CopydeskError
from copydesk.grammar.rules import Rules, State
from copydesk.oracle import Cost, oracle_program
from copydesk.program import Copy, Gen, Op, Program, sub_span
from copydesk.quickfixes.scope import resolve_scope
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import split_lines
from copydesk.text.position import Position
from copydesk_benchmarks.cases import Case
from copydesk_benchmarks.report import Table, Value
from copydesk_training.statistics import Share

EPSILONS = (0, 1, 2, 3)
Noise = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Subject:
    """One case's programs: of copies and gens, as the paper has them, and with subs, as the product has. statement: the scope
    of a diagnostic at the first changed line, widened to what changes."""

    case: Case
    plain: Program
    own: Program
    statement: tuple[Range, ...]


def prepare(case: Case, cost: Cost) -> Subject:
    """The shortest programs of a case, and its scopes."""
    plain = oracle_program(case.before, case.after, subs=False, cost=cost)
    lines = split_lines(case.before)
    changed = changes(plain, len(lines))
    first = changed[0][0] if changed else 1
    at = Position(max(0, min(first, len(lines)) - 1), 0)
    request = EditRequest(diagnostics=[Diagnostic(at, at, "wrong")])
    found = resolve_scope(lines, request, case.language)
    scope = tuple(sorted([*found, *changed]))
    own = oracle_program(case.before, case.after, cost=cost, scope=scope)
    return Subject(case, plain, own, scope)


def changes(program: Program, lines: int) -> list[Range]:
    """The document lines that `program` does not copy, and the places where it writes; (k, k - 1) is before line k."""
    found: list[Range] = []
    done = 0
    for op in program.ops:
        if isinstance(op, Gen):
            found.append((done + 1, done))
            continue
        if op.start > done + 1:
            found.append((done + 1, op.start - 1))
        if not isinstance(op, Copy):
            found.append((op.start, op.end))
        done = op.end
    if done < lines:
        found.append((done + 1, lines))
    return found


def loose(program: Program, lines: Sequence[str], noise: Iterable[Noise]) -> str:
    """The text of `program` with its copies moved by `noise`, one pair each, and nothing to hold them."""
    drawn = iter(noise)
    parts: list[str] = []
    for op in program.ops:
        if isinstance(op, Gen):
            parts.append(op.text)
        elif isinstance(op, Copy):
            by_start, by_end = next(drawn)
            start, end = max(1, op.start + by_start), min(len(lines), op.end + by_end)
            parts += lines[start - 1 : max(start - 1, end)]
        else:
            parts.append(_substituted(op, lines))
    return "".join(parts)


def pinned(
    program: Program, lines: Sequence[str], scope: Sequence[Range], noise: Iterable[Noise]
) -> str | None:
    """The same where every copy is the nearest one that the rules of `scope` allow. An op that noise has left no place for is
    one the grammar would not let the model begin; what is left of the file in the end is copied, as the grammar asks. None
    where the grammar asks for an op the program does not have: behind a copy that ends in the scope something is written."""
    rules = Rules(len(lines), tuple(scope))
    drawn = iter(noise)
    state = rules.start()
    parts: list[str] = []
    for op in program.ops:
        options = rules.options(state)
        if isinstance(op, Copy):
            by_start, by_end = next(drawn)
            if "copy" in options:
                start, end = _nearest(rules, state, op.start + by_start, op.end + by_end)
                parts += lines[start - 1 : end]
                state = rules.after_copy(state, start, end)
        elif isinstance(op, Gen):
            if "gen" in options:
                parts.append(op.text)
                state = rules.after_gen(state)
        elif "sub" in options and op.start in rules.sub_starts(state):
            parts.append(_substituted(op, lines))
            state = rules.after_sub(state, op.end)
    while "end" not in rules.options(state):
        if "copy" not in rules.options(state):
            return None
        start, end = _nearest(rules, state, state.position + 1, len(lines))
        parts += lines[start - 1 : end]
        state = rules.after_copy(state, start, end)
    return "".join(parts)


def exact_share(
    program: Program, before: str, after: str, epsilon: int, scope: Sequence[Range] | None
) -> float:
    """The probability that the noisy program still makes `after`, by going through all noise there is. For small programs."""
    lines = split_lines(before)
    copies = sum(isinstance(op, Copy) for op in program.ops)
    steps = range(-epsilon, epsilon + 1)
    hits = total = 0
    for numbers in product(steps, repeat=2 * copies):
        noise = list(zip(numbers[::2], numbers[1::2], strict=True))
        text = loose(program, lines, noise) if scope is None else pinned(program, lines, scope, noise)
        hits += text == after
        total += 1
    return hits / total


@dataclass(frozen=True, slots=True)
class Survived:
    """Of all draws at one ε: exact matches with nothing pinned, with the function's body as scope, with the statement; and
    those in which every line outside the statement is there."""

    loose: Share
    body: Share
    statement: Share
    kept: Share


def measure(subjects: Sequence[Subject], *, draws: int, seed: int) -> dict[int, Survived]:
    """What survives, by ε."""
    return {epsilon: _survived(subjects, epsilon, draws, Random(seed)) for epsilon in EPSILONS}


def _survived(subjects: Sequence[Subject], epsilon: int, draws: int, rng: Random) -> Survived:
    free = body = statement = kept = 0
    for subject in subjects:
        case = subject.case
        lines = split_lines(case.before)
        whole = [case.scope] if case.scope is not None else [(1, len(lines))]
        inside = {n for start, end in subject.statement for n in range(start, end + 1)}
        outside = set(range(1, len(lines) + 1)) - inside
        for _ in range(draws):
            noise = _noise(subject.plain, epsilon, rng)
            free += loose(subject.plain, lines, noise) == case.after
            body += pinned(subject.plain, lines, whole, noise) == case.after
            text = pinned(subject.own, lines, subject.statement, _noise(subject.own, epsilon, rng))
            statement += text == case.after
            kept += text is None or _keeps(text, lines, outside)
    total = draws * len(subjects)
    return Survived(Share(free, total), Share(body, total), Share(statement, total), Share(kept, total))


def table(title: str, found: dict[int, Survived], subjects: int, draws: int) -> Table:
    """Exact match by ε."""
    rows: list[tuple[Value, ...]] = [
        (epsilon, str(s.loose), str(s.body), str(s.statement), str(s.kept)) for epsilon, s in found.items()
    ]
    return Table(
        title,
        (
            "ε", "exact match, nothing pinned", "exact match, scope the function's body", "exact match, scope the statement",
            "every line outside the statement kept",
        ),
        tuple(rows),
        (
            f"{subjects} shortest programs, {draws} draws each. Nothing pinned, and the body: copies and gens alone, as in the"
            " paper, under the same noise; the statement: with subs, as the product decodes. 95% intervals of Wilson take"
            " draws of one program for independent and are too narrow by that.",
            "The statement is what a diagnostic at the first changed line gives as scope, and whatever else the change touches.",
        ),
    )  # fmt: skip


def series(name: str, found: dict[int, Survived]) -> dict[str, list[tuple[float, float]]]:
    """Points for a plot of exact match by ε."""
    return {
        f"{name}: {label}": [(epsilon, 100 * getattr(s, key).value) for epsilon, s in found.items()]
        for key, label in (("loose", "nothing pinned"), ("body", "scope the body"), ("statement", "scope the statement"))
    }  # fmt: skip


def _noise(program: Program, epsilon: int, rng: Random) -> list[Noise]:
    return [
        (rng.randint(-epsilon, epsilon), rng.randint(-epsilon, epsilon))
        for op in program.ops
        if isinstance(op, Copy)
    ]


def _nearest(rules: Rules, state: State, start: int, end: int) -> Range:
    """The legal span nearest to start..end: its start first, then its end, the larger among equals."""
    starts = rules.copy_starts(state)
    first = min(max(start, starts[0]), starts[-1])
    ends = [n for run in rules.copy_ends(state, first) for n in run]
    return first, min(ends, key=lambda n: (abs(n - end), -n))


def _substituted(op: Op, lines: Sequence[str]) -> str:
    assert not isinstance(op, Copy | Gen)
    found = sub_span(lines, op.start, op.old, max_lines=op.end - op.start + 1)
    if found is None:
        raise CopydeskError(f"{op.old!r} is no old text at line {op.start}")
    return lines[op.start - 1][: found.offset] + op.new + lines[found.end_line - 1][found.end_offset :]


def _keeps(text: str, lines: Sequence[str], numbers: set[int]) -> bool:
    """Whether the lines of `numbers` are in `text`, in order."""
    rest = iter(split_lines(text))
    return all(any(line == lines[n - 1] for line in rest) for n in sorted(numbers))
