"""Files that others wrote or that were damaged: the platform's metadata, gradebooks, kept results, specs."""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.batch.gradebook_file import open_gradebook, open_results
from grader.cache.entries import Cache, load_cached
from grader.errors import GraderError, SpecError
from grader.gradescope.submission_metadata import SubmissionMetadata, read_metadata
from grader.lab.load import read_spec
from grader.messages import ignore_message
from grader.model.gradebook import GRADEBOOK, Origin
from grader.resources import resource
from tests.unit.render import factory
from tests.unit.test_submission_metadata import DOCUMENT, LAST, previous

from .damage import JSON, damaged, rearranged

CREATED = "2018-07-01T14:00:00-07:00"
METADATA = {
    **DOCUMENT,
    "previous_submissions": [previous("2018-07-01T14:00:00-07:00", json.loads(LAST.model_dump_json()))],
}
SPEC_TEXT = resource("specs").joinpath("tr2.yaml").read_bytes()


def a_gradebook() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with open_gradebook(Path(folder), "tr2", ignore_message) as book:
            for name in ("ada", "bob"):
                book.put(Origin(path=name), "key", factory.report(submission={"name": name, "digest": ""}))
        return Path(folder, GRADEBOOK).read_bytes()


GRADEBOOK_BYTES = a_gradebook()


def metadata_of(content: bytes) -> SubmissionMetadata:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "submission_metadata.json")
        path.write_bytes(content)
        return read_metadata(path)


def test_undamaged_metadata_is_understood() -> None:
    known = metadata_of(json.dumps(METADATA).encode())
    assert (known.problem, len(known.people), known.last) == ("", 1, LAST)


@given(damaged([json.dumps(METADATA).encode()]))
def test_damaged_metadata(content: bytes) -> None:
    metadata_of(content)


@pytest.mark.slow
@given(st.one_of(rearranged(METADATA), JSON))
def test_metadata_of_any_content(content: object) -> None:
    metadata_of(json.dumps(content).encode("utf-8", "surrogatepass"))


@given(damaged([GRADEBOOK_BYTES]))
def test_a_damaged_gradebook_is_put_aside_or_used_row_by_row(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, GRADEBOOK)
        path.write_bytes(content)
        with suppress(GraderError), open_results(Path(folder)) as book:
            assert {report.submission.name for report in book.reports()} <= {"ada", "bob"}
        with suppress(GraderError), open_gradebook(Path(folder), "tr2", ignore_message) as book:
            # What is still there is whole: a row that was changed is not used.
            known = book.known(ignore_message)
            assert {score.score for score in known.values()} <= {factory.report().score}


@given(st.data())
def test_a_kept_result_that_was_altered_is_not_used(data: st.DataObject) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        cache = Cache(root)
        cache.put("key", {"a": b"what was measured", "b": b""})
        files = sorted(path for path in root.rglob("*") if path.is_file())
        changed = data.draw(st.sampled_from(files))
        content = data.draw(damaged([changed.read_bytes()]))
        intact = content == changed.read_bytes()
        changed.write_bytes(content)
        found = load_cached(cache, "key", "results", lambda known: known["a"], ignore_message)
        assert found in (None, b"what was measured")
        assert not intact or found is not None
    finally:
        shutil.rmtree(root)


@given(damaged([SPEC_TEXT]))
def test_a_damaged_spec_is_read_or_refused(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lab.yaml")
        path.write_bytes(content)
        with suppress(SpecError):
            assert read_spec(path).lab
