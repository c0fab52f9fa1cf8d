"""results.json on a terminal: what the platform's page would show the student before the due date.

Everything in it was written by others, so control characters are made visible first, and rich's markup is not read.
Markdown is laid out, as our own outputs are Markdown. Text in any other format is printed as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.text import Text

from grader.render.terminal.styled_text import text
from grader.render.text.escape import one_line, visible_text
from grader.render.text.phrases import points_words

Json = Mapping[str, Any]

_STYLES = {"passed": "green", "failed": "red"}


def student_view(results: Json, stdout: str) -> RenderableType:
    """Return valid results as the student would see them."""
    hidden = [test for test in _tests(results) if not _is_shown(test, results)]
    return Group(
        _score(results, hidden=bool(hidden)),
        *_output(results, "output_format", "simple_format"),
        *(line for test in _tests(results) if _is_shown(test, results) for line in _test(test, results)),
        *_hidden(hidden, results),
        *_leaderboard(results),
        *_stdout(results, stdout),
    )


def _tests(results: Json) -> list[Json]:
    tests: list[Json] = results.get("tests", [])
    return tests


def _visibility(test: Json, results: Json) -> str:
    return str(test.get("visibility", results.get("visibility", "visible")))


def _is_shown(test: Json, results: Json) -> bool:
    return _visibility(test, results) == "visible"


def _score(results: Json, *, hidden: bool) -> Text:
    scores = [test["score"] for test in _tests(results) if "score" in test]
    score = results.get("score", sum(scores) if scores else None)
    total = sum(test.get("max_score", 0) for test in _tests(results))
    words = "no score" if score is None else points_words(score) + (f" of {points_words(total)}" if total else "")
    if score is not None and (hidden or results.get("visibility", "visible") != "visible"):
        return text(("Score: ", "bold"), f"not shown to the student, as not all is visible ({words})")
    return text(("Score: ", "bold"), (words, "bold"))


def _output(holder: Json, key: str, default: str) -> Iterator[RenderableType]:
    output = holder.get("output", "")
    if output:
        # Links are printed with their address, because a link in a terminal could hide where it leads.
        is_markdown = holder.get(key, default) == "md"
        shown = Markdown(visible_text(output, keep="\n\t"), hyperlinks=False) if is_markdown else text(output)
        yield Padding(shown, (0, 0, 0, 2))


def _test(test: Json, results: Json) -> Iterator[RenderableType]:
    status, points = _status(test), _points(test)
    yield text("")
    yield text(
        (f"{status or 'shown'}: ", _STYLES.get(status, "yellow")),
        (_name(test), "bold"),
        f" ({points})" if points else "",
    )
    yield from _output(test, "output_format", results.get("test_output_format", "text"))


def _status(test: Json) -> str:
    if "status" in test:
        return str(test["status"])
    if "score" in test and "max_score" in test:
        return "passed" if test["score"] >= test["max_score"] else "failed"
    return ""


def _name(test: Json) -> str:
    return one_line(f"{test.get('number', '')} {test.get('name', '')}")


def _points(test: Json) -> str:
    if "score" not in test:
        return ""
    most = f"/{points_words(test['max_score'])}" if "max_score" in test else ""
    return f"{points_words(test['score'])}{most}"


def _hidden(tests: list[Json], results: Json) -> Iterator[RenderableType]:
    if tests:
        yield text("")
    for test in tests:
        seen = _visibility(test, results)
        yield text(f"not shown to the student ({seen}): {_name(test)} {_points(test)}", style="dim")


def _leaderboard(results: Json) -> Iterator[RenderableType]:
    if results.get("leaderboard"):
        yield text("")
        yield text("Leaderboard", style="bold")
    for row in results.get("leaderboard", []):
        yield text(one_line(f"{row['name']}: {row['value']}"))


def _stdout(results: Json, stdout: str) -> Iterator[RenderableType]:
    if stdout and results.get("stdout_visibility") == "visible":
        yield text("")
        yield text("Standard output", style="bold")
        yield Padding(text(stdout), (0, 0, 0, 2))
