"""`grader lab publish`: the students' copy of a lab is a lab, and nothing hidden is in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.cli.exit_status import OK, USAGE
from grader.cli.main import status_of
from grader.errors import GraderError
from grader.lab.find import find_lab, load_lab
from grader.lab.mutants import read_mutants
from grader.lab.publish import student_copy
from grader.selfcheck import publish_lab as module
from tests.copying_lab import write_hidden_lab

Output = pytest.CaptureFixture[str]
SECRETS = (b"unseen", b"a remark")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return write_hidden_lab(tmp_path / "full")


def published(lab: Path, name: str = "copy") -> Path:
    assert status_of(["lab", "publish", str(lab), "--out", str(lab.parent / name)]) == OK
    return lab.parent / name


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def refused(lab: Path, capsys: Output, out: str = "copy") -> str:
    before = names_in(lab.parent)
    assert status_of(["lab", "publish", str(lab), "--out", str(lab.parent / out)]) == USAGE
    assert names_in(lab.parent) == before
    assert not [path for path in lab.parent.iterdir() if path.suffix == ".tmp"]
    return capsys.readouterr().err


def test_the_copy_has_what_visible_checks_need_and_nothing_else(lab: Path, capsys: Output) -> None:
    copy = published(lab)
    assert names_in(copy) == [
        "fixtures/etc/settings.cfg",
        "lab.yaml",
        "mutants/no-prefix/fcopy.all.c",
        "mutants/no-prefix/fcopy.c",
        "mutants/no-prefix/mutant.yaml",
        "mutants/no-prefix/page.md",
        "reference/fcopy.c",
        "template/README.md",
        "template/fcopy.c",
    ]
    for path in copy.rglob("*"):
        assert not any(secret in path.read_bytes() for secret in SECRETS if path.is_file()), path
    said = capsys.readouterr().out
    assert "left out: 1 check worth 2 points (fcopy.unseen) and 1 case (unseen-case)" in said
    gone = "fixtures/unseen.bin, mutants/no-prefix/fcopy.late.c, mutants/of-the-unseen/, reference/notes.txt~"
    assert f"files left out: {gone}\n" in said
    assert "the reference and 1 mutant are in the folder, and they are solutions" in said


def test_it_is_a_lab_whose_mutants_fit(lab: Path) -> None:
    whole = load_lab(str(lab))[0]
    spec, files = load_lab(str(published(lab)))
    assert spec.digest() == student_copy(whole).digest()
    (mutant,) = read_mutants(spec, files.mutants, files.solution)
    assert mutant.fails == {"fcopy": frozenset({"copies"})}
    assert [variant.name for variant in mutant.variants] == ["all"]
    again = published(files.spec.parent, "again")
    assert {name: (again / name).read_bytes() for name in names_in(again)} == {
        name: (files.spec.parent / name).read_bytes() for name in names_in(files.spec.parent)
    }


def test_the_command_names_a_folder(lab: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lab.parent)
    assert status_of(["lab", "publish", "full", "--out", "tr2"]) == OK
    assert "`grader check --lab ./tr2` uses it" in capsys.readouterr().out


def test_names_of_what_is_hidden_are_found_in_every_file(lab: Path, capsys: Output) -> None:
    (lab / "template" / "README.md").write_text("Beware of unseen-case!\n", encoding="utf-8")
    published(lab)
    assert "note: template/README.md contains 'unseen-case', which was left out" in capsys.readouterr().out


def test_a_lab_of_the_grader_s_keeps_its_signatures_as_long_as_they_fit(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    assert status_of(["lab", "publish", "tr2", "--out", str(copy)]) == OK
    assert (copy / "signatures.json").read_bytes() == find_lab("tr2").signatures.read_bytes()
    shutil.rmtree(min((copy / "mutants").iterdir()))
    assert status_of(["lab", "publish", str(copy), "--out", str(tmp_path / "other")]) == OK
    assert not (tmp_path / "other" / "signatures.json").exists()


@pytest.mark.parametrize("name", ["reference/fcopy.c", "template", "mutants/no-prefix/page.md", "fixtures/etc"])
def test_links_are_refused(lab: Path, capsys: Output, name: str) -> None:
    (lab / name).rename(lab.parent / "elsewhere")
    (lab / name).symlink_to(lab.parent / "elsewhere")
    assert "link" in refused(lab, capsys)


def test_what_exists_is_refused(lab: Path, capsys: Output) -> None:
    (lab.parent / "empty").mkdir()
    (lab.parent / "dangling").symlink_to("nowhere")
    for name in ("empty", "dangling", "full"):
        assert "it exists already" in refused(lab, capsys, name)
    assert "there is no folder" in refused(lab, capsys, "none/copy")


def test_a_lab_that_lacks_something_is_refused(lab: Path, capsys: Output) -> None:
    (lab / "fixtures" / "etc" / "settings.cfg").unlink()
    assert "etc/settings.cfg" in refused(lab, capsys)
    (lab / "reference" / "fcopy.c").unlink()
    assert "lacks fcopy.c" in refused(lab, capsys)


def test_nothing_is_left_of_a_copy_that_could_not_be_finished(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "signatures_mistake", full_disk)
    spec, files = load_lab(str(lab))
    with pytest.raises(GraderError, match="No space left"):
        module.publish_lab(spec, files, lab.parent / "copy")
    assert [path.name for path in lab.parent.iterdir()] == ["full"]
