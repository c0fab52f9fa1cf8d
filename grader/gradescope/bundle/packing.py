"""Zip archives that are the same whenever, wherever and by whomever they are made."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip can hold."""

UNIX = 3
LEVEL = 9


def packed(files: Mapping[str, bytes], *, compress: bool) -> bytes:
    """Return a zip of the files: path in the zip, and content. What begins with `#!` can be executed.

    The bytes follow from paths and contents only. Compressed, they also follow from the zlib that Python uses, of
    which there are several; not compressed, from nothing else.
    """
    out = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w") as archive:
        for path, data in sorted(files.items()):
            archive.writestr(_entry(path, data), data, method, LEVEL)
    return out.getvalue()


def _entry(path: str, data: bytes) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, EARLIEST)
    mode = 0o755 if data.startswith(b"#!") else 0o644
    # Python would say here on which system it runs.
    entry.create_system = UNIX
    entry.external_attr = (stat.S_IFREG | mode) << 16
    return entry
