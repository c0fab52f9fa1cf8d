from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from grader.batch.output_folder import GENERATOR, HEAD_BYTES, MIN_FREE_BYTES, ROOM_EACH_BYTES, Results
from grader.errors import GraderError, UsageError
from grader.render.html.pages import index_html

from .render import factory


@pytest.mark.parametrize("blocked", ["out", "out/below"])
def test_a_folder_that_cannot_be_is_told_before_any_work(tmp_path: Path, blocked: str) -> None:
    (tmp_path / "out").write_bytes(b"")
    with pytest.raises(UsageError, match="results cannot be written to"):
        Results(tmp_path / blocked).prepare(["ada"])


def test_trying_the_folder_leaves_nothing(tmp_path: Path) -> None:
    Results(tmp_path / "out").prepare(["ada"])
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(("spare_bytes", "refused"), [(0, False), (-1, True)])
def test_a_disk_without_room_for_the_class_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, spare_bytes: int, refused: bool
) -> None:
    names = [f"student-{number}" for number in range(300)]
    free_bytes = MIN_FREE_BYTES + len(names) * ROOM_EACH_BYTES + spare_bytes
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(0, 0, free_bytes))  # type: ignore[attr-defined]  # noqa: SLF001
    if refused:
        with pytest.raises(UsageError, match=r"has 199 MB left and 200 MB may be needed"):
            Results(tmp_path).prepare(names)
    else:
        Results(tmp_path).prepare(names)


def test_somebody_else_s_page_is_not_overwritten_and_ours_is(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("<h1>My home page</h1>")
    with pytest.raises(UsageError, match=r"index\.html is not the grader's"):
        Results(tmp_path).prepare(["ada"])
    assert page.read_text() == "<h1>My home page</h1>"
    page.write_bytes(index_html([factory.entry(factory.report())]))
    Results(tmp_path).prepare(["ada"])


@pytest.mark.parametrize("target", ["", "nowhere"])
def test_a_link_in_the_place_of_a_submission_s_folder_is_not_written_through(tmp_path: Path, target: str) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.mkdir()
    (out / "bob").symlink_to(elsewhere / target)
    with pytest.raises(UsageError, match=r"out/bob is no folder of the grader's"):
        Results(out).prepare(["ada", "bob"])
    (out / "bob").unlink()
    (out / "bob").mkdir()
    Results(out).prepare(["ada", "bob"])


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
    results = Results(tmp_path)
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
    results = Results(tmp_path)
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
        Results(tmp_path).write_class([])
    assert list(tmp_path.iterdir()) == []
