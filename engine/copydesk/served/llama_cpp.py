"""llama.cpp's `llama-server`: token ids both ways, grammars in GBNF, log probabilities of the likeliest tokens or of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from copydesk.errors import ServerError
from copydesk.grammar.gbnf import gbnf
from copydesk.served.dialect import (
    Abilities,
    Answer,
    ChatPrompt,
    Description,
    Generated,
    Generation,
    Judged,
    Prompt,
    PromptTokens,
    Scored,
)
from copydesk.served.http_client import Call, HttpClient

LIKELIEST = 256
"""Log probabilities asked for first; all of the vocabulary's where a wanted token is not among them."""
JUDGED = 4096
"""The same where a judgement is asked for, of which there are dozens: what is not among so many has no say in a choice."""
_BYTES_A_TOKEN = 256
"""Of JSON for a token's log probability, at most; some 130 are usual."""
_PARAMETERS = {"cache_prompt": True, "return_tokens": True, "samplers": ["top_p", "temperature"]}


class LlamaCpp:
    """`Dialect`. specials: every special token's text by its id, for models that write programs."""

    abilities = Abilities(tokens=True, grammars=True, scores=True, opens=True)

    def __init__(self, client: HttpClient, model: str | None, specials: Mapping[int, str]) -> None:
        self._client = client
        self._model = model
        self._specials = specials
        self._vocabulary = 0
        self._prompts: dict[ChatPrompt, list[int]] = {}

    def describe(self) -> Description:
        """Raises ServerError where the server has another model than the one named."""
        props = self._answer(self._client.get("/props"))
        listed = self._answer(self._client.get("/v1/models"))["data"][0]
        name = props["model_alias"].of(str)
        if self._model is not None and self._model not in (name, name.removesuffix(".gguf")):
            raise ServerError(f"{self._client.address.authority} serves {name[:80]}, not {self._model}")
        self._vocabulary = listed["meta"]["n_vocab"].of(int)
        return Description(
            name,
            f"llama.cpp {props['build_info'].of(str)}",
            props["default_generation_settings"]["n_ctx"].of(int),
            self._vocabulary,
            max(1, props["total_slots"].of(int)),
        )

    def generate(self, asked: Generation, call: Call) -> Generated:
        prompt = self._tokens(asked.prompt, call)
        body: dict[str, Any] = {
            **_PARAMETERS,
            "prompt": prompt,
            "n_predict": asked.most,
            "temperature": asked.temperature,
            "top_p": asked.top_p,
            "seed": asked.seed,
            "logit_bias": [[token, False] for token in asked.denied],
        }
        if asked.grammar is not None:
            body["grammar"] = gbnf(asked.grammar, self._specials)
        if asked.temperature == 0.0:
            body["samplers"] = ["top_k"]
            body["top_k"] = 1
        answer = self._answer(self._client.post("/completion", body, call, tokens=asked.most))
        return Generated(
            answer["tokens"].tokens(),
            answer["content"].of(str),
            answer["tokens_predicted"].of(int),
            _prompt_tokens(answer, len(prompt)),
        )

    def score(self, prompt: Sequence[int], tokens: Sequence[int], call: Call) -> Scored:
        reused = computed = 0
        for most in (LIKELIEST, self._vocabulary):
            found, used = self._likeliest(prompt, max(most, len(tokens)), call)
            reused, computed = reused + used.reused, computed + used.computed
            if all(token in found for token in tokens):
                return Scored([found[token] for token in tokens], PromptTokens(reused, computed))
        raise ServerError(f"{self._client.address.authority} does not tell the probability of every token")

    def judge(self, prompt: Sequence[int], token: int, call: Call) -> Judged:
        found, used = self._likeliest(prompt, min(JUDGED, self._vocabulary), call)
        if not found:
            raise ServerError(f"{self._client.address.authority} tells no probabilities")
        return Judged(found.get(token, min(found.values())), token in found, used)

    def _likeliest(
        self, prompt: Sequence[int], most: int, call: Call
    ) -> tuple[dict[int, float], PromptTokens]:
        """Log probabilities of the likeliest next tokens by their ids."""
        body = {**_PARAMETERS, "prompt": list(prompt), "n_predict": 1, "n_probs": most, "temperature": 0.0}
        size = (most + 64) * _BYTES_A_TOKEN + len(prompt) * 16 + (1 << 16)
        answer = self._answer(self._client.post("/completion", body, call, size))
        told = answer["completion_probabilities"][0]["top_logprobs"]
        found = {told[k]["id"].of(int): told[k]["logprob"].of(float) for k in range(len(told))}
        return found, _prompt_tokens(answer, len(prompt))

    def tokenize(self, text: str) -> list[int]:
        return self._tokenized(text, special=False)

    def _tokenized(self, text: str, *, special: bool, call: Call | None = None) -> list[int]:
        body = {"content": text, "add_special": False, "parse_special": special}
        return self._answer(self._client.post("/tokenize", body, call))["tokens"].tokens()

    def _tokens(self, prompt: Prompt, call: Call) -> list[int]:
        if not isinstance(prompt, ChatPrompt):
            return list(prompt)
        found = self._prompts.get(prompt)
        if found is None:
            if len(self._prompts) > 64:
                self._prompts.clear()
            found = self._prompts[prompt] = self._chat_tokens(prompt, call)
        return found

    def _chat_tokens(self, prompt: ChatPrompt, call: Call) -> list[int]:
        """The model's own template with the conversation in it. What the texts say is data: the name of a special token in one of
        them is spelled out, and then the text is tokenised apart from the template.
        """
        messages = [{"role": role, "content": text} for role, text in prompt.messages]
        answer = self._client.post("/apply-template", {"messages": messages}, call)
        rendered = self._answer(answer)["prompt"].of(str)
        texts = [text for _, text in prompt.messages]
        plain = all(
            self._tokenized(text, special=True, call=call) == self._tokenized(text, special=False, call=call)
            for text in texts
        )
        if plain:
            return self._tokenized(rendered + prompt.opening, special=True, call=call)
        ids: list[int] = []
        at = 0
        for text in texts:
            start = rendered.find(text, at)
            if start < 0:
                raise ServerError(
                    "the chat template of the served model changes the text that is put into it"
                )
            ids += self._tokenized(rendered[at:start], special=True, call=call)
            ids += self._tokenized(text, special=False, call=call)
            at = start + len(text)
        ids += self._tokenized(rendered[at:], special=True, call=call)
        return ids + self._tokenized(prompt.opening, special=False, call=call)

    def _answer(self, value: Any) -> Answer:
        return Answer(value, self._client.address.authority)


def _prompt_tokens(answer: Answer, size: int) -> PromptTokens:
    """Of a prompt of `size` tokens; older servers tell only how many they computed."""
    timings = answer["timings"]
    computed = timings["prompt_n"].of(int)
    return PromptTokens(timings.get("cache_n", max(0, size - computed)), computed)
