"""What is hidden in a spec may not stand where it would show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.errors import SpecError
from grader.lab.load import read_spec
from grader.model.spec.hidden_cases import SEED_BYTES
from grader.model.spec.lab import Spec
from tests.hidden_lab import SEED, TR2, hidden_spec, with_hidden

FULL = with_hidden(TR2.read_text(encoding="utf-8"))
FRESH = re.compile(rf'(?<=")[0-9a-f]{{{2 * SEED_BYTES}}}(?="$)')


def read(tmp_path: Path, *changes: tuple[str, str]) -> Spec:
    text = FULL
    for old, new in changes:
        assert text.count(old) == 1, "the replacement has to hit one place"
        text = text.replace(old, new)
    path = tmp_path / "lab.yaml"
    path.write_text(text, encoding="utf-8")
    return read_spec(path)


def refused(tmp_path: Path, *changes: tuple[str, str]) -> SpecError:
    with pytest.raises(SpecError) as caught:
        read(tmp_path, *changes)
    return caught.value


def test_the_lab_of_these_tests_is_right_as_it_is(tmp_path: Path) -> None:
    spec = read_spec(hidden_spec(tmp_path))
    assert {name for name, declaration in spec.inputs.items() if declaration.hidden} == {
        "secret-letters",
        "secret-noise",
    }
    assert {name for name, case in spec.cases.items() if case.hidden} == {
        "secret-operands", "secret-letters", "secret-noise"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "key_path", "says"),
    [
        (
            "input: secret-letters, hidden: true}",
            "input: secret-letters}",
            "cases.secret-letters.input",
            "the input 'secret-letters' is hidden, and this case would show it",
        ),
        (
            "    visibility: hidden\n",
            "",
            "rubric.16.cases.0",
            "'secret-operands' is hidden, and would show here",
        ),
        (
            "program: tr2b, without: tr2u, case: pattern-5m}",
            "program: tr2b, without: tr2u, case: secret-noise}",
            "gradescope.leaderboard.1.case",
            "'secret-noise' is hidden, and would show here",
        ),
        (
            "cases: [secret-operands, secret-letters, secret-helper]",
            "cases: [secret-operands, secret-helper]",
            "cases.secret-letters.hidden",
            "no check rests on this case",
        ),
        (
            "input: letters, hidden: true}",
            "input: letters, engine: filter, hidden: true}",
            "cases.secret-operands.input",
            "calls and times are shown by input, and 'letters' is not hidden",
        ),
        (
            "input: letters, hidden: true}",
            "input: letters, strace: always, hidden: true}",
            "cases.secret-operands.input",
            "calls and times are shown by input",
        ),
        (f"seed: {SEED}", "seed: secret", "inputs.secret-noise.seed", "a student who guesses it knows the input"),
        (f"seed: {SEED}", f"seed: {SEED[1:]}", "inputs.secret-noise.seed", "32 random hexadecimal digits"),
        (f"seed: {SEED}", f"seed: {'0123' * 8!r}", "inputs.secret-noise.seed", "32 random hexadecimal digits"),
        (
            "seed: tr2 random-5m",
            f"seed: {SEED}",
            "inputs.secret-noise.seed",
            "it is the seed of 'random-5m', which is not hidden",
        ),
        (
            "seed: tr2 random-5m",
            f"seed: tr2 random-5m {SEED.upper()}",
            "inputs.secret-noise.seed",
            "it is the seed of 'random-5m', which is not hidden, or has digits of it",
        ),
        (
            "seed: tr2 random-5m",
            f"seed: {SEED[:20]}",
            "inputs.secret-noise.seed",
            "it is the seed of 'random-5m', which is not hidden, or has digits of it",
        ),
        ("hidden: true}\n  secret-noise: {kind", "hidde: true}\n  secret-noise: {kind", "inputs.secret-letters.hidde",
         "did you mean 'hidden'?"),
    ],
)  # fmt: skip
def test_what_would_show_is_told_with_its_place(tmp_path: Path, old: str, new: str, key_path: str, says: str) -> None:
    error = refused(tmp_path, (old, new))
    told = {one.key_path: one.message for one in (error, *error.others)}
    assert says in told[key_path], told
    assert error.line is not None


def test_hidden_times_need_an_input_of_their_own(tmp_path: Path) -> None:
    timing = "    case: secret-operands\n"
    error = refused(
        tmp_path,
        ("  - name: secret-later\n    kind: cases\n", "  - name: secret-later\n    kind: timing\n"),
        ("points: {tr2u: 2}\n    cases: [secret-noise]\n", f"points: {{tr2u: 2}}\n{timing}"),
    )
    assert error.key_path == "cases.secret-operands.input"
    assert "calls and times" in error.message


CASES = "  secret-helper: {operands: [secret"
SLICE = "    slice: slice\n"


@pytest.mark.parametrize(
    ("case", "check"),
    [
        ("input: pattern-5m, engine: account, limits: full", f"kind: call-pattern\n{SLICE}    full: [unseen]"),
        ("input: pattern-5m", "kind: timing\n    case: unseen"),
    ],
)
@pytest.mark.parametrize(("input_name", "visibility"), [("pattern-5m", "hidden"), ("secret-plain", "hidden"),
                                                        ("pattern-5m", "visible")])  # fmt: skip
def test_figures_of_a_check_that_is_not_seen_need_an_input_of_their_own(
    tmp_path: Path, case: str, check: str, input_name: str, visibility: str
) -> None:
    item = f"  - name: unseen\n    title: t\n    visibility: {visibility}\n    points: {{tr2b: 1}}\n    {check}\n"
    case = case.replace("pattern-5m", input_name)
    changes = (
        (CASES, f"  unseen: {{operands: [qz, ZQ], {case}}}\n{CASES}"),
        ("  - name: secret-text\n", f"{item}  - name: secret-text\n"),
    )
    if (input_name, visibility) != ("pattern-5m", "hidden"):
        assert "unseen" in read(tmp_path, *changes).cases
    else:
        error = refused(tmp_path, *changes)
        assert (error.key_path, error.others) == ("cases.unseen.input", ())
        assert "would show next to those of 'pattern-5m'" in error.message


def test_the_seed_that_is_proposed_is_right_and_another_each_time(tmp_path: Path) -> None:
    weak = (f"seed: {SEED}", "seed: guess-me")
    proposed = [FRESH.search(refused(tmp_path, weak).message) for _ in range(2)]
    first, second = (found[0] for found in proposed if found is not None)
    assert first != second
    assert read(tmp_path, (weak[0], f"seed: {first!r}")).inputs["secret-noise"].hidden


@pytest.mark.parametrize("seed", [SEED.upper(), f"tr2 autumn {SEED}", f"{SEED}{SEED}"])
def test_words_around_a_random_seed_do_no_harm(tmp_path: Path, seed: str) -> None:
    assert read(tmp_path, (f"seed: {SEED}", f"seed: {seed}")).inputs["secret-noise"].hidden


def test_a_seed_that_is_not_hidden_may_be_anything(tmp_path: Path) -> None:
    assert not read(tmp_path, ("seed: tr2 random-5m", "seed: a")).inputs["random-5m"].hidden


def test_a_name_that_nothing_declares_is_told_once(tmp_path: Path) -> None:
    error = refused(tmp_path, ("input: secret-letters, hidden: true}", "input: secret-leters, hidden: true}"))
    assert (error.key_path, error.others) == ("cases.secret-letters.input", ())


def test_a_students_copy_has_nothing_hidden(tmp_path: Path) -> None:
    published = ("\ngradescope:\n", "\npublished: {hidden_checks: {tr2x: {checks: 1, points: 1}}}\ngradescope:\n")
    error = refused(tmp_path, published)
    told = {one.key_path: one.message for one in (error, *error.others)}
    assert "did you mean 'tr2" in str(error)
    for place in ("inputs.secret-noise.hidden", "cases.secret-operands.hidden", "rubric.17.visibility"):
        assert "this is a student's copy" in told[place]


@pytest.mark.parametrize(("input_name", "is_hidden"), [("secret-noise", True), ("letters", False)])
def test_figures_of_calls_on_a_file_need_a_hidden_file(tmp_path: Path, input_name: str, *, is_hidden: bool) -> None:
    files = f"files: {{src: {{input: {input_name}}}}}, streams: {{input: src}}, strace: always"
    item = "  - {name: unseen, title: t, kind: cases, visibility: hidden, points: {tr2b: 1}, cases: [unseen]}\n"
    changes = (
        (CASES, f"  unseen: {{operands: [{{file: src}}], {files}, hidden: true}}\n{CASES}"),
        ("  - name: secret-text\n", f"{item}  - name: secret-text\n"),
    )
    if is_hidden:
        assert read(tmp_path, *changes).cases["unseen"].hidden
        return
    error = refused(tmp_path, *changes)
    assert (error.key_path, error.others) == ("cases.unseen.files.src.input", ())
    assert "'letters' is not hidden" in error.message
