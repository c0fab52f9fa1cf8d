"""`grader lab new`."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import GraderError, UsageError
from grader.grading.reference_run import missing_reference
from grader.lab.files import lab_files
from grader.lab.find import find_lab, load_lab
from grader.selfcheck.new_lab import new_lab


def test_a_new_lab_is_complete(tmp_path: Path) -> None:
    new_lab(tmp_path / "labs" / "word-count")
    spec, files = load_lab(str(tmp_path / "labs" / "word-count"))
    assert (spec.lab, spec.sources) == ("word-count", ["word-count.c"])
    assert missing_reference(spec, files) is None
    assert (files.template / "word-count.c").is_file()
    assert spec.template_score is not None
    assert 0 < spec.template_score < spec.max_score


@pytest.mark.parametrize("name", ["2024", "null", "true", "1e3", "0x10", "12-30"])
def test_a_name_may_look_like_another_value(tmp_path: Path, name: str) -> None:
    new_lab(tmp_path / name)
    assert load_lab(str(tmp_path / name))[0].lab == name


@pytest.mark.parametrize("name", ["Word", "word_count", "-word", "word count", "w" * 65, "é"])
def test_a_folder_that_cannot_name_a_lab_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a lab"):
        new_lab(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    with pytest.raises(UsageError, match="exists already"):
        new_lab(tmp_path / "lab")
    assert list((tmp_path / "lab").iterdir()) == []
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(GraderError, match="cannot write"):
        new_lab(tmp_path / "file" / "lab")


def test_a_copy_has_everything_and_another_name(tmp_path: Path) -> None:
    source, copied = load_lab("tr2")
    new_lab(tmp_path / "mine", copied)
    spec, files = load_lab(str(tmp_path / "mine"))
    assert spec.lab == "mine"
    assert spec.model_copy(update={"lab": "tr2"}).checks() == source.checks()
    assert missing_reference(spec, files) is None
    given = {
        path: file.read_bytes() for path, file in lab_files(copied).items() if path.suffix not in (".yaml", ".json")
    }
    assert {path: file.read_bytes() for path, file in lab_files(files).items() if path in given} == given
    assert len(list(files.mutants.iterdir())) == len(list(copied.mutants.iterdir()))
    before, after = (lab.spec.read_text(encoding="utf-8").split("\n") for lab in (copied, files))
    assert [line for line in after if line not in before] == ['lab: "mine"']
    assert not files.signatures.exists()


def test_a_lab_whose_name_cannot_be_replaced_or_that_has_links_is_not_copied(tmp_path: Path) -> None:
    new_lab(tmp_path / "one")
    files = find_lab(str(tmp_path / "one"))
    (files.template / "more.c").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="is a link"):
        new_lab(tmp_path / "two", files)
    (files.template / "more.c").unlink()
    files.spec.write_text(files.spec.read_text(encoding="utf-8").replace("lab:", "'lab':", 1), encoding="utf-8")
    with pytest.raises(UsageError, match="in a line of its own"):
        new_lab(tmp_path / "two", files)
    assert not (tmp_path / "two").exists()
