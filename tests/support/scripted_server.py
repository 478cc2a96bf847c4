"""The command `copydesk lsp` with a scripted engine in place of the one with a model: `python scripted_server.py lsp`.

`engine_hosts.py`, which must be on the path, says what an instruction comes to.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from copydesk_server.arguments.parser import build_parser
from copydesk_server.commands.lsp import options
from copydesk_server.lsp import session

if __name__ == "__main__":
    args = build_parser().parse_args(sys.argv[1:])
    sys.exit(session.run(replace(options(args), engine_host="engine_hosts:serve")))
