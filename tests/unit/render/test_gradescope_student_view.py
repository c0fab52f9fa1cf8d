"""What `grader gradescope try` shows of results, all of which may be a student's words."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console, RenderableType

from grader.gradescope.results.student_view import student_view

EVIL = "a\x1b]8;;http://evil\x1b\\b\x1b[2J\x9b31mc\u202e [red]d[/red] \x07"
INERT = r"a\x1b]8;;http://evil\x1b\b\x1b[2J\x9b31mc\u202e [red]d[/red] \a"


def printed(what: RenderableType, *, colours: bool = False) -> str:
    """What reaches a terminal; `colours`: one that has colours and links."""
    file = io.StringIO()
    console = Console(file=file, width=200, force_terminal=colours, color_system="truecolor" if colours else None)
    console.print(what, crop=False)
    return file.getvalue()


def shown(results: dict[str, Any], stdout: str = "") -> str:
    return printed(student_view(results, stdout))


def raw(results: dict[str, Any], stdout: str = "") -> str:
    return printed(student_view(results, stdout), colours=True)


@pytest.mark.parametrize("kind", ["text", "html", "simple_format", "md", "ansi"])
@pytest.mark.parametrize("place", ["top", "test", "name", "row", "stdout"])
def test_other_peoples_text_reaches_no_terminal_as_an_order(kind: str, place: str) -> None:
    results: dict[str, Any] = {
        "score": 1,
        "output_format": kind,
        "test_output_format": kind,
        "stdout_visibility": "visible",
        "output": EVIL if place == "top" else "x",
        "tests": [{"name": EVIL if place == "name" else "n", "output": EVIL if place == "test" else "x"}],
        "leaderboard": [{"name": EVIL if place == "row" else "r", "value": 1}],
    }
    written = raw(results, EVIL if place == "stdout" else "")
    for order in ("\x1b]", "\x1b[2J", "\x9b", "\x07", "\u202e"):
        assert order not in written
    assert INERT in shown(results, EVIL if place == "stdout" else "")


def test_markdown_is_laid_out_and_its_links_are_told() -> None:
    written = raw({"score": 1, "output": "**bold** [here](http://there.example)", "output_format": "md"})
    assert "\x1b[1mbold" in written
    assert "http://there.example" in written
    assert "\x1b]8" not in written


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ({"score": 2.5}, "Score: 2.5\n"),
        ({"score": 2, "tests": [{"score": 1, "max_score": 4}]}, "Score: 2 of 4\n"),
        ({"tests": [{"score": 1, "max_score": 4}, {"score": 0.5, "max_score": 1}]}, "Score: 1.5 of 5\n"),
        ({"tests": [{"name": "a"}]}, "Score: no score\n"),
        ({"score": 2, "visibility": "hidden"}, "Score: not shown to the student, as not all is visible (2)\n"),
        (
            {"score": 2, "tests": [{"visibility": "after_published"}]},
            "Score: not shown to the student, as not all is visible (2)\n",
        ),
    ],
)
def test_the_score(results: dict[str, Any], words: str) -> None:
    assert shown(results).startswith(words)


@pytest.mark.parametrize(
    ("test", "line"),
    [
        ({"name": "n", "status": "passed"}, "passed: n\n"),
        ({"name": "n", "number": "1.2", "status": "failed", "score": 0, "max_score": 3}, "failed: 1.2 n (0/3)\n"),
        ({"name": "n", "score": 3, "max_score": 3}, "passed: n (3/3)\n"),
        ({"name": "n", "score": 2, "max_score": 3}, "failed: n (2/3)\n"),
        ({"name": "n", "score": 2}, "shown: n (2)\n"),
        ({"name": "n"}, "shown: n\n"),
    ],
)
def test_a_test(test: dict[str, Any], line: str) -> None:
    assert f"\n{line}" in shown({"score": 1, "tests": [test]})


def test_what_a_student_does_not_see_is_named_and_its_output_is_not_shown() -> None:
    hidden = {"name": "trap", "output": "SECRET", "visibility": "after_due_date", "score": 1, "max_score": 2}
    written = shown({"score": 1, "tests": [hidden, {"name": "open", "output": "OPEN", "visibility": "visible"}]})
    assert "not shown to the student (after_due_date): trap 1/2" in written
    assert "SECRET" not in written
    assert "OPEN" in written


def test_the_whole_runs_visibility_is_that_of_tests_without_one_of_their_own() -> None:
    tests = [{"name": "one"}, {"name": "two", "visibility": "visible"}]
    written = shown({"score": 1, "visibility": "hidden", "tests": tests})
    assert "not shown to the student (hidden): one" in written
    assert "shown: two" in written


def test_standard_output_is_shown_only_where_the_zip_wants_it_to() -> None:
    assert "printed" not in shown({"score": 1}, "printed")
    assert "printed" not in shown({"score": 1, "stdout_visibility": "after_published"}, "printed")
    assert "printed" in shown({"score": 1, "stdout_visibility": "visible"}, "printed")


def test_the_leaderboard() -> None:
    rows = [{"name": "seconds", "value": 1.25, "order": "asc"}, {"name": "stars", "value": "**"}]
    assert "Leaderboard\nseconds: 1.25\nstars: **\n" in shown({"score": 1, "leaderboard": rows})
