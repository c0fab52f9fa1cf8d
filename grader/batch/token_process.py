"""The process that turns students' sources into tokens; batch/source_tokens.py starts it.

tree-sitter is written in C, so the process gives up the same as grading/pattern_process.py.
"""

from __future__ import annotations

import base64
import json
import sys

from grader.grading.pattern_process import confine
from grader.similarity.c_tokens import tokens


def main() -> None:
    """Read sources as JSON, and write a line of JSON for each: its tokens, or an empty list."""
    sources: list[str] = json.load(sys.stdin)
    confine()
    for source in sources:
        try:
            found = tokens(base64.b64decode(source))
        except (MemoryError, RecursionError):
            found = []
        # Written at once: what is finished counts even if the next source ends this process.
        sys.stdout.write(f"{json.dumps(found)}\n")
        sys.stdout.flush()
