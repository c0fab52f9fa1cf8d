"""The grader's own wheel, made of the files that run now (PyPA: binary distribution format; decision 0022)."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution

import grader
from grader.errors import GraderError
from grader.gradescope.bundle.carried import carried_files
from grader.gradescope.bundle.packing import packed

NAME = "iolab-grader"
FIELDS = ("Summary", "License-Expression", "License-File", "Requires-Python", "Requires-Dist", "Provides-Extra")
"""The fields of the metadata that installing and licensing need."""

WHEEL = b"""\
Wheel-Version: 1.0
Generator: iolab-grader
Root-Is-Purelib: true
Tag: py3-none-any
"""


@dataclass(frozen=True)
class Wheel:
    """A wheel's file name and content."""

    name: str
    data: bytes


def make_wheel(added: Mapping[str, bytes] | None = None, *, compress: bool = False) -> Wheel:
    """Return the wheel of the grader that runs now, installed or from a checkout, without network or tools.

    Its bytes depend on the grader's files, its metadata and the `added` files only, and on zlib if it is compressed.
    In a zip that is compressed it need not be.

    Raises:
        GraderError: the installation is not complete, or the grader is not installed and so has no metadata.
    """
    # The version in a checkout's metadata is that of the day when it was installed, so the code's is used.
    stem = f"{NAME.replace('-', '_')}-{grader.__version__}"
    files = {**carried_files(), **(added or {}), **_dist_info(f"{stem}.dist-info")}
    record = f"{stem}.dist-info/RECORD"
    files[record] = _record(files, record)
    return Wheel(f"{stem}-py3-none-any.whl", packed(files, compress=compress))


def _dist_info(folder: str) -> dict[str, bytes]:
    try:
        installed = distribution(NAME)
    except PackageNotFoundError as error:
        raise GraderError(
            f"{NAME} is not installed, although its files are here: run `pip install --editable .` first"
        ) from error
    texts = {"METADATA": _metadata(installed), "entry_points.txt": _entry_points(installed)}
    for name in _all(installed, "License-File"):
        path = f"licenses/{name}"
        text = installed.read_text(path)
        if text is None:
            raise GraderError(f"{path} is missing: the installation of the grader is incomplete; install it again")
        texts[path] = text
    files = {f"{folder}/{path}": text.encode() for path, text in texts.items()}
    return {**files, f"{folder}/WHEEL": WHEEL}


def _metadata(installed: Distribution) -> str:
    lines = ["Metadata-Version: 2.4", f"Name: {NAME}", f"Version: {grader.__version__}"]
    lines += [f"{field}: {value}" for field in FIELDS for value in sorted(_all(installed, field))]
    return "\n".join(lines) + "\n"


def _all(installed: Distribution, field: str) -> list[str]:
    return installed.metadata.get_all(field) or []


def _entry_points(installed: Distribution) -> str:
    commands = sorted((point.name, point.value) for point in installed.entry_points.select(group="console_scripts"))
    return "\n".join(["[console_scripts]", *(f"{name} = {value}" for name, value in commands)]) + "\n"


def _record(files: Mapping[str, bytes], own: str) -> bytes:
    """Return RECORD: `path,sha256=DIGEST,size` for each file, and its own line without the two."""
    rows = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in sorted(files.items())]
    return "\n".join([*rows, f"{own},,"]).encode() + b"\n"


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
