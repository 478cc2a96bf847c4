"""From an address to a session: the dialect, what the server says of itself, and whether it does what it should.

A server is tried before it is used: whether its tokenizer splits text as the model directory's does, and whether it keeps to a
grammar. One that does not is refused, with what is wrong with it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence

from copydesk.decode.sampling import Sampler
from copydesk.errors import ServerError
from copydesk.grammar.token_grammar import one_of
from copydesk.prompting.codec import Codec
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.served.address import ServerAddress
from copydesk.served.dialect import Dialect
from copydesk.served.http_client import Call, HttpClient
from copydesk.served.keys import find_key
from copydesk.served.llama_cpp import LlamaCpp
from copydesk.served.openai import OpenAI
from copydesk.served.prompts import ByteWire, TokenWire
from copydesk.served.session import Session
from copydesk.served.sglang import SGLang
from copydesk.served.vllm import VLLM

SECONDS = 60.0
"""How long an answer may take; a person's own deadline ends a request before."""
DECISIONS = 6
"""Requests of a usual program, decided one by one."""
PATIENCE = 0.4
"""Seconds that these may take together; where a round trip is longer, a program is fetched as a whole."""
_TIMED = 3
_SAMPLES = (
    "def total(values):\n",
    "    return sum(x ** 2 for x in values if x != 10.25)\n",
    "\t# naïve: 'é' \u2028 日本 \U0001f600\n",
)


def open_dialect(address: ServerAddress, model: str | None, specials: Mapping[int, str]) -> Dialect:
    """model: the server's name for it, None: the only one it has. specials: as for `LlamaCpp`. Raises ServerError."""
    client = HttpClient(address, find_key(address), SECONDS)
    if address.kind == "llamacpp":
        return LlamaCpp(client, model, specials)
    if address.kind == "vllm":
        return VLLM(client, model)
    return SGLang(client, model) if address.kind == "sglang" else OpenAI(client, model)


def rewriting_session(dialect: Dialect) -> Session:
    """A session for a model that is asked for new text. Raises ServerError."""
    return Session(dialect, dialect.describe(), ByteWire(opens=dialect.abilities.opens))


def program_session(dialect: Dialect, codec: Codec, vocabulary: HFVocabulary) -> Session:
    """A session for a model that writes programs. Raises ServerError where the server cannot do that, or serves another model."""
    abilities = dialect.abilities
    if not abilities.tokens or not abilities.grammars:
        raise ServerError(
            "this kind of server takes no token ids or no grammars, which a model of programs needs"
        )
    description = dialect.describe()
    session = Session(dialect, description, TokenWire(vocabulary), codec)
    if description.vocabulary is not None and description.vocabulary < vocabulary.size:
        raise ServerError(
            f"the server's model has {description.vocabulary} tokens, {vocabulary.size} are expected: it is another model"
        )
    _check_tokenizer(dialect, vocabulary)
    _check_grammar(session)
    session.round_trip = _round_trip(session)
    if session.round_trip * DECISIONS > PATIENCE:
        session.way = "whole"
    return session


def _check_tokenizer(dialect: Dialect, vocabulary: HFVocabulary) -> None:
    for text in _SAMPLES:
        found = dialect.tokenize(text)
        if found is not None and found != vocabulary.encode(text):
            raise ServerError("the server's tokenizer splits text in another way: it serves another model")


def _check_grammar(session: Session) -> None:
    """A choice that no model would make by itself, among special tokens: what is written has to be one of them, whole."""
    codec = session.codec
    assert codec is not None
    prompt = _prompt(codec)
    words: list[Sequence[int]] = [
        codec.copy_end(n) + codec.literals.sub_to + codec.copy_end(n) for n in (3, 5)
    ]
    grammar = one_of([tuple(word) for word in words])
    told = session.wire.read(session.generate(prompt, grammar, len(words[0]), Sampler(), Call()))
    if not any(told[: len(word)] == list(word) for word in words):
        raise ServerError(
            "the server does not keep to the grammar of a request; vLLM and SGLang need the guidance backend "
            "(--structured-outputs-config.backend guidance, --grammar-backend llguidance)"
        )


def _round_trip(session: Session) -> float:
    """Seconds of a request for one token behind a prompt that is warm."""
    assert session.codec is not None
    prompt, end = _prompt(session.codec), session.codec.literals.end[:1]
    took = []
    for _ in range(_TIMED):
        began = time.perf_counter()
        session.generate(prompt, one_of([end]), 1, Sampler(), Call())
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def _prompt(codec: Codec) -> list[int]:
    literals = codec.literals
    lines = [token for k, text in enumerate(_SAMPLES, 1) for token in codec.numbered(k, text)]
    return [
        *literals.document_open,
        *lines,
        *literals.document_close,
        *literals.request_open,
        *literals.program_open,
    ]
