"""Languages as deterministic pushdown automata: LR(1) grammars compiled ahead of time, effects of texts, masks of tokens.

After Pre³ (arXiv 2506.03887): an edge carries a symbol, a condition on the top of the stack, and what it does to the stack, so
nothing is searched while a model writes. Depends on no vocabulary, page or program.
"""
