"""`copydesk train`."""

from __future__ import annotations

from copydesk_server.arguments.shared import Commands, positive


def add_train(commands: Commands) -> None:
    """`copydesk train`."""
    train = commands.add_parser(
        "train",
        help="train a model on public Python sources or your own",
        description="Train a model, step by step in a work folder. Without STEP, all steps in order; what exists is kept. With "
        "--own alone, the standard model goes on training on your code and the edits of its history; the newest edits are kept "
        "apart, and at the end both models are measured on them.",
    )
    train.add_argument(
        "step", metavar="STEP", nargs="?", choices=("corpus", "tokenizer", "shards", "run", "export", "ranking"),
        help="corpus, tokenizer, shards, run or export; or ranking, of the candidates of instructions, which no other step needs",
    )  # fmt: skip
    train.add_argument("--work", metavar="DIR", default="copydesk-train", help="default: copydesk-train")
    train.add_argument(
        "--seed", type=int, default=0, help="seed of all data and of the training (default: 0)"
    )
    train.add_argument("--quiet", action="store_true", help="print errors only")

    corpus = train.add_argument_group("corpus")
    corpus.add_argument(
        "--source",
        metavar="PATH",
        action="append",
        help="also train on a folder, git repository, wheel or sdist",
    )
    corpus.add_argument(
        "--own",
        metavar="PATH",
        action="append",
        help="train on a folder or git repository of your own, whatever its licence, and on nothing that is not named; the edits"
        " of its history, too, but for the newest",
    )
    corpus.add_argument("--only-sources", action="store_true", help="train on nothing but --source")
    corpus.add_argument(
        "--package",
        metavar="NAME",
        action="append",
        help="fetch these with pip instead of the list copydesk has",
    )
    corpus.add_argument(
        "--offline", action="store_true", help="fetch nothing: what is installed, and --source"
    )
    corpus.add_argument(
        "--held-out",
        metavar="NAME",
        action="append",
        help="measure on these packages instead of the list copydesk has",
    )
    corpus.add_argument(
        "--never",
        metavar="FILE",
        action="append",
        help="leave out files with functions of this evaluation data",
    )

    corpus.add_argument(
        "--history",
        metavar="REPO",
        action="append",
        help="also train on the commits of a git repository, bare or not; a file lists several: a name and a path a line",
    )
    corpus.add_argument(
        "--releases",
        metavar="NAME==OLD..NEW",
        action="append",
        help="also train on what changed between two releases of a package",
    )

    data = train.add_argument_group("tokenizer and shards")
    data.add_argument("--vocabulary", type=int, default=8192, help="tokens of the tokenizer (default: 8192)")
    data.add_argument("--tokenizer", metavar="FILE", help="take this tokenizer.json instead of training one")
    data.add_argument(
        "--after-copy", choices=("span", "program"), default="program",
        help="what follows a copy in the context: its lines, or the program alone (default: program)",
    )  # fmt: skip
    data.add_argument(
        "--density", type=float, help="examples tried per line of code (default: 1; 6 with --model)"
    )
    data.add_argument(
        "--passes", type=int, default=1, help="times over the corpus, with other defects (default: 1)"
    )
    data.add_argument(
        "--ruff", action="store_true", help="also train on ruff's own fixes; ruff must be installed"
    )
    data.add_argument(
        "--choices",
        action="store_true",
        help="also train on choices among the edits that the refactorings propose",
    )
    data.add_argument(
        "--bugs", action="store_true", help="also train on bugs of one step in single functions"
    )
    data.add_argument(
        "--records",
        metavar="NAME",
        action="append",
        help="shards, ranking: of the requests of this file of records alone (twentieth, say); the shards choices alone, the "
        "ranking from the shipped table on",
    )
    data.add_argument("--workers", type=int, default=1, help="processes that make shards (default: 1)")
    data.add_argument(
        "--most-shards", type=int, metavar="N", help="make the first N training shards only (default: all)"
    )

    model = train.add_argument_group("model")
    model.add_argument("--size", default="s", help="xs, s, m or l (default: s)")
    model.add_argument(
        "--minutes", type=float, default=60.0, help="wall-clock budget of the run (default: 60)"
    )
    model.add_argument(
        "--model",
        metavar="ID_OR_PATH",
        help="train an adapter for this model (Llama, Mistral or Qwen family), with its tokenizer",
    )
    model.add_argument(
        "--rank", type=positive, help="of the adapter (default: that of the one to start from, else 32)"
    )
    model.add_argument(
        "--rate", type=float, help="the adapter's learning rate (default: 1e-3; 5e-4 with --own alone)"
    )
    model.add_argument(
        "--batch-tokens", type=positive, default=2048, help="tokens of an adapter's step (default: 2048)"
    )
    model.add_argument(
        "--decay",
        type=float,
        default=0.5,
        help="share of the budget at whose end an adapter's rate falls to zero",
    )
    model.add_argument(
        "--upper",
        type=positive,
        metavar="N",
        help="only the adapters of the last N layers learn, which takes less time and memory (default: all)",
    )
    model.add_argument("--threads", type=positive, default=1, help="of an adapter's run (default: 1)")
    model.add_argument(
        "--validate",
        type=int,
        default=128,
        metavar="N",
        help="held-out examples measured while an adapter trains",
    )
    model.add_argument(
        "--snapshot-minutes", type=float, default=0.0, metavar="N",
        help="also keep an adapter-REQUESTS.safetensors this often",
    )  # fmt: skip
    model.add_argument(
        "--init",
        metavar="PATH",
        help="start from the weights of this model directory, run or adapter; its tokenizer must be the one of the shards",
    )
    model.add_argument(
        "--average",
        metavar="PATH",
        help="export the mean of the run's weights and of this model's, or adapter's: of the one given to --init, say",
    )
    model.add_argument(
        "--share",
        type=float,
        help="of the run in the mean that --average takes (default: 0.7; 0.5 where both are adapters)",
    )
    model.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: auto")
    model.add_argument(
        "--out", metavar="DIR", help="where the model directory goes (default: model in the work folder)"
    )
