"""`python -m copydesk_server` is the command `copydesk`."""

from __future__ import annotations

import sys

from copydesk_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
