"""How a decoder's tokens travel to a server and back: as ids, or as a conversation in bytes where its vocabulary is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from copydesk.errors import OutsideGrammarError
from copydesk.prompting.vocabulary import ByteVocabulary, TokenTable
from copydesk.served.dialect import ChatPrompt, Generated, Prompt

ROLES = ("system", "user", "assistant")
_BYTES = 256


class Wire(Protocol):
    """`prompt` of all tokens so far; the tokens of an answer; whether what is left behind a closed text is nothing."""

    def prompt(self, tokens: Sequence[int]) -> Prompt: ...

    def read(self, answer: Generated) -> list[int]: ...

    def is_blank(self, tokens: Sequence[int]) -> bool: ...


class TokenWire:
    """Ids as they are."""

    def __init__(self, vocabulary: TokenTable) -> None:
        self._table = vocabulary.token_bytes

    def prompt(self, tokens: Sequence[int]) -> Prompt:
        return list(tokens)

    def read(self, answer: Generated) -> list[int]:
        if answer.tokens is None or any(token >= len(self._table) for token in answer.tokens):
            raise OutsideGrammarError("the server writes tokens that the model's vocabulary has not")
        return answer.tokens

    def is_blank(self, tokens: Sequence[int]) -> bool:
        """Some servers tell the token that ends an answer, too."""
        return all(not self._table[token] for token in tokens)


class ByteWire:
    """Bytes, and a special token in front of each role's text: see `role_vocabulary`.

    opens: the server lets an answer begin with given text. Elsewhere the answer has to begin with it by itself.
    """

    def __init__(self, *, opens: bool) -> None:
        self._opens = opens
        self._opening = ""

    def prompt(self, tokens: Sequence[int]) -> Prompt:
        parts: list[tuple[str, bytearray]] = []
        for token in tokens:
            if token >= _BYTES:
                parts.append((ROLES[token - _BYTES], bytearray()))
            else:
                parts[-1][1].append(token)
        *messages, (_, opening) = [(role, part.decode("utf-8", "replace")) for role, part in parts]
        self._opening = opening
        return ChatPrompt(tuple(messages), opening)

    def read(self, answer: Generated) -> list[int]:
        text = answer.text
        if not self._opens:
            text = text.strip() + "\n" if text.strip() else ""
            fence = self._opening[: len(self._opening) - len(self._opening.lstrip("`"))]
            first, newline, rest = text.partition("\n")
            if not newline or not first.startswith(fence) or "`" in first[len(fence) :]:
                raise OutsideGrammarError("the served model does not answer with one fenced code block")
            text = rest
        return list(text.encode("utf-8", "replace"))

    def is_blank(self, tokens: Sequence[int]) -> bool:
        return not bytes(tokens).strip()


def role_vocabulary() -> ByteVocabulary:
    """Bytes, and a special token for each role."""
    return ByteVocabulary([f"<|{role}|>" for role in ROLES])


class RoleTemplate:
    """A chat template that only marks whose text is whose: the server's own is applied by the server. Has what `Chat` asks of a
    tokenizer.
    """

    chat_template = "roles"

    def apply_chat_template(self, messages: Sequence[Mapping[str, str]], **_: Any) -> str:
        """The conversation with the assistant's turn begun."""
        told = "".join(f"<|{message['role']}|>{message['content']}" for message in messages)
        return f"{told}<|assistant|>"
