"""Which file each descriptor of a traced program is of, as far as its calls show it.

A file is a number. It keeps it when it gets another name, so the file that is called `dst` in the end may have been
written as `dst.tmp`. Each process has descriptors and a folder of its own, or shares them with the thread that it was
made by. What the calls do not show (a descriptor that came through a socket, a path through /proc) is UNKNOWN, which
is not the same as another file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from types import SimpleNamespace

UNKNOWN = 0

MOST_NAMES = 1000
"""Most paths, and symbolic links, that are remembered; the files of further ones are unknown."""

MOST_LINKS = 40
"""Most symbolic links that the kernel follows in one path."""

OPENS = frozenset({"open", "openat", "openat2", "creat"})
_STARTS = frozenset({"fork", "vfork", "clone", "clone3"})
_COPIES = frozenset({"dup", "dup2", "dup3", "fcntl"})
_PAIRS = frozenset({"pipe", "pipe2", "socketpair"})

_NAMED = re.compile(r'(?:(?P<folder>AT_FDCWD|\d+), )?"(?P<path>(?:[^"\\]|\\.)*)"')
_PAIR = re.compile(r"\[(\d+), (\d+)\]")
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)", re.DOTALL)
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self))/fd/(?P<number>\d+)")
_STANDARD = {"/dev/stdin": "0", "/dev/stdout": "1", "/dev/stderr": "2"}
_OF_PROCESS = re.compile(r"(?:/proc/[^/]+/(?:cwd|root|task|fd|map_files)|/dev/fd)(?:/|$)")
_DUPLICATES = re.compile(r"F_DUPFD(?:_CLOEXEC)?\b")
_HIGHEST = (1 << 32) - 1


# A namespace, because dataclasses would take a tenth of the guest's start.
class _Process(SimpleNamespace):
    """`folder` is a list with the folder from which relative paths count: processes may share it, too."""

    descriptors: dict[str, int]
    folder: list[int]

    def child(self, flags: str) -> _Process:
        """Return what a new process or thread has."""
        return _Process(
            descriptors=self.descriptors if "CLONE_FILES" in flags else dict(self.descriptors),
            folder=self.folder if "CLONE_FS" in flags else list(self.folder),
        )

    def own(self, flags: str) -> None:
        """Share these no longer."""
        if "CLONE_FILES" in flags:
            self.descriptors = dict(self.descriptors)
        if "CLONE_FS" in flags:
            self.folder = list(self.folder)


class OpenFiles:
    """The files of a traced program. `input` is the file of that name at its start, if it has one there."""

    def __init__(self, folder: str, input_file: str | None, output_file: str | None) -> None:
        self._names: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._links: dict[str, str] = {}
        self._processes: dict[str, _Process] = {}
        self._half_seen: set[str] = set()
        self._highest = UNKNOWN
        self._folder = self._at(folder)
        self._output_file = output_file
        self.input = None if input_file is None else self._at(input_file)

    @property
    def output(self) -> int | None:
        """The file that has the output's name now."""
        return None if self._output_file is None else self._at(self._output_file)

    def start(self, pid: str) -> None:
        """The program starts, with standard streams only."""
        standard = {number: self._new() for number in ("0", "1", "2")}
        self._processes = {pid: _Process(descriptors=standard, folder=[self._folder])}

    def file_of(self, pid: str, descriptor: str) -> int:
        """Return the file of a descriptor."""
        return self._of(pid).descriptors.get(descriptor, UNKNOWN)

    def appeared(self, child: str, begun: Iterable[tuple[str, str]]) -> None:
        """Note a new process. If no call has returned its number yet, one of these that have `begun` makes it."""
        calls = [(pid, call) for pid, text in begun if (call := _CALL.match(text)) and call["name"] in _STARTS]
        self._begin(child, [self._of(pid).child(call["arguments"]) for pid, call in calls])

    def superseded(self, pid: str, thread: str) -> None:
        """A thread calls execve, and gets the number of its process."""
        self._processes[pid] = self._processes.pop(thread, self._of(pid))

    def follow(self, pid: str, name: str, arguments: str, result: str) -> None:
        """Note what a call that succeeded has changed."""
        process = self._of(pid)
        if name in _STARTS:
            self._begin(result, [process.child(arguments)])
        elif name == "execve":
            process.own("CLONE_FILES")
        elif name == "unshare":
            process.own(arguments)
        elif name in {"chdir", "fchdir"}:
            named = self._files(process, arguments)
            process.folder[0] = named[0] if named else process.descriptors.get(arguments, UNKNOWN)
        elif not self._follow_descriptors(process, name, arguments, result):
            self._follow_names(process, name, arguments)

    def _follow_descriptors(self, process: _Process, name: str, arguments: str, result: str) -> bool:
        descriptors = process.descriptors
        if name in OPENS:
            is_new = "O_TMPFILE" in arguments
            descriptors[result] = self._new() if is_new else next(iter(self._files(process, arguments)), UNKNOWN)
        elif name in _COPIES and (name != "fcntl" or _DUPLICATES.search(arguments)):
            descriptors[result] = descriptors.get(arguments.partition(",")[0], UNKNOWN)
        elif name == "close":
            descriptors.pop(arguments, None)
        elif name == "close_range":
            _close_range(process, *arguments.split(", "))
        elif name in _PAIRS:
            descriptors.update((number, self._new()) for pair in _PAIR.findall(arguments) for number in pair)
        elif name == "memfd_create":
            descriptors[result] = self._new()
        else:
            return False
        return True

    def _follow_names(self, process: _Process, name: str, arguments: str) -> None:
        named = [(one["folder"], one["path"]) for one in _NAMED.finditer(arguments)]
        is_of_two = name.startswith(("rename", "link", "symlink"))
        if len(named) < (2 if is_of_two else 1):
            # strace shows the address of a path that it could not read.
            return
        if name.startswith("rename"):
            self._rename(*(self._place(process, *one) for one in named), is_swap="RENAME_EXCHANGE" in arguments)
        elif name in {"link", "linkat"}:
            self._put(self._place(process, *named[1]), self._file(process, *named[0]))
        elif name in {"symlink", "symlinkat"}:
            self._link(self._place(process, *named[1]), named[0][1])
        elif name in {"unlink", "unlinkat", "rmdir"}:
            self._take(self._place(process, *named[0]))

    # ---- processes ----

    def _of(self, pid: str) -> _Process:
        return self._processes.get(pid) or _Process(descriptors={}, folder=[UNKNOWN])

    def _begin(self, child: str, parents: Collection[_Process]) -> None:
        """Note a process, at the first of two events: it appears in the log, and the call that made it returns."""
        if child in self._half_seen:
            self._half_seen.discard(child)
            return
        self._half_seen.add(child)
        first, *others = parents or [_Process(descriptors={}, folder=[UNKNOWN])]
        is_clear = all(one == first for one in others)
        self._processes[child] = first if is_clear else _Process(descriptors={}, folder=[UNKNOWN])

    # ---- names ----

    def _new(self) -> int:
        self._highest += 1
        return self._highest

    def _at(self, place: str) -> int:
        if place not in self._names:
            if len(self._names) >= MOST_NAMES:
                return UNKNOWN
            self._put(place, self._new())
        return self._names[place]

    def _link(self, place: str | None, target: str) -> None:
        if len(self._links) >= MOST_NAMES:
            self._put(place, UNKNOWN)
        elif place is not None:
            self._links[place] = target

    def _put(self, place: str | None, file: int) -> None:
        if place is not None and (place in self._names or len(self._names) < MOST_NAMES):
            self._links.pop(place, None)
            self._names[place] = file
            if file != UNKNOWN:
                self._paths[file] = place

    def _take(self, place: str | None) -> int:
        """Remove a name, and return the file that it was of."""
        file = UNKNOWN if place is None else self._at(place)
        if place is not None:
            self._links.pop(place, None)
            self._names.pop(place, None)
        if self._paths.get(file) == place:
            self._paths.pop(file, None)
        return file

    def _rename(self, before: str | None, after: str | None, *, is_swap: bool) -> None:
        if None not in (before, after) and self._is_same(before or "", after or ""):
            return
        link = self._links.pop(before or "", None)
        other = self._take(after)
        within = [] if before is None else [one for one in self._names if one.startswith(f"{before}/")]
        self._put(after, self._take(before))
        for place in within:
            self._put(None if after is None else after + place[len(before or "") :], self._take(place))
        if is_swap:
            self._put(before, other)
        elif link is not None:
            self._link(after, link)

    def _is_same(self, place: str, other: str) -> bool:
        """Return whether two names are of one file; then a rename does nothing."""
        return self._links.keys().isdisjoint((place, other)) and self._at(place) == self._at(other)

    def _files(self, process: _Process, arguments: str) -> list[int]:
        return [self._file(process, one["folder"], one["path"]) for one in _NAMED.finditer(arguments)]

    def _file(self, process: _Process, folder: str | None, path: str) -> int:
        """Return the file that a call names."""
        descriptor = _STANDARD.get(path)
        if found := _DESCRIPTOR.fullmatch(path):
            descriptor = found["number"]
        elif not path:
            descriptor = folder
        if descriptor is not None:
            return process.descriptors.get(descriptor, UNKNOWN)
        place = self._place(process, folder, path)
        for _ in range(MOST_LINKS):
            if place not in self._links:
                break
            place = self._place(process, None, os.path.join(os.path.dirname(place), self._links[place]))
        return UNKNOWN if place is None or place in self._links else self._at(place)

    def _place(self, process: _Process, folder: str | None, path: str) -> str | None:
        """Return the whole path that a call names, itself perhaps a link, and None if it is not known."""
        base = process.folder[0] if folder in {None, "AT_FDCWD"} else process.descriptors.get(folder or "", UNKNOWN)
        whole = os.path.join(self._paths.get(base, ""), path)
        if not whole.startswith("/") or (self._links and ".." in whole):
            return None
        # The kernel follows links before it goes back by "..".
        is_of_process = _OF_PROCESS.match(whole) or _OF_PROCESS.match(os.path.normpath(whole))
        return None if is_of_process else self._without_links(os.path.normpath(whole))

    def _without_links(self, whole: str) -> str | None:
        """Replace links to folders in a path."""
        for _ in range(MOST_LINKS if self._links else 0):
            ends = (end for end, letter in enumerate(whole) if letter == "/" and whole[:end] in self._links)
            end = next(ends, None)
            if end is None:
                return whole
            link = whole[:end]
            whole = os.path.normpath(os.path.join(os.path.dirname(link), self._links[link], whole[end + 1 :]))
        return None if self._links else whole


def _close_range(process: _Process, first: str, last: str, flags: str) -> None:
    if "UNSHARE" in flags:
        process.own("CLONE_FILES")
    if "CLOEXEC" in flags:
        return
    highest = int(last) if last.isdigit() else _HIGHEST
    for number in [one for one in process.descriptors if int(first) <= int(one) <= highest]:
        del process.descriptors[number]
