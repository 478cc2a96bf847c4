"""Served models from the command line and the settings: doctor, `fix`, the language server's engine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import fake_servers
from copydesk.models.installed import built_in_directory
from copydesk.models.load import load
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.text.document import Encoding
from copydesk_server.cli import main
from copydesk_server.lsp.options import Options
from copydesk_server.lsp.session_state import SessionState
from copydesk_server.lsp.settings import SettingsStore, read
from fake_servers import Backend, FakeServer

BROKEN = """def total(values):
    result = 0
    for value in values:
        if value is None:
            continue
        result += valus
    return result
"""


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    model = load("mini", device="cpu", dtype="fp32").model
    backend = Backend(model, HFVocabulary.from_directory(built_in_directory(), model.vocab_size))
    with fake_servers.llama_cpp(backend, "mini") as server:
        yield server


def test_the_doctor_shows_what_a_server_can_do(
    server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["doctor", "--device", "cpu", "--model", server.address, "--served-model", "mini"])
    told = capsys.readouterr().out
    assert f"mini ({server.address})" in told
    assert "llama.cpp b1-test; 2,048 tokens of context; 2 requests at a time" in told
    assert "writes programs, decided" in told
    assert "keeps to grammars; probabilities are told: choices are exact" in told


def test_the_doctor_says_what_is_wrong_with_a_server(
    server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.override = lambda path, body: (503, {"error": {"message": "Loading model"}})
    assert main(["doctor", "--device", "cpu", "--model", server.address, "--served-model", "mini"]) == 1
    server.override = lambda path, body: None
    assert "answers 503: Loading model" in capsys.readouterr().out
    assert main(["doctor", "--device", "cpu", "--model", "vllm:http://"]) == 1
    assert "expected vllm:http://HOST:PORT" in capsys.readouterr().out


def test_fix_uses_a_served_model(
    server: FakeServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    path = tmp_path / "a.py"
    path.write_text(BROKEN)
    code = main(
        ["fix", str(path), "--json", "--model", server.address, "--served-model", "mini", "--allow-dirty"]
    )
    assert code == 1
    told = json.loads(capsys.readouterr().out)
    (fix,) = told["fixes"]
    assert (fix["verdict"], fix["counts"]["choices"]) == ("confirmed", 1)
    assert [edit["newText"] for edit in told["edits"]] == ["e"] or told["edits"]


def test_a_server_that_is_not_there_is_an_error_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.py"
    path.write_text(BROKEN)
    assert main(["fix", str(path), "--model", "llamacpp:http://127.0.0.1:9"]) == 2
    assert "127.0.0.1:9 refuses connections" in capsys.readouterr().err


def test_a_folder_names_no_server() -> None:
    """Its settings are its documents' alone, and what runs the model is the person's."""
    store = SettingsStore(lambda about, message: None)
    store.set_roots(("file:///project",))
    hostile = {"model": "llamacpp:http://elsewhere:1", "servedModel": "theirs"}
    store.set_values({"model": "standard"}, {"file:///project": hostile})
    state = SessionState(Options(), None, Encoding.UTF16, {}, store, None)  # type: ignore[arg-type]
    assert state.engine_settings().model == "standard"
    assert state.engine_settings().served_model is None


def test_settings_name_a_served_model() -> None:
    settings, wrong = read({"model": "llamacpp:http://127.0.0.1:8080", "servedModel": "standard"})
    assert not wrong
    assert (settings.model, settings.served_model) == ("llamacpp:http://127.0.0.1:8080", "standard")
    assert read({"servedModel": ""})[0].served_model is None
