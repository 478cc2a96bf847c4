"""The language server, in the protocol process: start at `session.py` for how it lives, at `server.py` for what it is made of.

`wire`, `transport`, `capabilities` and `session` are made of the standard library, so that `initialize` is answered before
anything else is imported. Nothing here imports a model library: the engine is a child process (`copydesk_server.engine_process`).
"""
