"""The checkout that benchmarks read documents, results and test data from."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
