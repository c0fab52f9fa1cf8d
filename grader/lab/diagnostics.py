"""Report what is wrong with a YAML file: each mistake with its line, key path and the key that was probably meant."""

from __future__ import annotations

import difflib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import ErrorDetails

from grader.errors import SpecError, together
from grader.lab.key_paths import DocumentPosition, KeyPath, keys_at, locate
from grader.lab.marked_yaml import MarkedDict
from grader.model.base import Model
from grader.model.counted import counted
from grader.model.spec.hidden_cases import SEED_BYTES
from grader.model.spec.inconsistency import GuessableSeedError, InconsistenciesError, InconsistencyError
from grader.model.spec.types import PATTERN_WORDS


def spec_error_from(
    errors: Sequence[ErrorDetails], document: MarkedDict, path: Path, model: type[Model]
) -> SpecError:
    """Return one error for what pydantic found wrong, with the mistakes in the order of the file."""
    inconsistencies = [error for error in errors if isinstance(_cause(error), InconsistenciesError)]
    if inconsistencies:
        # A model looks for them only if everything else is right, and raises all of them in one error.
        return inconsistency_errors(_cause(inconsistencies[0]).inconsistencies, document, path, model)
    echoes = {loc for error in errors if (loc := _meant_location(error, model)) is not None}
    return _combined(
        [
            (locate(document, error["loc"], model, tagged=True), _message(error, model))
            for error in errors
            # A misspelt key shows twice: as a key too many and as one that is missing. The first is what was written.
            if not (error["type"] == "missing" and error["loc"] in echoes)
            # A list whose items are wrong counts as one without them.
            and not (error["type"] == "too_short" and any(_is_below(other["loc"], error["loc"]) for other in errors))
        ],
        path,
    )


def inconsistency_errors(
    causes: Sequence[InconsistencyError], document: MarkedDict, path: Path, model: type[Model]
) -> SpecError:
    """Return one error for parts that do not fit together, in the order of the file."""
    return _combined(
        [
            (
                locate(document, _split(cause.key_path), model, tagged=False),
                f"{cause}{_suggestion(cause.unknown_name, cause.known)}{_fresh_seed(cause)}",
            )
            for cause in causes
        ],
        path,
    )


def _combined(mistakes: Sequence[tuple[DocumentPosition, str]], path: Path) -> SpecError:
    ordered = sorted(mistakes, key=lambda mistake: (mistake[0].line, mistake[0].column))
    # What a spec generates from one part of it has the same mistake several times.
    return together(
        [
            SpecError(message, path=path, line=position.line, key_path=".".join(map(str, position.keys)))
            for position, message in dict.fromkeys(ordered)
        ]
    )


def _cause(error: ErrorDetails) -> Any:  # noqa: ANN401 - whatever a validator raised
    return error.get("ctx", {}).get("error")


def _split(key_path: str) -> KeyPath:
    return tuple(int(part) if part.isdigit() else part for part in key_path.split("."))


def _is_below(location: KeyPath, other: KeyPath) -> bool:
    return len(location) > len(other) and location[: len(other)] == other


def _meant_location(error: ErrorDetails, model: type[Model]) -> KeyPath | None:
    """Return the location of the key that an unknown key was probably meant for."""
    if error["type"] != "extra_forbidden":
        return None
    *parent, key = error["loc"]
    close = _close(str(key), keys_at(tuple(parent), model))
    return (*parent, close) if close else None


def _message(error: ErrorDetails, model: type[Model]) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            key = str(error["loc"][-1])
            known = keys_at(error["loc"][:-1], model)
            return f"unknown key {key!r}{_suggestion(key, known)}"
        case "missing":
            return f"the key {error['loc'][-1]!r} is missing"
        case "union_tag_invalid":
            known = context["expected_tags"].replace("'", "").split(", ")
            return f"{context['tag']!r} is not one of {', '.join(known)}{_suggestion(context['tag'], known)}"
        case "union_tag_not_found":
            missing = context["discriminator"].strip("'")
            close = _close(missing, map(str, error["input"]))
            return f"the key {missing!r} is missing" + (f"; is {close!r} meant for it?" if close else "")
        case "literal_error":
            known = context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
            if len(known) > 1:
                return f"{error['input']!r} is not one of {', '.join(known)}{_suggestion(str(error['input']), known)}"
            says = f"expected {known[0]}"
        case _:
            says = (
                _expected_here(error, model)
                or _expected(error["type"], context)
                or error["msg"].removeprefix("Value error, ")
            )
    return f"{says}{_found(error)}"


def _found(error: ErrorDetails) -> str:
    value = error["input"]
    if error["type"] == "value_error" and isinstance(value, Mapping) and len(value) > 1:
        # The sentence is about keys that do not fit together, and the line shows them.
        return ""
    if value is None:
        return ", found nothing"
    return f", found {str(value).lower()}" if isinstance(value, bool) else f", found {value!r:.80}"


def _expected_here(error: ErrorDetails, model: type[Model]) -> str:
    """Say what a value must be like if that depends on what was written, empty if it does not."""
    written, kind = error["input"], error["type"]
    if kind == "string_type" and isinstance(written, (int, float)) and not isinstance(written, bool):
        return "expected text in quotes"
    if kind == "string_type" and isinstance(written, list):
        several = f"{error['loc'][-1]}s"
        return f"expected text; {several!r} takes a list" if several in keys_at(error["loc"][:-1], model) else ""
    if kind in ("int_parsing", "int_type") and error["loc"][-2:] == ("status", "number"):
        return "expected a number from 0 to 255, any, or {not: 0}"
    return "expected text that is not empty" if kind == "too_short" and isinstance(written, str) else ""


def _expected(kind: str, context: Mapping[str, Any]) -> str:
    """Say what a value must be like, empty if it is another mistake."""
    match kind:
        case "too_short":
            return f"expected at least {counted(context['min_length'], 'item')}"
        case "too_long":
            return f"expected at most {counted(context['max_length'], 'item')}"
        case "string_pattern_mismatch":
            words = PATTERN_WORDS.get(context["pattern"])
            return f"expected {words}" if words else ""
        case _:
            numbers = {
                key: f"{value:,}" if isinstance(value, int) else f"{value:g}"
                for key, value in context.items()
                if isinstance(value, (int, float))
            }
            return _EXPECTED.get(kind, "").format(**numbers)


_EXPECTED = {
    "dict_type": "expected keys and values",
    "model_type": "expected keys and values",
    "model_attributes_type": "expected keys and values",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
    "string_type": "expected text",
    "string_too_short": "expected text that is not empty",
    "string_too_long": "expected at most {max_length} characters",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "finite_number": "expected a number",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected at most {le}",
    "multiple_of": "expected a multiple of {multiple_of}",
}
"""What pydantic describes in words of Python's."""


def _suggestion(unknown: str, known: Iterable[str]) -> str:
    close = _close(unknown, known)
    return f"; did you mean {close!r}?" if close else ""


def _fresh_seed(cause: InconsistencyError) -> str:
    if not isinstance(cause, GuessableSeedError):
        return ""
    # In quotes, because YAML reads digits alone as a number.
    return f'; this one was made just now: "{secrets.token_hex(SEED_BYTES)}"'


def _close(name: str, known: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)), "")
