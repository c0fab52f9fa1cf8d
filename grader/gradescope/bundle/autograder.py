"""The zip that is uploaded to Gradescope."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from grader.cache.secret import SECRET_FILE, new_secret
from grader.gradescope.bundle.packing import packed
from grader.gradescope.bundle.wheel import Wheel
from grader.lab.find import LabFiles
from grader.model.spec.draws import PUBLIC
from grader.resources import resource


def constraints() -> bytes:
    """Return the pinned versions of packages, one line per package."""
    return resource("constraints.txt").read_bytes()


def secret_of_zip(path: Path) -> str:
    """Return the secret in the zip that is about to be replaced: the class keeps its cases. Without one it is new."""
    try:
        with ZipFile(path) as earlier:
            return earlier.read(SECRET_FILE).decode("ascii")
    except (OSError, KeyError, BadZipFile, UnicodeDecodeError):
        return new_secret()


def secret_of(lab: LabFiles) -> str:
    """Return the secret that is next to the spec in an unpacked zip; the public one in a zip of an earlier grader."""
    path = lab.spec.parent / SECRET_FILE
    return path.read_text(encoding="ascii") if path.is_file() else PUBLIC


def autograder_zip(lab: Mapping[str, bytes], wheel: Wheel, vendored: Mapping[str, bytes]) -> bytes:
    """Return the zip: the lab's files, the grader, its vendored packages (none: pip uses the index), and two scripts.

    The same input gives the same bytes; see `packed`.
    """
    scripts = {name: resource("docker", "gradescope", name).read_bytes() for name in ("setup.sh", "run_autograder")}
    files = {
        **scripts,
        **lab,
        "constraints.txt": constraints(),
        wheel.name: wheel.data,
        **{f"wheels/{name}": data for name, data in vendored.items()},
    }
    return packed(files, compress=True)
