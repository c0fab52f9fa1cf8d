"""Waiting for sources to be saved.

Folders are watched, not files: editors save by renaming a new file onto the old one, which a watch of the old file
would not see.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from types import TracebackType

from typing_extensions import Self
from watchdog.events import (
    EVENT_TYPE_CLOSED,
    EVENT_TYPE_CREATED,
    EVENT_TYPE_DELETED,
    EVENT_TYPE_MODIFIED,
    EVENT_TYPE_MOVED,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from grader.errors import GraderError
from grader.render.text.phrases import listed

QUIET_S = 0.2
"""So long nothing more may come: a save is several events, and "save all" several saves."""

SAVES = {EVENT_TYPE_CLOSED, EVENT_TYPE_CREATED, EVENT_TYPE_DELETED, EVENT_TYPE_MODIFIED, EVENT_TYPE_MOVED}
"""Not among them: that a file was opened and read, as we do ourselves."""


class SourceWatcher(FileSystemEventHandler):
    """Knows of each save of a source in some folders from when the context is entered."""

    def __init__(self, sources: Iterable[str], on_save: Callable[[], None]) -> None:
        """Look for files of these names; `on_save` is called from a thread of its own."""
        self._sources = frozenset(sources)
        self._on_save = on_save
        self._news = threading.Event()
        self._observer = Observer()
        self._watched: frozenset[Path] = frozenset()

    def __enter__(self) -> Self:
        """Begin."""
        self._observer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch nothing any more."""
        self._observer.stop()
        self._observer.join()

    def look_at(self, folders: Iterable[Path]) -> None:
        """Watch these folders, each by itself, in the place of those before.

        Raises:
            GraderError: the system lets nothing be watched.
        """
        wanted = frozenset(folders)
        if wanted == self._watched:
            return
        self._observer.unschedule_all()
        self._watched = frozenset()
        try:
            for folder in wanted:
                self._observer.schedule(self, str(folder), recursive=False)
        except OSError as error:
            raise GraderError(f"{listed(map(str, wanted))} cannot be watched: {error.strerror or error}") from error
        self._watched = wanted

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take note of a save; called by watchdog, in a thread of its own."""
        if is_save(event, self._sources):
            self._news.set()
            self._on_save()

    def happened(self) -> bool:
        """Return whether there was a save since `wait` returned last."""
        return self._news.is_set()

    def wait(self) -> None:
        """Wait for a save, and until no more come."""
        # In slices, so that Ctrl-C is heard on every system.
        while not self._news.wait(1.0):
            continue
        while self._news.is_set():
            self._news.clear()
            self._news.wait(QUIET_S)


def is_save(event: FileSystemEvent, sources: frozenset[str]) -> bool:
    """Return whether an event changes a file with the name of a source, or which folders there are."""
    if event.event_type not in SAVES:
        return False
    if event.is_directory:
        return event.event_type != EVENT_TYPE_MODIFIED
    paths = (path if isinstance(path, str) else path.decode() for path in (event.src_path, event.dest_path))
    return any(PurePath(path).name in sources for path in paths)
