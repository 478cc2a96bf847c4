"""The benchmarks measure what they say: texts come out byte for byte, laws hold against brute force, results have one form."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from copydesk.decode.laws.look_ahead import LOCAL
from copydesk.editor import Editor
from copydesk.errors import CopydeskError
from copydesk.grammar.trie import Trie
from copydesk.oracle import CodeCost, oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Copy, Gen, Program
from copydesk.prompting.codec import Codec, special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import ByteVocabulary
from copydesk.syntax.tree import parse
from copydesk.text.document import split_lines
from copydesk_benchmarks import (
    cases,
    ceiling,
    documents,
    edit_tables,
    kernel,
    perturbation,
    rivals,
    selector,
    serve,
    subject,
)
from copydesk_benchmarks.edit import ENGINE, Race
from copydesk_benchmarks.facts import facts, in_words
from copydesk_benchmarks.report import Report, Table, Target, read_table, shown
from copydesk_benchmarks.script import ScriptedModel
from copydesk_benchmarks.server.bench import command_line
from copydesk_benchmarks.sizes import Limits
from copydesk_benchmarks.standalone import quote
from copydesk_benchmarks.timing import Times, interleave
from copydesk_server.cli import main
from copydesk_server.commands.bench import STEPS
from humaneval import humaneval_cases
from repository import ROOT
from strategies import pairs

RESULTS = ROOT / "benchmarks" / "results"
LINES_OF_RACE, NAMES = 28, ("two places",)


@pytest.fixture(scope="module")
def tiny() -> subject.Subject:
    return subject.random("tiny", device="cpu", dtype="fp32")


@pytest.fixture(scope="module")
def race(tiny: subject.Subject) -> Iterator[Race]:
    """Every row there is, once, on a small file."""
    made = Race(tiny, tiny.loaded_model(), Limits(rounds=1, slow=1e9, longest=1e9))
    made.run(LINES_OF_RACE, names=NAMES)
    yield made
    made.close()


# -- documents and formats -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lines", [50, 300, 1000])
def test_a_file_is_as_long_as_asked_and_its_edits_change_the_function_alone(lines: int) -> None:
    made = documents.edits(lines)
    assert len({edit.after for edit in made}) == len(documents.EDITS)
    for edit in made:
        before, after = split_lines(edit.before), split_lines(edit.after)
        first, last = edit.scope
        assert 0.9 * lines <= len(before) <= lines
        assert "".join(before[first - 1 : last]) == documents.TARGET
        assert before[: first - 1] == after[: first - 1]
        assert before[last:] == after[len(after) - (len(before) - last) :]
        assert "".join(edit.new_lines) != documents.TARGET
        for text in (edit.before, edit.after):
            assert not parse(split_lines(text), "python").root_node.has_error
    assert abs(first - 1 - (len(before) - last)) <= 0.3 * lines + documents.LENGTHS[1]


@given(pairs())
def test_search_replace_blocks_make_the_edited_file(texts: tuple[str, str]) -> None:
    before, after = texts
    lines = split_lines(before)
    if any(marker.strip("\n") in before + after for marker in (rivals.OPEN, rivals.MIDDLE, rivals.CLOSE)):
        return
    if not lines or not all(line.endswith("\n") for line in (*lines, *split_lines(after))):
        return
    try:
        made = rivals.blocks(before, after)
    except CopydeskError:
        # A search names one place, so something of a file without repetitions always can be searched for.
        assert len(set(lines)) < len(lines)
        return
    assert rivals.apply_blocks(before, "".join(made)) == after


@pytest.mark.parametrize("name", documents.EDITS)
def test_every_format_reads_its_own_gold_text(name: str, tiny: subject.Subject, race: Race) -> None:
    (edit,) = documents.edits(60, (name,))
    document = race.editor.open("a.py", edit.before)
    plan = document.plan(edit.request)
    document.close()
    for format in rivals.FORMATS:
        task = rivals.task(format, edit, race.codec, plan.page, plan.asked)
        assert task.read(task.gold) == edit.after
        wrong = [*task.gold]
        wrong[2] = wrong[2] + 1
        with suppress(CopydeskError):
            assert task.read(wrong) != edit.after


# -- the race --------------------------------------------------------------------------------------------------------------


def test_every_row_wrote_every_edit_cold_and_warm(race: Race) -> None:
    names = {ENGINE, *(f"{m}, {f}" for m in rivals.METHODS.values() for f in rivals.FORMATS.values())}
    names.remove("prompt lookup, tuned, search/replace blocks")
    for warm in (False, True):
        rows = race.of(LINES_OF_RACE, warm=warm)
        assert {row.name for row in rows} == names
        for row in rows:
            assert set(row.runs) == set(NAMES), row.name


def test_forwards_are_what_each_way_needs(race: Race) -> None:
    """Work is counted: times differ from run to run, forwards do not."""

    def row(method: rivals.Method, format: rivals.Format) -> dict[str, rivals.Run]:
        name = f"{rivals.METHODS[method]}, {rivals.FORMATS[format]}"
        found = next(r for r in race.of(LINES_OF_RACE, warm=True) if r.name == name)
        return {edit: runs[0] for edit, runs in found.runs.items()}

    engine = {edit: runs[0] for edit, runs in race.engine(LINES_OF_RACE, warm=True).runs.items()}
    cold = {edit: runs[0] for edit, runs in race.engine(LINES_OF_RACE, warm=False).runs.items()}
    for format in rivals.FORMATS:
        plain, lookup = row("generate", format), row("prompt lookup", format)
        own, gold = row("own draft", format), row("gold draft", format)
        for edit, run in plain.items():
            assert run.forwards == run.written  # one token each
            assert lookup[edit].forwards <= run.forwards
            assert gold[edit].forwards < own[edit].forwards <= run.forwards
            assert gold[edit].drafts >= run.written - gold[edit].forwards
            assert engine[edit].forwards < run.forwards
    for edit, run in engine.items():
        assert run.forwards < cold[edit].forwards


def test_a_text_that_is_not_the_gold_one_fails_its_row(tiny: subject.Subject, race: Race) -> None:
    one, two = documents.edits(60)[:2]
    document = race.editor.open("a.py", one.before)
    plan = document.plan(one.request)
    document.close()
    right = rivals.task("blocks", one, race.codec, plan.page, plan.asked)
    wrong = rivals.task("blocks", two, race.codec, plan.page, plan.asked)
    mixed = rivals.Task("blocks", two, right.shown, right.asked, right.gold, wrong.read)
    with pytest.raises(CopydeskError, match="gold text"):
        race.rivals.run("generate", mixed, warm=False)


def test_an_assistants_draft_knows_nothing_of_the_gold_text(tiny: subject.Subject, race: Race) -> None:
    """What the model is made to say must not leak into the layers it shares with its assistant."""
    helper = rivals.first_layers(tiny.rival, rivals.DRAFT_LAYERS)
    ids = torch.tensor([[300, 301, 302]])
    with torch.inference_mode():
        free = helper(input_ids=ids, use_cache=True).logits
        tiny.rival(input_ids=ids, use_cache=True)
        again = helper(input_ids=ids, use_cache=True).logits
    assert torch.equal(free, again)
    assert len(helper.model.layers) == max(1, len(tiny.rival.model.layers) // rivals.DRAFT_LAYERS)


def test_the_engine_races_over_static_steps_too() -> None:
    """What CUDA graphs capture, run eagerly: the same arena and padding, and the same texts in the end."""
    model = subject.random("tiny", device="cpu", dtype="fp32")
    model.model.run_static(capture=False, slots=1 << 14)
    found = kernel.measure(
        model, (8, 160), prefix=32, steps=2, rounds=1
    )  # 160: wider than any captured shape
    made = Race(model, model.loaded_model(), Limits(rounds=2))
    try:
        made.run(LINES_OF_RACE, (), tuple(documents.EDITS))
        for warm in (False, True):
            assert set(made.engine(LINES_OF_RACE, warm=warm).runs) == set(documents.EDITS)
    finally:
        made.close()
    assert set(found.own) == {8, 160}


def test_what_takes_too_long_is_not_run_and_says_so(tiny: subject.Subject) -> None:
    made = Race(tiny, tiny.loaded_model(), Limits(rounds=1, slow=0.0, longest=0.0))
    ways: list[tuple[rivals.Method, rivals.Format]] = [("generate", "scope")]
    try:
        made.run(30, ways, ("one word",))
        made.run(40, ways, ("one word",))
        (_, first), (_, second) = made.of(30, warm=True), made.of(40, warm=True)
        assert first.runs
        assert not second.runs
        assert second.expected is not None
        assert second.expected > 0
        cells = edit_tables.growth_table(made, (30, 40), warm=True).rows[1]
        assert str(cells[2]).startswith("not run (≥ ")
    finally:
        made.close()


def test_the_races_report(race: Race, tiny: subject.Subject, tmp_path: Path) -> None:
    found = kernel.measure(tiny, (8, 16), prefix=32, steps=2, rounds=2)
    report = _report("edit")
    edit_tables.fill(report, race, found, tmp_path)
    report.save(tmp_path)
    check_results(tmp_path / "edit.json")
    bound = next(t for t in report.tables if t.title.startswith("Against the bound"))
    for row in bound.rows:
        _, tokens, copied, written, limit, measured, share = row
        assert tokens == copied + written  # type: ignore[operator]
        assert share == pytest.approx(100 * measured / limit)  # type: ignore[operator]
    assert all(target.met is not None for target in report.targets)


# -- kernel ----------------------------------------------------------------------------------------------------------------


def test_s_of_n_is_n_decode_steps_over_one_forward(tiny: subject.Subject) -> None:
    found = kernel.measure(tiny, (8, 16), prefix=32, steps=2, rounds=2)
    report = _report("kernel")
    kernel.fill(report, tiny, found)
    table = report.tables[0]
    own, hf = table.columns.index(kernel.OWN), table.columns.index("s(N) against transformers")
    for row in table.rows:
        n, forward = row[0], row[table.columns.index("ms median")]
        assert row[own] == pytest.approx(n * found.own_decode.median * 1e3 / forward)  # type: ignore[operator]
        assert row[hf] == pytest.approx(n * found.hf_decode.median * 1e3 / forward)  # type: ignore[operator]
    assert found.speedups() == {row[0]: row[own] for row in table.rows}


def test_both_forwards_have_the_same_weights(tiny: subject.Subject) -> None:
    from copydesk.models.feed import Feed

    tokens = [400, 401, 402, 403]
    row = tiny.model.new_row(8)
    (ours,) = tiny.model.forward([Feed(row, 0, tokens, range(4), None, [3])])
    with torch.inference_mode():
        theirs = tiny.rival(input_ids=torch.tensor([tokens])).logits[0, -1:]
    assert torch.allclose(ours, theirs, atol=1e-4)
    weights = sum(p.numel() * p.element_size() for p in tiny.rival.parameters())
    assert tiny.weight_bytes == weights  # tied: the head is the embedding, read once


def test_times_take_turns() -> None:
    order: list[str] = []

    def work(name: str, seconds: float):
        def run() -> float:
            order.append(name)
            return seconds

        return run

    found = interleave({"a": work("a", 1.0), "b": work("b", 3.0)}, 3)
    assert order == ["a", "b"] * 4  # one round of them warms up
    assert found == {"a": Times((1.0,) * 3), "b": Times((3.0,) * 3)}
    assert (Times((3.0, 1.0, 2.0)).minimum, Times((3.0, 1.0, 2.0)).median) == (1.0, 2.0)


# -- perturbation ----------------------------------------------------------------------------------------------------------

LINES = [f"line {k}\n" for k in range(1, 9)]
BEFORE = "".join(LINES)


@given(pairs())
def test_without_noise_a_program_is_itself(texts: tuple[str, str]) -> None:
    before, after = texts
    program = oracle_program(before, after, subs=False)
    lines = split_lines(before)
    still = [(0, 0)] * sum(isinstance(op, Copy) for op in program.ops)
    assert perturbation.loose(program, lines, still) == after


def test_noise_in_closed_form_and_by_going_through_all_of_it() -> None:
    """Two copies round a change, inside a file: three endpoints matter with nothing pinned, two with the statement's scope."""
    program = Program((Copy(1, 3), Gen("new\n"), Copy(5, 8)))
    after = program.resolve(BEFORE)
    for epsilon in (1, 2):
        one = 1 / (2 * epsilon + 1)
        outer = (epsilon + 1) * one  # the file's ends stop half of the noise
        loose = perturbation.exact_share(program, BEFORE, after, epsilon, None)
        assert loose == pytest.approx(outer * one * one * outer)
        # Line 4 alone may go: its copies can only begin and end there, so that each endpoint has two places to be.
        pinned = perturbation.exact_share(program, BEFORE, after, epsilon, [(4, 4)])
        assert pinned == pytest.approx(_pinned_by_hand(epsilon))
        assert pinned > loose


def _pinned_by_hand(epsilon: int) -> float:
    """copy 1-e with e in {3, 4}, then text, then copy s-8 with s in {4, 5} behind 3: the nearer one is taken."""
    steps = range(-epsilon, epsilon + 1)
    hits = sum(3 + e <= 3 and 5 + s >= 5 for e, s in product(steps, steps))
    return hits / len(steps) ** 2


@given(st.lists(st.integers(-3, 3), min_size=4, max_size=4), st.integers(2, 7))
def test_a_scope_keeps_the_lines_outside_it(noise: list[int], line: int) -> None:
    program = Program((Copy(1, line - 1), Gen("new\n"), Copy(line + 1, 8)))
    text = perturbation.pinned(program, LINES, [(line, line)], [(noise[0], noise[1]), (noise[2], noise[3])])
    assert text is None or perturbation._keeps(text, LINES, set(range(1, 9)) - {line})


def test_the_papers_fall_on_human_eval_fix() -> None:
    given_cases = [cases.Case(c.name, c.before, c.after, "python") for c in humaneval_cases()[:20]]
    found = perturbation.measure([perturbation.prepare(c, CodeCost()) for c in given_cases], draws=3, seed=0)
    assert found[0].loose.value == found[0].body.value == found[0].statement.value == 1.0
    assert found[1].loose.value < 0.5
    for survived in found.values():
        assert survived.statement.value >= survived.loose.value
        assert survived.kept.value == 1.0


# -- selector --------------------------------------------------------------------------------------------------------------


def test_total_variation_is_the_largest_difference_over_all_sets() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        p, q = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5))
        best = max(abs(p[list(s)].sum() - q[list(s)].sum()) for n in range(6) for s in _subsets(5, n))
        assert selector.total_variation(np.log(p), np.log(q)) == pytest.approx(best)


def _subsets(size: int, count: int) -> Iterator[tuple[int, ...]]:
    from itertools import combinations

    return combinations(range(size), count)


def test_local_masking_is_another_law() -> None:
    """Two ways on, one behind each first token and one of them likely only by what else the model might have said."""
    trie = Trie([[1, 3], [2, 4]])
    edges = np.array(
        [log(0.5), log(0.5), log(0.9), log(0.1)]
    )  # by node, then token: 1, 2, then 3 behind 1, 4 behind 2
    gap = selector.Gap.of(trie, trie.law(edges), LOCAL.over(trie, edges))
    assert (gap.ways, gap.one_token) == (2, False)
    assert gap.variation == pytest.approx(0.4)  # 0.9 : 0.1 against 0.5 : 0.5


def test_ways_of_choosing_on_the_embedded_model() -> None:
    texts = [
        "def total(values):\n    result = 0\n    for value in values:\n        result += value\n    return result\n"
    ]
    examples = selector.injected(texts, 3, 0, narrow=False)
    assert len(examples) == 3
    with Editor.load("mini", warm=False) as editor:
        way = selector.measure(editor, examples, candidates=1, token_by_token=False, name="exact")
        other = selector.measure(editor, examples, candidates=1, token_by_token=True, name="local")
    assert way.total == other.total == 3
    assert 0 < way.right <= way.endpoints
    assert all(0 <= gap.variation <= 1 for gap in way.gaps)
    assert all(gap.variation == pytest.approx(0) for gap in way.gaps if gap.one_token)


# -- serve -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [serve.on_one, serve.on_many])
def test_packed_and_sequential_end_alike_with_fewer_forwards(make, tiny: subject.Subject) -> None:
    loaded_model = tiny.loaded_model()
    scripted = loaded_model.model = ScriptedModel(tiny.model)
    with Editor(loaded_model, warm=False) as editor:
        asked = make(editor, 4)
        serve.prepare(editor, scripted, asked)
        together = serve.packed(editor, scripted, asked)
        apart = serve.sequential(editor, scripted, asked)
    assert together.forwards < apart.forwards
    assert len(together.latencies) == len(apart.latencies) == 4
    assert list(apart.latencies) == sorted(apart.latencies)


# -- cases -----------------------------------------------------------------------------------------------------------------


def test_a_bound_by_counting_steps() -> None:
    """Where a copy of any length costs one step, the bound is the tokens over copies and written tokens: counted, not derived."""
    codec = Codec(EditFormat(), ByteVocabulary(special_tokens(127)))
    cost = CodecCost(codec)
    one_step = {n: float(n) for n in range(1, 2000)}
    never = dict.fromkeys(one_step, 1.0)
    chosen = [case for case in humaneval_cases()[:20] if case.after.endswith("\n")]
    assert len(chosen) >= 10
    for case in chosen:
        found = ceiling.measure(cases.Case(case.name, case.before, case.after, "python"), codec, cost)
        program = oracle_program(case.before, case.after, subs=False, cost=cost)
        # Bytes are the tokens here.
        steps = sum(1 if isinstance(op, Copy) else len(op.text.encode()) for op in program.ops)
        assert found.tokens == len(case.after.encode())
        assert found.bound(one_step) == pytest.approx(found.tokens / steps)
        assert found.bound(never) == found.bound(never, 8) == pytest.approx(1.0)


def test_changes_of_a_history(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True, capture_output=True)

    git("init", "-q")
    for text in ("x = 1\n", "x = 2\n", "x = 2\ny = 3\n"):
        (tmp_path / "a.py").write_text(text)
        (tmp_path / "b.txt").write_text(text)
        git("add", ".")
        git("commit", "-q", "-m", "a change")
    assert list(cases.of_history(tmp_path)) == [
        cases.Case("a.py", "x = 2\n", "x = 2\ny = 3\n", "python"),
        cases.Case("a.py", "x = 1\n", "x = 2\n", "python"),
    ]


def test_pairs_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.before.py").write_text("x\n")
    (tmp_path / "a.after.py").write_text("y\n")
    assert cases.of_folder(tmp_path) == [cases.Case("a", "x\n", "y\n", "py")]
    (tmp_path / "b.before.py").write_text("x\n")
    with pytest.raises(CopydeskError, match=r"b\.after\.py"):
        cases.of_folder(tmp_path)


# -- results ---------------------------------------------------------------------------------------------------------------


def _report(name: str) -> Report:
    machine = facts(torch.device("cpu"))
    return Report(name, "A title", "copydesk bench x", "2026-01-01", machine, {"seed": 0})


def check_results(path: Path) -> None:
    """One results file: what every one of them says, and Markdown that is made of it and nothing else."""
    data = json.loads(path.read_text(encoding="utf-8"))
    assert set(data) == {
        "name", "title", "command", "date", "machine", "setting", "tables", "targets", "plots", "notes",
    }  # fmt: skip
    assert data["name"] == path.stem
    assert data["command"].startswith(("copydesk bench ", "python -m copydesk_benchmarks "))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", data["date"])
    for key in ("processor", "cores", "threads", "load_at_start", "python", "torch", "transformers"):
        assert data["machine"][key] is not None, key
    assert data["tables"]
    for table in data["tables"]:
        assert table["rows"]
        for row in table["rows"]:
            assert len(row) == len(table["columns"])
            assert all(value is None or isinstance(value, str | int | float | bool) for value in row)
    for name in data["plots"]:
        assert (path.parent / name).is_file()
    made = Report(
        **data
        | {
            "tables": [_table(table) for table in data["tables"]],
            "targets": [Target(**target) for target in data["targets"]],
        }
    )
    assert made.markdown() == path.with_suffix(".md").read_text(encoding="utf-8")


def _table(data: dict[str, object]) -> Table:
    assert isinstance(data["rows"], list)
    return Table(
        str(data["title"]),
        tuple(data["columns"]),  # type: ignore[arg-type]
        tuple(map(tuple, data["rows"])),
        tuple(data["notes"]),  # type: ignore[arg-type]
    )


def test_a_report_written_and_read(tmp_path: Path) -> None:
    report = _report("x-cpu")
    report.tables.append(Table("T", ("name", "ms"), (("a|b", 1.5), ("c", None)), ("a note",)))
    report.targets += [
        Target("speed", "≥ 2×", "not run", None),
        Target("a", "", "", True),
        Target("b", "", "", False),
    ]
    report.save(tmp_path)
    check_results(tmp_path / "x-cpu.json")
    assert read_table(tmp_path, "x-cpu", "T") == report.tables[0]
    assert read_table(tmp_path, "x-cpu", "other") is read_table(tmp_path, "absent", "T") is None
    text = report.markdown()
    assert in_words(report.machine) in text
    assert "| a\\|b | 1.50 |\n| c |  |\n" in text
    assert "| speed | ≥ 2× | not run | not measured |\n| a |  |  | yes |\n| b |  |  | no |\n" in text
    with pytest.raises(ValueError, match="1 values under 2 columns"):
        Table("T", ("a", "b"), ((1,),))


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (12345, "12,345"), (1234.5, "1,234"), (99.94, "99.9"), (9.994, "9.99"), (True, "yes"), (0.0, "0.00")],
)  # fmt: skip
def test_values_as_a_reader_wants_them(value: object, text: str) -> None:
    assert shown(value) == text  # type: ignore[arg-type]


def test_a_command_names_no_folder_of_this_machine() -> None:
    argv = ["bench", "all", "--data", "/some/where", "--out=/else/where", "--threads", "2"]
    assert command_line(argv) == "copydesk bench all --data DATA --out=OUT --threads 2"


@pytest.mark.parametrize("what", ["kernel", "serve"])
def test_the_command_writes_its_files(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    threads = torch.get_num_threads()
    try:
        code = main(
            [
                "bench",
                what,
                "--size",
                "tiny",
                "--shape",
                "tiny",
                "--device",
                "cpu",
                "--out",
                str(tmp_path),
                "--quiet",
            ]
        )
    finally:
        torch.set_num_threads(threads)
    assert code == 0
    check_results(tmp_path / f"{what}-cpu.json")
    assert (tmp_path / f"{what}-cpu.md").read_text(encoding="utf-8") in capsys.readouterr().out


@pytest.mark.parametrize(("met", "code"), [(True, 0), (None, 0), (False, 1)])
def test_a_missed_target_is_the_exit_code(
    met: bool | None, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step(_: object) -> Report:
        report = _report("kernel-cpu")
        report.targets.append(Target("t", "", "", met))
        return report

    monkeypatch.setattr("copydesk_benchmarks.server.forwards.run", step)
    threads = torch.get_num_threads()
    try:
        assert main(["bench", "kernel", "--device", "cpu", "--out", str(tmp_path), "--quiet"]) == code
    finally:
        torch.set_num_threads(threads)


def test_a_step_that_fails_does_not_take_the_others_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[str] = []

    def step(name: str):
        def run(_: object) -> Report:
            ran.append(name)
            if name == "edit":
                raise CopydeskError("no gold text")
            report = _report(f"{name}-cpu")
            report.tables.append(Table("T", ("a",), ((1,),)))
            return report

        return run

    for what, place in STEPS.items():
        module, _, function = place.partition(":")
        monkeypatch.setattr(f"copydesk_benchmarks.server.{module}.{function}", step(what))
    threads = torch.get_num_threads()
    try:
        code = main(["bench", "all", "--device", "cpu", "--out", str(tmp_path), "--data", str(tmp_path)])
    finally:
        torch.set_num_threads(threads)
    assert code == 2
    assert ran == list(STEPS)
    assert {path.stem for path in tmp_path.glob("*.md")} == {
        f"{name}-cpu" for name in STEPS if name != "edit"
    }
    assert "no gold text" in capsys.readouterr().err


def test_the_commands_that_need_data_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COPYDESK_EVAL_DATA", raising=False)
    assert (
        main(["bench", "ceiling", "--size", "tiny", "--device", "cpu", "--out", str(tmp_path), "--quiet"])
        == 2
    )
    assert "--data" in capsys.readouterr().err


# -- what documents quote --------------------------------------------------------------------------------------------------


def test_results_of_the_repository_are_whole() -> None:
    for path in sorted(RESULTS.glob("*.json")):
        check_results(path)


def test_quotes_are_put_in_and_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "README.md"
    monkeypatch.setattr(quote, "ROOT", tmp_path)
    monkeypatch.setattr(quote, "DOCUMENTS", (document,))
    mark = "<!-- from benchmarks/results/x-cpu.md: T -->"
    document.write_text(f"a\n\n{mark}\n\nb | c\n")
    assert quote.main() == 1  # no such results
    assert document.read_text() == f"a\n\n{mark}\n\nb | c\n"
    for value in (1.5, 2.5):
        report = _report("x-cpu")
        report.tables.append(Table("T", ("ms",), ((value,),)))
        report.save(tmp_path / "benchmarks" / "results")
        for _ in range(2):
            assert quote.main() == 0
            wanted = f"a\n\n{mark}\n\n{report.tables[0].markdown()}\nb | c\n"
            assert document.read_text() == wanted


@pytest.mark.parametrize("name", ["README.md", "benchmarks/README.md"])
def test_tables_of_figures_come_from_results(name: str) -> None:
    """A table whose cells hold decimals stands under the comment that names its results file, and says what that says."""
    text = (ROOT / name).read_text(encoding="utf-8")
    named = list(re.finditer(r"<!-- from (?:benchmarks/)?results/([\w.-]+)\.md: ([^\n]+?) -->\n", text))
    tables = {found.start(): found[0] for found in re.finditer(r"(?:^\|[^\n]*\n)+", text, re.MULTILINE)}
    for mark in named:
        source = read_table(RESULTS, mark[1], mark[2])
        table = tables.pop(mark.end() + 1, tables.pop(mark.end(), None))
        if table is not None:
            assert source is not None, f"{name} quotes {mark[1]}, which has no table {mark[2]!r}"
            assert table == source.markdown(), f"{name}: run python -m copydesk_benchmarks quote"
        else:
            assert source is None, (
                f"{name} leaves out {mark[2]!r} of {mark[1]}: run python -m copydesk_benchmarks quote"
            )
    for table in tables.values():
        assert not re.search(r"\d\.\d", table), (
            f"{name}: a table of figures without its source:\n{table[:200]}"
        )
