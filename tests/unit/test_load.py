from __future__ import annotations

import json
import re
from math import gcd
from pathlib import Path

import pytest

from grader.errors import SHOWN_MISTAKES, SpecError
from grader.lab.load import read_spec
from grader.model.spec.cases import PatternInput, input_bytes
from grader.model.spec.rubric import TimingItem

TR2 = Path(__file__).parents[2] / "specs" / "tr2.yaml"
STDIO_BUFFER = 4096


def broken(tmp_path: Path, *changes: tuple[str, str]) -> SpecError:
    text = TR2.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, "the replacement has to hit one place"
        text = text.replace(old, new)
    copy = tmp_path / "lab.yaml"
    copy.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read_spec(copy)
    return caught.value


def line_of(text: str) -> int:
    lines = TR2.read_text(encoding="utf-8").splitlines()
    return 1 + next(index for index, line in enumerate(lines) if text in line)


def test_the_rubric_of_the_lab_is_worth_100_points_shared_evenly() -> None:
    spec = read_spec(TR2)
    assert spec.max_score == 100
    for program in ("tr2b", "tr2u"):
        assert sum(item.points[program] for item in spec.rubric) == 50


def test_every_case_is_used_by_some_check() -> None:
    spec = read_spec(TR2)
    used = {name for item in spec.rubric for _, name in item.case_references()}
    assert used == set(spec.cases)


def test_inputs_have_their_size_and_are_the_same_each_time() -> None:
    spec = read_spec(TR2)
    for name in ("random-5m", "pattern-5m"):
        data = input_bytes(spec.inputs[name])
        assert len(data) == 5_000_000
        assert data == input_bytes(spec.inputs[name])
    assert len(set(input_bytes(spec.inputs["random-5m"]))) == 256
    assert b"\n" not in input_bytes(spec.inputs["pattern-5m"])


def test_inputs_hold_0xff_only_where_the_check_is_about_it() -> None:
    spec = read_spec(TR2)
    holding = {name for name, declaration in spec.inputs.items() if 0xFF in input_bytes(declaration)}
    assert holding == {"ff-inside", "ff-last", "ff-only", "random-5m", "other-size"}


def test_what_is_about_operands_has_neither_nul_nor_0xff_in_its_input() -> None:
    # Each has a check of its own, whose hint tells what is wrong; the hint of operands would mislead.
    spec = read_spec(TR2)
    (item,) = (item for item in spec.rubric if item.name == "byte-high")
    for _, name in item.case_references():
        held = set(input_bytes(spec.inputs[spec.cases[name].input]))
        assert held == set(range(256)) - {0x00, 0xFF}


def test_patterns_do_not_repeat_at_block_borders() -> None:
    # A period that shares no factor with the block would look the same with a block lost or doubled.
    spec = read_spec(TR2)
    for name in ("pattern-5m", "every-byte-but-ff", "every-byte-but-nul-and-ff", "long-text"):
        declaration = spec.inputs[name]
        assert isinstance(declaration, PatternInput)
        assert gcd(len(declaration.data), STDIO_BUFFER) == 1


def test_points_may_be_halves(tmp_path: Path) -> None:
    copy = tmp_path / "lab.yaml"
    copy.write_text(TR2.read_text(encoding="utf-8").replace("{tr2b: 4, tr2u: 4}", "{tr2b: 3.5, tr2u: 4.0}"), "utf-8")
    spec = read_spec(copy)
    assert spec.max_score == read_spec(TR2).max_score - 0.5
    assert json.loads(spec.model_dump_json())["rubric"][0]["points"] == {"tr2b": 3.5, "tr2u": 4}
    assert '"tr2u":4}' in spec.model_dump_json(), "whole points have no decimals"


def test_the_example_of_the_documentation_is_a_spec(tmp_path: Path) -> None:
    page = (TR2.parents[1] / "docs" / "spec.md").read_text(encoding="utf-8")
    (example,) = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "rubric:" in block]
    lab = tmp_path / "lab.yaml"
    about = "spec_version: 1\nlab: shown\ntitle: T\nbuild: {compiler: gcc, standard: gnu11, options: [-O2]}\n"
    lab.write_text(about + example, encoding="utf-8")
    assert {item.kind for item in read_spec(lab).rubric} == {"call-pattern", "symbols", "terminal", "timing"}


def test_limits_need_not_be_given(tmp_path: Path) -> None:
    text = TR2.read_text(encoding="utf-8")
    begin, end = text.index("\nlimits:\n"), text.index("\n# Where both programs are counted")
    copy = tmp_path / "lab.yaml"
    copy.write_text(text[:begin] + text[end:], encoding="utf-8")
    assert read_spec(copy) == read_spec(TR2), "tr2 has those of every lab"


def test_what_limits_leave_out_comes_from_the_defaults(tmp_path: Path) -> None:
    text = TR2.read_text(encoding="utf-8")
    begin, end = text.index("\nlimits:\n"), text.index("\n# Where both programs are counted")
    copy = tmp_path / "lab.yaml"
    copy.write_text(f"{text[:begin]}\nlimits: {{small: {{cpu_s: 7}}, processes: 3}}\n{text[end:]}", encoding="utf-8")
    limits, usual = read_spec(copy).limits, read_spec(TR2).limits
    assert limits.small == usual.small.model_copy(update={"cpu_s": 7})
    assert limits == usual.model_copy(update={"small": limits.small, "processes": 3})


def test_comments_and_layout_do_not_change_the_digest(tmp_path: Path) -> None:
    copy = tmp_path / "lab.yaml"
    copy.write_text("# another comment\n" + TR2.read_text(encoding="utf-8"), encoding="utf-8")
    assert read_spec(copy).digest() == read_spec(TR2).digest()


@pytest.mark.parametrize(
    ("old", "new", "key_path", "says"),
    [
        ("size_bytes: 4096", "size_byte: 4096", "inputs.slice-4k.size_byte", "did you mean 'size_bytes'?"),
        ("random-5m: {kind: random,", "random-5m: {kind: randon,", "inputs.random-5m", "did you mean 'random'?"),
        ("input: random-5m\n", "input: random5m\n", "cases.random-5m.input", "did you mean 'random-5m'?"),
        ("    slice: slice\n", "    slice: slize\n", "rubric.11.slice", "did you mean 'slice'?"),
        ("    case: pattern-5m\n", "", "rubric.15.case", "'case' is missing"),
        ("  open_files: 64\n", "  open_files: many\n", "limits.open_files", "found 'many'"),
        (
            "    title: Translates text\n    points: {tr2b:",
            "    title: T\n    points: {tr2x:",
            "rubric.1.points.tr2x",
            "did you mean",
        ),
        ("  small: {cpu_s: 1,", "  small: {cpu: 1,", "limits.small.cpu", "did you mean 'cpu_s'?"),
        (
            "size_bytes: 4096",
            "size_bytes: 4096000000",
            "inputs.slice-4k.size_bytes",
            "expected at most 1,000,000,000",
        ),
        ("name: binary", "name: text", "rubric.3.name", "names two checks"),
        ("source: tr2b.c", "source: [tr2b.c, b.c]", "programs.tr2b.source", "expected text; 'sources' takes a list"),
        ("[abcc, wxyz]", "[abcc, true]", "cases.duplicate-last.operands.1", 'as {hex: "00 ff"}, found true'),
        ("{tr2b: 1, tr2u: 1}\n    cases: [no-op", "{}\n    cases: [no-op", "rubric.8.points", "at least 1 item"),
        (
            "terminal: {calls: exact, nbyte: 1}",
            "terminal: exact",
            "programs.tr2u.terminal",
            "expected keys and values, found 'exact'",
        ),
        (
            "input: letters, expect: operand-error}\n  to-longer",
            "input: letters, expect: {status: failure}}\n  to-longer",
            "cases.from-longer.expect.status",
            "expected a number from 0 to 255, any, or {not: 0}, found 'failure'",
        ),
        (
            'operands: [xy, "--"], input',
            "operands: [xy, a], environment: {A: 1}, input",
            "cases.dashes-in-to.environment.A",
            "expected text in quotes, found 1",
        ),
        (
            "input: slice-4k, strace: always}",
            "input: slice-4k, engine: account}",
            "rubric.11.slice",
            "needs strace: always",
        ),
        (
            "full: [random-5m, pattern-5m, other-size]",
            "full: [random-5m, swap]",
            "rubric.11.full.1",
            "needs engine: account or filter",
        ),
        ("  swap: {", "  Swap: {", "cases.Swap", "expected a name of small letters, digits and '-', found 'Swap'"),
        ("kind: call-pattern", "knd: call-pattern", "rubric.11", "'kind' is missing; is 'knd' meant for it?"),
        ("cases: [nul, ", "cases: [terminal-pattern-5m, ", "rubric.3.cases.0", "has to be run always"),
        ("cases: [nul, ", "cases: [terminal-random-5m, ", "rubric.3.cases.0", "has to be run always"),
        (
            "program: tr2b, case: pattern-5m}",
            "program: tr2b, case: random-5m}",
            "gradescope.leaderboard.0.case",
            "is not timed by a check",
        ),
        ("without: tr2u,", "without: tr2a,", "gradescope.leaderboard.1.without", "did you mean 'tr2"),
        (
            "    title: Translates text\n    points: {tr2b: 6,",
            "    title: T\n    points: {tr2b: 0.3,",
            "rubric.1.points.tr2b",
            "expected a multiple of 0.5, found 0.3",
        ),
        ("  timeout_s: 600\n", "  timeout_s: 0\n", "gradescope.timeout_s", "expected more than 0, found 0"),
        ("shown: [terminal-random-5m]", "shown: [swap]", "rubric.13.shown.0", "writes to a file"),
        (
            "    stdin: {calls: exact, nbyte: 1}\n    stdout: {calls: exact, nbyte: 1}\n",
            "",
            "rubric.11.points.tr2u",
            "no pattern for stdin or stdout, so the check syscalls would judge nothing",
        ),
    ],
)
def test_a_wrong_spec_is_told_with_line_and_probable_key(
    tmp_path: Path, old: str, new: str, key_path: str, says: str
) -> None:
    error = broken(tmp_path, (old, new))
    assert error.key_path == key_path
    assert says in error.message
    assert error.others == ()
    assert error.line is not None
    assert str(error).startswith(f"{tmp_path / 'lab.yaml'}:{error.line}: ")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  swap: {", "\tswap: {", "the line begins with a tab"),
        ("title: Translates text", "title: Text: translated", "a text that contains ': ' needs quotes"),
        ("title: Translates text", "title: %s", "a text that begins with % , @ or ` needs quotes"),
        ("  cycle: {", "  swap: {", "found duplicate key 'swap', which is in line "),
    ],
)
def test_what_is_not_yaml_is_explained(tmp_path: Path, old: str, new: str, says: str) -> None:
    error = broken(tmp_path, (old, new))
    assert says in error.message
    assert error.line in (line_of(old), line_of(old) + 1)


def test_keys_that_do_not_fit_together_are_not_repeated(tmp_path: Path) -> None:
    error = broken(tmp_path, ("    source: tr2b.c\n", "    source: tr2b.c\n    sources: [b.c]\n"))
    assert error.message == "a program has either source, for one file, or sources, for several"


def test_the_line_is_the_one_of_the_key(tmp_path: Path) -> None:
    assert broken(tmp_path, ("size_bytes: 4096", "size_byte: 4096")).line == line_of("slice-4k: {kind")
    assert broken(tmp_path, ("  open_files: 64", "  open_files: many")).line == line_of("  open_files: 64")


def test_all_mistakes_are_told_at_once_the_first_in_the_file_first(tmp_path: Path) -> None:
    # The first two on one line; pydantic itself tells keys too many last.
    error = broken(
        tmp_path,
        ("  open_files: 64", "  open_files: many"),
        ('empty: {kind: literal, data: ""}', 'empty: {knd: literal, kind: literal, data: "", seed: a}'),
        ("size_bytes: 4096", "size_byte: 4096"),
    )
    told = str(error).splitlines()
    assert [line.split(": ")[1] for line in told] == [
        "inputs.empty.knd",
        "inputs.empty.seed",
        "inputs.slice-4k.size_byte",
        "limits.open_files",
    ]
    assert all(line.startswith(f"{tmp_path / 'lab.yaml'}:") for line in told)
    assert "did you mean 'size_bytes'?" in told[2]


def test_all_that_does_not_fit_is_told_at_once_too(tmp_path: Path) -> None:
    error = broken(
        tmp_path,
        ("    slice: slice\n", "    slice: slize\n"),
        ("name: binary", "name: text"),
        ("swap: {operands: [ab, ba], input: letters}", "swap: {operands: [ab, ba], input: leters}"),
    )
    assert [one.key_path for one in (error, *error.others)] == [
        "cases.swap.input",
        "rubric.3.name",
        "rubric.11.slice",
    ]
    assert [one.line for one in (error, *error.others)] == [
        line_of("  swap: {"),
        line_of("name: binary"),
        line_of("    slice: slice"),
    ]


def test_of_very_many_mistakes_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    # Every case that reads letters is now wrong.
    reading = sum(case.input == "letters" for case in read_spec(TR2).cases.values())
    error = broken(tmp_path, ("  letters: {", "  characters: {"))
    *told, last = str(error).splitlines()
    assert len(told) == SHOWN_MISTAKES
    assert last == f"{tmp_path / 'lab.yaml'}: and {reading - SHOWN_MISTAKES} more"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"lab: [", "not valid YAML"),
        (b"\xff\xfe", "1: is not UTF-8 text"),
        (b"- just\n- a list\n", "expected keys"),
        (b"", "expected keys"),
        (b"lab: a\nlab: b\n", "not valid YAML"),
    ],
)
def test_what_is_no_spec_at_all_is_said_in_one_line(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "lab.yaml"
    path.write_bytes(content)
    with pytest.raises(SpecError, match=says) as caught:
        read_spec(path)
    assert "\n" not in str(caught.value)


def test_a_spec_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        read_spec(tmp_path / "none.yaml")


def test_a_timed_case_has_to_be_run_without_strace() -> None:
    spec = read_spec(TR2)
    (timing,) = (item for item in spec.rubric if isinstance(item, TimingItem))
    assert timing.why_unfit("case", spec.cases[timing.case]) is None
    assert timing.why_unfit("case", spec.cases["terminal-pattern-5m"]) is not None
