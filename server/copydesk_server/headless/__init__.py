"""`copydesk fix` and `copydesk refactor`: whole trees, from a terminal, a hook or CI."""
