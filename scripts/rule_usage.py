#!/usr/bin/env python3
"""Count how often each operator of small changes is offered on the C sources of folders, and in how many of them.

    python scripts/rule_usage.py tests/wrong/programs ~/submissions

An operator that is offered nowhere but in its own example does not earn its place. Sources that cannot be parsed are
counted, too: nothing is tried on these.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.changes.schemata import small_changes
from grader.explain.change_words import operators


def main() -> None:
    """Print a line for each operator, the rarest first, and the share of the sources without changes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    sources = sorted(path for folder in parser.parse_args().folders for path in folder.rglob("*.c"))
    offered: Counter[str] = Counter()
    programs: Counter[str] = Counter()
    unusable, without = 0, 0
    for path in sources:
        source = CSource(path.read_bytes())
        changes, _ = small_changes(source)
        unusable += not source.usable
        without += source.usable and not changes
        offered.update(change.op for change in changes)
        programs.update({change.op for change in changes})
    sys.stdout.write("offered programs operator" + "\n")
    for op in sorted(operators(), key=lambda op: (programs[op], op)):
        sys.stdout.write(f"{offered[op]:7} {programs[op]:8} {op}" + "\n")
    rest = f"{unusable} cannot be analysed, {without} others have no or too many changes"
    sys.stdout.write(f"{len(sources)} sources: {rest}\n")


if __name__ == "__main__":
    main()
