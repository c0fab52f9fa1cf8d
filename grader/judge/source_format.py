"""Judge whether the sources of a program are written as the lab asks: their lines, characters and line ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.judge.facts import Facts, Outcome
from grader.model.counted import counted, listed
from grader.model.spec.rubric import SourceFormatItem
from grader.model.submission import UnusableSource

_MOST_LINES = 5
"""Line numbers that a message contains; an editor finds the other lines."""


def judge_source_format(facts: Facts, program: str, item: SourceFormatItem) -> Outcome:
    """Pass if every line of the program's sources and headers follows the rules; name those that do not."""
    source = facts.source(program)
    if isinstance(source, UnusableSource):
        return Outcome("failed", source.problem, hint="")
    files = source.files(facts.lab.spec.programs[program].files)
    problems = [problem for name, data in files.items() for problem in _problems(name, data, item)]
    if problems:
        return Outcome("failed", "; ".join(problems))
    return Outcome("passed", f"{listed(files)} {'is' if len(files) == 1 else 'are'} as the lab asks")


def _problems(name: str, data: bytes, item: SourceFormatItem) -> Iterator[str]:
    """Yield a sentence for each rule that lines of a file break."""
    lines = data.split(b"\n")
    if item.columns is not None:
        most = item.columns
        yield from _problem(name, lines, lambda line: _columns(line) > most, f"longer than {most} columns")
    if item.ascii_only:
        yield from _problem(name, lines, lambda line: not line.isascii(), "not plain ASCII")
    if not item.carriage_returns:
        yield from _problem(name, lines, lambda line: b"\r" in line, "written with a carriage return")


def _problem(name: str, lines: list[bytes], is_wrong: Callable[[bytes], bool], fault: str) -> Iterator[str]:
    wrong = [number for number, line in enumerate(lines, 1) if is_wrong(line)]
    if not wrong:
        return
    shown = [f"{number:,}" for number in wrong[:_MOST_LINES]]
    shown += [f"{len(wrong) - len(shown):,} more"] if len(wrong) > len(shown) else []
    which = f"line {shown[0]} is" if len(wrong) == 1 else f"{counted(len(wrong), 'line')} are"
    where = "" if len(wrong) == 1 else f" ({listed(shown)})"
    yield f"{name}: {which} {fault}{where}"


def _columns(line: bytes) -> int:
    """Return how many columns an editor shows; a character that is not ASCII has one, whatever its bytes."""
    return len(line.rstrip(b"\r").decode("utf-8", "replace").expandtabs())
