"""The servers of llama.cpp, vLLM and SGLang as far as copydesk asks them, over one of our own models.

They are strict: fields and answers are those of the published schemas (vLLM 0.12's OpenAPI, SGLang's native API, llama.cpp's
server README), and a field that a server does not know is an error, though some would ignore it. Grammars are kept to by
llguidance itself, or by a small matcher of GBNF.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import llguidance
import numpy as np

from copydesk.grammar.lark import _Hashed, _tokenizer, unpack
from copydesk.models.feed import Feed
from copydesk.models.model import Model
from copydesk.prompting.vocabulary import TokenTable
from gbnf_matcher import GbnfMatcher

Reply = tuple[int, Any]
NUMBER = (int, float)


class Backend:
    """A model of our own, asked for one next token after the other. eos: what ends an answer."""

    def __init__(self, model: Model, vocabulary: TokenTable) -> None:
        self.model, self.vocabulary = model, vocabulary
        self.eos = 0
        self._lock = threading.Lock()

    def log_p(self, ids: Sequence[int]) -> Any:
        """Log probabilities of the next token: [vocabulary]."""
        with self._lock:
            row = self.model.new_row(len(ids))
            feed = Feed(row, 1, list(ids), range(len(ids)), None, [len(ids) - 1])
            logits = self.model.forward([feed])[0][0].double().numpy()
            row.store.release()
        return logits - np.logaddexp.reduce(logits)

    def greedy(
        self, ids: Sequence[int], most: int, allowed: Callable[[], Any], took: Callable[[int], bool]
    ) -> list[int]:
        """allowed: ids that may come, in any order, or None for all; took: hears of a token, and says whether more may follow."""
        out: list[int] = []
        while len(out) < most:
            log_p, ids_allowed = self.log_p([*ids, *out]), allowed()
            token = (
                int(log_p.argmax()) if ids_allowed is None else int(ids_allowed[log_p[ids_allowed].argmax()])
            )
            out.append(token)
            if not took(token):
                break
        return out

    def by_lark(self, ids: Sequence[int], most: int, source: str, denied: set[int]) -> list[int]:
        compiled = llguidance.LLMatcher.grammar_from_lark(source)
        matcher = llguidance.LLMatcher(_tokenizer(_Hashed(self.vocabulary)), compiled, log_level=0)
        assert not matcher.is_error(), matcher.get_error()

        def allowed() -> Any:
            row = np.zeros((self.vocabulary.size + 32) // 32, np.int32)
            matcher.unsafe_compute_mask_ptr(row.ctypes.data, row.nbytes)
            found = unpack(row.view(np.uint32))
            return np.array(
                [token for token in found if token < self.vocabulary.size and token not in denied]
            )

        def took(token: int) -> bool:
            assert matcher.try_consume_tokens([token]) == 1
            return not (matcher.is_accepting() and not len(allowed()))

        return self.greedy(ids, most, allowed, took)

    def by_gbnf(self, ids: Sequence[int], most: int, source: str, denied: set[int]) -> list[int]:
        matcher = GbnfMatcher(source)
        stacks = matcher.start()
        names = {index: name for name, index in self.vocabulary.specials.items()}
        out: list[int] = []
        while len(out) < most and stacks != {None}:
            for token in np.argsort(-self.log_p([*ids, *out])).tolist():
                text = names.get(token) or self.vocabulary.token_bytes[token].decode("utf-8", "replace")
                if token not in denied and (behind := matcher.behind(stacks, token, text)):
                    stacks = behind
                    out.append(token)
                    break
            else:
                break
        return out


class FakeServer:
    """`replies` by method and path; `asked` is what came. `override` may answer instead: given path and body."""

    def __init__(self, kind: str, replies: dict[str, Callable[[dict[str, Any]], Reply]]) -> None:
        self.kind = kind
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        self.key: str | None = None
        self.override: Callable[[str, dict[str, Any]], Reply | None] = lambda path, body: None
        self.raw: Callable[[Any], bool] = lambda handler: False
        """Answers by itself, on the handler, where it returns True."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None: ...

            def do_GET(self) -> None:
                self._answer({})

            def do_POST(self) -> None:
                self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _answer(self, body: dict[str, Any]) -> None:
                outer.asked.append((self.path, body))
                outer.headers.append(dict(self.headers))
                if outer.raw(self):
                    return
                name = f"{self.command} {self.path}"
                if outer.key is not None and self.headers.get("Authorization") != f"Bearer {outer.key}":
                    status, value = 401, {"error": {"message": "Invalid API Key"}}
                elif (said := outer.override(self.path, body)) is not None:
                    status, value = said
                elif name not in replies:
                    status, value = 404, {"detail": "Not Found"}
                else:
                    try:
                        status, value = replies[name](body)
                    except SchemaError as error:
                        status, value = 400, {"error": {"message": str(error)}}
                raw = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"{self.kind}:http://127.0.0.1:{self._http.server_address[1]}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SchemaError(Exception):
    pass


def check(body: dict[str, Any], needed: dict[str, Any], optional: dict[str, Any]) -> None:
    """Every field is known and of its type, and what is needed is there."""
    known = needed | optional
    for name, value in body.items():
        if name not in known:
            raise SchemaError(f"extra field {name}")
        kind = known[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise SchemaError(f"{name} is a {type(value).__name__}")
    if missing := needed.keys() - body.keys():
        raise SchemaError(f"no field {sorted(missing)[0]}")


def _ids(value: Any) -> list[int]:
    if not isinstance(value, list) or any(type(token) is not int or token < 0 for token in value):
        raise SchemaError("no list of token ids")
    return value


def _chat(body: dict[str, Any], text: str) -> dict[str, Any]:
    """The answer of a chat completion that says `text`."""
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": body["model"],
        "choices": [{
            "index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop", "logprobs": None,
        }],
        "usage": {"prompt_tokens": 50, "completion_tokens": 20, "total_tokens": 70},
    }  # fmt: skip


CHAT = {"model": str, "messages": list, "max_tokens": int, "temperature": NUMBER, "top_p": NUMBER}
OPENED = {"add_generation_prompt": bool, "continue_final_message": bool}


def vllm(backend: Backend, model: str, says: Callable[[dict[str, Any]], str] = lambda body: "") -> FakeServer:
    """says: what a conversation is answered with."""

    def completions(body: dict[str, Any]) -> Reply:
        optional = {
            "max_tokens": int, "temperature": NUMBER, "top_p": NUMBER, "seed": int, "add_special_tokens": bool,
            "skip_special_tokens": bool, "return_token_ids": bool, "logit_bias": dict, "structured_outputs": dict,
            "prompt_logprobs": int,
        }  # fmt: skip
        check(body, {"model": str, "prompt": list}, optional)
        if body["model"] != model:
            return 404, {"error": {"message": f"The model `{body['model']}` does not exist.", "code": 404}}
        if "prompt_logprobs" in body:
            choices = []
            for index, prompt in enumerate(body["prompt"]):
                *before, last = _ids(prompt)
                told: list[Any] = [
                    None,
                    *({str(t): {"logprob": -1.0, "rank": 1, "decoded_token": ""}} for t in before[1:]),
                ]
                told.append(
                    {
                        str(last): {
                            "logprob": float(backend.log_p(before)[last]),
                            "rank": 1,
                            "decoded_token": "",
                        }
                    }
                )
                choices.append(
                    {"index": index, "text": "", "finish_reason": "length", "prompt_logprobs": told}
                )
            count = sum(len(_ids(each)) for each in body["prompt"])
            # What the prefix cache had has no probabilities, so it is not used.
            used = {"prompt_tokens": count, "completion_tokens": len(choices), "prompt_tokens_details": None}
            return 200, {"id": "cmpl-1", "object": "text_completion", "choices": choices[::-1], "usage": used}
        prompt = _ids(body["prompt"])
        if any(not -100 <= bias <= 100 for bias in body.get("logit_bias", {}).values()):
            raise SchemaError("logit_bias")
        denied = {int(token) for token in body.get("logit_bias", {})}
        told = body.get("structured_outputs", {})
        check(told, {"grammar": str}, {})
        out = backend.by_lark(prompt, body["max_tokens"], told["grammar"], denied)
        ended = out if len(out) >= body["max_tokens"] else [*out, backend.eos]
        choice = {
            "index": 0,
            "text": "",
            "token_ids": ended,
            "finish_reason": "stop",
            "prompt_token_ids": prompt,
        }
        usage = {
            "prompt_tokens": len(prompt), "completion_tokens": len(ended), "total_tokens": 0,
            "prompt_tokens_details": {"cached_tokens": len(prompt) // 2},
        }  # fmt: skip
        return 200, {"id": "cmpl-1", "object": "text_completion", "choices": [choice], "usage": usage}

    def tokenize(body: dict[str, Any]) -> Reply:
        check(body, {"model": str, "prompt": str}, {"add_special_tokens": bool})
        tokens = backend.vocabulary.encode(body["prompt"])  # type: ignore[attr-defined]
        return 200, {"count": len(tokens), "max_model_len": 2048, "tokens": tokens, "token_strs": None}

    def chat(body: dict[str, Any]) -> Reply:
        check(body, CHAT, {**OPENED, "structured_outputs": dict})
        assert body["messages"][-1]["role"] == "assistant"
        assert not body["add_generation_prompt"]
        return 200, _chat(body, says(body))

    return FakeServer("vllm", {
        "GET /version": lambda body: (200, {"version": "0.12.0"}),
        "GET /v1/models": lambda body: (
            200, {"object": "list", "data": [{"id": model, "object": "model", "max_model_len": 2048, "root": model}]},
        ),
        "POST /v1/completions": completions,
        "POST /v1/chat/completions": chat,
        "POST /tokenize": tokenize,
    })  # fmt: skip


def sglang(
    backend: Backend, model: str, says: Callable[[dict[str, Any]], str] = lambda body: ""
) -> FakeServer:
    def generate(body: dict[str, Any]) -> Reply:
        optional = {"return_logprob": bool, "logprob_start_len": int, "token_ids_logprob": list}
        check(body, {"input_ids": list, "sampling_params": dict}, optional)
        parameters = body["sampling_params"]
        optional = {"temperature": NUMBER, "top_p": NUMBER, "skip_special_tokens": bool, "ebnf": str}
        check(parameters, {"max_new_tokens": int}, optional)
        prompt = _ids(body["input_ids"])
        meta: dict[str, Any] = {
            "prompt_tokens": len(prompt),
            "cached_tokens": len(prompt) // 2,
            "finish_reason": {"type": "stop"},
        }
        if body.get("return_logprob"):
            log_p = backend.log_p(prompt)
            out = [int(log_p.argmax())]
            told = [[float(log_p[token]), token, None] for token in _ids(body["token_ids_logprob"])]
            meta["output_token_ids_logprobs"] = [told]
        else:
            out = backend.by_lark(prompt, parameters["max_new_tokens"], parameters["ebnf"], set())
        meta["completion_tokens"] = len(out)
        return 200, {"text": "", "output_ids": out, "meta_info": meta}

    def tokenize(body: dict[str, Any]) -> Reply:
        check(body, {"model": str, "prompt": str}, {"add_special_tokens": bool})
        tokens = backend.vocabulary.encode(body["prompt"])  # type: ignore[attr-defined]
        return 200, {"tokens": tokens, "count": len(tokens), "max_model_len": 2048}

    def chat(body: dict[str, Any]) -> Reply:
        check(body, CHAT, {**OPENED, "ebnf": str})
        return 200, _chat(body, says(body))

    return FakeServer("sglang", {
        "GET /get_server_info": lambda body: (200, {"version": "0.5.5", "model_path": model}),
        "GET /v1/models": lambda body: (
            200, {"object": "list", "data": [{"id": model, "object": "model", "root": model, "max_model_len": 2048}]},
        ),
        "POST /generate": generate,
        "POST /v1/chat/completions": chat,
        "POST /tokenize": tokenize,
    })  # fmt: skip


def llama_cpp(
    backend: Backend, model: str, says: Callable[[dict[str, Any]], str] = lambda body: ""
) -> FakeServer:
    """says: what a conversation is answered with; its prompt is the bytes of its text here."""
    size = backend.vocabulary.size
    chats: list[str] = []

    def completion(body: dict[str, Any]) -> Reply:
        optional = {
            "n_predict": int, "temperature": NUMBER, "top_p": NUMBER, "top_k": int, "seed": int, "logit_bias": list,
            "grammar": str, "samplers": list, "cache_prompt": bool, "return_tokens": bool, "n_probs": int,
        }  # fmt: skip
        check(body, {"prompt": list}, optional)
        prompt = _ids(body["prompt"])
        content = ""
        probabilities: list[Any] = []
        if chats:
            out, content = [1, 2, 3], says(body)
        elif body.get("n_probs"):
            log_p = backend.log_p(prompt)
            order = np.argsort(-log_p)[: body["n_probs"]].tolist()
            top = [{"id": token, "token": "", "bytes": [], "logprob": float(log_p[token])} for token in order]
            out = order[:1]
            probabilities = [{**top[0], "top_logprobs": top}]
        else:
            out = backend.by_gbnf(
                prompt,
                body["n_predict"],
                body["grammar"],
                {token for token, bias in body["logit_bias"] if bias is False},
            )
        value = {
            "index": 0, "content": content, "tokens": out, "stop": True, "model": model, "tokens_predicted": len(out),
            "tokens_evaluated": len(prompt), "tokens_cached": len(prompt), "truncated": False, "stop_type": "eos",
            "timings": {"cache_n": len(prompt) - 1, "prompt_n": 1, "predicted_n": len(out)},
        }  # fmt: skip
        return 200, value | ({"completion_probabilities": probabilities} if probabilities else {})

    def tokenize(body: dict[str, Any]) -> Reply:
        check(body, {"content": str}, {"add_special": bool, "parse_special": bool})
        tokens = backend.vocabulary.encode(body["content"])  # type: ignore[attr-defined]
        if body.get("parse_special") and "<|im_end|>" in body["content"]:
            tokens = [7, *tokens]
        return 200, {"tokens": tokens}

    def apply_template(body: dict[str, Any]) -> Reply:
        check(body, {"messages": list}, {})
        chats.append("")
        said = "".join(f"<{m['role']}>\n{m['content']}\n" for m in body["messages"])
        return 200, {"prompt": f"{said}<assistant>\n"}

    props = {
        "default_generation_settings": {"n_ctx": 2048}, "total_slots": 2, "model_alias": model, "build_info": "b1-test",
        "chat_template": "", "model_path": f"/models/{model}",
    }  # fmt: skip
    return FakeServer("llamacpp", {
        "GET /props": lambda body: (200, props),
        "GET /v1/models": lambda body: (200, {"object": "list", "data": [{"id": model, "meta": {"n_vocab": size}}]}),
        "POST /completion": completion,
        "POST /tokenize": tokenize,
        "POST /apply-template": apply_template,
    })  # fmt: skip


def openai(model: str, says: Callable[[dict[str, Any]], str]) -> FakeServer:
    def chat(body: dict[str, Any]) -> Reply:
        check(body, CHAT, {})
        return 200, _chat(body, says(body))

    return FakeServer("openai", {
        "GET /v1/models": lambda body: (200, {"object": "list", "data": [{"id": model, "object": "model"}]}),
        "POST /v1/chat/completions": chat,
    })  # fmt: skip
