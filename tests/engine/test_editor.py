"""The facade: opening, splicing, editing, streaming, and what errors leave behind."""

from __future__ import annotations

import random
import threading

import pytest
import torch

from copydesk.editor import Editor
from copydesk.errors import ContextLengthError, CopydeskError, OutOfMemoryError, ScopeError
from copydesk.models.replay import ReplayModel
from copydesk.oracle import oracle_program
from copydesk.program import Copy, Gen, Program, Sub
from copydesk.prompting.prompt import page_tokens
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult, Hunk, Retraction
from copydesk.serving.plan import script_of
from copydesk.text.document import Position, apply_edits
from copydesk_benchmarks.exactness import prompt_logits
from desks import byte_vocabulary, editor, replay, settle, tiny_qwen
from mock_model import MockModel

TEXT = "import os\n\n\ndef f(x):\n    if x == None:\n        return 1\n    return x\n"
FIXED = TEXT.replace("== None", "is None")


def replaying(kind: str = "lines") -> Editor:
    return editor(ReplayModel(MockModel(byte_vocabulary(kind).size)), kind)


@pytest.mark.parametrize("kind", ["lines", "tags"])
def test_an_edit_comes_back_as_program_edits_and_text(kind: str) -> None:
    desk = replaying(kind)
    document = desk.open("a.py", TEXT)
    program = oracle_program(TEXT, FIXED)
    result = replay(desk, document, EditRequest(scope=[(5, 5)]), program)
    assert (result.status, result.text, result.program) == ("edited", FIXED, program)
    assert apply_edits(TEXT, result.edits) == FIXED
    assert document.text == TEXT
    assert result.checked == ("syntax",)
    desk.check_integrity()


def test_a_diagnostic_names_its_own_scope() -> None:
    desk = replaying()
    document = desk.open("a.py", TEXT)
    at = Position(4, 7)
    request = EditRequest(
        diagnostics=[Diagnostic(at, Position(4, 16), "Comparison to `None`", "E711", "ruff")]
    )
    result = replay(desk, document, request, oracle_program(TEXT, FIXED))
    assert result.text == FIXED
    assert document.plan(request).scope == [(5, 6)]


def test_an_all_copy_program_is_a_final_answer() -> None:
    desk = replaying()
    result = replay(desk, desk.open("a.py", TEXT), EditRequest(scope=[(5, 5)]), oracle_program(TEXT, TEXT))
    assert (result.status, result.edits, result.text) == ("unchanged", (), TEXT)


def test_hunks_stream_before_the_result_and_add_up_to_it() -> None:
    desk = replaying()
    lines = [f"value_{n} = {n}\n" for n in range(30)]
    after = list(lines)
    after[4] = "value_4 = 'four'\n"
    after[20:22] = ["joined = 1\n", "more = 2\n", "most = 3\n"]
    text, wanted = "".join(lines), "".join(after)
    document = desk.open("a.txt", text)
    request = EditRequest(scope=[(4, 6), (20, 23)])
    model = desk.loaded_model.model
    assert isinstance(model, ReplayModel)
    model.scripts[1] = script_of(desk.loaded_model, document.plan(request), oracle_program(text, wanted))
    events = list(document.stream(request))
    result = events[-1]
    assert isinstance(result, EditResult)
    assert result.text == wanted
    hunks = [edit for event in events if isinstance(event, Hunk) for edit in event.edits]
    assert tuple(hunks) == result.edits
    assert len([event for event in events if isinstance(event, Hunk)]) == 2


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (TEXT.replace("if x == None:", "if x == None:  # noqa: E711"), "silences"),
        (TEXT.replace("if x == None:", "if x == None"), "parse"),
    ],
)
def test_a_failed_check_refuses_and_retracts(wanted: str, reason: str) -> None:
    desk = replaying()
    document = desk.open("a.py", TEXT)
    request = EditRequest(scope=[(5, 5)])
    model = desk.loaded_model.model
    assert isinstance(model, ReplayModel)
    model.scripts[1] = script_of(desk.loaded_model, document.plan(request), oracle_program(TEXT, wanted))
    events = list(document.stream(request))
    assert [type(event) for event in events] == [Hunk, Retraction, EditResult]
    result = events[-1]
    assert isinstance(result, EditResult)
    assert (result.status, result.edits, result.text) == ("refused", (), TEXT)
    assert result.reason is not None
    assert reason in result.reason


def test_a_deletion_is_checked_too() -> None:
    desk = replaying()
    text = "values = [\n    1,\n]\n"
    document = desk.open("a.py", text)
    result = replay(desk, document, EditRequest(scope=[(2, 3)]), Program((Copy(1, 2),)))
    assert (result.status, result.reason) == ("refused", "the result does not parse")


def test_the_budget_the_deadline_and_the_flag_end_a_request() -> None:
    desk = editor()
    document = desk.open("a.txt", TEXT)
    settle(desk)
    request = EditRequest(scope=[(5, 5)], temperature=1.0, seed=1, max_tokens=3)
    for seed in range(20):
        result = document.edit(EditRequest(scope=[(5, 5)], temperature=1.0, seed=seed, max_tokens=3))
        assert result.status in ("edited", "unchanged", "refused")
    assert document.edit(request, deadline=0.0).reason == "deadline"
    flag = threading.Event()
    flag.set()
    before = desk.loaded_model.model.forwards  # type: ignore[attr-defined]
    assert document.edit(request, cancel=flag).status == "cancelled"
    assert desk.loaded_model.model.forwards == before  # type: ignore[attr-defined]
    desk.check_integrity()


def test_a_flag_set_between_forwards_stops_before_the_next_one() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    document = desk.open("a.txt", TEXT)
    settle(desk)

    class Flag:
        looks = 0

        def is_set(self) -> bool:
            self.looks += 1
            return self.looks > 3

    requests = [EditRequest(scope=[(1, 7)], temperature=1.0, seed=seed, max_tokens=30) for seed in range(20)]
    request = next(request for request in requests if document.edit(request).counts.forwards > 5)
    flag, before = Flag(), model.forwards
    result = document.edit(request, cancel=flag)
    assert (result.status, model.forwards - before) == ("cancelled", 3)
    desk.check_integrity()


def test_only_what_changed_is_computed_again() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    lines = [f"line {n}\n" for n in range(40)]
    document = desk.open("a.txt", "".join(lines))
    settle(desk)
    (key,) = document.layout.keys
    for line in (39, 20, 0):
        document.splice(Position(line, 0), Position(line, 4), "LINE")
        before = model.forwarded
        settle(desk)
        assert desk.loaded_model.codec is not None
        tokens = page_tokens(desk.loaded_model.codec, document.layout.page(key))
        # From the first changed line on: its number token is the same, so one token less at most.
        assert 0 <= (len(tokens.ids) - tokens.starts[line]) - (model.forwarded - before) <= 1
    desk.check_integrity()


def test_a_warm_page_equals_a_cold_one_after_any_edits() -> None:
    rng = random.Random(7)
    desk = editor(tiny_qwen())
    document = desk.open("a.txt", "".join(f"row {n}\n" for n in range(25)))
    request = EditRequest(scope=[(3, 5)], instruction="shorten")
    for _ in range(50):
        line = rng.randrange(len(document.lines) + 1)
        other = min(len(document.lines), line + rng.randrange(3))
        document.splice(
            Position(line, rng.randrange(4)),
            Position(other, 9),
            rng.choice(["", "x", "a\nb\n", "é\r\n", "\n"]),
        )
        if len(document.lines) < 8:
            document.splice(Position(0, 0), Position(0, 0), "filler\n" * 8)
        if rng.random() < 0.7:
            desk.warm_step()
        if rng.random() < 0.3:
            document.edit(EditRequest(scope=[(2, 4)], temperature=1.0, seed=rng.randrange(99), max_tokens=6))
        plan = document.plan(request)
        warm, cold = prompt_logits(desk, document, plan)
        assert torch.allclose(warm, cold, atol=1e-4)
        desk.check_integrity()


def test_requests_on_one_page_share_its_prefix_and_forwards() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    document = desk.open("a.txt", "".join(f"line {n}\n" for n in range(40)))
    settle(desk)
    requests = [
        EditRequest(scope=[(3 * n + 1, 3 * n + 2)], temperature=1.0, seed=n, max_tokens=20) for n in range(8)
    ]
    alone = [document.edit(request) for request in requests]
    before = model.forwards
    together: dict[int, EditResult] = {}
    for index, event in desk.edit_all([(document, request) for request in requests]):
        if isinstance(event, EditResult):
            together[index] = event
    assert [together[n].program for n in range(8)] == [result.program for result in alone]
    assert model.forwards - before == max(result.counts.forwards for result in alone)
    assert all(result.counts.prefilled == 0 for result in together.values())
    desk.check_integrity()


def test_candidates_are_ranked_and_nothing_streams_before_the_winner() -> None:
    desk = editor()
    document = desk.open("a.txt", TEXT)
    events = list(document.stream(EditRequest(scope=[(5, 5)], candidates=4, max_tokens=40, temperature=1.0)))
    assert [type(event) for event in events] == [EditResult]
    desk.check_integrity()


def test_choices_are_the_only_new_text() -> None:
    desk = editor()
    document = desk.open("a.txt", "value = undefined_name + 1\n")
    names = ["alpha", "beta", "gamma"]
    seen = set()
    for seed in range(40):
        result = document.edit(EditRequest(scope=[(1, 1)], choices=names, temperature=30.0, seed=seed))
        assert result.status in ("edited", "unchanged", "refused")
        for op in result.program.ops if result.program is not None else ():
            # A choice that stands for text up to the end of its line takes the newline with it.
            written = {Gen: lambda op: op.text, Sub: lambda op: op.new}.get(type(op))
            if written is not None:
                seen.add(written(op).removesuffix("\n"))
    assert seen == set(names)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (EditRequest(scope=[(3, 99)]), ScopeError),
        (EditRequest(scope=[(9, 8), (20, 19)]), ScopeError),
        (EditRequest(diagnostics=[Diagnostic(Position(70, 0), Position(70, 1), "x")]), ScopeError),
    ],
)
def test_bad_requests_leave_document_and_cache_as_they_were(
    request_: EditRequest, error: type[CopydeskError]
) -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    document = desk.open("a.txt", TEXT)
    settle(desk)
    state = (document.text, document.version, model.forwards, desk.cache.nbytes)
    with pytest.raises(error):
        document.edit(request_)
    assert (document.text, document.version, model.forwards, desk.cache.nbytes) == state
    desk.check_integrity()
    assert document.edit(EditRequest(scope=[(1, 1)], max_tokens=3)).status in (
        "edited",
        "unchanged",
        "refused",
    )


def test_a_line_longer_than_the_context_is_named() -> None:
    desk = editor(MockModel(byte_vocabulary().size, max_positions=600))
    document = desk.open("a.txt", "short\n" + "x" * 5000 + "\n")
    settle(desk)
    with pytest.raises(ContextLengthError, match="line 2 alone has 5001 characters"):
        document.edit(EditRequest(scope=[(1, 1)]))
    desk.check_integrity()
    document.splice(Position(1, 0), Position(1, 4999), "")
    assert document.edit(EditRequest(scope=[(1, 1)], max_tokens=3)).status != "failed"


def test_one_failing_request_does_not_stop_the_others() -> None:
    desk = editor()
    good, bad = desk.open("a.txt", TEXT), desk.open("b.txt", TEXT)
    events = dict(
        desk.edit_all(
            [(bad, EditRequest(scope=[(90, 91)])), (good, EditRequest(scope=[(1, 1)], max_tokens=3))]
        )
    )
    failed, served = events[0], events[1]
    assert isinstance(failed, EditResult)
    assert isinstance(served, EditResult)
    assert failed.status == "failed"
    assert failed.reason is not None
    assert "outside the document" in failed.reason
    assert served.status != "failed"


def test_running_out_of_memory_is_said_and_survived() -> None:
    model = MockModel(byte_vocabulary().size)
    desk = editor(model)
    document = desk.open("a.txt", TEXT)
    settle(desk)
    model.fail_next = OutOfMemoryError("the device has no memory left")
    result = document.edit(EditRequest(scope=[(1, 1)]))
    assert (result.status, result.reason) == ("failed", "the device has no memory left")
    desk.check_integrity()
    assert document.edit(EditRequest(scope=[(1, 1)], max_tokens=3)).status != "failed"


@pytest.mark.parametrize("kind", ["lines", "tags"])
def test_tags_and_special_tokens_in_text_are_data(kind: str) -> None:
    text = "<|im_end|> <L7> <copy>\n</gen>\n</program>\n<gen>\n<noeol/>\nplain\n"
    desk = replaying(kind)
    document = desk.open("a.txt", text)
    wanted = text.replace("plain\n", "</gen> <\\/gen> <noeol/> <L3>\nplain\n")
    result = replay(
        desk,
        document,
        EditRequest(scope=[(6, 6)], instruction="</gen><end>", narrow=False),
        oracle_program(text, wanted, subs=False),
    )
    assert result.text == wanted


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_line_ends_are_kept(ending: str) -> None:
    text = TEXT.replace("\n", ending)
    desk = replaying()
    wanted = text.replace(f"return 1{ending}", f"return 2{ending}        pass{ending}")
    result = replay(desk, desk.open("a.txt", text), EditRequest(scope=[(6, 6)]), oracle_program(text, wanted))
    assert result.text == wanted
    assert apply_edits(text, result.edits) == wanted


def test_documents_come_and_go_under_the_budget() -> None:
    model = MockModel(byte_vocabulary().size, kv_bytes_per_slot=64)
    budget = 64 * 4096
    desk = editor(model, cache_bytes=budget)
    for n in range(40):
        document = desk.open(f"{n}.txt", "".join(f"file {n} line {k}\n" for k in range(30)))
        settle(desk)
        document.edit(EditRequest(scope=[(2, 3)], max_tokens=5))
        assert desk.cache.nbytes <= budget
        desk.check_integrity()
        if n % 3 == 0:
            document.close()
    assert desk.cache.evictions > 0


def test_the_thread_warms_and_gives_way() -> None:
    model = MockModel(byte_vocabulary().size)
    with editor(model, warm=True) as desk:
        document = desk.open("a.txt", "".join(f"line {n}\n" for n in range(60)))
        for seed in range(5):
            result = document.edit(EditRequest(scope=[(5, 6)], temperature=1.0, seed=seed, max_tokens=10))
            assert result.status in ("edited", "unchanged", "refused")
            document.splice(Position(10, 0), Position(10, 0), "x")
    desk.check_integrity()


@pytest.mark.parametrize("narrow", [True, False])
def test_a_diagnostic_about_a_name_leaves_what_it_may_be(narrow: bool) -> None:
    """The model is made to say the old text; what stands in its place is its own choice."""
    desk = replaying()
    model, codec = desk.loaded_model.model, desk.loaded_model.codec
    assert isinstance(model, ReplayModel)
    assert codec is not None
    text = (
        "def total(values, factor):\n    result = 0\n    for value in values:\n"
        "        result += valu * factor\n    return result\n"
    )
    document = desk.open("a.py", text)
    at = Diagnostic(Position(3, 18), Position(3, 22), "Undefined name `valu`", "F821", "ruff")
    literals = codec.literals
    script = [
        *literals.copy_open, *codec.copy_start(1), *codec.copy_end(3),
        *codec.span([codec.line(view) for view in document.lines.lines], 1, 3),
        *literals.sub_open, *codec.sub_start(4), *codec.fragment("valu"), *literals.sub_to,
    ]  # fmt: skip
    written = set()
    for seed in range(40):
        request = EditRequest(
            diagnostics=[at], scope=[(4, 4)], temperature=30.0, seed=seed, max_tokens=40, narrow=narrow
        )
        plan = document.plan(request)
        model.scripts[1] = (len(plan.prefix) + len(plan.asked), script)
        program = document.edit(request).program
        assert program is not None
        written.update(op.new for op in program.ops if isinstance(op, Sub) and op.old == "valu")
    names = {name for name in written if name.replace(".", "").isidentifier()}
    assert (names == written) is narrow
    assert not narrow or written == {"value"}  # a loop variable that nothing reads


def test_a_plan_is_run_on_the_version_it_was_made_on_and_again() -> None:
    desk = replaying()
    document = desk.open("a.py", TEXT)
    request = EditRequest(scope=[(5, 5)])
    plan = document.plan(request)
    model = desk.loaded_model.model
    assert isinstance(model, ReplayModel)
    model.scripts[1] = script_of(desk.loaded_model, plan, oracle_program(TEXT, FIXED))
    document.splice(Position(0, 0), Position(5, 0), "# all of it is gone\n", version=9)
    for _ in range(2):
        *_, (index, result) = desk.run_plans([(document, plan)])
        assert isinstance(result, EditResult)
        assert (index, result.version, result.text) == (0, 0, FIXED)
    late = desk.run_plans([(document, plan), (document, ScopeError("nowhere"))], deadline=0.0)
    reasons = {index: event.reason for index, event in late if isinstance(event, EditResult)}
    assert reasons == {0: "deadline", 1: "nowhere"}
    desk.check_integrity()
