from __future__ import annotations

from pathlib import Path

import pytest

from grader.selfcheck.last_check import LastCheck, change_words, of_report, replace_last_check

from .render import factory

A, B, C = "tr2b.text", "tr2b.byte-ff", "tr2u.calls"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (LastCheck(90, (A, B)), LastCheck(97, (A,), (B,)), "90 to 97 points: tr2b.byte-ff passes now"),
        (LastCheck(97, (A,)), LastCheck(90, (A, B)), "97 to 90 points: tr2b.byte-ff fails now"),
        (
            LastCheck(90, (A, B)),
            LastCheck(91.5, (C,), (A, B)),
            f"90 to 91.5 points: {A}, {B} pass now; {C} fails now",
        ),
        (LastCheck(90, (A, B)), LastCheck(50, (C,)), f"90 to 50 points: {C} fails now"),
        (LastCheck(90, (A,)), LastCheck(90, (A,)), ""),
        (LastCheck(100, ()), LastCheck(100, ()), ""),
        (LastCheck(0, ()), LastCheck(50, ()), "0 to 50 points"),
        (
            LastCheck(0, tuple(f"c{number}" for number in range(8))),
            LastCheck(9, (), tuple(f"c{number}" for number in range(8))),
            "0 to 9 points: c0, c1, c2, c3, c4, c5 and 2 more pass now",
        ),
    ],
)
def test_what_has_changed(before: LastCheck, after: LastCheck, words: str) -> None:
    assert change_words(before, after) == words


def test_only_a_whole_check_is_remembered() -> None:
    failed = ("tr2b.byte-ff", "tr2b.random-5m", "tr2u.syscalls")
    assert of_report(factory.diagnosed()) == LastCheck(87.0, failed, ("tr2b.text",))
    assert of_report(factory.report(score=None, only=("tr2b.text",))) is None
    assert of_report(factory.not_graded()) is None


def test_each_folder_and_each_version_of_a_lab_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first, second = LastCheck(1, ("a",)), LastCheck(2, ())
    assert replace_last_check(tmp_path, "v1", first) is None
    assert replace_last_check(tmp_path, "v1", second) == first
    assert replace_last_check(tmp_path, "v1", first) == second
    assert replace_last_check(tmp_path, "v2", first) is None
    assert replace_last_check(tmp_path / "other", "v1", first) is None


def test_what_is_damaged_or_cannot_be_kept_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    one = LastCheck(1, ("a",))
    replace_last_check(tmp_path, "v1", one)
    for path in cache.rglob("last-check.json"):
        path.write_bytes(b'{"score": "many"}')
    assert replace_last_check(tmp_path, "v1", one) is None
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert replace_last_check(tmp_path, "v1", one) is None
