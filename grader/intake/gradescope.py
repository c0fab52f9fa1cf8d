"""Read submission_metadata.yml of a Gradescope export, which has the students of each folder."""

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
"""Size limit of the file, which also holds the results of earlier autograders with all their output."""

PEOPLE_BYTES = 10_000_000
"""Size limit of its part about people."""

PEOPLE = 100_000
"""Limit for all folders together: with YAML's aliases a small file can repeat a group of thousands many times."""

TEXT_CHARS = 500
"""Characters of a name, a number or an address that are kept: an alias can repeat one of megabytes for everybody."""

BRACKETS = 16
"""Limit for brackets within brackets. Gradescope writes blocks, which need none; as JSON the file has four."""

# A key of a submission that is not used here, indented by two spaces, with everything that is indented further.
_UNUSED = re.compile(rb"^  (?!:submitters:|:created_at:|-)\S.*\n(?:(?:   .*)?\r?\n|  - .*\n)*", re.MULTILINE)


@dataclass(frozen=True)
class Submitter:
    """A student; a field is empty if the file does not have it."""

    name: str = ""
    sid: str = ""
    email: str = ""


@dataclass(frozen=True)
class Record:
    """What the file has about a folder; `created_at` is copied from it as text."""

    people: tuple[Submitter, ...] = ()
    created_at: str = ""


class _TextLoader(yaml.BaseLoader):
    """Reads every scalar as text, so that a student's number keeps its zeros.

    It is the loader written in Python: the one of libyaml refuses a file in which an escape is half a character, and
    its composer recurses in C without a limit.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        content = super().construct_mapping(node, deep)
        if len(content) < len(node.value):
            raise yaml.MarkedYAMLError(problem="found duplicate key")
        return content

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        # For each token the scanner looks at every bracket that is open.
        if self.flow_level == BRACKETS:
            raise yaml.MarkedYAMLError(problem=f"found more than {BRACKETS} open brackets")
        super().fetch_flow_collection_start(token)


def read_export_metadata(file: File, notify: Notify) -> Mapping[str, Record]:
    """Return what is known of each folder; nothing, and a message, if the file cannot be used."""
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
    data = _UNUSED.sub(b"", data + b"\n")
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


def _record(content: Any) -> Record:  # noqa: ANN401 - whatever the file holds
    people = tuple(
        Submitter(*(_text(person.get(key)) for key in (":name", ":sid", ":email")))
        for person in content.get(":submitters") or ()
    )
    return Record(people, _text(content.get(":created_at")))


def _text(value: object) -> str:
    # An escape in the file may be half a character, which no report can hold.
    return value[:TEXT_CHARS].encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""
