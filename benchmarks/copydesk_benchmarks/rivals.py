"""What a person would use instead: the same edit, by transformers' `generate`, in formats that rewrite.

A format says what the prompt shows and what is written; a method says how tokens come about. Every run is made to write its
format's gold text and must end with the edited file, byte for byte. Knows transformers and texts; nothing of this engine's
decoding.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

import torch

from copydesk.errors import CopydeskError
from copydesk.paging.page import Page
from copydesk.prompting.codec import Codec
from copydesk.text.document import split_lines, view_line
from copydesk_benchmarks.documents import Edit
from copydesk_benchmarks.script import Prompted
from copydesk_benchmarks.subject import Subject
from copydesk_benchmarks.timing import stopwatch

Format = Literal["file", "scope", "blocks"]
Method = Literal["generate", "prompt lookup", "tuned lookup", "own draft", "gold draft"]

FORMATS: dict[Format, str] = {
    "file": "the whole file",
    "scope": "the scope",
    "blocks": "search/replace blocks",
}
METHODS: dict[Method, str] = {
    "generate": "generate",
    "prompt lookup": "prompt lookup",
    "tuned lookup": "prompt lookup, tuned",
    "own draft": "assisted, drafts of its own",
    "gold draft": "assisted, drafts always right",
}
LOOKUP = {"prompt_lookup_num_tokens": 10, "max_matching_ngram_size": 2}
TUNED: dict[Format, dict[str, int]] = {
    "file": {"prompt_lookup_num_tokens": 64, "max_matching_ngram_size": 6},
    "scope": {"prompt_lookup_num_tokens": 32, "max_matching_ngram_size": 4},
}
"""What served these edits best of six settings tried; blocks are served best by `LOOKUP` itself."""
DRAFT_LAYERS = 4
"""The assistant has one layer of so many of the model's."""
OPEN, MIDDLE, CLOSE = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"


@dataclass(frozen=True, slots=True)
class Task:
    """One edit in one format. shown: the prompt's document, which may be kept warm. asked: the request behind it. gold: what is
    to be written. read: the edited file that written tokens stand for."""

    format: Format
    edit: Edit
    shown: list[int]
    asked: list[int]
    gold: list[int]
    read: Callable[[Sequence[int]], str]


@dataclass(frozen=True, slots=True)
class Run:
    """One timed run. forwards: of the model itself; drafts: of its assistant."""

    seconds: float
    forwards: int
    drafts: int
    written: int


def task(format: Format, edit: Edit, codec: Codec, page: Page, asked: Sequence[int]) -> Task:
    """`edit` in a format. The prompt shows the file, or the engine's own page, without line numbers: a rewrite needs none,
    and prompt lookup finds runs that cross lines."""
    lines = split_lines(edit.before)
    if format == "file":
        views = [view_line(line) for line in lines]
    else:
        views = [view for n, view in enumerate(page.views, 1) if n != page.skip]
    shown = [*codec.literals.document_open, *_ids(codec, views)]
    end = list(codec.literals.end)
    size = len(end)
    decode = codec.vocabulary.decode
    first, last = edit.scope
    if format == "file":
        new = split_lines(edit.after)

        def read(ids: Sequence[int]) -> str:
            return decode(ids[: len(ids) - size])

    elif format == "scope":
        new = edit.new_lines

        def read(ids: Sequence[int]) -> str:
            return "".join(lines[: first - 1]) + decode(ids[: len(ids) - size]) + "".join(lines[last:])

    else:
        new = split_lines("".join(blocks(edit.before, edit.after)))

        def read(ids: Sequence[int]) -> str:
            return apply_blocks(edit.before, decode(ids[: len(ids) - size]))

    return Task(format, edit, shown, list(asked), _ids(codec, new) + end, read)


def blocks(before: str, after: str) -> list[str]:
    """The change as search/replace blocks: every search is whole lines that the file holds once. One block for all of it where
    blocks of single hunks would get in each other's way. Raises CopydeskError for a file with no line to search for."""
    old, new = split_lines(before), split_lines(after)
    hunks = [
        (i, j, k, m)
        for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
    if not hunks:
        return []
    whole = (hunks[0][0], hunks[-1][1], hunks[0][2], hunks[-1][3])
    for given in (hunks, [whole]):
        found = [_block(old, new, hunk) for hunk in given]
        try:
            if apply_blocks(before, "".join(found)) == after:
                return found
        except CopydeskError:
            continue
    raise CopydeskError("no search block names the place of this change")


def _block(old: Sequence[str], new: Sequence[str], hunk: tuple[int, int, int, int]) -> str:
    """old[i:j] → new[k:m] with as many lines round it as make the search unique."""
    i, j, k, m = hunk
    above = below = 0
    while not _once(old, old[i - above : j + below]) and (i > above or j + below < len(old)):
        if i > above and (above <= below or j + below == len(old)):
            above += 1
        else:
            below += 1
    search = "".join(old[i - above : j + below])
    replace = "".join([*old[i - above : i], *new[k:m], *old[j : j + below]])
    return OPEN + search + MIDDLE + replace + CLOSE


def apply_blocks(before: str, text: str) -> str:
    """`before` with every block of `text` applied. Raises CopydeskError for a search the file does not hold once."""
    result = before
    for part in text.split(OPEN)[1:]:
        search, _, rest = part.partition(MIDDLE)
        replace, _, _ = rest.partition(CLOSE)
        if not search or result.count(search) != 1:
            raise CopydeskError("a search block does not name one place")
        result = result.replace(search, replace, 1)
    return result


def _once(lines: Sequence[str], run: Sequence[str]) -> bool:
    return bool(run) and "".join(lines).count("".join(run)) == 1


def _ids(codec: Codec, lines: Sequence[str]) -> list[int]:
    return [token for line in lines for token in codec.line(view_line(line))]


class Rivals:
    """The rows of the race that transformers runs. `subject.rival` is never changed."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._timed = stopwatch(subject.device)
        self._kept: tuple[list[int], Any] | None = None
        self._assistant: Any = None

    def run(self, method: Method, task: Task, *, warm: bool) -> Run:
        """Write the task's text. warm: with what the prompt shows already in a cache, as the engine's warm page is.

        Raises CopydeskError where what was written is not the edited file.
        """
        model = self.subject.rival
        prompt = [*task.shown, *task.asked]
        ids = torch.tensor([prompt], device=self.subject.device)
        options: dict[str, Any] = {"max_new_tokens": len(task.gold), "do_sample": False, "use_cache": True}
        if warm:
            options["past_key_values"] = copy.deepcopy(self._warm(task.shown))
        if method == "prompt lookup":
            options |= LOOKUP
        elif method == "tuned lookup":
            options |= TUNED[task.format]
        elif method != "generate":
            options["assistant_model"] = self._helper()
        with ExitStack() as held, torch.inference_mode():
            hook = held.enter_context(Prompted(model, len(prompt), task.gold))
            drafts = None
            if warm and method != "generate":
                held.enter_context(_continuing(model))
            if "assistant_model" in options:
                told = task.gold if method == "gold draft" else ()
                drafts = held.enter_context(Prompted(self._helper(), len(prompt), told))
            out: list[Any] = []
            seconds = self._timed(
                lambda: out.append(
                    model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **options)
                )
            )
        written = out[0][0, len(prompt) :].tolist()
        if task.read(written) != task.edit.after:
            raise CopydeskError(
                f"{method} of {task.format} did not write the gold text of {task.edit.name!r}"
            )
        return Run(seconds, hook.forwards, drafts.forwards if drafts else 0, len(written))

    @property
    def draft_bytes(self) -> int:
        """What a forward of the assistant has to read."""
        helper = self._helper()
        tied = helper.lm_head.weight is helper.model.embed_tokens.weight
        table = 0 if tied else helper.model.embed_tokens.weight.numel()
        size = sum(p.numel() for p in helper.parameters()) - table
        return size * helper.lm_head.weight.element_size()

    def _warm(self, shown: list[int]) -> Any:
        """The cache of a prompt's document, kept for the next run on the same one."""
        if self._kept is None or self._kept[0] != shown:
            self._kept = None
            ids = torch.tensor([shown], device=self.subject.device)
            with torch.inference_mode():
                out = self.subject.rival(input_ids=ids, use_cache=True, logits_to_keep=1)
            self._kept = (shown, out.past_key_values)
        return self._kept[1]

    def _helper(self) -> Any:
        """The model's first layers as a model of their own, with its embedding and head: drafts that come from the weights at
        hand, by a smaller model of the same tokenizer."""
        if self._assistant is None:
            self._assistant = first_layers(self.subject.rival, DRAFT_LAYERS)
        return self._assistant


@contextmanager
def _continuing(model: Any) -> Iterator[None]:
    """Assisted decoding and prompt lookup feed the whole prompt to a cache that holds most of it already (transformers 5.17 to
    5.23): for the time being the model takes what the cache lacks, as it does in plain `generate`."""
    prepare = model.prepare_inputs_for_generation

    def prepared(ids: torch.Tensor, *, next_sequence_length: int | None = None, **kwargs: Any) -> Any:
        held = kwargs["past_key_values"].get_seq_length()
        if next_sequence_length is None and held:
            next_sequence_length = ids.shape[1] - held
        return prepare(ids, next_sequence_length=next_sequence_length, **kwargs)

    model.prepare_inputs_for_generation = prepared
    try:
        yield
    finally:
        del model.prepare_inputs_for_generation


def first_layers(model: Any, share: int) -> Any:
    """The first of every `share` layers' worth of `model`, sharing its weights."""
    config = copy.deepcopy(model.config)
    config.num_hidden_layers = max(1, config.num_hidden_layers // share)
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[: config.num_hidden_layers]
    with torch.device("meta"):
        small = type(model)(config)
    small.model.embed_tokens = model.model.embed_tokens
    small.model.layers = torch.nn.ModuleList(list(model.model.layers)[: config.num_hidden_layers])
    small.model.norm = model.model.norm
    small.model.rotary_emb = model.model.rotary_emb
    small.lm_head = model.lm_head
    small.generation_config = copy.deepcopy(model.generation_config)
    return small.eval()
