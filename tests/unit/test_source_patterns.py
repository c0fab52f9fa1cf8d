"""Sources that were made to harm the process that parses them: no line, no crash, and no long wait."""

from __future__ import annotations

import json
from collections.abc import Mapping
from resource import RUSAGE_CHILDREN, getrusage

import pytest

from grader.errors import GraderError
from grader.explain import source_patterns
from grader.explain.source_patterns import (
    FoundChanges,
    FoundPlace,
    Question,
    sayings,
    search_sources,
)
from grader.resources import resource
from grader.sandbox.confined_process import MAX_SOURCE_BYTES, Answer

HAS_IT = b"#include <stdio.h>\nint main(void) { char c; while ((c = getchar()) != EOF) putchar(c); }\n"
PATTERNS = {
    path.parent.name: path.read_text(encoding="ascii")
    for path in sorted(resource("reference", "tr2", "mutants").glob("*/pattern.scm"))
}
ROOM = MAX_SOURCE_BYTES - len(HAS_IT) - 20
CPU_S = 2.0

HOSTILE = {
    "a megabyte of parentheses": HAS_IT + b"(" * 1_000_000,
    "parentheses that are never closed": HAS_IT + b"(" * ROOM,
    "parentheses that are closed": HAS_IT + b"int x = " + b"(" * (ROOM // 2) + b"1" + b")" * (ROOM // 2 - 10) + b";",
    "braces": b"void f(void) " + b"{" * (ROOM // 2 - 20) + b"}" * (ROOM // 2 - 20),
    "operators": b"int x = " + b"-" * ROOM + b"1;",
    "blocks of if": b"void f(void) {" + b"if(1)" * (ROOM // 5 - 10) + b";}",
    "NUL bytes": HAS_IT.replace(b"char c", b"char \0c"),
    "only NUL bytes": b"\0" * ROOM,
    "all bytes": bytes(range(256)) * 200 + HAS_IT,
    "another file": b'#include "tr2u.c"\n' + HAS_IT,
    "a stream of macros": b"#define getchar() 1\n" * (ROOM // 20) + HAS_IT,
    "many declarations": b"#include <stdio.h>\nint main(void) {" + b"char c; c = getchar();" * (ROOM // 22) + b"}",
    "many names": b"int " + b"a," * (ROOM // 2 - 10) + b"a;" + b"\x80" * 3,
    "an escape sequence": b"\x1b]0;x\x07" + HAS_IT,
    "nothing": b"",
}


def find_places(source: bytes, patterns: Mapping[str, str]) -> Mapping[str, tuple[FoundPlace, ...]]:
    (found,) = search_sources([Question(source, (patterns,))])
    return found.places[0]


def find_changes(source: bytes) -> FoundChanges | None:
    (found,) = search_sources([Question(source)])
    return found.changes


def cpu_of_children_s() -> float:
    """Return the processor time of all children that have ended, which other work on the machine does not change."""
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_source_has_no_line_and_takes_no_time(name: str) -> None:
    before = cpu_of_children_s()
    found = find_places(HOSTILE[name], PATTERNS)
    assert cpu_of_children_s() - before < CPU_S
    assert {cause: places for cause, places in found.items() if places} == {}


HOSTILE_CHANGES = {
    "comparisons in comparisons": b"int main(int a) { return " + b"(a<" * 5_000 + b"1" + b")" * 5_000 + b"; }",
    "many equal tokens": b"int main(int a) { " + b"if(a<a)a<a;" * (ROOM // 12) + b"}",
    "many loops": b"int main(int a) { int b = 0;" + b"while(a){b=1;" * 300 + b"}" * 301,
}


@pytest.mark.long
@pytest.mark.parametrize("name", [*HOSTILE, *HOSTILE_CHANGES])
def test_a_hostile_source_has_no_change_and_takes_no_time(name: str) -> None:
    before = cpu_of_children_s()
    found = find_changes((HOSTILE | HOSTILE_CHANGES)[name])
    assert cpu_of_children_s() - before < CPU_S
    assert found is None or found.changes == () or b"getchar" in HOSTILE.get(name, b"")


@pytest.mark.parametrize("operator", [b"<", b"&&", b"||"])
def test_conditions_in_conditions_take_no_time(operator: bytes) -> None:
    before = cpu_of_children_s()
    found = find_changes(b"int main(int a) { return " + (b"(a" + operator) * 40 + b"1" + b")" * 40 + b"; }")
    assert cpu_of_children_s() - before < CPU_S
    assert found is None or len(found.copy_with_all) < 100_000


def test_a_number_of_thousands_of_digits_hides_no_change_and_is_no_fault() -> None:
    number = b"9" * 6_000
    (found,) = search_sources([Question(HAS_IT + b"long a = %s; int b[%s];" % (number, number))])
    assert not found.fault
    assert found.changes is not None
    assert "with `==` instead of `!=`" in [change.words.says for change in found.changes.changes]


def test_an_honest_source_has_its_changes() -> None:
    found = find_changes(HAS_IT)
    assert found is not None
    assert "with `==` instead of `!=`" in [change.words.says for change in found.changes]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("names", [(0, 10_000)]),
        ("edits", [(0, 10_000, "x")]),
        ("edits", [(5, 4, "x")]),
    ],
)
def test_an_answer_that_cannot_be_true_is_none(field: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    change = {"op": "name", "edits": [[0, 1, "x"]], "rank": 1, "number": 1, "names": [], field: value}
    answer = json.dumps({"changes": [change], "copy_with_all": ""}).encode()
    monkeypatch.setattr(source_patterns, "ask", lambda *_: [Answer("answered", (answer,))])
    (found,) = search_sources([Question(HAS_IT)])
    assert found.changes is None
    assert found.given_up


def test_places_that_cannot_be_true_are_not_lost_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    right = b'{"changes": [], "copy_with_all": ""}'
    rest = b'"verb": "", "order": "", "one": false, "proof": false'
    for line in (b"[]", b'{"bug": [{"lines": [9], "edits": [], "says": "", %s}]}' % rest):
        monkeypatch.setattr(source_patterns, "ask", lambda *_, line=line: [Answer("answered", (line, right))])
        (found,) = search_sources([Question(HAS_IT, ({"bug": ""},))])
        assert found.places == ({},)
        assert found.given_up


def test_an_honest_source_has_its_line() -> None:
    (place,) = find_places(HAS_IT.replace(b"char c", b"char c /* \xe9 */"), PATTERNS)["char-for-getchar"]
    assert place.lines == (2,)
    assert place.says == "with `int c` instead of `char c`"


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("char-for-getchar", b"char c;", b"signed\tchar c;", "with `int c` instead of `signed char c`"),
        ("unsigned-char-for-getchar", b"char c;", b"unsigned char c;", "with `int c` instead of `unsigned char c`"),
        (
            "char-for-getchar",
            b"char c; while ((c = ",
            b"int c; while ((c = (char)",
            "with `(int)` instead of `(char)`",
        ),
        (
            "longer-to-accepted",
            b"#include <stdio.h>\nint main(void) {",
            b"#include <string.h>\nint main(int n, char **v) { if (strlen(v[1]) <strlen(v[2])) return n;",
            "with `!=` instead of `<`",
        ),
    ],
)
def test_what_a_fix_changes_is_named_as_in_the_source(name: str, old: bytes, new: bytes, says: str) -> None:
    (place,) = find_places(HAS_IT.replace(old, new), PATTERNS)[name]
    assert place.says == says
    assert (place.verb, place.order) == ("write", says.removeprefix("with "))


def test_a_place_says_nothing_but_operands_types_and_comparisons() -> None:
    (says,) = sayings('(#set! says "with `{new}` instead of `{old}`")')
    for words in (
        "c",
        "unsigned long int",
        "const char",
        "<",
        ">=",
        "!=",
        "==",
        "*p",
        "**q",
        "*p++",
        "from[i]",
        "argv[1][n - 1]",
        "s->next.c",
    ):
        assert says.fullmatch(f"with `int` instead of `{words}`")
    for words in (
        "",
        "=",
        "pay me now",
        "a b",
        "char c",
        "<b>",
        "x" * 42,
        "f()",
        "a[b c]",
        "*",
        "a`",
        "a[b[c]]",
        "a + b",
        "char\nint",
    ):
        assert not says.fullmatch(f"with `int` instead of `{words}`")


@pytest.mark.parametrize(("status", "lines"), [("errno", (2,)), ("0", (2,)), ("code", ()), ("EXIT_FAILURE", ())])
def test_an_exit_after_a_message_has_its_line_if_its_status_may_be_0(status: str, lines: tuple[int, ...]) -> None:
    source = 'int main(int argc, char **argv) {\nif (argc != 3) { fprintf(stderr, "usage\\n"); exit(STATUS); }\n}\n'
    found = find_places(source.replace("STATUS", status).encode(), PATTERNS)["message-but-exit-0"]
    assert [place.lines for place in found] == ([lines] if lines else [])


def test_what_is_too_large_is_not_parsed_and_named() -> None:
    (found,) = search_sources([Question(b" " * (MAX_SOURCE_BYTES + 1), (PATTERNS,))])
    assert found.places == (dict.fromkeys(PATTERNS, ()),)
    assert "too large" in found.given_up
    (found,) = search_sources([Question(HAS_IT.ljust(MAX_SOURCE_BYTES), (PATTERNS,))])
    assert not found.given_up


def test_a_pattern_that_is_wrong_is_our_fault() -> None:
    with pytest.raises(GraderError, match="no-such"):
        find_places(b"int x;", {"bug": '((identifier) @line (#no-such? @line "x"))'})


def test_a_source_that_ends_its_parser_leaves_the_others_alone() -> None:
    """The second one takes all its time for the first group of patterns, and is killed."""
    endless = HOSTILE["many declarations"]
    groups = PATTERNS, {"bug": "((while_statement) @line)"}
    first, second, third = search_sources([Question(one, groups) for one in (HAS_IT, endless, HAS_IT)])
    assert first == third
    assert [place.lines for place in first.places[1]["bug"]] == [(2,)]
    assert second.places[1] == {"bug": ()}
    assert [bool(one.given_up) for one in (first, second, third)] == [False, True, False]


INCLUDES = b'#include "own.h"\nint count(int size)\n{\n    return size + 1 > LIMIT;\n}\n'


@pytest.mark.parametrize(
    ("headers", "unsearched"),
    [
        ({"own.h": b"#ifndef OWN_H\n#define OWN_H\n#define LIMIT 10\nint count(int size);\n#endif\n"}, False),
        ({"own.h": b'#include "more.h"\n', "more.h": b"struct list { int size; };\n#define LIMIT 10\n"}, False),
        ({}, True),
        ({"other.h": b"#define LIMIT 10\n"}, True),
        ({"own.h": b'#include "more.h"\n#define LIMIT 10\n'}, True),
        ({"own.h": b"#ifdef X\n#  define return exit\n#endif\n"}, True),
        ({"own.h": b"static inline int twice(int x)\n{\n    return 2 * x;\n}\n"}, True),
        ({"own.h": b"int twice(int x)\r\n{\r\n    return 2 * x;\r\n}\r\n"}, True),
        ({"own.h": b"int twice(int x) // this\n/* and\n that */ { return 2 * x; }\n"}, True),
        ({"own.h": b"#define \\\n return exit\n"}, True),
        ({"own.h": b"#/**/define return exit\n"}, True),
        ({"own.h": b"#define LIMIT 10\n", "other.h": b"int f(void) { return 1; }\n"}, False),
        ({"own.h": b'#include "own.h"\n#define LIMIT 10 // int f() {}\n'}, False),
    ],
)
def test_a_header_is_read_if_it_is_known(headers: dict[str, bytes], unsearched: bool) -> None:  # noqa: FBT001
    (found,) = search_sources([Question(INCLUDES, headers=headers)])
    assert found.changes is not None
    assert bool(found.changes.unsearched) == unsearched


def test_a_header_of_any_text_takes_no_long_time() -> None:
    half = MAX_SOURCE_BYTES // 2
    units = (b"#define ", b"#", b") \n", b"#define a(", b" \t", b"/*", b"/*/", b"\\\n")
    before_s = cpu_of_children_s()
    for unit in units:
        text = b")" + unit * (half // len(unit))
        (found,) = search_sources([Question(INCLUDES, headers={"own.h": text})])
        assert not found.given_up, unit
    assert cpu_of_children_s() - before_s < CPU_S * len(units)
