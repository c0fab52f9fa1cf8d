from __future__ import annotations

from pathlib import Path

import pytest

from grader import resources
from grader.errors import GraderError
from grader.resources import resource


def test_a_checkout_has_them_at_its_root() -> None:
    assert resource("reports", "page.css").is_file()
    assert resource("reports").parent == Path(resources.__file__).parents[1]


def test_installed_they_are_in_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_data" / "specs").mkdir(parents=True)
    monkeypatch.setattr(resources, "PACKAGE", tmp_path)
    assert resource("specs") == tmp_path / "_data" / "specs"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (("specs", "no-such-lab.yaml"), "is missing"),
        (("specs", "..", "pyproject.toml"), "leads out of"),
        (("specs", "/etc/passwd"), "leads out of"),
        (("tests",), "is not a folder of the grader's data; there are specs, reference"),
        ((), "no resource was named"),
    ],
)
def test_what_is_not_there_is_a_clear_error(parts: tuple[str, ...], message: str) -> None:
    with pytest.raises(GraderError, match=message):
        resource(*parts)
