from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

import pytest

from grader.batch.output_folder import (
    _TABLES,
    BYTES_PER_SUBMISSION,
    GENERATOR,
    HEAD_BYTES,
    INDEX,
    MIN_FREE_BYTES,
    OutputFolder,
)
from grader.errors import GraderError, UnwritableError, UsageError
from grader.intake.names import RESERVED_NAMES, is_reserved
from grader.model.gradebook import GRADEBOOK, RESULTS_MARK
from grader.render.html.pages import index_html

from .render import factory


def test_no_submission_can_have_the_name_of_our_files() -> None:
    assert {INDEX, *_TABLES} <= set(RESERVED_NAMES)


@pytest.mark.parametrize("blocked", ["out", "out/below"])
def test_a_folder_that_cannot_be_is_told_before_any_work(tmp_path: Path, blocked: str) -> None:
    (tmp_path / "out").write_bytes(b"")
    with pytest.raises(UsageError, match="results cannot be written to"):
        OutputFolder(tmp_path / blocked).prepare(1)


def test_trying_the_folder_leaves_nothing_but_our_mark(tmp_path: Path) -> None:
    OutputFolder(tmp_path / "out").prepare(1)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [RESULTS_MARK]


@pytest.mark.parametrize(("private", "mode"), [(True, 0o700), (False, 0o755)])
def test_a_new_folder_and_one_of_ours_are_closed_to_others_if_asked(
    tmp_path: Path, *, private: bool, mode: int
) -> None:
    ours, new, shared = (tmp_path / name for name in ("ours", "new", "shared"))
    for folder in (ours, shared):
        folder.mkdir()
        folder.chmod(0o755)
    (ours / GRADEBOOK).touch()
    for folder in (ours, new, shared):
        OutputFolder(folder).prepare(1, private=private)
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (ours, new, shared)] == [mode, mode, 0o755]


@pytest.mark.parametrize(("spare_bytes", "refused"), [(0, False), (-1, True)])
def test_a_disk_without_room_for_the_class_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, spare_bytes: int, refused: bool
) -> None:
    free_bytes = MIN_FREE_BYTES + 300 * BYTES_PER_SUBMISSION + spare_bytes
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(0, 0, free_bytes))  # noqa: SLF001
    if refused:
        with pytest.raises(GraderError, match=r"has 199 MB left and 200 MB may be needed") as raised:
            OutputFolder(tmp_path).prepare(300)
        assert not isinstance(raised.value, UsageError), "the command is right, and the output cannot be written"
    else:
        OutputFolder(tmp_path).prepare(300)


def test_somebody_else_s_page_is_not_overwritten_and_ours_is(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("<h1>My home page</h1>")
    with pytest.raises(UsageError, match=r"index\.html is not the grader's"):
        OutputFolder(tmp_path).prepare(1)
    assert page.read_text() == "<h1>My home page</h1>"
    page.write_bytes(index_html([factory.entry(factory.report())]))
    OutputFolder(tmp_path).prepare(1)


@pytest.mark.parametrize("target", ["elsewhere", "nowhere", "out/ada", "out/bob"])
@pytest.mark.parametrize("planted", ["bob", "bob/outputs"])
def test_a_link_in_the_place_of_a_submission_s_folder_is_not_written_through(
    tmp_path: Path, planted: str, target: str
) -> None:
    results, link = OutputFolder(tmp_path / "out"), tmp_path / "out" / planted
    for folder in (tmp_path / "elsewhere", tmp_path / "out" / "ada", link.parent):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kept.output").write_bytes(b"kept")
    link.symlink_to(tmp_path / target)
    report = factory.report(submission={"name": "bob", "digest": "sha256:1"})
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UnwritableError, match=f"out/{planted} is not a folder of the grader's"):
        results.write_outputs("bob", {"many.copy": b"wrong"})
    if planted == "bob":
        with pytest.raises(UnwritableError, match=r"out/bob is not a folder of the grader's"):
            results.write_report(report)
    assert not results.has_report(report)
    assert sorted(tmp_path.rglob("*")) == before
    link.unlink()
    results.write_outputs("bob", {"many.copy": b"wrong"})
    results.write_report(report)
    assert results.has_report(report)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../elsewhere",
        "../../elsewhere",
        "ada/..",
        "ada/../../elsewhere",
        "./ada",
        "ada/",
        "ada/.",
        "12/34",
        "a\0b",
        "index.html",
        "INDEX.HTML",
        "gradebook.sqlite-journal",
        "gradebook.damaged-1.sqlite",
        "x" * 256,
    ],
)
def test_a_name_that_is_not_a_folder_s_in_the_output_folder_is_never_written(tmp_path: Path, name: str) -> None:
    results = OutputFolder(tmp_path / "out")
    (tmp_path / "out" / "ada").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    report = factory.report(submission={"name": name, "digest": "sha256:1"})
    with pytest.raises(UnwritableError):
        results.write_report(report)
    with pytest.raises(UnwritableError):
        results.write_outputs(name, {"many.copy": b"wrong"})
    assert not results.has_report(report)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_absolute_name_is_never_written(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    results = OutputFolder(tmp_path / "out")
    results.prepare(1)
    with pytest.raises(UnwritableError):
        results.write_report(factory.report(submission={"name": str(elsewhere), "digest": "sha256:1"}))
    assert not elsewhere.exists()


@pytest.mark.parametrize("name", ["-rf", "caf\\xe9", "line\nbreak", "con"])
def test_a_name_of_an_older_gradebook_that_lies_in_the_output_folder_is_written(tmp_path: Path, name: str) -> None:
    results = OutputFolder(tmp_path)
    results.write_report(factory.report(submission={"name": name, "digest": "sha256:1"}))
    assert (tmp_path / name / "report.json").is_file()


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, GraderError),
        (errno.EDQUOT, GraderError),
        (errno.EACCES, UnwritableError),
        (errno.ENAMETOOLONG, UnwritableError),
    ],
)
@pytest.mark.parametrize("call", [(os, "fsync"), (Path, "mkdir")])
def test_only_a_full_disk_is_everybody_s_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: tuple[object, str], number: int, kind: type[GraderError]
) -> None:
    def refuse(*_arguments: object, **_options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(*call, refuse)
    with pytest.raises(GraderError, match=os.strerror(number)) as raised:
        OutputFolder(tmp_path).write_report(factory.report())
    assert raised.type is kind


def test_no_submission_is_named_as_a_file_of_the_output_folder() -> None:
    written = ["index.html", *_TABLES, *(f"{GRADEBOOK}{end}" for end in ("", "-journal", "-wal", "-shm"))]
    damaged = [f"gradebook.damaged-{number}.sqlite" for number in (1, 23)]
    names = [*written, *damaged, *(f"{name}-journal" for name in damaged)]
    assert [name for name in names if not (is_reserved(name) and is_reserved(name.upper()))] == []


def test_our_pages_say_so_where_it_is_looked_for() -> None:
    assert GENERATOR in index_html([factory.entry(factory.report())])[:HEAD_BYTES]


def test_a_report_s_json_is_written_last_so_that_it_stands_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    replace = os.replace

    def noted(source: Path, target: Path) -> None:
        order.append(Path(target).name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)
    results = OutputFolder(tmp_path)
    report = factory.report(submission={"name": "ada", "digest": "sha256:1"})
    assert not results.has_report(report)
    results.write_report(report)
    assert order == ["report.html", "report.json"]
    assert results.has_report(report)
    other = factory.report(submission={"name": "ada", "digest": "sha256:2"})
    assert not results.has_report(other), "it is of another hand-in"
    (tmp_path / "ada" / "report.html").unlink()
    assert not results.has_report(report)


def test_a_table_that_nobody_is_left_for_goes(tmp_path: Path) -> None:
    results = OutputFolder(tmp_path)
    origin = {"path": "", "system": "canvas", "people": [{"id": "12"}]}
    results.write_class([factory.entry(factory.report(), origin=origin)])
    assert (tmp_path / "canvas.csv").exists()
    results.write_class([factory.entry(factory.report())])
    assert not (tmp_path / "canvas.csv").exists()


def test_a_disk_that_fills_up_is_an_error_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GraderError, match="No space left on device"):
        OutputFolder(tmp_path).write_class([])
    assert list(tmp_path.iterdir()) == []


def test_course_systems_get_no_scores_of_several_versions_unless_somebody_insists(tmp_path: Path) -> None:
    origin = {"path": "", "system": "canvas", "people": [{"id": "12"}]}
    versions = ("sha256:1", "sha256:2")
    entries = [factory.entry(factory.report(lab_digest=one), one[-1], origin=origin) for one in versions]
    results = OutputFolder(tmp_path)
    assert results.write_class(entries[:1]) == ()
    assert (tmp_path / "canvas.csv").exists()
    assert results.write_class(entries) == ("canvas.csv",)
    assert not (tmp_path / "canvas.csv").exists()
    assert (tmp_path / "grades.csv").exists()
    assert results.write_class(entries, mixed=True) == ()
    assert (tmp_path / "canvas.csv").exists()
