"""What the page of a class says, and that it says nothing else."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence

import pytest

from grader.course.grades import FinalGrades
from grader.course.people import ClassList
from grader.course.roster import Student
from grader.model.gradebook import Entry, Origin, Person
from grader.model.report import SubmissionId, Timing, without_evidence
from grader.render.html.class_page.notices import MAX_NAMED, MAX_REASONS
from grader.render.html.pages import index_html
from grader.render.views.commands import Commands
from grader.render.views.lab_versions import lab_versions

from . import factory
from .classes import hostile_class, made_up
from .pages import HOSTILE, Element, Page


def page(*entries: Entry, files: Sequence[str] = ("grades.csv",)) -> Page:
    return Page(index_html(entries, files=files))


def rows(shown: Page) -> dict[str, Element]:
    """Return the rows of the table of all submissions, by name."""
    body = shown.section("all").one("tbody")
    return {row.one("th").attributes["data-sort"]: row for row in body.all("tr")}


def marks(row: Element) -> list[str]:
    return row.attributes["data-marks"].split()


def notices(shown: Page) -> list[Element]:
    """Return the notices above everything else."""
    return shown.section("attention").all("div", "notice") if "attention" in shown.sections else []


def answer(shown: Page, section: str) -> str:
    """Return the sentence below a plot."""
    return shown.section(section).one("p", "answer").words


def reasons(notice: Element) -> list[tuple[str, list[str]]]:
    """Return the reasons in a notice, each with the names below it."""
    names = [[item.words for item in entry.all("li")] for entry in notice.all("dd")]
    return list(zip([term.words for term in notice.all("dt")], names, strict=True))


def graded(name: str, score: float) -> Entry:
    report = factory.report(score=score, submission=SubmissionId(name=name, digest=""))
    return factory.entry(report, f"{name}-folder")


def not_graded(name: str, reason: str = "no engine") -> Entry:
    return factory.entry(factory.not_graded(reason, submission=SubmissionId(name=name, digest="")), name)


def test_there_is_one_row_per_submission_in_the_order_of_the_entries() -> None:
    entries = made_up(40)
    shown = page(*entries)
    names = [attrs["data-sort"] for tag, attrs in shown.attributes if tag == "th" and "data-sort" in attrs]
    assert [name.split("<")[0] for name in names] == [entry.report.submission.name.split("<")[0] for entry in entries]
    assert {f"{entry.name}/report.html" for entry in entries if entry.name.isascii()} <= set(shown.values("href"))


def test_the_score_and_what_went_wrong() -> None:
    entries = (
        factory.entry(factory.diagnosed(), "ken"),
        graded("ada", 100),
        factory.entry(factory.broken(), "grace"),
    )
    table = rows(page(*entries))
    score, wrong = table["ken"].all("td")
    assert (score.attributes["data-sort"], score.words) == ("87.0", "87")
    assert wrong.links == ["ken/report.html#cause-char-for-getchar", "ken/report.html#check-tr2u.syscalls"]
    assert [link.words for link in wrong.all("a")] == [factory.cause().title, "tr2u.syscalls"]
    assert wrong.one("small", "ids").words == "tr2b.byte-ff, tr2b.random-5m"
    score, wrong = table["ada"].all("td")
    assert (score.words, wrong.attributes["data-sort"], wrong.links) == ("100", "0", [])
    assert "grace/report.html#check-tr2b.kind-cases" in table["grace"].links


def test_why_nothing_was_compiled_is_in_the_table_and_can_be_shown_alone() -> None:
    shown = page(factory.entry(factory.unbuilt(), "ada"), graded("bob", 100))
    first, second = rows(shown).values()
    assert ["unbuilt" in marks(row) for row in (first, second)] == [True, False]
    assert [small.words for small in first.all("td")[1].all("small")] == ["it does not compile", "1 skipped"]
    assert "ada/report.html#check-tr2b.build" in first.links
    assert shown.by_id("filter-mark").one("option", value="unbuilt").numbers == [1]


def test_what_is_not_graded_comes_first_and_is_not_zero() -> None:
    entries = (graded("ada", 100), not_graded("alan"), not_graded("grace"), not_graded("ken", "no room"))
    shown = page(*entries)
    assert shown.sections[:2] == ["attention", "scores"]
    assert shown.root.one("p", "score").numbers == [1, 4]
    assert shown.root.one("p", "tally").one("a").numbers == [3]
    (notice,) = notices(shown)
    assert notice.one("h3").numbers == [3]
    assert "not 0 points" in notice.words
    assert reasons(notice) == [("no engine", ["alan", "grace"]), ("no room", ["ken"])]
    assert answer(shown, "scores") == "The only score is 100 of 100 points."
    score, reason = rows(shown)["alan"].all("td")
    assert (score.attributes["data-sort"], score.numbers, reason.words) == ("", [], "no engine")


def test_many_submissions_with_one_reason_are_counted() -> None:
    (notice,) = notices(page(*(not_graded(f"s{index}") for index in range(MAX_NAMED + 5))))
    ((_, names),) = reasons(notice)
    assert names[:-1] == [f"s{index}" for index in range(MAX_NAMED)]
    assert notice.all("li")[-1].numbers == [5]
    assert notice.one("a", data_mark="not-graded").words == names[-1]


def test_many_reasons_are_left_to_the_table() -> None:
    entries = [not_graded(f"s{index}", f"reason of s{index}") for index in range(MAX_REASONS + 3)]
    shown = page(*entries)
    (notice,) = notices(shown)
    *first, (_, others) = reasons(notice)
    assert first == [(f"reason of s{index}", [f"s{index}"]) for index in range(MAX_REASONS)]
    assert others == [f"s{MAX_REASONS + index}" for index in range(3)]
    assert [row.all("td")[1].words for row in rows(shown).values()] == [
        f"reason of s{index}" for index in range(MAX_REASONS + 3)
    ]


def test_a_submission_that_was_never_graded_has_its_newest_reason() -> None:
    shown = page(factory.entry(factory.not_graded("no engine"), "alan", last_error="no room"))
    (notice,) = notices(shown)
    assert reasons(notice) == [("no room", ["alan"])]
    assert "no engine" not in shown.words
    assert marks(rows(shown)["alan"]) == ["not-graded"]


def test_trouble_change_and_lateness_are_shown() -> None:
    entry = factory.entry(
        factory.report(score=80.0),
        earlier_score=92.5,
        last_error="tr2b.c is a link",
        origin=Origin(
            path="", late=True, submitted_at="Tue 9:05", people=(Person(name="Ada L."), Person(email="g@lab"))
        ),
    )
    shown = page(entry)
    (notice,) = notices(shown)
    assert notice.one("h3").numbers == [1]
    assert reasons(notice) == [("tr2b.c is a link", ["ada"])]
    row = rows(shown)["ada"]
    assert {"trouble", "late", "changed"} <= set(marks(row))
    students, late = row.one("th").all("small")
    assert [student.words for student in students.all("bdi")] == ["Ada L.", "g@lab"]
    assert "Tue 9:05" in late.words
    score = row.all("td")[0]
    change, earlier = score.all("small")
    assert change.words.startswith("\N{MINUS SIGN}12.5")
    assert change.numbers == [12.5, 92.5]
    assert earlier.classes == ["status", "skipped"]
    links = shown.root.one("p", "tally").all("a", href="#all")
    assert [(link.attributes["data-mark"], link.numbers) for link in links] == [("late", [1]), ("changed", [1])]


def test_an_ordinary_submission_has_no_marks_and_no_notices() -> None:
    shown = page(graded("ada", 90))
    assert not notices(shown)
    assert marks(rows(shown)["ada"]) == []
    assert not shown.root.one("p", "tally").all("a")
    assert not [word for word in ("late", "changed", "earlier", "not graded", "Before grades") if word in shown.words]


def test_files_beside_the_page_are_linked_and_nothing_else() -> None:
    shown = page(graded("ada", 90), files=("grades.csv", "canvas.csv", "my own.txt"))
    assert {"grades.csv", "canvas.csv", "my%20own.txt"} <= set(shown.values("href"))
    assert "moodle.csv" not in shown.source


def test_who_is_missing_in_a_file_for_a_course_system_is_named() -> None:
    nobody = factory.entry(factory.report(), "x", origin=Origin(path="", system="canvas"))
    (notice,) = notices(page(nobody, files=("canvas.csv",)))
    assert notice.one("h3").words.startswith("canvas.csv ")
    assert notice.one("h3").numbers == [1]
    assert notice.links == ["x/report.html"]
    assert not notices(page(nobody))


def test_a_student_with_several_submissions_is_named_and_on_the_roster_by_name() -> None:
    person = Person(name="lovelaceada", id="501")
    origin = Origin(path="", system="canvas", people=(person,))
    entries = [graded(name, 80.0).model_copy(update={"origin": origin}) for name in "ab"]
    student = Student(name="Lovelace, Ada", ids=("501",), line=2, system="canvas", number="501")
    final = FinalGrades(known=ClassList(has_roster=True, students={"a-folder": (student,), "b-folder": (student,)}))
    shown = Page(index_html(entries, files=("canvas.csv",), final=final))
    (notice,) = notices(shown)
    assert "canvas.csv" in notice.one("h3").words
    assert "attempts: best" in notice.words
    assert [link.words for link in notice.one("ul", "names").all("a")] == ["a", "b"]
    assert "Lovelace, Ada" in rows(shown)["a"].one("th").words


def test_a_student_with_two_rows_is_named_without_a_file_for_a_course_system() -> None:
    ada, ken = Student(name="Ada L", line=2), Student(name="Ken T", line=3)
    students = {"ada-folder": (ada,), "ada-2-folder": (ada,), "ken-folder": (ken,)}
    final = FinalGrades(known=ClassList(has_roster=True, students=students))
    entries = [graded(name, 10) for name in ("ada", "ada-2", "ken")]
    (notice,) = notices(Page(index_html(entries, files=(), final=final)))
    assert "grades.csv has several rows" in notice.one("h3").words
    assert [link.words for link in notice.one("ul", "names").all("a")] == ["ada", "ada-2"]


@pytest.mark.parametrize("number", [1, 2, 40])
def test_scores_are_spread_over_bins(number: int) -> None:
    entries = made_up(number)
    scores = [entry.report.score for entry in entries if entry.report.score is not None]
    scores_section = page(*entries).section("scores")
    counts = [int(row.one("td").numbers[0]) for row in scores_section.one("tbody").all("tr")]
    assert sum(counts) == len(scores)
    assert len(scores_section.all("rect")) == len(counts)
    assert page(*entries).root.one("p", "score").numbers == [len(scores), number]
    assert page(*entries).root.one("p", "tally").numbers[-2:] == [statistics.median(scores), 100]


def test_full_marks_and_nothing_have_a_place() -> None:
    scores = page(graded("ada", 100), graded("ken", 0), graded("bo", -1)).section("scores")
    bins = [(row.one("th").numbers, row.one("td").numbers) for row in scores.one("tbody").all("tr")]
    assert bins == [([95, 100], [1]), ([0, 5], [2])]
    assert scores.one("p", "answer").numbers[-2:] == [1, 3]


def test_checks_are_counted_by_program() -> None:
    shown = page(factory.entry(factory.broken()), factory.entry(factory.unbuilt(), "x")).section("checks")
    assert [head.words for head in shown.one("thead").all("th", "number")] == ["tr2b", "tr2u"]
    table = {row.one("code", "id").words: row for row in shown.one("tbody").all("tr")}
    assert {row.one("span", "title").words for row in table.values()} == {factory.check("tr2b.x").title}
    failed, absent = table["kind-cases"].all("td", "number")
    assert failed.numbers == [1]
    assert failed.one("a").attributes["data-filter"] == "tr2b.kind-cases"
    assert not absent.numbers
    tr2b, tr2u = table["text"].all("td", "number")
    assert (tr2b.numbers, tr2u.numbers) == ([0, 1], [0])
    assert tr2b.one("small").numbers == [1], "skipped"


def test_causes_are_listed_the_most_common_first_with_their_submissions() -> None:
    rare = factory.diagnosed(causes=(factory.cause("rare", "tr2b.byte-ff", title="A rare one"),))
    entries = [factory.entry(factory.diagnosed(), f"k{index}") for index in range(3)] + [factory.entry(rare, "r")]
    common, other = page(*entries).section("causes").one("tbody").all("tr")
    assert [row.one("summary").words for row in (common, other)] == [factory.cause().title, "A rare one"]
    # Two checks of 3 and 4 points.
    assert [cell.numbers for cell in common.all("td", "number")] == [[3], [7]]
    assert [cell.numbers for cell in other.all("td", "number")] == [[1], [3]]
    assert common.links == [f"k{index}/report.html#cause-char-for-getchar" for index in range(3)]
    assert other.links == ["r/report.html#cause-rare"]


def test_a_picture_has_words_and_every_submission_a_dot() -> None:
    entries = made_up(40)
    shown = page(*entries)
    pictures = shown.elements("svg")
    assert all("aria-label" in one for one in pictures if one.get("role") == "img")
    dots = [attrs["d"] for attrs in shown.elements("path") if attrs["class"] == "dot"]
    timed = [
        sum(timing.program == name for entry in entries for timing in entry.report.timing)
        for name in ("tr2b", "tr2u")
    ]
    assert [d.count("M") for d in dots] == [*timed, timed[0], timed[0], timed[1], timed[1]]
    assert f"tr2b: {timed[0]} submissions from" in pictures[2]["aria-label"]


def test_the_calls_that_are_shown_are_of_one_input_to_a_file() -> None:
    shown = page(factory.entry(factory.report()))
    calls = shown.section("calls")
    assert "pattern-5m" in calls.one("caption").words
    reads = next(row for row in calls.one("tbody").all("tr") if row.one("th").words == "tr2b reads")
    assert [cell.numbers for cell in reads.all("td")] == [[1], [1222], [], [1222]]
    assert "4,883" not in shown.words


def test_a_hostile_class_adds_no_element_and_no_address() -> None:
    hostile = Page(index_html(hostile_class()))
    assert "<script>alert(1)</script>\"' onload=x {{ 7*7 }} &amp; --> ]]> \\x1b[31m\\x00\\u202e" in hostile.text
    assert len(hostile.elements("script")) == 1
    assert not [char for char in hostile.source if char not in "\n\t" and not char.isprintable() and char != "\xa0"]
    reports = [href for href in hostile.values("href") if "report.html" in href]
    assert all(
        re.fullmatch(r"\d+%2F..%2Fjavascript%3Ax%3F%3Cb%3E%23/report\.html(#[\w.-]+)?", href) for href in reports
    )
    assert not [name for _, names in hostile.tags for name in names if name.startswith("on")]


def test_text_in_attributes_stays_text() -> None:
    shown = Page(index_html(hostile_class()))
    sorts = [value for value in shown.values("data-sort") if "alert" in value]
    assert len(sorts) == len(hostile_class())
    assert all("<script>alert(1)</script>\"' onload=x" in value for value in sorts)
    assert HOSTILE not in shown.source


def unfinished(name: str) -> Entry:
    report = factory.not_graded("it goes on from there", interrupted=True)
    return factory.entry(report.model_copy(update={"submission": SubmissionId(name=name, digest="")}), name)


def test_an_interrupted_run_is_counted_apart_from_what_could_not_be_graded() -> None:
    command = "grader grade 'my class' --lab tr2 --out results"
    entries = (unfinished("ada"), not_graded("alan", "no engine"), unfinished("ken"), graded("bo", 90))
    shown = Page(index_html(entries, commands=Commands(command)))
    waiting, failed = notices(shown)
    assert waiting.one("h3").numbers == [2]
    assert [item.words for item in waiting.all("li")] == ["ada", "ken"]
    assert waiting.one("pre").words == command
    assert reasons(failed) == [("no engine", ["alan"])]
    assert failed.one("pre").words == f"{command} --only not-graded"
    assert not [notice for notice in (waiting, failed) if "grader failed" in notice.words]
    links = [(link.attributes["href"], link.numbers) for link in shown.root.one("p", "tally").all("a")]
    assert links == [("#attention", [1]), ("#attention", [2])]
    assert rows(shown)["ada"].all("td")[0].words == "not graded yet"
    assert [marks(rows(shown)[name]) for name in ("ada", "alan")] == [["not-graded", "interrupted"], ["not-graded"]]


def test_without_the_command_the_option_is_named() -> None:
    waiting, failed = notices(page(unfinished("ada"), not_graded("alan")))
    assert not waiting.all("pre")
    assert not waiting.all("code")
    assert failed.one("code").words == "--only not-graded"


def test_an_empty_class_says_so_and_asks_nothing() -> None:
    shown = page()
    assert shown.sections == []
    assert "no submissions" in shown.words


def test_with_nothing_to_do_the_page_says_so() -> None:
    section = page(graded("ada", 100)).section("attention")
    assert not section.all("div", "notice")
    assert section.one("p").words.startswith("Nothing:")


def test_a_program_that_cannot_be_run_is_no_unexplained_failure() -> None:
    # As in a gradebook, without evidence: nothing but the checks says that it did not compile.
    report = without_evidence(factory.unbuilt())
    shown = page(factory.entry(report, "ada"))
    (notice,) = notices(shown)
    assert reasons(notice) == [("it does not compile", ["ada"])]
    assert marks(rows(shown)["ada"]) == ["unbuilt"]
    assert "symptoms" not in shown.sections
    assert "ada/report.html#check-tr2b.build" in rows(shown)["ada"].links


def test_a_check_that_was_not_judged_costs_points_and_is_named() -> None:
    skipped = factory.check("tr2u.syscalls", "skipped", message="no accounting")
    free = factory.check("tr2u.timing", "skipped", message="it crashed", max_points=0.0)
    (notice,) = notices(page(factory.entry(factory.report(checks=(skipped, free, factory.check("tr2u.text"))))))
    assert reasons(notice) == [("no accounting", ["ada"])]
    assert not notices(page(factory.entry(factory.report(checks=(free, factory.check("tr2u.text"))))))


def test_what_no_known_bug_explains_is_something_to_look_at() -> None:
    shown = page(factory.entry(factory.diagnosed(), "ken"), graded("ada", 100))
    (notice,) = notices(shown)
    assert notice.one("h3").numbers == [1]
    assert notice.links == ["#symptoms", "#all"]
    assert notice.one("a", data_mark="unexplained")


def test_sections_come_in_the_order_in_which_they_are_needed() -> None:
    wanted = ["attention", "symptoms", "causes", "scores", "checks", "all", "time", "calls"]
    assert page(*made_up(40)).sections == wanted


@pytest.mark.parametrize("number", [1, 2, 40, 300])
def test_each_plot_has_a_question_and_its_answer(number: int) -> None:
    shown = page(*made_up(number))
    for name in set(shown.sections) - {"attention", "all"}:
        section = shown.section(name)
        assert section.one("h2").words.endswith("?")
        assert answer(shown, name).endswith(".")


def test_fastest_and_slowest_are_programs_that_copy_correctly() -> None:
    def timed(name: str, real_s: float, *, correct: bool | None) -> Entry:
        timing = Timing(program="tr2b", input="pattern-5m", real_s=real_s, user_s=0, sys_s=0, correct=correct)
        report = factory.report(timing=(timing,), submission=SubmissionId(name=name, digest=""))
        return factory.entry(report, name)

    entries = (
        timed("quits", 0.001, correct=False),
        timed("ada", 0.05, correct=True),
        timed("bo", 0.07, correct=True),
        timed("earlier-version", 0.002, correct=None),
        timed("loops", 99.0, correct=False),
    )
    shown = page(*entries)
    time = shown.section("time")
    assert [link.words for link in time.one("tbody").all("a")] == ["ada", "bo"]
    assert time.one("tbody").all("td")[0].numbers == [2], "runs"
    left_out = "Not shown: 2 runs that did not copy correctly. Not shown: 1 run whose output was not compared."
    assert answer(shown, "time") == f"tr2b: 0.050 s to 0.070 s in 2 runs. {left_out}"


def test_times_of_several_inputs_are_told_apart() -> None:
    one = factory.times(0.2, 5.0)
    other = tuple(timing.model_copy(update={"input": "random-5m", "case": "random-5m"}) for timing in one)
    several = page(factory.entry(factory.report(timing=(*one, *other)))).section("time")
    assert [heading.words for heading in several.all("h3")] == ["pattern-5m", "random-5m"]
    assert not page(factory.entry(factory.report(timing=one))).section("time").all("h3")


def test_nothing_graded_has_no_figures() -> None:
    shown = page(not_graded("a"), not_graded("b"))
    assert not shown.elements("svg")
    assert shown.sections == ["attention", "all"]
    assert notices(shown)[0].one("h3").numbers == [2]


def test_a_lab_without_points_has_no_picture_of_scores() -> None:
    assert "scores" not in page(factory.entry(factory.report(score=0.0, max_score=0.0))).sections


def test_the_page_is_a_pure_function_of_the_entries() -> None:
    assert index_html(made_up(20)) == index_html(made_up(20))


@pytest.mark.long
def test_a_thousand_rows_are_not_too_much_for_a_page() -> None:
    assert len(index_html(made_up(1000))) < 2_000_000


def of_version(name: str, digest: str, score: float, max_score: float) -> Entry:
    submission = SubmissionId(name=name, digest="")
    report = factory.report(score=score, max_score=max_score, lab_digest=f"sha256:{digest}", submission=submission)
    return factory.entry(report, name)


OLD, NEW = "0" * 64, "1" * 64
MIXED = (of_version("ada", NEW, 107, 107), of_version("bob", OLD, 100, 100), of_version("cyd", OLD, 90, 100))


def mixed_page(*entries: Entry) -> Page:
    versions = lab_versions(entries, f"sha256:{NEW}")
    commands = Commands("grader grade in", "grader rescore out --lab tr2")
    return Page(index_html(entries, versions=versions, withheld=("canvas.csv",), commands=commands))


def test_mixed_versions_of_the_lab_come_first_and_in_a_column() -> None:
    shown = mixed_page(*MIXED, not_graded("dan"))
    first = notices(shown)[0]
    assert first.one("h3").words == "The scores belong to 2 versions of the lab"
    cells = [[cell.words for cell in (row.one("th"), *row.all("td"))] for row in first.one("tbody").all("tr")]
    assert cells == [["1111111 the current one", "1", "107"], ["0000000", "2", "100"]]
    assert "canvas.csv is not written" in first.words
    assert [code.words for code in first.all("pre")] == ["grader rescore out --lab tr2", "grader grade in"]
    versions = {name: row.all("td")[1].words for name, row in rows(shown).items()}
    assert versions == {"ada": "1111111", "bob": "0000000", "cyd": "0000000", "dan": ""}
    assert [name for name, row in rows(shown).items() if "other-version" in marks(row)] == ["bob", "cyd"]


def test_statistics_are_of_one_version() -> None:
    shown = mixed_page(*MIXED, of_version("eve", NEW, 7, 107))
    assert answer(shown, "scores") == "The scores go from 7 to 107 of 107 points; 1 of 2 submissions has all of them."
    assert "Counted: 2 submissions of version 1111111 of the lab." in shown.section("scores").words
    assert rows(shown)["bob"].all("td")[0].words == "100 of 100"


def test_without_a_current_version_the_most_common_counts() -> None:
    assert [(one.digest, one.scores) for one in lab_versions(MIXED)] == [
        (f"sha256:{OLD}", 2),
        (f"sha256:{NEW}", 1),
    ]


def test_scores_that_are_all_of_an_earlier_version_are_named() -> None:
    first = notices(mixed_page(*MIXED[1:]))[0]
    assert first.one("h3").words == "All scores are of an earlier version of the lab"
    assert [code.words for code in first.all("pre")] == ["grader rescore out --lab tr2"]


@pytest.mark.parametrize("current", ["", f"sha256:{OLD}"])
def test_an_ordinary_page_has_nothing_about_versions(current: str) -> None:
    shown = Page(index_html(MIXED[1:], versions=lab_versions(MIXED[1:], current)))
    assert "ersion" not in shown.section("attention").words
    assert [cell.words for cell in shown.section("all").one("thead").all("th")] == [
        "Submission",
        "Score of 100",
        "What went wrong",
    ]


def test_a_file_that_no_compiler_reads_is_the_reason() -> None:
    odd = "tr2b.c is in UTF-16, which compilers do not read: save it in UTF-8"
    failed = factory.check("tr2b.build", "failed", message="gcc: stray characters")
    skipped = factory.check("tr2b.text", "skipped")
    report = factory.report(checks=(failed, skipped), notes=(odd,), oddities=(odd,))
    (notice,) = (one for one in notices(page(factory.entry(report, "ada"))) if "cannot be run" in one.words)
    assert [reason for reason, _ in reasons(notice)] == [odd]


def test_several_copies_of_a_program_are_to_be_looked_at_first() -> None:
    doubt = (
        'a different tr2b.c is in b/; add to overrides.yaml: - {student: "ada", use: [{file: b/tr2b.c, as: tr2b.c}]}'
    )
    shown = page(factory.entry(factory.report(notes=(doubt,), doubts=(doubt,)), "ada"), graded("bob", 100))
    (notice,) = (one for one in notices(shown) if "several copies" in one.words)
    assert [reason for reason, _ in reasons(notice)] == [doubt]
    first, second = rows(shown).values()
    assert ["doubtful" in marks(row) for row in (first, second)] == [True, False]
    assert not any("several copies" in one.words for one in notices(page(graded("bob", 100))))


def test_mean_and_deviation() -> None:
    shown = page(graded("ada", 80), graded("bob", 100))
    assert "Mean 90, median 90, standard deviation 10." in shown.section("scores").words
