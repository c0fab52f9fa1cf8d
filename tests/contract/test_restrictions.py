"""Programs that are right, and fail because of what the grader does not allow: what the report says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.grading.pipeline import grade
from grader.grading.reference_run import read_programs, reference_restrictions
from grader.grading.setup import RunConfig, prepare
from grader.lab.find import load_lab
from grader.model.report import CasesEvidence, Report
from grader.model.spec.rubric import Visibility
from grader.render.views.visible_checks import for_students
from grader.sandbox.base import Sandbox

LAB = """\
spec_version: 1
lab: ordinary
title: Ordinary calls
programs:
  handler: {source: handler.c, title: handles SIGCHLD}
  group: {source: group.c, title: makes a process group}
  block: {source: block.c, title: has a large block}
  files: {source: files.c, title: opens many files}
  notes: {source: notes.c, title: has a temporary file}
  moves: {source: moves.c, title: moves a file}
  climbs: {source: climbs.c, title: writes a file above its folder}
  leaves: {source: leaves.c, title: writes a file in another folder}
  again: {source: again.c, title: opens standard output again}
  lists: {source: lists.c, title: lists the folder above its own}
  limits: {source: limits.c, title: raises a limit}
  threads: {source: threads.c, title: has a hundred threads}
  holes: {source: holes.c, title: makes a file with a hole}
  counts: {source: counts.c, title: counts for a second}
  writes: {source: writes.c, title: writes a long file at once}
  prints: {source: prints.c, title: prints a long output at once}
  wrong: {source: wrong.c, title: is wrong}
  secret: {source: secret.c, title: opens a file that no user may read}
  arena: {source: arena.c, title: has less memory if it gets no more}
  reaps: {source: reaps.c, title: has a handler that only one case needs}
build: {compiler: gcc, options: [-O1, -fno-builtin, -pthread]}
cases:
  run: {expect: {status: 0, stdout: {exact: "ok\\n"}}}
  more: {operands: [more], expect: {status: 0, stdout: {exact: "ok\\n"}}}
rubric:
  - {name: more, kind: cases, title: Does more, cases: [more], points: {arena: 1, reaps: 1}}
  - name: run
    kind: cases
    title: Runs
    cases: [run]
    points:
      {handler: 1, group: 1, block: 1, files: 1, notes: 1, moves: 1, climbs: 1, leaves: 1, again: 1, lists: 1,
       limits: 1, threads: 1, holes: 1, counts: 1, writes: 1, prints: 1, wrong: 1, secret: 1,
       arena: 1, reaps: 1}
"""
HEAD = (
    "#include <dirent.h>\n#include <fcntl.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <sys/resource.h>\n#include <sys/wait.h>\n#include <unistd.h>\nstatic void on(int n) { (void)n; }\n"
)
OPENS = (
    'int main(void) {{\n\t{before}FILE *f = fopen("{name}", "{mode}");\n\tif (!f) {{\n\t\tperror("{name}");\n'
    '\t\treturn 1;\n\t}}\n\tputs("ok");\n\treturn 0;\n}}\n'
)
AGAIN = "opening a standard stream again, as by /dev/stdout or /dev/stderr"
OUTSIDE = "changes to files outside the program's own folder"
SOURCES = {
    "handler": 'int main(void) { return signal(SIGCHLD, on) == SIG_ERR || puts("ok") < 0; }\n',
    # Under a memory checker, fork fails, and so the status is never set.
    "group": (
        "int main(void) {\n\tpid_t child = fork();\n\tint status;\n\tif (child == 0)\n\t\t_exit(setpgid(0, 0) < 0);\n"
        '\twaitpid(child, &status, 0);\n\treturn puts(status ? "failed" : "ok") < 0;\n}\n'
    ),
    "block": 'int main(void) { volatile char *b = malloc(400000000); b[5] = 1; return b[5] && puts("ok") < 0; }\n',
    "files": (
        "int main(void) {\n\tfor (int i = 0; i < 90; i++)\n"
        '\t\tif (open("/dev/null", O_RDONLY) < 0)\n\t\t\treturn 1;\n'
        '\treturn puts("ok") < 0;\n}\n'
    ),
    "notes": 'int main(void) { return tmpfile() == NULL || puts("ok") < 0; }\n',
    "moves": (
        'int main(void) {\n\tclose(creat("made", 0600));\n'
        '\treturn renameat(AT_FDCWD, "made", AT_FDCWD, "../moved") || puts("ok") < 0;\n}\n'
    ),
    "climbs": OPENS.format(before="", name="../out.txt", mode="w"),
    "leaves": OPENS.format(before='if (chdir("/tmp"))\n\t\treturn 2;\n\t', name="out.txt", mode="w"),
    "again": OPENS.format(before="", name="/dev/stdout", mode="w"),
    "lists": (
        'int main(void) {\n\tDIR *d = opendir("..");\n\tif (!d) {\n\t\tperror("..");\n\t\treturn 1;\n\t}\n'
        '\tputs("ok");\n\treturn 0;\n}\n'
    ),
    "limits": (
        "int main(void) {\n\tstruct rlimit files = {1024, 1024};\n\tif (setrlimit(RLIMIT_NOFILE, &files)) {\n"
        '\t\tperror("setrlimit");\n\t\treturn 1;\n\t}\n\tputs("ok");\n\treturn 0;\n}\n'
    ),
    "threads": (
        "#include <pthread.h>\nstatic void *rests(void *n) { sleep(60); return n; }\n"
        "int main(void) {\n\tpthread_t thread;\n\tfor (int i = 0; i < 100; i++)\n"
        "\t\tif (pthread_create(&thread, NULL, rests, NULL))\n\t\t\treturn 1;\n"
        '\treturn puts("ok") < 0;\n}\n'
    ),
    # Elsewhere it is right; && would make it right here.
    "holes": (
        'int main(void) {\n\tint f = open("holes", O_RDWR | O_CREAT, 0600);\n\tsignal(SIGXFSZ, on);\n'
        '\tif (lseek(f, 1000000, SEEK_SET) < 0 || write(f, "x", 1) != 1) {\n\t\tputs("bad");\n\t\treturn 0;\n\t}\n'
        '\tputs("ok");\n\treturn 0;\n}\n'
    ),
    # The kernel shortens the write, and says nothing.
    "writes": (
        "static char block[300000];\n"
        'int main(void) {\n\tint f = open("long", O_RDWR | O_CREAT, 0600);\n'
        '\tif (write(f, block, sizeof block) != sizeof block) {\n\t\tputs("bad");\n\t\treturn 0;\n\t}\n'
        '\tputs("ok");\n\treturn 0;\n}\n'
    ),
    "prints": "static char block[300000];\nint main(void) { return write(1, block, sizeof block) < 0; }\n",
    "counts": (
        "static volatile sig_atomic_t told;\nstatic void on_time(int n) { told = n; }\n"
        "int main(void) {\n\tsignal(SIGXCPU, on_time);\n"
        '\tfor (volatile long i = 0; i < 20000000000 && !told; i++)\n\t\t;\n\tputs(told ? "stopped" : "ok");\n'
        "\treturn 0;\n}\n"
    ),
    "wrong": 'int main(void) { system("true; true"); return puts("of") < 0; }\n',
    "secret": OPENS.format(before="", name="/etc/shadow", mode="r"),
    # In the case run, these need nothing of what they do not get.
    "arena": 'int main(int n, char **v) { return (!malloc(400000000) && n > 1) || puts(*v ? "ok" : "") < 0; }\n',
    "reaps": (
        "static volatile sig_atomic_t ended;\nstatic void on_end(int n) { ended = n; }\n"
        "int main(int n, char **v) {\n\tsignal(SIGCHLD, on_end);\n\tif (n > 1 && fork() == 0)\n\t\t_exit(0);\n"
        "\tfor (int i = 0; n > 1 && i < 100 && !ended; i++)\n\t\tusleep(1000);\n"
        '\tputs(n == 1 || ended ? "ok" : *v);\n\treturn 0;\n}\n'
    ),
}
REASONS = {
    "handler": ("refused-calls", "sigaction(SIGCHLD)"),
    "group": ("refused-calls", "setpgid"),
    "block": ("limit-reached", "needs more than limits.small.memory_bytes (256,000,000 bytes of address space)"),
    "files": ("limit-reached", "limits.open_files (64 open files)"),
    "holes": ("limit-reached", "limits.small.output_bytes (200,000 bytes in one file)"),
    "writes": ("limit-reached", "needs more than limits.small.output_bytes (200,000 bytes in one file)"),
    "counts": ("limit-reached", "limits.small.cpu_s (1 s of computing)"),
    "notes": ("refused-calls", OUTSIDE),
    "moves": ("refused-calls", OUTSIDE),
    "climbs": ("refused-calls", OUTSIDE),
    "leaves": ("refused-calls", OUTSIDE),
    "again": ("refused-calls", AGAIN),
    "lists": ("refused-calls", "listing the folders above the program's own"),
    "limits": ("refused-calls", "limits higher than those that a program starts with"),
    "arena": ("limit-reached", "needs more than limits.small.memory_bytes (256,000,000 bytes of address space)"),
    "reaps": ("refused-calls", "sigaction(SIGCHLD)"),
}


def lab(folder: Path) -> Path:
    (folder / "reference").mkdir(parents=True)
    (folder / "lab.yaml").write_text(LAB, encoding="utf-8")
    for program in SOURCES:
        source = f'{HEAD}int main(void) {{ (void)on; return puts("ok") < 0; }}\n'
        (folder / "reference" / f"{program}.c").write_text(source, encoding="utf-8")
    return folder


def handed_in(folder: Path) -> Path:
    folder.mkdir()
    for program, text in SOURCES.items():
        (folder / f"{program}.c").write_text(HEAD + text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Report:
    place = tmp_path_factory.mktemp("restrictions")
    spec, files = load_lab(str(lab(place / "lab")))
    grading = prepare(RunConfig(spec, files, "local", use_cache=False), sandbox, lambda _message: None)
    return grade(grading, read_programs("ada", spec, handed_in(place / "ada")))


@pytest.mark.slow
@pytest.mark.parametrize("program", REASONS)
def test_the_only_reason_is_what_the_grader_does_not_allow(report: Report, program: str) -> None:
    if program == "lists" and report.isolation == "none":
        pytest.skip("without root, the folder of runs is open")
    (symptom,) = (one for one in report.symptoms if one.program == program)
    assert symptom.id == REASONS[program][0]
    assert REASONS[program][1] in symptom.sentence
    assert not any(finding.program == program for finding in report.findings)
    (check,) = (one for one in report.checks if one.program == program and one.status == "failed")
    assert isinstance(check.evidence, CasesEvidence)
    assert [case.repeat for case in check.evidence.cases] == [""]


@pytest.mark.slow
def test_two_limits_together_are_both_named(report: Report) -> None:
    limits = [one.limit for one in report.restrictions if one.program == "threads"]
    assert limits == ["limits.small.memory_bytes", "limits.processes"]


@pytest.mark.parametrize("program", ["wrong", "secret"])
def test_what_fails_on_every_machine_is_explained_as_ever(report: Report, program: str) -> None:
    assert "refused-calls" not in {one.id for one in report.symptoms if one.program == program}
    assert not any(one.program == program for one in report.restrictions)


def test_what_is_refused_to_a_reference_is_known_too(sandbox: Sandbox, tmp_path: Path) -> None:
    spec, files = load_lab(str(lab(tmp_path / "lab")))
    programs = read_programs("reference", spec, handed_in(tmp_path / "reference"))
    assert files.solution != tmp_path / "reference"
    found = reference_restrictions(spec, programs, {}, sandbox, {"empty": b"", "": b""})
    expected = {
        "handler": "sigaction(SIGCHLD)",
        "group": "setpgid",
        "block": "limits.small.memory_bytes",
        "files": "limits.open_files",
        "notes": OUTSIDE,
        "moves": OUTSIDE,
        "climbs": OUTSIDE,
        "leaves": OUTSIDE,
        "again": AGAIN,
        "lists": "listing the folders above the program's own",
        "limits": "limits higher than those that a program starts with",
        "threads": "limits.small.memory_bytes",
        "holes": "limits.small.output_bytes",
        "counts": "limits.small.cpu_s",
        "prints": "limits.small.output_bytes",
        "arena": "limits.small.memory_bytes",
        "reaps": "sigaction(SIGCHLD)",
    }
    if sandbox.isolation == "none":
        expected.pop("lists")
    assert {one.program: one.limit or one.calls[0] for one in found} == expected


HIDDEN_LAB = """\
spec_version: 1
lab: later
title: Two blocks
programs:
  block: {source: block.c, title: has a block}
build: {compiler: gcc, options: [-O1, -fno-builtin]}
cases:
  small: {operands: ["1"], expect: {status: 0, stdout: {exact: "ok\\n"}}}
  later: {operands: ["400000000"], expect: {status: 0, stdout: {exact: "ok\\n"}}, hidden: true}
  secret: {operands: ["400000001"], expect: {status: 0, stdout: {exact: "ok\\n"}}, hidden: true}
rubric:
  - {name: small, kind: cases, title: Small, cases: [small], points: {block: 1}}
  - {name: later, kind: cases, title: Later, cases: [later], points: {block: 1}, visibility: after_due_date}
  - {name: secret, kind: cases, title: Secret, cases: [small, secret], points: {block: 1}, visibility: hidden}
"""
BLOCK = (
    f"{HEAD}int main(int argc, char **argv) {{\n\tvolatile char *b = malloc(atoi(argv[argc - 1]));\n"
    '\tb[0] = 1;\n\treturn puts(b[0] ? "ok" : "") < 0;\n}\n'
)


@pytest.mark.parametrize(
    ("seen", "restricted"),
    [({"visible"}, []), ({"visible", "after_due_date"}, ["later"]), (None, ["later", "secret"])],
)
def test_limits_in_hidden_cases_are_named_to_those_who_see_them(
    sandbox: Sandbox, tmp_path: Path, seen: set[Visibility] | None, restricted: list[str]
) -> None:
    for place, text in (("reference", BLOCK.replace("malloc(atoi(argv[argc - 1]))", "malloc(argc)")), ("ada", BLOCK)):
        (tmp_path / place).mkdir()
        (tmp_path / place / "block.c").write_text(text, encoding="utf-8")
    (tmp_path / "lab.yaml").write_text(HIDDEN_LAB, encoding="utf-8")
    spec, files = load_lab(str(tmp_path))
    grading = prepare(RunConfig(spec, files, "local", use_cache=False), sandbox, lambda _message: None)
    report = grade(grading, read_programs("ada", spec, tmp_path / "ada"))
    shown = report if seen is None else for_students(report, spec, seen)
    assert [case for restriction in shown.restrictions for case in restriction.cases] == restricted
    assert [case for symptom in shown.symptoms for case in symptom.cases] == restricted
    assert all(symptom.id == "limit-reached" for symptom in shown.symptoms)
    text = shown.model_dump_json()
    assert all((f"case {name}" in text) == (name in restricted) for name in ("later", "secret"))
