"""Say which limit of the spec stopped a compiler."""

from __future__ import annotations

import re

from grader.judge.endings import abnormal
from grader.model.evidence import BuildDone, LimitHit, LimitReached, succeeded
from grader.model.spec.lab import Spec
from grader.model.spec.programs import RunLimits, limit_words

_SIGNALS: dict[str, LimitHit] = {"CPU time limit exceeded": "cpu", "File size limit exceeded": "output"}
_STOPPED = re.compile(
    r"^[\w.+-]+: (?:fatal |internal compiler )?error: (?:unable to execute command: )?"
    rf"(?P<signal>{'|'.join(_SIGNALS)})\b",
    re.MULTILINE,
)
_NO_MEMORY = re.compile(
    r"^(?:\S+: out of memory allocating\b|virtual memory exhausted: |LLVM ERROR: out of memory\b"
    r"|\S*\bld(?:\.\w+)?: .*: memory exhausted$|.*: Cannot allocate memory$)",
    re.MULTILINE,
)
"""The last is what perror writes in the linker, and in programs that make runs."""

_TOO_LARGE = re.compile(r"^\S*\bld(?:\.\w+)?: .*: File too large$", re.MULTILINE)


def limit_of_build(build: BuildDone, limits: RunLimits) -> str | None:
    """Return which limit stopped the compilation, with its value and its key in the spec; None if none did.

    A limit of the compiler's own process is in the ending. A limit of what it starts (cc1, as, ld, and programs of a
    Makefile) is only in what is said of it.
    """
    hit = _limit_hit(build)
    if hit is None:
        return None
    key, value = limit_words(limits, "limits.build", hit)
    if hit == "memory":
        return f"it needed more memory than {key} ({value})"
    return f"it was stopped after {key} ({value})"


def unfinished(spec: Spec, build: BuildDone) -> str | None:
    """Say that the compiler, or make with what it runs, was stopped, and by what; None if it was not."""
    limits = spec.limits.build
    problem = limit_of_build(build, limits) or abnormal(build.ending, limits, "limits.build")
    builder = "the compiler" if spec.build_of(build.program).make is None else "make"
    return f"{builder} did not finish: {problem}" if problem else None


def _limit_hit(build: BuildDone) -> LimitHit | None:
    if isinstance(build.ending, LimitReached):
        return build.ending.limit
    if succeeded(build.ending):
        return None
    stopped = _STOPPED.search(build.messages)
    if stopped is not None:
        return _SIGNALS[stopped["signal"]]
    if _NO_MEMORY.search(build.messages):
        return "memory"
    return "output" if _TOO_LARGE.search(build.messages) else None
