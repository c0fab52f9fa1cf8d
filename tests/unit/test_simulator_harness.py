"""Parts of docker/gradescope/harness.py, which is no module of the package; tests/docker runs it whole."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from grader.resources import resource


@pytest.fixture
def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The harness, with a folder of its own for /autograder."""
    spec = importlib.util.spec_from_file_location("harness", resource("docker", "gradescope", "harness.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(module, "AUTOGRADER", tmp_path)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "results")
    return module


def test_it_needs_nothing_but_the_standard_library() -> None:
    lines = resource("docker", "gradescope", "harness.py").read_text(encoding="utf-8").splitlines()
    imported = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert imported
    assert imported <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    ("text", "kills"),
    [
        ("low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\n", 2),
        ("oom_kill_disable 0\nunder_oom 0\noom_kill 7\n", 7),
        ("oom_kill_disable 0\nunder_oom 0\n", None),
    ],
)
def test_kills_for_lack_of_memory_are_read_of_either_cgroup(
    harness: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, kills: int | None
) -> None:
    (tmp_path / "counters").write_text(text)
    monkeypatch.setattr(harness, "OOM_COUNTERS", (str(tmp_path / "none"), str(tmp_path / "counters")))
    assert harness.oom_kills() == kills


def test_memory_that_nobody_tells_of_is_not_known(
    harness: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PEAKS", "OOM_COUNTERS"):
        monkeypatch.setattr(harness, name, (str(tmp_path / "none"),))
    assert (harness.peak_memory(), harness.oom_kills()) == (None, None)
    (tmp_path / "peak").write_text("805306368\n")
    monkeypatch.setattr(harness, "PEAKS", (str(tmp_path / "peak"),))
    assert harness.peak_memory() == 768 << 20


def test_a_time_out_takes_the_place_of_results_even_where_their_folder_is_gone(
    harness: ModuleType, tmp_path: Path
) -> None:
    path = tmp_path / "results" / "results.json"
    path.write_text('{"score": 100}')
    for gone in (False, True):
        if gone:
            path.unlink()
            path.parent.rmdir()
        harness.write_timed_out(20, 20.5)
        found = json.loads(path.read_bytes())
        assert found["score"] == 0
        assert found["execution_time"] == 20.5
        assert "timed out. It took longer than 20 seconds" in found["output"]


def test_content_is_of_files_only(harness: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\0\xff")
    assert harness.content(tmp_path / "file") == "AP8="
    assert harness.content(tmp_path) is None
    assert harness.content(tmp_path / "none") is None


def test_what_cannot_be_started_is_an_error(harness: ModuleType, tmp_path: Path) -> None:
    script = tmp_path / "run_autograder"
    script.write_text("#!/no/such/shell\n")
    script.chmod(0o755)
    with pytest.raises(FileNotFoundError):
        harness.supervised(5, {})
