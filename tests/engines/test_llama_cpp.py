"""llama.cpp's own server with the standard model in it, asked by the language server: `make test-engines`."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

import llama_server
import served_cases
from conftest import PERSONS_MODELS
from copydesk.editor import Editor
from copydesk.models.installed import VARIABLE, installed_directory
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import Encoding, Position, TextEdit, apply_edits
from llama_server import LlamaServer
from lsp_client import LspClient
from served_cases import Case

MISSING = llama_server.missing()
with pytest.MonkeyPatch.context() as _patch:
    if PERSONS_MODELS in os.environ:
        _patch.setenv(VARIABLE, os.environ[PERSONS_MODELS])
    INSTALLED = {name for name in ("standard", "standard-base") if installed_directory(name) is not None}
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=MISSING),
    pytest.mark.skipif(
        "standard" not in INSTALLED,
        reason="the standard model is not installed: copydesk model get standard",
    ),
]

QUICK_FIXES = 50
INSTRUCTIONS = 20
VERDICTS = {"confirmed", "checked", "unsure", "refused", "unchanged"}
ALIKE = 0.9
"""Of the answers, so many have to be those of the engine's own model: weights and sums are rounded otherwise."""


@pytest.fixture(scope="module", autouse=True)
def persons_models() -> Iterator[None]:
    """The models that are installed for the person who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        if PERSONS_MODELS in os.environ:
            patch.setenv(VARIABLE, os.environ[PERSONS_MODELS])
        yield


@pytest.fixture(scope="module")
def server(persons_models: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    with (tmp_path_factory.mktemp("llama") / "server.log").open("wb") as log:
        server = LlamaServer(llama_server.exported("standard"), "standard", log)
        yield server
        server.close()


@dataclass(frozen=True)
class Said:
    """One answer of the language server. text: the document as its edits would make it."""

    status: str
    verdict: str
    text: str
    edits: tuple[TextEdit, ...]


def asked(settings: dict[str, Any], cases: list[Case]) -> list[Said]:
    """Every case through a language server with these settings."""
    told = []
    with LspClient(host=None) as client:
        client.settings = {
            **settings,
            "precompute": False,
            "lint": "off",
            "linterFixes": "none",
            "requestTimeout": 300,
        }
        # Who is unsure asks which edit was meant.
        client.ignore("window/showMessage")
        client.reply("window/showMessageRequest", lambda params: None)
        client.initialize()
        client.ready()
        for number, case in enumerate(cases):
            uri = client.open(f"file:///{number}.py", case.text)
            answer = client.request(
                "copydesk/edit", {"textDocument": {"uri": uri, "version": 1}, **case.params}
            )
            edits = [
                TextEdit(
                    Position(**edit["range"]["start"]), Position(**edit["range"]["end"]), edit["newText"]
                )
                for change in (answer.get("edit") or {}).get("documentChanges", [])
                for edit in change["edits"]
            ]
            text = apply_edits(case.text, edits, Encoding.UTF16)
            told.append(Said(answer["status"], answer["verdict"], text, tuple(edits)))
            client.close(uri)
    return told


def outside(scope: list[Range], edits: Iterable[TextEdit]) -> list[TextEdit]:
    """The edits that touch a line outside of the scope: (k, k - 1) is the place before line k."""
    found = []
    for edit in edits:
        first, last = edit.start.line + 1, edit.end.line + (edit.end.character > 0 or edit.end == edit.start)
        within = any(start <= first and last <= end for start, end in scope)
        inserted = edit.start == edit.end and edit.start.character == 0
        if not within and not (inserted and any(start <= first <= end + 1 for start, end in scope)):
            found.append(edit)
    return found


def scope_of(editor: Editor, case: Case) -> list[Range]:
    """Where the engine says that a case may write."""
    document = editor.open("a.py", case.text)
    finding = case.params.get("diagnostic")
    if finding is None:
        request = EditRequest(scope=[case.scope], instruction=case.params["instruction"])
    else:
        start, end = Position(**finding["range"]["start"]), Position(**finding["range"]["end"])
        request = EditRequest(diagnostics=[Diagnostic(start, end, finding["message"], "F821", "Ruff")])
    scope = document.plan(request).scope
    document.close()
    return scope


def all_inside(cases: list[Case], answers: list[Said]) -> bool:
    """Whether no edit touches a line that its request may not change."""
    with Editor.load("mini", "cpu", warm=False) as editor:
        return not any(
            outside(scope_of(editor, case), said.edits) for case, said in zip(cases, answers, strict=True)
        )


def test_quick_fixes_and_instructions_are_those_of_our_own_model(server: LlamaServer) -> None:
    cases = [*served_cases.quick_fixes(QUICK_FIXES), *served_cases.instructions(INSTRUCTIONS)]
    served = asked({"model": server.address, "servedModel": "standard"}, cases)
    own = asked({"model": "standard"}, cases)
    alike = {
        "verdicts": sum(a.verdict == b.verdict for a, b in zip(served, own, strict=True)),
        "texts": sum(a.text == b.text for a, b in zip(served, own, strict=True)),
    }
    told = {"served": Counter(said.verdict for said in served), "own": Counter(said.verdict for said in own)}
    sys.stdout.write(f"{json.dumps({'of': len(cases), **alike, **told})}\n")
    assert len(served) == QUICK_FIXES + INSTRUCTIONS
    assert all_inside(cases, served)
    assert not [said for said in served if said.status == "failed"]
    assert {said.verdict for said in served} <= VERDICTS
    assert alike["verdicts"] >= ALIKE * len(cases)
    assert alike["texts"] >= ALIKE * len(cases)


@pytest.mark.parametrize("way", ["decisions", "whole"])
def test_programs_are_decoded_both_ways(server: LlamaServer, way: Any) -> None:
    with Editor.load(server.address, served_model="standard", warm=False) as editor:
        session = editor.loaded_model.served
        assert session is not None
        assert session.description.vocabulary == editor.loaded_model.vocabulary.size
        session.way = way
        done = Counter[str]()
        for case in served_cases.instructions(8):
            document = editor.open("a.py", case.text)
            request = EditRequest(
                scope=[case.scope],
                instruction=case.params["instruction"],
                phrases=False,
                narrow=False,
                max_tokens=96,
            )
            result = document.edit(request)
            assert not outside([case.scope], result.edits)
            assert result.reason is None or "grammar" not in result.reason
            assert result.law == "local"
            assert result.program is not None
            if way == "whole":
                assert result.counts.forwards == 1
            done[result.status] += 1
            document.close()
        assert not done["failed"]


def test_an_instruct_model_rewrites(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The base, nobody's adapter on it: its answers are poor, and never leave the scope."""
    if "standard-base" not in INSTALLED:
        pytest.skip("the base is not installed: copydesk model get standard")
    with (tmp_path_factory.mktemp("llama") / "base.log").open("wb") as log:
        server = LlamaServer(llama_server.exported("standard-base"), "base", log)
        try:
            cases = [*served_cases.quick_fixes(6), *served_cases.instructions(4)]
            said = asked({"model": server.address}, cases)
        finally:
            server.close()
    sys.stdout.write(f"{json.dumps(Counter(answer.verdict for answer in said))}\n")
    assert all_inside(cases, said)
    assert not [answer for answer in said if answer.status == "failed"]
    assert {answer.verdict for answer in said} <= VERDICTS
