"""Programs of several files, and how they are built: what a spec may say, and the commands and files that follow."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from grader.batch.lab_changes import compare
from grader.batch.result_key import lab_record
from grader.errors import SpecError, UsageError
from grader.gradescope.bundle.carried import carried_lab, needed_tools
from grader.grading.plan_builder import build_plan
from grader.intake.files import DiskFile
from grader.intake.reading import read_files
from grader.judge.build import judge_build
from grader.judge.repeat import repeat_checked
from grader.lab.find import find_lab, load_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.lab.publish import spec_yaml
from grader.lab.source_files import source_files
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem
from grader.model.submission import Source, Submission, UnusableSource

from .facts import FAILURE, build, facts
from .test_mutants import PAGE_TEXT

DOCUMENT: dict[str, Any] = {
    "spec_version": 1,
    "lab": "several",
    "title": "Several files",
    "programs": {
        "words": {"sources": ["main.c", "count.c"], "headers": ["count.h"], "title": "words"},
        "lines": {"sources": ["lines.c", "count.c"], "headers": ["count.h"], "title": "lines"},
        "made": {"source": "lines.c", "build": {"make": "maker"}, "title": "lines, with make"},
        "plus": {"source": "plus.cpp", "build": {"compiler": "g++", "standard": "c++17"}, "title": "lines, in C++"},
    },
    "inputs": {"text": {"kind": "literal", "data": "a"}, "long": {"kind": "random", "seed": "x", "size_bytes": 9}},
    "cases": {"copy": {"operands": [], "input": "text"}, "long": {"operands": [], "input": "long"}},
    "rubric": [
        {"name": "build", "kind": "build", "title": "Compiles", "points": {"words": 1, "lines": 1}},
        {"name": "copy", "kind": "cases", "title": "Copies", "points": {"words": 1}, "cases": ["copy"]},
    ],
}
SPEC = Spec.model_validate(DOCUMENT)
FILES = {name: name.encode() for name in SPEC.sources}


def submission(**changed: bytes) -> Submission:
    sources = {name: Source.of({file: FILES[file] for file in one.files}) for name, one in SPEC.programs.items()}
    for program, data in changed.items():
        first, *_ = SPEC.programs[program].files
        sources[program] = Source.of({**sources[program].files(SPEC.programs[program].files), first: data})
    return Submission("ann", sources)


def written(folder: Path, text: str) -> Path:
    (folder / "lab.yaml").write_text(text, encoding="utf-8")
    return folder / "lab.yaml"


def test_a_file_that_programs_share_is_handed_in_once() -> None:
    assert SPEC.sources == ["main.c", "count.c", "count.h", "lines.c", "plus.cpp"]


def test_the_commands() -> None:
    plan = build_plan(SPEC, submission())
    commands = {step.program: (" ".join(step.compile), " ".join(step.compile_object)) for step in plan.builds}
    assert commands == {
        "words": ("gcc main.c count.c", "gcc -O0 -fno-builtin -w -fno-lto -r main.c count.c"),
        "lines": ("gcc lines.c count.c", "gcc -O0 -fno-builtin -w -fno-lto -r lines.c count.c"),
        "made": ("make maker", ""),
        "plus": ("g++ -std=c++17 plus.cpp", "g++ -std=c++17 -O0 -fno-builtin -w -fno-lto -c plus.cpp"),
    }
    (made,) = (step for step in plan.builds if step.program == "made")
    assert (made.made, made.files) == ("maker", ("Makefile", "lines.c"))
    assert source_files(SPEC, submission(), {"Makefile": b"maker:"}) == {**FILES, "Makefile": b"maker:"}


def test_two_versions_of_a_file_do_not_meet() -> None:
    changed = submission(lines=b"with the bug")
    plan = build_plan(SPEC, changed)
    assert {step.program: step.folder for step in plan.builds if step.folder} == {"made": "made"}
    files = source_files(SPEC, changed, {"Makefile": b"maker:"})
    assert (files["lines.c"], files["made/lines.c"], files["made/Makefile"]) == (
        b"with the bug",
        b"lines.c",
        b"maker:",
    )


def provided(program: str, **changes: object) -> Spec:
    programs = {**DOCUMENT["programs"], program: {**DOCUMENT["programs"][program], **changes}}
    return Spec.model_validate({**DOCUMENT, "programs": programs})


def test_files_of_the_lab_come_after_the_sources_and_libraries_last() -> None:
    options = ["-O2", "-L.", "-lm", "-Wl,--as-needed", "-lz", "-DA=1"]
    files = ["list.a", "driver.c", "list.h", "help.o"]
    spec = provided("words", provided=files, build={"compiler": "gcc", "options": options})
    (words, *_) = build_plan(spec, submission()).builds
    last = "main.c count.c driver.c help.o list.a -lm -Wl,--as-needed -lz"
    assert " ".join(words.compile) == f"gcc -O2 -L. -DA=1 {last}"
    assert " ".join(words.compile_object) == "gcc -O2 -L. -DA=1 -O0 -fno-builtin -w -fno-lto -r main.c count.c"
    assert " ".join(spec.build_command("words", "words")) == f"gcc -O2 -L. -DA=1 -o words {last}"
    assert spec.build_of("words").needed_options == ("-L.", "-DA=1")
    assert spec.is_c("words")
    assert not provided("words", provided=["driver.cc"], build={"compiler": "g++"}).is_c("words")


def test_make_finds_the_files_of_the_lab() -> None:
    spec = provided("made", provided=["rules.mk"])
    files = {"Makefile": b"include rules.mk", "rules.mk": b"maker:"}
    (made,) = (step for step in build_plan(spec, submission()).builds if step.program == "made")
    assert made.files == ("Makefile", "rules.mk", "lines.c")
    assert source_files(spec, submission(), files) == {**FILES, **files}
    assert source_files(spec, submission()) == FILES


@pytest.mark.parametrize(
    ("file", "says"), [("count.h", "is handed in for another program"), ("Makefile", "make finds it")]
)
def test_what_cannot_be_provided(file: str, says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        provided("plus", provided=[file])


def test_the_zip_has_the_files_of_the_lab_and_no_links(tmp_path: Path) -> None:
    written(tmp_path, yaml.safe_dump({**DOCUMENT, "programs": {"plus": DOCUMENT["programs"]["plus"]}, "rubric": [
        {"name": "build", "kind": "build", "title": "Compiles", "points": {"plus": 1}},
    ]}))  # fmt: skip
    (tmp_path / "provided").mkdir()
    (tmp_path / "provided" / "driver.c").write_bytes(b"driver")
    assert carried_lab(find_lab(str(tmp_path)))["provided/driver.c"] == b"driver"
    (tmp_path / "provided" / "list.h").symlink_to(tmp_path / "lab.yaml")
    with pytest.raises(UsageError, match="is a link"):
        carried_lab(find_lab(str(tmp_path)))


def test_another_file_of_the_lab_is_another_version_and_rescore_says_so(tmp_path: Path) -> None:
    spec = provided("made", provided=["rules.mk"])
    files = find_lab(str(written(tmp_path, spec_yaml(spec).decode())))
    (tmp_path / "provided").mkdir()
    records = []
    for text in ("maker:", "maker: lines.c"):
        (tmp_path / "Makefile").write_text("include rules.mk", encoding="utf-8")
        (tmp_path / "provided" / "rules.mk").write_text(text, encoding="utf-8")
        records.append(lab_record(spec, files))
    old, new = records
    assert old.lab_digest != new.lab_digest
    assert compare(old, spec, new, spec).run_everything == ("the lab's rules.mk",)
    without = old.model_copy(update={"provided": {}})
    assert compare(without, spec, new, spec).run_everything == ("the lab's Makefile", "the lab's rules.mk")


def test_the_digest_depends_on_every_file() -> None:
    one = Submission("ann", {"words": Source(b"main", {"count.c": b"a"})})
    other = Submission("ann", {"words": Source(b"main", {"count.c": b"b"})})
    assert len({one.digest(), other.digest(), Submission("ann", {"words": Source(b"main")}).digest()}) == 3


def test_each_missing_file_is_named(tmp_path: Path) -> None:
    for name in ("main.c", "Count.h", "lines.c"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    files = [DiskFile(path.name, str(path)) for path in sorted(tmp_path.iterdir())]
    read = read_files("ann", files, SPEC).sources
    assert read["words"] == UnusableSource(
        "count.c is missing. count.h is missing. The folder has Count.h: rename it to count.h"
        " (capital and small letters are different names)"
    )
    assert read["made"] == Source(b"x")


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("words", {"title": "t"}, "programs.words: a program has either source"),
        ("words", {"title": "t", "source": "a.c", "sources": ["b.c"]}, "programs.words: a program has either source"),
        ("words", {"title": "t", "sources": ["a.c", "a.c"]}, "programs.words: 'a.c' is named twice"),
        (
            "words",
            {"title": "t", "source": "a.cpp"},
            "gcc does not link the C++ library; words needs g++ (`build: {compiler: g++}`)",
        ),
        (
            "words",
            {"title": "t", "source": "a.cc", "build": {"compiler": "clang"}},
            "programs.words.build.compiler: clang does not link the C++ library; words needs clang++",
        ),
        (
            "words",
            {"title": "t", "source": "a.c", "build": {}},
            "programs.words.build: a build has either compiler or",
        ),
        (
            "words",
            {"title": "t", "source": "a.c", "build": {"make": "a", "options": ["-O2"]}},
            "programs.words.build: with make, the Makefile says how to compile",
        ),
        (
            "words",
            {"title": "t", "source": "a.c", "build": {"compiler": "gcc", "standart": "c11"}},
            "programs.words.build.standart: unknown key 'standart'; did you mean 'standard'?",
        ),
    ],
)
def test_what_a_spec_cannot_say(tmp_path: Path, key: str, value: dict[str, Any], says: str) -> None:
    document = {**DOCUMENT, "programs": {**DOCUMENT["programs"], key: value}}
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, json.dumps(document)))
    assert says in str(caught.value)


def test_symbols_of_a_program_that_make_builds_are_not_known(tmp_path: Path) -> None:
    rule = {"symbols": {"one_of_each": [["read"]]}}
    programs = {**DOCUMENT["programs"], "made": {**DOCUMENT["programs"]["made"], **rule}}
    item = {"name": "symbols", "kind": "symbols", "title": "Calls", "points": {"made": 1}}
    with pytest.raises(SpecError) as caught:
        read_spec(written(tmp_path, json.dumps({**DOCUMENT, "programs": programs, "rubric": [item]})))
    assert caught.value.key_path == "programs.made.build.make"


def test_a_spec_is_written_as_it_was_read() -> None:
    assert Spec.model_validate(yaml.safe_load(spec_yaml(SPEC))) == SPEC


def test_a_mutant_has_the_files_with_the_bug_and_the_reference_the_others(tmp_path: Path) -> None:
    mutant, reference = tmp_path / "mutants" / "a-bug", tmp_path / "reference"
    declared = "title: A bug\nprograms: {words: {fails: [copy], variants: {late: [copy]}}, lines: {fails: [build]}}\n"
    for path, data in {
        **{reference / name: data for name, data in FILES.items()},
        mutant / "mutant.yaml": declared.encode(),
        mutant / "page.md": PAGE_TEXT.encode(),
        mutant / "count.c": b"bug",
        mutant / "main.late.c": b"late",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (read,) = read_mutants(SPEC, tmp_path / "mutants", reference)
    others = {"count.c": b"bug", "count.h": b"count.h"}
    assert read.programs == {"words": Source(b"main.c", others), "lines": Source(b"lines.c", others)}
    (variant,) = read.variants
    assert read.with_variant(variant).programs == {"words": Source(b"late", others)}
    (mutant / "other.c").write_bytes(b"")
    with pytest.raises(SpecError, match=r"other\.c is next to it"):
        read_mutants(SPEC, tmp_path / "mutants", reference)


@pytest.mark.parametrize(
    ("symbol", "says"),
    [
        ("main", "none of many.c and more.c has a function main"),
        ("count(int)", "count is used, but neither many.c nor more.c nor a library defines it"),
    ],
)
def test_words_for_what_the_linker_misses(symbol: str, says: str) -> None:
    messages = f"ld: undefined reference to `{symbol}'\nclang: error: linker command failed with exit code 1\n"
    known = facts(builds={"many": build("many", FAILURE, messages)})
    several = known.lab.spec.programs["many"].model_copy(update={"source": None, "sources": ("many.c", "more.c")})
    spec = known.lab.spec.model_copy(update={"programs": {**known.lab.spec.programs, "many": several}})
    item = BuildItem(kind="build", name="build", title="", points={"many": 1})
    outcome = judge_build(replace(known, lab=replace(known.lab, spec=spec)), "many", item)
    assert outcome.message == f"it does not compile: {says}"


def test_the_zip_says_what_else_has_to_be_installed(tmp_path: Path) -> None:
    written(tmp_path, spec_yaml(SPEC).decode())
    for name in ("Makefile", "reference/plus.cpp", "reference/count.h"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert needed_tools(SPEC) == {"tools": b"g++ g++\nmake make\n"}
    assert set(carried_lab(find_lab(str(tmp_path)))) == {
        "lab.yaml",
        "Makefile",
        "reference/plus.cpp",
        "reference/count.h",
    }


def test_a_lab_without_a_name_is_asked_for_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "several"
    folder.mkdir()
    written(folder, spec_yaml(SPEC).decode())
    command = "./maker >/dev/null"
    for spec, argument in ((load_lab(str(folder))[0], str(folder)), (load_lab("tr2")[0], "")):
        if argument:
            assert repeat_checked(spec, "made", "long", valgrind=False) == (
                f"grader input --lab {argument} long | {command}"
            )
        assert spec.argument == (argument or "tr2")
    monkeypatch.setenv("GRADER_LABS", str(tmp_path))
    assert load_lab(str(folder))[0].argument == "several"


@pytest.mark.parametrize("option", ["-O2", "-std=c11", "--coverage", "--param=max-inline-insns-single=9"])
def test_an_option_of_the_compiler_begins_with_one_or_two_dashes(option: str) -> None:
    document = {**DOCUMENT, "build": {"compiler": "gcc", "options": [option]}}
    assert Spec.model_validate(document).build.options == (option,)


@pytest.mark.parametrize("word", ["coverage", "--", "---coverage", "@file"])
def test_other_words_are_no_options_of_the_compiler(word: str) -> None:
    with pytest.raises(ValueError, match="options"):
        Spec.model_validate({**DOCUMENT, "build": {"compiler": "gcc", "options": [word]}})
