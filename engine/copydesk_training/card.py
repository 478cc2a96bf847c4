"""The model card of an exported model: what it is, what it was made from, how, and what it cannot do.

Every figure comes from the checkpoint, the metrics or what the caller measured. Knows no files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from copydesk.prompting.edit_format import EditFormat
from copydesk_training.checkpoint import Checkpoint


def model_card(
    state: Checkpoint,
    format: EditFormat,
    *,
    manifest: dict[str, Any] | None = None,
    figures: dict[str, Any] | None = None,
    metrics: Sequence[dict[str, Any]] = (),
) -> str:
    """Markdown, beginning with the metadata block model hubs read. manifest: of a corpus (`packages`) or of shards."""
    parts = [
        _head(),
        _about(state, format),
        data_section(manifest),
        _recipe(state, metrics),
        _figures(state, figures),
    ]
    return "\n".join(part for part in parts if part) + WEAKNESSES


def _head() -> str:
    return (
        "---\nlibrary_name: copydesk\nlicense: apache-2.0\npipeline_tag: text-generation\n"
        "tags: [code, code-editing, qwen2]\n---\n\n# A copydesk edit model\n"
    )


def _about(state: Checkpoint, format: EditFormat) -> str:
    config = state.config
    total = sum(t.numel() for t in state.masters.values())
    table = config.vocab * config.hidden
    return (
        "A small model that fixes code by writing copy/gen programs: which numbered lines stay, and what the others become. "
        "It is read by copydesk, which lets it say nothing but legal programs; on its own it is of little use.\n\n"
        f"- Architecture: `Qwen2ForCausalLM`, {config.layers} layers, width {config.hidden}, {config.heads} heads, inner width "
        f"{config.inner}; {_millions(total - table)} parameters and a tied embedding of {_millions(table)} "
        f"({config.vocab:,} tokens).\n"
        f"- Edit format: `{format.kind}`, pages of up to {format.page_lines} lines and a header of up to {format.header_lines}, "
        f"context after a copy: {format.after_copy}; languages: {', '.join(format.languages)}. See `copydesk.json`.\n"
    )


def data_section(manifest: dict[str, Any] | None) -> str:
    """The packages and shards a manifest names, with their licences; "" without one."""
    if not manifest:
        return ""
    out = ["## Data\n"]
    if packages := manifest.get("packages"):
        out.append(
            "Public Python sources under permissive licences. Each example is a file's own text with a defect put in, or "
            "a change asked for; the right answer comes from the engine's own oracle. Packages held out are never "
            "trained on.\n"
        )
        out.append("| Package | Version | Licence | Files | Split |\n| --- | --- | --- | --- | --- |")
        used = [row for row in packages if row.get("accepted", True) and row.get("files", 1)]
        for row in used:
            cells = [str(row.get(k, "")) for k in ("name", "version", "licence", "files", "split")]
            out.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
        out.append("")
        if refused := sorted(str(row["name"]) for row in packages if not row.get("accepted", True)):
            out.append(f"Looked at and left out for their licences: {', '.join(refused)}.\n")
    if shards := manifest.get("shards"):
        training = [row for row in shards if not str(row.get("name", "")).startswith("heldout")]
        examples, tokens = (sum(row.get(k, 0) for row in training) for k in ("examples", "tokens"))
        out.append(f"{examples:,} examples of {tokens:,} tokens in {len(training)} shards.\n")
    return "\n".join(out)


def _recipe(state: Checkpoint, metrics: Sequence[dict[str, Any]]) -> str:
    told = state.settings
    schedule = told.get("schedule", {})
    speed = [row["tokens_per_second"] for row in metrics if row.get("tokens_per_second")]
    lines = [
        "## Training\n",
        f"- {state.step:,} steps, {_millions(state.tokens)} tokens, {state.examples:,} examples, {state.flops:.2g} FLOPs in "
        f"{state.seconds / 60:.0f} minutes{'' if state.finished else ' (not finished: the learning rate has not decayed)'}.",
        f"- Muon (rate {schedule.get('rate')}) for matrices, AdamW ({schedule.get('adam_rate')}) for the rest; "
        f"{schedule.get('warmup')} steps of warm-up, constant, linear decay to zero over the last "
        f"{schedule.get('decay', 0):.0%}.",
        f"- Loss: cross-entropy of the program's choices + {told.get('lm_weight')} x language-model loss on "
        f"{told.get('lm_sample', 0):.0%} of the document's tokens.",
        f"- Batches of about {told.get('batch_tokens'):,} tokens of similar length"
        f"{', short ones first' if len(schedule.get('curriculum', ())) > 1 else ''}; "
        f"{told.get('dtype')} weights with fp32 masters; seed {told.get('seed')}.",
    ]
    if speed:
        lines.append(f"- Median speed {sorted(speed)[len(speed) // 2]:,.0f} tokens/s.")
    return "\n".join(lines) + "\n"


def _figures(state: Checkpoint, figures: dict[str, Any] | None) -> str:
    rows: list[tuple[str, str]] = []
    for key, value in sorted(state.validation.items()):
        kind, _, name = key.partition("_")
        if kind == "exact":
            rows.append(
                (f"teacher-forced exact match without grammar, held-out pages {name}", f"{value:.1%}")
            )
        else:
            rows.append((f"program loss in nats a token, held-out pages {name}", f"{value:.3f}"))
    return figures_section({**dict(rows), **(figures or {})})


def figures_section(figures: dict[str, Any]) -> str:
    """A table of what was measured; "" where nothing was."""
    rows = [
        (name, f"{value:.3g}" if isinstance(value, float) else str(value))
        for name, value in figures.items()
        if isinstance(value, str | int | float)
    ]
    if not rows:
        return ""
    table = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"## Figures\n\n| Measured | Value |\n| --- | --- |\n{table}\n"


def _millions(count: int) -> str:
    return f"{count / 1e6:.2f}M" if count < 1e8 else f"{count / 1e9:.2f}B"


WEAKNESSES = """
## Weaknesses

- It has seen Python only, and mostly library code.
- It knows little beyond the page it is shown: names that stand nowhere on the page are guesses.
- It was trained on defects put into working code. Real bugs are more varied, and what only running a program tells is beyond it.
- Every edit needs a look. copydesk keeps it inside the scope it was given; nothing keeps it right.
"""
