"""The gradebook: its content survives, and foreign or damaged content is neither used nor lost."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import VERSION, open_gradebook, open_results
from grader.batch.gradebook_row import Row
from grader.errors import GraderError, UsageError
from grader.model.gradebook import GRADEBOOK, Origin, Person
from grader.model.report import Report
from tests.waits import ENDS_S

from .render import factory

ADA = Origin(path="in/ada", system="canvas", people=(Person(name="Ada", id="7"),), late=True)


def opened(folder: Path, lab: str = "tr2", said: list[str] | None = None) -> Gradebook:
    return open_gradebook(folder, lab, ([] if said is None else said).append)


def report(score: float = 100.0, name: str = "ada") -> Report:
    return factory.report(score=score, submission={"name": name, "digest": ""})


def ungraded(reason: str = "the engine died", name: str = "ada") -> Report:
    return factory.not_graded(reason, submission={"name": name, "digest": ""})


def change(folder: Path, statement: str, *values: object) -> None:
    """Change the file behind the gradebook's back."""
    connection = sqlite3.connect(folder / GRADEBOOK)
    with connection:
        assert connection.execute(statement, values).rowcount != 0
    connection.close()


def test_a_result_is_there_again_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        entry = book.put(ADA, "key", report())
    with opened(tmp_path) as book:
        assert book.entries() == [entry]
        assert book.report("ada") == report()
        assert list(book.reports()) == [report()]
        known = book.known(pytest.fail)["ada"]
    assert (known.key, known.origin, known.score, known.failed) == ("key", ADA, 100.0, False)
    assert all(check.evidence is None for check in entry.report.checks)


def test_a_gradebook_of_an_earlier_grader_is_read_and_added_to(tmp_path: Path) -> None:
    """The file was written by the grader before its packages were renamed; see decision 0036."""
    shutil.copy(Path(__file__).with_name("gradebook-version-1.sqlite"), tmp_path / GRADEBOOK)
    for _ in range(2):
        with opened(tmp_path) as book:
            entries = {entry.name: entry for entry in book.entries()}
            known = book.known(pytest.fail)
            reports = {one.submission.name: one for one in book.reports()}
            book.put(ADA, "key", report(name="dan"))
        assert {
            name: (entry.report.score, entry.earlier_score, entry.last_error) for name, entry in entries.items()
        } == {
            "ada": (90.0, 80.0, ""),
            "bob": (70.0, None, "the engine died"),
            "cyd": (None, None, ""),
        }
        assert entries["ada"].origin == ADA
        assert {name: (one.key, one.last_error) for name, one in known.items()} == {
            "ada": ("key", ""),
            "bob": ("key", "the engine died"),
            "cyd": ("", ""),
        }
        assert any(check.evidence for check in reports["ada"].checks)
        assert reports["cyd"].reason == "not yet"
        with open_results(tmp_path) as book:
            added = book.report("dan")
        assert added == report(name="dan")
        change(tmp_path, "DELETE FROM result WHERE name = 'dan'")


def test_rows_come_by_name(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        for name in ("cyd", "ada", "bob"):
            book.put(ADA, "key", report(name=name))
        assert [entry.name for entry in book.entries()] == ["ada", "bob", "cyd"]


def test_nothing_is_known_of_a_stranger(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        assert book.report("ada") is None
        assert book.known(pytest.fail) == {}


def test_what_is_expected_is_not_graded_and_what_is_known_stays(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        book.put(ADA, "key", report())
        book.expect([(ADA, ungraded("not yet")), (ADA, ungraded("not yet", "bob"))])
        assert [(entry.name, entry.report.status) for entry in book.entries()] == [
            ("ada", "graded"),
            ("bob", "not_graded"),
        ]
        assert book.known(pytest.fail)["bob"].key == ""


@pytest.mark.parametrize(("key", "last_error"), [("newer", "the engine died"), ("key", "")])
def test_no_result_leaves_the_one_that_was_and_tells_of_a_newer_hand_in(
    tmp_path: Path, key: str, last_error: str
) -> None:
    with opened(tmp_path) as book:
        book.put(ADA, "key", report(80.0))
        entry = book.put(ADA, key, ungraded())
        assert (entry.report.score, entry.last_error) == (80.0, last_error)
        stored = json.loads(Row.of(entry, "key", report(80.0)).entry_json)
        assert stored["trouble"] == last_error, "earlier graders read it too"
        assert book.known(pytest.fail)["ada"].key == "key"
        assert book.report("ada") == report(80.0)


def test_scores_are_compared_with_the_last_that_there_was(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        scores = [(80.0, None), (90.0, 80.0), (90.0, None), (85.0, 90.0)]
        assert [book.put(ADA, "key", report(score)).earlier_score for score, _ in scores] == [
            was for _, was in scores
        ]
        book.put(ADA, "newer", ungraded())
        assert book.put(ADA, "newer", report(70.0)).earlier_score == 85.0


@pytest.mark.parametrize(
    ("column", "value"),
    [("key", "other"), ("entry", "{}"), ("report", b"x"), ("seal", ""), ("name", "bob")],
)
def test_a_damaged_row_is_told_and_does_not_count(tmp_path: Path, column: str, value: object) -> None:
    with opened(tmp_path) as book:
        book.put(ADA, "key", report())
        book.put(ADA, "key", report(name="cyd"))
    change(tmp_path, f"UPDATE result SET {column} = ? WHERE name = 'ada'", value)  # noqa: S608 - the table above
    said: list[str] = []
    with opened(tmp_path) as book:
        assert [entry.name for entry in book.entries()] == ["cyd"]
        assert set(book.known(said.append)) == {"cyd"}
        assert book.known(pytest.fail)
    name = value if column == "name" else "ada"
    assert said == [f"the kept result of {name} is damaged and does not count"]


@pytest.mark.parametrize("value", ["CAST(x'61ff62' AS TEXT)", "x'616461'", "7"], ids=["no text", "bytes", "number"])
@pytest.mark.parametrize("column", ["name", "key", "entry", "report", "seal"])
def test_what_is_not_even_text_costs_its_row_and_no_other(tmp_path: Path, column: str, value: str) -> None:
    with opened(tmp_path) as book:
        book.put(ADA, "key", report())
        book.put(ADA, "key", report(name="cyd"))
    change(tmp_path, f"UPDATE result SET {column} = {value} WHERE name = 'ada'")  # noqa: S608 - the tables above
    said: list[str] = []
    with opened(tmp_path) as book:
        assert set(book.known(said.append)) == {"cyd"}
        assert set(book.known(pytest.fail)) == {"cyd"}
        book.put(ADA, "key", report())
        assert [entry.name for entry in book.entries()] == ["ada", "cyd"]
    assert len(said) == 1


def test_damage_is_told_to_whoever_does_not_grade_again_and_left(tmp_path: Path) -> None:
    with opened(tmp_path) as book:
        book.put(ADA, "key", report())
        book.notify_damage(pytest.fail)
    change(tmp_path, "UPDATE result SET key = 'other'")
    told = ["the kept result of ada is damaged and does not count; grade again to have it back"]
    for _ in range(2):
        said: list[str] = []
        with open_results(tmp_path) as book:
            book.notify_damage(said.append)
        assert said == told


def test_another_lab_s_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path, "tr2") as book:
        book.put(ADA, "key", report())
    before = (tmp_path / GRADEBOOK).read_bytes()
    with pytest.raises(UsageError, match="holds results of the lab tr2; choose another folder for those of cat"):
        opened(tmp_path, "cat")
    assert (tmp_path / GRADEBOOK).read_bytes() == before


def test_a_newer_grader_s_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    opened(tmp_path).__exit__(None, None, None)
    change(tmp_path, f"PRAGMA user_version = {VERSION + 1}")
    before = (tmp_path / GRADEBOOK).read_bytes()
    for again in (opened, open_results):
        with pytest.raises(UsageError, match="was made by a newer grader"):
            again(tmp_path)
    assert (tmp_path / GRADEBOOK).read_bytes() == before


@pytest.mark.long
def test_two_graders_do_not_share_a_folder(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(UsageError, match="another grader is using"):
        opened(tmp_path)
    opened(tmp_path).__exit__(None, None, None)


def foreign_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()


def torn(path: Path) -> None:
    with opened(path.parent) as book:
        for number in range(50):
            book.put(ADA, "key", report(name=f"student-{number}"))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


@pytest.mark.parametrize(
    "damage",
    [lambda path: path.write_bytes(b"torn" * 1000), foreign_database, torn],
    ids=["noise", "foreign", "torn"],
)
def test_what_is_no_gradebook_is_put_aside_whole_and_a_new_one_begun(tmp_path: Path, damage: object) -> None:
    damage(tmp_path / GRADEBOOK)  # type: ignore[operator]
    before, said = (tmp_path / GRADEBOOK).read_bytes(), list[str]()
    with opened(tmp_path, said=said) as book:
        assert book.entries() == []
        book.put(ADA, "key", report())
    assert (tmp_path / "gradebook.damaged-1.sqlite").read_bytes() == before
    assert len(said) == 1
    assert "it is gradebook.damaged-1.sqlite now, and all is graded again" in said[0]
    # A second time, the first one is not lost either.
    (tmp_path / GRADEBOOK).write_bytes(b"noise" * 100)
    opened(tmp_path).__exit__(None, None, None)
    assert (tmp_path / "gradebook.damaged-1.sqlite").read_bytes() == before
    assert (tmp_path / "gradebook.damaged-2.sqlite").read_bytes() == b"noise" * 100


def test_reading_only_never_makes_or_moves_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no gradebook"):
        open_results(tmp_path)
    (tmp_path / GRADEBOOK).write_bytes(b"torn" * 1000)
    with pytest.raises(GraderError, match="is damaged"):
        open_results(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [GRADEBOOK]


def test_a_damaged_name_of_a_table_is_damage_like_any_other(tmp_path: Path) -> None:
    with open_gradebook(tmp_path, "tr2", pytest.fail):
        pass
    path = tmp_path / GRADEBOOK
    content = path.read_bytes().replace(b"CREATE TABLE class", b"CREATE TABXE class")
    damaged = content.replace(b"tableclassclass", b"tablecl\x80sscl\x80ss")
    assert damaged != content
    path.write_bytes(damaged)
    with pytest.raises(GraderError, match="is damaged"):
        open_results(tmp_path)
    said: list[str] = []
    with open_gradebook(tmp_path, "tr2", said.append) as book:
        assert not list(book.reports())
    assert "it is gradebook.damaged-1.sqlite now, and all is graded again" in said[0]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="cannot be"):
        opened(tmp_path / "nowhere")


KILLED = textwrap.dedent("""
    import os, signal, sys
    from pathlib import Path
    from tests.unit.render import factory
    from tests.unit.test_gradebook import ADA, opened, report
    book = opened(Path(sys.argv[1]))
    book.put(ADA, "key", report(80.0))
    statement = "UPDATE result SET report = zeroblob(5000000)"
    book._connection.execute("PRAGMA cache_size = 1")
    book._connection.execute(statement)
    os.kill(os.getpid(), signal.SIGKILL)
""")


def test_a_grader_killed_in_the_middle_of_writing_leaves_what_was_there(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], env=environment, timeout=ENDS_S, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / f"{GRADEBOOK}-journal").stat().st_size > 0, "it was not in the middle"
    with opened(tmp_path) as book:
        assert book.report("ada") == report(80.0)
