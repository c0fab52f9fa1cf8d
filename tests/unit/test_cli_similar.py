"""The command `grader similar`: what it finds in kept results, and what it leaves as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from grader.batch.gradebook_file import open_gradebook, open_results
from grader.batch.output_folder import SIMILAR
from grader.cli.exit_status import BROKEN, OK, USAGE
from grader.cli.main import status_of
from grader.course.rules import Override, Overrides, Rules, UsedFile
from grader.intake.submissions import find_submissions
from grader.lab.find import load_lab
from grader.model.gradebook import Origin
from grader.model.report import SubmissionId
from grader.render.views.commands import Commands
from grader.render.views.similar import PROVES_NOTHING
from grader.similarity.submissions import AT_LEAST
from tests.disguises import DISGUISES

from .kept_class import kept_class
from .render import factory

Output = pytest.CaptureFixture[str]
WRONG = Path(__file__).parents[1] / "wrong" / "programs"
SOURCES = [path.read_bytes() for path in sorted(WRONG.glob("u-*.c"))[:12]]
COPIED = DISGUISES["all of them"](SOURCES[0])


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.setenv("COLUMNS", "200")
    works = {f"student-{number:02}": {"tr2u.c": source} for number, source in enumerate(SOURCES)}
    return kept_class(tmp_path, {**works, "copied": {"tr2u.c": COPIED + b"/* <script>\x1b */"}})


def test_a_copy_is_found_and_nothing_else_changes(folders: tuple[Path, Path], capsys: Output) -> None:
    _, results = folders
    with open_results(results) as book:
        before = book.entries()
    assert status_of(["similar", str(results)]) == OK
    shown = capsys.readouterr().out
    assert shown.startswith("1 similar pair among 13 submissions\n")
    assert PROVES_NOTHING.split(".")[0] in shown
    with open_results(results) as book:
        assert book.entries() == before
    page = (results / SIMILAR).read_text()
    assert "student-00" in page
    assert "&lt;script&gt;\\x1b" in page
    assert "<script" not in page
    assert "\x1b" not in page + shown
    assert f'href="{SIMILAR}"' in (results / "index.html").read_text()


def test_the_class_page_keeps_the_commands_that_grade_again(folders: tuple[Path, Path]) -> None:
    _, results = folders
    with open_results(results) as book:
        book.keep_commands(Commands("grader grade kept words", "grader rescore kept words"))
        typed = factory.not_graded("just typed text").model_copy(update={"undecided": True})
        book.expect([(Origin(path="typed"), typed)])
    for command in ("similar", "render"):
        assert status_of([command, str(results)]) == OK
        assert "grader grade kept words" in (results / "index.html").read_text()


def test_typed_text_that_an_interrupted_run_left_is_not_gone(tmp_path: Path, capsys: Output) -> None:
    for name in ("doejane_1_2_tr2u.c", "roe_3_text.html"):
        (tmp_path / name).write_text("int main(void) { return 0; }")
    results = tmp_path / "results"
    results.mkdir()
    with open_gradebook(results, "tr2", print) as book:
        book.record_paths([str(tmp_path)])
        for one in find_submissions([tmp_path], load_lab("tr2")[0]):
            named = SubmissionId(name=one.name, digest="")
            left = factory.not_graded(interrupted=True).model_copy(update={"lab": "tr2", "submission": named})
            book.expect([(one.origin, left)])
    assert status_of(["similar", str(results)]) == OK
    assert "gone" not in capsys.readouterr().out


def test_json_has_what_the_page_has(folders: tuple[Path, Path], capsys: Output) -> None:
    assert status_of(["similar", str(folders[1]), "--json"]) == OK
    found = json.loads(capsys.readouterr().out)
    assert (found["submissions"], found["found"]) == (13, 1)
    (pair,) = found["pairs"]
    assert {pair["left"]["name"], pair["right"]["name"]} == {"copied", "student-00"}
    assert pair["programs"][0]["program"] == "tr2u"
    assert pair["programs"][0]["similarity"] > AT_LEAST
    assert (folders[1] / SIMILAR).exists()


def test_a_file_that_overrides_choose_is_compared(folders: tuple[Path, Path], capsys: Output) -> None:
    submissions, results = folders
    program = submissions / "copied" / "tr2u.c"
    program.rename(program.with_name("Mine.c"))
    for file, gone in (("Mine.c", 1), ("Nothing.c", 0)):
        used = UsedFile.model_validate({"file": file, "as": "tr2u.c"})
        overrides = Overrides(overrides=(Override(student="copied", use=(used,)),))
        with open_results(results) as book:
            book.keep_rules(Rules(overrides=overrides))
        assert status_of(["similar", str(results)]) == OK
        assert f"{gone} similar pair" in capsys.readouterr().out


def test_a_plain_class_page_has_no_link(folders: tuple[Path, Path]) -> None:
    assert SIMILAR not in (folders[1] / "index.html").read_text()


def test_sources_that_are_gone_or_changed_are_reported(folders: tuple[Path, Path], capsys: Output) -> None:
    submissions, results = folders
    shutil.rmtree(submissions / "student-05")
    (submissions / "student-06" / "tr2u.c").write_bytes(SOURCES[6] + b"int more;")
    assert status_of(["similar", str(results)]) == BROKEN
    shown = capsys.readouterr().out
    assert "sources are gone (1): student-05\n" in shown
    assert "changed since they were graded, compared as they are now (1): student-06\n" in shown


def test_a_class_that_has_moved_is_found(folders: tuple[Path, Path], capsys: Output) -> None:
    submissions, results = folders
    moved = submissions.rename(submissions.with_name("moved"))
    assert status_of(["similar", str(results)]) == BROKEN
    assert "sources are gone (13)" in capsys.readouterr().out
    assert status_of(["similar", str(results), "--submissions", str(moved)]) == OK
    assert "1 similar pair" in capsys.readouterr().out


def test_earlier_terms_are_compared(folders: tuple[Path, Path], tmp_path: Path, capsys: Output) -> None:
    earlier = tmp_path / "2024" / "eve"
    earlier.mkdir(parents=True)
    (earlier / "tr2u.c").write_bytes(DISGUISES["renamed"](SOURCES[3]))
    (tmp_path / "2024" / "fay").mkdir()
    (tmp_path / "2024" / "fay" / "tr2u.c").write_bytes(DISGUISES["renamed"](SOURCES[3]))
    assert status_of(["similar", str(folders[1]), "--corpus", str(tmp_path / "2024")]) == OK
    shown = capsys.readouterr().out
    assert f"eve ({tmp_path / '2024'})" in shown
    assert "student-03" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--corpus", "nowhere"], "nowhere does not exist"),
        (["--submissions", "nowhere"], "sources are gone (13)"),
        (["--lab", "copybuf"], "holds results of the lab tr2, not of copybuf"),
    ],
)
def test_a_wrong_command_line_has_one_clear_sentence(
    folders: tuple[Path, Path], capsys: Output, arguments: list[str], words: str
) -> None:
    assert status_of(["similar", str(folders[1]), *arguments]) in (USAGE, BROKEN)
    output = capsys.readouterr()
    assert words in output.out + output.err


def test_a_page_of_somebody_else_is_kept(folders: tuple[Path, Path], capsys: Output) -> None:
    (folders[1] / SIMILAR).write_text("mine")
    assert status_of(["similar", str(folders[1])]) == USAGE
    assert "is not the grader's" in capsys.readouterr().err
    assert (folders[1] / SIMILAR).read_text() == "mine"
