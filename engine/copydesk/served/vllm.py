"""vLLM 0.12 or newer: token ids both ways, llguidance grammars as structured outputs, log probabilities of prompts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from copydesk.errors import ServerError
from copydesk.grammar.llguidance_source import llguidance_source
from copydesk.served.chat_completions import chat_answer, chat_body, served_name, usage
from copydesk.served.dialect import (
    Abilities,
    Answer,
    ChatPrompt,
    Description,
    Generated,
    Generation,
    Judged,
    Scored,
)
from copydesk.served.http_client import MOST_BYTES, Call, HttpClient

OLDEST = (0, 12)
"""The first version with `structured_outputs` and `return_token_ids` as they are used here."""
LANES = 8
_NEVER = -100.0


class VLLM:
    """`Dialect`."""

    abilities = Abilities(tokens=True, grammars=True, scores=True, opens=True)

    def __init__(self, client: HttpClient, model: str | None) -> None:
        self._client = client
        self._model = model

    def describe(self) -> Description:
        version = self._answer(self._client.get("/version"))["version"].of(str)
        numbers = re.match(r"(\d+)\.(\d+)", version)
        if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST:
            raise ServerError(
                f"{self._client.address.authority} runs vLLM {version[:40]}; 0.12 or newer is needed"
            )
        self._model, listed = served_name(self._client, self._model)
        return Description(self._model, f"vLLM {version}", listed["max_model_len"].of(int), lanes=LANES)

    def generate(self, asked: Generation, call: Call) -> Generated:
        assert self._model is not None
        if isinstance(asked.prompt, ChatPrompt):
            body = chat_body(self._model, asked, opens=True)
            self._constrain(body, asked)
            return chat_answer(self._client, body, call)
        body = {
            "model": self._model,
            "prompt": list(asked.prompt),
            "max_tokens": asked.most,
            "temperature": asked.temperature,
            "top_p": asked.top_p,
            "seed": asked.seed,
            "add_special_tokens": False,
            "skip_special_tokens": False,
            "return_token_ids": True,
        }
        if asked.denied:
            body["logit_bias"] = {str(token): _NEVER for token in asked.denied}
        self._constrain(body, asked)
        answer = self._answer(self._client.post("/v1/completions", body, call, tokens=asked.most))
        used, count = usage(answer)
        return Generated(answer["choices"][0]["token_ids"].tokens(), "", count, used)

    def score(self, prompt: Sequence[int], tokens: Sequence[int], call: Call) -> Scored:
        """From prompts that end in each of the tokens: the server tells how likely it found every token of a prompt."""
        body: dict[str, Any] = {
            "model": self._model,
            "prompt": [[*prompt, token] for token in tokens],
            "max_tokens": 1,
            "temperature": 0.0,
            "add_special_tokens": False,
            "prompt_logprobs": 0,
        }
        most = MOST_BYTES + 256 * len(tokens) * (len(prompt) + 1)
        answer = self._answer(self._client.post("/v1/completions", body, call, most))
        choices = answer["choices"]
        found = [0.0] * len(tokens)
        for k in range(len(choices)):
            place = choices[k].get("index", k)
            told = choices[k]["prompt_logprobs"]
            if len(told) != len(prompt) + 1 or not 0 <= place < len(tokens):
                raise ServerError(f"{self._client.address.authority} counts another number of tokens")
            found[place] = told[len(prompt)][str(tokens[place])]["logprob"].of(float)
        if len(choices) != len(tokens):
            raise ServerError(f"{self._client.address.authority} does not answer every prompt")
        return Scored(found, usage(answer)[0])

    def judge(self, prompt: Sequence[int], token: int, call: Call) -> Judged:
        scored = self.score(prompt, [token], call)
        return Judged(scored.log_ps[0], True, scored.prompt)

    def tokenize(self, text: str) -> list[int] | None:
        body = {"model": self._model, "prompt": text, "add_special_tokens": False}
        return self._answer(self._client.post("/tokenize", body))["tokens"].tokens()

    def _constrain(self, body: dict[str, Any], asked: Generation) -> None:
        if asked.grammar is not None:
            body["structured_outputs"] = {"grammar": llguidance_source(asked.grammar)}

    def _answer(self, value: Any) -> Answer:
        return Answer(value, self._client.address.authority)
