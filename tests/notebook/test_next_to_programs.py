"""A notebook next to the programs: found by the intake, read after grading, and shown on pages."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

import pytest

from grader.grading.notebook import with_notebook
from grader.intake.reading import NOTEBOOK_BYTES, DiscoveredSubmission, read_submission
from grader.lab.find import load_lab
from grader.model.gradebook import Entry, Origin
from grader.model.notebook import NotebookFinding
from grader.model.report import Report, without_evidence
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission, UnusableSource
from grader.notebook.reader import MAX_SHOWN_CHARS, read_notebook
from grader.render.html.pages import MAX_PAGE_BYTES, index_html, report_html
from grader.render.terminal.notebook import notebook_summary
from tests.notebook.make_fixtures import FIXTURES
from tests.notebook.test_findings import REPORT
from tests.unit.render.gradescope import HOSTILE, is_plain, results


@pytest.fixture(scope="module")
def spec() -> Spec:
    return load_lab("tr2")[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("tr2b.c", "tr2u.c"):
        (tmp_path / name).write_text("int main(void) { return 0; }\n")
    return tmp_path


def read(folder: Path, spec: Spec) -> Submission:
    return read_submission(DiscoveredSubmission("ada", folder), spec)


def test_the_notebook_is_found_and_changes_no_digest(folder: Path, spec: Spec) -> None:
    without = read(folder, spec)
    assert without.notebook is None
    (folder / "report.txt").write_text("my notes\n")
    submission = read(folder, spec)
    assert submission.notebook is not None
    assert submission.notebook.content == Source(b"my notes\n")
    assert submission.digest() == without.digest()
    # The key of a result contains the notes, so that a new notebook is read.
    (note,) = set(submission.notes) - set(without.notes)
    (folder / "report.txt").write_text("my Notes\n")
    assert note not in read(folder, spec).notes


def write_copies(folder: Path, *, beside: bool) -> dict[str, Path]:
    """Move the programs into a folder, with another copy of one next to it."""
    copies = {name: folder / name for name in ("draft", "final", "notes")}
    for copy in copies.values():
        copy.mkdir()
        if beside or copy.name != "final":
            (copy / "lab.txt").write_text(copy.name)
    for name in ("tr2b.c", "tr2u.c"):
        (folder / name).rename(copies["final"] / name)
    (copies["draft"] / "tr2b.c").write_text("int main(void) { return 0; }\n")
    return copies


def test_the_notebook_next_to_the_sources_counts(folder: Path, spec: Spec) -> None:
    copies = write_copies(folder, beside=True)
    (folder / "lab.txt").write_text("at the top")
    submission = read(folder, spec)
    assert submission.notebook is not None
    assert (submission.notebook.path, submission.doubts) == ("final/lab.txt", ())
    # What the course decides about the sources is decided about the notebook.
    (copies["draft"] / "tr2u.c").write_text("int main(void) { return 0; }\n")
    use = {name: f"draft/{name}" for name in ("tr2b.c", "tr2u.c")}
    used = read_submission(DiscoveredSubmission("ada", folder), spec, use)
    assert used.notebook is not None
    assert (used.notebook.path, used.doubts) == ("draft/lab.txt", ())
    (mixed,) = read_submission(DiscoveredSubmission("ada", folder), spec, {"tr2b.c": "final/tr2b.c"}).doubts
    assert mixed == "a different lab.txt is in draft/, but that of final/ was read"


def test_if_no_notebook_is_next_to_the_sources_different_ones_are_a_doubt(folder: Path, spec: Spec) -> None:
    copies = write_copies(folder, beside=False)
    submission = read(folder, spec)
    assert submission.notebook is not None
    assert submission.notebook.path == "draft/lab.txt"
    assert submission.doubts == ("a different lab.txt is in notes/, but that of draft/ was read",)
    (copies["notes"] / "lab.txt").write_text("draft")
    assert read(folder, spec).doubts == ()


def test_of_a_notebook_that_is_in_an_archive_twice_the_last_counts(tmp_path: Path, spec: Spec) -> None:
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("tr2b.c", "tr2u.c", "lab.txt", "lab.txt"):
            archive.writestr(f"ada/{name}", f"{len(archive.filelist)}")
    notebook = read(tmp_path / "ada.zip", spec).notebook
    assert notebook is not None
    assert notebook.content == Source(b"3")


def test_the_first_name_and_the_highest_folder_count(folder: Path, spec: Spec) -> None:
    (folder / "report.txt").write_text("a report\n")
    (folder / "docs").mkdir()
    (folder / "docs" / "lab.txt").write_text("in a folder\n")
    first = read(folder, spec).notebook
    assert first is not None
    assert first.path == "report.txt"
    (folder / "lab.txt").write_text("the notebook\n")
    second = read(folder, spec).notebook
    assert second is not None
    assert second.path == "lab.txt"


def test_a_lab_without_notebooks_reads_none(folder: Path, spec: Spec) -> None:
    (folder / "lab.txt").write_text("text\n")
    assert read(folder, spec.model_copy(update={"notebook": None})).notebook is None


def make_link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def make_empty(path: Path) -> None:
    path.write_bytes(b"")


def make_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(NOTEBOOK_BYTES + 1)


@pytest.mark.parametrize("make", [make_link, make_empty, make_large, Path.mkdir])
def test_a_file_that_cannot_be_read_is_a_finding(make: object, folder: Path, spec: Spec) -> None:
    assert callable(make)
    make(folder / "lab.txt")
    submission = read(folder, spec)
    assert all(isinstance(source, Source) for source in submission.sources.values())
    if submission.notebook is None:
        # A folder of this name is searched for sources.
        assert (folder / "lab.txt").is_dir()
        return
    assert isinstance(submission.notebook.content, UnusableSource)
    report = with_notebook(Report.model_validate(REPORT), submission, spec)
    assert report.notebook is not None
    assert [finding.kind for finding in report.notebook.findings] == ["unread"]
    assert "a source may" not in report.notebook.findings[0].message


def report_with(data: bytes, spec: Spec, name: str = "ada") -> Report:
    notebook = read_notebook(data, spec, file="lab.txt")
    return Report.model_validate(REPORT | {"submission": {"name": name, "digest": ""}, "notebook": notebook})


def test_the_page_shows_the_notebook_as_text(spec: Spec) -> None:
    data = (FIXTURES / "full-size.txt").read_bytes() + b"<script>alert(1)</script> \x1b[31m \xe2\x80\xae\n"
    page = report_html(report_with(data, spec)).decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert not [char for char in page if not char.isprintable() and char not in "\n\t"]
    assert 'href="#notebook"' in page
    assert "twice as fast" in page


def test_a_page_with_a_long_notebook_is_not_too_long(spec: Spec) -> None:
    report = report_with(b"one long line of notes, and another one of them\n" * 30_000, spec)
    assert report.notebook is not None
    assert sum(map(len, report.notebook.text)) <= MAX_SHOWN_CHARS
    assert len(report_html(report)) <= MAX_PAGE_BYTES


def test_a_report_without_a_notebook_has_no_such_section() -> None:
    assert b'id="notebook"' not in report_html(Report.model_validate(REPORT))


def entry(report: Report) -> Entry:
    return Entry(name=report.submission.name, origin=Origin(path=""), report=without_evidence(report))


def test_the_class_page_names_those_to_read_first(spec: Spec) -> None:
    copied = (FIXTURES / "full-size.txt").read_bytes()
    harmless = (FIXTURES / "russian-zsh.txt").read_bytes()
    reports = [report_with(copied, spec, "ada"), report_with(b"Mine.\n" + copied, spec, "ben")]
    page = index_html([entry(one) for one in [*reports, report_with(harmless, spec, "cyd")]]).decode()
    first = page[page.index("Notebooks to read first") : page.index("All submissions</h2>")]
    assert "in the notebook of ben" in first
    assert "in the notebook of ada" in first
    assert 'href="ada/report.html#notebook"' in first
    assert ">Notebook</th>" in page


def test_a_class_without_notebooks_has_no_column() -> None:
    page = index_html([entry(Report.model_validate(REPORT))]).decode()
    assert "Notebook" not in page


def test_reports_for_a_class_keep_only_what_the_page_needs(spec: Spec) -> None:
    report = report_with((FIXTURES / "full-size.txt").read_bytes(), spec)
    kept = without_evidence(report).notebook
    assert kept is not None
    assert report.notebook is not None
    assert (kept.findings, kept.fingerprints) == (report.notebook.findings, report.notebook.fingerprints)
    assert not [*kept.tables, *kept.text, *kept.commands]


def test_the_terminal_shows_problems_first(spec: Spec) -> None:
    notebook = report_with((FIXTURES / "full-size.txt").read_bytes(), spec).notebook
    assert notebook is not None
    _, heading, first, *_ = notebook_summary(notebook)
    assert "3 tables, 2 times" in heading.content.plain  # type: ignore[union-attr]
    assert "10 MB" in first.content.plain  # type: ignore[union-attr]


def test_a_course_system_shows_what_was_found(spec: Spec) -> None:
    data = (FIXTURES / "full-size.txt").read_bytes() + b"We used an input of 9,000,000 bytes in all of these runs.\n"
    output = results(report_with(data, spec)).output
    assert "**Lab notebook** `lab.txt`: 3 tables" in output
    assert "9,000,000 bytes" in output
    is_plain(output)
    assert "Lab notebook" not in results(Report.model_validate(REPORT)).output


def test_a_hostile_notebook_is_inert_on_a_course_system(spec: Spec) -> None:
    notebook = read_notebook(b"x\n", spec, file="lab`<b>.txt")
    finding = NotebookFinding(kind="x", weight="problem", lines=((1, 1),), message=HOSTILE)
    hostile = notebook.model_copy(update={"findings": (finding,) * 30})
    output = results(Report.model_validate(REPORT).model_copy(update={"notebook": hostile})).output
    assert "22 more findings are not shown" in output
    is_plain(output)
