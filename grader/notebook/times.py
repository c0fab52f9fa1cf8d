"""Find the output of `time`, in the forms of shells, POSIX, GNU time and BSD."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from grader.model.notebook import TimeForm
from grader.notebook.text import Line

MAX_GAP_LINES = 2

_PREFIX = r"[\s>|#*/;`•-]*"
_LABELLED = re.compile(
    rf"{_PREFIX}(?P<label>real|user|sys)\s*[:=]?\s*"
    r"(?:(?:(?P<h>[0-9]+)h\s*)?(?P<m>[0-9]+)m\s*(?P<s>[0-9]+(?:[.,][0-9]+)?)s|(?P<plain>[0-9]+[.,][0-9]+)\s*s?)"
    r"\s*(?:[|\\`,;(<#/].*)?$",
    re.IGNORECASE,
)
_V = r"((?:[0-9]+m\s*)?[0-9]+[.,][0-9]+)\s*s?"
_ONE_LINE = re.compile(
    rf"\breal\s*[:=]?\s*{_V}[\s,;|]+user\s*[:=]?\s*{_V}[\s,;|]+sys\s*[:=]?\s*{_V}(?![\w.])", re.IGNORECASE
)
_BSD = re.compile(rf"^{_PREFIX}{_V}\s+real\s+{_V}\s+user\s+{_V}\s+sys(?:tem)?\s*$")
_ZSH = re.compile(
    r"(?<![\d.])([0-9]+[.,][0-9]+)s user\s+([0-9]+[.,][0-9]+)s system\s+[0-9]+%\s+cpu\s+"
    r"([0-9:]*[0-9]+(?:[.,][0-9]+)?)\s+total"
)
_CSH = re.compile(
    r"(?<![\d.])([0-9]+[.,][0-9]+)u\s+([0-9]+[.,][0-9]+)s\s+((?:[0-9]+:)+[0-9]+(?:[.,][0-9]+)?)\s+[0-9]+(?:[.,][0-9]+)?%"
)
_GNU = re.compile(
    r"(?<![\d.])([0-9]+[.,][0-9]+)user\s+([0-9]+[.,][0-9]+)system\s+((?:[0-9]+:)+[0-9]+(?:[.,][0-9]+)?)elapsed"
)
_GNU_SECOND = re.compile(r"inputs\+[0-9]+outputs|pagefaults")
_VERBOSE = re.compile(
    rf"{_PREFIX}(?P<key>Command being timed|User time \(seconds\)|System time \(seconds\)|Elapsed \(wall clock\) time"
    r"(?: \([^)]*\))?):\s*(?P<value>.*?)\s*$"
)
_VERBOSE_OTHER = re.compile(r"\s*[A-Z][A-Za-z /()-]{3,60}:\s*[\d?]+%?\s*$")
_FISH = re.compile(rf"{_PREFIX}Executed in\s+([0-9]+[.,][0-9]+)\s+(millis|micros|secs|mins)\b")
_FISH_PART = re.compile(rf"{_PREFIX}(usr|sys) time\s+([0-9]+[.,][0-9]+)\s+(millis|micros|secs|mins)\b")
_UNITS = {
    "micros": 1e-6, "millis": 1e-3, "secs": 1.0, "mins": 60.0, "\u03bcs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0,
}  # fmt: skip
_PERF = re.compile(rf"{_PREFIX}Performance counter stats for '(?P<command>[^']*)'")
_PERF_TIME = re.compile(rf"{_PREFIX}(?P<value>[0-9]+[.,][0-9]+)\s+seconds\s+(?P<what>time elapsed|user|sys)\b")
_BENCHMARK = re.compile(rf"{_PREFIX}Benchmark (?:#?[0-9]+)?:\s*(?P<command>\S.*?)\s*$")
_MEAN = re.compile(
    rf"{_PREFIX}Time \(mean.*?\):\s*(?P<real>[0-9.]+) (?P<real_unit>ms|s|\u03bcs)\b.*"
    r"\[User: (?P<user>[0-9.]+) (?P<user_unit>ms|s|\u03bcs), System: (?P<sys>[0-9.]+) (?P<sys_unit>ms|s|\u03bcs)\]"
)
_MAYBE = re.compile(
    r"real|user|sys|usr|elapsed|Executed|Elapsed|Command being|pagefaults|[0-9]u\s|Performance|Benchmark|mean",
    re.IGNORECASE,
)


@dataclass
class FoundTime:
    """The output of one `time`. `command` is the text of a command line that the output itself contains."""

    first: int
    last: int
    form: TimeForm
    real_s: float | None = None
    user_s: float | None = None
    sys_s: float | None = None
    command: str = ""


def find_times(lines: Sequence[Line], command_lines: AbstractSet[int]) -> list[FoundTime]:
    """Return all outputs of time, in order."""
    search = _Search()
    for line in lines:
        text = line.text
        if not text.strip():
            continue
        if _MAYBE.search(text) is None:
            if not search.rest_of_verbose(line):
                search.other(line.number)
            continue
        # zsh prints the command on the same line, so such a line may look like a command.
        if search.single(line) or search.verbose(line):
            continue
        if line.number in command_lines or not (
            search.labelled(line) or search.fish(line) or search.perf(line) or search.hyperfine(line)
        ):
            search.other(line.number)
    search.flush()
    return sorted(search.found, key=lambda time: time.first)


class _Search:
    def __init__(self) -> None:
        self.found: list[FoundTime] = []
        self._open: FoundTime | None = None
        self._gap = 0

    def single(self, line: Line) -> bool:
        """Add an output of one line; return whether it was one."""
        text, number = line.text, line.number
        forms: tuple[tuple[TimeForm, re.Pattern[str], str], ...] = (
            ("zsh", _ZSH, "usr"),
            ("gnu", _GNU, "usr"),
            ("csh", _CSH, "usr"),
            ("bash", _ONE_LINE, "rus"),
            ("bsd", _BSD, "rus"),
        )
        for form, pattern, order in forms:
            found = pattern.search(text)
            if found is None:
                continue
            values = dict(zip(order, map(seconds_of, found.groups()), strict=True))
            if form == "zsh":
                real, user, system = seconds_of(found[3]), seconds_of(found[1]), seconds_of(found[2])
            elif order == "usr":
                user, system, real = values["u"], values["s"], values["r"]
            else:
                real, user, system = values["r"], values["u"], values["s"]
            self.flush()
            command = text[: found.start()].strip() if form == "zsh" else ""
            self.found.append(FoundTime(number, number, form, real, user, system, command))
            return True
        if self.found and self.found[-1].form == "gnu" and _GNU_SECOND.search(text):
            if number - self.found[-1].last <= MAX_GAP_LINES:
                self.found[-1].last = number
            return True
        return False

    def verbose(self, line: Line) -> bool:
        """Add a line of `time -v`; return whether it was one."""
        found = _VERBOSE.match(line.text)
        if found is None:
            return False
        key, value = found["key"], found["value"]
        time = self._begin(line.number, "gnu-verbose")
        if key.startswith("Command"):
            if time.command or time.user_s is not None:
                self.flush()
                time = self._begin(line.number, "gnu-verbose")
            time.command = value.strip('"')
        elif re.fullmatch(r"[0-9:]*[0-9]+(?:[.,][0-9]+)?", value):
            name = {"U": "user_s", "S": "sys_s", "E": "real_s"}[key[0]]
            if getattr(time, name) is not None:
                self.flush()
                time = self._begin(line.number, "gnu-verbose")
            setattr(time, name, seconds_of(value))
        time.last = line.number
        return True

    def rest_of_verbose(self, line: Line) -> bool:
        """Return whether a line is another number of `time -v`."""
        if self._open is None or self._open.form != "gnu-verbose" or _VERBOSE_OTHER.match(line.text) is None:
            return False
        self._open.last = line.number
        return True

    def labelled(self, line: Line) -> bool:
        """Add a line `real`, `user` or `sys`; return whether it was one."""
        found = _LABELLED.match(line.text)
        if found is None:
            return False
        name = f"{found['label'].lower()}_s"
        form: TimeForm = "posix" if found["plain"] else "bash"
        if self._open is not None and (getattr(self._open, name) is not None or self._open.form != form):
            self.flush()
        time = self._begin(line.number, form)
        seconds = found["plain"] or found["s"]
        value = float(seconds.replace(",", ".")) + 60 * int(found["m"] or 0) + 3600 * int(found["h"] or 0)
        setattr(time, name, round(value, 6))
        time.last = line.number
        return True

    def fish(self, line: Line) -> bool:
        """Add a line of fish's time; return whether it was one."""
        found = _FISH.match(line.text)
        if found is not None:
            self.flush()
            time = self._begin(line.number, "fish")
            time.real_s = _scaled(found[1], found[2])
            return True
        part = _FISH_PART.match(line.text)
        if part is None or self._open is None or self._open.form != "fish":
            return False
        setattr(self._open, {"usr": "user_s", "sys": "sys_s"}[part[1]], _scaled(part[2], part[3]))
        self._open.last = line.number
        return True

    def perf(self, line: Line) -> bool:
        """Add a line of `perf stat`; return whether it was one."""
        begins = _PERF.match(line.text)
        if begins is not None:
            self.flush()
            self._begin(line.number, "perf").command = begins["command"]
            return True
        found = _PERF_TIME.match(line.text)
        if found is None or self._open is None or self._open.form != "perf":
            return False
        name = {"time elapsed": "real_s", "user": "user_s", "sys": "sys_s"}[found["what"]]
        setattr(self._open, name, round(float(found["value"].replace(",", ".")), 6))
        self._open.last = line.number
        return True

    def hyperfine(self, line: Line) -> bool:
        """Add a line of hyperfine, which prints means of several runs; return whether it was one."""
        begins = _BENCHMARK.match(line.text)
        if begins is not None:
            self.flush()
            self._begin(line.number, "hyperfine").command = begins["command"]
            return True
        found = _MEAN.match(line.text)
        if found is None or self._open is None or self._open.form != "hyperfine":
            return False
        time = self._open
        real, user, system = (_scaled(found[name], found[f"{name}_unit"]) for name in ("real", "user", "sys"))
        time.real_s, time.user_s, time.sys_s, time.last = real, user, system, line.number
        self.flush()
        return True

    def other(self, number: int) -> None:
        """End the output after lines that do not belong to it; `time -v` prints many between its times."""
        if self._open is None:
            return
        most = 30 if self._open.form in ("gnu-verbose", "perf") else MAX_GAP_LINES
        if number - self._open.last > most or self._open.form in ("bash", "posix"):
            self.flush()

    def flush(self) -> None:
        """Keep the output that was read, if it has a wall clock time, or user and system time."""
        time, self._open = self._open, None
        if time is not None and (time.real_s is not None or None not in (time.user_s, time.sys_s)):
            self.found.append(time)

    def _begin(self, number: int, form: TimeForm) -> FoundTime:
        if self._open is None or self._open.form != form:
            self.flush()
            self._open = FoundTime(number, number, form)
        return self._open


def seconds_of(text: str) -> float:
    """Return the seconds of `1:02.33`, `0m0.335`, or `0.24`."""
    whole = re.sub(r"m\s*", ":", text).replace(",", ".").rstrip("s")
    seconds = 0.0
    for part in whole.split(":"):
        seconds = seconds * 60 + float(part or 0)
    return round(seconds, 6)


def _scaled(number: str, unit: str) -> float:
    return round(float(number.replace(",", ".")) * _UNITS[unit], 6)
