"""The student's copy of a spec: nothing hidden is in it, and all else is as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.cli.exit_status import OK, USAGE
from grader.cli.main import status_of
from grader.errors import UsageError
from grader.grading.known_bugs import shipped, signatures_key
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.lab.publish import spec_yaml, student_copy
from grader.model.spec.cases import LiteralInput
from grader.model.spec.lab import GradescopeSettings, HiddenChecks, Spec, all_inputs
from tests.hidden_lab import HIDDEN_CHECKS, HIDDEN_POINTS, POINTS, SECRETS, TR2, hidden_spec

from .lab import SPEC

Output = pytest.CaptureFixture[str]
WORTH = f"{HIDDEN_CHECKS} checks worth {HIDDEN_POINTS} points"


@pytest.fixture
def full(tmp_path: Path) -> Path:
    return hidden_spec(tmp_path)


@pytest.fixture
def copy(full: Path) -> Spec:
    return student_copy(read_spec(full))


MUTANTS = find_lab("tr2").mutants


def seen(spec: Spec, changes: Mapping[str, str]) -> Spec:
    """A spec whose checks have these visibilities, by their names."""
    items = [item.model_copy(update={"visibility": changes.get(item.name, item.visibility)}) for item in spec.rubric]
    return spec.model_copy(update={"rubric": tuple(items)})


def test_what_is_visible_is_all_there_and_just_as_it_was(copy: Spec) -> None:
    spec = read_spec(TR2)
    kept = {"published": None, "gradescope": spec.gradescope, "template_score": spec.template_score}
    assert copy.model_copy(update=kept) == spec
    assert all_inputs(copy) == all_inputs(spec)


def test_it_counts_what_is_missing_by_program(copy: Spec) -> None:
    assert copy.published is not None
    expected: dict[str, list[int]] = {}
    for points in POINTS.values():
        for program, worth in points.items():
            expected.setdefault(program, []).append(worth)
    assert copy.published.hidden_checks == {
        program: HiddenChecks(checks=len(worth), points=sum(worth)) for program, worth in expected.items()
    }


def test_nothing_hidden_is_in_its_bytes(full: Path, copy: Spec) -> None:
    text, source = spec_yaml(copy).decode("utf-8"), full.read_text(encoding="utf-8")
    for secret in SECRETS:
        assert secret in source or bytes.fromhex(secret).decode("ascii") in source, "a secret that is none"
        assert secret not in text
    assert len(re.findall(r"(?:^|\s)#", text)) == 1, "comments may tell, and only the heading is left"
    assert read_spec(full).digest()[7:] not in text


def test_its_yaml_reads_as_itself(tmp_path: Path, copy: Spec) -> None:
    path = tmp_path / "copy.yaml"
    path.write_bytes(spec_yaml(copy))
    assert read_spec(path) == copy
    assert read_spec(path).digest() != read_spec(TR2).digest()


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)), b"\0", b"\x80\x90", b"\x91\xe5", b"no", b"1e5", b"0x10", b"- a: {b}\r\n#", b" \x7f\x85"],
)
def test_every_byte_of_an_input_survives(tmp_path: Path, data: bytes) -> None:
    odd = SPEC.model_copy(update={"inputs": {**SPEC.inputs, "text": LiteralInput(kind="literal", data=data)}})
    path = tmp_path / "odd.yaml"
    path.write_bytes(spec_yaml(odd))
    assert read_spec(path) == odd


def test_a_copy_does_not_state_the_template_s_points(full: Path, copy: Spec) -> None:
    assert (read_spec(full).template_score, copy.template_score) != (None, None)
    assert copy.template_score is None


def test_a_copy_of_a_copy_is_the_copy(copy: Spec) -> None:
    assert student_copy(copy) is copy


def test_known_bugs_of_the_lab_need_not_be_measured_for_it(copy: Spec) -> None:
    mutants = read_mutants(copy, MUTANTS)
    assert mutants == read_mutants(read_spec(TR2), MUTANTS)
    assert shipped(find_lab("tr2").signatures, signatures_key(copy, mutants)) is not None


def test_a_hidden_check_of_the_lab_takes_with_it_what_only_it_uses() -> None:
    spec = read_spec(TR2)
    copy = student_copy(seen(spec, {"byte-ff": "hidden"}))
    assert set(spec.cases) - set(copy.cases) == {"ff-inside", "ff-last", "ff-only"}
    assert set(spec.inputs) - set(copy.inputs) == {"ff-inside", "ff-last", "ff-only"}


@pytest.mark.parametrize("check", ["byte-ff", "error-missing"])
def test_bugs_are_known_by_what_the_copy_checks(check: str) -> None:
    spec = read_spec(TR2)
    whole, left = read_mutants(spec, MUTANTS), read_mutants(student_copy(seen(spec, {check: "hidden"})), MUTANTS)
    alone = {one.name for one in whole if not any(checks - {check} for checks in one.fails.values())}
    assert (check == "error-missing") == bool(alone), "one of the two has bugs that show nowhere else"
    assert {one.name for one in left} == {one.name for one in whole} - alone
    assert not any(check in checks for one in left for checks in one.fails.values())


def test_without_a_slice_runs_do_not_wait_for_it() -> None:
    copy = student_copy(seen(SPEC, {"syscalls": "hidden", "terminal": "after_published"}))
    assert [case.strace for case in copy.cases.values()] == ["never"] * len(copy.cases)
    assert copy.cases["random"].engine == SPEC.cases["random"].engine
    assert "slice" not in copy.cases


def test_cases_that_are_only_shown_go_with_the_slice() -> None:
    terminal = next(item for item in SPEC.rubric if item.name == "terminal").model_copy(update={"cases": ("screen",)})
    rubric = tuple(terminal if item.name == "terminal" else item for item in SPEC.rubric)
    copy = student_copy(seen(SPEC.model_copy(update={"rubric": rubric}), {"syscalls": "hidden"}))
    assert {"screen-shown", "screen-full"}.isdisjoint(copy.cases)
    assert copy.cases["screen"].strace == "always"


def test_a_check_that_waits_for_a_hidden_slice_cannot_be_published() -> None:
    with pytest.raises(UsageError, match=r"the case screen-full \(of terminal\) .* hide terminal too"):
        student_copy(seen(SPEC, {"syscalls": "hidden"}))


def test_a_lab_that_hides_all_has_no_copy() -> None:
    with pytest.raises(UsageError, match="no check of the lab copy is visible"):
        student_copy(seen(SPEC, {item.name: "hidden" for item in SPEC.rubric}))


def test_what_only_a_course_system_needs_is_not_in_it(copy: Spec) -> None:
    assert copy.gradescope == GradescopeSettings()


def test_the_command_writes_to_standard_output(
    full: Path, copy: Spec, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert status_of(["spec", "publish", str(full)]) == OK
    written = capfdbinary.readouterr()
    assert written.out == spec_yaml(copy)
    assert f"left out: {WORTH} (tr2b.secret-text, tr2u.secret-text, ".encode() in written.err
    assert b"4 cases (secret-operands, " in written.err


def test_the_command_writes_a_file_that_is_valid(full: Path, tmp_path: Path, capsys: Output) -> None:
    out = tmp_path / "tr2.yaml"
    assert status_of(["spec", "publish", str(full), "--out", str(out)]) == OK
    assert capsys.readouterr().out == ""
    assert status_of(["spec", "validate", str(out)]) == OK
    assert f"a student's copy: {WORTH} left out" in capsys.readouterr().out
    first = out.read_bytes()
    assert status_of(["spec", "publish", str(out), "--out", str(tmp_path / "again.yaml")]) == OK
    assert "a student's copy already" in capsys.readouterr().err
    assert (tmp_path / "again.yaml").read_bytes() == first


def test_the_spec_says_how_much_of_it_is_hidden(full: Path, capsys: Output) -> None:
    assert status_of(["spec", "validate", str(full)]) == OK
    assert f"not visible to students: {WORTH}" in capsys.readouterr().out
    assert status_of(["spec", "validate", str(TR2)]) == OK
    assert "not visible" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["full.yaml", "linked.yaml", "symbolic.yaml"])
def test_the_spec_itself_is_never_written_over(full: Path, capsys: Output, name: str) -> None:
    before = full.read_bytes()
    (full.parent / "linked.yaml").hardlink_to(full)
    (full.parent / "symbolic.yaml").symlink_to(full)
    assert status_of(["spec", "publish", str(full), "--out", str(full.parent / name)]) == USAGE
    assert "this is the spec itself" in capsys.readouterr().err
    assert full.read_bytes() == before


def test_a_lab_is_published_by_its_folder(tmp_path: Path, capsys: Output) -> None:
    assert status_of(["lab", "new", str(tmp_path / "mine")]) == OK
    folder, out = tmp_path / "mine", tmp_path / "mine.yaml"
    assert status_of(["spec", "publish", str(folder), "--out", str(out)]) == OK
    before = (folder / "lab.yaml").read_bytes()
    assert status_of(["spec", "publish", str(folder), "--out", str(folder / "lab.yaml")]) == USAGE
    assert "this is the spec itself" in capsys.readouterr().err
    assert (folder / "lab.yaml").read_bytes() == before


def test_a_name_that_was_left_out_and_stands_in_a_hint_is_told(full: Path, capsys: Output) -> None:
    text = full.read_text(encoding="utf-8")
    full.write_text(text.replace("title: Translates text\n", "title: Translates text, as secret-text does\n"))
    assert status_of(["spec", "publish", str(full)]) == OK
    assert "note: the title of text contains 'secret-text'" in capsys.readouterr().err


def test_a_spec_without_anything_hidden_is_told(capsys: Output) -> None:
    assert status_of(["spec", "publish", str(TR2)]) == OK
    assert "note: nothing in this spec is hidden" in capsys.readouterr().err


def test_no_autograder_is_built_of_a_copy(full: Path, tmp_path: Path, capsys: Output) -> None:
    copy, out = tmp_path / "copy.yaml", tmp_path / "a.zip"
    assert status_of(["spec", "publish", str(full), "--out", str(copy)]) == OK
    assert status_of(["gradescope", "build", "--lab", str(copy), "--out", str(out)]) == USAGE
    assert "is a student's copy" in capsys.readouterr().err
    assert not out.exists()


def test_who_grades_with_a_copy_is_told(full: Path, tmp_path: Path, capsys: Output) -> None:
    copy = tmp_path / "copy.yaml"
    assert status_of(["spec", "publish", str(full), "--out", str(copy)]) == OK
    nobody = [str(tmp_path / "nobody"), "--out", str(tmp_path / "out")]
    for lab, told in ((copy, True), (full, False)):
        capsys.readouterr()
        assert status_of(["grade", *nobody, "--lab", str(lab)]) == USAGE
        assert ("is a student's copy, without the hidden checks" in capsys.readouterr().err) == told
