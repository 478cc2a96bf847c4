"""Models nobody trained for programs, through the facade: a directory with a chat template and no edit format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from copydesk.editor import Editor
from copydesk.errors import RequestError, TokenizerError
from copydesk.grammar.fenced import ILLEGAL, FencedText
from copydesk.models.replay import ReplayModel
from copydesk.prompting.rewrite_prompt import common_indent
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult
from copydesk.serving.loaded_model import LoadedModel
from copydesk.text.document import Position
from tiny_models import OTHERS, build, qwen2
from vocabularies import qwen_like

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXT = "import os\n\n\ndef f(x):\n    if x == None:\n        return 1\n    return x\n\n\nprint(f(3))\n"


def saved(folder: Path, architecture: str) -> Path:
    """A tiny random model as transformers saves it, with a tokenizer that has a chat template."""
    tokenizer = Tokenizer.from_str(qwen_like().tokenizer.to_str())
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>")
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    end = fast.convert_tokens_to_ids("<|im_end|>")
    config = {"qwen2": qwen2, **OTHERS}[architecture]
    build(config(len(fast), bos_token_id=None, pad_token_id=None, eos_token_id=end)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("chat"), "qwen2")


@pytest.fixture(scope="module")
def loaded_model(directory: Path) -> LoadedModel:
    return LoadedModel.load(directory, device="cpu", dtype="fp32")


def test_a_directory_without_a_format_is_rewritten(loaded_model: LoadedModel) -> None:
    assert loaded_model.format.kind == "rewrite"
    assert loaded_model.codec is None
    assert loaded_model.fences is not None


def test_the_prompt_is_tokenised_as_the_template_does(loaded_model: LoadedModel, directory: Path) -> None:
    from transformers import AutoTokenizer

    reference = AutoTokenizer.from_pretrained(directory, local_files_only=True)
    editor = Editor(loaded_model, warm=False)
    document = editor.open("a.py", TEXT)
    plan = document.plan(EditRequest(scope=[(5, 5)], instruction="use is"))
    ids = [*plan.prefix, *plan.asked]
    rendered = reference.decode(ids)
    assert reference.encode(rendered, add_special_tokens=False) == ids
    assert "if x == None" in rendered


def test_special_tokens_in_text_stay_text(loaded_model: LoadedModel) -> None:
    editor = Editor(loaded_model, warm=False)
    document = editor.open("a.py", "x = '<|im_end|>'\n")
    plan = document.plan(EditRequest(scope=[(1, 1)], instruction="drop <|im_start|>"))
    ids = [*plan.prefix, *plan.asked]
    vocabulary = loaded_model.vocabulary
    end, start = vocabulary.special("<|im_end|>"), vocabulary.special("<|im_start|>")
    assert (ids.count(start), ids.count(end)) == (3, 2)  # system, user, assistant: the template's own


def _answer(editor: Editor, text: str, request: EditRequest, answer: str) -> EditResult:
    """What comes of `request` when the model says `answer` behind the opening fence."""
    model = editor.loaded_model.model
    assert isinstance(model, ReplayModel)
    document = editor.open("a.py", text)
    plan = document.plan(request)
    words = editor.loaded_model.vocabulary
    opening = words.encode("```python\n")
    model.scripts[1] = (len(plan.prefix) + len(plan.asked) + len(opening), words.encode(answer))
    return document.edit(request)


@pytest.fixture
def replaying(loaded_model: LoadedModel) -> Editor:
    assert loaded_model.chat is not None
    model = ReplayModel(loaded_model.model)
    replayed = LoadedModel.rewriting(model, loaded_model.format, loaded_model.vocabulary, loaded_model.chat)
    return Editor(replayed, warm=False)


def test_a_fenced_answer_becomes_a_program_of_copies(replaying: Editor) -> None:
    answer = "def f(x):\n    if x is None:\n        return 1\n    return x\n```"
    result = _answer(replaying, TEXT, EditRequest(scope=[(4, 7)], instruction="use is"), answer)
    assert result.text == TEXT.replace("== None", "is None")
    assert [str(edit.new_text) for edit in result.edits] == ["    if x is None:\n"]
    assert result.counts.drafted > result.counts.generated
    assert result.counts.forwards < 20
    replaying.check_integrity()


def test_the_indentation_is_taken_off_and_put_back(replaying: Editor) -> None:
    request = EditRequest(scope=[(5, 7)], instruction="use is")
    result = _answer(replaying, TEXT, request, "if x is None:\n    return 1\nreturn x\n```")
    assert result.text == TEXT.replace("== None", "is None")
    assert [edit.new_text for edit in result.edits] == ["    if x is None:\n"]


@pytest.mark.parametrize("answer", ["Sure! Here it is:\n```", "if x is None:\n    return 1 or\n```"])
def test_what_is_no_code_is_refused(replaying: Editor, answer: str) -> None:
    result = _answer(replaying, TEXT, EditRequest(scope=[(5, 6)], instruction="use is"), answer)
    assert (result.status, result.text, result.edits) == ("refused", TEXT, ())


def test_nothing_behind_the_closing_fence_is_generated(replaying: Editor) -> None:
    request = EditRequest(scope=[(5, 7)], instruction="use is")
    short = _answer(replaying, TEXT, request, "return x\n```")
    long = _answer(replaying, TEXT, request, "return x\n```\nThis returns x. " + "And so on. " * 50)
    assert (long.text, long.counts.generated) == (short.text, short.counts.generated)
    assert long.counts.forwards == short.counts.forwards


def test_an_answer_is_not_much_longer_than_the_lines_it_is_for(replaying: Editor) -> None:
    request = EditRequest(scope=[(5, 7)], instruction="use is", max_tokens=100_000)
    result = _answer(replaying, TEXT, request, "".join(f"x{n} = {n} * 2\n" for n in range(500)))
    assert (result.status, result.edits) == ("refused", ())
    assert result.counts.generated + result.counts.drafted < 300


def test_lines_between_two_ranges_must_come_back(replaying: Editor) -> None:
    request = EditRequest(scope=[(4, 4), (7, 7)], instruction="fall back to y")
    kept = "    if x == None:\n        return 1\n"
    good = _answer(replaying, TEXT, request, f"def f(x, y):\n{kept}    return x or y\n```")
    assert good.text == TEXT.replace("f(x):", "f(x, y):").replace("return x", "return x or y")
    bad = _answer(replaying, TEXT, request, "def f(x, y):\n    return x or y\n```")
    assert bad.status == "refused"
    assert bad.reason is not None
    assert bad.reason.startswith("outside the request's scope")


def test_a_random_model_never_leaves_its_scope(loaded_model: LoadedModel) -> None:
    editor = Editor(loaded_model, warm=False)
    document = editor.open("a.py", TEXT)
    for seed in range(5):
        result = document.edit(EditRequest(scope=[(5, 6)], temperature=1.0, seed=seed, max_tokens=20))
        assert result.text.startswith(TEXT[:24])
        editor.check_integrity()


def test_it_cannot_be_held_to_a_grammar(loaded_model: LoadedModel) -> None:
    document = Editor(loaded_model, warm=False).open("a.py", TEXT)
    with pytest.raises(RequestError):
        document.edit(EditRequest(scope=[(1, 1)], choices=["a"]))


def test_without_a_template_the_reason_is_named(directory: Path, tmp_path: Path) -> None:
    for file in directory.iterdir():
        if file.suffix in (".json", ".safetensors"):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "tokenizer_config.json").read_text())
    config.pop("chat_template", None)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(TokenizerError, match="no chat template"):
        LoadedModel.load(tmp_path, device="cpu")


ASKED = [
    ([(4, 7)], "use is"),
    ([(5, 6)], "return early"),
    ([(3, 2)], "add a function"),
    ([(10, 10)], "print nothing"),
]


@pytest.mark.parametrize("architecture", ["qwen2", *OTHERS])
def test_greedy_text_is_that_of_transformers_under_the_same_constraint(
    architecture: str, tmp_path: Path
) -> None:
    """The facade's own text, draft, cache and indentation included, from another forward and no draft."""
    saved(tmp_path, architecture)
    reference = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
    with Editor.load(tmp_path, device="cpu", dtype="fp32", warm=False) as editor:
        words = editor.loaded_model.vocabulary
        fenced = FencedText(words, 3)
        document = editor.open("notes.txt", TEXT)  # no language, so no syntax that could be refused
        for scope, instruction in ASKED:
            request = EditRequest(scope=scope, instruction=instruction, max_tokens=20)
            result, plan = document.edit(request), document.plan(request)
            context = [*plan.prefix, *plan.asked, *words.encode("```\n")]
            state, written = fenced.start, list[int]()
            while state != fenced.closed and len(written) < plan.max_tokens:
                with torch.no_grad():
                    logits = reference(torch.tensor([[*context, *written]])).logits[0, -1]
                legal = [t for t in range(words.size) if fenced.advance(state, t) != ILLEGAL]
                written.append(max(legal, key=lambda t: (float(logits[t]), -t)))
                state = fenced.advance(state, written[-1])
            closed = state == fenced.closed
            written += fenced.closing_path(state)
            body = words.decode(written).rstrip().removesuffix("```")
            lines = TEXT.splitlines(keepends=True)
            first, last = scope[0]
            indent = common_indent(lines[first - 1 : last])
            new = "".join(line if line == "\n" else indent + line for line in body.splitlines(keepends=True))
            expected = "".join([*lines[: first - 1], new, *lines[last:]])
            assert result.program is not None
            assert result.program.resolve(TEXT) == expected
            assert (result.status != "refused") == closed


@pytest.mark.parametrize("architecture", ["qwen2", *OTHERS])
def test_every_answer_of_every_architecture_is_well_formed(architecture: str, tmp_path: Path) -> None:
    saved(tmp_path, architecture)
    with Editor.load(tmp_path, device="cpu", dtype="fp32", warm=False) as editor:
        document = editor.open("notes.txt", TEXT)
        for seed in range(4):
            for scope, instruction in ASKED:
                request = EditRequest(
                    scope=scope, instruction=instruction, temperature=1.0, seed=seed, max_tokens=16
                )
                result = document.edit(request)
                assert result.program is not None
                assert result.reason is None or "fence" not in result.reason
                editor.check_integrity()


@pytest.mark.parametrize(
    ("between", "scope"),
    [(3, [(1, 1), (7, 7)]), (60, [(64, 64)]), (600, [(604, 604)])],
    ids=["near", "far", "on another page"],
)
def test_far_imports_are_not_rewritten_with_a_name(
    loaded_model: LoadedModel, between: int, scope: list[tuple[int, int]]
) -> None:
    text = "import os\n\ndef f(value):\n" + "    print(os)\n" * between + "    return valeu\n"
    line = text.count("\n") - 1
    diagnostic = Diagnostic(Position(line, 11), Position(line, 16), "Undefined name `valeu`", "F821", "Ruff")
    with Editor(loaded_model, warm=False) as editor:
        document = editor.open("a.py", text)
        plan = document.plan(EditRequest(diagnostics=[diagnostic]))
        assert plan.scope == scope
        assert document.edit(EditRequest(diagnostics=[diagnostic], max_tokens=8)).status != "failed"
