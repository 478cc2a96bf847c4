"""The engine in a process of its own, as the protocol process sees it: start at `client.py`.

`client`, `document_feed`, `pending_jobs`, `connection`, `watchdog` and `flags` run in the protocol process, which loads no model
library. `worker_main`, where a child begins, `worker`, `worker_documents`, `queue` and `inbox` run in the engine's. What the two
say to each other is in `messages`. `child_process` and `command_process` are the two ways to start an engine; a command begins in
`stdio_main`, and `frames`, `handshake` and `message_check` are its pipe. Nothing here depends on LSP.
"""
