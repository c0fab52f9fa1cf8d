"""Where the command starts: Ctrl-C while Python is still loading it ends it like any other."""

from __future__ import annotations

import gc
import sys

GARBAGE_OBJECTS = 50_000
"""After so many more objects than went Python looks for cycles among them, not after its usual 700 or 2,000."""


def main() -> None:
    """Run the command line and end the process."""
    # Loading makes objects by the ten thousand and none of it is garbage: to look for it took an eighth of the time.
    gc.set_threshold(GARBAGE_OBJECTS)
    try:
        from grader.cli.main import run  # noqa: PLC0415 - see above

        run()
    except KeyboardInterrupt:
        from grader.cli.interrupts import end_interrupted, ignore_signals  # noqa: PLC0415

        ignore_signals()
        print("interrupted", file=sys.stderr)  # noqa: T201 - cli prints
        end_interrupted()
