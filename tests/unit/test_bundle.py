from __future__ import annotations

import io
import json
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

import grader
from grader.cli.exit_status import OK, USAGE
from grader.cli.gradescope_commands import build
from grader.cli.main import status_of
from grader.errors import UsageError
from grader.gradescope.bundle.autograder import autograder_zip
from grader.gradescope.bundle.carried import carried_lab
from grader.gradescope.bundle.wheel import Wheel, make_wheel
from grader.gradescope.schema import ResultsJson
from grader.lab.find import find_lab
from grader.resources import resource
from tests.waits import ENDS_S

from .lab import DOCUMENT

TR2 = resource("specs", "tr2.yaml").read_text(encoding="utf-8")
SCRIPTS = ("run_autograder", "setup.sh")


def made(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """Return the exit status and the output."""
    status = status_of(["gradescope", "build", *map(str, arguments)])
    return status, "".join(capsys.readouterr())


def test_the_zip_holds_files_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "autograder.zip"
    status, said = made(capsys, "--lab", "tr2", "--out", out)
    assert status == OK
    assert re.match(rf"{re.escape(str(out))}: lab tr2, [01]\.\d MB;", said)
    assert f"grader gradescope try {out} SUBMISSION" in said
    assert "hides the total" not in said
    with zipfile.ZipFile(out) as archive:
        modes = {entry.filename: oct(entry.external_attr >> 16) for entry in archive.infolist()}
        wheel = f"iolab_grader-{grader.__version__}-py3-none-any.whl"
        plain = dict.fromkeys(("constraints.txt", wheel, "lab.yaml", "secret"), "0o100644")
        assert modes == {**plain, **dict.fromkeys(SCRIPTS, "0o100755")}
        assert archive.read("lab.yaml").decode() == TR2
        with zipfile.ZipFile(io.BytesIO(archive.read(wheel))) as inner:
            assert "grader/_data/reference/tr2/solution/tr2b.c" in inner.namelist()
        pins = archive.read("constraints.txt").decode().splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*( *;.*)?", pin) for pin in pins)
    assert any(pin.startswith("click==") for pin in pins)


def test_the_same_input_gives_the_same_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    assert status_of(["gradescope", "build", "--lab", "tr2", "--out", str(first)]) == OK
    spec = tmp_path / "other-name.yaml"
    spec.write_text(TR2, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    mask = os.umask(0o077)
    try:
        assert status_of(["gradescope", "build", "--lab", "other-name.yaml", "--out", "second.zip"]) == OK
    finally:
        os.umask(mask)
    assert first.read_bytes() == second.read_bytes()


def test_another_lab_gives_another_zip() -> None:
    wheel = Wheel("x.whl", b"")
    assert autograder_zip({"lab.yaml": b"one"}, wheel, {}) != autograder_zip({"lab.yaml": b"two"}, wheel, {})


def test_without_wheels_it_has_nothing_large_that_does_not_belong_there() -> None:
    assert len(autograder_zip({"lab.yaml": TR2.encode()}, make_wheel(), {})) < 1_200_000


def test_packages_go_into_a_folder_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, ...]] = []

    def vendored(_wheel: Wheel, constraints: bytes, machines: tuple[str, ...], _notify: object) -> dict[str, bytes]:
        assert b"click==" in constraints
        asked.append(machines)
        return {"click-8-py3-none-any.whl": b"click"}

    monkeypatch.setattr(build, "vendored_wheels", vendored)
    out = tmp_path / "autograder.zip"
    status, said = made(capsys, "--lab", "tr2", "--out", out, "--vendor")
    assert (status, "on x86_64" in said) == (OK, True)
    assert zipfile.ZipFile(out).read("wheels/click-8-py3-none-any.whl") == b"click"
    two = ["--machine", "aarch64", "--machine", "x86_64", "--machine", "aarch64"]
    status, said = made(capsys, "--lab", "tr2", "--out", out, "--vendor", *two)
    assert (status, "on aarch64 and x86_64" in said) == (OK, True)
    assert asked == [("x86_64",), ("aarch64", "x86_64")]


def test_the_zip_carries_the_parts_of_a_lab_that_the_wheel_does_not_have(tmp_path: Path) -> None:
    assert list(carried_lab(find_lab("tr2"))) == ["lab.yaml"]
    own = {
        "lab.yaml": TR2.replace("lab: tr2", "lab: own").encode(),
        "reference/tr2b.c": b"b",
        "reference/tr2u.c": b"u",
        "mutants/a-bug/page.md": b"page",
        "signatures.json": b"{}",
    }
    for name, data in {
        **own,
        "mutants/.hidden.c": b"",
        "mutants/a-bug/tr2b": b"ELF",
        "notes/private.md": b"",
    }.items():
        (tmp_path / "lab" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "lab" / name).write_bytes(data)
    assert carried_lab(find_lab(str(tmp_path / "lab"))) == own
    (tmp_path / "lab" / "reference" / "shared.h").symlink_to(tmp_path / "elsewhere.h")
    with pytest.raises(UsageError, match=r"shared\.h is a link"):
        carried_lab(find_lab(str(tmp_path / "lab")))
    # Unpacked, they are found again next to the spec.
    assert find_lab(str(tmp_path / "lab" / "lab.yaml")).solution == tmp_path / "lab" / "reference"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--lab", "tr2", "--out", "."], "--out .: it is a folder; name a file in it"),
        (
            ["--lab", "tr2", "--out", "nowhere/autograder.zip"],
            "--out nowhere/autograder.zip: there is no folder nowhere",
        ),
        (["--lab", "nope", "--out", "a.zip"], "there is no lab 'nope'"),
        (["--lab", "copy.yaml", "--out", "a.zip"], "the reference of the lab 'copy' lacks"),
        (["--lab", "tr2", "--out", "a.zip", "--machine", "aarch64"], "only be used with --vendor"),
        (["--lab", "tr2", "--out", "a.zip", "--vendor", "--machine", "sparc"], "sparc"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    (tmp_path / "copy.yaml").write_text(json.dumps(DOCUMENT), encoding="utf-8")  # JSON is YAML
    monkeypatch.chdir(tmp_path)
    status, said = made(capsys, *arguments)
    assert (status, says in said) == (USAGE, True), said
    assert [path.name for path in tmp_path.iterdir()] == ["copy.yaml"]


def test_a_hidden_check_hides_the_total_and_that_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "hidden.yaml"
    spec.write_text(TR2.replace("\n    kind: build\n", "\n    kind: build\n    visibility: after_published\n", 1))
    assert spec.read_text() != TR2
    _status, said = made(capsys, "--lab", spec, "--out", tmp_path / "a.zip")
    assert "note: while students cannot see the check build, Gradescope hides the total from them as well" in said


@pytest.fixture
def container(tmp_path: Path) -> Path:
    """The folders that run_autograder knows, in one of the test's own, and itself in it."""
    text = resource("docker", "gradescope", "run_autograder").read_text(encoding="utf-8")
    for folder in ("/autograder", "/opt/iolab-grader"):
        assert f"={folder}\n" in text or f"={folder} " in text
        text = text.replace(f"={folder}", f"={tmp_path}{folder}")
    (tmp_path / "autograder").mkdir()
    script = tmp_path / "autograder" / "run_autograder"
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    return tmp_path


def put_grader(container: Path, script: str) -> None:
    path = container / "opt" / "iolab-grader" / "venv" / "bin" / "grader"
    path.parent.mkdir(parents=True)
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)


def run_in(container: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    folder = container / "autograder"
    return subprocess.run(
        [folder / "run_autograder"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=ENDS_S,
        check=False,
    )


@pytest.mark.parametrize("script", [None, "#!/nowhere/python\n", "#!/bin/sh\nexit 3\n"])
def test_where_the_grader_does_not_start_the_student_is_told_so_without_a_score(
    container: Path, script: str | None
) -> None:
    if script is not None:
        put_grader(container, script)
    assert run_in(container).returncode != 0
    written = container / "autograder" / "results" / "results.json"
    results = ResultsJson.model_validate_json(written.read_bytes())
    assert (results.score, results.tests) == (None, ())
    assert "not graded" in results.output
    assert "no score of 0" in results.output
    assert [path.name for path in written.parent.iterdir()] == ["results.json"]


@pytest.mark.parametrize("given", [{}, {"TIMEOUT_SECONDS": "1 200"}])
def test_of_the_environment_only_the_time_goes_on(container: Path, given: dict[str, str]) -> None:
    put_grader(container, '#!/bin/sh\n/usr/bin/env\necho "$@"\n')
    done = run_in(container, SUBMISSION_URL="secret", PYTHONPATH="/tmp", LC_ALL="C", **given)  # noqa: S108
    assert done.returncode == 0, done.stderr
    *lines, arguments = done.stdout.splitlines()
    names = dict(line.split("=", 1) for line in lines)
    for own in ("PWD", "SHLVL", "OLDPWD", "_"):  # a shell's own
        names.pop(own, None)
    assert names == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LC_ALL": "C.UTF-8",
        "XDG_CACHE_HOME": f"{container}/opt/iolab-grader/cache",
        **given,
    }
    assert arguments == f"gradescope run --lab {container}/autograder/source/lab.yaml"


def test_both_scripts_mean_the_same_grader() -> None:
    texts = [resource("docker", "gradescope", name).read_text(encoding="utf-8") for name in SCRIPTS]
    homes = [re.findall(r"^readonly GRADER=(\S+)", text, re.MULTILINE) for text in texts]
    assert homes == [["/opt/iolab-grader"]] * 2
    assert all('XDG_CACHE_HOME="${GRADER}/cache"' in text for text in texts)


def test_set_up_out_of_its_zip_says_what_is_missing(tmp_path: Path) -> None:
    script = tmp_path / "setup.sh"
    script.write_bytes(resource("docker", "gradescope", "setup.sh").read_bytes())
    done = subprocess.run(["/bin/bash", script], capture_output=True, text=True, timeout=ENDS_S, check=False)
    assert done.returncode == 1
    assert f"have to lie beside this script in {tmp_path}" in done.stderr
