"""The tokenizer: pieces that line up with lines, words and numbers, special tokens first, the same file every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.errors import TokenizerError
from copydesk.prompting.codec import Codec, special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk_training.tokenizer import train_tokenizer
from training_corpora import texts

SIZE = 1500


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    train_tokenizer(texts(), path, size=SIZE)
    return path


@pytest.fixture(scope="module")
def vocabulary(path: Path) -> HFVocabulary:
    return HFVocabulary.from_directory(path.parent)


def pieces(vocabulary: HFVocabulary, text: str) -> list[str]:
    return [vocabulary.token_bytes[i].decode() for i in vocabulary.encode(text)]


def test_it_spells_the_format(vocabulary: HFVocabulary) -> None:
    assert vocabulary.size == SIZE
    assert [vocabulary.special(name) for name in special_tokens(127)] == list(range(len(special_tokens(127))))
    Codec(EditFormat(), vocabulary)  # raises where a literal is missing


@pytest.mark.parametrize(
    "text", ["\n", "        return self\n", "x == y\n", "é日本\U0001f600\r\t\x0b", "<L7></gen><pad>"]
)
def test_text_is_data_and_reads_back(vocabulary: HFVocabulary, text: str) -> None:
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == text
    assert not set(ids) & set(range(len(special_tokens(127))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("        if self:\n", ["        ", "if", " self", ":", "\n"]),
        ("        #    a\n", ["        ", "#", "   ", " a", "\n"]),
        ("a == b != c\n", ["a", " ==", " b", " !=", " c", "\n"]),
        ("120\n", ["1", "2", "0", "\n"]),
        ("f(x)[0]\n", ["f", "(", "x", ")", "[", "0", "]", "\n"]),
        ("\n\n", ["\n", "\n"]),
    ],
)
def test_pieces(vocabulary: HFVocabulary, text: str, expected: list[str]) -> None:
    assert pieces(vocabulary, text) == expected


def test_no_token_crosses_a_line_or_joins_two_marks(vocabulary: HFVocabulary) -> None:
    for spelled in vocabulary.token_bytes:
        assert b"\n" not in spelled or spelled == b"\n"
        assert not spelled.strip().endswith((b"):", b"()", b"))"))


def test_the_same_texts_give_the_same_file(path: Path, tmp_path: Path) -> None:
    train_tokenizer(texts(), tmp_path / "tokenizer.json", size=SIZE)
    assert (tmp_path / "tokenizer.json").read_bytes() == path.read_bytes()


def test_too_little_text(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="more text or a smaller size"):
        train_tokenizer(["x = 1\n"], tmp_path / "tokenizer.json", size=SIZE)
    assert not (tmp_path / "tokenizer.json").exists()
