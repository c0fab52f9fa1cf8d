"""Sources in archives, and in folders: which are used, and what the notes say about the choice."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from grader.errors import GraderError
from grader.intake.archive import files_of
from grader.intake.bounds import CHUNK_BYTES, STUDENT
from grader.intake.packed import PackedFile
from grader.intake.reading import MAX_ARCHIVES, DiscoveredSubmission, read_submission
from grader.intake.submissions import find_submissions
from grader.model.submission import Source, UnusableSource

from .lab import SOURCE_BYTES, SPEC
from .packing import BOTH, MANY, PACKERS, SINGLE, gzipped, lay, read, tarred, zipped

RIGHT = {"many": Source(MANY), "single": Source(SINGLE)}
JUNK = {
    "._many.c": b"\0\5\x16\7",
    "__MACOSX/._many.c": b"",
    "__MACOSX/many.c": b"not this",
    ".git/many.c": b"nor this",
    ".DS_Store": b"",
    "many.c~": b"old",
    "#many.c#": b"old",
    ".#many.c": b"old",
    ".many.c.swp": b"old",
    "many.c.bak": b"old",
    "many": b"\x7fELF",
    "single.o": b"\x7fELF",
    "inputs/random": bytes(3_000_000),
}


def pack(folder: Path, files: Mapping[str, bytes], suffix: str = ".zip") -> Path:
    path = folder / f"lab{suffix}"
    path.write_bytes(PACKERS[suffix](files))
    return path


def problem(place: Path, program: str = "many") -> str:
    source = read(place).sources[program]
    assert isinstance(source, UnusableSource)
    return source.problem


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("wrap", ["", "lab2/", "ada/lab2/", "./"])
def test_an_archive_holds_what_a_folder_holds(tmp_path: Path, suffix: str, wrap: str) -> None:
    files = {wrap + name: data for name, data in {**JUNK, **BOTH}.items()}
    submission = read(pack(tmp_path, files, suffix))
    assert (submission.sources, submission.notes) == (RIGHT, ())
    if wrap != "./":
        submission = read(lay(tmp_path / "folder", files))
        assert (submission.sources, submission.notes) == (RIGHT, ())


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_folder_with_nothing_but_an_archive_is_that_archive(tmp_path: Path, suffix: str) -> None:
    lay(tmp_path / "ada", {"upload/lab" + suffix: PACKERS[suffix](BOTH), "upload/notes.txt": b""})
    assert read(tmp_path / "ada").sources == RIGHT


@pytest.mark.parametrize(("name", "made"), [("lab.zip", tarred), ("lab.tgz", tarred), ("lab.tar", gzipped)])
def test_an_archive_is_what_its_bytes_say_whatever_its_name(tmp_path: Path, name: str, made: object) -> None:
    assert callable(made)
    lay(tmp_path / "ada", {name: made(BOTH)})
    assert read(tmp_path / "ada").sources == RIGHT


@pytest.mark.parametrize(
    ("files", "many", "notes"),
    [
        (
            {"lab2/many.c": MANY, "lab2/single.c": SINGLE, "old/many.c": b"old", "old/single.c": b"old"},
            MANY,
            ["many.c and single.c were taken from lab2/; there are others in old/"],
        ),
        (
            {"many.c": MANY, "single.c": SINGLE, "old/many.c": b"old"},
            MANY,
            ["many.c was taken from the top folder; there is another in old/"],
        ),
        # All from one folder rather than from the top.
        (
            {"many.c": b"alone", "lab/many.c": MANY, "lab/single.c": SINGLE},
            MANY,
            ["many.c was taken from lab/; there is another in the top folder"],
        ),
        (
            {f"{number}/many.c": MANY for number in range(1, 7)},
            MANY,
            ["many.c was taken from 6/; there are others in 1/, 2/ and 3 more places"],
        ),
        (
            {**BOTH, "old/many.c": b"old", "old/single.c": b"old"},
            MANY,
            ["many.c and single.c were taken from the top folder; there are others in old/"],
        ),
        # The shallowest of equals, then the first by name.
        ({"a/b/many.c": b"old", "z/many.c": MANY}, MANY, ["many.c was taken from z/; there is another in a/b/"]),
        ({"b/many.c": b"no", "a/many.c": MANY}, MANY, ["many.c was taken from a/; there is another in b/"]),
        (
            {"x/many.c": MANY, "y/single.c": SINGLE},
            MANY,
            ["many.c was taken from x/", "single.c was taken from y/"],
        ),
        (
            {"a/many.c": MANY, "b/many.c": b"", "c/many.c": b"", "d/many.c": b""},
            MANY,
            ["many.c was taken from a/; there are others in b/, c/ and d/"],
        ),
    ],
)
def test_of_several_the_choice_is_told(
    tmp_path: Path, files: dict[str, bytes], many: bytes, notes: list[str]
) -> None:
    folder = read(lay(tmp_path / "ada", files))
    assert folder.sources["many"] == Source(many)
    assert [note for note in folder.notes if note not in folder.doubts] == notes
    packed = read(pack(tmp_path, files))
    assert packed.sources["many"] == folder.sources["many"]
    told = [note for note in packed.notes if note not in packed.doubts]
    assert [note.replace(" in lab.zip", "").replace("top of lab.zip", "top folder") for note in told] == notes
    assert len(packed.doubts) == len(folder.doubts)


def test_what_can_be_read_is_preferred(tmp_path: Path) -> None:
    lay(tmp_path, {"b/many.c": MANY})
    (tmp_path / "many.c").symlink_to("b/many.c")
    assert read(tmp_path).sources["many"] == Source(MANY)


def test_of_equally_many_that_can_be_read_the_folder_with_more_of_the_sources_is_taken(tmp_path: Path) -> None:
    lay(tmp_path, {"a/many.c": b"old", "b/many.c": MANY})
    (tmp_path / "b" / "single.c").symlink_to("many.c")
    assert read(tmp_path).sources["many"] == Source(MANY)


def test_a_folder_named_like_a_source_is_told_unless_there_is_a_file(tmp_path: Path) -> None:
    lay(tmp_path, {"a/many.c/notes": b""})
    assert problem(tmp_path) == "many.c is a folder, not a regular file"
    lay(tmp_path, {"z/many.c": MANY})
    assert read(tmp_path).sources["many"] == Source(MANY)


NOT_COMPARED = ". What is in it was neither graded nor compared"


def test_archives_beside_sources_are_left_alone_and_told(tmp_path: Path) -> None:
    lay(tmp_path, {**BOTH, "lab.zip": b"PK not at all"})
    submission = read(tmp_path)
    assert submission.sources == RIGHT
    [note] = submission.notes
    assert note.startswith("lab.zip is damaged (")
    assert note.endswith(NOT_COMPARED)
    assert submission.doubts == (note,)


def test_an_archive_that_contains_itself_is_as_good_as_any(tmp_path: Path) -> None:
    inner = gzipped(BOTH)
    assert read(pack(tmp_path, {**BOTH, "lab.tgz": inner}, ".tgz")).sources == RIGHT


def test_an_archive_in_an_archive_is_not_opened(tmp_path: Path) -> None:
    assert problem(pack(tmp_path, {"in/inner.zip": zipped(BOTH)})) == (
        "many.c is missing in lab.zip, which holds another archive, in/inner.zip: hand in the files themselves"
    )


def test_of_several_archives_each_is_looked_into(tmp_path: Path) -> None:
    lay(tmp_path, {"b.zip": zipped({"many.c": MANY}), "a.zip": zipped({"single.c": SINGLE}), "c.zip": b"PK"})
    submission = read(tmp_path)
    assert submission.name == "ada"
    assert submission.sources == RIGHT
    assert submission.notes[:2] == (
        "many.c was taken from the top of b.zip",
        "single.c was taken from the top of a.zip",
    )
    assert len(submission.notes) == 3
    assert submission.notes[2].startswith("c.zip is damaged")


def test_of_several_archives_the_shallowest_copy_is_taken(tmp_path: Path) -> None:
    lay(tmp_path, {"a.zip": zipped({"x/many.c": b"deeper"}), "b.zip": zipped({"many.c": MANY})})
    assert read(tmp_path).sources["many"] == Source(MANY)


def test_not_all_of_a_hundred_archives_are_looked_into(tmp_path: Path) -> None:
    lay(tmp_path, {f"{number:03}.zip": zipped({"nothing": b""}) for number in range(100)})
    submission = read(tmp_path)
    assert submission.notes == (f"only {MAX_ARCHIVES} of 100 archives were searched",)


def test_the_last_of_one_name_in_an_archive_counts_as_it_would_unpacked(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("many.c", b"old")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("many.c", MANY)
    (tmp_path / "lab.zip").write_bytes(packed.getvalue())
    submission = read(tmp_path / "lab.zip")
    assert submission.sources["many"] == Source(MANY)
    assert submission.notes == ("many.c is there twice, at the top of lab.zip; the later one was taken",)


def test_a_program_is_not_taken_for_a_misnamed_source(tmp_path: Path) -> None:
    assert problem(lay(tmp_path / "ada", {"many.o": b"", "many": b"", "many.c~": b""})) == "many.c is missing"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "many.c is missing: nothing was handed in"),
        ({"notes.txt": b""}, "many.c is missing"),
        ({"many (1).c": b""}, "many.c is missing. There is many (1).c: if that is it, rename it to many.c"),
        ({"many.c.txt": b""}, "many.c is missing. There is many.c.txt: if that is it, rename it to many.c"),
        ({"many.cpp": b""}, "many.c is missing. There is many.cpp: if that is it, rename it to many.c"),
        ({"many (1).CC": b""}, "many.c is missing. There is many (1).CC: if that is it, rename it to many.c"),
        ({"many.txt": b""}, "many.c is missing. There is many.txt: if that is it, rename it to many.c"),
        ({"MANY.TXT": b""}, "many.c is missing. There is MANY.TXT: if that is it, rename it to many.c"),
        ({"output-many.txt": b"", "trace-many-file.txt": b""}, "many.c is missing"),
        ({"Many.C": b""}, "many.c is missing. The folder has Many.C: rename it to many.c"),
        ({"src/MANY.c": b""}, "many.c is missing. src/ has MANY.c: rename it"),
        ({"1/2/3/many.c": b""}, "many.c is missing. There is one at 1/2/3/many.c, deeper than 2 folders: move it up"),
        ({"1/2/3/4/5/6/many.c": b""}, "many.c is missing. There is one at 1/2/3/4/5/6/many.c, deeper than"),
        ({"1/2/3/4/5/6/7/many.c": b""}, "many.c is missing: nothing was handed in"),
        ({"lab.rar": b"Rar!\x1a\7"}, "lab.rar is a rar archive; hand in a .zip or .tar.gz archive, or the sources"),
        ({"lab.zip": b""}, "lab.zip is empty; hand in"),
        ({"lab.zip": b"<html>"}, "lab.zip is neither a zip nor a tar archive, whatever its name says; hand in"),
        ({"lab.zip": zipped({"x": b""})}, "many.c is missing in lab.zip"),
        (
            {"a.zip": zipped({"x": b""}), "b.zip": zipped({"y": b""})},
            "many.c is missing in a.zip and b.zip",
        ),
        ({"lab.zip": zipped({"x/Many.c": b""})}, "many.c is missing. x/ in lab.zip has Many.c: rename it"),
        ({"lab.zip": zipped({"many.c": b""})}, "many.c is empty"),
        (
            {"lab.zip": zipped({"many.c": bytes(SOURCE_BYTES + 1)})},
            f"many.c has {SOURCE_BYTES + 1:,} bytes; a source",
        ),
    ],
)
def test_what_is_missing_is_told_with_what_is_there(tmp_path: Path, files: dict[str, bytes], says: str) -> None:
    folder = lay(tmp_path / "ada", files)
    folder.mkdir(exist_ok=True)
    assert problem(folder).startswith(says)


def member(kind: bytes, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo("many.c")
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        (
            "many.c",
            member(tarfile.SYMTYPE, "/etc/passwd"),
            "many.c is a link in its archive; hand in the file itself",
        ),
        ("many.c", member(tarfile.LNKTYPE, "../../x"), "many.c is a link in its archive; hand in the file itself"),
        ("many.c", member(tarfile.FIFOTYPE), "many.c is not a regular file; hand in the file itself"),
        ("many.c", member(tarfile.CHRTYPE), "many.c is not a regular file; hand in the file itself"),
        ("many.c", member(tarfile.GNUTYPE_SPARSE), "many.c is packed with holes; pack it again without"),
        (
            "../many.c",
            b"x",
            "many.c is packed as ../many.c, a place outside of the archive; pack it again from inside",
        ),
        ("/etc/many.c", b"x", "many.c is packed as /etc/many.c, a place outside of the archive"),
        ("a/../../many.c", b"x", "many.c is packed as a/../../many.c, a place outside"),
    ],
)
def test_what_a_tar_may_hold_besides_files_is_refused_alone(
    tmp_path: Path, name: str, data: bytes | tarfile.TarInfo, says: str
) -> None:
    (tmp_path / "lab.tar").write_bytes(tarred({name: data, "single.c": SINGLE}))
    assert problem(tmp_path / "lab.tar").startswith(says)
    assert read(tmp_path / "lab.tar").sources["single"] == Source(SINGLE)
    assert [path.name for path in tmp_path.iterdir()] == ["lab.tar"]


def zip_of(**about: object) -> bytes:
    """A zip of both sources, where something is odd about the first."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo(str(about.pop("name", "many.c")))
        archive.writestr("single.c", SINGLE)
        for key, value in about.items():
            setattr(info, key, value)
        archive.writestr(info, MANY)
    return packed.getvalue()


def encrypted() -> bytes:
    packed = bytearray(zip_of())
    header, entry = packed.rindex(b"PK\3\4"), packed.rindex(b"PK\1\2")
    packed[header + 6] |= 1
    packed[entry + 8] |= 1
    return bytes(packed)


def without_a_header() -> bytes:
    data = zip_of()
    return data[: data.rindex(b"PK\3\4")] + b"xx" + data[data.rindex(b"PK\3\4") + 2 :]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (zip_of(external_attr=0o120777 << 16), "many.c is a symbolic link; hand in the file itself"),
        (zip_of(external_attr=0o010666 << 16), "many.c is not a regular file; hand in the file itself"),
        (zip_of(name="..\\many.c"), "many.c is packed as ../many.c, a place outside of the archive"),
        (
            zip_of(name="many.c?").replace(b"many.c?", b"many.c\0"),
            "many.c has a zero byte in its name; pack it again",
        ),
        (zip_of(name="C:/many.c"), "many.c is packed as C:/many.c, a place outside of the archive"),
        (zip_of(compress_type=zipfile.ZIP_LZMA), "many.c is packed by method 14, which is not zip's usual one"),
        (zip_of(compress_type=zipfile.ZIP_BZIP2), "many.c is packed by method 12, which is not zip's usual one"),
        (encrypted(), "many.c is encrypted; pack it again without a password"),
        (zip_of().replace(MANY, b"int manx;"), "many.c is damaged in its archive (Bad CRC-32"),
        (without_a_header(), "many.c is damaged in its archive (Bad magic number for file header); pack it again"),
    ],
)
def test_what_a_zip_may_hold_besides_files_is_refused_alone(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "lab.zip").write_bytes(data)
    assert problem(tmp_path / "lab.zip").startswith(says)
    assert read(tmp_path / "lab.zip").sources["single"] == Source(SINGLE)


def test_a_file_without_a_name_harms_nobody(tmp_path: Path) -> None:
    # zipfile trips over it with an IndexError.
    data = zipped({"x": b"", **BOTH})
    assert data.count(b"x") == 2
    for header, length_at in ((b"PK\3\4", 26), (b"PK\1\2", 28)):
        at = data.index(header)
        data = data[: at + length_at] + b"\0\0\1\0" + data[at + length_at + 4 :]
    (tmp_path / "lab.zip").write_bytes(data)
    assert read(tmp_path / "lab.zip").sources == RIGHT


def test_a_windows_zip_with_backslashes_is_understood(tmp_path: Path) -> None:
    (tmp_path / "lab.zip").write_bytes(zip_of(name="src\\many.c"))
    assert read(tmp_path / "lab.zip").sources == RIGHT


def test_a_name_in_utf8_that_does_not_say_so_is_understood(tmp_path: Path) -> None:
    data = zipped({"é/many.c": MANY, "e/many.c": b"", "single.c": SINGLE})
    for header, flags_at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.index(header) + flags_at
        assert data[at : at + 2] == b"\0\x08", "zipfile says that this name is UTF-8"
        data = data[:at] + b"\0\0" + data[at + 2 :]
    (tmp_path / "lab.zip").write_bytes(data)
    assert "é/" in read(tmp_path / "lab.zip").notes[0]


def test_a_name_of_an_old_windows_is_understood(tmp_path: Path) -> None:
    data = zip_of(name="caf?/many.c").replace(b"caf?", b"caf\x82")
    (tmp_path / "lab.zip").write_bytes(data)
    assert read(tmp_path / "lab.zip").notes[0] == "many.c was taken from café/ in lab.zip"


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_folder_in_an_archive_is_no_file(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "src" / "many.c").mkdir(parents=True)
    lay(tmp_path / "src", {"single.c": SINGLE, "real/many.c": MANY})
    packed = shutil.make_archive(str(tmp_path / "lab"), "zip" if suffix == ".zip" else "tar", tmp_path / "src")
    submission = read(Path(packed))
    assert submission.sources == RIGHT
    assert submission.notes == (
        f"many.c was taken from real/ in {Path(packed).name}",
        f"single.c was taken from the top of {Path(packed).name}",
    )


@pytest.mark.parametrize("suffix", PACKERS)
def test_slashes_and_dots_that_lead_nowhere_do_not_make_a_path_longer(tmp_path: Path, suffix: str) -> None:
    assert read(pack(tmp_path, {"a//b/.///many.c": MANY, "./a/./b/single.c": SINGLE}, suffix)).sources == RIGHT


def test_a_tar_that_ends_with_the_last_byte_of_a_source_is_whole(tmp_path: Path) -> None:
    source = b"x" * tarfile.BLOCKSIZE
    (tmp_path / "lab.tar").write_bytes(tarred({"many.c": source})[: 2 * tarfile.BLOCKSIZE])
    assert read(tmp_path / "lab.tar").sources["many"] == Source(source)


@pytest.mark.parametrize("kept_bytes", [513, 1024, 1025, 1500])
def test_a_tar_that_is_cut_off_in_a_source_is_refused(tmp_path: Path, kept_bytes: int) -> None:
    (tmp_path / "lab.tar").write_bytes(tarred({"many.c": b"x" * 1000})[:kept_bytes])
    assert problem(tmp_path / "lab.tar") == "lab.tar is damaged or cut off; pack it again"


def test_an_archive_that_shrinks_while_it_is_read_is_told() -> None:
    file = io.BytesIO(tarred(BOTH))
    many = files_of(file, STUDENT)[0]
    file.truncate(tarfile.BLOCKSIZE)
    assert many.read(SOURCE_BYTES) == UnusableSource("many.c is cut off in its archive; pack it again")


def test_several_archives_that_cannot_be_read_are_all_told(tmp_path: Path) -> None:
    lay(tmp_path, {"a.zip": b"", "b.rar": b"Rar!", "c.zip": b"PK"})
    submission = read(tmp_path)
    assert submission.name == "ada"
    a, b, c = (f"{name} " for name in ("a.zip", "b.rar", "c.zip"))
    assert {problem(tmp_path, program)[: len(a)] for program in SPEC.programs} == {a}
    assert [note[: len(a)] for note in submission.notes] == [b, c]


def test_large_files_are_read_in_pieces_and_whole(tmp_path: Path) -> None:
    inner = zipped({"noise": os.urandom(3 * CHUNK_BYTES), **BOTH})
    class_archive = tmp_path / "class.tar"
    class_archive.write_bytes(tarred({"ada.zip": inner, "bob.zip": inner}))
    found = find_submissions([class_archive], SPEC)
    assert [read_submission(one, SPEC).sources for one in found] == [RIGHT, RIGHT]


class Liar:
    """Yields the same chunk so many times, whatever the archive claims."""

    def __init__(self, chunk: bytes, times: int) -> None:
        self.left, self.chunk = times, chunk
        self.folders: list[str] = []

    def chunks(self, _key: object) -> Iterator[bytes]:
        while self.left:
            self.left -= 1
            yield self.chunk


def test_a_packed_file_is_not_read_beyond_the_limit_of_a_source() -> None:
    endless = Liar(b"x" * 100, 1_000_000)
    found = PackedFile("many.c", 1, endless, None).read(SOURCE_BYTES)
    assert isinstance(found, UnusableSource)
    assert 1_000_000 - endless.left == SOURCE_BYTES // 100 + 1
    assert PackedFile("many.c", 1, Liar(b"x" * 100, 10), None).read(SOURCE_BYTES) == Source(b"x" * SOURCE_BYTES)


def test_a_packed_file_that_holds_less_than_it_claims_is_empty() -> None:
    assert PackedFile("many.c", 1, Liar(b"", 0), None).read(SOURCE_BYTES) == UnusableSource("many.c is empty")


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tgz"])
def test_odd_names_in_an_archive_harm_nobody(tmp_path: Path, suffix: str) -> None:
    odd = {"line\nbreak/many.c": MANY, "\x1b[31m.c": b"", "-rf": b"", "é": b"", "x" * 200: b"", "a\\b": b""}
    submission = read(pack(tmp_path, {**odd, "other/many.c": b"", "single.c": SINGLE}, suffix))
    assert submission.sources == RIGHT
    assert "line\\nbreak/" in submission.notes[0]
    assert all(note.isprintable() for note in submission.notes)


def test_names_in_broken_utf8_harm_nobody(tmp_path: Path) -> None:
    broken = os.fsdecode(b"caf\xe9/many.c")
    (tmp_path / "lab.tar").write_bytes(tarred({broken: MANY, "x/many.c": b"", "single.c": SINGLE}))
    submission = read(tmp_path / "lab.tar")
    assert submission.sources == RIGHT
    assert "caf\\xe9/" in " ".join(submission.notes)
    " ".join(submission.notes).encode("utf-8")


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_an_archive_that_is_cut_off_or_scrambled_never_breaks_the_grader(
    tmp_path: Path, suffix: str, kept: float
) -> None:
    data = PACKERS[suffix]({**BOTH, "noise": os.urandom(5000), "z/many.c": MANY})
    path = tmp_path / f"lab{suffix}"
    for damaged in (data[: int(len(data) * kept)], scrambled(data, int(len(data) * kept))):
        path.write_bytes(damaged)
        submission = read(path)
        assert set(submission.sources) == set(SPEC.programs)
        for source in submission.sources.values():
            assert source in RIGHT.values() or isinstance(source, UnusableSource)


def scrambled(data: bytes, at: int) -> bytes:
    return data[:at] + bytes(byte ^ 0x5A for byte in data[at : at + 40]) + data[at + 40 :]


def test_a_pipe_and_a_link_called_like_an_archive_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lab.zip")
    (tmp_path / "lab.tgz").symlink_to("/dev/zero")
    assert problem(tmp_path) == "many.c is missing. lab.tgz is a symbolic link; hand in the file itself"
    (tmp_path / "lab.tgz").unlink()
    assert problem(tmp_path) == "many.c is missing. lab.zip is a named pipe, not a regular file"


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    lay(tmp_path / "elsewhere", BOTH)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "src").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "ada" / "self").symlink_to(".")
    assert problem(tmp_path / "ada") == "many.c is missing. self is a symbolic link; hand in the file itself"


def test_an_archive_that_the_grader_may_not_read_is_our_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pack(tmp_path, BOTH)

    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(GraderError, match=r"lab\.zip cannot be read: Permission denied"):
        read_submission(DiscoveredSubmission("ada", path), SPEC)


def test_a_tar_gz_of_several_members_is_whole(tmp_path: Path) -> None:
    packed = tarred(BOTH)
    (tmp_path / "lab.tar.gz").write_bytes(gzip.compress(packed[:700]) + gzip.compress(packed[700:]))
    assert read(tmp_path / "lab.tar.gz").sources == RIGHT


def test_what_is_gzipped_is_recognised_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "lab.tar.gz").write_bytes(gzip.compress(zipped(BOTH)))
    assert read(tmp_path / "lab.tar.gz").sources == RIGHT
    for data in (MANY, b"x" * 5000, b""):
        (tmp_path / "lab.tar.gz").write_bytes(gzip.compress(data))
        assert problem(tmp_path / "lab.tar.gz").startswith(
            "lab.tar.gz is a compressed file, and not an archive; hand in a .zip or .tar.gz archive"
        )
    (tmp_path / "lab.tar.gz").write_bytes(gzip.compress(tarred(BOTH)[:700]))
    assert "is damaged" in problem(tmp_path / "lab.tar.gz")


@pytest.mark.parametrize("path", ["many.c/many.c", "src/many.c/many.c", "many.c/src/many.c"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_may_have_the_name_of_the_source_in_it(tmp_path: Path, path: str, *, packed: bool) -> None:
    files = {path: MANY, "single.c": SINGLE}
    lay(tmp_path, {"lab.zip": zipped(files)} if packed else files)
    assert read(tmp_path).sources == RIGHT
