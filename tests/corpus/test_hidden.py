"""Hidden checks from end to end: the course grades with its spec, students check with the copy that it publishes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cache.entries import Cache, store_cached
from grader.gradescope.results.results_json import results_of
from grader.gradescope.submission_metadata import SubmissionMetadata
from grader.grading.known_bugs import SHIPPED, LazyKnownBugs, signatures_json, signatures_key
from grader.grading.mutant_runner import MutantRunner
from grader.grading.pipeline import GradingContext, grade
from grader.grading.reference_run import obtain_reference
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.lab.publish import spec_yaml, student_copy
from grader.model.lab import Lab
from grader.model.report import Report
from grader.model.signature import check_of_facet, facet
from grader.model.spec.lab import Spec, all_inputs
from grader.model.spec.rubric import CasesItem
from grader.render.html.pages import report_html
from grader.sandbox.local import LocalSandbox
from grader.selfcheck.quick_lab import quick_form
from tests.hidden_lab import HIDDEN_CHECKS, HIDDEN_POINTS, OPERANDS, SECRETS, hidden_spec

from .known_bugs import Shipped
from .test_examples import CAUSES, EXAMPLES, FAILS, with_status

OK, FAILED = 0, 1
HIDDEN = {"tr2b.secret-text", "tr2b.secret-noise", "tr2u.secret-text", "tr2u.secret-noise", "tr2u.secret-later"}
MORE = f"{HIDDEN_CHECKS} more checks, worth {HIDDEN_POINTS} points, are"
TO_COME = f"{MORE} run after you hand in."
MAIN = "\n\tif (argc != 3) {"
ONLY_HIDDEN = f'\n\tif (argc == 3 && strncmp(argv[1], "{OPERANDS[0]}", 4) == 0)\n\t\targv[2] = argv[1];{MAIN}'
"""A bug that shows with the hidden operands, and with no other."""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    """The course's spec, with small inputs instead of those of 5,000,000 bytes."""
    spec = read_spec(hidden_spec(tmp_path_factory.mktemp("course")))
    return spec.model_copy(update={"inputs": quick_form(spec).inputs})


@pytest.fixture(scope="module")
def handed_out(full: Spec, tmp_path_factory: pytest.TempPathFactory, cache: Cache) -> Path:
    """The file that students get. Known bugs are not measured: they are the lab's, whatever the size of inputs."""
    path = tmp_path_factory.mktemp("handout") / "tr2.yaml"
    copy, known = student_copy(full), Shipped().get()
    path.write_bytes(spec_yaml(copy))
    files = {SHIPPED: signatures_json(known.signatures)}
    store_cached(cache, signatures_key(copy, known.mutants), "the known bugs", files, print)
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """Right except for what only hidden checks look at."""
    folder = Path(shutil.copytree(EXAMPLES / "right", tmp_path / "wrong"))
    for source in folder.glob("*.c"):
        text = source.read_text(encoding="utf-8")
        assert text.count(MAIN) == 1
        source.write_text(text.replace(MAIN, ONLY_HIDDEN), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def graded(full: Spec, local_sandbox: LocalSandbox, cache: Cache) -> Callable[[Path, LazyKnownBugs | None], Report]:
    """Grade a folder as the course does."""
    inputs = all_inputs(full)
    reference = obtain_reference(full, find_lab(full.lab), local_sandbox, inputs, cache, print)

    def run(folder: Path, bugs: LazyKnownBugs | None = None) -> Report:
        grading = GradingContext(Lab(full, inputs, reference), local_sandbox, known_bugs=bugs)
        return grade(grading, read_submission(DiscoveredSubmission(folder.name, folder), full))

    return run


def nothing_hidden(text: str) -> None:
    for secret in SECRETS:
        assert secret not in text, secret


def test_hidden_checks_fail_what_looks_right(full: Spec, wrong: Path, graded: Callable[[Path], Report]) -> None:
    report = graded(wrong)
    assert with_status(report, "failed") == HIDDEN
    assert {check.id for check in report.checks if check.visibility != "visible"} == HIDDEN
    assert not report.hidden_checks
    shown = report_html(report).decode("utf-8")
    assert f"Not for students: this report has {HIDDEN_CHECKS} checks" in shown
    page = results_of(report, full, SubmissionMetadata(), execution_time_s=1.0)
    nothing_hidden(page.output)
    for test in page.tests:
        if test.visibility == "visible":
            nothing_hidden(f"{test.name} {test.output} {test.tags}")
    assert len([test for test in page.tests if test.visibility != "visible"]) == len(HIDDEN)
    assert f"{MORE} not shown to you now" in page.output


def test_hidden_checks_fail_nobody_who_is_right(graded: Callable[[Path], Report]) -> None:
    report = graded(EXAMPLES / "right")
    assert report.score == report.max_score
    assert with_status(report, "passed") >= HIDDEN


@pytest.mark.slow
def test_a_known_bug_is_found_beside_hidden_failures(graded: Callable[..., Report]) -> None:
    # The signatures that come with the grader know nothing of the hidden checks, and must not be put off by them.
    report = graded(EXAMPLES / "stops-at-0xff", Shipped())
    failed = with_status(report, "failed")
    assert failed == FAILS["stops-at-0xff"] | {"tr2b.secret-noise"}
    assert [cause.name for cause in report.causes] == [CAUSES["stops-at-0xff"]]


@pytest.mark.parametrize("large", [(), ("random-5m",)])
def test_what_a_known_bug_does_in_checks_of_ones_own_is_measured(
    full: Spec, local_sandbox: LocalSandbox, cache: Cache, large: tuple[str, ...]
) -> None:
    """A check may have a large case, too, which is not run for known bugs."""
    rubric = tuple(
        item.model_copy(update={"cases": (*item.cases, *large)})
        if isinstance(item, CasesItem) and item.name == "secret-noise"
        else item
        for item in full.rubric
    )
    full = full.model_copy(update={"rubric": rubric})
    inputs = all_inputs(full)
    reference = obtain_reference(full, find_lab(full.lab), local_sandbox, inputs, cache, print)
    bug = next(
        mutant for mutant in read_mutants(full, find_lab(full.lab).mutants) if mutant.name == CAUSES["stops-at-0xff"]
    )
    assert not any("secret-noise" in checks for checks in bug.fails.values())
    measured = MutantRunner(Lab(full, inputs, reference), local_sandbox).traits([bug])["tr2b"][bug.name]
    assert {"byte-ff", "random-5m", "secret-noise"} == {check_of_facet(name) for name in measured}
    assert facet("secret-noise", "random-5m") not in measured


@pytest.mark.slow
@pytest.mark.parametrize("example", ["wrong", "stops-at-0xff"])
def test_a_student_sees_nothing_hidden_and_is_told_that_it_comes(
    grader: Callable[..., subprocess.CompletedProcess[str]],
    handed_out: Path,
    wrong: Path,
    tmp_path: Path,
    example: str,
) -> None:
    folder = wrong if example == "wrong" else EXAMPLES / example
    done = grader("check", folder, "--lab", handed_out, "--json", "--html", "page.html", "--junit", "junit.xml")
    assert done.returncode == (OK if example == "wrong" else FAILED), done.stderr
    report = Report.model_validate_json(done.stdout)
    assert with_status(report, "failed") == FAILS.get(example, set())
    assert sum(one.checks for one in report.hidden_checks.values()) == len(HIDDEN)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert TO_COME in page
    assert TO_COME in done.stderr
    for told in (done.stdout, done.stderr, page, (tmp_path / "junit.xml").read_text(encoding="utf-8")):
        nothing_hidden(told)
    assert [cause.name for cause in report.causes] == [CAUSES[example]] if example in CAUSES else not report.causes


def test_hidden_inputs_are_not_there_to_be_printed(
    grader: Callable[..., subprocess.CompletedProcess[str]], handed_out: Path
) -> None:
    done = grader("input", "--lab", handed_out, "secret-noise")
    assert done.returncode == 2
    assert "there are empty, one-byte" in done.stderr
