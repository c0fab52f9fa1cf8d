from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from grader.errors import EngineUnavailableError
from grader.sandbox.compiled import Compiler, put_tally

NOBODY = 65_534

# Notes each call, and writes where it was told to.
COMPILER = """#!/bin/sh
echo called >>{log}
while [ "$1" != -o ]; do shift; done
echo compiled >"$2"
"""


@dataclass
class Workshop:
    """A compiler that counts, and where its work is kept."""

    folder: Path
    compiler: Compiler
    kept_in: Path

    @property
    def kept(self) -> Path:
        return self.kept_in / "kept"

    @property
    def calls(self) -> int:
        log = self.folder / "log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def put(self) -> bytes:
        """Have tally; return it."""
        target = self.folder / "tally"
        target.unlink(missing_ok=True)
        put_tally(target, self.compiler, self.kept)
        assert target.stat().st_mode & 0o777 == 0o755
        return target.read_bytes()

    def entry(self) -> Path:
        """Return the one that is kept."""
        [entry] = [path for path in self.kept.iterdir() if not path.name.startswith(".")]
        return entry


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    gcc = tmp_path / "gcc"
    gcc.write_text(COMPILER.format(log=tmp_path / "log"))
    gcc.chmod(0o755)
    return Workshop(tmp_path, Compiler(str(gcc), "gcc 12\nCopyright"), tmp_path)


def test_it_is_compiled_once(workshop: Workshop) -> None:
    assert workshop.put() == workshop.put() == b"compiled\n"
    assert workshop.calls == 1


def test_by_default_it_is_kept_in_the_user_s_cache(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    target = workshop.folder / "tally"
    monkeypatch.setenv("XDG_CACHE_HOME", str(workshop.folder / "home"))
    for _ in range(2):
        put_tally(target, workshop.compiler)
    assert workshop.calls == 1
    monkeypatch.setattr("grader.cache.trusted_code.user_folder", lambda: None)
    put_tally(target, workshop.compiler)
    assert workshop.calls == 2, "somebody without a home keeps nothing"


def test_another_compiler_compiles_anew(workshop: Workshop) -> None:
    workshop.put()
    workshop.compiler = replace(workshop.compiler, version="gcc 13\nCopyright")
    workshop.put()
    assert workshop.calls == 2


def test_it_is_kept_whatever_the_umask_is(workshop: Workshop) -> None:
    before = os.umask(0o002)
    try:
        workshop.put()
    finally:
        os.umask(before)
    workshop.put()
    assert workshop.calls == 1
    assert stat.S_IMODE(workshop.kept.stat().st_mode) == 0o700


def shared(path: Path) -> None:
    path.chmod(path.stat().st_mode | stat.S_IWGRP)


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def another_s(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize("spoil", [shared, linked, another_s])
@pytest.mark.parametrize("part", ["folder", "entry", "file"])
def test_what_others_could_have_put_there_is_not_used(
    workshop: Workshop, spoil: Callable[[Path], None], part: str
) -> None:
    workshop.put()
    entry = workshop.entry()
    spoil({"folder": workshop.kept, "entry": entry, "file": entry / "tally"}[part])
    assert workshop.put() == b"compiled\n"
    assert workshop.calls == 2


def test_an_entry_does_not_depend_on_the_others(workshop: Workshop) -> None:
    workshop.put()
    other = workshop.kept / "other"
    other.mkdir()
    other.chmod(0o777)
    workshop.put()
    assert workshop.calls == 1


@pytest.mark.parametrize("spoil", [shared, another_s])
def test_nor_where_others_could_exchange_the_folder(workshop: Workshop, spoil: Callable[[Path], None]) -> None:
    above = workshop.folder / "cache"
    above.mkdir()
    workshop.kept_in = above
    workshop.put()
    workshop.put()
    assert workshop.calls == 1
    spoil(above)
    workshop.put()
    assert workshop.calls == 2


def test_a_folder_for_everybody_with_the_sticky_bit_keeps_it(workshop: Workshop) -> None:
    above = workshop.folder / "tmp"
    above.mkdir()
    above.chmod(0o1777)
    workshop.kept_in = above
    workshop.put()
    workshop.put()
    assert workshop.calls == 1


def test_a_link_above_it_is_followed_once(workshop: Workshop) -> None:
    (workshop.folder / "elsewhere").mkdir()
    (workshop.folder / "link").symlink_to(workshop.folder / "elsewhere")
    workshop.kept_in = workshop.folder / "link"
    workshop.put()
    workshop.put()
    assert workshop.calls == 1


def test_what_was_damaged_is_replaced(workshop: Workshop) -> None:
    workshop.put()
    (workshop.entry() / "tally").write_bytes(b"damaged")
    assert [workshop.put(), workshop.put()] == [b"compiled\n"] * 2
    assert workshop.calls == 2


def test_what_cannot_be_kept_is_compiled_each_time(workshop: Workshop) -> None:
    workshop.kept.write_text("a file is in the way")
    assert [workshop.put(), workshop.put()] == [b"compiled\n"] * 2
    assert workshop.calls == 2


def test_what_does_not_compile_says_why_and_is_not_kept(workshop: Workshop) -> None:
    Path(workshop.compiler.path).write_text("#!/bin/sh\necho 'guard.c: no seccomp' >&2\nexit 1\n")
    with pytest.raises(EngineUnavailableError, match=r"guard\.c: no seccomp"):
        workshop.put()
    assert not workshop.kept.exists()
