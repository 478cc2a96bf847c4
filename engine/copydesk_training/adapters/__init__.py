"""Training of adapters for pretrained models of the Llama family: a frozen base, low-rank updates, rows for the format's tokens.

One way in: `run.train_adapter`. The result is a file of a few MiB; `copydesk.adapters` reads, writes and merges it.
"""
