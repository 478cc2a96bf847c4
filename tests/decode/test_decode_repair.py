"""One of finitely many repairs: outcome, law and tokens are those of whole programs, and a single repair asks nothing."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from copydesk.decode.coroutine import Decided, Lane, Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.finite_choice import ChoiceDecoder, ChoiceTask
from copydesk.decode.sampling import Sampler
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.grammar.trie import Trie
from copydesk.oracle.single import line_sub
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Copy, Program, Sub
from copydesk.prompting.codec import Codec, Ids, own_run
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Position, content, split_lines
from decoding import Desk, byte_codec
from desks import editor, settle
from finite import Recorder, brute_law
from mock_model import MockModel
from random_pages import check_scope, random_text
from vocabularies import codec as codec_of

FORMATS = [("lines", "span"), ("lines", "program"), ("tags", "span"), ("tags", "tail"), ("tags", "program")]


@dataclass
class Repairing:
    """A page with repairs on some of its lines."""

    desk: Desk
    task: ChoiceTask
    repairs: dict[int, list[Sub]]

    @classmethod
    def of(cls, codec: Codec, text: str, wanted: dict[int, list[str]]) -> Repairing:
        """`wanted`: what lines (by number) may become, without terminators."""
        desk = Desk.of(codec, text, [(line, line) for line in wanted])
        views, lines = desk.task.views, desk.task.lines
        found: dict[int, list[Sub]] = {}
        for number, texts in wanted.items():
            end = "\n" if views[number - 1].endswith("\n") else ""
            for new in texts:
                sub = line_sub(views[number - 1], new + end, CodecCost(codec))
                if sub is not None and own_run(codec, views, lines, number, sub.old) is not None:
                    found.setdefault(number, []).append(Sub(number, number, sub.old, sub.new))
        count = len(views)
        programs = [
            Program(
                (
                    *([Copy(1, line - 1)] if line > 1 else []),
                    sub,
                    *([Copy(line + 1, count)] if line < count else []),
                )
            )
            for line, subs in sorted(found.items())
            for sub in subs
        ]
        open_end = desk.rules.open_end
        task = ChoiceTask(codec, views, lines, desk.task.request, programs, open_end, staged=True)
        return cls(desk, task, found)

    def decode(
        self, model: Any, sampler: Sampler, max_nodes: int | None = None
    ) -> tuple[Outcome, Counts, list[int]]:
        """The outcome, what it cost, and the tokens behind the request."""
        lane = Lane(self.desk.warm(model), 1, len(self.desk.tokens.ids))
        emitter = TokenEmitter(lane, sampler, Counts(), 100)
        if max_nodes is not None:
            emitter.max_nodes = max_nodes
        steps = ChoiceDecoder(self.task, emitter).run()
        answer = None
        try:
            while True:
                said = next(steps) if answer is None else steps.send(answer)
                answer = None
                if not isinstance(said, Decided):
                    (answer,) = model.forward([lane.feed(said)])
        except StopIteration as finished:
            outcome: Outcome = finished.value
        emitter._settle()  # what was fed ahead and not taken leaves the row
        stream = lane.row.tokens_of(1) + emitter.pending
        lane.release()
        return outcome, emitter.counts, stream[len(self.task.request) :]


def random_repairing(random: Random, codec: Codec) -> Repairing:
    while True:
        text = random_text(random, 5)
        lines = split_lines(text)
        wanted: dict[int, list[str]] = {}
        for number in random.sample(range(1, len(lines) + 1), min(len(lines), random.choice((1, 1, 2, 3)))):
            old = content(lines[number - 1])
            cuts = random.choices(range(len(old) + 1), k=random.choice((1, 2, 4)))
            wanted[number] = list(
                dict.fromkeys(old[:k] + random.choice(("(", "x", ", y", "é")) + old[k:] for k in cuts)
            )
        made = Repairing.of(codec, text, wanted)
        if made.repairs:
            return made


@pytest.mark.parametrize(("kind", "after_copy"), FORMATS)
def test_the_outcome_is_a_repair_and_its_tokens_those_of_the_program(kind: str, after_copy: str) -> None:
    codec = byte_codec(kind, after_copy)
    model, random = MockModel(codec.vocabulary.size, seed=5), Random(f"{kind}{after_copy}")
    for seed in range(60):
        made = random_repairing(random, codec)
        outcome, counts, stream = made.decode(model, Sampler(1.0, 1.0, seed))
        assert outcome.program in made.task.programs
        assert outcome.exact
        assert counts.generated == 0
        assert counts.forwards <= 2
        assert counts.forwards == 0 or len(made.task.programs) > 1
        pieces = codec.encode_program(
            outcome.program, made.task.views, made.task.lines, open_end=made.task.open_end
        )
        assert stream == [token for piece in pieces for token in piece.ids]
        text = "".join(made.desk.page.views)
        check_scope(text, made.desk, made.desk.document_scope, outcome.program)


@pytest.mark.parametrize("name", ["line_tokens", "qwen_like", "llama3_like"])
def test_olds_are_runs_of_the_lines_own_tokens_in_any_vocabulary(name: str) -> None:
    codec = codec_of(name)
    made = Repairing.of(
        codec, "if x == None\n    return(y\n", {1: ["if x == None:"], 2: ["    return(y)", "    return y"]}
    )
    assert sum(map(len, made.repairs.values())) == 3
    outcome, _, stream = made.decode(MockModel(codec.vocabulary.size), Sampler())
    assert outcome.program in made.task.programs
    pieces = codec.encode_program(
        outcome.program, made.task.views, made.task.lines, open_end=made.task.open_end
    )
    assert stream == [token for piece in pieces for token in piece.ids]


def spelled(made: Repairing, line: int) -> list[Ids]:
    codec, task = made.task.codec, made.task
    found = []
    for sub in made.repairs[line]:
        run_of = own_run(codec, task.views, task.lines, line, sub.old)
        assert run_of is not None
        found.append(run_of + codec.literals.sub_to + codec.fragment(sub.new) + codec.literals.sub_close)
    return found


@pytest.mark.parametrize(("kind", "after_copy"), FORMATS)
def test_the_law_is_that_of_brute_force(kind: str, after_copy: str) -> None:
    codec = byte_codec(kind, after_copy)
    literals = codec.literals
    model, random = MockModel(codec.vocabulary.size, seed=3, context=0), Random(f"law{kind}{after_copy}")
    checked = seed = 0
    while checked < 30:
        seed += 1
        made = random_repairing(random, codec)
        sampler = Recorder(seed=seed)
        outcome, _, _ = made.decode(model, sampler)
        assert outcome.program is not None
        chosen = next(op for op in outcome.program.ops if isinstance(op, Sub))
        line = chosen.start
        context = [*made.desk.tokens.ids, *made.task.request]
        expected = []
        numbers = sorted(made.repairs)
        ways: list[Ids] = [
            literals.sub_open + codec.sub_start(1)
            if n == 1
            else literals.copy_open + codec.copy_start(1) + codec.copy_end(n - 1)
            for n in numbers
        ]
        if len(ways) > 1:
            expected.append(brute_law(model, context, ways))
        context += ways[numbers.index(line)]
        if line > 1:
            context += [
                *codec.span(made.task.lines, 1, line - 1),
                *literals.sub_open,
                *codec.sub_start(line),
            ]
        if len(made.repairs[line]) > 1:
            expected.append(brute_law(model, context, spelled(made, line)))
        assert len(sampler.laws) == len(expected)
        for law, brute in zip(sampler.laws, expected, strict=True):
            np.testing.assert_allclose(np.exp(law), brute, atol=1e-5)
            checked += 1


def test_repairs_beyond_one_forward_are_left_out_the_last_first() -> None:
    codec = byte_codec()
    texts = [f"value = {'x' * k}call()" for k in range(1, 9)]
    made = Repairing.of(codec, "value = call()\n", {1: texts})
    first, *_ = made.repairs[1]
    nodes = Trie(spelled(made, 1)[:3]).nodes
    outcome, _, _ = made.decode(MockModel(codec.vocabulary.size), Sampler(), max_nodes=nodes)
    assert outcome.program is not None
    assert outcome.exact
    assert outcome.program.ops[0] in made.repairs[1][:4]
    outcome, counts, _ = made.decode(MockModel(codec.vocabulary.size), Sampler(), max_nodes=1)
    assert outcome.program == Program((first,))
    assert counts.forwards == 0


# -- through the editor ---------------------------------------------------------------------------------------------------


def on(line: int, message: str, code: str | None = None) -> EditRequest:
    return EditRequest(diagnostics=[Diagnostic(Position(line, 0), Position(line, 1), message, code)])


@pytest.mark.parametrize("kind", ["lines", "tags"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", [True, False])
def test_one_repair_is_an_edit_without_a_forward(kind: str, newline: str, end: bool) -> None:
    text = newline.join(["def f(x):", "    if x", "        return 1", "    return 2"]) + newline * end
    desk = editor(kind=kind)
    document = desk.open("a.py", text)
    settle(desk)
    result = document.edit(on(1, "expected ':'"))
    assert (result.status, result.text) == ("edited", text.replace("if x", "if x:"))
    assert result.counts.forwards == 0
    last = newline.join(["def f(x):", "    return (x, 2"]) + newline * end
    result = desk.open("b.py", last).edit(on(1, "'(' was never closed"))
    assert result.status == "edited"
    assert result.text.startswith(newline.join(["def f(x):", "    return"]))
    assert result.text.endswith(newline) == end
    desk.check_integrity()


def test_a_parameter_on_a_line_of_its_own_keeps_the_documents_line_ends() -> None:
    text = "class A:\r\n    def f(\r\n        x,\r\n    ):\r\n        return x\r\n"
    model = MockModel(byte_codec().vocabulary.size)
    desk = editor(model)
    result = desk.open("a.py", text).edit(on(2, "First argument of a method should be named `self`", "N805"))
    assert result.text in (
        text.replace("        x", "        self,\r\n        x"),
        text.replace("x,\r", "self, x,\r"),
    )


@pytest.mark.parametrize("kind", ["lines", "tags"])
def test_a_stale_diagnostic_changes_nothing_without_a_forward(kind: str) -> None:
    text = "def f(x):\n    if x:\n        return 1\n"
    desk = editor(kind=kind)
    document = desk.open("a.py", text)
    settle(desk)
    for request in (
        on(1, "expected ':'", "invalid-syntax"),
        on(1, "Undefined name `y`", "F821"),
        on(1, "W291 trailing whitespace", "W291"),
    ):
        result = document.edit(request)
        assert (result.status, result.text) == ("unchanged", text)
        assert result.counts.forwards == 0


def test_narrowing_can_be_turned_off_and_a_selection_wins() -> None:
    text = "def f(x):\n    if x\n        return 1\n"
    document = editor().open("a.py", text)
    request = on(1, "expected ':'")
    plain = EditRequest(diagnostics=request.diagnostics, narrow=False, max_tokens=4)
    assert document.edit(plain).counts.forwards > 0
    elsewhere = EditRequest(diagnostics=request.diagnostics, scope=[(3, 3)], max_tokens=4)
    assert "if x\n" in document.edit(elsewhere).text
