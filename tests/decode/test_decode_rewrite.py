"""Rewriting is plain greedy decoding: same tokens with and without drafts and as transformers' own `generate`, fewer forwards."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.models.feed import Feed
from copydesk.models.load import load
from copydesk.models.replay import ReplayModel
from copydesk.models.row import SHARED
from copydesk.program import Copy, Gen, Op, Program
from copydesk.prompting.vocabulary import Vocabulary
from mock_model import MockModel
from tiny_models import build, qwen2
from vocabularies import plain_bytes, qwen_like

VIEWS = [
    "import os\n",
    "def f(x):\n",
    "    if x == None:\n",
    "        return 0\n",
    "    return x\n",
    "f(2)\n",
]
PROMPT = "Rewrite lines 2-5 of the file.\n"
STOP = 0
"""Ends answers: a token that no text of these tests has."""


def read(answer: str) -> str | None:
    """What stands in the answer's only fence."""
    found = re.fullmatch(r"```[^`\n]*\n((?:(?!```)[^\n]*\n)*)```", answer.strip())
    return found[1] if found else None


def task_of(
    vocabulary: Vocabulary,
    *,
    drafts: bool = True,
    stops: Sequence[int] = (STOP,),
    first: int = 2,
    last: int = 5,
) -> RewriteTask:
    draft = "```python\n" + "".join(VIEWS[first - 1 : last]) + "```"
    shown = vocabulary.encode("".join(VIEWS))
    return RewriteTask(
        vocabulary=vocabulary,
        prompt=vocabulary.encode(PROMPT),
        draft=vocabulary.encode(draft),
        page=NgramIndex(shown),
        read=read,
        stops=frozenset(stops),
        views=VIEWS,
        first=first,
        last=last,
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


def saying(vocabulary: Vocabulary, answer: str, *, behind: str = "") -> ReplayModel:
    """A model that answers so, adds `behind` and stops."""
    model = ReplayModel(MockModel(vocabulary.size, context=3))
    start = len(vocabulary.encode("".join(VIEWS))) + len(vocabulary.encode(PROMPT))
    model.scripts[1] = (start, [*vocabulary.encode(answer), *vocabulary.encode(behind), STOP])
    return model


# -- token by token --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_drafts_change_no_token(seed: int) -> None:
    vocabulary = plain_bytes()
    model = MockModel(vocabulary.size, seed=seed, context=2)
    # A model that mostly repeats what it read: drafts are often right and often wrong.
    draft = vocabulary.encode("```python\n" + "".join(VIEWS[1:5]) + "```")
    model._first[:, sorted(set(draft))] += 2.5
    with_drafts, _, counts = rewrite(model, task_of(vocabulary, stops=()), 120)
    plain, _, without = rewrite(model, task_of(vocabulary, drafts=False, stops=()), 120)
    assert with_drafts == plain
    assert without.forwards == len(plain)
    assert counts.forwards <= without.forwards
    assert counts.drafted + counts.generated >= len(plain)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    config = qwen2(qwen_like().size, bos_token_id=None, eos_token_id=None, pad_token_id=0)
    build(config, seed=2).save_pretrained(path)
    qwen_like().tokenizer.save(str(path / "tokenizer.json"))
    return path


@pytest.mark.parametrize("max_tokens", [1, 2, 60])
def test_same_tokens_as_generate(directory: Path, max_tokens: int) -> None:
    vocabulary = qwen_like()
    reference = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
    prompt = [*vocabulary.encode("".join(VIEWS)), *vocabulary.encode(PROMPT)]
    with torch.no_grad():
        ids = torch.tensor([prompt])
        said = reference.generate(
            ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=max_tokens
        )
    expected = said[0, len(prompt) :].tolist()
    assert len(expected) == max_tokens
    model = load(directory, device="cpu", dtype="fp32").model
    for drafts in (True, False):
        written, _, _ = rewrite(model, task_of(vocabulary, drafts=drafts, stops=()), max_tokens)
        assert written == expected


def test_a_stop_token_ends_the_answer() -> None:
    vocabulary = qwen_like()
    stop = vocabulary.special("<|im_end|>")
    assert stop is not None
    answer = vocabulary.encode("```python\npass\n")
    model = ReplayModel(MockModel(vocabulary.size))
    start = len(vocabulary.encode("".join(VIEWS))) + len(vocabulary.encode(PROMPT))
    model.scripts[1] = (start, [*answer, stop, *answer])
    written, outcome, _ = rewrite(model, task_of(vocabulary, stops=[stop]), 100)
    assert written == answer
    assert outcome.program is None
    assert outcome.refusal


@pytest.mark.parametrize("vocabulary", [plain_bytes, qwen_like])
def test_a_model_that_repeats_the_draft_needs_few_forwards(vocabulary: Any) -> None:
    words = vocabulary()
    answer = "```python\n" + "".join(VIEWS[1:5]) + "```"
    written, outcome, counts = rewrite(saying(words, answer), task_of(words), 500)
    assert words.decode(written) == answer
    assert outcome.program == Program((Copy(1, 6),))
    assert counts.forwards <= 4  # 8, 15, 29 tokens and so on
    changed = answer.replace("== None", "is None")
    written, outcome, counts = rewrite(saying(words, changed), task_of(words), 500)
    assert outcome.program == Program((Copy(1, 2), Gen("    if x is None:\n"), Copy(4, 6)))
    assert counts.forwards <= 10
    assert counts.covered == sum(len(words.encode(VIEWS[k])) for k in (0, 1, 3, 4, 5))


@pytest.mark.parametrize(
    ("behind", "refused"),
    [
        ("", False),
        ("\n", False),
        (" \n", False),
        ("\n\n\n", False),
        # Nobody looks further than a few tokens.
        ("\n\n\n\n\nimport os\n", False),
        ("\nimport os\ndef f(x):\n", True),
        (" and so on", True),
        ("\n```python\n", True),
        ("`", True),
    ],
)
@pytest.mark.parametrize("drafts", [True, False])
@pytest.mark.parametrize("foreseen", [True, False])
def test_text_behind_the_closing_fence(behind: str, refused: bool, drafts: bool, foreseen: bool) -> None:
    """It is refused, whether or not the draft foresaw it and it was accepted in one forward with the fence."""
    words = plain_bytes()
    answer = "```python\npass\n```"
    task = task_of(words, drafts=drafts)
    task.draft = [*words.encode(answer + behind * foreseen), STOP]
    written, outcome, _ = rewrite(saying(words, answer, behind=behind), task, 500)
    assert words.decode(written) == answer
    expected = None if refused else Program((Copy(1, 1), Gen("pass\n"), Copy(6, 6)))
    assert outcome.program == expected
    assert bool(outcome.refusal) == refused


@pytest.mark.parametrize(
    "answer", ["Sure!\n```python\npass\n```", "pass\n", "```python\npass", "````\nx\n```"]
)
def test_answers_outside_a_fence_are_refused(answer: str) -> None:
    words = plain_bytes()
    _, outcome, _ = rewrite(saying(words, answer), task_of(words), len(answer))
    assert outcome.program is None
    assert outcome.refusal == "the answer is not one closed code fence"


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
    scope = "".join(VIEWS[first - 1 : last])
    program = read_program(VIEWS, first, last, text, sources_of(text, scope))
    assert program == Program(ops)
    whole = "".join(VIEWS)
    assert program.resolve(whole) == "".join([*VIEWS[: first - 1], text, *VIEWS[last:]])


def test_a_missing_final_newline() -> None:
    views = ["a\n", "b"]
    for text, ops in {
        "b": (Copy(1, 2),),
        "c": (Copy(1, 1), Gen("c")),
        "c\nb": (Copy(1, 1), Gen("c\n"), Copy(2, 2)),
    }.items():
        program = read_program(views, 2, 2, text, [-1] * len(text))
        assert program.resolve("a\nb") == "a\n" + text
        if text != "c\nb":
            assert program == Program(ops)


def test_lines_equal_by_chance_are_copies_only_where_they_stand() -> None:
    """A line that no draft token repeats is new text, even if another line further on reads the same."""
    program = read_program(VIEWS, 2, 5, VIEWS[3], [-1] * len(VIEWS[3]))
    assert program == Program((Copy(1, 1), Gen(VIEWS[3]), Copy(6, 6)))
