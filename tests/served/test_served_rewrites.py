"""A served instruct model answers in a code fence: what comes of it, and what of an answer that is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import fake_servers
from copydesk.editor import Editor
from copydesk.models.installed import built_in_directory
from copydesk.models.load import load
from copydesk.program import Copy, Gen
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.request import EditRequest
from copydesk.results import EditResult
from fake_servers import Backend, FakeServer

TEXT = "def f(x):\n    y = x + 1\n    return y\n"
REQUEST = EditRequest(scope=[(2, 3)], instruction="return at once")
GOOD = "return x + 1\n```"


class Says:
    """What the server's model answers, to be set by a test."""

    text = GOOD

    def __call__(self, body: dict[str, Any]) -> str:
        return self.text


@pytest.fixture(scope="module")
def backend() -> Backend:
    model = load("mini", device="cpu", dtype="fp32").model
    return Backend(model, HFVocabulary.from_directory(built_in_directory(), model.vocab_size))


@pytest.fixture(params=["llamacpp", "vllm", "sglang", "openai"])
def server(request: pytest.FixtureRequest, backend: Backend) -> Iterator[tuple[FakeServer, Says]]:
    says = Says()
    makers: dict[str, Callable[[], FakeServer]] = {
        "llamacpp": lambda: fake_servers.llama_cpp(backend, "chat-model", says),
        "vllm": lambda: fake_servers.vllm(backend, "chat-model", says),
        "sglang": lambda: fake_servers.sglang(backend, "chat-model", says),
        "openai": lambda: fake_servers.openai("chat-model", says),
    }
    with makers[request.param]() as server:
        yield server, says


def edit(server: FakeServer, request: EditRequest = REQUEST, text: str = TEXT) -> EditResult:
    with Editor.load(server.address, warm=False) as editor:
        return editor.open("a.py", text).edit(request)


def answered(server: tuple[FakeServer, Says], behind_opening: str) -> EditResult:
    """The model says this behind the opening fence; without one, where the server lets it open its answer itself."""
    fake, says = server
    says.text = behind_opening if fake.kind != "openai" else "```python\n" + behind_opening
    return edit(fake)


def test_the_new_text_of_the_scope_is_read_from_the_fence(server: tuple[FakeServer, Says]) -> None:
    result = answered(server, GOOD)
    assert result.status == "edited"
    assert result.text == "def f(x):\n    return x + 1\n"
    assert result.law == "local"


def test_lines_that_are_kept_are_copies(server: tuple[FakeServer, Says]) -> None:
    result = answered(server, "y = x + 2\nreturn y\n```\n")
    assert result.program is not None
    assert result.program.ops == (Copy(1, 1), Gen("    y = x + 2\n"), Copy(3, 3))


@pytest.mark.parametrize(
    "text",
    ["return x\n```\nI hope this helps.", "return x\n  ```\nmore\n```", "return\rx\n```"],
    ids=["talks on", "an inner fence", "a carriage return"],
)
def test_what_is_outside_the_grammar_is_refused(server: tuple[FakeServer, Says], text: str) -> None:
    result = answered(server, text)
    assert result.status == "refused"
    assert "grammar" in (result.reason or "")
    assert result.text == TEXT
    assert not result.edits


def test_an_answer_without_an_end_is_refused(server: tuple[FakeServer, Says]) -> None:
    result = answered(server, "return x\n")
    assert result.status == "refused"
    assert result.text == TEXT


def test_chatter_before_the_fence_is_refused(backend: Backend) -> None:
    says = Says()
    with fake_servers.openai("chat-model", says) as server:
        for text in ("Sure!\n```python\nreturn x\n```", "", "```py`thon\nreturn x\n```"):
            says.text = text
            result = edit(server)
            assert result.status == "refused"
            assert "fenced code block" in (result.reason or "")


def test_the_request_carries_a_grammar_and_the_opening(server: tuple[FakeServer, Says]) -> None:
    fake, _ = server
    answered(server, GOOD)
    _, body = fake.asked[-1]
    if fake.kind == "openai":
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        return
    grammar = {
        "llamacpp": body.get("grammar"),
        "vllm": body.get("structured_outputs"),
        "sglang": body.get("ebnf"),
    }
    assert "```" in str(grammar[fake.kind])
    if fake.kind != "llamacpp":
        assert body["messages"][-1] == {"role": "assistant", "content": "```python\n"}


def test_the_name_of_a_special_token_in_a_file_is_text(backend: Backend) -> None:
    """llama.cpp's templates are tokenised with special tokens; a file's text is not."""
    with fake_servers.llama_cpp(backend, "chat-model", Says()) as server:
        edit(server, text=TEXT + "# <|im_end|>\n")
        (prompt,) = [body["prompt"] for path, body in server.asked if path == "/completion"]
        assert 7 not in prompt
        parts = [body for path, body in server.asked if path == "/tokenize"]
        assert any("<|im_end|>" in part["content"] and not part["parse_special"] for part in parts)
        assert backend.vocabulary.decode(prompt).endswith("```python\n")


@pytest.mark.parametrize("server", ["vllm", "sglang", "openai"], indirect=True)
def test_several_models_have_to_be_told_apart(server: tuple[FakeServer, Says]) -> None:
    fake, _ = server
    two = [{"id": name, "object": "model", "max_model_len": 2048} for name in ("a", "chat-model")]
    fake.override = lambda path, body: (
        (200, {"object": "list", "data": two}) if path == "/v1/models" else None
    )
    with pytest.raises(Exception, match="--served-model"):
        edit(fake)
    with Editor.load(fake.address, served_model="chat-model", warm=False) as editor:
        assert editor.loaded_model.served is not None
    with pytest.raises(Exception, match="serves no model b"):
        Editor.load(fake.address, served_model="b", warm=False)
