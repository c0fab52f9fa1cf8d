"""What Jinja2 makes of the templates, kept between runs: to compile them costs three times what filling them does."""

from __future__ import annotations

import hashlib
import marshal
import sys
from importlib.metadata import version
from importlib.util import MAGIC_NUMBER
from pathlib import Path

from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket

import grader
from grader.cache.trusted_code import KeptCode

FILE = "templates"
TEMPLATES = ("j2", "css")
"""The styles are included by templates, and so are some themselves."""


def compile_all(environment: Environment, folder: Path, kept: KeptCode | None) -> None:
    """Have all templates of an environment compiled, those of `folder`: as they were kept, or now, and then kept.

    Each is loaded when it is first filled.
    """
    # One entry for each folder and Python: what another version of the grader left there is replaced.
    key = f"templates of {folder} for {sys.implementation.cache_tag}"
    origin = _origin(folder)
    codes = _read(kept.get(key, FILE), origin) if kept is not None else None
    known = environment.bytecode_cache = _Codes(codes or {})
    if codes is None:
        for name in environment.list_templates(extensions=TEMPLATES):
            environment.get_template(name)
        if kept is not None:
            kept.put(key, FILE, origin + marshal.dumps(known.codes))


class _Codes(BytecodeCache):
    """The code of templates by Jinja2's key, which is of name and path; the source it compares itself."""

    def __init__(self, codes: dict[str, bytes]) -> None:
        self.codes = codes

    def load_bytecode(self, bucket: Bucket) -> None:
        code = self.codes.get(bucket.key)
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.codes[bucket.key] = bucket.bytecode_to_string()


def _read(data: bytes | None, origin: bytes) -> dict[str, bytes] | None:
    """Return the codes that were kept, None where they follow from something else."""
    if data is None or not data.startswith(origin):
        return None
    codes: dict[str, bytes] = marshal.loads(data[len(origin) :])  # noqa: S302 - nobody else could have put it there
    return codes


def _origin(folder: Path) -> bytes:
    """Return a hash of what the code follows from.

    Beside the templates these are the options of the environment and, as filters of literals are worked out when a
    template is compiled, all that is beside this module.
    """
    versions = (grader.__version__, version("jinja2"), version("markupsafe"), sys.version, MAGIC_NUMBER.hex())
    hasher = hashlib.sha256("\n".join(versions).encode("utf-8"))
    templates = (path for suffix in TEMPLATES for path in folder.rglob(f"*.{suffix}"))
    for path in (*sorted(Path(__file__).parent.glob("*.py")), *sorted(templates)):
        data = path.read_bytes()
        hasher.update(f"\n{path} {len(data)}\n".encode() + data)
    return hasher.digest()
