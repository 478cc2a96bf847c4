"""Any server of OpenAI's chat completions: text alone, without grammars, token ids or log probabilities of ours."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.errors import ServerError
from copydesk.served.chat_completions import chat_answer, chat_body, served_name
from copydesk.served.dialect import Abilities, Description, Generated, Generation, Judged, Scored
from copydesk.served.http_client import Call, HttpClient

CONTEXT = 8192
"""Tokens, where the server does not say; what does not fit it refuses by itself."""


class OpenAI:
    """`Dialect`."""

    abilities = Abilities(tokens=False, grammars=False, scores=False, opens=False)

    def __init__(self, client: HttpClient, model: str | None) -> None:
        self._client = client
        self._model = model

    def describe(self) -> Description:
        name, listed = served_name(self._client, self._model)
        self._model = name
        return Description(name, "OpenAI's API", listed.get("max_model_len", CONTEXT), lanes=4)

    def generate(self, asked: Generation, call: Call) -> Generated:
        assert self._model is not None
        return chat_answer(self._client, chat_body(self._model, asked, opens=False), call)

    def score(self, prompt: Sequence[int], tokens: Sequence[int], call: Call) -> Scored:  # noqa: ARG002
        """Raises ServerError."""
        raise ServerError("the server tells no log probabilities")

    def judge(self, prompt: Sequence[int], token: int, call: Call) -> Judged:
        """Raises ServerError."""
        return Judged(self.score(prompt, [token], call).log_ps[0], True)

    def tokenize(self, text: str) -> list[int] | None:  # noqa: ARG002
        return None
