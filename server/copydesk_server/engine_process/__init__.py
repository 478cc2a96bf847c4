"""The engine in a child process, as the protocol process sees it: start at `client.py`.

`client`, `document_feed`, `pending_jobs`, `connection`, `watchdog` and `flags` run in the protocol process, which loads no model
library. `worker_main`, where the child begins, `worker`, `worker_documents`, `queue` and `inbox` run in the child. What the two
say to each other is in `messages`. Nothing here depends on LSP.
"""
