"""Instructions as a person types them without much thought, asked of the model that is installed: what is shown is not wrong.

`plain.jsonl` has sources of its own; `wrong` are results that some model once showed as checked. To be unsure, to refuse or to do
nothing is never wrong. The model is `standard` where it is installed, else the embedded one; the ids say which.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch

from conftest import PERSONS_MODELS
from copydesk.editor import Editor
from copydesk.models.installed import STANDARD, VARIABLE, default_model
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk_benchmarks.instruction_checks import Check, Replacement, apply_variant
from copydesk_benchmarks.instruction_records import FOLDER


@dataclass(frozen=True, slots=True)
class Plain:
    """One instruction for lines of a source."""

    id: str
    source: str
    lines: tuple[int, int]
    instruction: str
    check: Check
    wrong: tuple[str, ...]

    @classmethod
    def of(cls, line: str) -> Plain:
        row = json.loads(line)
        first, last = row["lines"]

        def variant(replacements: list[list[int | str]]) -> tuple[Replacement, ...]:
            return tuple(Replacement(int(a), int(b), str(text)) for a, b, text in replacements)

        check = Check(row["check"]["kind"], tuple(map(variant, row["check"].get("results", []))))
        wrong = tuple(apply_variant(row["source"], variant(one)) for one in row["wrong"])
        return cls(row["id"], row["source"], (first, last), row["instruction"], check, wrong)

    def accepts(self, text: str) -> bool:
        return self.check.accepts(self.source, self.lines, text)


PLAIN = [Plain.of(line) for line in (FOLDER / "plain.jsonl").read_text("utf-8").split("\n") if line]
with pytest.MonkeyPatch.context() as _patch:
    if PERSONS_MODELS in os.environ:
        _patch.setenv(VARIABLE, os.environ[PERSONS_MODELS])
    MODEL = default_model()


@pytest.fixture(scope="module")
def answers() -> Iterator[dict[str, EditResult]]:
    """What the model makes of each, by id."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, os.environ[PERSONS_MODELS])
        with Editor.load(MODEL, device="cpu", warm=False) as editor:
            found = {}
            for plain in PLAIN:
                document = editor.open("plain.py", plain.source)
                request = EditRequest(scope=[plain.lines], instruction=plain.instruction)
                found[plain.id] = document.edit(request)
                document.close()
            yield found
    torch.set_num_threads(threads)


@pytest.mark.parametrize("plain", PLAIN, ids=lambda plain: plain.id)
def test_the_checks_tell_right_from_wrong(plain: Plain) -> None:
    """Each result is accepted but where it has placeholders, and no wrong one is."""
    assert len({plain.id for plain in PLAIN}) == len(PLAIN) == 54
    for wanted in plain.check.results:
        text = apply_variant(plain.source, wanted)
        assert "__(" in text or "TEXT__" in text or plain.accepts(text)
    assert plain.accepts(plain.source) == (plain.check.kind == "unchanged")
    assert not any(map(plain.accepts, plain.wrong))


@pytest.mark.parametrize("plain", PLAIN, ids=lambda plain: f"{MODEL}-{plain.id}")
def test_no_wrong_result_is_shown_as_checked(plain: Plain, answers: dict[str, EditResult]) -> None:
    result = answers[plain.id]
    assert result.status in ("edited", "unchanged", "refused")
    if result.status == "edited" and not result.unsure:
        assert result.text != plain.source
        assert result.text not in plain.wrong


def test_of_what_the_standard_model_shows_nothing_is_wrong(answers: dict[str, EditResult]) -> None:
    if MODEL != STANDARD:
        pytest.skip(f"asked of {STANDARD}, and {MODEL} is installed")
    shown = [plain for plain in PLAIN if answers[plain.id].status == "edited"]
    wrong = [plain.instruction for plain in shown if not plain.accepts(answers[plain.id].text)]
    outcomes = Counter(result.status for result in answers.values())
    assert not wrong, outcomes
