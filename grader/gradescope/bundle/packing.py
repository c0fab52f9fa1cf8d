"""Zip archives whose bytes do not depend on the time, the machine or the user."""

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
    """Return a zip of the files (path in the zip, and content). A file that begins with `#!` is executable.

    The bytes depend on paths and contents only. If compressed, they also depend on the zlib that Python uses.
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
    # By default this is the system that Python runs on.
    entry.create_system = UNIX
    entry.external_attr = (stat.S_IFREG | mode) << 16
    return entry
