"""Rewriting is plain greedy decoding under a constraint: the same tokens with drafts, without, and from transformers' logits, and
fewer forwards. The answer is one closed code fence, whatever the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from copydesk.decode.coroutine import Lane, Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.drafts import NgramIndex
from copydesk.decode.rewrite import RewriteDecoder, RewriteTask, read_program
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import Job, run
from copydesk.decode.text_automata import FenceMachines
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.models.feed import Feed
from copydesk.models.load import load
from copydesk.models.replay import ReplayModel
from copydesk.models.row import SHARED
from copydesk.program import Copy, Gen, Op, Program
from copydesk.prompting.vocabulary import Vocabulary
from mock_model import MockModel
from tiny_models import OTHERS, build, qwen2
from vocabularies import llama3_like, plain_bytes, qwen_like

VIEWS = [
    "import os\n",
    "def f(x):\n",
    "    if x == None:\n",
    "        return 0\n",
    "    return x\n",
    "f(2)\n",
]
PROMPT = "Rewrite lines 2-5 of the file.\n"
FENCE = "```"
OPENING = "```python\n"


@cache
def machines(vocabulary: Vocabulary) -> FenceMachines:
    return FenceMachines(vocabulary)


def task_of(vocabulary: Vocabulary, *, drafts: bool = True, first: int = 2, last: int = 5) -> RewriteTask:
    shown = VIEWS[first - 1 : last]
    return RewriteTask(
        vocabulary=vocabulary,
        prompt=vocabulary.encode(PROMPT),
        opening=vocabulary.encode(OPENING),
        draft=vocabulary.encode("".join(shown) + FENCE),
        machine=machines(vocabulary).of(len(FENCE)),
        page=NgramIndex(vocabulary.encode("".join(VIEWS))),
        views=VIEWS,
        first=first,
        last=last,
        shown=shown,
        indent="",
        drafts=drafts,
    )


def rewrite(
    model: Any, task: RewriteTask, max_tokens: int, sampler: Sampler | None = None
) -> tuple[list[int], Outcome, Counts]:
    prefix = task.vocabulary.encode("".join(VIEWS))
    row = model.new_row(512)
    model.forward([Feed(row, SHARED, prefix, range(len(prefix)))])
    emitter = TokenEmitter(Lane(row, 1, len(prefix)), sampler or Sampler(), Counts(), max_tokens)
    decoder = RewriteDecoder(task, emitter)
    job = Job(emitter.lane, decoder.run())
    for _ in run(model, [job], lambda: None):
        pass
    row.check_integrity()
    assert row.tokens_of(SHARED) == prefix
    assert row.used == len(prefix)
    assert job.outcome is not None
    return decoder.written, job.outcome, emitter.counts


def saying(vocabulary: Vocabulary, answer: str) -> ReplayModel:
    """A model that answers so behind the opening fence, and then goes on."""
    model = ReplayModel(MockModel(vocabulary.size, context=3))
    start = sum(len(vocabulary.encode(text)) for text in ("".join(VIEWS), PROMPT, OPENING))
    model.scripts[1] = (start, vocabulary.encode(answer + "\nThat is all.\n"))
    return model


def greedy(logits: Callable[[list[int]], torch.Tensor], task: RewriteTask, most: int) -> list[int]:
    """What plain greedy decoding says under the same constraint, with no cache, no draft and at most `most` tokens chosen."""
    machine, state = task.machine, task.machine.start
    context = [*task.vocabulary.encode("".join(VIEWS)), *task.prompt, *task.opening]
    written: list[int] = []
    while not machine.closed(state):
        allowed = [t for t in range(task.vocabulary.size) if machine.next(state, t) is not None]
        if len(allowed) == 1:
            token = allowed[0]
        elif most == 0:
            return [*written, *machine.closing(state)]
        else:
            here = logits([*context, *written])
            token = max(allowed, key=lambda t: (float(here[t]), -t))
            most -= 1
        written.append(token)
        state = machine.next(state, token)
    return written


# -- token by token --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("words", [plain_bytes, qwen_like])
def test_drafts_change_no_token(words: Callable[[], Vocabulary], seed: int) -> None:
    vocabulary = words()
    model = MockModel(vocabulary.size, seed=seed, context=2)
    # A model that mostly repeats what it read: drafts are often right and often wrong.
    draft = vocabulary.encode("".join(VIEWS[1:5]) + FENCE)
    model.tilt(draft, 2.5)
    with_drafts, outcome, counts = rewrite(model, task_of(vocabulary), 120)
    plain, same, without = rewrite(model, task_of(vocabulary, drafts=False), 120)
    assert with_drafts == plain
    assert (outcome.program, outcome.truncated) == (same.program, same.truncated)
    assert counts.forwards <= without.forwards
    assert without.forwards == without.generated
    assert counts.drafted + counts.generated == without.generated
    assert counts.forced == without.forced


@pytest.fixture(scope="module", params=["qwen2", "neox", "gemma"])
def directory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with random weights, of the family that is written by hand and of two that transformers runs."""
    path = tmp_path_factory.mktemp("model")
    config = {"qwen2": qwen2, **OTHERS}[request.param]
    ids = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    build(config(qwen_like().size, **ids), seed=2).save_pretrained(path)
    qwen_like().tokenizer.save(str(path / "tokenizer.json"))
    return path


@pytest.mark.parametrize("max_tokens", [1, 2, 60])
def test_same_tokens_as_transformers_under_the_same_constraint(directory: Path, max_tokens: int) -> None:
    vocabulary = qwen_like()
    reference = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()

    def logits(context: list[int]) -> torch.Tensor:
        with torch.no_grad():
            return reference(torch.tensor([context])).logits[0, -1]

    expected = greedy(logits, task_of(vocabulary), max_tokens)
    model = load(directory, device="cpu", dtype="fp32").model
    for drafts in (True, False):
        written, _, _ = rewrite(model, task_of(vocabulary, drafts=drafts), max_tokens)
        assert written == expected


@pytest.mark.parametrize("vocabulary", [plain_bytes, qwen_like])
def test_a_model_that_repeats_the_draft_needs_few_forwards(vocabulary: Any) -> None:
    words = vocabulary()
    answer = "".join(VIEWS[1:5]) + FENCE
    written, outcome, counts = rewrite(saying(words, answer), task_of(words), 500)
    assert words.decode(written).rstrip("\n") == answer
    assert outcome.program == Program((Copy(1, 6),))
    assert counts.forwards <= 5  # 8, 15, 29 tokens and so on, and the closing fence
    changed = answer.replace("== None", "is None")
    written, outcome, counts = rewrite(saying(words, changed), task_of(words), 500)
    assert outcome.program == Program((Copy(1, 2), Gen("    if x is None:\n"), Copy(4, 6)))
    assert counts.forwards <= 10
    assert counts.covered == sum(len(words.encode(VIEWS[k])) for k in (0, 1, 3, 4, 5))


# -- well-formed by construction -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "program"),
    [
        ("pass\n```", (Copy(1, 1), Gen("pass\n"), Copy(6, 6))),
        ("```", (Copy(1, 1), Copy(6, 6))),
        ("\n\n```", (Copy(1, 1), Gen("\n\n"), Copy(6, 6))),
        # A fence that does not stand at the start of its line is text.
        ("s = '```'\n```", (Copy(1, 1), Gen("s = '```'\n"), Copy(6, 6))),
    ],
)
@pytest.mark.parametrize("drafts", [True, False])
def test_the_closing_fence_ends_the_answer(said: str, program: tuple[Op, ...], drafts: bool) -> None:
    words = plain_bytes()
    written, outcome, _ = rewrite(saying(words, said), task_of(words, drafts=drafts), 500)
    assert words.decode(written) == said
    assert outcome == Outcome(Program(program), law="local")


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("words", [plain_bytes, qwen_like, llama3_like])
@pytest.mark.parametrize("seed", range(6))
def test_whatever_a_model_says_is_one_closed_fence(
    words: Callable[[], Vocabulary], temperature: float, seed: int
) -> None:
    vocabulary = words()
    model = MockModel(vocabulary.size, seed=seed, context=2)
    for token, text in enumerate(vocabulary.token_bytes):  # else a random model hardly ever comes to a fence
        if b"`" in text or text == b"\n" or not text:
            model.tilt([token], 3.0)
    task = task_of(vocabulary)
    written, outcome, _ = rewrite(model, task, 60, Sampler(temperature, 1.0, seed))
    table = vocabulary.token_bytes
    assert all(table[token] for token in written)
    answer = b"".join(table[token] for token in written).decode()
    body, _, behind = answer.rpartition(FENCE)
    assert behind.strip() == ""
    assert body == "" or body.endswith("\n")
    assert "\r" not in body
    assert not any(line.lstrip(" \t").startswith(FENCE) for line in body.split("\n"))
    assert outcome.refusal is None
    assert outcome.program is not None
    assert outcome.program.resolve("".join(VIEWS)) == VIEWS[0] + body + VIEWS[5]


def test_an_answer_without_end_is_closed_and_told() -> None:
    words = plain_bytes()
    _, outcome, counts = rewrite(saying(words, "x = 1  # and so on, and so on"), task_of(words), 9)
    assert outcome.truncated
    assert outcome.program is not None
    assert outcome.program.resolve("".join(VIEWS)) == VIEWS[0] + "x = 1  # \n" + VIEWS[5]
    assert counts.generated + counts.drafted == 9


def test_a_scope_that_repeats_itself_may_be_repeated() -> None:
    words = plain_bytes()
    lines = ["0, 0, 0, 0,\n"] * 40
    task = task_of(words)
    task.views, task.shown, task.first, task.last = lines, lines, 1, len(lines)
    task.draft = words.encode("".join(lines) + FENCE)
    _, outcome, _ = rewrite(saying(words, "".join(lines) + FENCE), task, 1000)
    assert outcome == Outcome(Program((Copy(1, len(lines)),)), law="local")


def test_sampled_answers_are_reproducible() -> None:
    words = plain_bytes()
    model = MockModel(words.size, context=2)
    first, second, other = (
        rewrite(model, task_of(words), 30, Sampler(1.0, 1.0, seed))[0] for seed in (1, 1, 2)
    )
    assert first == second != other


# -- reading a program off the acceptance ----------------------------------------------------------------------------------


def sources_of(text: str, scope: str) -> list[int]:
    """Each line's bytes repeat the scope's first equal line behind the one before."""
    out: list[int] = []
    at = 0
    for line in text.splitlines(keepends=True):
        found = scope.find(line, at)
        out += range(found, found + len(line)) if found >= 0 else [-1] * len(line)
        at = found + len(line) if found >= 0 else at
    return out


@pytest.mark.parametrize(
    ("first", "last", "text", "ops"),
    [
        (2, 5, "".join(VIEWS[1:5]), (Copy(1, 6),)),
        (2, 5, "", (Copy(1, 1), Copy(6, 6))),
        (2, 5, "x\n", (Copy(1, 1), Gen("x\n"), Copy(6, 6))),
        # A deleted line, an inserted one, a changed one.
        (2, 5, "".join([VIEWS[1], *VIEWS[3:5]]), (Copy(1, 2), Copy(4, 6))),
        (
            2,
            5,
            "".join([*VIEWS[1:3], "        # none\n", *VIEWS[3:5]]),
            (Copy(1, 3), Gen("        # none\n"), Copy(4, 6)),
        ),
        (2, 5, "".join([*VIEWS[1:4], "    return y\n"]), (Copy(1, 4), Gen("    return y\n"), Copy(6, 6))),
        # Alignment only advances: a line moved up is new text, and so is one said twice.
        (2, 5, VIEWS[4] + VIEWS[1], (Copy(1, 1), Copy(5, 5), Gen(VIEWS[1]), Copy(6, 6))),
        (2, 3, VIEWS[1] + VIEWS[1], (Copy(1, 2), Gen(VIEWS[1]), Copy(4, 6))),
        # An insertion point.
        (3, 2, "    pass\n", (Copy(1, 2), Gen("    pass\n"), Copy(3, 6))),
        (3, 2, "", (Copy(1, 6),)),
        (1, 0, "#!\n", (Gen("#!\n"), Copy(1, 6))),
        (7, 6, "f(3)\n", (Copy(1, 6), Gen("f(3)\n"))),
        # The ends of the file.
        (1, 6, "".join(VIEWS), (Copy(1, 6),)),
        (1, 6, "", ()),
    ],
)
def test_read_program(first: int, last: int, text: str, ops: tuple[Op, ...]) -> None:
    shown = VIEWS[first - 1 : last]
    program = read_program(VIEWS, first, last, text, sources_of(text, "".join(shown)), shown, "")
    assert program == Program(ops)
    whole = "".join(VIEWS)
    assert program.resolve(whole) == "".join([*VIEWS[: first - 1], text, *VIEWS[last:]])


@pytest.mark.parametrize(
    ("body", "ops"),
    [
        ("b\n", (Copy(1, 2),)),
        ("c\n", (Copy(1, 1), Gen("c"))),
        ("c\nb\n", (Copy(1, 1), Gen("c\n"), Copy(2, 2))),
        ("b\nc\n", (Copy(1, 1), Gen("b\nc"))),
        ("", (Copy(1, 1),)),
    ],
)
def test_a_missing_final_newline(body: str, ops: tuple[Op, ...]) -> None:
    program = read_program(["a\n", "b"], 2, 2, body, [-1] * len(body), ["b\n"], "")
    assert program == Program(ops)
    assert program.resolve("a\nb") == "a\n" + body.removesuffix("\n")


def test_a_kept_line_that_becomes_the_last_loses_its_newline() -> None:
    program = read_program(["a\n", "b"], 1, 2, "a\n", sources_of("a\n", "a\nb\n"), ["a\n", "b\n"], "")
    assert program.resolve("a\nb") == "a"


def test_lines_equal_by_chance_are_copies_only_where_they_stand() -> None:
    """A line that no draft token repeats is new text, even if another line further on reads the same."""
    program = read_program(VIEWS, 2, 5, VIEWS[3], [-1] * len(VIEWS[3]), VIEWS[1:5], "")
    assert program == Program((Copy(1, 1), Gen(VIEWS[3]), Copy(6, 6)))


def test_the_indentation_is_put_back() -> None:
    shown = [line.removeprefix("    ") for line in VIEWS[2:5]]
    body = shown[0] + "\n" + "    return 2\n" + shown[2]
    program = read_program(VIEWS, 3, 5, body, sources_of(body, "".join(shown)), shown, "    ")
    assert program == Program((Copy(1, 3), Gen("\n        return 2\n"), Copy(5, 6)))


def test_a_line_the_tokenizer_cannot_spell_is_copied_as_it_is() -> None:
    program = read_program(["a\x0b\n", "b\n"], 1, 2, "a\nc\n", [0, 1, -1, -1], ["a\n", "b\n"], "")
    assert program == Program((Copy(1, 1), Gen("c\n")))
