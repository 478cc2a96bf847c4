"""Servers that are slow, broken, of another version or hostile: a clear error each, nothing applied, no key anywhere."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import fake_servers
from copydesk.editor import Editor
from copydesk.errors import ServerError
from copydesk.models.installed import built_in_directory
from copydesk.models.load import load
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.served import connect, http_client
from copydesk.served.address import ServerAddress, is_served
from copydesk.served.http_client import Call
from copydesk.served.keys import VARIABLE, Key, find_key
from fake_servers import Backend, FakeServer

pytestmark = pytest.mark.slow

TEXT = "def f(x):\n    y = x + 1\n    return y\n"
REQUEST = EditRequest(scope=[(2, 3)], instruction="tidy up", phrases=False, narrow=False, max_tokens=30)
SECRET = "sk-very-secret-0123456789"


@pytest.fixture(scope="module")
def backend() -> Backend:
    model = load("mini", device="cpu", dtype="fp32").model
    return Backend(model, HFVocabulary.from_directory(built_in_directory(), model.vocab_size))


@pytest.fixture
def server(backend: Backend) -> Iterator[FakeServer]:
    with fake_servers.llama_cpp(backend, "mini") as server:
        yield server


@pytest.fixture
def served(server: FakeServer) -> Iterator[Editor]:
    with Editor.load(server.address, served_model="mini", warm=False) as editor:
        yield editor


def edit(editor: Editor, **more: Any) -> EditResult:
    return editor.open("a.py", TEXT).edit(REQUEST, **more)


def refused(server: FakeServer, match: str) -> None:
    with pytest.raises(ServerError, match=match):
        Editor.load(server.address, served_model="mini", warm=False)


# -- addresses ---------------------------------------------------------------------------------------------------------


def test_addresses() -> None:
    found = ServerAddress.parse("vllm:https://box.example:8443/models/v1/")
    assert (found.kind, found.scheme, found.host, found.port, found.path) == (
        "vllm",
        "https",
        "box.example",
        8443,
        "/models",
    )
    assert str(ServerAddress.parse("llamacpp:http://[::1]:8080")) == "llamacpp:http://[::1]:8080"
    assert ServerAddress.parse("llamacpp:http://[::1]:8080").is_loopback
    assert ServerAddress.parse("openai:https://api.example").port == 443
    assert not ServerAddress.parse("sglang:http://10.0.0.7:30000").is_loopback
    assert [is_served(name) for name in ("llamacpp:http://h:1", "standard", "vllm:", None, "org/model", "C:/models")] == [
        True, False, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("ollama:http://h:1", "one of llamacpp:URL"),
        ("vllm:ftp://h:1", "expected vllm:http://HOST:PORT"),
        ("vllm:http://", "expected vllm"),
        ("vllm:http://h:99999", "expected vllm"),
        ("vllm:http://user:hunter2@h:1", "no user, password or query"),
        ("vllm:http://h:1/?key=hunter2", "no user, password or query"),
    ],
)
def test_what_is_no_address(text: str, match: str) -> None:
    with pytest.raises(ServerError, match=match) as error:
        ServerAddress.parse(text)
    assert "hunter2" not in str(error.value)


# -- keys --------------------------------------------------------------------------------------------------------------


def test_a_key_comes_from_the_environment_and_travels_in_its_header_alone(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server.key = SECRET
    refused(server, "wants a key")
    monkeypatch.setenv(VARIABLE, SECRET)
    with (
        caplog.at_level(logging.DEBUG),
        Editor.load(server.address, served_model="mini", warm=False) as editor,
    ):
        assert edit(editor).law == "local"
        assert SECRET not in repr(editor.loaded_model)
    assert SECRET not in caplog.text
    assert all(headers["Authorization"] == f"Bearer {SECRET}" for headers in server.headers[1:])
    assert SECRET not in str(server.asked)


def test_a_wrong_key_is_said_without_the_key(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.key = "another"
    monkeypatch.setenv(VARIABLE, SECRET)
    refused(server, "refuses the key")
    server.key = None
    server.override = lambda path, body: (500, {"error": {"message": f"you sent Bearer {SECRET}\x1b[31m"}})
    with pytest.raises(ServerError) as error:
        Editor.load(server.address, served_model="mini", warm=False)
    assert SECRET not in str(error.value)
    assert "Bearer ***" in str(error.value)
    assert "\x1b" not in str(error.value)


def test_a_key_is_not_sent_in_the_clear_to_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)
    with pytest.raises(ServerError, match="in the clear") as error:
        find_key(ServerAddress.parse("openai:http://box.example:8000"))
    assert SECRET not in str(error.value)
    assert find_key(ServerAddress.parse("openai:https://box.example")) is not None
    monkeypatch.setenv(VARIABLE, "with\nnewline")
    with pytest.raises(ServerError, match="no header can carry"):
        find_key(ServerAddress.parse("openai:https://box.example"))
    assert SECRET not in f"{Key(SECRET)!r}"


# -- connections -------------------------------------------------------------------------------------------------------


def test_nobody_there(server: FakeServer) -> None:
    address = server.address
    server.close()
    with pytest.raises(ServerError, match="refuses connections: is the server running"):
        Editor.load(address, served_model="mini", warm=False)


def test_a_redirect_is_not_followed(server: FakeServer, backend: Backend) -> None:
    with fake_servers.llama_cpp(backend, "mini") as other:

        def redirect(handler: Any) -> bool:
            handler.send_response(307)
            handler.send_header("Location", other.address.removeprefix("llamacpp:") + handler.path)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return True

        server.raw = redirect
        refused(server, "redirects elsewhere, which is not followed")
        assert not other.asked


def test_a_server_that_hangs(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "SECONDS", 0.3)
    done = threading.Event()
    server.raw = lambda handler: done.wait(20)
    refused(server, "has not answered within 0.3 seconds")
    done.set()


def test_a_server_has_more_time_the_more_it_may_write(server: FakeServer) -> None:
    client = http_client.HttpClient(ServerAddress.parse(server.address), None, 0.2)
    done = threading.Event()
    server.raw = lambda handler: done.wait(20)
    with pytest.raises(ServerError, match=r"has not answered within 0\.2 seconds"):
        client.post("/completion", {})
    with pytest.raises(ServerError, match=r"has not answered within 0\.7 seconds"):
        client.post("/completion", {}, tokens=2)
    done.set()


def test_a_header_that_drips_in(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "SECONDS", 0.5)

    def drip(handler: Any) -> bool:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        try:
            while True:
                handler.wfile.write(b"x")
                handler.wfile.flush()
                threading.Event().wait(0.05)
        except OSError:
            return True

    server.raw = drip
    refused(server, "has not answered within 0.5 seconds")


def test_a_gigabyte_is_not_read(server: FakeServer) -> None:
    sent = []

    def flood(handler: Any) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 30))
        handler.end_headers()
        try:
            for _ in range(1 << 10):
                handler.wfile.write(b"x" * (1 << 20))
                sent.append(1)
        except OSError:
            pass
        return True

    server.raw = flood
    refused(server, f"more than {http_client.MOST_BYTES} bytes")
    assert len(sent) < 100


@pytest.mark.parametrize(
    ("status", "value", "match"),
    [
        (200, "text", "is it another version"),
        (200, {"model_alias": 3}, "is it another version|another kind"),
        (200, [], "is it another version"),
        (404, {"detail": "Not Found"}, "answers 404: Not Found"),
        (503, {"error": {"message": "Loading model", "code": 503}}, "answers 503: Loading model"),
    ],
)
def test_answers_of_another_form(server: FakeServer, status: int, value: Any, match: str) -> None:
    server.override = lambda path, body: (status, value) if path == "/props" else None
    refused(server, match)


def test_what_is_not_json(server: FakeServer) -> None:
    def page(handler: Any) -> bool:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(b"<html>" + b"[" * 100_000)
        return True

    server.raw = page
    refused(server, "something that is not JSON")


# -- lies --------------------------------------------------------------------------------------------------------------


def test_another_model_than_named(server: FakeServer) -> None:
    with pytest.raises(ServerError, match="serves mini, not standard"):
        connect.open_dialect(ServerAddress.parse(server.address), "standard", {}).describe()


def test_another_tokenizer(server: FakeServer) -> None:
    server.override = lambda path, body: (200, {"tokens": [5, 6, 7]}) if path == "/tokenize" else None
    refused(server, "splits text in another way")


def test_fewer_tokens_than_the_vocabulary(server: FakeServer) -> None:
    listed = {"data": [{"id": "mini", "meta": {"n_vocab": 12}}]}
    server.override = lambda path, body: (200, listed) if path == "/v1/models" else None
    refused(server, "it is another model")


def completion(tokens: list[int]) -> dict[str, Any]:
    return {
        "content": "", "tokens": tokens, "tokens_predicted": len(tokens), "timings": {"prompt_n": 1},
        "completion_probabilities": [{"top_logprobs": [{"id": t, "logprob": -0.1} for t in range(1 << 12)]}],
    }  # fmt: skip


def test_a_server_that_ignores_grammars_is_refused_when_it_is_chosen(server: FakeServer) -> None:
    server.override = lambda path, body: (200, completion([1, 2, 3])) if path == "/completion" else None
    refused(server, "does not keep to the grammar")


@pytest.mark.parametrize("way", ["decisions", "whole"])
@pytest.mark.parametrize(
    "tokens", [[], [1, 2, 3], [0] * 40, [10**9]], ids=["none", "text", "specials", "beyond"]
)
def test_what_breaks_the_grammar_later_is_refused(
    server: FakeServer, served: Editor, way: Any, tokens: list[int]
) -> None:
    assert served.loaded_model.served is not None
    served.loaded_model.served.way = way
    server.override = lambda path, body: (200, completion(tokens)) if path == "/completion" else None
    result = edit(served)
    assert result.status in ("refused", "unchanged")
    assert not result.edits
    assert result.text == TEXT
    server.override = lambda path, body: None
    assert edit(served).law == "local"  # the next request is served


def test_a_server_that_tells_no_probabilities(server: FakeServer, served: Editor) -> None:
    """Nothing is taken as sure because nothing was told."""
    dialect = connect.open_dialect(ServerAddress.parse(server.address), "mini", {})
    dialect.describe()
    told = {"completion_probabilities": [{"top_logprobs": []}]}
    server.override = lambda path, body: (200, completion([1]) | told) if path == "/completion" else None
    for asked in (lambda: dialect.judge([1, 2], 3, Call()), lambda: dialect.score([1, 2], [3], Call())):
        with pytest.raises(ServerError, match=r"tell"):
            asked()
    result = edit(served)
    assert (result.status, result.text) in (("failed", TEXT), ("refused", TEXT))


def test_vllm_of_another_version(backend: Backend) -> None:
    with fake_servers.vllm(backend, "mini") as server:
        for version in ("0.11.2", "unknown"):
            server.override = lambda path, body, said=version: (
                (200, {"version": said}) if path == "/version" else None
            )
            refused(server, "0.12 or newer is needed")


def test_a_server_that_fails_in_the_middle(server: FakeServer, served: Editor) -> None:
    server.override = lambda path, body: (500, {"error": {"message": "cannot do: return y"}})
    result = edit(served)
    assert (result.status, result.text) == ("failed", TEXT)
    assert (result.reason or "").endswith("/completion answers 500")  # it may quote the document


# -- giving up -----------------------------------------------------------------------------------------------------------


def test_a_cancel_closes_the_connection(server: FakeServer, served: Editor) -> None:
    asked, closed, cancel = threading.Event(), threading.Event(), threading.Event()

    def hang(handler: Any) -> bool:
        asked.set()
        handler.connection.settimeout(20)
        if handler.connection.recv(1) == b"":
            closed.set()
        return True

    server.raw = hang
    threading.Thread(target=lambda: (asked.wait(20), cancel.set()), daemon=True).start()
    assert edit(served, cancel=cancel).status == "cancelled"
    assert closed.wait(20)


def test_a_deadline_ends_a_request(server: FakeServer, served: Editor) -> None:
    done = threading.Event()
    server.raw = lambda handler: done.wait(20)
    result = edit(served, deadline=0.2)
    done.set()
    assert (result.status, result.reason) == ("refused", "deadline")


def test_a_document_changes_while_the_server_thinks(server: FakeServer, served: Editor) -> None:
    """A change waits for no answer."""
    document = served.open("a.py", TEXT)
    asked, done = threading.Event(), threading.Event()
    server.raw = lambda handler: (asked.set(), done.wait(20), False)[-1]  # type: ignore[func-returns-value]
    results: list[EditResult] = []
    thread = threading.Thread(target=lambda: results.append(document.edit(REQUEST)))
    thread.start()
    assert asked.wait(20)
    with served.lock:
        pass
    assert not results
    done.set()
    thread.join(60)
    assert results[0].before == TEXT
