from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import distribution

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader.errors import UsageError
from grader.gradescope.bundle import vendor
from grader.gradescope.bundle.vendor import PYTHONS, vendored_wheels
from grader.gradescope.bundle.wheel import Wheel
from grader.messages import ignore_message

OWN = Wheel("demo-1-py3-none-any.whl", b"")


def test_without_pip_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"needs pip in the grader.s environment: run `.* -m ensurepip`"):
        vendored_wheels(OWN, b"", ["x86_64"], ignore_message)


def packages(name: str, environment: Mapping[str, str]) -> set[str]:
    """What a package needs, itself included, in an environment, according to the metadata of installed packages."""
    found: set[str] = set()
    left = [canonicalize_name(name)]
    while left:
        found.add(one := left.pop())
        for requirement in map(Requirement, distribution(one).requires or ()):
            wanted = requirement.marker is None or requirement.marker.evaluate({**environment, "extra": ""})
            if wanted and canonicalize_name(requirement.name) not in found:
                left.append(canonicalize_name(requirement.name))
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_on_every_python_the_same_packages_are_needed_as_on_this_one(python: str) -> None:
    here = {key: str(value) for key, value in default_environment().items()}
    there = {**here, "python_version": python, "python_full_version": f"{python}.0"}
    assert packages("iolab-grader", there) == packages("iolab-grader", here)
