"""Write fixtures/*.txt, notebooks made for these tests from captured output, and what is in each as *.json.

    .venv/bin/python -m tests.notebook.make_fixtures

The answers follow from what was run and how it was laid out, not from the reader.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.notebook.compose import PROSE, Composed, Layout, add, add_prose, capture

FIXTURES = Path(__file__).parent / "fixtures"
ENGLISH, GERMAN, JAPANESE, RUSSIAN, CHINESE = PROSE[:5]
CODE = PROSE[8]


def tables(
    made: Composed, layout: Layout, data: str = "plain.in", sinks: tuple[str, ...] = ("file", "terminal")
) -> None:
    for sink in sinks:
        for program in ("tr2b", "tr2u"):
            add(made, capture(kind="table", form="-c", program=program, input=data, sink=sink), layout)


def times(made: Composed, layout: Layout, form: str) -> None:
    for program in ("tr2b", "tr2u"):
        add(made, capture(kind="time", form=form, program=program, input="big.in", sink="file"), layout)


def complete(made: Composed, layout: Layout) -> None:
    add_prose(made, ENGLISH)
    tables(made, layout)
    times(made, layout, "bash")
    add_prose(made, ["The buffered program makes fewer calls, so it needs less time, as expected."])


def with_code(made: Composed, layout: Layout) -> None:
    add_prose(made, CODE)
    tables(made, layout, sinks=("/dev/null",))
    add_prose(made, PROSE[7])
    times(made, layout, "ksh")
    add_prose(made, PROSE[9])


def of_language(lines: list[str], form: str) -> Callable[[Composed, Layout], None]:
    def made_of(made: Composed, layout: Layout) -> None:
        add_prose(made, lines)
        tables(made, layout, "text.in")
        add_prose(made, lines)
        times(made, layout, form)
        add_prose(made, lines)

    return made_of


def logs(made: Composed, layout: Layout) -> None:
    add_prose(made, ["I looked at every call of a short copy first."])
    for program in ("tr2b", "tr2u"):
        add(made, capture(kind="log", program=program), layout)
    for program in ("tr2b", "tr2u"):
        log = capture(kind="log", program=program)
        made.lines += [
            f"{layout.prompt}strace -o {program}.log {log['command']}",
            f"{layout.prompt}wc -l {program}.log",
            f"{log['text'].count(chr(10)) + 1} {program}.log",
            "",
        ]
        made.line_counts.append(
            {
                "program": program,
                "file": f"{program}.log",
                "count": log["text"].count("\n") + 1,
                "sink": "file",
                "lines": [len(made.lines) - 1] * 2,
            }
        )


def early_stop(made: Composed, layout: Layout) -> None:
    made.lines += ["$ head -c 5000000 /dev/urandom > random5m.in", ""]
    for sink in ("file", "terminal"):
        add(made, capture(kind="table", program="tr2b", input="random5m.in", sink=sink), layout)
    add_prose(made, ["The first run ended too soon, so I repaired the program and ran it again."])


def full_size(made: Composed, layout: Layout) -> None:
    for program, sink in (("tr2b", "file"), ("tr2u", "/dev/null"), ("tr2b", "terminal")):
        add(made, capture(kind="table", form="-c", program=program, input="big.in", sink=sink), layout)
    times(made, layout, "bash")
    add_prose(made, ["tr2b is twice as fast as tr2u with a file of 10 MB."])


def full_size_only_rows(made: Composed, layout: Layout) -> None:
    full_size(made, layout)
    times(made, layout, "gnu")


FIXTURES_BY_NAME: dict[str, tuple[Callable[[Composed, Layout], None], Layout]] = {
    "complete": (complete, Layout()),
    "indented-in-steps": (complete, Layout(prompt="user@host:~/lab$ ", indent="  ", staircase=True)),
    "headings-cut": (complete, Layout(prompt=">$", heading="cut", operands="quoted")),
    "headings-missing": (complete, Layout(prompt="[user@host lab]$ ", heading="missing", total="cut")),
    "totals-missing": (complete, Layout(prompt="% ", total="missing", blank_lines=1)),
    "tabs-and-returns": (complete, Layout(prompt="# ", tabs=True, ending="\r\n")),
    "returns-only": (complete, Layout(prompt="bash-5.1$ ", ending="\r", operands="tight")),
    "utf-16-without-mark": (of_language(ENGLISH, "zsh"), Layout(prompt="➜  lab ", encoding="utf-16-le")),
    "utf-16-chinese": (of_language(CHINESE, "csh"), Layout(prompt="host% ", encoding="utf-16-bom")),
    "latin-1-german": (of_language(GERMAN, "posix"), Layout(prompt="$ ", encoding="latin-1")),
    "russian-zsh": (of_language(RUSSIAN, "zsh"), Layout(prompt="➜  lab git:(main) ✗ ")),
    "japanese-gnu": (of_language(JAPANESE, "gnu"), Layout(prompt="user@host ~ % ")),
    "gnu-verbose": (of_language(ENGLISH, "gnu-verbose"), Layout(prompt="", heading="no dashes")),
    "code-around": (with_code, Layout(prompt="(base) user@host lab % ")),
    "logs": (logs, Layout(prompt="$ ")),
    "no-commands": (complete, Layout(commands=False)),
    "quoted-mail": (complete, Layout(prompt="> ", prefix="> ")),
    "early-stop": (early_stop, Layout(prompt="$ ")),
    "full-size": (full_size, Layout(prompt="$ ")),
    "full-size-only-rows": (
        full_size_only_rows,
        Layout(prompt="- ", heading="missing", rows="reads and writes", total="missing"),
    ),
}


def main() -> None:
    FIXTURES.mkdir(exist_ok=True)
    for name, (compose, layout) in FIXTURES_BY_NAME.items():
        made = Composed()
        compose(made, layout)
        (FIXTURES / f"{name}.txt").write_bytes(made.data(layout))
        answers = json.dumps(made.answers(), indent=1)
        (FIXTURES / f"{name}.json").write_text(answers + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
