"""The zip that is uploaded to Gradescope."""

from __future__ import annotations

from collections.abc import Mapping

from grader.gradescope.bundle.packing import packed
from grader.gradescope.bundle.wheel import Wheel
from grader.resources import resource


def constraints() -> bytes:
    """Return the pinned versions of packages, one line per package."""
    return resource("constraints.txt").read_bytes()


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
