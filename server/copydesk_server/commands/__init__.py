"""One module per command, each with `run(args) -> exit code`; `cli.py` imports only the one that was asked for."""
