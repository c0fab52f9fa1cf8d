"""A small lab whose program copies files; and the same with a hidden check, as a folder."""

from __future__ import annotations

from pathlib import Path

LAB = """\
spec_version: 1
lab: copying
title: Copy files
programs: {fcopy: {source: fcopy.c, title: Copies a file}}
build: {compiler: gcc, standard: c11}
inputs:
  lines: {kind: literal, data: "one\\ntwo\\n"}
cases:
  copy:
    operands: [{file: src}, {file: dst}]
    files:
      src: {input: lines}
      dst: {expect: reference-output}
    expect: {status: 0, stdout: {number: {unit: seconds, min: 0, max: 60}}, stderr: empty}
  settings:
    operands: [{file: settings.cfg}, {file: log}]
    files:
      settings.cfg: {fixture: etc/settings.cfg}
      log: {input: lines, expect: reference-output}
    environment: {PREFIX: "a b"}
    expect: {stdout: any}
  usage: {operands: [], expect: {status: {not: 0}, stdout: empty, stderr: {contains: usage}}}
rubric:
  - {name: build, kind: build, title: It compiles, points: {fcopy: 1}}
  - {name: copies, kind: cases, title: Copies, points: {fcopy: 4}, cases: [copy, settings]}
  - {name: usage, kind: cases, title: Usage, points: {fcopy: 1}, cases: [usage]}
"""
SOURCE = """\
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: fcopy FROM TO\\n");
        return 1;
    }
    FILE *from = fopen(argv[1], "rb"), *to = fopen(argv[2], "ab");
    if (getenv("PREFIX"))
        fputs(getenv("PREFIX"), to);
    for (int c; (c = getc(from)) != EOF;)
        putc(c, to);
    printf("0.5 seconds\\n");
    return fclose(to) != 0;
}
"""
HIDDEN = """\
  - {name: unseen, kind: cases, title: Unseen, visibility: hidden, points: {fcopy: 2}, cases: [unseen-case]}
"""
HIDDEN_CASE = """\
  unseen-case:
    operands: [{file: src}, {file: dst}]
    files:
      src: {fixture: unseen.bin}
      dst: {expect: reference-output}
    hidden: true
    expect: {stdout: any}
rubric:
"""
PAGE = "## What happens\n\nIt adds.\n\n## How to see it\n\nRun it.\n\n## What to read\n\nfopen(3).\n"
WRONG = SOURCE.replace('fputs(getenv("PREFIX"), to)', 'fputs("wrong", to)')


def write_hidden_lab(folder: Path) -> Path:
    """Write the lab with a hidden check, which has a case and a fixture of its own, and two mutants that fail it."""
    files = {
        "lab.yaml": LAB.replace("rubric:\n", HIDDEN_CASE) + HIDDEN,
        "reference/fcopy.c": SOURCE,
        "reference/notes.txt~": "unseen",
        "template/fcopy.c": "int main(void) { return 0; }\n",
        "template/README.md": "Start here.\n",
        "fixtures/etc/settings.cfg": "key = value\n",
        "fixtures/unseen.bin": "unseen",
        "mutants/no-prefix/mutant.yaml": "# a remark\ntitle: Adds nothing\nprograms:\n"
        "  fcopy: {fails: [copies, unseen], alone: [unseen], variants: {all: [copies], late: [unseen]}}\n",
        "mutants/no-prefix/page.md": PAGE,
        "mutants/no-prefix/fcopy.c": WRONG,
        "mutants/no-prefix/fcopy.all.c": WRONG + "\n",
        "mutants/no-prefix/fcopy.late.c": "/* unseen */" + WRONG,
        "mutants/of-the-unseen/mutant.yaml": "title: Secret\nprograms: {fcopy: {fails: [unseen]}}\n",
        "mutants/of-the-unseen/page.md": PAGE,
        "mutants/of-the-unseen/fcopy.c": WRONG,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
