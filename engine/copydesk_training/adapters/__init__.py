"""Adapters for pretrained models of the Llama family: low-rank updates of a frozen base, and rows for the edit format's tokens.

One way in: `run.train_adapter`. The result is a file of a few MiB (`adapter_file.py`), which `merge.py` turns into a model
directory together with the base.
"""
