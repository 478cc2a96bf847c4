"""The command `copydesk`, which `python -m copydesk_server` is too."""

# Imports nothing but what Python has loaded already (`__future__` is a file too) until the working directory is not looked in.

import sys

from copydesk_server.isolation import clean_paths, leave_working_directory


def main() -> int:
    """Run the command and return its exit code."""
    leave_working_directory()
    clean_paths()
    from copydesk_server.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
