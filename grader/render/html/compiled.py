"""The templates as code, compiled once for this user and stored (see cache/trusted_code.py and decision 0085)."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from grader.cache.entries import files_digest
from grader.cache.trusted_code import TrustedCache, user_trusted_cache


class CompiledTemplates(BytecodeCache):
    """The code of all templates in a folder, which is read at once when the first of them is needed.

    Jinja2 compares the code of each template with its source, so code that is out of date is never used.
    """

    def __init__(self, templates: Path, cache: TrustedCache | None = None) -> None:
        self._cache = cache if cache is not None else user_trusted_cache()
        # Compiling calls functions for constants in templates, which environment.py names.
        parts = (Path(__file__), Path(__file__).with_name("environment.py"))
        sources = {path.name: path.read_bytes() for path in parts}
        # Code holds the paths of its templates, for messages.
        self._key = "\n".join(
            (str(templates), version("jinja2"), sys.implementation.cache_tag or sys.version, files_digest(sources))
        )
        self._stored = dict(self._cache.get(self._key) or {}) if self._cache is not None else {}
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its stored code, if there is any."""
        data = self._stored.get(bucket.key)
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template that had to be compiled, until `store`."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()

    def store(self) -> None:
        """Store the code of all templates, if some had to be compiled."""
        if self._compiled and self._cache is not None:
            self._stored |= self._compiled
            self._compiled.clear()
            self._cache.put(self._key, self._stored)
