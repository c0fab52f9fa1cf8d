"""Hostile ways to hand in: files, folders and archives around right programs.

They are made in a test, because neither git nor every file system holds them.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.intake.names import is_archive, safe_name, stem

from .programs import PASSES, RIGHT, SOURCES, Expected

TOO_LARGE_BYTES = 1_000_001
Make = Callable[[Path], object]


@dataclass(frozen=True)
class HandedIn:
    """A submission: the name of its folder or archive, what it must get, and how to make it."""

    name: str
    expected: Expected
    make: Make

    @property
    def graded_as(self) -> str:
        """The name of its result."""
        return safe_name(stem(self.name) if is_archive(self.name) else self.name)


def _folder(change: Make) -> Make:
    """Make a folder with the right programs, and then do something to it."""

    def make(folder: Path) -> None:
        folder.mkdir()
        for name, data in RIGHT.items():
            (folder / name).write_bytes(data)
        change(folder)

    return make


def _with(files: Mapping[str, bytes]) -> Make:
    """Put files next to the sources."""

    def add(folder: Path) -> None:
        for name, data in files.items():
            (folder / name).write_bytes(data)

    return _folder(add)


def _instead(make: Make) -> Make:
    """Make something else instead of tr2b.c."""

    def replace(folder: Path) -> None:
        (folder / "tr2b.c").unlink()
        make(folder / "tr2b.c")

    return _folder(replace)


def _zip(*members: tuple[str | zipfile.ZipInfo, bytes]) -> Make:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in [*members, *RIGHT.items()]:
                archive.writestr(name, data)

    return make


def _tar(*members: tarfile.TarInfo | tuple[str, bytes], right: Mapping[str, bytes] = RIGHT) -> Make:
    def make(path: Path) -> None:
        with tarfile.open(path, "w:gz") as archive:
            for member in [*members, *right.items()]:
                if isinstance(member, tarfile.TarInfo):
                    archive.addfile(member)
                    continue
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))

    return make


def _entry(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, 0o4777
    info.devmajor, info.devminor = 1, 5
    return info


def _extended(name: str, data: bytes, **headers: str) -> Make:
    """Make a tar whose first file has headers of pax(5) that say something else of it."""
    info = tarfile.TarInfo(name)
    info.size, info.pax_headers = len(data), headers

    def make(path: Path) -> None:
        with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
            archive.addfile(info, io.BytesIO(data))
            for other, source in RIGHT.items():
                right = tarfile.TarInfo(other)
                right.size = len(source)
                archive.addfile(right, io.BytesIO(source))

    return make


def _long_names(path: Path) -> None:
    """A tar with thousands of long names, one after the other, for a single file."""
    name = b"n" * 1000
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, len(name)
    with gzip.open(path, "wb") as file:
        file.write((header.tobuf(tarfile.GNU_FORMAT) + name + bytes(-len(name) % 512)) * 5000)
        for other, source in RIGHT.items():
            right = tarfile.TarInfo(other)
            right.size = len(source)
            file.write(right.tobuf() + source + bytes(-len(source) % 512))
        file.write(bytes(1024))


def _replaced(old: bytes, new: bytes, times: int = -1) -> Make:
    """Make a zip in which bytes are replaced by as many others, so that its parts contradict each other."""
    assert len(old) == len(new)

    def make(path: Path) -> None:
        _zip()(path)
        path.write_bytes(path.read_bytes().replace(old, new, times))

    return make


def _claims_much(path: Path) -> None:
    """A zip whose zip64 field says that a source has 2**60 bytes."""
    info = zipfile.ZipInfo("tr2b.c")
    info.extra = struct.pack("<HHQQ", 1, 16, 1 << 60, 1 << 60)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("tr2u.c", RIGHT["tr2u.c"])
        archive.writestr(info, RIGHT["tr2b.c"])
    data = bytearray(packed.getvalue())
    entry = data.rfind(b"PK\1\2")
    data[entry + 20 : entry + 28] = b"\xff" * 8
    path.write_bytes(data)


def _mode(name: str, kind: int) -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o666) << 16
    return info, RIGHT[name]


def _zip_of(*members: tuple[str | zipfile.ZipInfo, bytes]) -> Make:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in members:
                archive.writestr(name, data)

    return make


def _link(name: str, target: str) -> tuple[zipfile.ZipInfo, bytes]:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info, target.encode()


def _encrypted(path: Path) -> None:
    _zip()(path)
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = data.find(mark)
        while start >= 0:
            data[start + offset] |= 1
            start = data.find(mark, start + 1)
    path.write_bytes(data)


def _cut_off(path: Path) -> None:
    _zip()(path)
    path.write_bytes(path.read_bytes()[:-40])


def _gzip_bomb(path: Path) -> None:
    """A source of a gigabyte."""
    info = tarfile.TarInfo("tr2b.c")
    info.size = 1 << 30
    deflate = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1 << 20)
    with path.open("wb") as file:
        file.write(deflate.compress(info.tobuf()))
        for _ in range(1 << 10):
            file.write(deflate.compress(zeros))
        file.write(deflate.flush())


def _zip_in_itself(path: Path) -> None:
    """An archive with a copy of itself as it was before, in which there is one, and so on."""
    data = b""
    for _ in range(20):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr(path.name, data)
            if not data:
                for name, source in RIGHT.items():
                    archive.writestr(name, source)
        data = packed.getvalue()
    path.write_bytes(data)


def _overlapping(path: Path) -> None:
    """A zip with ten thousand entries for the same megabyte of zeros."""
    name, data = b"tr2b.c", zlib.compress(bytes(1 << 20), 9)[2:-4]
    crc, size = zlib.crc32(bytes(1 << 20)), 1 << 20
    common = b"\x14\0\0\0\x08\0\0\0!\0" + crc.to_bytes(4, "little") + len(data).to_bytes(4, "little")
    common += size.to_bytes(4, "little") + len(name).to_bytes(2, "little") + b"\0\0"
    local = b"PK\3\4" + common + name + data
    entry = b"PK\1\2\x14\0" + common + bytes(14) + name
    count = 10_000
    end = b"PK\5\6\0\0\0\0" + count.to_bytes(2, "little") * 2 + (len(entry) * count).to_bytes(4, "little")
    path.write_bytes(local + entry * count + end + len(local).to_bytes(4, "little") + b"\0\0")


def _many(folder: Path) -> None:
    """More files than the search looks at; sources at the top are still found."""
    for number in range(200):
        below = folder / f"folder-{number}"
        below.mkdir()
        for other in range(101):
            (below / str(other)).touch()


def _device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


def _deep(folder: Path) -> None:
    """Sources below more folders than anybody searches."""
    below = folder
    for _ in range(100):
        below /= "d"
    below.mkdir(parents=True)
    for name in RIGHT:
        shutil.move(str(folder / name), below)


OWNED = "/var/tmp/iolab-owned"  # noqa: S108 - nothing may make it
MAKEFILE = f"all tr2b tr2u:\n\ttouch {OWNED} ../../owned\n".encode()
SPECS = b"*link:\n-T /etc/passwd\n*cc1:\n-fplugin=./plugin.so\n"
SCRIPT = f'#!/bin/sh\ntouch {OWNED} "$0.owned"\n'.encode()

PASS: Mapping[str, Make] = {
    # Next to the sources
    "intake-makefile": _with({"Makefile": MAKEFILE, "GNUmakefile": MAKEFILE, "CMakeLists.txt": b"x"}),
    "intake-specs-and-plugin": _with({"specs": SPECS, "plugin.so": b"\x7fELF", "tr2b.ld": b"SECTIONS {}"}),
    "intake-headers": _with({"stdio.h": b"#error mine\n", "unistd.h": b'#include "/etc/shadow"\n'}),
    "intake-programs": _with(dict.fromkeys(("tr2b", "tr2u", "gcc", "cc1", "as", "a.out"), SCRIPT)),
    "intake-results": _with({"report.json": b'{"score": 100}', "results.json": b"{}", "lab.yaml": b"lab: x"}),
    "intake-hooks": _with({".gitattributes": b"* filter=x\n", "conftest.py": b"1/0\n", "setup.py": b"1/0\n"}),
    "intake-names-of-files": _with(
        dict.fromkeys(("-o", "--help", "a\nb.c", " ", "$(id)", "*", "=1+1.c", "\x1b[2J.c", "\udcff\udcfe.c"), b"x")
    ),
    "intake-two-of-one-name": _with({"TR2B.C": b"#error", "Tr2u.c": b"#error", "tr2b.C": b"#error"}),
    "intake-loop-of-links": _folder(lambda folder: (folder / "loop").symlink_to(".")),
    "intake-link-to-everything": _folder(lambda folder: (folder / "root").symlink_to("/")),
    "intake-many-files": _folder(_many),
    # The name of the submission itself
    **dict.fromkeys(
        (
            "-rf", "--out=intake", "=HYPERLINK(1)", "@SUM(1+1)*cmd", "line\nbreak\r", "\x1b[2J\x1b]0;owned\x07",
            "<script>alert(1)<&script>", "{{ 7*7 }}%s%n", "broken\udcff\udcfeutf-8", "\u202egnp.right\u202c",
            "up\\..\\..\\outside", "index.html", "con", "n" * 255,
        ),
        _with({}),
    ),
    # In archives
    "intake-parent.zip": _zip(("../../outside.c", b"x"), ("../a-honest/tr2b.c", b"#error")),
    "intake-absolute.zip": _zip((OWNED, b"x"), ("/etc/passwd", b"x"), ("C:\\tr2b.c", b"#error")),
    "intake-link.zip": _zip(_link("link", "/etc/passwd"), _link("folder", "/"), (f"folder{OWNED}", b"x")),
    "intake-parent-in-tar.tgz": _tar(("../../outside.c", b"x"), (OWNED, b"x")),
    "intake-devices.tgz": _tar(
        _entry("device", tarfile.CHRTYPE), _entry("disk", tarfile.BLKTYPE), _entry("fifo", tarfile.FIFOTYPE),
        _entry("link", tarfile.SYMTYPE, "/etc"), _entry("hard", tarfile.LNKTYPE, "/etc/passwd"), ("link/owned", b"x"),
    ),
    "intake-other-path.tgz": _extended("tr2b.c", b"#error", path=f"../..{OWNED}"),
    "intake-other-path-with-zero.tgz": _extended("tr2b.c", b"#error", path="tr2b.c\0.txt"),
    "intake-other-link.tgz": _extended("other", b"#error", linkpath="/etc/passwd", uid="0", mode="4777"),
    "intake-claims-less-than-nothing.tgz": _extended("other", b"x", size="-512"),
    "intake-link-then-file.tgz": _tar(_entry("tr2b.c", tarfile.SYMTYPE, OWNED)),
    "intake-folder-then-file.tgz": _tar(_entry("tr2b.c", tarfile.DIRTYPE)),
    "intake-link-to-folder.tgz": _tar(_entry("sub", tarfile.SYMTYPE, "/"), (f"sub{OWNED}", b"x"), ("sub/etc", b"x")),
    "intake-slashes.tgz": _tar(("//tr2b.c", b"#error"), ("..//..//tr2b.c", b"#error"), ("./", b"")),
    "intake-backslashes.zip": _zip(("..\\..\\outside.c", b"x"), ("\\tr2b.c", b"#error")),
    "intake-file-then-folder.zip": _zip(("tr2b.c/", b""), ("tr2u.c/x", b"x")),
}  # fmt: skip
"""What comes with right programs changes nothing."""

WITHOUT_TR2B: Mapping[str, Make] = {
    "intake-link-to-passwd": _instead(lambda path: path.symlink_to("/etc/passwd")),
    "intake-link-to-neighbour": _instead(lambda path: path.symlink_to("../a-honest/tr2b.c")),
    "intake-link-to-itself": _instead(lambda path: path.symlink_to("tr2b.c")),
    "intake-link-to-nothing": _instead(lambda path: path.symlink_to("nothing")),
    "intake-fifo": _instead(os.mkfifo),
    "intake-folder": _instead(Path.mkdir),
    "intake-device": _instead(_device),
    "intake-empty": _instead(Path.touch),
    "intake-too-large": _instead(lambda path: path.write_bytes(b"/" * TOO_LARGE_BYTES)),
    "intake-sparse": _instead(_sparse),
    "intake-no-text": _instead(lambda path: path.write_bytes(bytes(range(256)) * 64)),
    "intake-source-link.tgz": _tar(
        _entry("tr2b.c", tarfile.SYMTYPE, "/etc/passwd"), right={"tr2u.c": RIGHT["tr2u.c"]}
    ),
    "intake-source-hard-link.tgz": _tar(
        _entry("tr2b.c", tarfile.LNKTYPE, "/etc/passwd"), right={"tr2u.c": RIGHT["tr2u.c"]}
    ),
    "intake-source-device.zip": _zip_of(_mode("tr2b.c", stat.S_IFCHR), ("tr2u.c", RIGHT["tr2u.c"])),
    "intake-link-as-source.zip": _zip_of(_link("tr2b.c", "/etc/passwd"), ("tr2u.c", RIGHT["tr2u.c"])),
    "intake-two-names.zip": _replaced(b"tr2b.c", b"../x.c", 1),
    "intake-claims-much.zip": _claims_much,
    "intake-zero-in-name.zip": _replaced(b"tr2b.c", b"tr2b\0c"),
}
"""There is no program where tr2b.c should be; tr2u is graded all the same."""

WITHOUT_PROGRAMS: Mapping[str, Make] = {
    "intake-too-deep": _folder(_deep),
    "intake-bomb.tgz": _gzip_bomb,
    "intake-claims-too-much.tgz": _extended("other", b"x", size=str(1 << 60)),
    "intake-holes.tgz": _extended("other", b"x", **{"GNU.sparse.map": "0,9" * 50_000, "GNU.sparse.size": "9" * 15}),
    "intake-long-header.tgz": _extended("other", b"x", comment="x" * 10_000_000),
    "intake-long-names.tgz": _long_names,
    "intake-overlapping.zip": _overlapping,
    "intake-archive-in-itself.zip": _zip_in_itself,
    "intake-encrypted.zip": _encrypted,
    "intake-cut-off.zip": _cut_off,
    "intake-no-archive.zip": lambda path: path.write_bytes(b"PK\3\4" + bytes(100)),
}
"""There is nothing to grade, which is the student's failure."""

IN_CLASS = tuple(
    HandedIn(name, expected, make)
    for expected, makers in (
        (PASSES, PASS),
        (Expected(not_built=frozenset(["tr2b"])), WITHOUT_TR2B),
        (Expected(not_built=frozenset(SOURCES)), WITHOUT_PROGRAMS),
    )
    for name, make in makers.items()
)
