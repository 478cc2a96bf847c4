"""The rows of the race against what people would use instead: each writes the same edits of the same files with the same weights.

A row says how many tokens it reads and writes, and how long that takes with what the prompt shows of the document in a cache
(warm) and without (cold).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from copydesk.errors import CopydeskError
from copydesk.grammar.gbnf import gbnf
from copydesk.prompting.codec import Codec
from copydesk.prompting.vocabulary import TokenTable
from copydesk.served.dialect import ChatPrompt
from copydesk.served.session import Way
from copydesk_benchmarks.documents import Edit
from copydesk_benchmarks.llama_replay import Drafts, Replayer
from copydesk_benchmarks.rivals import FORMATS, METHODS, Format, Method, Rivals, Task, task
from copydesk_benchmarks.scripted_engine import Prepared, ScriptedEngine
from copydesk_benchmarks.served_script import ServedEngine

Heat: TypeAlias = Literal["warm", "cold"]
HEATS: tuple[Heat, ...] = ("warm", "cold")
Seconds: TypeAlias = "dict[Heat, float]"
DRAFTS: dict[str, dict[Format, Drafts]] = {
    "its n-gram drafts": dict.fromkeys(FORMATS, Drafts("ngram-simple")),
    "its n-gram drafts, tuned": dict.fromkeys(("file", "scope"), Drafts("ngram-map-k", 4, 64)),
}
"""`--spec-type ngram-simple` as it comes, and what served these edits best of fourteen settings of its five kinds;
for blocks no setting is faster than none."""


@dataclass(slots=True)
class Stage:
    """One length of file: its edits, and what every row of them needs to know."""

    edits: Sequence[Edit]
    prepared: Mapping[str, Prepared]
    tasks: Mapping[tuple[Format, str], Task]
    programs: Mapping[str, WholeProgram]


@dataclass(frozen=True, slots=True)
class WholeProgram:
    """An edit as one request under one grammar. shown: the page; asked: what stands behind it."""

    shown: list[int]
    asked: list[int]
    gold: list[int]
    grammar: str


class Row(ABC):
    """kind: of what family it is, for what is said of it where it is fast. own: whether it is copydesk."""

    name: str
    kind: ClassVar[str]
    own: ClassVar[bool] = False

    @property
    def pace(self) -> str:
        """Rows of the same one take about as long for a token."""
        return self.name

    @property
    def group(self) -> str:
        """Rows of which a plot shows the fastest."""
        return self.name

    @abstractmethod
    def sizes(self, stage: Stage, edit: Edit) -> tuple[int, int]:
        """Tokens of the prompt, and tokens that are written."""

    @abstractmethod
    def run(self, stage: Stage, edit: Edit) -> Seconds:
        """Raises CopydeskError where anything else came out."""


class ProgramRow(Row):
    """copydesk, which writes an edit's program."""

    own = True

    def sizes(self, stage: Stage, edit: Edit) -> tuple[int, int]:
        prepared = stage.prepared[edit.name]
        return len(prepared.plan.prefix) + len(prepared.plan.asked), len(prepared.script[1])


class TaskRow(Row):
    """A rival, which writes an edit in a format of its own."""

    format: Format

    def task(self, stage: Stage, edit: Edit) -> Task:
        return stage.tasks[self.format, edit.name]

    def sizes(self, stage: Stage, edit: Edit) -> tuple[int, int]:
        task = self.task(stage, edit)
        return len(task.shown) + len(task.asked), len(task.gold)


@dataclass
class EngineRow(ProgramRow):
    """copydesk on torch."""

    name: str
    engine: ScriptedEngine
    kind: ClassVar[str] = "engine"

    def run(self, stage: Stage, edit: Edit) -> Seconds:  # noqa: ARG002
        self.engine.prepare(edit)
        return {"cold": self.engine.cold(edit).seconds, "warm": self.engine.warm(edit).seconds}


@dataclass
class ServedRow(ProgramRow):
    """copydesk over llama.cpp's server."""

    name: str
    engine: ServedEngine
    way: Way
    kind: ClassVar[str] = "served"
    _prepared: dict[tuple[str, str], Prepared] = field(default_factory=dict)

    def run(self, stage: Stage, edit: Edit) -> Seconds:  # noqa: ARG002
        key = (edit.name, edit.before)
        if key not in self._prepared:
            self._prepared[key] = self.engine.prepare(edit, self.way)
        prepared = self._prepared[key]
        return {
            "cold": self.engine.run(edit, prepared, self.way, warm=False).seconds,
            "warm": self.engine.run(edit, prepared, self.way, warm=True).seconds,
        }


@dataclass
class LlamaRow(TaskRow):
    """llama.cpp writing a format of its own accord."""

    name: str
    replayer: Replayer
    format: Format
    drafts: Drafts | None
    kind: ClassVar[str] = "llama.cpp"

    @property
    def pace(self) -> str:
        return f"{id(self.replayer)} {self.drafts}"

    @property
    def group(self) -> str:
        return self.name.partition(", its ")[0]

    def run(self, stage: Stage, edit: Edit) -> Seconds:
        task = self.task(stage, edit)
        return _both(self.replayer, task.shown, task.asked, task.gold, drafts=self.drafts)


@dataclass
class GrammarRow(Row):
    """llama.cpp writing a program token by token under its grammar."""

    name: str
    replayer: Replayer
    kind: ClassVar[str] = "grammar"

    def sizes(self, stage: Stage, edit: Edit) -> tuple[int, int]:
        program = stage.programs[edit.name]
        return len(program.shown) + len(program.asked), len(program.gold)

    def run(self, stage: Stage, edit: Edit) -> Seconds:
        program = stage.programs[edit.name]
        return _both(self.replayer, program.shown, program.asked, program.gold, grammar=program.grammar)


@dataclass
class TransformersRow(TaskRow):
    """transformers' `generate`."""

    rivals: Rivals
    method: Method
    format: Format
    kind: ClassVar[str] = "transformers"
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = f"transformers fp32, {METHODS[self.method]}, {FORMATS[self.format]}"

    @property
    def pace(self) -> str:
        return f"{self.kind} {self.method}"

    @property
    def group(self) -> str:
        return f"transformers fp32, {FORMATS[self.format]}"

    def run(self, stage: Stage, edit: Edit) -> Seconds:
        task = self.task(stage, edit)
        return {heat: self.rivals.run(self.method, task, warm=heat == "warm").seconds for heat in HEATS}


def _both(
    replayer: Replayer,
    shown: Sequence[int],
    asked: Sequence[int],
    gold: Sequence[int],
    *,
    drafts: Drafts | None = None,
    grammar: str | None = None,
) -> Seconds:
    """Writing costs the same behind a prompt that was cached and behind one that was not: it is timed once."""
    cold = replayer.write([], [*shown, *asked], gold[:1])
    warm = replayer.write(shown, asked, gold, drafts=drafts, grammar=grammar)
    return {
        "cold": (cold.prompt_ms + warm.write_ms) / 1e3,
        "warm": (warm.prompt_ms + warm.write_ms) / 1e3,
    }


def stage(edits: Sequence[Edit], engine: ScriptedEngine, served: ServedEngine) -> Stage:
    """Everything that rows need to know of a length, none of it timed. Raises CopydeskError where a gold text is none."""
    codec = engine.editor.loaded_model.codec
    assert codec is not None
    engine.scripted.forget()
    prepared = {edit.name: engine.prepare(edit) for edit in edits}
    tasks = {
        (format, edit.name): task(
            format, edit, codec, prepared[edit.name].plan.page, prepared[edit.name].plan.asked
        )
        for format in FORMATS
        for edit in edits
    }
    for each in tasks.values():
        if each.read(each.gold) != each.edit.after:
            raise CopydeskError(f"the gold text of {each.format} does not stand for {each.edit.name!r}")
    return Stage(edits, prepared, tasks, {edit.name: _whole(edit, served, codec) for edit in edits})


def _whole(edit: Edit, served: ServedEngine, codec: Codec) -> WholeProgram:
    """What the engine asks a server for where it wants a program as a whole."""
    prepared = served.prepare(edit, "whole")
    served.run(edit, prepared, "whole", warm=True)
    asked = served.dialect.asked
    assert asked is not None
    assert asked.grammar is not None
    assert not isinstance(asked.prompt, ChatPrompt)
    assert isinstance(codec.vocabulary, TokenTable)
    prompt = list(asked.prompt)
    first, script = prepared.script
    shown = prepared.plan.prefix
    specials = {index: name for name, index in codec.vocabulary.specials.items()}
    return WholeProgram(
        shown, prompt[len(shown) :], script[len(prompt) - first :], gbnf(asked.grammar, specials)
    )
