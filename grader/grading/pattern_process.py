"""The process that parses students' sources; grading/source_patterns.py starts it.

tree-sitter is written in C, and the source may be made to harm it. So this process gives up what it does not need
before it parses: root's rights, new files and processes, and more time and memory than honest sources take.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import sys

from grader.diagnose.c_source import CSource
from grader.diagnose.patterns import find
from grader.diagnose.small_changes import small_changes

NOBODY = 65534
LIMITS = {
    resource.RLIMIT_CPU: 1,
    resource.RLIMIT_AS: 400_000_000,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NPROC: 0,
    # Standard input, output and error only.
    resource.RLIMIT_NOFILE: 3,
}


def main() -> None:
    """Read a source and patterns as JSON, and write the places as JSON; without patterns, its small changes."""
    request = json.load(sys.stdin)
    patterns: dict[str, str] | None = request["patterns"]
    confine()
    answer: object = {}
    try:
        source = CSource(base64.b64decode(request["source"]))
        if patterns is None:
            changes, copy = small_changes(source)
            named = [change._asdict() for change in changes]
            answer = {"changes": named, "copy_with_all": base64.b64encode(copy).decode("ascii")}
        else:
            answer = {name: find(source, pattern) for name, pattern in patterns.items()}
    except (MemoryError, RecursionError):
        answer = {}
    json.dump(answer, sys.stdout)


def confine() -> None:
    """Give up rights, and set limits that nobody can raise again."""
    os.chdir("/")
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    for kind, limit in LIMITS.items():
        _, hard = resource.getrlimit(kind)
        lowest = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (lowest, lowest))
