"""Which law a decoder chooses by: how the probability of a token is corrected for what may still follow it.

The law wanted is the model's own, given that the whole string is legal: P(t | prefix) is p(t) Φ(prefix t), normalised, where Φ is
the probability that a string begun so ends legally (future validity, arXiv 2605.07698: a Doob transform with h = Φ). The laws
differ in how they estimate Φ, from 1 everywhere (the local mask) to its exact value (`look_ahead.py`, `rollouts.py`).
"""
