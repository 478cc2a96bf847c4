"""Examples go through the engine: the tokens are those of serving, and the program in them says what it should."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from copydesk.grammar.bodies import Bodies
from copydesk.oracle import oracle_program, program_tokens
from copydesk.oracle.token_cost import CodecCost
from copydesk.paging.layout import PageLayout
from copydesk.program import Copy, Program, Sub
from copydesk.prompting.codec import Codec
from copydesk.prompting.edit_format import EditFormat
from copydesk.quickfixes.scope import resolve_scope
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import TextLines, split_lines
from copydesk.text.position import Position
from copydesk_training.defects import examples
from copydesk_training.example import Example
from copydesk_training.examples import Rendered, Renderer, Role, page_format
from copydesk_training.excerpts import LINES, excerpts
from program_reader import read_program
from training_corpora import codec, module, texts


def edited(before: str, old: str, new: str, **request: object) -> Example:
    """`before` with `old` for `new`, asked for at the line of `new`."""
    row = before[: before.index(new)].count("\n")
    diagnostic = Diagnostic(Position(row, 0), Position(row, 80), "wrong", "E1", "tool")
    return Example(
        before,
        before.replace(new, old),
        EditRequest(diagnostics=[diagnostic], **request),
        "test",
        True,  # type: ignore[arg-type]
    )


BROKEN = module("a").replace("if default is None", "if default == None", 1)
EXAMPLE = edited(BROKEN, "if default is None", "if default == None")


def program_of(renderer: Renderer, example: Example, rendered: Rendered) -> Program:
    """The document program that the rendered tokens spell, read back as serving reads it."""
    format = page_format(renderer.codec.format, rendered.page_lines)
    lines = split_lines(example.before)
    scope = resolve_scope(lines, example.request, "python", format.header_lines)
    page = PageLayout(lines, format, "python").page_for(scope)
    tokens = [renderer.codec.line(view) for view in page.views]
    if page.skip is not None:
        tokens[page.skip - 1] = renderer.codec.literals.skip
    ids = [int(i) for i in rendered.ids[rendered.program :]]
    open_end = not page.unterminated and any(s - 1 <= len(page) <= e for s, e in page.to_page_scope(scope))
    program = read_program(renderer.codec, ids, page.views, tokens, open_end=open_end)
    return page.to_document(program, lines)


@pytest.mark.parametrize("after_copy", ["program", "span"])
@pytest.mark.parametrize("page_lines", [8, 20, 64])
def test_rendered_programs_resolve_to_the_wanted_text(after_copy: str, page_lines: int) -> None:
    renderer = Renderer(codec(after_copy))
    rng = random.Random(page_lines)
    rendered = 0
    for example in islice((e for text in texts() for e in examples(text, rng, 12)), 60):
        found = renderer.render(example, page_lines)
        if isinstance(found, str):
            continue
        rendered += 1
        program = program_of(renderer, example, found)
        program.validate(split_lines(example.before))
        assert program.resolve(example.before) == example.after
    assert rendered >= (20 if page_lines == 8 else 40)


def test_the_prompt_is_the_one_that_is_served() -> None:
    from transformers import Qwen2Config

    from copydesk.models.random_weights import random_model
    from copydesk.models.replay import ReplayModel
    from copydesk.serving.loaded_model import LoadedModel
    from copydesk.serving.plan import make_plan, script_of
    from copydesk.serving.snapshot import Snapshot

    used = codec("span")
    config = Qwen2Config(
        vocab_size=used.vocabulary.size, hidden_size=32, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=4096, tie_word_embeddings=True,
    )  # fmt: skip
    loaded_model = LoadedModel.of(
        ReplayModel(random_model(config, name="tiny")), used.format, used.vocabulary
    )
    lines = TextLines(EXAMPLE.before)
    version = Snapshot(lines, 0, "python", None)
    plan = make_plan(loaded_model, version, PageLayout(lines.lines, used.format, "python"), EXAMPLE.request)
    at, script = script_of(
        loaded_model, plan, oracle_program(EXAMPLE.before, EXAMPLE.after, cost=CodecCost(used))
    )
    found = Renderer(used).render(EXAMPLE, used.format.page_lines)
    assert isinstance(found, Rendered)
    assert found.ids.tolist() == [*plan.prefix, *plan.asked, *script]
    assert found.program == at


def test_roles() -> None:
    renderer = Renderer(codec("span"))
    found = renderer.render(EXAMPLE, 20)
    assert isinstance(found, Rendered)
    token = renderer.codec.vocabulary.token_bytes
    text = b"".join(token[i] for i, role in zip(found.ids, found.roles, strict=True) if role == Role.DOCUMENT)
    assert (
        text.decode() in EXAMPLE.before.replace('"""The module a."""\n\n', "") or "import os" in text.decode()
    )
    assert set(found.roles[: found.program].tolist()) == {Role.CONTEXT, Role.DOCUMENT}
    program = found.roles[found.program :].tolist()
    assert set(program) == {Role.PROGRAM, Role.FORCED, Role.SPAN}
    # Nothing may be inserted before the scope's first line but by a copy: the first op and its start are forced.
    assert program[:2] == [Role.FORCED, Role.FORCED]
    assert program[-1] == Role.FORCED
    assert Role.SPAN not in Renderer(codec()).render(EXAMPLE, 20).roles  # type: ignore[union-attr]


def test_forced_tokens_are_those_the_grammar_forces() -> None:
    """Every token called forced is the only one the acceptor allows. (The reverse is not promised.)"""
    from copydesk_benchmarks.acceptor import Acceptor

    renderer = Renderer(codec())
    bodies = Bodies.build(renderer.codec)
    rng = random.Random(5)
    checked = 0
    for example in islice((e for text in texts() for e in examples(text, rng, 6)), 20):
        found = renderer.render(example, 20)
        if isinstance(found, str):
            continue
        lines = split_lines(example.before)
        format = page_format(renderer.codec.format, 20)
        scope = resolve_scope(lines, example.request, "python", format.header_lines)
        page = PageLayout(lines, format, "python").page_for(scope)
        tokens = [renderer.codec.line(view) for view in page.views]
        if page.skip is not None:
            tokens[page.skip - 1] = renderer.codec.literals.skip
        acceptor = Acceptor.for_page(
            renderer.codec, page.views, tokens, page.to_page_scope(scope), bodies, at_end=page.at_end
        )
        state = acceptor.start()
        for token, role in zip(found.ids[found.program :], found.roles[found.program :], strict=True):
            allowed = acceptor.allowed(state)
            assert int(token) in allowed
            if role == Role.FORCED:
                assert len(allowed) == 1
                checked += 1
            state = acceptor.advance(state, int(token))
    assert checked > 40


def test_clean_code_is_one_copy() -> None:
    example = Example(module("a"), module("a"), EditRequest(scope=[(8, 12)]), "clean", False)
    renderer = Renderer(codec())
    found = renderer.render(example, 64)
    assert isinstance(found, Rendered)
    assert program_of(renderer, example, found) == Program((Copy(1, len(split_lines(module("a")))),))


@pytest.mark.parametrize(
    ("example", "page_lines", "reason"),
    [
        (Example(module("a"), "x\n", EditRequest(scope=[(900, 901)]), "t", True), 20, "no scope"),
        (Example(module("a"), "x\n", EditRequest(scope=[(1, 60)]), "t", True), 20, "no page shows the scope"),
        (
            Example(module("a"), "x\n" + module("a"), EditRequest(scope=[(20, 22)]), "t", True),
            20,
            "the change is outside the scope",
        ),
        (
            Example(module("a"), module("a").replace("import os", "x\n" * 600, 1), EditRequest(scope=[(3, 3)]), "t", True),
            20,
            "too many tokens",
        ),
    ],
)  # fmt: skip
def test_drop_reasons(example: Example, page_lines: int, reason: str) -> None:
    assert Renderer(codec()).render(example, page_lines) == reason


def test_page_formats_keep_their_proportions() -> None:
    assert [
        (f.page_lines, f.page_overlap, f.header_lines)
        for f in (page_format(EditFormat(), n) for n in (4, 8, 20, 64))
    ] == [(4, 2, 1), (8, 4, 2), (20, 10, 5), (64, 32, 16)]


# -- the oracle's prices ---------------------------------------------------------------------------------------------------


def test_prices_are_token_counts() -> None:
    used = codec()
    cost = CodecCost(used)
    assert (cost.copy_cost, cost.gen_cost, cost.sub_cost) == (3, 2, 4)
    for line in split_lines(texts()[0])[:200]:
        assert "".join(cost.line_tokens(line)) == line
        assert cost.text_cost(line) == len(used.line(line))
    program = oracle_program(EXAMPLE.before, EXAMPLE.after, cost=cost)
    assert any(isinstance(op, Sub) for op in program.ops)
    assert program_tokens(program, EXAMPLE.before, cost) < 20


def test_olds_do_not_cut_words() -> None:
    before, after = "x = antidisestablishmentxrian\n", "x = antidisestablishmentarian\n"
    whole = oracle_program(before, after, cost=CodecCost(codec()))
    assert whole.ops[0] == Sub(
        1, 1, " antidisestablishmentxrian", " antidisestablishmentarian"
    ) or not isinstance(whole.ops[0], Sub)
    pieces = CodecCost(codec()).line_tokens("antidisestablishmentarian_2 = é日_本(1200)\n")
    assert pieces[0] == "antidisestablishmentarian_2"
    assert "é日_本" in "".join(pieces)
    assert len(CodecCost(codec(), words=False).line_tokens("antidisestablishmentarian\n")) > 2


def test_tags_are_priced_as_they_are_escaped() -> None:
    from vocabularies import qwen_like

    used = Codec(EditFormat(kind="tags"), qwen_like())
    cost = CodecCost(used)
    assert cost.text_cost("a </gen> b\n") == len(used.fragment("a </gen> b\n"))
    assert cost.copy_cost > 3


# -- excerpts --------------------------------------------------------------------------------------------------------------


def test_excerpts_keep_the_head_and_every_statement() -> None:
    text = module("a", 120)
    parts = excerpts(text)
    assert len(parts) > 3
    for part in parts:
        assert part.startswith(text[: text.index("def a_0")])
        assert part.endswith("return a_total\n")
        assert part.count("\n") < LINES + 20
        compile(part, "part", "exec")
    assert sum(part.count("\ndef ") for part in parts) == 120
    assert excerpts(module("a")) == [module("a")]
