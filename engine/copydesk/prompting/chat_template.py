"""A chat model's own way of reading: its template, and tokens exactly as its template makes them.

Text that came from a document or a person is data: a special token's name in it is spelled out, never the token. Template text
around it keeps its special tokens, and everything between two of them is tokenised jointly, as the model was trained.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from copydesk.errors import TokenizerError
from copydesk.prompting.vocabulary import HFVocabulary


class Chat:
    """`tokenizer` is transformers' fast tokenizer of the model. Raises TokenizerError where it has no chat template."""

    def __init__(self, tokenizer: Any, vocabulary: HFVocabulary) -> None:
        if not getattr(tokenizer, "chat_template", None):
            raise TokenizerError(
                "the model declares no edit format (copydesk.json) and its tokenizer has no chat template to ask it with"
            )
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        names = sorted(vocabulary.specials, key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, names))) if names else None

    def render(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The prompt, up to where the assistant begins to speak. Raises TokenizerError where the model's template fails."""
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

        Raises TokenizerError where the template changed one of them, so that it could not be told from the template.
        """
        guarded: list[tuple[int, int]] = []
        at = 0
        for part in data:
            found = prompt.find(part, at)
            if found < 0:
                raise TokenizerError("the chat template rewrites the text it is given")
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
