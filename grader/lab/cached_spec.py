"""A lab's spec, kept as JSON once it was read: to read YAML and its lines takes a fifth of a second."""

from __future__ import annotations

import hashlib
from pathlib import Path

import grader
import grader.model
from grader.cache.entries import Cache, files_digest, load_cached, store_cached
from grader.messages import ignore_message
from grader.model.spec.lab import Spec

SPEC_FILE = "spec.json"
WHAT = "the lab's spec"


def kept_lab(path: Path, cache: Cache) -> Spec:
    """Return the spec in a file; one with mistakes is read anew each time, so that they are told with their lines.

    Raises:
        SpecError: see read_spec.
    """
    try:
        key = _key(path)
    except OSError:
        return _read(path)
    kept = load_cached(cache, key, WHAT, lambda files: Spec.model_validate_json(files[SPEC_FILE]), ignore_message)
    if kept is not None:
        return kept
    spec = _read(path)
    # What was saved between the two looks at the file is not what was read.
    if _key(path) == key:
        store_cached(cache, key, WHAT, {SPEC_FILE: spec.model_dump_json().encode("utf-8")}, ignore_message)
    return spec


def _key(path: Path) -> str:
    """Name what the result follows from: the file, and the models that it is read into."""
    modules = sorted(Path(grader.model.__file__).parent.rglob("*.py"))
    models = files_digest({str(module): module.read_bytes() for module in modules})
    return f"{grader.__version__} lab {models} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _read(path: Path) -> Spec:
    # Imported here: the YAML reader takes its time, and is not needed for what is kept.
    from grader.lab.load import read_spec  # noqa: PLC0415

    return read_spec(path)
