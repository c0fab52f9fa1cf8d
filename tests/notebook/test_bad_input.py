"""Files that are not notebooks: one clear finding for each, and a bound on what is read."""

from __future__ import annotations

import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from grader.cli.exit_status import OK, USAGE
from grader.cli.main import status_of
from grader.lab.find import load_lab
from grader.model.notebook import Notebook
from grader.model.spec.lab import Spec
from grader.notebook.reader import MAX_ITEMS, read_notebook
from grader.notebook.text import MAX_BYTES, MAX_LINE_CHARS, MAX_LINES, text_of
from tests.notebook.compose import capture
from tests.notebook.make_fixtures import FIXTURES


@pytest.fixture(scope="module")
def spec() -> Spec:
    return load_lab("tr2")[0]


def tar() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        info = tarfile.TarInfo("lab.txt")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"text"))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (b"", "empty", "empty"),
        (b" \r\n\t\n", "empty", "empty"),
        (bytes(range(256)) * 40, "not-text", "binary data"),
        (b"\0" * 1000, "not-text", "binary data"),
        (tar(), "not-text", "tar archive"),
        (b"PK\x03\x04rest", "not-text", "zip"),
        (b"\x7fELF\x02\x01", "not-text", "program"),
        (b"%PDF-1.7\n", "not-text", "PDF"),
    ],
)
def test_a_file_that_is_not_text(data: bytes, kind: str, words: str, spec: Spec) -> None:
    notebook = read_notebook(data, spec)
    (finding,) = notebook.findings
    assert finding.kind == kind
    assert words in finding.message
    assert not notebook.coverage


def of_kind(notebook: Notebook, kind: str) -> int:
    return sum(finding.kind == kind for finding in notebook.findings)


def test_only_the_beginning_of_a_large_file_is_read(spec: Spec) -> None:
    line = b"a note about nothing at all\n"
    notebook = read_notebook(line * (MAX_BYTES // len(line) + 1), spec, size_bytes=100_000_000)
    assert of_kind(notebook, "too-large") == 1
    assert "100,000,000" in notebook.findings[0].message or of_kind(notebook, "too-many-lines")


def test_only_the_beginning_of_a_long_line_is_read(spec: Spec) -> None:
    notebook = read_notebook(b"(read(0, $ time strace ./tr2b 1.00 0.000001 real " * 40_000, spec)
    assert of_kind(notebook, "line-too-long") == 1
    assert len(text_of(b"x" * 10_000).lines[0].text) == MAX_LINE_CHARS


def test_of_a_thousand_tables_some_are_kept(spec: Spec) -> None:
    one = capture(kind="table", program="tr2b", input="plain.in", sink="file")
    notebook = read_notebook(f"$ strace -c {one['command']}\n{one['text']}\n".encode() * 1000, spec)
    assert len(notebook.tables) == MAX_ITEMS
    assert of_kind(notebook, "too-many-tables") == 1


def test_utf_16_is_read_and_reported(spec: Spec) -> None:
    notebook = read_notebook((FIXTURES / "utf-16-without-mark.txt").read_bytes(), spec)
    assert notebook.encoding == "utf-16-le"
    assert of_kind(notebook, "encoding") == 1
    assert len(notebook.tables) == 4


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", b"\x1b]" * 5000, b"'" * 5000, b"$(" * 5000, b"\x1b[" + b"0" * 9000]
)
def test_odd_bytes_are_read_without_a_fault(data: bytes, spec: Spec) -> None:
    assert not read_notebook(data, spec).tables


def test_the_command_prints_json_and_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lab.txt"
    file.write_bytes((FIXTURES / "full-size.txt").read_bytes())
    assert status_of(["notebook", str(file), "--json", "--lab", "tr2"]) == OK
    shown = json.loads(capfd.readouterr().out)
    assert (len(shown["tables"]), len(shown["times"]), shown["n_bytes"]) == (3, 2, 5_000_000)
    assert shown["findings"]
    # The lab is the one whose programs the notebook names.
    assert status_of(["notebook", str(file)]) == OK
    assert "3 tables, 2 times" in capfd.readouterr().out


def test_control_sequences_do_not_reach_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lab.txt"
    file.write_bytes(
        b"$ strace -c ./\x1b[31mx < in\nreal \x1b[2J 0m1.0s\n$ time ./t\x9br2b a b\nreal\t0m1.0s\nuser\t0m1.0s\n"
    )
    assert status_of(["notebook", str(file), "--lab", "tr2"]) == OK
    shown = capfd.readouterr().out
    assert not [char for char in shown if not char.isprintable() and char != "\n"]


def test_a_file_that_cannot_be_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, tmp_path, tmp_path / "none"):
        assert status_of(["notebook", str(path), "--lab", "tr2"]) == USAGE
    (tmp_path / "lab.txt").write_bytes(b"text\n")
    report = tmp_path / "report.json"
    report.write_bytes(b"{}")
    assert status_of(["notebook", str(tmp_path / "lab.txt"), "--lab", "tr2", "--report", str(report)]) == USAGE
    assert "not a report" in capfd.readouterr().err


@pytest.mark.parametrize("item", ["ascii", "columns", "no-carriage-returns"])
@pytest.mark.parametrize("data", [b"x" * (MAX_LINE_CHARS + 1), b"x\n" * (MAX_LINES + 1), b"x\n" * MAX_BYTES])
def test_rules_are_not_met_by_what_was_not_read(data: bytes, item: str, spec: Spec) -> None:
    whole = {one.item: one.met for one in read_notebook(b"x\n" * 10, spec).coverage}
    cut = {one.item: one for one in read_notebook(data, spec).coverage}
    assert whole[item]
    assert not cut[item].met
    assert cut[item].reason
