"""The process that parses students' sources; grading/source_patterns.py starts it.

tree-sitter is written in C, and a source may be made to harm it. So each source is parsed in a child that gives up
what it does not need before it parses: root's rights, new files and processes, and more time and memory than honest
sources take. The process itself only reads the patterns, once for all sources: that takes most of the time.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import signal
import sys
from collections.abc import Iterator
from threading import Timer
from typing import TypedDict

from grader.diagnose.c_source import CSource
from grader.diagnose.changes.small_changes import small_changes
from grader.diagnose.patterns import find, pattern_mistakes

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

CHILD_WALL_S = 15.0
"""Only a machine that is busy with other work reaches this: a child may use a second of processor time."""

ANSWER_BYTES_MAX = 8_000_000

FAILED = " failed"


class QuestionJson(TypedDict):
    """A source in base64, and groups of patterns by name."""

    source: str
    patterns: list[dict[str, str]]


def main() -> None:
    """Read questions as JSON, and write a line for each: in base64, what was found.

    Of each source that is a line of JSON for each group of patterns, with the places by name, and one with its small
    changes. What a child could not find before it ended is missing. A line ends with FAILED if a child ended by a
    mistake of ours, whose traceback is on standard error.
    """
    questions: list[QuestionJson] = json.load(sys.stdin)
    for pattern in (one for question in questions for group in question["patterns"] for one in group.values()):
        for _, mistake in pattern_mistakes(pattern):
            raise ValueError(mistake)
    for question in questions:
        ours, theirs = os.pipe()
        child = os.fork()
        if not child:
            os.dup2(theirs, sys.stdout.fileno())
            os.closerange(sys.stderr.fileno() + 1, theirs + 1)
            _answer(question)
            return
        os.close(theirs)
        answer, has_failed = _answer_of(child, ours)
        sys.stdout.write(base64.b64encode(answer).decode("ascii") + (FAILED if has_failed else "") + "\n")
        sys.stdout.flush()


def _answer_of(child: int, pipe: int) -> tuple[bytes, bool]:
    """Return what a child writes, also if its limits end it, and whether a mistake of ours has ended it."""
    kill = Timer(CHILD_WALL_S, os.kill, (child, signal.SIGKILL))
    kill.start()
    with os.fdopen(pipe, "rb") as lines:
        answer = lines.read(ANSWER_BYTES_MAX)
    _, status = os.waitpid(child, 0)
    kill.cancel()
    return answer, bool(os.WIFEXITED(status) and os.WEXITSTATUS(status))


def _answer(question: QuestionJson) -> None:
    """Give up all rights, and write what is found in a source."""
    confine()
    try:
        for line in _answers(question):
            # At once: what is found counts even if the next step ends this process.
            sys.stdout.write(f"{json.dumps(line)}\n")
            sys.stdout.flush()
    except (MemoryError, RecursionError):
        return


def _answers(question: QuestionJson) -> Iterator[object]:
    source = CSource(base64.b64decode(question["source"]))
    for group in question["patterns"]:
        yield {name: find(source, pattern) for name, pattern in group.items()}
    changes, copy = small_changes(source)
    named = [change._asdict() for change in changes]
    yield {"changes": named, "copy_with_all": base64.b64encode(copy).decode("ascii")}


def confine(cpu_s: int = LIMITS[resource.RLIMIT_CPU]) -> None:
    """Give up rights, and set limits that nobody can raise again."""
    os.chdir("/")
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    for kind, limit in {**LIMITS, resource.RLIMIT_CPU: cpu_s}.items():
        _, hard = resource.getrlimit(kind)
        lowest = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (lowest, lowest))
