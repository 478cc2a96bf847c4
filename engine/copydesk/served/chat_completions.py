"""What servers have in common that speak OpenAI's HTTP: their list of models, and answers in a conversation."""

from __future__ import annotations

from typing import Any

from copydesk.errors import ServerError
from copydesk.served.dialect import Answer, ChatPrompt, Generated, Generation, PromptTokens
from copydesk.served.http_client import Call, HttpClient


def served_name(client: HttpClient, model: str | None) -> tuple[str, Answer]:
    """The model's name on the server, and what its list says of it. model: None for the only one it has. Raises ServerError."""
    listed = Answer(client.get("/v1/models"), client.address.authority)["data"]
    names = [listed[k]["id"].of(str) for k in range(len(listed))]
    if model is None and len(names) != 1:
        raise ServerError(
            f"{client.address.authority} serves {len(names)} models: say which with --served-model"
        )
    name = names[0] if model is None else model
    if name not in names:
        raise ServerError(f"{client.address.authority} serves no model {name}; see its /v1/models")
    return name, listed[names.index(name)]


def chat_body(model: str, asked: Generation, *, opens: bool) -> dict[str, Any]:
    """The body of a request for an answer in a conversation. opens: it goes on with the opening as the assistant's own words."""
    prompt = asked.prompt
    assert isinstance(prompt, ChatPrompt)
    messages = [{"role": role, "content": text} for role, text in prompt.messages]
    body: dict[str, Any] = {
        "model": model,
        "messages": messages,
        "max_tokens": asked.most,
        "temperature": asked.temperature,
        "top_p": asked.top_p,
    }
    if opens:
        messages.append({"role": "assistant", "content": prompt.opening})
        body |= {"add_generation_prompt": False, "continue_final_message": True}
    return body


def chat_answer(client: HttpClient, body: dict[str, Any], call: Call) -> Generated:
    """The text of an answer. Raises ServerError."""
    answer = Answer(
        client.post("/v1/chat/completions", body, call, tokens=body["max_tokens"]), client.address.authority
    )
    text = answer["choices"][0]["message"]["content"].of(str)
    prompt, count = usage(answer)
    return Generated(None, text, count, prompt)


def usage(answer: Answer) -> tuple[PromptTokens, int]:
    """Tokens of the prompt, of all prompts together, and tokens generated; 0 where the server does not say."""
    nothing: dict[str, object] = {}
    told = Answer(answer.get("usage", nothing), answer.where, "usage")
    cached = Answer(told.get("prompt_tokens_details", nothing), answer.where, "usage").get("cached_tokens", 0)
    computed = max(0, told.get("prompt_tokens", 0) - cached)
    return PromptTokens(cached, computed), told.get("completion_tokens", 0)
