"""Sources that are saved."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from watchdog.events import (
    DirCreatedEvent,
    DirModifiedEvent,
    FileClosedEvent,
    FileClosedNoWriteEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileOpenedEvent,
    FileSystemEvent,
)

from grader.errors import GraderError
from grader.selfcheck.source_watcher import SourceWatcher, is_save
from tests.waits import join

TIMEOUT_S = 20.0
SOURCES = frozenset(["many.c", "single.c"])


@pytest.mark.parametrize(
    ("event", "is_one"),
    [
        (FileModifiedEvent("mine/many.c"), True),
        (FileClosedEvent("mine/many.c"), True),
        (FileDeletedEvent("mine/single.c"), True),
        (FileMovedEvent("mine/4913", "mine/many.c"), True),
        (FileMovedEvent("mine/many.c", "mine/many.c~"), True),
        (DirCreatedEvent("mine/src"), True),
        (FileOpenedEvent("mine/many.c"), False),
        (FileClosedNoWriteEvent("mine/many.c"), False),
        (FileModifiedEvent("mine/.many.c.swp"), False),
        (FileModifiedEvent("mine/notes.txt"), False),
        (DirModifiedEvent("mine"), False),
    ],
    ids=lambda value: value.event_type if isinstance(value, FileSystemEvent) else None,
)
def test_what_changes_a_source_is_a_save(event: FileSystemEvent, is_one: bool) -> None:  # noqa: FBT001
    assert is_save(event, SOURCES) is is_one


def by_rename(path: Path) -> None:
    new = path.with_name(".new")
    new.write_text("int main;")
    new.replace(path)


def in_place(path: Path) -> None:
    path.write_text("int main;")


def with_backup(path: Path) -> None:
    path.rename(path.with_name("many.c~"))
    path.write_text("int main;")


@pytest.mark.parametrize("save", [by_rename, in_place, with_backup, Path.unlink])
def test_each_way_to_save_is_noticed_once(tmp_path: Path, save: Callable[[Path], None]) -> None:
    source = tmp_path / "many.c"
    source.write_text("")
    called = threading.Event()
    with SourceWatcher(SOURCES, called.set) as saves:
        saves.look_at([tmp_path])
        assert not saves.happened()
        save(source)
        assert called.wait(TIMEOUT_S)
        waited = threading.Thread(target=saves.wait, daemon=True)
        waited.start()
        join(waited)
        assert not saves.happened(), "several events are one save"


def test_reading_the_sources_is_no_save(tmp_path: Path) -> None:
    source = tmp_path / "many.c"
    source.write_text("int main;")
    called = threading.Event()
    with SourceWatcher(SOURCES, called.set) as saves:
        saves.look_at([tmp_path])
        source.read_text()
        (tmp_path / "other.txt").write_text("")
        assert not saves.happened()
        os.utime(source)
        in_place(source)
        assert called.wait(TIMEOUT_S), "it is looked at all the same"


def test_other_folders_take_the_place_of_those_before(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    called = threading.Event()
    with SourceWatcher(SOURCES, called.set) as saves:
        saves.look_at([first])
        saves.look_at([second])
        in_place(second / "single.c")
        assert called.wait(TIMEOUT_S)
        waited = threading.Thread(target=saves.wait, daemon=True)
        waited.start()
        join(waited)
        called.clear()
        in_place(first / "single.c")
        in_place(second / "single.c")
        assert called.wait(TIMEOUT_S)


def test_what_cannot_be_watched_is_told(tmp_path: Path) -> None:
    with (
        SourceWatcher(SOURCES, lambda: None) as saves,
        pytest.raises(GraderError, match="none cannot be watched: No such file or directory"),
    ):
        saves.look_at([tmp_path / "none"])
