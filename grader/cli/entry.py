"""The entry point of the command, which handles Ctrl-C even while Python is still loading the rest."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback

from grader.cli.exit_status import BROKEN
from grader.cli.unwritten import guard_streams
from grader.errors import NO_MEMORY

GARBAGE_OBJECTS = 150_000
"""Number of new objects after which Python looks for cycles, instead of its usual 700 or 2,000.

Grading one submission makes 100,000 to 150,000 that stay, and each search among them takes 17 ms."""


def main() -> None:
    """Run the command line and end the process."""
    guard_streams()
    if sys.platform != "win32":
        # Ignored, as we may have inherited it, it would make the kernel discard how our own children end.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Imports make tens of thousands of objects, and none is garbage: looking for it took an eighth of the time.
    gc.set_threshold(GARBAGE_OBJECTS)
    # Pydantic would read the metadata of all installed packages to look for its plugins, and the grader uses none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from grader.cli.main import run  # noqa: PLC0415 - see above

        run()
    except KeyboardInterrupt:
        from grader.cli.interrupts import end_interrupted, ignore_signals  # noqa: PLC0415

        ignore_signals()
        print("interrupted", file=sys.stderr)  # noqa: T201 - cli prints
        end_interrupted()
    except MemoryError:
        print(f"grader: {NO_MEMORY}", file=sys.stderr)  # noqa: T201 - cli prints
        sys.exit(BROKEN)
    except Exception:  # noqa: BLE001 - whatever it is, it ends the process
        # Python's own exit status would be 1, which in `grader check` means that a check failed.
        traceback.print_exc()
        sys.exit(BROKEN)
