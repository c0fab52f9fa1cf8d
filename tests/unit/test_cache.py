from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cache.entries import MANIFEST, Cache, DamagedEntryError, user_folder
from tests.waits import ENDS_S, join

FILES = {"evidence.json": b"{}", "0" * 64: bytes(range(256)) * 100, "empty": b""}
KEY = "0.1 sha256:aa local"


def folder(root: Path) -> Path:
    [entry] = [path for path in root.iterdir() if not path.name.startswith(".")]
    return entry


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "not" / "there" / "yet")
    assert cache.get(KEY) is None
    cache.put(KEY, FILES)
    assert cache.get(KEY) == FILES
    assert cache.get(KEY + " ") is None


def test_a_new_entry_replaces_the_old_one_and_nothing_else_is_left(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, FILES)
    cache.put(KEY, {"evidence.json": b"new"})
    assert cache.get(KEY) == {"evidence.json": b"new"}
    assert list(tmp_path.iterdir()) == [folder(tmp_path)]


def spoil_a_byte(entry: Path) -> None:
    (entry / "evidence.json").write_bytes(b"[]")


def remove_a_file(entry: Path) -> None:
    (entry / "empty").unlink()


def remove_the_manifest(entry: Path) -> None:
    (entry / MANIFEST).unlink()


def cut_the_manifest(entry: Path) -> None:
    (entry / MANIFEST).write_bytes((entry / MANIFEST).read_bytes()[:30])


def garble_the_manifest(entry: Path) -> None:
    (entry / MANIFEST).write_bytes(b"\xff")


def empty_the_folder(entry: Path) -> None:
    for path in entry.iterdir():
        path.unlink()


@pytest.mark.parametrize(
    "damage",
    [spoil_a_byte, remove_a_file, remove_the_manifest, cut_the_manifest, garble_the_manifest, empty_the_folder],
)
def test_damage_is_found_and_can_be_forgotten(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, FILES)
    damage(folder(tmp_path))
    with pytest.raises(DamagedEntryError, match=str(tmp_path)):
        cache.get(KEY)
    cache.forget(KEY)
    assert cache.get(KEY) is None
    cache.put(KEY, FILES)
    assert cache.get(KEY) == FILES


def test_forgetting_what_is_not_there_is_fine(tmp_path: Path) -> None:
    Cache(tmp_path / "nowhere").forget(KEY)


def test_many_may_put_the_same_entry_at_the_same_time(tmp_path: Path) -> None:
    threads, rounds = 8, 25
    together = threading.Barrier(threads)
    errors: list[BaseException] = []

    def put() -> None:
        for _ in range(rounds):
            together.wait(ENDS_S)
            try:
                Cache(tmp_path).put(KEY, FILES)
            except OSError as error:
                errors.append(error)

    workers = [threading.Thread(target=put, daemon=True) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        join(worker)
    assert errors == []
    assert Cache(tmp_path).get(KEY) == FILES
    assert list(tmp_path.iterdir()) == [folder(tmp_path)]


def test_a_cache_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        Cache(tmp_path / "file").put(KEY, FILES)


def test_an_entry_whose_place_is_taken_by_a_file_cannot_be_put_aside_silently(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, FILES)
    entry = folder(tmp_path)
    cache.forget(KEY)
    entry.write_bytes(b"in the way")
    cache.put(KEY, FILES)
    assert cache.get(KEY) == FILES


def test_the_cache_is_the_user_s_where_nothing_else_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Cache().put(KEY, FILES)
    assert (tmp_path / "iolab-grader").is_dir()


def test_what_is_kept_is_nobody_else_s_to_read(tmp_path: Path) -> None:
    Cache(tmp_path).put(KEY, FILES)
    entry = folder(tmp_path)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (entry, *entry.iterdir()))


@pytest.mark.parametrize("answer", ["~/.cache/iolab-grader", RuntimeError("could not determine the home directory")])
def test_somebody_without_a_home_keeps_nothing(
    answer: str | Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def user_cache_dir(*_arguments: object, **_options: object) -> str:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("platformdirs.user_cache_dir", user_cache_dir)
    monkeypatch.chdir(tmp_path)
    assert user_folder() is None
    cache = Cache()
    assert cache.get(KEY) is None
    with pytest.raises(FileNotFoundError, match="no home folder"):
        cache.put(KEY, FILES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_what_others_could_have_put_there_is_not_taken(tmp_path: Path, mode: int) -> None:
    root = tmp_path / "cache"
    cache = Cache(root)
    cache.put(KEY, FILES)
    root.chmod(mode)
    assert cache.get(KEY) is None
    with pytest.raises(PermissionError, match="somebody else's"):
        cache.put(KEY, FILES)
    root.chmod(0o700)
    assert cache.get(KEY) == FILES


def test_a_link_to_a_cache_is_none(tmp_path: Path) -> None:
    Cache(tmp_path / "cache").put(KEY, FILES)
    (tmp_path / "link").symlink_to(tmp_path / "cache")
    assert Cache(tmp_path / "link").get(KEY) is None


@pytest.mark.parametrize(("mode", "made"), [(0o777, False), (0o1777, True), (0o775, True)])
def test_it_is_made_where_nobody_can_put_another_in_its_place(tmp_path: Path, mode: int, *, made: bool) -> None:
    tmp_path.chmod(mode)
    cache = Cache(tmp_path / ".cache" / "iolab-grader")
    if made:
        cache.put(KEY, FILES)
        assert cache.get(KEY) == FILES
    else:
        with pytest.raises(PermissionError, match="others may write there"):
            cache.put(KEY, FILES)
        assert list(tmp_path.iterdir()) == []


def test_a_cache_of_somebody_else_s_is_neither_read_nor_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Cache(tmp_path / "cache").put(KEY, FILES)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert Cache(tmp_path / "cache").get(KEY) is None
    # Where we are root, so is this folder: what is root's may be anybody's to be in, as /tmp is.
    for name in ("cache",) if me == 0 else ("cache", "new"):
        with pytest.raises(PermissionError, match="somebody else's"):
            Cache(tmp_path / name).put(KEY, FILES)
    assert list(tmp_path.iterdir()) == [tmp_path / "cache"]
