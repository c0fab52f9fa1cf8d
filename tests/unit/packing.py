"""Archives and class folders made in a test."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.model.submission import Submission

from .lab import SPEC

MANY, SINGLE = b"int many;", b"int single;"
BOTH = {"many.c": MANY, "single.c": SINGLE}


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Pack files, all with zip's first date, so that the same files are the same bytes at any time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o600 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def tarred(files: Mapping[str, bytes | tarfile.TarInfo], mode: str = "w") -> bytes:
    """Pack files; a TarInfo is packed as it is."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            if isinstance(data, tarfile.TarInfo):
                archive.addfile(data)
            else:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def gzipped(files: Mapping[str, bytes | tarfile.TarInfo]) -> bytes:
    return tarred(files, "w:gz")


PACKERS = {".zip": zipped, ".tar": tarred, ".tgz": gzipped, ".tar.gz": gzipped}


def lay(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def read(path: Path) -> Submission:
    return read_submission(DiscoveredSubmission("ada", path), SPEC)
