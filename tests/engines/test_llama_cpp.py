"""llama.cpp's own server with the standard model in it, asked by the language server: `make test-engines`."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import llama_server
import served_cases
from conftest import PERSONS_MODELS
from copydesk.editor import Editor
from copydesk.errors import CopydeskError
from copydesk.models.installed import VARIABLE, installed_directory
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.serving.reporting import LOOPED, SPENT
from copydesk.text.document import Position, TextEdit
from copydesk_benchmarks.llama_replay import Drafts, Replayer, compiled
from llama_server import LlamaServer
from lsp_client import LspClient, edited
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

CLOSED = (SPENT, LOOPED)
"""Why an answer is closed for the model."""
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
            text, edits = edited(case.text, answer.get("edit"))
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


def test_a_second_request_on_a_page_computes_only_what_is_new(server: LlamaServer) -> None:
    text = "def total(values):\n" + "".join(f"    value_{n} = values[{n}] * {n}\n" for n in range(24))
    with Editor.load(server.address, served_model="standard", warm=False) as editor:
        for narrow in (False, True):  # written freely, and chosen from candidates that are judged
            document = editor.open(f"{narrow}.py", f"# {narrow}\n{text}")
            first, second = (
                EditRequest(
                    scope=[(2, 26)],
                    instruction=instruction,
                    phrases=False,
                    narrow=narrow,
                    max_tokens=32,
                    take_likeliest=True,
                )
                for instruction in ("rename value_3 to third", "rename value_9 to ninth")
            )
            page = len(document.plan(first).prefix)
            cold, warm = document.edit(first).counts, document.edit(second).counts
            assert cold.prefilled >= page
            assert warm.reused >= warm.forwards * page
            # New are the request and, in each of its requests to the server, what was decided last or a candidate.
            assert page > 200
            assert 0 < warm.prefilled < 64 * warm.forwards
            assert warm.prefilled < cold.prefilled
            document.close()


def test_the_race_times_what_llama_cpp_would_write(tmp_path: Path) -> None:
    """Tokens that are told cost as many forwards as the model's own; drafts are accepted as far as they are right."""
    with (tmp_path / "replay.log").open("wb") as log:
        llama_server.built(llama_server.SERVER)
        program = compiled(llama_server.folder() / "build", llama_server.source())
        replayer = Replayer(program, llama_server.exported("standard"), 1, log)
        try:
            line = list(range(300, 320))
            shown, asked = line * 4, [7, 8, 9]
            plain = replayer.write(shown, asked, line)
            free = replayer.write(shown, asked, line, free=True)
            drafted = replayer.write(shown, asked, line, drafts=Drafts("ngram-simple", 3, 8))
            wrong = replayer.write(shown, asked, line[::-1], drafts=Drafts("ngram-simple", 3, 8))
            # A grammar that the text does not follow is no way to write it.
            with pytest.raises(CopydeskError, match=r"llama\.cpp"):
                replayer.write(shown, asked, line, grammar='root ::= ("a" | "b")+\n')
        finally:
            replayer.close()
    assert (plain.forwards, plain.drafted) == (free.forwards, free.drafted) == (len(line) - 1, 0)
    assert 0 < drafted.accepted <= drafted.drafted
    assert drafted.forwards + drafted.accepted == len(line) - 1
    assert wrong.accepted == 0


@pytest.fixture(scope="module")
def base(persons_models: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """The base, nobody's adapter on it: its answers are poor. In 8 bits, since not every processor is quick with bfloat16."""
    if "standard-base" not in INSTALLED:
        pytest.skip("the base is not installed: copydesk model get standard-base")
    with (tmp_path_factory.mktemp("llama") / "base.log").open("wb") as log:
        server = LlamaServer(llama_server.quantized("standard-base"), "base", log)
        yield server
        server.close()


def test_an_instruct_model_rewrites(base: LlamaServer) -> None:
    cases = [*served_cases.quick_fixes(6), *served_cases.instructions(4)]
    said = asked({"model": base.address}, cases)
    sys.stdout.write(f"{json.dumps(Counter(answer.verdict for answer in said))}\n")
    assert all_inside(cases, said)
    assert not [answer for answer in said if answer.status == "failed"]
    assert {answer.verdict for answer in said} <= VERDICTS


def test_every_rewritten_answer_is_well_formed_and_inside_its_scope(base: LlamaServer) -> None:
    """An answer is well-formed where a program came of it; it is the model's own where the model closed its fence itself."""
    told = Counter[str]()
    with Editor.load(base.address, warm=False) as editor:
        assert editor.loaded_model.format.kind == "rewrite"
        for case in served_cases.instructions(INSTRUCTIONS):
            document = editor.open("a.py", case.text)
            instruction = case.params["instruction"]
            result = document.edit(
                EditRequest(scope=[case.scope], instruction=instruction, phrases=False, max_tokens=96)
            )
            told["asked"] += 1
            told[result.status] += 1
            told["the model's own"] += result.reason not in CLOSED
            told["well-formed"] += result.program is not None
            told["outside the scope"] += len(outside([case.scope], result.edits))
            if result.program is not None:
                first, last = case.scope
                lines = case.text.splitlines(keepends=True)
                written = result.program.resolve(case.text)
                assert written.startswith("".join(lines[: first - 1]))
                assert written.endswith("".join(lines[last:]))
            document.close()
    sys.stdout.write(f"{json.dumps(told)}\n")
    assert told["asked"] == told["well-formed"] == INSTRUCTIONS
    assert told["outside the scope"] == told["failed"] == 0
