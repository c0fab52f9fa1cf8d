from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from grader.errors import SpecError
from grader.judge.facts import Facts
from grader.judge.source_format import judge_source_format
from grader.judge.verdict import judge_check
from grader.lab.load import read_spec
from grader.model.spec.rubric import SourceFormatItem
from grader.model.submission import Source, Submission
from grader.resources import resource

from .facts import facts

COLUMNS = 40


def item(**rules: bool | int) -> SourceFormatItem:
    return SourceFormatItem.model_validate(
        {"kind": "source-format", "name": "format", "title": "", "points": {"many": 1}, **rules}
    )


ALL = item(columns=COLUMNS, ascii_only=True, carriage_returns=False)


def handed_in(data: bytes) -> Facts:
    found = facts()
    return replace(found, submission=Submission("ada", {**found.submission.sources, "many": Source(data)}))


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"", "passed"),
        (b"x" * COLUMNS, "passed"),
        (b"x" * COLUMNS + b"\r", "passed"),
        (b"x" * (COLUMNS + 1), "failed"),
        (b"\t" * (COLUMNS // 8), "passed"),
        (b"\t" * (COLUMNS // 8) + b"x", "failed"),
        ("é".encode() * COLUMNS, "passed"),
        (b"\xff" * COLUMNS, "passed"),
    ],
)
def test_columns_are_those_that_an_editor_shows(line: bytes, status: str) -> None:
    lines = b"int main(void)\n" + line + b"\n{}\n"
    assert judge_source_format(handed_in(lines), "many", item(columns=COLUMNS)).status == status


@pytest.mark.parametrize(
    ("data", "rules"),
    [
        ("// é\n".encode(), {"ascii_only": True}),
        (b"int a;\r\n", {"carriage_returns": False}),
        (b"x" * 30 + b"\n", {"columns": 20}),
    ],
)
def test_only_the_rules_of_the_check_are_judged(data: bytes, rules: dict[str, bool | int]) -> None:
    assert judge_source_format(handed_in(data), "many", item(**rules)).status == "failed"
    others = {"ascii_only": True, "carriage_returns": False, "columns": 80}
    kept = {name: value for name, value in others.items() if name not in rules}
    assert judge_source_format(handed_in(data), "many", item(**kept)).status == "passed"


def test_the_message_has_the_first_lines_of_each_rule() -> None:
    outcome = judge_source_format(handed_in(b"a\r\n" * 7 + b"// \xe9\n"), "many", ALL)
    name = facts().lab.spec.programs["many"].main_source
    assert outcome.message == (
        f"{name}: line 8 is not plain ASCII; "
        f"{name}: 7 lines are written with a carriage return (1, 2, 3, 4, 5 and 2 more)"
    )


def test_it_is_a_check_like_others() -> None:
    assert judge_check(handed_in(b"int a;\r\n"), "many", ALL).points == 0
    assert judge_check(handed_in(b"int a;\n"), "many", ALL).points == 1
    assert judge_source_format(facts(unusable={"many": "many.c is missing"}), "many", ALL).status == "failed"


def test_a_check_without_a_rule_is_an_error() -> None:
    with pytest.raises(ValidationError, match="columns"):
        item()


def test_a_spec_can_name_it(tmp_path: Path) -> None:
    text = resource("specs", "tr2.yaml").read_text("utf-8")
    entry = "  - {name: format, kind: source-format, title: Plain lines, points: {tr2b: 0}%s}\n"
    spec = tmp_path / "tr2.yaml"
    spec.write_text(text.replace("rubric:\n", "rubric:\n" + entry % ", columns: 132", 1), "utf-8")
    assert isinstance(read_spec(spec).rubric[0], SourceFormatItem)
    spec.write_text(text.replace("rubric:\n", "rubric:\n" + entry % "", 1), "utf-8")
    with pytest.raises(SpecError, match="needs columns"):
        read_spec(spec)
