"""Small changes of a source: words.yaml has a line before and after each, which are its test."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from grader.diagnose.source.c_source import CSource
from grader.diagnose.source.changes.schemata import small_changes
from grader.diagnose.source.edits import CHANGE_VARIABLE, Change, fixed
from grader.explain.change_words import example, operators, words_of

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 60
HEAD = "".join(f"#include <{name}.h>\n" for name in ("ctype", "stdio", "stdlib", "string", "unistd"))


def main_with(body: str) -> bytes:
    return f"{HEAD}int main(int argc, char **argv) {{\n{body}\n}}\n".encode()


def changes_of(source: bytes) -> list[Change]:
    return small_changes(CSource(source))[0]


@pytest.mark.parametrize("op", operators())
def test_an_operator_makes_the_change_of_its_example(op: str) -> None:
    before, after = example(op)
    source = main_with(before)
    made = [change for change in changes_of(source) if change.op == op]
    assert main_with(after).decode() in [(fixed(source, change.edits) or b"").decode() for change in made]


@pytest.mark.parametrize("op", operators())
def test_the_words_about_an_example_are_a_change_and_an_order(op: str) -> None:
    before, after = example(op)
    source = main_with(before)
    (change, *_) = [one for one in changes_of(source) if fixed(source, one.edits) == main_with(after)]
    words = words_of(source, change.op, change.edits, change.names)
    assert words is not None
    assert re.match(r"with(out)? ", words.says)
    assert words.verb
    assert not re.match(r"with(out)? ", words.order)
    assert words.lines
    assert "{" not in re.sub(r"`[^`]*`", "", words.says + words.order)


@pytest.mark.slow
def test_every_example_compiles_in_the_copy_with_all_changes(tmp_path: Path) -> None:
    for op in operators():
        _, copy = small_changes(CSource(main_with(example(op)[0])))
        path = tmp_path / f"{op}.c"
        path.write_bytes(copy)
        command = ["/usr/bin/gcc", "-std=gnu11", "-w", "-fsyntax-only", str(path)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=TIMEOUT_S)
        assert done.returncode == 0, (op, done.stderr)


def written_by(copy: bytes, numbers: Iterable[str], folder: Path) -> list[str]:
    """Return what a copy with all changes writes with each of these."""
    (folder / "copy.c").write_bytes(copy)
    subprocess.run(["/usr/bin/gcc", "-w", "-o", folder / "copy", folder / "copy.c"], check=True, timeout=TIMEOUT_S)
    return [
        subprocess.run(
            [folder / "copy"],
            env={**os.environ, CHANGE_VARIABLE: chosen},
            capture_output=True,
            text=True,
            check=True,
            timeout=TIMEOUT_S,
        ).stdout
        for chosen in numbers
    ]


def test_a_change_of_the_copy_is_chosen_by_its_number(tmp_path: Path) -> None:
    source = main_with('printf("%d", argc < 3);')
    changes, copy = small_changes(CSource(source))
    (number,) = [change.number for change in changes if fixed(source, change.edits) == source.replace(b"< 3", b"> 3")]
    assert written_by(copy, ["", str(number)], tmp_path) == ["1", "0"]


def test_without_a_change_the_copy_does_what_its_program_does(tmp_path: Path) -> None:
    """Other names may have other types: -1 must not become a large number because one of them is unsigned."""
    source = main_with(
        'size_t size = 9; ssize_t got = -1; unsigned n = 1; int i = -2; printf("%d", got < 0 && i < 0);'
    )
    changes, copy = small_changes(CSource(source))
    assert {"size", "n"} <= {edit.text for change in changes for edit in change.edits if change.op == "name"}
    assert written_by(copy, [""], tmp_path) == ["1"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("char b[9]; fread(b, 9, 1, stdin);", "char b[9]; fread(b, 1, 9, stdin);"),
        ("char b[9], *s = argv[1]; strcpy(s, b);", "char b[9], *s = argv[1]; strcpy(b, s);"),
        ('int i = 3, j = argc; printf("%d %d", i, j);', 'int i = 3, j = argc; printf("%d %d", j, i);'),
        ('int i = 3; printf("%d", i - argc);', 'int i = 3; printf("%d", argc - i);'),
        ('printf("%d", argc / 2);', None),
        ('printf("%s", argv[0]);', None),
    ],
)
def test_arguments_of_the_c_library_and_sides_of_a_difference_are_exchanged(before: str, after: str | None) -> None:
    source = main_with(before)
    made = [(fixed(source, change.edits) or b"") for change in changes_of(source) if change.op == "exchanged"]
    assert made == ([] if after is None else [main_with(after)])


VARIANTS = {"descriptors": "descriptor", "pointer-for-array": "pointers-for-arrays"}
"""Ids that are other words for what an operator offers in several places, or in one."""


@pytest.mark.slow
def test_each_operator_is_offered_to_a_program_that_was_not_written_for_it() -> None:
    folders = ("tests/wrong/programs", "tests/exercises", "reference/tr2/mutants")
    sources = [path.read_bytes() for folder in folders for path in (ROOT / folder).rglob("*.c")]
    offered = {change.op for source in sources for change in changes_of(source)}
    assert {*operators()} - offered <= {*VARIANTS}


HALF_READ = {
    "a macro for a loop": b"#define EVER for (;;)\nint main(int n) { EVER { if (n > 3) break; n++; } return n; }",
    "a function of old C": b"main() { int n = 0; while (n < 3) n++; return n; }",
    "a range of cases": b"int main(int n) { switch (n) { case 1 ... 4: n = 2; } if (n < 3) n++; return n; }",
    "words after #endif": b"#ifdef X\n#endif X\nint main(int n) { if (n < 3) n++; return n; }",
    "a name of other letters": "int main(int größe) { if (größe < 3) größe++; return größe; }".encode(),
    "a mark at the beginning": b"\xef\xbb\xbfint main(int n) { if (n < 3) n++; return n; }",
    "a blank before the first line": b" \n int main(int n) { if (n < 3) n++; return n; }",
    "a blank after an include": b"#include <stdio.h> \nint main(int n) { if (n < 3) n++; return n; }",
    "an own header": b'#include "own.h"\nint main(int n) { if (n < 3) n++; return n; }',
    "a name of C as a macro": b"#define read 3\nint main(int n) { if (n < read) n++; return n; }",
}


@pytest.mark.parametrize("name", HALF_READ)
def test_what_the_parser_does_not_understand_stops_no_other_change(name: str, tmp_path: Path) -> None:
    source = HALF_READ[name]
    changes, copy = small_changes(CSource(source))
    (tmp_path / "own.h").touch()
    command = ["/usr/bin/gcc", "-w", "-fsyntax-only", "-x", "c", "-I", str(tmp_path), "-"]
    subprocess.run(command, input=copy, check=True, timeout=TIMEOUT_S)
    assert {"comparison", "statement"} & {change.op for change in changes if change.number is not None}
    for change in changes:
        assert all("\ufffd" not in edit.text for edit in change.edits)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"int main(void) {\nint n = 1 and 2;\nreturn n < 3;\n}\n", [2]),
        (b"int main(void) {\nreturn 1 < 3;\n}\n", []),
        (b"main()\n{\nreturn 1 < 3;\n}\n", [1]),
    ],
)
def test_the_lines_that_could_not_be_parsed_are_known(source: bytes, lines: list[int]) -> None:
    assert sorted(node.start_point.row + 1 for node in CSource(source).unread.values()) == lines


def test_blanks_are_put_at_a_mark_of_a_text_and_not_into_its_conversions() -> None:
    changes = changes_of(main_with('printf("%-5d%+*d: %d,\\n", 1, 2, 3, 4);'))
    texts = {edit.text for change in changes if change.op == "text" for edit in change.edits}
    assert {'"%-5d%+*d:%d,\\n"', '"%-5d%+*d : %d,\\n"'} <= texts
    assert all("%-5d%+*d" in text for text in texts)
