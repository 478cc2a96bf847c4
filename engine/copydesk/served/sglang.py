"""SGLang with `--grammar-backend llguidance`: token ids both ways, grammars, log probabilities of given tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from copydesk.errors import ServerError
from copydesk.grammar.llguidance_source import llguidance_source
from copydesk.served.chat_completions import chat_answer, chat_body, served_name
from copydesk.served.dialect import (
    Abilities,
    Answer,
    ChatPrompt,
    Description,
    Generated,
    Generation,
    Judged,
    PromptTokens,
    Scored,
)
from copydesk.served.http_client import Call, HttpClient

LANES = 8


class SGLang:
    """`Dialect`."""

    abilities = Abilities(tokens=True, grammars=True, scores=True, opens=True)

    def __init__(self, client: HttpClient, model: str | None) -> None:
        self._client = client
        self._model = model

    def describe(self) -> Description:
        self._model, listed = served_name(self._client, self._model)
        version = self._answer(self._client.get("/get_server_info"))["version"].of(str)
        return Description(self._model, f"SGLang {version}", listed["max_model_len"].of(int), lanes=LANES)

    def generate(self, asked: Generation, call: Call) -> Generated:
        assert self._model is not None
        grammar = {} if asked.grammar is None else {"ebnf": llguidance_source(asked.grammar)}
        if isinstance(asked.prompt, ChatPrompt):
            return chat_answer(self._client, {**chat_body(self._model, asked, opens=True), **grammar}, call)
        parameters = {
            "max_new_tokens": asked.most,
            "temperature": asked.temperature,
            "top_p": asked.top_p,
            "skip_special_tokens": False,
            **grammar,
        }
        body = {"input_ids": list(asked.prompt), "sampling_params": parameters}
        answer = self._answer(self._client.post("/generate", body, call, tokens=asked.most))
        said = answer["meta_info"]
        return Generated(
            answer["output_ids"].tokens(),
            "",
            said["completion_tokens"].of(int),
            _prompt_tokens(said, len(asked.prompt)),
        )

    def score(self, prompt: Sequence[int], tokens: Sequence[int], call: Call) -> Scored:
        body = {
            "input_ids": list(prompt),
            "sampling_params": {"max_new_tokens": 1, "temperature": 0.0},
            "return_logprob": True,
            "logprob_start_len": -1,
            "token_ids_logprob": list(tokens),
        }
        said = self._answer(self._client.post("/generate", body, call))["meta_info"]
        told = said["output_token_ids_logprobs"][0]
        found = {told[k][1].of(int): told[k][0].of(float) for k in range(len(told))}
        if missing := set(tokens) - found.keys():
            raise ServerError(f"{told.where} does not tell the probability of {len(missing)} tokens")
        return Scored([found[token] for token in tokens], _prompt_tokens(said, len(prompt)))

    def judge(self, prompt: Sequence[int], token: int, call: Call) -> Judged:
        scored = self.score(prompt, [token], call)
        return Judged(scored.log_ps[0], True, scored.prompt)

    def tokenize(self, text: str) -> list[int] | None:
        body = {"model": self._model, "prompt": text, "add_special_tokens": False}
        return self._answer(self._client.post("/tokenize", body))["tokens"].tokens()

    def _answer(self, value: Any) -> Answer:
        return Answer(value, self._client.address.authority)


def _prompt_tokens(said: Answer, size: int) -> PromptTokens:
    """Of a prompt of `size` tokens."""
    reused = said.get("cached_tokens", 0)
    return PromptTokens(reused, max(0, size - reused))
