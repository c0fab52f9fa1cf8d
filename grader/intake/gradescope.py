"""submission_metadata.yml of a Gradescope export: who handed in which folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from grader.errors import GraderError
from grader.intake.files import File
from grader.messages import Notify
from grader.model.submission import UnusableSource

METADATA = "submission_metadata.yml"
METADATA_BYTES = 100_000_000
"""The results of earlier autograders are in it, with all their output."""

PEOPLE_BYTES = 10_000_000
"""Of what is left of it without them."""

PEOPLE = 100_000
"""In all folders together: by YAML's aliases a small file can say a group of thousands a thousand times."""

# A key of a submission, two spaces in, that is not asked for here; and all that is further in than it.
_NOT_ASKED = re.compile(rb"^  (?!:submitters:|:created_at:|-)\S.*\n(?:(?:   .*)?\r?\n|  - .*\n)*", re.MULTILINE)


@dataclass(frozen=True)
class Submitter:
    """A student; empty where the file does not say."""

    name: str = ""
    sid: str = ""
    email: str = ""


@dataclass(frozen=True)
class Record:
    """What is known of a folder; `created_at` in the file's own words."""

    people: tuple[Submitter, ...] = ()
    created_at: str = ""


class _TextLoader(yaml.BaseLoader):
    """Reads every scalar as text, so that a student's number keeps its zeros.

    It is the one in Python: libyaml's refuses a file in which an escape says half a character, and its composer
    recurses in C without a limit.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        content = super().construct_mapping(node, deep)
        if len(content) < len(node.value):
            raise yaml.MarkedYAMLError(problem="found duplicate key", problem_mark=node.start_mark)
        return content


def read_metadata(file: File, notify: Notify) -> Mapping[str, Record]:
    """Return what is known of each folder; nothing where the file cannot be used, which is said and no more."""
    try:
        source = file.read(METADATA_BYTES)
    except GraderError as error:
        source = UnusableSource(str(error))
    if isinstance(source, UnusableSource):
        notify(f"{source.problem}; submissions are named by their folders")
        return {}
    try:
        return _records(_parse(source.data))
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        why = str(error).partition("\n")[0]
        notify(f"{METADATA} cannot be read ({why}); submissions are named by their folders")
        return {}


def _parse(data: bytes) -> Mapping[Any, Any]:
    data = _NOT_ASKED.sub(b"", data + b"\n")
    if len(data) > PEOPLE_BYTES:
        raise ValueError(f"more than {PEOPLE_BYTES:,} bytes about people")
    try:
        content = yaml.load(data.decode("utf-8"), _TextLoader)  # noqa: S506 - it constructs text, lists and mappings
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    if not isinstance(content, dict):
        raise TypeError("no folders in it")
    return content


def _records(folders: Mapping[Any, Any]) -> Mapping[str, Record]:
    people = sum(len(content.get(":submitters") or ()) for content in folders.values())
    if people > PEOPLE:
        raise ValueError(f"more than {PEOPLE:,} people")
    return {str(folder): _record(content) for folder, content in folders.items()}


def _record(content: Any) -> Record:  # noqa: ANN401 - as it comes from the file
    people = tuple(
        Submitter(*(_text(person.get(key)) for key in (":name", ":sid", ":email")))
        for person in content.get(":submitters") or ()
    )
    return Record(people, _text(content.get(":created_at")))


def _text(value: object) -> str:
    # An escape in the file may say half a character, which no report can hold.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""
