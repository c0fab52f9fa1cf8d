"""The number with a unit: what printf writes is read, and nothing else is taken for a number or for a part of one."""

from __future__ import annotations

import pytest

from grader.judge.one_number import number_problem
from grader.model.spec.expectations import Number

SECONDS = Number(unit=("seconds", "s", "ms"), min=0, max=60)
VALUES = (0.0, 0.000075, 0.5, 1.0, 12.25, 60.0)
BYTES = 262_144


def how(text: str, rule: Number = SECONDS) -> str:
    found = number_problem(rule, text, "")
    return found[1] if found else ""


@pytest.mark.parametrize(
    "form",
    ["%g", "%G", "%e", "%E", "%f", "%.0f", "%.20f", "%.40e", "%+g", "%+.3e", "% g", "%d", "%i", "%05d", "%+d", "%#g"],
)
def test_each_form_of_printf_is_read(form: str) -> None:
    for value in VALUES:
        for unit in ("s", " s", "\tseconds", " ms"):
            assert how(f"it took {form % value}{unit}\n") == "", (value, unit)
        if value >= 1:
            assert how(f"it took {form % -value} s") == "low", value
            assert how(f"it took {form % (value * 1e3)} s") == "high", value


@pytest.mark.parametrize(
    "text",
    [
        *(
            "took 0.5 s",
            "time=0.5s",
            "time:0.5s",
            "0.5 s, 3 runs",
            "(12 ms)",
            "12ms/run",
            "5 s.",
            "“5 s”",
            "'5 s'",
            "|5 s|",
        ),
        *(
            "run,5 s",
            "~5 s",
            "-0.000000 s",
            "#3: 5 s",
            "file5 s: 3 s",
            "3, 4 and 5 s",
            "12:30 5 s",
            "1/3: 5 s",
            ".5 s",
        ),
        *("[0x1f] 5 s", "5 s - 3 runs", "2024-01-05: 5 s", "5 s:3 runs", "3e5 x, 5 s"),
    ],
)
def test_what_labs_print_passes(text: str) -> None:
    assert how(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1:30 s",
            "1/3 s",
            "10-5 s",
            "12%5 s",
            "5 s/2",
            "5 s*2",
            "range 3-5 s",
            "3\u20135 s",
            "3·10 s",
            "2**5 s",
            "5±1 s",
            "3+4 s",
        ),
        *(
            "1e5.5 s",
            "1e-5e3 s",
            "--5 s",
            "...5 s",
            "1.2.3 s",
            "0x1.8p+1 s",
            "time-5 s",
            "v1/3 s",
            "1e400 s",
            "12ms-15ms",
        ),
    ],
)
def test_what_is_not_one_number_is_not_read_as_its_end(text: str) -> None:
    assert how(text) == "unreadable"


@pytest.mark.parametrize(
    "text", ["inf s", "nan s", "0x10 s", "abc5 s", "5_000 s", "5 sheep", "٣5 s", "", "5e s", "5, s"]
)
def test_what_has_no_number_with_the_unit_has_none(text: str) -> None:
    assert how(text) == "number"


@pytest.mark.parametrize("text", ["9,600 s", "1'000 s", "9\u202f600 s", "-1,600.5 s", "0,5 s"])
def test_separators_are_named(text: str) -> None:
    assert how(text) == "separated"


@pytest.mark.parametrize(("text", "expected"), [("\u22125 s", "low"), ("-1e-5 s", "low"), ("3e+10 seconds", "high")])
def test_signs_and_exponents_are_parts_of_a_number(text: str, expected: str) -> None:
    found = number_problem(SECONDS, f"it took {text}\n", "")
    assert found is not None
    assert found[0].startswith(f"says {text.split(maxsplit=1)[0]} seconds; ")
    assert found[1] == expected


def test_a_unit_may_be_a_sign() -> None:
    rule = Number(unit="%", min=0, max=100)
    assert [how(text, rule) for text in ("50%", "50 %", "3.5%, 4 files", "101%", "0%-50%", "12%5 %")] == [
        *("", "", "", "high", "unreadable", "unreadable")
    ]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "part",
    ["1", "-", "e", "1e", "3e+5", ".e5", "5-", ":5:", "a5", "5 s ", "abc5 s ", ",", ",5", "5" + " " * 20, "\t"],
)
def test_no_text_takes_long(part: str) -> None:
    # With the square of the text's length, each would take minutes.
    text = part * (BYTES // len(part))
    found = number_problem(SECONDS, text + " s", "")
    assert found is None or len(found[0]) < 200
