"""Mutants are read whole or refused with the place; and every page keeps to its form."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.errors import SpecError, UsageError
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.model.mutant import FENCE, HEADINGS, Mutant, Variant
from grader.resources import resource

SPEC = read_spec(resource("specs", "tr2.yaml"))
MUTANTS = read_mutants(SPEC, find_lab("tr2").mutants)
DECLARATION = """\
title: The loop begins too late
programs:
  tr2b:
    fails: [text, operands]
  tr2u:
    fails: [text]
"""
PAGE_TEXT = "## What happens\n\nThis.\n\n## How to see it\n\nSo.\n\n## What to read\n\nThat.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A lab's folder of mutants with one mutant in it."""
    mutants = tmp_path / "mutants"
    write(mutants / "late-loop")
    return mutants


def write(mutant: Path) -> None:
    mutant.mkdir(parents=True)
    (mutant / "mutant.yaml").write_text(DECLARATION, encoding="utf-8")
    (mutant / "page.md").write_text(PAGE_TEXT, encoding="utf-8")
    for program in ("tr2b", "tr2u"):
        (mutant / f"{program}.c").write_bytes(program.encode())


def replace(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(mutant: Path) -> None:
        text = (mutant / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, "the replacement has to hit one place"
        (mutant / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


def remove(name: str) -> Callable[[Path], None]:
    return lambda mutant: (mutant / name).unlink()


def test_the_mistakes_of_all_mutants_are_told_at_once(folder: Path) -> None:
    for name in ("a-bug", "z-bug"):
        write(folder / name)
        replace("mutant.yaml", "operands", "operand")(folder / name)
        (folder / name / "page.md").unlink()
    (folder / "m-bug").mkdir()
    with pytest.raises(SpecError) as caught:
        read_mutants(SPEC, folder)
    told = str(caught.value).splitlines()
    assert [line.removeprefix(f"{folder}/").split(":")[0] for line in told] == [
        "a-bug/mutant.yaml",
        "m-bug/mutant.yaml",
        "z-bug/mutant.yaml",
    ]


def test_borrowed_mutants_keep_what_the_spec_has(folder: Path) -> None:
    items = [item for item in SPEC.rubric if item.name != "operands"]
    without = SPEC.model_copy(
        update={"rubric": tuple(items), "programs": {"tr2b": SPEC.programs["tr2b"]}},
    )
    with pytest.raises(SpecError):
        read_mutants(without, folder)
    (mutant,) = read_mutants(without, folder, borrowed=True)
    assert mutant.fails == {"tr2b": read_mutants(SPEC, folder)[0].fails["tr2b"] - {"operands"}}


def test_a_mutant_is_read_whole(folder: Path) -> None:
    assert folder.is_dir()
    (mutant,) = read_mutants(SPEC, folder)
    assert mutant == Mutant(
        name="late-loop",
        title="The loop begins too late",
        page=PAGE_TEXT,
        sources={"tr2b": b"tr2b", "tr2u": b"tr2u"},
        fails={"tr2b": frozenset({"text", "operands"}), "tr2u": frozenset({"text"})},
    )


def test_they_are_sorted_by_name_and_what_is_no_folder_is_none(folder: Path) -> None:
    write(folder / "a-bug")
    write(folder / "z-bug")
    (folder / ".hidden").mkdir()
    (folder / "README.md").touch()
    assert [mutant.name for mutant in read_mutants(SPEC, folder)] == ["a-bug", "late-loop", "z-bug"]


def test_a_lab_without_the_folder_has_none(tmp_path: Path) -> None:
    assert read_mutants(SPEC, tmp_path / "mutants") == ()


def test_a_bug_may_be_one_programs_alone(folder: Path) -> None:
    replace("mutant.yaml", "  tr2u:\n    fails: [text]\n", "")(folder / "late-loop")
    remove("tr2u.c")(folder / "late-loop")
    (mutant,) = read_mutants(SPEC, folder)
    assert set(mutant.sources) == set(mutant.fails) == {"tr2b"}


FORMS = """\
title: The loop begins too late
programs:
  tr2b:
    fails: [text, operands]
    alone: [operands]
    variants:
      one-pair: [text]
  tr2u:
    fails: [text]
"""


def test_the_forms_of_a_mutant_are_read(folder: Path) -> None:
    (folder / "late-loop" / "mutant.yaml").write_text(FORMS, encoding="utf-8")
    (folder / "late-loop" / "tr2b.one-pair.c").write_bytes(b"other")
    (mutant,) = read_mutants(SPEC, folder)
    assert mutant.alone == {"tr2b": {"operands"}}
    assert mutant.variants == (Variant(name="one-pair", program="tr2b", source=b"other", fails=frozenset({"text"})),)
    form = mutant.with_variant(mutant.variants[0])
    assert (form.name, form.sources, form.fails) == ("late-loop.one-pair", {"tr2b": b"other"}, {"tr2b": {"text"}})
    assert (form.title, form.alone, form.variants) == (mutant.title, {}, ())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("alone: [operands]", "alone: [binary]", "5: programs.tr2b.alone.0: 'binary' is not in fails"),
        ("one-pair: [text]", "one-pair: [txt]", "7: programs.tr2b.variants.one-pair.0: 'txt' is not a check of tr2b"),
        ("one-pair: [text]", "text: [text]", "7: programs.tr2b.variants.text: 'text' is a check; give the variant"),
        ("one-pair", "two", "7: programs.tr2b.variants.two: tr2b.two.c cannot be read"),
    ],
)
def test_forms_that_do_not_fit_are_refused_with_the_place(folder: Path, old: str, new: str, says: str) -> None:
    (folder / "late-loop" / "tr2b.one-pair.c").write_bytes(b"other")
    if old == "one-pair":
        (folder / "late-loop" / "tr2b.one-pair.c").unlink()
    assert FORMS.count(old) == 1
    (folder / "late-loop" / "mutant.yaml").write_text(FORMS.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError) as caught:
        read_mutants(SPEC, folder)
    assert str(caught.value).startswith(f"{folder / 'late-loop'}/mutant.yaml:{says}")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (remove("mutant.yaml"), "mutant.yaml: is missing: it has the title"),
        (
            replace("mutant.yaml", "tr2b:", "tr2c:"),
            "mutant.yaml:3: programs.tr2c: 'tr2c' is not a program of the lab tr2, which has tr2b, tr2u",
        ),
        (
            replace("mutant.yaml", "operands", "operand"),
            "mutant.yaml:4: programs.tr2b.fails.1: 'operand' is not a check of tr2b; did you mean 'operands'?",
        ),
        (
            replace("mutant.yaml", "operands", "text"),
            "mutant.yaml:4: programs.tr2b.fails.1: 'text' appears twice",
        ),
        (
            replace("mutant.yaml", "[text]", "[]"),
            "mutant.yaml:6: programs.tr2u.fails: expected at least 1 item",
        ),
        (
            replace("mutant.yaml", "title: The", "titel: The"),
            "mutant.yaml:1: titel: unknown key 'titel'; did you mean 'title'?",
        ),
        (replace("mutant.yaml", "The loop begins too late", "' '"), "mutant.yaml:1: title: the title is empty"),
        (replace("mutant.yaml", "too late", "late."), "mutant.yaml:1: title: the title is a headline"),
        (remove("tr2u.c"), "mutant.yaml:5: programs.tr2u: tr2u.c cannot be read: No such file"),
        (
            replace("mutant.yaml", "  tr2u:\n    fails: [text]\n", ""),
            "mutant.yaml:2: programs: tr2u.c is next to it, and no program has this source",
        ),
        (remove("page.md"), "page.md: is missing: a mutant has a page with 'What happens'"),
        (
            replace("page.md", "## How to see it\n\n", ""),
            "page.md: it has the headings 'What happens', 'What to read'; a page has 'What happens',",
        ),
    ],
)
def test_a_mutant_that_is_not_whole_is_refused_with_the_place(
    folder: Path, spoil: Callable[[Path], None], says: str
) -> None:
    spoil(folder / "late-loop")
    with pytest.raises(SpecError) as caught:
        read_mutants(SPEC, folder)
    assert isinstance(caught.value, UsageError)
    assert str(caught.value).startswith(f"{folder / 'late-loop'}/{says}")


def test_all_that_does_not_fit_is_told_at_once(folder: Path) -> None:
    replace("mutant.yaml", "operands", "operand")(folder / "late-loop")
    replace("mutant.yaml", "tr2u:", "tr2c:")(folder / "late-loop")
    with pytest.raises(SpecError) as caught:
        read_mutants(SPEC, folder)
    assert [one.line for one in (caught.value, *caught.value.others)] == [4, 5]


def test_a_folder_that_is_no_name_is_refused(folder: Path) -> None:
    write(folder / "Late_Loop")
    with pytest.raises(SpecError, match="Late_Loop: a mutant's name"):
        read_mutants(SPEC, folder)


def test_the_lab_has_mutants_for_each_program() -> None:
    for program in SPEC.programs:
        assert any(program in mutant.sources for mutant in MUTANTS)


def test_every_check_but_those_of_a_whole_program_and_of_time_has_a_mutant() -> None:
    kinds = {item.name: item.kind for item in SPEC.rubric}
    failed = {(program, check) for mutant in MUTANTS for program, checks in mutant.fails.items() for check in checks}
    for program in SPEC.programs:
        missed = {check for check in kinds if (program, check) not in failed}
        assert {kinds[check] for check in missed} == {"build", "timing"}


@pytest.fixture(params=MUTANTS, ids=lambda mutant: mutant.name)
def mutant(request: pytest.FixtureRequest) -> Mutant:
    chosen: Mutant = request.param
    return chosen


def fenced(page: str) -> list[str]:
    """Return every second part of a page that its fences cut it into: the blocks, each with its language."""
    assert page.count(FENCE) % 2 == 0, "a fence is not closed"
    return page.split(FENCE)[1::2]


def test_a_page_has_its_parts_and_fits_a_screen(mutant: Mutant) -> None:
    parts = re.split(r"^## .*\n", mutant.page, flags=re.MULTILINE)
    assert len(parts) == 2 + len(HEADINGS) + ("## Why" in mutant.page)
    assert not parts[0], "nothing stands above the first heading"
    assert all(part.strip() for part in parts[1:])
    lines = mutant.page.splitlines()
    assert len(lines) <= 30
    assert all(len(line) <= 100 for line in lines)
    assert mutant.page.isascii()
    assert re.search(r"`_?[a-z0-9]+\([1-8]\)`|[Tt]he\s+statement\s+of\s+the\s+lab", parts[-1]), (
        "something that can be read"
    )


def test_its_blocks_are_shell_lines_that_need_nothing_special(mutant: Mutant) -> None:
    (block,) = fenced(mutant.page)
    language, *lines, last = block.split("\n")
    assert (language, last) == ("sh", "")
    known = {"printf", "od", "strace"} | {f"./{program}" for program in mutant.sources}
    for line in lines:
        commands = {part.split()[0] for part in re.split(r" \| |; |\$\(", line)}
        assert commands <= known, line
        assert sum(f"./{program} " in line for program in mutant.sources) == 1, "it runs one program"
    for program in mutant.sources:
        assert any(f"./{program} " in line for line in lines)


def test_a_page_holds_for_each_program_that_has_the_bug(mutant: Mutant) -> None:
    (block,) = fenced(mutant.page)
    by_program = {
        tuple(line.replace(program, "PROGRAM") for line in block.split("\n") if f"./{program} " in line)
        for program in mutant.sources
    }
    assert len(by_program) == 1, "the same lines for both"


def test_for_one_program_a_page_shows_that_one_s_lines_and_all_of_the_words(mutant: Mutant) -> None:
    assert mutant.page_for(mutant.sources, is_found=True) == mutant.page
    for program in mutant.sources:
        page = mutant.page_for({program}, is_found=True)
        (block,) = fenced(page)
        _, *lines, _ = block.split("\n")
        assert lines == [line for line in fenced(mutant.page)[0].split("\n") if f"./{program} " in line]
        assert page.split(FENCE)[0::2] == mutant.page.split(FENCE)[0::2]


def test_without_its_construct_a_page_says_neither_why_nor_what_to_change_for_that(mutant: Mutant) -> None:
    page, title = mutant.page_for(mutant.sources, is_found=False), mutant.title_for(is_found=False)
    assert title == mutant.title
    assert "## Why" not in page
    if "## Why" in mutant.page:
        assert mutant.pattern, "why it happens needs a pattern"
        assert "## What to change" not in page
    else:
        assert page == mutant.page
    assert not mutant.reason or mutant.pattern, "a reason needs a pattern"


def test_a_page_shows_no_code(mutant: Mutant) -> None:
    prose = "".join(mutant.page.split(FENCE)[0::2])
    for word in ("#include", "int main", "{", "}", "!=", "==", "= getchar", "(unsigned char)"):
        assert word not in prose, word
    assert not [span for span in prose.split("`")[1::2] if ";" in span or " = " in span]
    assert not re.search(r"\b(if|for|while|return) ?\(", prose)


def test_a_source_says_which_mutant_it_is(mutant: Mutant) -> None:
    for source in [*mutant.sources.values(), *(one.source for one in mutant.variants)]:
        assert source.decode("ascii").startswith(f"/* Mutant {mutant.name}: ")
        assert b"BUG" not in source
