from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.figures import Cost, Row, Target, line
from bench.lab import EMPTY, PART, MeasuredLab, filter_options
from bench.page import CLASS, PAGE, SUBMISSION
from bench.results import to_json
from bench.rows import rows
from bench.table import MAX_IDLE_PROCESSORS, Conditions, notes, table
from grader.errors import UsageError
from grader.lab.load import read_spec
from grader.resources import resource

CHECKOUT = Path(__file__).parents[2]
BEGIN, END = SUBMISSION.begin, SUBMISSION.end
ROUND = {"alone": Cost(2.0, 2.5), "grading": Cost(3.0, 4.0), "grading process": Cost(0.5, 4.0, 80_000_000)}
LINES = [
    line(row, [ROUND])
    for row in (
        Row("alone", "alone"),
        Row("grading", "grading", "alone", (Target("cpu", 1.25), Target("wall", 1.2, plus_s=1.5))),
        Row("grading process", "part (scaled)", "alone", measures=("cpu",)),
    )
]
TABLE = """\
|               | CPU s | wall s | CPU ÷ alone | wall ÷ alone | target                               | met     |
| ------------- | ----: | -----: | ----------: | -----------: | ------------------------------------ | ------- |
| alone         |  2.00 |   2.50 |             |              |                                      |         |
| grading       |  3.00 |   4.00 |        1.50 |         1.60 | CPU ≤ 1.25, wall ≤ 1.2 times + 1.5 s | NO, yes |
| part (scaled) |  0.50 |        |        0.25 |              |                                      |         |"""
QUIET = Conditions(3, "random-5m", 5_000_000, 50_000, 2, "x86_64, Linux 6.18", 0.01)


def lab() -> MeasuredLab:
    return MeasuredLab(read_spec(resource("specs", "tr2.yaml")), "tr2", CHECKOUT / "examples" / "right", 50_000)


def test_the_table() -> None:
    assert table(LINES) == TABLE


def test_one_target_for_both_stands_once() -> None:
    row = Row("grading", "", "alone", (Target("cpu", 1.6), Target("wall", 1.6)))
    assert "| both ≤ 1.6 | yes |" in table([line(row, [ROUND])])


def test_the_cpu_of_a_machine_with_other_work_decides_nothing() -> None:
    row = Row("grading", "", "alone", (Target("cpu", 1.6), Target("wall", 1.5)), whole_machine=True)
    assert "| ?, NO |" in table([line(row, [ROUND], quiet=False)])
    assert "| yes, NO |" in table([line(row, [ROUND])])


def test_large_figures_have_no_decimals() -> None:
    assert "| 1,234 |" in table([line(Row("slow", ""), [{"slow": Cost(1234.4, 0.0)}])])


def test_the_notes_say_what_was_scaled_and_how_quiet_it_was() -> None:
    said = notes(LINES, QUIET)
    assert "Medians of 3 rounds" in said
    assert "one of 50,000 bytes" in said
    assert "at most 80 MB" in said
    assert "(0.01 processors)" in said
    assert "NOT quiet" not in said


def test_the_notes_warn_of_a_machine_with_other_work() -> None:
    loud = Conditions(1, "random-5m", 5_000_000, 50_000, 2, "x86_64, Linux 6.18", MAX_IDLE_PROCESSORS * 2)
    assert "NOT quiet" in notes(LINES, loud)
    assert "Scaled" not in notes(LINES[:2], loud)


def test_the_json_has_every_round_and_each_target() -> None:
    document = json.loads(to_json(QUIET, [ROUND], LINES))
    assert document["rounds"][0]["grading process"] == {"cpu_s": 0.5, "wall_s": 4.0, "peak_memory_bytes": 80_000_000}
    grading = document["rows"][1]
    assert (grading["cpu_ratio"], grading["wall_ratio"]) == (1.5, 1.6)
    assert [target["met"] for target in grading["targets"]] == [False, True]
    assert document["conditions"]["processors"] == QUIET.processors


def test_the_page_gets_the_table_between_its_comments_and_keeps_the_rest() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    new = SUBMISSION.with_table(page, "| new |", "a note")
    assert new == f"before\n{BEGIN}\n| new |\n\na note\n{END}\nafter\n"
    assert SUBMISSION.with_table(new, "| new |", "a note") == new


@pytest.mark.parametrize(
    "page", ["", BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{END}{BEGIN}{END}", f"{BEGIN}{BEGIN}{END}"]
)
def test_a_page_without_a_place_for_the_table_is_left_alone(page: str) -> None:
    with pytest.raises(UsageError, match="once each"):
        SUBMISSION.with_table(page, "table", "notes")


def test_rows_measured_alone_replace_their_rows_and_leave_the_others() -> None:
    head = "| | measured |\n| --- | ---: |"
    page = (
        f"before\n{CLASS.begin}\n{head}\n| one | 1 s |\n| two | 2 s |\n\nnotes | of all\nrows\n{CLASS.end}\nafter\n"
    )
    new = CLASS.with_rows(page, ["| two | 9 s |", "| three | 3 s |"])
    assert new == page.replace("| two | 2 s |", "| two | 9 s |\n| three | 3 s |")
    assert CLASS.with_rows(new, ["| one | 1 s |"]) == new


@pytest.mark.parametrize("part", ["\n", "\n\nno table\n"])
def test_rows_need_a_table(part: str) -> None:
    with pytest.raises(UsageError, match="must contain a table"):
        CLASS.with_rows(f"{CLASS.begin}{part}{CLASS.end}", ["| one | 1 s |"])


def test_the_page_has_a_place_for_each_table() -> None:
    for place in (SUBMISSION, CLASS):
        assert place.with_table(PAGE.read_text(encoding="utf-8"), "table", "notes")


def test_what_is_measured_follows_from_the_spec() -> None:
    one = lab()
    assert list(one.cases) == ["random-5m", "other-size", "pattern-5m"]
    assert one.main_case == "random-5m"
    assert {name: len(data) for name, data in one.inputs.items()} == {
        "random-5m": 5_000_000,
        "other-size": 300_000,
        "pattern-5m": 5_000_000,
        EMPTY: 0,
        PART: 50_000,
    }
    programs = one.spec.programs
    assert filter_options(programs["tr2u"]) == ["--read-nbyte", "1", "--write-nbyte", "1"]
    assert filter_options(programs["tr2b"]) == []


def test_a_folder_without_sources_is_not_a_submission(tmp_path: Path) -> None:
    empty = MeasuredLab(lab().spec, "tr2", tmp_path, 50_000)
    with pytest.raises(UsageError, match="is not a submission for tr2"):
        assert empty.sources


def test_targets_hold_for_grading_and_for_the_program_with_ten_million_calls() -> None:
    targets = {row.key: row.targets for row in rows(lab(), ("tally", "strace", "grading", "naive")) if row.targets}
    assert targets == {
        "tr2u account": (Target("cpu", 1.08), Target("wall", 1.08)),
        "tr2u filter": (Target("cpu", 1.25), Target("wall", 1.25)),
        "grading": (Target("cpu", 1.25), Target("wall", 1.2, plus_s=1.5)),
    }


def test_rows_are_of_what_was_measured() -> None:
    assert [row.key for row in rows(lab(), ())] == ["tr2b alone random-5m", "tr2u alone random-5m", "alone"]
    scaled = [row.key for row in rows(lab(), ("strace", "naive")) if "scaled" in row.title]
    assert scaled == ["tr2u strace pinned", "tr2u strace unpinned", "naive"]
