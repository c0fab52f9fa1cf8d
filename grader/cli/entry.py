"""Where the command starts: Ctrl-C while Python is still loading it ends it like any other."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process."""
    try:
        from grader.cli.main import run  # noqa: PLC0415 - see above

        run()
    except KeyboardInterrupt:
        from grader.cli.interrupts import end_interrupted, leave_in_peace  # noqa: PLC0415

        leave_in_peace()
        print("interrupted", file=sys.stderr)  # noqa: T201 - cli prints
        end_interrupted()
