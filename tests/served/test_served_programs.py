"""Programs from served models: what a server says comes to what the engine's own model says, decided by the same rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import fake_servers
from copydesk.decode.counts import Counts
from copydesk.decode.sampling import Sampler
from copydesk.editor import Editor
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult
from copydesk.served.dialect import PromptTokens
from copydesk.served.emitter import ServedEmitter
from copydesk.served.http_client import Call
from copydesk.text.document import Position
from fake_servers import Backend, FakeServer

KINDS: dict[str, Callable[..., FakeServer]] = {
    "llamacpp": fake_servers.llama_cpp,
    "vllm": fake_servers.vllm,
    "sglang": fake_servers.sglang,
}
TEXT = """import os


def total(values):
    result = 0
    for value in values:
        if value == None:
            continue
        result += valus
    return result
"""


def finding(line: int, first: int, last: int, message: str, code: str, source: str = "Ruff") -> Diagnostic:
    return Diagnostic(Position(line, first), Position(line, last), message, source=source, code=code)


REQUESTS = {
    "comparison": EditRequest(
        diagnostics=[finding(6, 20, 24, "Comparison to `None` should be `cond is None`", "E711")]
    ),
    "name": EditRequest(diagnostics=[finding(8, 18, 23, "Undefined name `valus`", "F821")]),
    "unused": EditRequest(diagnostics=[finding(0, 7, 9, "`os` imported but unused", "F401")]),
    "instruction": EditRequest(scope=[(5, 9)], instruction="rename result to amount", phrases=False),
    "words": EditRequest(scope=[(5, 9)], instruction="use a comprehension", phrases=False),
    "listed": EditRequest(
        scope=[(8, 8)], choices=["            break\n", "            pass\n"], instruction="stop here"
    ),
    "free": EditRequest(
        scope=[(7, 8)], instruction="tidy this up somehow", narrow=False, phrases=False, max_tokens=40
    ),
}


@pytest.fixture(scope="module")
def own() -> Iterator[Editor]:
    with Editor.load("mini", "cpu", dtype="fp32", warm=False) as editor:
        yield editor


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest, own: Editor) -> Iterator[FakeServer]:
    loaded = own.loaded_model
    with KINDS[request.param](Backend(loaded.model, loaded.vocabulary), "mini") as server:  # type: ignore[arg-type]
        yield server


@pytest.fixture(scope="module")
def served(server: FakeServer) -> Iterator[Editor]:
    with Editor.load(server.address, served_model="mini", warm=False) as editor:
        yield editor


def edit(editor: Editor, request: EditRequest) -> EditResult:
    document = editor.open("a.py", TEXT)
    try:
        return document.edit(request)
    finally:
        document.close()


def told(result: EditResult) -> tuple[object, ...]:
    return result.status, result.program, result.edits, result.checked, result.unsure


@pytest.mark.parametrize("name", REQUESTS)
def test_decided_one_by_one_it_is_what_our_own_model_says(own: Editor, served: Editor, name: str) -> None:
    session = served.loaded_model.served
    assert session is not None
    session.way = "decisions"
    assert told(edit(served, REQUESTS[name])) == told(edit(own, REQUESTS[name]))


def test_choices_are_exact_and_text_is_local(own: Editor, served: Editor) -> None:
    chosen, written = edit(served, REQUESTS["name"]), edit(served, REQUESTS["free"])
    expected = edit(own, REQUESTS["name"])
    assert expected.counts.choices
    assert chosen.counts.forwards
    assert (chosen.law, chosen.exact) == (expected.law, expected.exact) == ("exact", True)
    assert expected.confidence is not None
    assert chosen.confidence == pytest.approx(expected.confidence, abs=1e-6)
    assert written.law == "local"


def test_a_whole_program_is_one_request_and_local(server: FakeServer, served: Editor) -> None:
    session = served.loaded_model.served
    assert session is not None
    session.way = "whole"
    before = len(server.asked)
    result = edit(served, REQUESTS["free"])
    session.way = "decisions"
    assert len(server.asked) == before + 1
    assert result.law == "local"
    assert result.status in ("edited", "unchanged", "refused")
    assert result.program is not None
    assert result.counts.forwards == 1


def test_a_judgement_is_the_models_own_probability(own: Editor, served: Editor) -> None:
    """What instructions with candidates are weighed by."""
    session = served.loaded_model.served
    assert session is not None
    assert session.codec is not None
    codec = session.codec
    prompt = [token for text in TEXT.splitlines(keepends=True) for token in codec.line(text)]
    texts = [codec.described(title, 3) for title in ("rename it", "remove it")]
    emitter = ServedEmitter(session, prompt, Sampler(), Counts(), 9, Call())
    with pytest.raises(StopIteration) as judged:
        next(emitter.judge(texts, codec.verdict))
    backend = Backend(own.loaded_model.model, own.loaded_model.vocabulary)  # type: ignore[arg-type]
    expected = [backend.log_p([*prompt, *text])[codec.verdict] for text in texts]
    told = judged.value.value
    if emitter.exact:
        assert told == pytest.approx(expected, abs=1e-5)
    else:  # llama.cpp tells the likeliest tokens: the others are at most as likely as these
        assert session.dialect.describe().software.startswith("llama.cpp")
        assert all(bound >= value for bound, value in zip(told, expected, strict=True))


def test_every_request_tells_how_much_of_its_prompt_was_cached(server: FakeServer, served: Editor) -> None:
    session = served.loaded_model.served
    assert session is not None
    prompt = list(range(40, 61))
    scored = session.score(prompt, [3, 4], Call()).prompt
    judged = session.judge(prompt, 3, Call()).prompt
    once = {
        "llamacpp": PromptTokens(len(prompt) - 1, 1),
        "sglang": PromptTokens(len(prompt) // 2, len(prompt) - len(prompt) // 2),
        "vllm": PromptTokens(0, len(prompt) + 1),
    }[server.kind]
    assert judged == once
    # For vLLM each token is a prompt's last; llama.cpp is asked once more for tokens that are not among the likeliest.
    prompts = 1 if server.kind == "sglang" else 2
    assert scored == PromptTokens(prompts * once.reused, prompts * once.computed)
    emitter = ServedEmitter(session, prompt, Sampler(), Counts(), 9, Call())
    with pytest.raises(StopIteration):
        next(emitter.judge([[5], [6]], 3))
    told = emitter.counts
    assert told.forwards == 2
    assert told.prefilled + told.reused >= 2 * len(prompt)


def test_what_was_cached_is_counted(server: FakeServer, served: Editor) -> None:
    counts = edit(served, REQUESTS["free"]).counts
    assert counts.generated
    assert counts.reused
    assert counts.prefilled
