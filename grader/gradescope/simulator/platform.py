"""What Gradescope makes of the bytes that an autograder left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from grader.gradescope.simulator.fields import mistakes, unknown

OUTPUT_CHARS = 100_000
CUT_MARK = "[...(truncated)...]"
UNPARSED = "\nYour results.json file could not be parsed as JSON. Its contents are as follows:\n\n"
FAILED = (
    "The autograder failed to execute correctly. Please ensure that your submission is valid. Contact your course "
    "staff for help in debugging this issue. Make sure to include a link to this page so that they can help you most "
    "effectively."
)
NO_RESULTS: Mapping[str, Any] = {"score": 0, "output": FAILED}


@dataclass(frozen=True)
class AcceptedResults:
    """Results as the platform takes them, or NO_RESULTS in their place.

    `problem` says why they are no grade, and is empty where they are one; `mistakes` are all fields that are wrong,
    `warnings` what is unknown to the platform or shown otherwise than written. `notice` is what the platform adds to
    the standard output.
    """

    results: Mapping[str, Any]
    problem: str = ""
    notice: str = ""
    mistakes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def accept(raw: bytes | None) -> AcceptedResults:
    """Return what the platform makes of results.json; None: there is none."""
    if raw is None:
        return AcceptedResults(NO_RESULTS, "there is no results.json")
    notice = UNPARSED + readable(raw)
    try:
        content = json.loads(readable(raw), parse_constant=_refuse)
        if not isinstance(content, dict):
            return AcceptedResults(NO_RESULTS, "results.json is not an object", notice)
        results = _without_nul(content)
        changed = results != content
    except ValueError as error:
        return AcceptedResults(NO_RESULTS, f"results.json is no JSON: {error}", notice)
    except RecursionError:
        return AcceptedResults(NO_RESULTS, "results.json is nested too deep to be read", notice)
    wrong = tuple(mistakes(results))
    warnings = [f"{place} is unknown to the platform" for place in unknown(results)]
    if changed or b"\0" in raw:
        warnings.append("there is NUL in it, which the platform replaces")
    for place, holder in _outputs(results):
        if len(holder["output"]) > OUTPUT_CHARS:
            warnings.append(f"{place} has {len(holder['output']):,} characters and is cut in its middle")
            holder["output"] = cut(holder["output"])
    return AcceptedResults(results, _problem(results, wrong), mistakes=wrong, warnings=tuple(warnings))


def readable(data: bytes) -> str:
    """Return bytes as the platform reads them: what is no UTF-8 is replaced, and so is NUL."""
    return _no_nul(data.decode("utf-8", "replace"))


def cut(text: str) -> str:
    """Cut a text in its middle where it has more than OUTPUT_CHARS characters."""
    if len(text) <= OUTPUT_CHARS:
        return text
    half = (OUTPUT_CHARS - len(CUT_MARK)) // 2
    return f"{text[:half]}{CUT_MARK}{text[-half:]}"


def _problem(results: Mapping[str, Any], wrong: tuple[str, ...]) -> str:
    if wrong:
        return f"results.json is not as the platform wants it: {wrong[0]}"
    if "score" not in results and not results.get("tests"):
        return "results.json has neither a score nor tests, so there is no score"
    return ""


def _refuse(name: str) -> NoReturn:
    # Python reads them, but what has them cannot be sent on as JSON.
    raise ValueError(f"{name} is no number")


def _no_nul(text: str) -> str:
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _without_nul(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return _no_nul(value)
    if isinstance(value, list):
        return [_without_nul(item) for item in value]
    if isinstance(value, dict):
        return {_no_nul(key): _without_nul(item) for key, item in value.items()}
    return value


def _outputs(results: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    tests = results.get("tests")
    listed = tests if isinstance(tests, list) else []
    for place, holder in [("", results), *((f"tests[{number}].", test) for number, test in enumerate(listed))]:
        if isinstance(holder, dict) and isinstance(holder.get("output"), str):
            yield f"{place}output", holder
