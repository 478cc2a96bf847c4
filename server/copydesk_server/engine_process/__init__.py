"""The engine in a child process, as the protocol process sees it: start at `proxy.py`.

`messages`, `jobs`, `flags`, `link` and `proxy` run in the protocol process and know no model library; `host` and `units` run in
the child; `child` is where the child begins. No LSP in here.
"""
