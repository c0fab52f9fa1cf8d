"""Archives made to use up the grader: each is refused in words, in little time and memory."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from grader.errors import GraderError, NothingToGradeError
from grader.intake.archive import files_of
from grader.intake.bounds import CHUNK_BYTES, STUDENT, ArchiveError, BoundedFile, Bounds
from grader.intake.packed import spooled
from grader.intake.tarred import TarPacker, gunzipped
from grader.model.submission import Source, Submission, UnusableSource

from .packing import BOTH, MANY, lay, read, tarred, zipped

MOST_BYTES = 64_000_000
ZEROS = bytes(1 << 20)

pytestmark = pytest.mark.timeout(120)  # they take seconds, and measuring memory takes ten times as long


def frugally(place: Path) -> Submission:
    """Read a submission in the memory that one may take."""
    tracemalloc.start()
    try:
        submission = read(place)
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
    return submission


def deflated(pieces: Iterator[bytes], wbits: int) -> Iterator[bytes]:
    deflate = zlib.compressobj(9, zlib.DEFLATED, wbits)
    for piece in pieces:
        yield deflate.compress(piece)
    yield deflate.flush()


def gzip_of(data: bytes, zeros_bytes: int) -> bytes:
    """The data and then very many zeros: a megabyte of them is compressed once and repeated."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = deflate.compress(data + ZEROS) + deflate.flush(zlib.Z_FULL_FLUSH)
    again = deflate.compress(ZEROS) + deflate.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08" + bytes(7) + head + again * (zeros_bytes // len(ZEROS)) + b"\3\0" + bytes(8)


def ten_gigabytes_of_zeros() -> bytes:
    info = tarfile.TarInfo("big")
    info.size = 10 << 30
    return gzip_of(info.tobuf(), 10 << 30)


def a_hundred_thousand_members() -> bytes:
    return b"".join(itertools.repeat(tarfile.TarInfo("x").tobuf(), 100_000))


def a_hundred_thousand_members_in_a_gzip() -> bytes:
    deflate = zlib.compressobj(wbits=31)
    return deflate.compress(a_hundred_thousand_members()) + deflate.flush()


def pax(size_bytes: int, content: bytes = b"") -> bytes:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, size_bytes
    return info.tobuf(tarfile.USTAR_FORMAT) + content + bytes(-len(content) % 512) + tarred(BOTH)


def a_pax_header_that_says_to_be_a_gigabyte() -> bytes:
    return pax(1 << 30)


def a_pax_header_of_fifty_megabytes() -> bytes:
    return pax(50_000_000, b"50000000 path=" + bytes(50_000_000 - 14))


def a_pax_header_of_digits() -> bytes:
    # Searched in quadratic time by Python before 3.11.10.
    return pax(60_000, b"1" * 60_000)


def pax_headers_all_the_way_down() -> bytes:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 0
    return info.tobuf(tarfile.USTAR_FORMAT) * 200_000 + tarred(BOTH)


def members_that_go_backwards() -> bytes:
    info = tarfile.TarInfo("x")
    info.size = 0
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[124:136] = (-1024 & ((1 << 96) - 1)).to_bytes(12, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return tarfile.TarInfo("y").tobuf() + bytes(header) * 4


def a_sparse_map_without_end() -> bytes:
    text = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n23 GNU.sparse.name=x.c\n"
    inner = tarfile.TarInfo("x")
    inner.size = 40_000_000
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, len(text)
    start = info.tobuf(tarfile.USTAR_FORMAT) + text + bytes(-len(text) % 512) + inner.tobuf(tarfile.USTAR_FORMAT)
    return start + b"20000000\n" + b"1\n" * 20_000_000


def many_entries_in_a_zip() -> bytes:
    """A directory of thirty thousand files, all of them the same few bytes: overlapping, as in 42.zip's heirs."""
    one = zipped({"x": ZEROS})
    start = one.rindex(b"PK\1\2")
    end = one.rindex(b"PK\5\6")
    entry = one[start:end]
    return (
        one[:start] + entry * 30_000 + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry) * 30_000, start, 0)
    )


def a_directory_that_says_to_be_four_gigabytes() -> bytes:
    return zipped(BOTH)[:-22] + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, 0xFFFFFFF0, 0, 0)


def extra_fields_in_fields() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(7):
            info = zipfile.ZipInfo(str(number))
            info.extra = b"\7\7\0\0" * 16_000
            archive.writestr(info, b"")
    return packed.getvalue()


def random_bytes() -> bytes:
    return b"PK\3\4" + bytes(range(256)) * 1000


BOMBS: dict[Callable[[], bytes], str] = {
    ten_gigabytes_of_zeros: f"unpacks to more than {STUDENT.unpacked_bytes:,} bytes",
    a_hundred_thousand_members: f"holds more than {STUDENT.files:,} files",
    a_hundred_thousand_members_in_a_gzip: f"holds more than {STUDENT.files:,} files",
    a_pax_header_that_says_to_be_a_gigabyte: "is damaged, or made to use up the grader's memory",
    a_pax_header_of_fifty_megabytes: "is damaged, or made to use up the grader's memory",
    a_pax_header_of_digits: "is damaged (a number of 64 digits in a header)",
    pax_headers_all_the_way_down: "is damaged",
    members_that_go_backwards: "",
    a_sparse_map_without_end: "is damaged, or made to use up the grader's memory",
    many_entries_in_a_zip: f"holds more than {STUDENT.files:,} files",
    a_directory_that_says_to_be_four_gigabytes: "is damaged",
    extra_fields_in_fields: "",
    random_bytes: "is damaged",
}


@pytest.mark.long
@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_bomb_is_refused_in_words_and_in_time(tmp_path: Path, bomb: Callable[[], bytes]) -> None:
    (tmp_path / "lab.zip").write_bytes(bomb())
    submission = frugally(tmp_path)
    for source in submission.sources.values():
        assert isinstance(source, UnusableSource)
        assert source.problem.startswith("lab.zip " + BOMBS[bomb] if BOMBS[bomb] else "")
    assert [path.name for path in tmp_path.iterdir()] == ["lab.zip"]


@pytest.mark.long
@pytest.mark.parametrize("size_bytes", [10 << 30, 1])
def test_a_source_that_inflates_is_read_as_far_as_a_source_may_go(tmp_path: Path, size_bytes: int) -> None:
    """Ten gigabytes, declared and hidden: what a directory says of a size is not believed."""
    data = b"".join(deflated(iter([ZEROS] * 100), -15))
    name = b"many.c"
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, 0, len(data), size_bytes & 0xFFFFFFFF, len(name), 0)
    entry = struct.pack(
        "<4s6H3L5H2L",
        b"PK\1\2",
        20,
        20,
        0,
        8,
        0,
        0,
        0,
        len(data),
        size_bytes & 0xFFFFFFFF,
        len(name),
        0,
        0,
        0,
        0,
        0,
        0,
    )
    body = local + name + data
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(entry + name), len(body), 0)
    (tmp_path / "lab.zip").write_bytes(body + entry + name + end)
    source = frugally(tmp_path).sources["many"]
    assert isinstance(source, UnusableSource)
    assert source.problem.startswith(
        "many.c is damaged in its archive" if size_bytes == 1 else "many.c has 2,147,483,648"
    )


def test_a_zip_of_zips_is_opened_once(tmp_path: Path) -> None:
    data = zipped({"zeros": ZEROS * 16})
    for _ in range(6):
        data = zipped({f"{number}.zip": data for number in range(16)})
    (tmp_path / "lab.zip").write_bytes(data)
    source = frugally(tmp_path).sources["many"]
    assert source == UnusableSource(
        "many.c is missing in lab.zip, which holds another archive, 0.zip: hand in the files themselves"
    )


def test_an_archive_that_unpacks_to_itself_is_opened_once(tmp_path: Path) -> None:
    # A gzip whose content begins with itself cannot be made here in a few lines; its first step can.
    inner = zipped({**BOTH, "lab.zip": zipped(BOTH)})
    lay(tmp_path, {"lab.zip": zipped({**BOTH, "lab.zip": inner})})
    assert frugally(tmp_path).sources["many"] == Source(MANY)


def test_bombs_beside_sources_are_not_touched(tmp_path: Path) -> None:
    lay(tmp_path, {**BOTH, "bomb.tgz": ten_gigabytes_of_zeros(), "bomb.zip": many_entries_in_a_zip()})
    assert frugally(tmp_path).sources["many"] == Source(MANY)


def test_a_folder_of_a_million_files_is_looked_at_at_its_top_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.intake.walk.FILES", 50)
    lay(tmp_path, {**BOTH, **{f"{number}.o": b"" for number in range(60)}, "src/many.c": b""})
    submission = read(tmp_path)
    assert submission.sources["many"] == Source(MANY)
    assert submission.notes == ("the folder holds more than 50 files; only its top was looked at",)
    assert submission.doubts == submission.notes


def test_who_has_nothing_at_the_top_of_a_million_files_is_not_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.intake.walk.FILES", 50)
    lay(tmp_path, {**{f"{number}.o": b"" for number in range(60)}, "src/many.c": MANY})
    with pytest.raises(NothingToGradeError, match="only its top was looked at"):
        read(tmp_path)


@pytest.mark.parametrize("more", [0, 1])
def test_the_limit_of_a_folder_counts_all_that_is_in_it_and_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    monkeypatch.setattr("grader.intake.walk.FILES", 10)
    lay(tmp_path, {"many.c": MANY, "src/single.c": b"int single;", **{f"src/{number}": b"" for number in range(7)}})
    if more:
        (tmp_path / "single.c").symlink_to("many.c")
    submission = read(tmp_path)
    assert submission.sources["many"] == Source(MANY)
    assert isinstance(submission.sources["single"], UnusableSource) == bool(more)


@pytest.mark.parametrize(("comment_bytes", "refused"), [(400, False), (1500, True)])
def test_the_headers_of_a_tar_are_limited_together(comment_bytes: int, *, refused: bool) -> None:
    members = {}
    for number in range(10):
        members[str(number)] = tarfile.TarInfo(f"{number}.c")
        members[str(number)].pax_headers = {"comment": "x" * comment_bytes}
    packer = TarPacker(io.BytesIO(tarred(members)), Bounds(files=10, directory_bytes=0, unpacked_bytes=0))
    if refused:
        with pytest.raises(ArchiveError, match=r"^is damaged, or made to use up the grader's time; pack it again$"):
            list(packer.files())
    else:
        assert [file.path for file in packer.files()] == [f"{number}.c" for number in range(10)]


@pytest.mark.parametrize("made", [tarred, zipped])
def test_the_files_of_an_archive_are_counted(made: Callable[..., bytes]) -> None:
    bounds = Bounds(files=2, directory_bytes=1000, unpacked_bytes=0)
    assert len(files_of(io.BytesIO(made({"a": b"", "b": b""})), bounds)) == 2
    with pytest.raises(ArchiveError, match="holds more than 2 files; hand in the sources only"):
        files_of(io.BytesIO(made({"a": b"", "b": b"", "c": b""})), bounds)


def test_what_a_gzip_unpacks_to_is_counted_and_read_in_pieces() -> None:
    class Frugal(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 <= size <= CHUNK_BYTES
            return super().read(size)

    data = os.urandom(3 * CHUNK_BYTES)
    packed = gzip.compress(data)
    exact, less = (Bounds(files=1, directory_bytes=0, unpacked_bytes=len(data) - short) for short in (0, 1))
    with gunzipped(Frugal(packed), exact) as unpacked:
        assert unpacked.read() == data
    with pytest.raises(ArchiveError, match=f"unpacks to more than {len(data) - 1:,} bytes"):
        gunzipped(Frugal(packed), less)
    with pytest.raises(ArchiveError, match=r"^is cut off; pack it again$"):
        gunzipped(Frugal(packed[:-20]), exact)


@pytest.mark.parametrize("cuts", [(10,), (1, 2, 3), (CHUNK_BYTES, CHUNK_BYTES + 1), tuple(range(1, 400))])
@pytest.mark.parametrize("end", [b"", b"\0" * 512, b"\0" * (3 * CHUNK_BYTES), b"\0\x1f", b"not gzip"])
def test_a_gzip_of_several_members_is_read_to_its_end(cuts: tuple[int, ...], end: bytes) -> None:
    data = os.urandom(2 * CHUNK_BYTES)
    members = [gzip.compress(data[start:stop]) for start, stop in zip((0, *cuts), (*cuts, len(data)), strict=True)]
    bounds = Bounds(files=len(members), directory_bytes=0, unpacked_bytes=len(data))
    for between in (b"", b"\0" * 100):
        with gunzipped(io.BytesIO(between.join(members) + end), bounds) as unpacked:
            assert unpacked.read() == data
    with pytest.raises(ArchiveError, match=f"unpacks to more than {len(data):,} bytes"):
        gunzipped(io.BytesIO(b"".join(members) + gzip.compress(b"x")), replace(bounds, files=bounds.files + 1))
    with pytest.raises(ArchiveError, match=f"holds more than {bounds.files:,} files"):
        gunzipped(io.BytesIO(b"".join(members) + gzip.compress(b"")), bounds)
    with pytest.raises(ArchiveError, match=r"^is cut off; pack it again$"):
        gunzipped(io.BytesIO(b"".join(members)[:-20]), bounds)


def test_a_full_disk_is_not_the_student_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []

    class Full(io.BytesIO):
        def write(self, _data: object) -> NoReturn:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            closed.append(True)

    monkeypatch.setattr("tempfile.SpooledTemporaryFile", lambda **_: Full())
    with pytest.raises(
        GraderError,
        match=r"an archive cannot be unpacked into temporary files: no space is left on the disk, .*; set TMPDIR",
    ):
        spooled(iter([b"x"]), lambda _size: None)
    assert any(closed)


@pytest.mark.parametrize(("count", "notes"), [(10, 0), (11, 1)])
def test_a_folder_with_one_file_too_many_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, notes: int
) -> None:
    monkeypatch.setattr("grader.intake.walk.FILES", 10)
    lay(tmp_path, {**BOTH, **{f"{number}.o": b"" for number in range(count - len(BOTH))}})
    assert len(read(tmp_path).notes) == notes


def test_a_bounded_file_reads_what_it_is_asked_for() -> None:
    file = BoundedFile(io.BytesIO(b"abcd"), 4)
    assert [file.read(size) for size in (0, 1, -1, 0)] == [b"", b"a", b"bcd", b""]
    assert file.left_bytes == 0
    assert file.seek(4) == 4
    with pytest.raises(ArchiveError, match=r"^is damaged or cut off; pack it again$"):
        file.seek(5)
    file.seek(0)
    with pytest.raises(ArchiveError):
        file.read()


def test_a_limit_is_the_last_number_that_is_allowed() -> None:
    bounds = Bounds(files=2, directory_bytes=0, unpacked_bytes=3)
    bounds.check_files(2)
    bounds.check_unpacked(3)
    with pytest.raises(ArchiveError):
        bounds.check_files(3)
    with pytest.raises(ArchiveError):
        bounds.check_unpacked(4)


def test_folders_in_folders_are_not_followed_for_ever(tmp_path: Path) -> None:
    lay(tmp_path, {"/".join(["d"] * 100) + "/many.c": MANY})
    assert frugally(tmp_path).sources["many"] == UnusableSource("many.c is missing: nothing was handed in")
