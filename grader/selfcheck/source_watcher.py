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
from grader.model.counted import listed

QUIET_S = 0.2
"""Seconds without an event after which a save is over: it is several events, and "save all" is several saves."""

SAVES = {EVENT_TYPE_CLOSED, EVENT_TYPE_CREATED, EVENT_TYPE_DELETED, EVENT_TYPE_MODIFIED, EVENT_TYPE_MOVED}
"""Without the events of opening and reading a file, which the grader causes itself."""


class SourceWatcher(FileSystemEventHandler):
    """Watches for saves of sources in some folders while the context lasts."""

    def __init__(self, sources: Iterable[str], on_save: Callable[[], None]) -> None:
        """Look for files with these names; `on_save` is called from another thread."""
        self._sources = frozenset(sources)
        self._on_save = on_save
        self._saved = threading.Event()
        self._observer = Observer()
        self._watched: frozenset[Path] = frozenset()

    def __enter__(self) -> Self:
        self._observer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._observer.stop()
        self._observer.join()

    def look_at(self, folders: Iterable[Path]) -> None:
        """Watch these folders, without the folders in them, instead of those watched before.

        Raises:
            GraderError: the system does not allow it.
        """
        folders_to_watch = frozenset(folders)
        if folders_to_watch == self._watched:
            return
        self._observer.unschedule_all()
        self._watched = frozenset()
        try:
            for folder in folders_to_watch:
                self._observer.schedule(self, str(folder), recursive=False)
        except OSError as error:
            raise GraderError(
                f"{listed(map(str, folders_to_watch))} cannot be watched: {error.strerror or error}"
            ) from error
        self._watched = folders_to_watch

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Record a save; called by watchdog in its own thread."""
        if is_save(event, self._sources):
            self._saved.set()
            self._on_save()

    def happened(self) -> bool:
        """Return whether there was a save after `wait` returned last."""
        return self._saved.is_set()

    def wait(self) -> None:
        """Wait for a save, and until it is over."""
        # In slices, because some systems do not interrupt a longer wait for Ctrl-C.
        while not self._saved.wait(1.0):
            continue
        while self._saved.is_set():
            self._saved.clear()
            self._saved.wait(QUIET_S)


def is_save(event: FileSystemEvent, sources: frozenset[str]) -> bool:
    """Return whether an event changes a file with the name of a source, or makes, moves or removes a folder."""
    if event.event_type not in SAVES:
        return False
    if event.is_directory:
        return event.event_type != EVENT_TYPE_MODIFIED
    paths = (path if isinstance(path, str) else path.decode() for path in (event.src_path, event.dest_path))
    return any(PurePath(path).name in sources for path in paths)
