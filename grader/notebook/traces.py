"""Find lines of strace's log, numbers of lines that `wc -l` printed, and what the text says about files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.model.notebook import InputFact, NotebookCommand, TracedStream
from grader.notebook.tables import KNOWN_SYSCALLS
from grader.notebook.text import Line

MAX_GAP_LINES = 4
"""Lines of a log that are left out or mixed with a program's output."""

_CALL = re.compile(
    r"[\s>|#*;]*(?:\[pid\s+[0-9]+\]\s*|[0-9]+\s+)?(?:[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?\s+|[0-9]+\.[0-9]+\s+)?"
    r"(?P<name>[a-z_][a-z0-9_]*)\((?P<arguments>.*)\s=\s(?P<result>-?[0-9]+|0x[0-9a-f]+|\?)(?![\w.])"
)
_TRANSFER = re.compile(r"(?P<descriptor>[0-9]+),.*?,\s*(?P<nbyte>[0-9]+)[^,]*$", re.DOTALL)
_STARTED = re.compile(r'"[^"]*", \[([^\]]*)\]')
_ENDING = re.compile(r"[\s>|#*;]*\+\+\+ (?:exited|killed)")
_MAYBE = re.compile(r"[a-z]\(")

_COUNT = re.compile(
    r"\s*(?:(?P<named>[\w./~-]+):(?=[0-9]))?(?P<count>[0-9]+(?:,[0-9]{3})*)(?:\s+(?P<file>[\w./~-]+))?\s*$"
)
_LISTING = re.compile(
    r"[\s>|#]*-[rwx-]{9}[.+@]?\s+[0-9]+\s+\S+\s+(?:\S+\s+)?(?P<size>[0-9]+)\s+\S+.*\s(?P<file>\S+)\s*$"
)
_COPIED = re.compile(r"(?P<size>[0-9]+) bytes? (?:\([^)]*\) )?(?:copied|transferred)")
_SIZE = re.compile(r"([0-9]+)(c|w|b|k|kB|K|KB|KiB|M|MB|MiB|G|GB)?")
_FACTORS = {
    None: 1, "c": 1, "w": 2, "b": 512, "k": 1024, "K": 1024, "KiB": 1024, "kB": 1000, "KB": 1000,
    "M": 1024**2, "MiB": 1024**2, "MB": 1000**2, "G": 1024**3, "GB": 1000**3,
}  # fmt: skip
_RANDOM = ("/dev/urandom", "/dev/random")


@dataclass
class FoundLog:
    """Consecutive lines of a log."""

    first: int
    last: int
    calls: int = 0
    streams: dict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    """The program and its operands, if the log has the call that started it."""

    def traced(self) -> tuple[TracedStream, ...]:
        """Return the reads and writes, by name and descriptor."""
        return tuple(
            TracedStream(
                syscall=name,
                descriptor=descriptor,
                calls=len(calls),
                bytes=sum(max(0, result) for _, result in calls),
                nbyte_min=min(nbyte for nbyte, _ in calls),
                nbyte_max=max(nbyte for nbyte, _ in calls),
            )
            for (name, descriptor), calls in sorted(self.streams.items())
        )


def find_logs(lines: Sequence[Line]) -> list[FoundLog]:
    """Return groups of lines that strace wrote about single calls."""
    logs: list[FoundLog] = []
    for line in lines:
        if _MAYBE.search(line.text) is None:
            if logs and _ENDING.match(line.text) and line.number - logs[-1].last <= MAX_GAP_LINES:
                logs[-1].last = line.number
            continue
        found = _CALL.match(line.text)
        if found is None or found["name"] not in KNOWN_SYSCALLS:
            continue
        if not logs or line.number - logs[-1].last > MAX_GAP_LINES or found["name"] == "execve":
            logs.append(FoundLog(line.number, line.number))
        log = logs[-1]
        log.last, log.calls = line.number, log.calls + 1
        started = _STARTED.match(found["arguments"]) if found["name"] == "execve" else None
        if started is not None:
            log.words = tuple(re.findall(r'"((?:[^"\\]|\\.)*)"', started[1]))
        transfer = _TRANSFER.match(found["arguments"]) if found["name"] in ("read", "write") else None
        if transfer is not None and found["result"].lstrip("-").isdigit():
            key = found["name"], int(transfer["descriptor"])
            log.streams.setdefault(key, []).append((int(transfer["nbyte"]), int(found["result"])))
    return logs


@dataclass(frozen=True)
class FoundCount:
    """A number that `wc -l` or `grep -c` printed below its command."""

    line: int
    command: int
    file: str | None
    pattern: str | None
    count: int


def find_counts(
    lines: Sequence[Line], commands: Sequence[NotebookCommand], logs: Mapping[str, object]
) -> list[FoundCount]:
    """Return numbers of lines of files; of those that strace wrote (`logs`), without a command too."""
    by_line: dict[int, list[NotebookCommand]] = {}
    for command in commands:
        by_line.setdefault(command.lines[1], []).append(command)
    found, asked = [], dict[str, str | None]()
    asked_at, single = 0, None
    for line in lines:
        if line.number in by_line:
            asked, single = _asked(by_line[line.number])
            asked_at = line.number
            continue
        number = _COUNT.match(line.text)
        if number is None:
            if line.text.strip():
                asked, single = {}, None
            continue
        file, count = number["file"] or number["named"], int(number["count"].replace(",", ""))
        name = (file or single or "").rpartition("/")[2]
        if file == "total":
            continue
        if name and name in asked:
            found.append(FoundCount(line.number, asked_at, file or single, asked[name], count))
        elif file is not None and file in logs:
            found.append(FoundCount(line.number, 0, file, None, count))
    return found


def _asked(commands: Sequence[NotebookCommand]) -> tuple[dict[str, str | None], str | None]:
    """Return the files whose lines a command line counts, each with a pattern or None; and the only one."""
    asked: dict[str, str | None] = {}
    pattern, files = None, list[str]()
    for command in commands:
        operands = command.operands or ()
        options = [one for one in operands if one.startswith("-")]
        others = [one for one in operands if not one.startswith("-")]
        if command.program in ("grep", "egrep") and others:
            pattern, files = others[0], others[1:] or ([command.input] if command.input else files)
            if any("c" in option for option in options):
                asked |= {file.rpartition("/")[2]: pattern for file in files}
        elif command.program == "cat" and others:
            files = others
        elif command.program == "wc" and any("l" in option for option in options):
            files = others or ([command.input] if command.input else files)
            asked |= {file.rpartition("/")[2]: pattern for file in files if file is not None}
    return asked, next(iter(asked)) if len(asked) == 1 else None


def find_inputs(lines: Sequence[Line], commands: Sequence[NotebookCommand]) -> list[InputFact]:
    """Return what commands and their output say about files, in order."""
    facts = [fact for command in commands for fact in _written(command, commands)]
    created = {command.lines[1]: command for command in commands if command.program == "dd"}
    for line in lines:
        listed = _LISTING.match(line.text)
        if listed is not None:
            facts.append(
                InputFact(line=line.number, file=listed["file"], size_bytes=int(listed["size"]), random=False)
            )
        copied = _COPIED.search(line.text) if "bytes" in line.text else None
        if copied is not None:
            before = [number for number in created if line.number - 5 <= number < line.number]
            if before:
                name = _operand(created[max(before)], "of")
                facts += [
                    InputFact(line=line.number, file=name, size_bytes=int(copied["size"]), random=False)
                ] * bool(name)
    for count in _sizes(lines, commands):
        facts.append(count)
    return sorted(facts, key=lambda fact: fact.line)


def _sizes(lines: Sequence[Line], commands: Sequence[NotebookCommand]) -> list[InputFact]:
    """Return sizes that `wc -c` printed."""
    asked = {
        command.lines[1]: [*(one for one in command.operands or () if not one.startswith("-")), command.input]
        for command in commands
        if command.program == "wc" and "-c" in (command.operands or ())
    }
    facts = []
    for line in lines:
        number = _COUNT.match(line.text)
        if number is None:
            continue
        above = next((asked[line.number - gap] for gap in (1, 2, 3) if line.number - gap in asked), None)
        if above is None:
            continue
        file = number["file"] or next((name for name in above if name), None)
        if file in above and file is not None:
            size = int(number["count"].replace(",", ""))
            facts.append(InputFact(line=line.number, file=file, size_bytes=size, random=False))
    return facts


def _written(command: NotebookCommand, commands: Sequence[NotebookCommand]) -> list[InputFact]:
    """Return what a command says about the file that it writes: nothing, if its program is not known here."""
    file = command.output if command.sink == "file" else None
    operands, size, is_random = command.operands or (), None, False
    if command.program == "dd":
        file = _operand(command, "of") or file
        is_random = _operand(command, "if") in _RANDOM
        block, count = _size(_operand(command, "bs") or "512"), _size(_operand(command, "count"))
        size = block * count if block is not None and count is not None else None
    elif command.program == "head":
        is_random = any(name in (*operands, command.input) for name in _RANDOM)
        if command.input_kind == "pipe":
            before = [one for one in commands if one.lines == command.lines and one is not command]
            is_random = any(name in (*(one.operands or ()), one.input) for one in before for name in _RANDOM)
        size = _head_size(operands) if is_random or command.input_kind == "pipe" or "/dev/zero" in operands else None
    elif command.program in ("truncate", "fallocate"):
        names = [one for one in operands if not one.startswith("-") and not _SIZE.fullmatch(one)]
        file = names[-1] if names else None
        size = next((_size(one) for one in operands if _SIZE.fullmatch(one)), None)
    if file is None:
        return []
    return [InputFact(line=command.lines[0], file=file, size_bytes=size, random=is_random)]


def _head_size(operands: Sequence[str]) -> int | None:
    for at, operand in enumerate(operands):
        if operand.startswith(("--bytes=", "-c")) and len(operand) > 2:  # noqa: PLR2004 - the option itself
            return _size(operand.removeprefix("--bytes=").removeprefix("-c").lstrip("="))
        if operand in ("-c", "--bytes") and at + 1 < len(operands):
            return _size(operands[at + 1])
    return None


def _operand(command: NotebookCommand, name: str) -> str:
    return next((one.partition("=")[2] for one in command.operands or () if one.startswith(f"{name}=")), "")


def _size(text: str) -> int | None:
    found = _SIZE.fullmatch(text)
    if found is None or len(found[1]) > 15:  # noqa: PLR2004 - no file has a petabyte
        return None
    return int(found[1]) * _FACTORS[found[2]]
