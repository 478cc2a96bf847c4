"""Instructions that ask for a bug: whether one does, and whether it says any more."""

from __future__ import annotations

import re

MOST_WORDS = 14
"""Who says more says what is wrong."""
_ASKS = re.compile(
    r"\b(?:bugs?|buggy|br+oken?|wrong|fail(?:s|ed|ing|ure)?|re[vi]{2,3}ew|regression|incorrect|strange|crash(?:es|ed)?|sanity|"
    r"repair|red|off|mistakes?|errors?|fixme|debug (?:this|that|it)|proofread|verify|correct|"
    r"(?:this|it|that) (?:works?|worked)|work again|"
    r"(?:does ?n[o']t|not) work|"
    r"(?:is|looks?|are) (?:this|it|that)? ?(?:right|ok(?:ay)?|correct|fine|good)|check (?:this|that|it|the logic)|"
    r"fix (?:it|this|that|so|my|problems?|whatever|if)|what it should|do(?:es)? what|tests? pass|expect(?:ed)?|"
    r"fix (?:the|this) (?:code|function|method|logic|tests?|problem|error))\b|"
    r"^(?:pls |please )?(?:fix|check|correct)(?: and fix)?\W*$",
    re.IGNORECASE,
)
_STOCK = frozenset({
    "a", "about", "again", "all", "an", "and", "any", "anything", "are", "as", "at", "be", "because", "bet", "break",
    "broke", "broken", "bug", "buggy", "bugs", "can", "change", "changed", "check", "checked", "ci", "code", "commit",
    "correct", "correctly", "could", "crash", "crashes", "customer", "debug", "do", "does", "doesn't", "doing", "don't",
    "double", "double-check", "error", "errors", "expect", "expected", "eyes", "fail", "failing", "fails", "find", "fine",
    "fix", "fixme", "for", "function", "function's", "get", "give", "gives", "good", "got", "has", "have", "having",
    "head", "hello", "help", "here", "hey", "hi", "how", "i", "i'm", "i've", "if", "in", "incorrect", "is", "isn't",
    "issue", "issues", "it", "it's", "its", "just", "kindly", "last", "logic", "look", "looks", "made", "make", "may",
    "maybe", "me", "method", "might", "mine", "mistake", "mistakes", "must", "my", "need", "needed", "needs", "no", "not",
    "now", "of", "off", "ok", "okay", "one", "or", "otherwise", "out", "over", "pair", "pass", "passes", "please", "pls",
    "possible", "potential", "problem", "problems", "proofread", "red", "regression", "repair", "reports", "result",
    "results", "returns", "review", "right", "run", "sanity", "says", "second", "see", "seems", "should", "so", "solve",
    "some", "somebody", "someone", "something", "somewhere", "strange", "sure", "test", "tests", "than", "thank",
    "thanks", "that", "that's", "the", "them", "then", "there", "there's", "these", "thing", "think", "this", "those",
    "thx", "to", "true", "typo", "usual", "verify", "want", "was", "we", "what", "what's", "whatever", "where", "where's",
    "whether", "which", "why", "with", "work", "worked", "working", "works", "would", "wrong", "yes", "yesterday", "you",
    "your",
})  # fmt: skip
"""Words that say no more than that there may be a bug."""


def asks_for_bug(instruction: str) -> bool:
    """Whether an instruction wants a bug found, and does not say which."""
    words = instruction.split()
    return len(words) <= MOST_WORDS and _ASKS.search(" ".join(words)) is not None


def says_no_more(instruction: str) -> bool:
    """Whether an instruction that asks for a bug says nothing at all of it."""
    return set(re.findall(r"[^\W\d]['\w]*|\d+|[`\"<>=()\[\]]", instruction.lower())) <= _STOCK
