"""Judge a run whose case says in detail what it expects: exit status, both outputs, files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.judge.difference import difference, summary_of_beginnings
from grader.judge.line_search import TooManyCharactersError, has_line
from grader.judge.one_number import number_problem
from grader.judge.repeat import STANDARD_ERROR
from grader.model.counted import counted
from grader.model.evidence import Captured, Exited, FileKind, LeftFile, RunDone, file_id
from grader.model.report import Difference
from grader.model.spec.expectations import Expected, OutputRule

NAMED_BYTES = 60
"""Most bytes of an expected text that a sentence repeats."""

UNSEEN = "unseen"
_TOO_MANY = "too-many"

_STREAMS = {"stdout": "standard output", "stderr": STANDARD_ERROR}
_KINDS: Mapping[FileKind, str] = {
    "missing": "is missing",
    "link": "is a link, not a file of its own",
    "folder": "is a folder, not a file",
    "other": "is not a regular file",
    "unreadable": "cannot be read: the program changed its mode",
    "too-large": "is far too large",
}


@dataclass(frozen=True)
class Mismatch:
    """Something that is not as the case expects, in a sentence; `of` as CaseResult.differs_in, `part` as in wrong.

    The part is UNSEEN of a stream if nobody knows: what is looked for may be in a part that was not kept or searched.
    """

    text: str
    difference: Difference | None = None
    of: str = ""
    part: str = ""


@dataclass(frozen=True)
class Compared:
    """A run, the reference's run of the same case (None if there is none), and their known differences by id."""

    run: RunDone
    reference: RunDone | None
    differences: Mapping[str, Difference]


def mismatches(expected: Expected, compared: Compared) -> Iterator[Mismatch]:
    """Yield what is wrong with the exit status and the outputs of a run that ended by itself."""
    run, reference = compared.run, compared.reference
    if isinstance(run.ending, Exited) and (text := _status_problem(expected, run.ending.code)):
        yield Mismatch(text, part=f"status={run.ending.code}")
    if expected.stdout == "reference-output":
        if reference is not None and run.stdout.sha256 != reference.stdout.sha256:
            found = compared.differences.get(run.step)
            yield Mismatch(f"standard output: {_summary(found)}", found, part=_part("stdout", run.stdout))
    else:
        yield from _of_output(expected.stdout, run.stdout, "stdout")
    if expected.stderr == "reference-output":
        if reference is not None and run.stderr.sha256 != reference.stderr.sha256:
            found = _stderr_difference(run.stderr, reference.stderr)
            part = _part("stderr", run.stderr)
            both = [(captured.data or b"", captured.size_bytes) for captured in (reference.stderr, run.stderr)]
            text = found.summary if found is not None else summary_of_beginnings(*both[0], *both[1])
            yield Mismatch(f"standard error: {text}", found, STANDARD_ERROR, part)
    else:
        yield from _of_output(expected.stderr, run.stderr, "stderr")


def differs_otherwise(expected: Expected, compared: Compared) -> bool:
    """Return whether standard output is not the reference's where the rule allows that, and both are always the same.

    It tells a message on the wrong stream from a missing one.
    """
    rule, reference = expected.stdout, compared.reference
    return (
        isinstance(rule, OutputRule)
        and rule.number is None
        and reference is not None
        and compared.run.stdout.sha256 != reference.stdout.sha256
    )


def file_mismatches(names: tuple[str, ...], compared: Compared) -> Iterator[Mismatch]:
    """Yield what is wrong with the files that a run left, of those with these names."""
    for name in names:
        if compared.reference is None:
            continue
        expected = compared.reference.files.get(name, LeftFile(kind="missing"))
        found = compared.run.files.get(name, LeftFile(kind="missing"))
        if found.content is not None and expected.content is not None:
            if found.content.sha256 != expected.content.sha256:
                known = compared.differences.get(file_id(compared.run.step, name))
                yield Mismatch(f"the file {name}: {_summary(known)}", known, name, f"file={name}")
        elif found.kind != expected.kind:
            what = "should not be there after the run" if expected.kind == "missing" else _KINDS[found.kind]
            yield Mismatch(f"the file {name} {what}", part=f"file={name}")


def _summary(found: Difference | None) -> str:
    return found.summary if found is not None else "it differs from what was expected"


def _status_problem(expected: Expected, code: int) -> str | None:
    match expected.status:
        case "any":
            return None
        case int() as status:
            return None if code == status else f"the exit status is {code}; {status} was expected"
        case _:
            refused = expected.status["not"]
            return f"the exit status is {code}; any other was expected" if code == refused else None


def _stderr_difference(found: Captured, expected: Captured) -> Difference | None:
    """Return the difference of two messages; None if it is not in the part of them that is kept."""
    both = (found.data or b"", expected.data or b"")
    if (len(both[0]), len(both[1])) != (found.size_bytes, expected.size_bytes):
        return None
    return difference(both[1], both[0], b"")


def _part(stream: str, found: Captured) -> str:
    """Say which stream is wrong, and whether nothing was written to it."""
    return f"{stream}={'something' if found.size_bytes else 'nothing'}"


def _of_output(rule: OutputRule | str, found: Captured, stream: str) -> Iterator[Mismatch]:
    """Yield what is wrong with an output that is not compared with the reference's."""
    name, part = _STREAMS[stream], _part(stream, found)
    if rule == "empty" and found.size_bytes:
        size = counted(found.size_bytes, "byte")
        yield Mismatch(f"something was written to {name} ({size}), which should be empty", part=part)
    if not isinstance(rule, OutputRule):
        return
    if rule.exact is not None:
        yield from _of_exact(rule.exact, found, stream)
        return
    data = _seen(found)
    is_cut = found.size_bytes > len(data)
    wrong = _problem_of_text(rule, data, is_cut=is_cut)
    if wrong is None:
        return
    problem, how = wrong
    if is_cut:
        problem = f"{problem} in its first {len(data):,} of {counted(found.size_bytes, 'byte')}"
    if how == UNSEEN:
        problem, part = f"{problem}, and the rest cannot be searched", f"{stream}={UNSEEN}"
    elif how == _TOO_MANY:
        part = f"{stream}={UNSEEN}"
    elif how:
        part = f"{part}-{how}"
    if not found.size_bytes:
        problem += "; it is empty"
    yield Mismatch(f"{name} {problem}", part=part)


def _problem_of_text(rule: OutputRule, data: bytes, *, is_cut: bool) -> tuple[str, str] | None:
    """Return what is wrong with an output in which something is looked for, and in a word how."""
    unseen = UNSEEN if is_cut else ""
    # Of a line that is cut, nobody knows how it goes on.
    text = (data[: data.rfind(b"\n") + 1] if is_cut else data).decode("utf-8", "replace")
    if rule.contains is not None and rule.contains not in data:
        return f"does not contain {_named(rule.contains)}", unseen
    if rule.matches is not None:
        try:
            return None if has_line(rule.matches, text) else (f"has no line that matches {rule.matches}", unseen)
        except TooManyCharactersError:
            return "has too many different characters to be searched for a line", _TOO_MANY
    return None if rule.number is None else number_problem(rule.number, text, unseen)


def _seen(found: Captured) -> bytes:
    """Return the bytes of an output that are here, from the first one on."""
    return found.searched or found.data or b""


def _of_exact(expected: bytes, found: Captured, stream: str) -> Iterator[Mismatch]:
    name, data = _STREAMS[stream], _seen(found)
    if (len(expected), hashlib.sha256(expected).hexdigest()) == (found.size_bytes, found.sha256):
        return
    # Right programs write the same each time, so what wrong ones write says which bug they have.
    part = f"{stream}={found.sha256 if found.size_bytes else 'nothing'}"
    if len(data) < found.size_bytes:
        sizes = f"{counted(found.size_bytes, 'byte')} written, {len(expected):,} expected"
        yield Mismatch(f"{name} is not what was expected: {sizes}", part=part)
        return
    where = difference(expected, data, b"")
    if where is not None:
        yield Mismatch(f"{name}: {where.summary}", where, name if name == STANDARD_ERROR else "", part)


def _named(data: bytes) -> str:
    more = "…" if len(data) > NAMED_BYTES else ""
    return f"“{data[:NAMED_BYTES].decode('utf-8', 'replace')}{more}”"
