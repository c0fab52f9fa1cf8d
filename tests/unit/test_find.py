"""Where a lab and its parts are found."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from grader.errors import UsageError
from grader.lab.find import SEARCH_PATH, find_lab, known_labs, load_lab, require_apart
from grader.resources import resource

TR2 = resource("specs", "tr2.yaml")
SOURCES = ("tr2b.c", "tr2u.c")


@pytest.fixture(autouse=True)
def user_labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder for labs, which is empty."""
    monkeypatch.delenv(SEARCH_PATH, raising=False)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_names, **_options: str(tmp_path / "data"))
    return tmp_path / "data" / "labs"


def make_lab(folder: Path, lab: str = "copy") -> Path:
    (folder / "reference").mkdir(parents=True)
    (folder / "lab.yaml").write_text(TR2.read_text("utf-8").replace("lab: tr2", f"lab: {lab}"), "utf-8")
    for source in SOURCES:
        (folder / "reference" / source).write_bytes(b"int main;")
    return folder


def test_a_lab_of_the_grader_s_has_its_parts_in_several_folders() -> None:
    files = find_lab("tr2")
    assert (files.name_or_path, files.spec, files.is_shipped) == ("tr2", TR2, True)
    assert files.solution == resource("reference", "tr2", "solution")
    assert files.mutants == resource("reference", "tr2", "mutants")
    assert files.signatures == resource("reference", "tr2", "signatures.json")


@pytest.mark.parametrize("wanted", ["./lab", "lab", "./lab/", "lab/lab.yaml", "../here/lab"])
def test_a_folder_holds_all_parts(wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_lab(tmp_path / "here" / "lab")
    monkeypatch.chdir(tmp_path / "here")
    spec, files = load_lab(wanted)
    assert spec.lab == "copy"
    assert [path.resolve() for path in (files.spec, files.solution, files.mutants, files.signatures)] == [
        folder / "lab.yaml",
        folder / "reference",
        folder / "mutants",
        folder / "signatures.json",
    ]
    assert not files.is_shipped
    # Another folder may be current when it is looked for again.
    monkeypatch.chdir(tmp_path)
    assert load_lab(files.name_or_path)[0] == spec


def test_the_folder_that_is_current_is_a_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_lab(tmp_path / "lab"))
    assert load_lab(".")[0].lab == "copy"
    monkeypatch.chdir(tmp_path / "lab" / "reference")
    assert load_lab("..")[0].lab == "copy"


def test_a_spec_on_its_own_uses_the_parts_of_the_lab_that_it_names(tmp_path: Path) -> None:
    changed = tmp_path / "changed.yaml"
    changed.write_bytes(TR2.read_bytes())
    files = find_lab(str(changed))
    assert (files.spec, files.solution, files.is_shipped) == (changed, find_lab("tr2").solution, True)


def test_a_folder_of_another_reference_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "reference" / "tr2").mkdir(parents=True)
    changed = tmp_path / "changed.yaml"
    changed.write_bytes(TR2.read_bytes())
    assert find_lab(str(changed)).solution == find_lab("tr2").solution


def test_a_program_with_the_name_of_a_lab_is_not_its_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tr2").write_bytes(b"\x7fELF")
    assert find_lab("tr2").is_shipped
    (tmp_path / "tr2").write_bytes(TR2.read_bytes())
    assert find_lab("./tr2").spec == Path("tr2")


def test_a_spec_of_an_unknown_lab_has_its_parts_next_to_it(tmp_path: Path) -> None:
    new = tmp_path / "new.yaml"
    new.write_text(TR2.read_text("utf-8").replace("lab: tr2", "lab: new"), "utf-8")
    assert find_lab(str(new)).solution == tmp_path / "reference"


def test_a_name_is_looked_for_in_the_environment_then_in_the_user_s_folder_then_here(
    tmp_path: Path, user_labs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert known_labs() == ["copybuf", "tr2"]
    users = make_lab(user_labs / "tr2", "tr2")
    assert find_lab("tr2").spec == users / "lab.yaml"
    first, second = make_lab(tmp_path / "one" / "copy"), make_lab(tmp_path / "two" / "copy")
    third = make_lab(tmp_path / "two" / "tr2", "tr2")
    monkeypatch.setenv(SEARCH_PATH, os.pathsep.join(["", str(tmp_path / "one"), str(tmp_path / "two")]))
    assert known_labs() == ["copy", "copybuf", "tr2"]
    assert find_lab("copy").spec == first / "lab.yaml" != second / "lab.yaml"
    assert find_lab("tr2").spec == third / "lab.yaml"
    assert find_lab("tr2").name_or_path == "tr2"


def test_a_folder_with_another_name_than_its_lab_needs_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = make_lab(tmp_path / "labs" / "autumn", "copy")
    monkeypatch.setenv(SEARCH_PATH, str(tmp_path / "labs"))
    with pytest.raises(UsageError, match="is the lab 'copy'"):
        load_lab("autumn")
    monkeypatch.chdir(tmp_path / "labs")
    for path in (str(lab), "./autumn", str(lab / "lab.yaml")):
        assert load_lab(path)[0].lab == "copy"
    monkeypatch.delenv(SEARCH_PATH)
    assert load_lab("autumn")[0].lab == "copy"


def test_folders_that_cannot_be_listed_have_no_labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv(SEARCH_PATH, os.pathsep.join([str(tmp_path / "file"), str(tmp_path / "nowhere")]))
    assert known_labs() == ["copybuf", "tr2"]
    assert find_lab("tr2").is_shipped


def test_without_a_home_there_is_no_folder_of_the_user_s(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_names: str, **_options: object) -> str:
        raise RuntimeError

    monkeypatch.setattr(platformdirs, "user_data_dir", refuse)
    assert known_labs() == ["copybuf", "tr2"]


def test_what_is_not_a_lab_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"no lab 'tr3'; there are copybuf, tr2"):
        find_lab("tr3")
    with pytest.raises(UsageError, match=r"empty is not a lab: it has no lab\.yaml"):
        find_lab("empty")
    with pytest.raises(UsageError, match=r"empty is not a lab: it has no lab\.yaml"):
        find_lab("./empty")
    with pytest.raises(UsageError, match=r"no lab ''"):
        find_lab("")


def test_a_student_called_reference_is_not_the_lab_s(tmp_path: Path) -> None:
    student = tmp_path / "reference"
    student.mkdir()
    for source in load_lab("tr2")[0].sources:
        (student / source).write_text("int main;")
    spec = tmp_path / "full.yaml"
    spec.write_bytes(TR2.read_bytes())
    files = find_lab(str(spec))
    assert files.solution == find_lab("tr2").solution
    require_apart(files, [student])
    # Not even in the folder of a lab, or if the lab is not known.
    for name, lab in (("lab.yaml", "tr2"), ("new.yaml", "new")):
        (tmp_path / name).write_text(TR2.read_text("utf-8").replace("lab: tr2", f"lab: {lab}"), "utf-8")
        files = find_lab(str(tmp_path / name))
        with pytest.raises(UsageError, match="reference would be a part of the lab"):
            require_apart(files, [student])
        for bob in (tmp_path / "bob", tmp_path / "bob.zip"):
            for are_own in (False, True):
                with pytest.raises(UsageError, match=r"reference would be .* next to bob"):
                    require_apart(files, [bob], are_own=are_own)
        # A class below the folder of the lab, or packed in it, is apart from its parts.
        (tmp_path / "class.zip").write_bytes(b"")
        require_apart(files, [tmp_path / "class" / "bob", tmp_path / "class.zip" / "bob"])
        with pytest.raises(UsageError, match="is in a submission"):
            require_apart(files, [tmp_path / "class.zip" / "reference"])


def test_your_own_work_may_be_a_part_of_the_lab_or_around_it(tmp_path: Path) -> None:
    lab = make_lab(tmp_path / "lab")
    (lab / "mutants" / "ends-early").mkdir(parents=True)
    files = find_lab(str(lab))
    for own in (lab / "reference", lab / "template", lab / "mutants" / "ends-early", lab, tmp_path):
        require_apart(files, [own], are_own=True)
    require_apart(files, [lab / "template"])
    with pytest.raises(UsageError, match="is in a submission"):
        require_apart(files, [tmp_path])
