"""The zip of an instructor, as the platform unpacks it."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping

import pytest

from grader.errors import UsageError
from grader.gradescope.simulator.upload import PLAIN_MODE, unpacked

from .packing import zipped

NEEDED = {"setup.sh": b"true\n", "run_autograder": b"#!/bin/sh\n"}


def laid_out(upload: bytes) -> Mapping[str, tuple[tarfile.TarInfo, bytes]]:
    """What lies in the build's context."""
    with tarfile.open(fileobj=io.BytesIO(unpacked(upload) + bytes(2 * tarfile.BLOCKSIZE))) as tar:
        files = {member: tar.extractfile(member) for member in tar if not member.issym()}
        found = {member.name: (member, file.read()) for member, file in files.items() if file is not None}
        return found | {member.name: (member, b"") for member in tar if member.issym()}


def with_mode(files: Mapping[str, tuple[bytes, int]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16 | 0x20  # of nothing at all zipfile would make a mode
            archive.writestr(entry, data)
    return packed.getvalue()


def test_files_lie_below_source_with_their_bytes() -> None:
    data = bytes(range(256)) * 5
    found = laid_out(zipped({**NEEDED, "lib/data.bin": data, "empty": b""}))
    assert {name: content for name, (_, content) in found.items()} == {
        "source/setup.sh": b"true\n",
        "source/run_autograder": b"#!/bin/sh\n",
        "source/lib/data.bin": data,
        "source/empty": b"",
    }


def test_modes_are_kept_and_where_the_zip_has_none_files_are_plain() -> None:
    modes = {"setup.sh": 0, "run_autograder": stat.S_IFREG | 0o755, "secret": stat.S_IFREG | 0o600}
    found = laid_out(with_mode({name: (b"x", mode) for name, mode in modes.items()}))
    assert {name: member.mode for name, (member, _) in found.items()} == {
        "source/setup.sh": PLAIN_MODE,
        "source/run_autograder": 0o755,
        "source/secret": 0o600,
    }


def test_a_link_stays_a_link() -> None:
    files = {name: (data, stat.S_IFREG | 0o644) for name, data in NEEDED.items()}
    found = laid_out(with_mode({**files, "link": (b"setup.sh", stat.S_IFLNK | 0o777)}))
    assert found["source/link"][0].linkname == "setup.sh"


def test_only_the_two_scripts_get_the_line_ends_of_unix() -> None:
    crlf = b"one\r\ntwo\r\n"
    found = laid_out(zipped({"setup.sh": crlf, "run_autograder": b"\x7fELF\0\r\n", "data.txt": crlf}))
    assert found["source/setup.sh"][1] == b"one\ntwo\n"
    assert found["source/run_autograder"][1] == b"\x7fELF\0\r\n", "a program is no text"
    assert found["source/data.txt"][1] == crlf


@pytest.mark.parametrize(
    ("upload", "says"),
    [
        (b"", "the autograder zip is damaged"),
        (b"#!/bin/bash\n", "the autograder zip is damaged"),
        (zipped(NEEDED)[:-30], "the autograder zip is damaged"),
        (zipped({}), "has no setup.sh and no run_autograder at its top"),
        (zipped({"setup.sh": b""}), "has no run_autograder at its top; the platform looks for them there$"),
        (
            zipped({f"tr2/{name}": data for name, data in NEEDED.items()}),
            "they are in the folder tr2: zip its files, not the folder",
        ),
        (zipped({**NEEDED, "../evil": b""}), r"is packed as \.\./evil, a place outside"),
        (zipped({**NEEDED, "a/../../evil": b""}), "a place outside"),
        (zipped({**NEEDED, "/etc/passwd": b""}), "is packed as /etc/passwd, a place outside"),
    ],
)
def test_what_the_platform_could_not_use_is_refused_in_words(upload: bytes, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        unpacked(upload)


def test_a_file_whose_bytes_are_damaged_is_told_as_that() -> None:
    upload = bytearray(with_mode(dict.fromkeys(NEEDED, (b"a line of it\n", stat.S_IFREG | 0o644))))
    upload[upload.index(b"a line")] ^= 1
    with pytest.raises(UsageError, match="is damaged"):
        unpacked(bytes(upload))
