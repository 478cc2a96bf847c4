"""What a server is asked for, in terms that all kinds of servers share; each kind's module puts it into that server's HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

from copydesk.errors import ServerError
from copydesk.grammar.token_grammar import TokenGrammar
from copydesk.served.http_client import Call

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A conversation, and how the answer begins. messages: (role, text), the roles those of chat templates."""

    messages: tuple[tuple[str, str], ...]
    opening: str


Prompt: TypeAlias = "Sequence[int] | ChatPrompt"
"""Token ids, for models that write programs; a conversation for those that rewrite text."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a server says of itself. model: its name there; context: tokens. vocabulary: tokens, None where it does not say.

    lanes: requests it works on at the same time, as far as it says.
    """

    model: str
    software: str
    context: int
    vocabulary: int | None = None
    lanes: int = 1


@dataclass(frozen=True, slots=True)
class Generation:
    """One request for new tokens, `most` at most. grammar: None leaves them free. denied: tokens that may not come."""

    prompt: Prompt
    grammar: TokenGrammar | None
    most: int
    denied: Sequence[int] = ()
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """Tokens of a request's prompt: reused, which the server's prefix cache had, and computed; both 0 where it does not say."""

    reused: int = 0
    computed: int = 0


@dataclass(frozen=True, slots=True)
class Generated:
    """What came of it. tokens: None where the server tells text alone; text: empty where it tells tokens; count: generated."""

    tokens: list[int] | None
    text: str = ""
    count: int = 0
    prompt: PromptTokens = PromptTokens()


@dataclass(frozen=True, slots=True)
class Scored:
    """The model's own log probabilities of given tokens."""

    log_ps: list[float]
    prompt: PromptTokens = PromptTokens()


@dataclass(frozen=True, slots=True)
class Judged:
    """The same of one token, or, unless `exact`, the most that it can be."""

    log_p: float
    exact: bool
    prompt: PromptTokens = PromptTokens()


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a kind of server can do. tokens: prompts and answers as token ids; grammars: keeps to a grammar; scores: tells log
    probabilities of given tokens; opens: lets an answer begin with given text."""

    tokens: bool
    grammars: bool
    scores: bool
    opens: bool


class Dialect(Protocol):
    """One server. Every method may raise ServerError; `call` is for giving up."""

    @property
    def abilities(self) -> Abilities: ...

    def describe(self) -> Description:
        """Asked once, and first."""
        ...

    def generate(self, asked: Generation, call: Call) -> Generated:
        """What the server writes behind a prompt."""
        ...

    def score(self, prompt: Sequence[int], tokens: Sequence[int], call: Call) -> Scored:
        """The model's own log probability of each of `tokens` behind `prompt`."""
        ...

    def judge(self, prompt: Sequence[int], token: int, call: Call) -> Judged:
        """The same of one token; less exactly where it is unlikely and would cost much to be told."""
        ...

    def tokenize(self, text: str) -> list[int] | None:
        """The server's tokens of plain text; None where it cannot be asked."""
        ...


@dataclass(slots=True)
class Answer:
    """JSON from a server, read field by field: what is not there or of another type raises ServerError."""

    value: Any
    where: str
    path: str = field(default="")

    def __getitem__(self, name: str | int) -> Answer:
        here = f"{self.path}.{name}" if isinstance(name, str) else f"{self.path}[{name}]"
        try:
            if isinstance(name, str) != isinstance(self.value, dict):
                raise KeyError(name)
            return Answer(self.value[name], self.where, here)
        except (KeyError, IndexError, TypeError):
            raise ServerError(
                f"{self.where} answers without {here.lstrip('.')}: is it another version?"
            ) from None

    def __len__(self) -> int:
        return len(self.of(list))

    def get(self, name: str, default: T) -> T:
        """A field that may be missing or null, of its default's type."""
        found = self.value.get(name) if isinstance(self.value, dict) else None
        return (
            default if found is None else Answer(found, self.where, f"{self.path}.{name}").of(type(default))
        )

    def of(self, kind: type[T]) -> T:
        """The value, of this type."""
        right = isinstance(self.value, kind) and not (isinstance(self.value, bool) and kind is not bool)
        if kind is float and type(self.value) is int:
            return float(self.value)  # type: ignore[return-value]
        if not right:
            name = self.path.lstrip(".") or "the answer"
            raise ServerError(f"{self.where} answers with another kind of {name}: is it another version?")
        found: T = self.value
        return found

    def tokens(self) -> list[int]:
        """A list of token ids."""
        found = self.of(list)
        if any(type(token) is not int or token < 0 for token in found):
            raise ServerError(f"{self.where} answers with tokens that are none")
        return found
