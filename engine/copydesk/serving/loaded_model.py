"""One loaded model with everything made once for it: vocabulary, edit format, codec, automata, chat template.

Reads the model's directory and keeps automata as files in the user's cache folder.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from copydesk.decode.choice_settings import BY_MODEL, STANDARD_SETTINGS, ChoiceSettings
from copydesk.decode.emitter import Emitter
from copydesk.decode.program_decoder import PageTask, ProgramDecoder
from copydesk.decode.text_automata import BodyTables, FenceMachines
from copydesk.errors import FileRefusedError, GrammarError, ModelError, TokenizerError
from copydesk.files.atomic import replacing
from copydesk.files.regular_file import read_regular
from copydesk.grammar.bodies import Bodies, bodies_key
from copydesk.models.installed import (
    BUILT_IN,
    built_in_directory,
    catalogue_name,
    default_model,
    installed_directory,
)
from copydesk.models.model import Model
from copydesk.oracle.token_cost import CodecCost
from copydesk.prompting.chat_template import Chat
from copydesk.prompting.codec import Codec
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary, Vocabulary
from copydesk.pushdown.interfaces import LanguageMasks, TextEffects
from copydesk.pushdown.languages import masks_for
from copydesk.served.session import Session
from copydesk.served.whole_program import WholeProgramDecoder

log = logging.getLogger(__name__)

MAX_AUTOMATON_BYTES = 1 << 30
EMBEDDED = built_in_directory()
"""Where the embedded model lies inside the package."""


@dataclass(slots=True)
class LoadedModel:
    """codec, its prices (`cost`) and tables are None for a `rewrite` model, chat and fences are set only for one. served: the
    server, for a model that another program serves. choice: how an instruction's candidates are weighed.
    """

    model: Model
    format: EditFormat
    vocabulary: Vocabulary
    codec: Codec | None = None
    cost: CodecCost | None = None
    tables: BodyTables | None = None
    chat: Chat | None = None
    fences: FenceMachines | None = None
    served: Session | None = None
    choice: ChoiceSettings = STANDARD_SETTINGS
    _masks: dict[TextEffects[Any], LanguageMasks] = field(default_factory=dict, repr=False)

    def program_decoder(self, task: PageTask, emitter: Emitter) -> ProgramDecoder:
        """What decodes a program on a page that is not chosen from a list."""
        if self.served is not None and self.served.way == "whole":
            return WholeProgramDecoder(task, emitter)
        return ProgramDecoder(task, emitter)

    def masks(self, effects: TextEffects[Any]) -> LanguageMasks:
        """The vocabulary's tables for an automaton, made when it is first asked for (about a second for 50,000 tokens)."""
        found = self._masks.get(effects)
        if found is None:
            found = self._masks[effects] = masks_for(effects, self.vocabulary.token_bytes)
        return found

    @classmethod
    def of(
        cls, model: Model, format: EditFormat, vocabulary: Vocabulary, *, cache_folder: Path | None = None
    ) -> LoadedModel:
        """For a model that was trained to write programs. Raises TokenizerError, GrammarError."""
        if vocabulary.size > model.vocab_size:
            raise TokenizerError(
                f"the tokenizer has {vocabulary.size} tokens, the model only {model.vocab_size}"
            )
        codec = Codec(format, vocabulary)
        return cls(
            model, format, vocabulary, codec, CodecCost(codec), BodyTables(_bodies(codec, cache_folder))
        )

    @classmethod
    def rewriting(cls, model: Model, format: EditFormat, vocabulary: Vocabulary, chat: Chat) -> LoadedModel:
        """For a model that was not trained to write programs. Raises GrammarError."""
        fences = FenceMachines(vocabulary)
        fences.of(3)  # most fences' length: no request has to wait for it
        return cls(model, format, vocabulary, chat=chat, fences=fences)

    @classmethod
    def load(
        cls,
        source: str | Path | None,
        *,
        device: str = "auto",
        dtype: str = "auto",
        cache_folder: Path | None = None,
    ) -> LoadedModel:
        """The model at `source` (a name, directory or hub id; None: the standard one where it is current, else the embedded one).

        Raises ModelError, TokenizerError, FormatError, GrammarError.
        """
        if source is None:
            source = default_model()
            if source == BUILT_IN and installed_directory(source) is None:
                raise ModelError("this build of copydesk has no embedded model: name one with --model")
        from copydesk.models.load import load

        loaded = load(source, device=device, dtype=dtype)
        format = EditFormat.load(loaded.directory)
        vocabulary = HFVocabulary.from_directory(loaded.directory, loaded.model.vocab_size)
        if format.kind != "rewrite":
            made = cls.of(loaded.model, format, vocabulary, cache_folder=cache_folder)
            made.choice = settings_of(loaded.directory)
            return made
        chat = Chat(_chat_tokenizer(loaded.directory), vocabulary)
        return cls.rewriting(loaded.model, format, vocabulary, chat)


def settings_of(directory: Path) -> ChoiceSettings:
    """Those with which the model in a directory chooses. Raises: never."""
    return BY_MODEL.get(catalogue_name(directory) or "", STANDARD_SETTINGS)


def _chat_tokenizer(directory: Path) -> Any:
    """transformers' tokenizer, for its chat template. Raises TokenizerError."""
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(directory, local_files_only=True, trust_remote_code=False)
    except Exception as error:
        raise TokenizerError(f"the tokenizer of {directory} cannot be loaded: {error}") from error


def _bodies(codec: Codec, folder: Path | None) -> Bodies:
    """The body automaton, from the cache folder if it is there and whole, else built and kept for next time."""
    if folder is None:
        return Bodies.build(codec)
    path = folder / "automata" / f"{bodies_key(codec)}.bin"
    try:
        return Bodies.from_bytes(codec, read_regular(path, MAX_AUTOMATON_BYTES))
    except FileNotFoundError:
        pass
    except (OSError, FileRefusedError, GrammarError) as error:
        log.info("building the automaton again: %s", error)
    bodies = Bodies.build(codec)
    try:
        with replacing(path, shared=True) as partial:
            partial.write_bytes(bodies.to_bytes())
    except OSError as error:  # a full disk or a read-only home costs a second per start, nothing more
        log.info("the automaton could not be kept: %s", error)
    return bodies
