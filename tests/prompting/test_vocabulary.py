"""Tokens of text as data, and the bytes behind every token."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

import vocabularies
from copydesk.errors import TokenizerError
from copydesk.prompting.vocabulary import ByteVocabulary, HFVocabulary, Vocabulary

ALL = [vocabularies.qwen_like, vocabularies.llama3_like, vocabularies.line_tokens, vocabularies.plain_bytes]


@pytest.mark.parametrize("make", ALL)
@given(text=st.text(st.characters(codec="utf-8"), max_size=60))
def test_bytes_of_tokens_spell_the_text(make: object, text: str) -> None:
    vocabulary = make()  # type: ignore[operator]
    ids = vocabulary.encode(text)
    assert b"".join(vocabulary.token_bytes[i] for i in ids) == text.encode()
    assert vocabulary.decode(ids) == text


def test_names_of_special_tokens_in_text_are_text() -> None:
    vocabulary = vocabularies.line_tokens()
    special = vocabulary.special("<L7>")
    assert special is not None
    assert special not in vocabulary.encode("<L7> <copy></gen><L7>")
    assert vocabulary.token_bytes[special] == b""
    assert vocabulary.special("<nothing>") is None


def test_lone_surrogates_are_shown_as_replacement_characters() -> None:
    for make in ALL:
        vocabulary: Vocabulary = make()
        assert vocabulary.decode(vocabulary.encode("a\udcffb")) == "a\ufffd" + "b"


def test_fingerprints_tell_vocabularies_apart() -> None:
    made: list[Vocabulary] = [make() for make in ALL]
    assert len({vocabulary.fingerprint for vocabulary in made}) == len(made)
    assert ByteVocabulary(["<a>"]).fingerprint == ByteVocabulary(["<a>"]).fingerprint
    assert ByteVocabulary(["<a>"]).fingerprint != ByteVocabulary(["<b>"]).fingerprint


def test_a_wider_model_has_ids_that_spell_nothing() -> None:
    inner = vocabularies.qwen_like()
    wide = HFVocabulary(inner.tokenizer, inner.size + 5)
    assert wide.size == inner.size + 5
    assert wide.token_bytes[-1] == b""
    assert wide.fingerprint != inner.fingerprint


def test_a_file_round_trip_and_its_absence(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=r"no tokenizer\.json"):
        HFVocabulary.from_directory(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(TokenizerError, match="is not a tokenizer"):
        HFVocabulary.from_directory(tmp_path)
    vocabularies.qwen_like().tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert HFVocabulary.from_directory(tmp_path).encode("def f") == vocabularies.qwen_like().encode("def f")


def test_tokenizers_that_lose_text_are_refused() -> None:
    words = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    with pytest.raises(TokenizerError):
        HFVocabulary(words)
    # Byte-level, but upper case is lost: the bytes of its tokens are not those of the text.
    lowered = Tokenizer.from_str(vocabularies.qwen_like().tokenizer.to_str())
    lowered.normalizer = normalizers.Lowercase()
    with pytest.raises(TokenizerError, match="read back"):
        HFVocabulary(lowered)


def test_byte_fallback_vocabularies_spell_bytes() -> None:
    vocab = {f"<0x{b:02X}>": b for b in range(256)}
    vocab |= {"▁": 256, "x": 257, "▁x": 258}
    tokenizer = Tokenizer(models.BPE(vocab, [("▁", "x")], byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    vocabulary = HFVocabulary(tokenizer)
    assert vocabulary.encode(" x\n") == [258, 10]
    assert vocabulary.decode(vocabulary.encode("é x")) == "é x"


def test_added_tokens_of_the_file_are_special_only_by_name() -> None:
    tokenizer = Tokenizer.from_str(vocabularies.qwen_like().tokenizer.to_str())
    tokenizer.add_special_tokens(["<|im_end|>"])
    tokenizer.add_tokens(["<plain>"])
    vocabulary = HFVocabulary(tokenizer)
    for name in ("<|im_end|>", "<plain>"):
        assert vocabulary.special(name) is not None
        assert vocabulary.special(name) not in vocabulary.encode(f"a {name} b")
    assert json.loads(tokenizer.to_str())["added_tokens"]
