"""Prompts for chat models: their template, and tokens exactly as the template produces them.

Text from a document or a person is data: the name of a special token in it is spelled out and never becomes the token. The
template's own special tokens are kept, and everything between two of them is tokenised together, as in the model's training.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from copydesk.errors import TokenizerError
from copydesk.prompting.vocabulary import ByteVocabulary, HFVocabulary


class Chat:
    """`tokenizer` is transformers' fast tokenizer of the model, or something with a template of its own. Raises TokenizerError
    where it has no chat template.
    """

    def __init__(self, tokenizer: Any, vocabulary: HFVocabulary | ByteVocabulary) -> None:
        if not getattr(tokenizer, "chat_template", None):
            raise TokenizerError(
                "the model declares no edit format (copydesk.json) and its tokenizer has no chat template to ask it with"
            )
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        names = sorted(vocabulary.specials, key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, names))) if names else None

    def render(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The prompt, up to the start of the assistant's turn. Raises TokenizerError where the model's template fails."""
        try:
            text: str = self._tokenizer.apply_chat_template(
                list(messages), tokenize=False, add_generation_prompt=True
            )
        except Exception as error:  # a template is a program that came with the model
            raise TokenizerError(
                f"the model's chat template fails: {type(error).__name__}: {error}"
            ) from error
        return text

    def encode(self, prompt: str, data: Sequence[str] = ()) -> list[int]:
        """Tokens of a rendered prompt. `data` are the parts of it that came from outside, in order.

        Raises TokenizerError where the template changed one of them, which then cannot be told apart from the template.
        """
        guarded: list[tuple[int, int]] = []
        at = 0
        for part in data:
            found = prompt.find(part, at)
            if found < 0:
                raise TokenizerError("the chat template changes the text that is put into it")
            at = found + len(part)
            guarded.append((found, at))
        ids: list[int] = []
        done = 0
        for match in self._special.finditer(prompt) if self._special else ():
            start, end = match.span()
            if start < done or any(start < stop and end > first for first, stop in guarded):
                continue
            ids += self._vocabulary.encode(prompt[done:start])
            ids.append(self._vocabulary.specials[match.group(0)])
            done = end
        return ids + self._vocabulary.encode(prompt[done:])
