"""A lab's spec, kept between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cache.entries import Cache
from grader.errors import SpecError
from grader.lab import cached_spec as module
from grader.lab.cached_spec import kept_lab
from grader.model.spec.lab import Spec
from grader.resources import resource

LAB = resource("specs", "tr2.yaml").read_text(encoding="utf-8")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were read as YAML, in their order."""
    found: list[Path] = []
    reads = module._read  # noqa: SLF001 - counted here

    def counted(path: Path) -> Spec:
        found.append(path)
        return reads(path)

    monkeypatch.setattr(module, "_read", counted)
    return found


def test_the_second_time_nothing_is_read_and_the_lab_is_the_same(tmp_path: Path, read: list[Path]) -> None:
    path, cache = tmp_path / "lab.yaml", Cache(tmp_path / "cache")
    path.write_text(LAB, encoding="utf-8")
    first, second = (kept_lab(path, cache) for _ in range(2))
    assert read == [path]
    assert second == first
    assert second.digest() == first.digest(), "results that were kept for it are still found"


def test_a_lab_that_was_changed_is_read_again(tmp_path: Path, read: list[Path]) -> None:
    path, cache = tmp_path / "lab.yaml", Cache(tmp_path / "cache")
    path.write_text(LAB, encoding="utf-8")
    kept_lab(path, cache)
    path.write_text(LAB.replace("Translates text", "Translates words"), encoding="utf-8")
    assert "Translates words" in {item.title for item in kept_lab(path, cache).rubric}
    assert len(read) == 2


def test_a_lab_that_is_saved_while_it_is_read_is_not_kept_as_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = tmp_path / "lab.yaml", Cache(tmp_path / "cache")
    path.write_text(LAB, encoding="utf-8")
    reads = module._read  # noqa: SLF001 - made slow here

    def saved_meanwhile(place: Path) -> Spec:
        place.write_text(LAB.replace("Translates text", "Translates words"), encoding="utf-8")
        return reads(place)

    monkeypatch.setattr(module, "_read", saved_meanwhile)
    kept_lab(path, cache)
    monkeypatch.setattr(module, "_read", reads)
    path.write_text(LAB, encoding="utf-8")
    assert "Translates text" in {item.title for item in kept_lab(path, cache).rubric}


def test_mistakes_are_told_with_their_line_each_time(tmp_path: Path) -> None:
    path, cache = tmp_path / "lab.yaml", Cache(tmp_path / "cache")
    path.write_text("lab: tr2\nwrong: 1\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(SpecError, match=r"lab\.yaml:2"):
            kept_lab(path, cache)


def test_what_was_damaged_is_read_again_and_nothing_is_said(
    tmp_path: Path, read: list[Path], capfd: pytest.CaptureFixture[str]
) -> None:
    path, cache = tmp_path / "lab.yaml", Cache(tmp_path / "cache")
    path.write_text(LAB, encoding="utf-8")
    first = kept_lab(path, cache)
    [kept] = (tmp_path / "cache").glob(f"*/{module.SPEC_FILE}")
    kept.write_text("{}", encoding="utf-8")
    assert [kept_lab(path, cache) for _ in range(2)] == [first] * 2
    assert len(read) == 2, "and kept again"
    assert capfd.readouterr() == ("", "")


def test_what_cannot_be_kept_is_read_and_nothing_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a-file").write_text("")
    path = tmp_path / "lab.yaml"
    path.write_text(LAB, encoding="utf-8")
    assert kept_lab(path, Cache(tmp_path / "a-file" / "cache")).lab == "tr2"
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        kept_lab(tmp_path / "none.yaml", Cache(tmp_path / "cache"))
