"""Models nobody trained for programs, through the facade: a directory with a chat template and no edit format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

from copydesk.editor import Editor
from copydesk.errors import RequestError, TokenizerError
from copydesk.models.replay import ReplayModel
from copydesk.request import EditRequest
from copydesk.results import EditResult
from copydesk.serving.loaded_model import LoadedModel
from tiny_models import build, qwen2
from vocabularies import qwen_like

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEXT = "import os\n\n\ndef f(x):\n    if x == None:\n        return 1\n    return x\n\n\nprint(f(3))\n"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny random Qwen2 as transformers saves it, with a tokenizer that has a chat template."""
    folder: Path = tmp_path_factory.mktemp("chat")
    tokenizer = Tokenizer.from_str(qwen_like().tokenizer.to_str())
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>")
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    build(qwen2(len(fast), eos_token_id=fast.convert_tokens_to_ids("<|im_end|>"))).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def loaded_model(directory: Path) -> LoadedModel:
    return LoadedModel.load(directory, device="cpu", dtype="fp32")


def test_a_directory_without_a_format_is_rewritten(loaded_model: LoadedModel) -> None:
    assert loaded_model.format.kind == "rewrite"
    assert loaded_model.codec is None
    assert loaded_model.stops


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
    """What comes of `request` when the model says `answer`."""
    model = editor.loaded_model.model
    assert isinstance(model, ReplayModel)
    document = editor.open("a.py", text)
    plan = document.plan(request)
    stop = next(iter(editor.loaded_model.stops))
    script = [*editor.loaded_model.vocabulary.encode(answer), stop]
    model.scripts[1] = (len(plan.prefix) + len(plan.asked), script)
    return document.edit(request)


@pytest.fixture
def replaying(loaded_model: LoadedModel) -> Editor:
    replayed = LoadedModel(
        ReplayModel(loaded_model.model),
        loaded_model.format,
        loaded_model.vocabulary,
        chat=loaded_model.chat,
        stops=loaded_model.stops,
    )
    return Editor(replayed, warm=False)


def test_a_fenced_answer_becomes_a_program_of_copies(replaying: Editor) -> None:
    answer = "```python\ndef f(x):\n    if x is None:\n        return 1\n    return x\n```"
    result = _answer(replaying, TEXT, EditRequest(scope=[(4, 7)], instruction="use is"), answer)
    assert result.text == TEXT.replace("== None", "is None")
    assert [str(edit.new_text) for edit in result.edits] == ["    if x is None:\n"]
    assert result.counts.drafted > result.counts.generated
    assert result.counts.forwards < 20
    replaying.check_integrity()


@pytest.mark.parametrize(
    "answer",
    [
        "Sure! Here it is:\n```python\n    if x is None:\n```",
        "```python\n    if x is None:\n",
        "```python\n    if x is None:\n``` done",
    ],
)
def test_anything_but_one_closed_fence_is_refused(replaying: Editor, answer: str) -> None:
    result = _answer(replaying, TEXT, EditRequest(scope=[(5, 5)], instruction="use is"), answer)
    assert (result.status, result.text, result.edits) == ("refused", TEXT, ())


def test_lines_between_two_ranges_must_come_back(replaying: Editor) -> None:
    request = EditRequest(scope=[(4, 4), (7, 7)], instruction="rename x to y")
    kept = "    if x == None:\n        return 1\n"
    good = _answer(replaying, TEXT, request, f"```python\ndef f(y):\n{kept}    return y\n```")
    assert good.text == TEXT.replace("f(x):", "f(y):").replace("return x", "return y")
    bad = _answer(replaying, TEXT, request, "```python\ndef f(y):\n    return y\n```")
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


def test_greedy_text_equals_generate(loaded_model: LoadedModel, directory: Path) -> None:
    """The facade's own tokens, draft and cache included, against transformers' `generate` on the same prompt."""
    from transformers import AutoModelForCausalLM

    from copydesk.decode.coroutine import Lane
    from copydesk.decode.counts import Counts
    from copydesk.decode.sampling import Sampler
    from copydesk.decode.schedule import Job, run
    from copydesk.decode.token_emitter import TokenEmitter

    editor = Editor(loaded_model, warm=False)
    document = editor.open("a.py", TEXT)
    request = EditRequest(scope=[(4, 7)], instruction="use is", max_tokens=40)
    plan = document.plan(request)
    model = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32).eval()
    prompt = torch.tensor([[*plan.prefix, *plan.asked]])
    wanted = model.generate(prompt, do_sample=False, max_new_tokens=plan.max_tokens)[
        0, prompt.shape[1] :
    ].tolist()
    with editor.cache.acquire((document.id, plan.key), plan.prefix) as lease:
        for _ in editor.cache.warm(lease):
            pass
        counts = Counts()
        emitter = TokenEmitter(
            Lane(lease.row, lease.owner, len(plan.prefix)), Sampler(), counts, plan.max_tokens
        )
        steps = plan.begin(emitter)
        job = Job(emitter.lane, steps)
        decoder = steps.gi_frame.f_locals["self"]
        for _ in run(loaded_model.model, [job], lambda: None):
            pass
    produced = decoder.written
    assert produced == wanted[: len(produced)]
    assert len(produced) >= len(wanted) - 1
