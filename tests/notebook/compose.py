"""Put captured output together into notebooks of any layout, together with what a reader must find in them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CAPTURES: list[dict[str, Any]] = json.loads((HERE / "captures.json").read_text(encoding="ascii"))

PROMPTS = (
    "", "$ ", "$", "% ", "# ", "> ", ">$", "$> ", "$$ ", "bash-5.1$ ", "sh-4.2# ", "user@host:~/lab$ ",
    "[user@host lab]$ ", "[user@host lab]$", "user@host:/tmp/a b$ ",
    "(base) user@host lab % ", "host% ", "➜  lab ", "➜ ",
    "➜  lab git:(main) ✗ ",
    "\u276f ", "[10:22:07] user@host:~$ ", "user@host ~/lab> ", "(a) ", "1. ", "- ", "    $ ", "\t",
    "➜  ~ ", "[1]% ", "root@box:/# ", "host:lab user$ ", "λ ", "12:01 $ ", "$\t", "|user@host|$ ",
)  # fmt: skip

PROSE = (
    ["I wanted to see how many calls each program makes when it copies a file.", "The numbers are below."],
    ["Als Nächstes habe ich gemessen, wie oft das Programm liest und schreibt.", "Das Ergebnis überrascht nicht."],
    ["次に、システムコールの回数を数えました。バッファの効果がよくわかります。"],
    ["Теперь посмотрим, сколько системных вызовов делает каждая программа."],
    ["然后我用同一个文件再测了一遍\uff0c结果几乎一样。"],
    ["time is what matters here, and strace shows that most of it is spent in the kernel."],
    ["> a remark that somebody quoted", "% of the calls are reads, the others are writes"],
    ["# Results", "", "* the loop reads 1 byte", "* the other one reads a buffer"],
    ["int main(void) {", "    char c = getchar(); /* time ./a.out */", '    printf("strace -c ./prog < in");', "}"],
    ["real programs use buffers; user programs that do not are slow, sys time says why."],
    ["100% of 5 runs took 0.5 s, 3.25 seconds in total write calls 12 13 14"],
)


@dataclass
class Layout:
    """How a notebook is laid out."""

    prompt: str = "$ "
    indent: str = ""
    staircase: bool = False
    tabs: bool = False
    heading: str = "whole"
    total: str = "whole"
    ending: str = "\n"
    encoding: str = "utf-8"
    prefix: str = ""
    blank_lines: int = 0
    commands: bool = True
    operands: str = "plain"
    rows: str = "all"


@dataclass
class Composed:
    """Lines of a notebook, and what is in them."""

    lines: list[str] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    times: list[dict[str, Any]] = field(default_factory=list)
    logs: list[dict[str, Any]] = field(default_factory=list)
    line_counts: list[dict[str, Any]] = field(default_factory=list)

    def data(self, layout: Layout) -> bytes:
        text = layout.ending.join(self.lines) + layout.ending
        encoding, mark = layout.encoding, b""
        if encoding == "utf-16-bom":
            encoding, mark = "utf-16-le", b"\xff\xfe"
        return mark + text.encode(encoding, "replace")

    def answers(self) -> dict[str, Any]:
        return {
            "tables": self.tables, "times": self.times, "logs": self.logs, "line_counts": self.line_counts,
        }  # fmt: skip


def capture(**wanted: str) -> dict[str, Any]:
    return next(one for one in CAPTURES if all(one[key] == value for key, value in wanted.items()))


def captures(kind: str) -> list[dict[str, Any]]:
    return [one for one in CAPTURES if one["kind"] == kind]


def add_prose(to: Composed, lines: Sequence[str]) -> None:
    to.lines += ["", *lines, ""]


def add(to: Composed, one: dict[str, Any], layout: Layout) -> None:
    """Add a command line and its output, with what is known about it then."""
    has_own_command = one["form"] == "zsh"
    known = layout.commands or has_own_command
    item: dict[str, Any] = {
        "program": one["program"] if known else None,
        "operands": one["operands"] if known else None,
        "input": one["input"] if known else None,
        "sink": one["sink"] if known else None,
    }
    if layout.commands:
        to.lines.append(layout.prompt + _command(one, layout))
        to.lines += [""] * layout.blank_lines
    first = len(to.lines) + 1
    shown = one["text"].split("\n")
    if one["kind"] == "table":
        shown, cut = _cut_table(shown, layout)
        item |= _table_numbers(one["text"], shown)
        item["complete"] = not cut
    lines = [_moved(line, number, layout) for number, line in enumerate(shown)]
    to.lines += lines
    item["lines"] = [first, len(to.lines)]
    if one["kind"] == "time":
        # The first line of GNU time's output says what was run.
        if one["form"] == "gnu-verbose" and not known:
            item |= {"program": one["program"], "operands": one["operands"]}
        item |= _seconds(one)
        to.times.append(item)
    elif one["kind"] == "table":
        to.tables.append(item)
    else:
        # The log has the call that started the program.
        item |= {"program": one["program"], "operands": one["operands"]}
        to.logs.append(item)
    to.lines.append("")


def _command(one: dict[str, Any], layout: Layout) -> str:
    command = str(one["command"])
    if layout.operands == "quoted":
        command = command.replace("abc xyz", "'abc' \"xyz\"")
    if layout.operands == "tight":
        command = command.replace("< ", "<").replace("> ", ">")
    if one["kind"] == "log":
        return f"strace {command}"
    if one["kind"] == "time":
        return {"gnu": "/usr/bin/time ", "gnu-verbose": "/usr/bin/time -v ", "posix": "time -p "}.get(
            one["form"], "time "
        ) + command
    return f"strace {one['form']} {command}"


def _cut_table(lines: list[str], layout: Layout) -> tuple[list[str], bool]:
    heading, dashes, *rows, other_dashes, total = lines
    if layout.rows == "reads and writes":
        rows = [row for row in rows if row.split()[-1] in ("read", "write")]
    top = {
        "whole": [heading, dashes],
        "cut": [heading[heading.index("usecs/call") :], dashes],
        "short": ["call     calls    errors syscall", dashes],
        "no dashes": [heading],
        "missing": [],
    }[layout.heading]
    bottom = {
        "whole": [other_dashes, total],
        "cut": [other_dashes, total[: total.rindex("total") + 2]],
        "short": [other_dashes, total[:35]],
        "missing": [],
    }[layout.total]
    return [*top, *rows, *bottom], layout.heading not in ("whole", "no dashes") or layout.total != "whole"


def _table_numbers(whole: str, shown: list[str]) -> dict[str, Any]:
    calls = {words[-1]: int(words[3]) for words in map(str.split, whole.split("\n")[2:-2])}
    visible = {line.split()[-1] for line in shown if line.split()[-1] in calls}
    total = sum(calls.values()) if shown[-1].endswith(("total", " to")) else None
    return {"calls": {name: number for name, number in calls.items() if name in visible}, "total_calls": total}


def _moved(line: str, number: int, layout: Layout) -> str:
    if layout.tabs:
        line = "\t".join(line.split("  "))
    steps = " " * number * 3 if layout.staircase else ""
    return layout.prefix + layout.indent + steps + line


def _seconds(one: dict[str, Any]) -> dict[str, float]:
    """Read the seconds of a captured time by place: each form has its own."""
    words = one["text"].replace("(h:mm:ss or m:ss)", "").split()
    match one["form"]:
        case "bash" | "ksh":
            values = [float(words[at].split("m")[0]) * 60 + float(words[at].split("m")[1][:-1]) for at in (1, 3, 5)]
        case "posix":
            values = [float(words[at]) for at in (1, 3, 5)]
        case "zsh":
            values = [float(words[-2]), float(words[-8][:-1]), float(words[-6][:-1])]
        case "csh":
            values = [_clock(words[2]), float(words[0][:-1]), float(words[1][:-1])]
        case "gnu":
            values = [_clock(words[2][: -len("elapsed")]), float(words[0][:-4]), float(words[1][: -len("system")])]
        case _:
            by_name = dict(line.strip().rsplit(": ", 1) for line in one["text"].split("\n"))
            values = [
                _clock(by_name["Elapsed (wall clock) time (h:mm:ss or m:ss)"]),
                float(by_name["User time (seconds)"]),
                float(by_name["System time (seconds)"]),
            ]
    return dict(zip(("real_s", "user_s", "sys_s"), values, strict=True))


def _clock(text: str) -> float:
    minutes, seconds = text.split(":")
    return int(minutes) * 60 + float(seconds)


def recombined(seed: int) -> tuple[Composed, Layout]:
    """Return a notebook of random blocks in a random layout; the same seed gives the same notebook."""
    pick = random.Random(seed)  # noqa: S311 - a test's choice
    encoding = pick.choice(
        ["utf-8", "utf-8", "utf-8", "utf-16-bom", "utf-16-le", "utf-16-be", "utf-8-sig", "latin-1"]
    )
    layout = Layout(
        indent=pick.choice(["", "", "    ", "\t"]),
        staircase=pick.random() < 0.2,
        tabs=pick.random() < 0.2,
        ending=pick.choice(["\n", "\n", "\r\n", "\r", "\r\r\n"]),
        encoding=encoding,
        prefix=pick.choice(["", "", "", "> ", "| ", "# "]),
    )
    made = Composed()
    blocks = [one for one in CAPTURES if one["kind"] != "log" or pick.random() < 0.1]
    for one in pick.sample(blocks, pick.randint(1, 7)):
        layout.prompt = pick.choice(PROMPTS)
        if encoding == "latin-1" and not layout.prompt.isascii():
            layout.prompt = "$ "
        layout.heading = pick.choice(["whole", "whole", "cut", "short", "no dashes", "missing"])
        layout.total = pick.choice(["whole", "whole", "whole", "cut", "short", "missing"])
        layout.blank_lines = pick.choice([0, 0, 1, 2])
        layout.operands = pick.choice(["plain", "quoted", "tight"])
        layout.rows = pick.choice(["all", "all", "all", "reads and writes"])
        layout.commands = pick.random() < 0.9
        if pick.random() < 0.7:
            add_prose(made, pick.choice(PROSE))
        add(made, one, layout)
    return made, layout
