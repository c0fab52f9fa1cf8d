"""The lab copybuf: calls on files that are opened by name, for several sizes of a buffer."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.cli.exit_status import OK
from grader.cli.main import status_of
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

FILES = find_lab("copybuf")
LAB = read_spec(FILES.spec)
MUTANTS = {mutant.name: mutant for mutant in read_mutants(LAB, FILES.mutants)}

SLICE_BYTES = 6007
"""Of the input of a slice, which is not a multiple of any size but 1."""


def graded(
    folder: Path, out: Path, command_line: list[str], environment: Mapping[str, str], sandbox: str
) -> dict[str, dict[str, Any]]:
    """Grade a class, and return the report of each submission."""
    command = [*command_line, "grade", str(folder), "--lab", "copybuf", "--out", str(out)]
    subprocess.run([*command, "--sandbox", sandbox], env=dict(environment), check=True, timeout=800)
    return {path.parent.name: json.loads(path.read_bytes()) for path in out.glob("*/report.json")}


EXAMPLES = FILES.solution.parent / "examples"

# examples/README.md says why.
FAILS = {
    "right": set[str](),
    "items-not-bytes": {"measure2.output", "measure2.existing", "measure2.stdio-large-copy"},
    "one-buffer-of-4096": {"measure1.calls-1", "measure1.calls-512", "measure1.calls-65536"},
}
CAUSES = {"right": [], "items-not-bytes": ["last-block-lost"], "one-buffer-of-4096": ["fixed-buffer"]}


@pytest.mark.docker
@pytest.mark.usefixtures("docker_sandbox")
def test_each_example_fails_what_it_should_in_a_container(
    command_line: list[str], environment: Mapping[str, str], tmp_path: Path
) -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == FAILS.keys() == CAUSES.keys()
    reports = graded(EXAMPLES, tmp_path, command_line, environment, "docker")
    for name, fails in FAILS.items():
        report = reports[name]
        assert {check["id"] for check in report["checks"] if check["status"] == "failed"} == fails
        assert [cause["name"] for cause in report["causes"]] == CAUSES[name]


@pytest.fixture(scope="module")
def reference(
    command_line: list[str], environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Any]:
    """The report of the reference."""
    folder = tmp_path_factory.mktemp("reference")
    shutil.copytree(FILES.solution, folder / "class" / "reference")
    return graded(folder / "class", folder / "out", command_line, environment, "local")["reference"]


@pytest.fixture(scope="module")
def reports(
    command_line: list[str], environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Any]:
    """Grade each mutant with the reference's other programs, as a class."""
    folder = tmp_path_factory.mktemp("copybuf")
    for name in MUTANTS:
        shutil.copytree(FILES.solution, folder / "class" / name)
    for name, mutant in MUTANTS.items():
        for program, source in mutant.sources.items():
            (folder / "class" / name / f"{program}.c").write_bytes(source)
    return graded(folder / "class", folder / "out", command_line, environment, "local")


def test_everything_that_the_lab_states_is_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["lab", "test", "copybuf", "--sandbox", "local"]) == OK, capsys.readouterr().err


@pytest.mark.rare
@pytest.mark.parametrize("name", MUTANTS)
def test_each_known_bug_is_found_as_itself(reports: Mapping[str, Any], name: str) -> None:
    [cause] = reports[name]["causes"]
    assert cause["name"] == name
    # A small change may prove it.
    assert cause["certainty"] in {"certain", "proven"}


@pytest.mark.parametrize(("program", "extra_reads"), [("measure1", 0), ("measure3", 1)])
@pytest.mark.parametrize("size", [1, 512, 4096, 65536])
def test_the_calls_follow_from_the_size(
    reference: Mapping[str, Any], program: str, extra_reads: int, size: int
) -> None:
    [table] = [
        table for table in reference["syscalls"] if (table["program"], table["case"]) == (program, f"slice-{size}")
    ]
    blocks = -(-SLICE_BYTES // size)
    # An unbuffered fread asks once more for what its last read did not deliver.
    extra = extra_reads if SLICE_BYTES % size else 0
    assert table["stdin"]["calls"] == blocks + extra + 1
    assert table["stdout"]["calls"] == blocks
    # The loader's read, and the line with the seconds.
    assert table["calls"]["read"]["calls"] == blocks + extra + 1 + 1
    assert table["calls"]["write"]["calls"] == blocks + 1


def test_a_copy_of_calls_on_another_file_does_not_count(
    command_line: list[str], environment: Mapping[str, str], tmp_path: Path
) -> None:
    """It copies in one block, and makes the calls that the lab asks for on a file of the same name elsewhere."""
    folder = Path(shutil.copytree(FILES.solution, tmp_path / "shows-off"))
    source = (folder / "measure1.c").read_text("utf-8")
    shows = """
    mkdir("d", 0777);
    int show = open("d/dst", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    static char all[1 << 20];
    ssize_t whole = read(from, all, sizeof all);
    write_all(to, all, (size_t)whole, argv[2]);
    for (ssize_t done = 0; done < whole; done += (ssize_t)size)
        write_all(show, all + done, whole - done < (ssize_t)size ? (size_t)(whole - done) : size, "d/dst");
    double start = seconds();"""
    changed = source.replace("\n    double start = seconds();", shows)
    assert changed != source
    (folder / "measure1.c").write_text(changed, "utf-8")
    command = [*command_line, "grade", str(folder), "--lab", "copybuf", "--out", str(tmp_path / "out")]
    subprocess.run([*command, "--sandbox", "local"], env=dict(environment), check=True, timeout=300)
    report = json.loads((tmp_path / "out" / "shows-off" / "report.json").read_bytes())
    failed = {check["id"] for check in report["checks"] if check["status"] == "failed"}
    assert failed >= {"measure1.calls-1", "measure1.calls-512", "measure1.calls-4096"}


def test_bytes_that_are_wrong_in_a_large_file_only_are_found(
    command_line: list[str], environment: Mapping[str, str], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(FILES.solution, tmp_path / "late"))
    source = (folder / "measure1.c").read_text("utf-8")
    call = "write_all(to, buffer, (size_t)length, argv[2]);"
    assert call in source
    changed = source.replace(call, f"{{ total += length; buffer[0] ^= total > 400000; {call} }}")
    changed = changed.replace("ssize_t length;", "ssize_t length, total = 0;")
    (folder / "measure1.c").write_text(changed, "utf-8")
    command = [*command_line, "grade", str(folder), "--lab", "copybuf", "--out", str(tmp_path / "out")]
    subprocess.run([*command, "--sandbox", "local"], env=dict(environment), check=True, timeout=300)
    report = json.loads((tmp_path / "out" / "late" / "report.json").read_bytes())
    assert {check["id"] for check in report["checks"] if check["status"] == "failed"} == {"measure1.large-copy"}


MISTAKES = {
    # What is wrong shows in a file, in an exit status, in a refusal, in a number, and only in calls.
    "flag": ("measure1", "O_CREAT | O_TRUNC", "O_CREAT"),
    "mode": ("measure2", '"w"', '"a"'),
    "arguments": ("measure2", "fread(buffer, 1, size, from)", "fread(buffer, size, 1, from)"),
    "limit": ("measure2", "size < 1", "size < 0"),
    "stream": ("measure3", "stderr);\n        return", "stdout);\n        return"),
    "difference": ("measure3", "seconds() - start", "start - seconds()"),
    "base": ("measure1", "&end, 10", "&end, 16"),
    "file": ("measure3", "setvbuf(to,", "setvbuf(from,"),
}


@pytest.fixture(scope="module")
def mistakes(
    command_line: list[str], environment: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Any]:
    """Grade programs with one mistake each, as a class."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name, (program, right, wrong) in MISTAKES.items():
        path = Path(shutil.copytree(FILES.solution, folder / "class" / name)) / f"{program}.c"
        source = path.read_text("utf-8")
        assert source.count(right) == 1
        path.write_text(source.replace(right, wrong), "utf-8")
    return graded(folder / "class", folder / "out", command_line, environment, "local")


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_of_one_or_two_tokens_has_a_proven_fix_in_its_line(mistakes: Mapping[str, Any], name: str) -> None:
    program, right, wrong = MISTAKES[name]
    source = (FILES.solution / f"{program}.c").read_text("utf-8").replace(right, wrong)
    line = source[: source.index(wrong)].count("\n") + 1
    report = mistakes[name]
    failed = {check["id"] for check in report["checks"] if check["status"] == "failed"}
    proofs = [one["proof"] for one in (*report["causes"], *report["symptoms"]) if one["proof"]]
    changes = [change for proof in proofs for step in proof["steps"] for change in step["changes"]]
    assert failed
    assert {check for proof in proofs for check in proof["checks"]} == failed
    assert {number for change in changes for number in change["lines"]} == {line}
