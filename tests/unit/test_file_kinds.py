"""Files under the name of a source that are no C: what they are, and what to hand in instead."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.file_kinds import IN_CPLUSPLUS, KINDS, LOOKED_AT_BYTES, kind_problem
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.model.spec.programs import Build
from grader.model.submission import Source

from .lab import SPEC

C = b"#include <stdio.h>\n\nint main(void)\n{\n\treturn 0;\n}\n"
CHECKOUT = Path(__file__).parents[2]


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, C)
    return buffer.getvalue()


def tarred() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(__file__, "tr2b.c")
    return buffer.getvalue()


OTHERS = {
    "RTF": b"{\\rtf1\\ansi\n" + C,
    "HTML": b"\xef\xbb\xbf\r\n<!DOCTYPE html>\n<html>",
    "XML": b'<?xml version="1.0"?><w:document/>',
    "PDF": b"%PDF-1.7\n%\xe2\xe3",
    "Word": zipped("[Content_Types].xml", "word/document.xml"),
    "LibreOffice": zipped("a").replace(b"a#incl", b"mimetypeapplication/vnd.oasis.opendocument.text"),
    "zip": zipped("tr2b.c"),
    "document of Word": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "compressed": gzip.compress(C, mtime=0),
    "compressed file": bz2.compress(C),
    "compressed file:": lzma.compress(C),
    "archive": tarred(),
    "compiled": Path("/bin/true").read_bytes(),
    "compiled program": b"\xcf\xfa\xed\xfe\x07\x00\x00\x01",
    "compiled program:": b"MZ\x90\x00\x03\x00\x00\x00" + b"PE\0\0",
    "picture": b"\x89PNG\r\n\x1a\n\0\0",
    "Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234\n",
    "diff": b"diff --git a/tr2b.c b/tr2b.c\n",
    "a diff": b"--- tr2b.c\t2026-05-04\n+++ tr2b.c\t2026-05-05\n@@ -1 +1 @@\n",
    "a diff:": b"From " + b"0" * 40 + b" Mon Sep 17 00:00:00 2001\n",
    "Markdown": b"```c\n" + C + b"```\n",
    "in Markdown": b"Here is tr2b.c, which doesn't call read:\n\n  ```c\n" + C,
    "Jupyter": b'{\n "cells": [\n',
    "script": b"#!/usr/bin/env python3\nprint()\n",
    "LaTeX": b"\\documentclass{article}\n",
    "UTF-16": C.decode().encode("utf-16"),
    "UTF-32": C.decode().encode("utf-32"),
    "not text": bytes(range(256)) * 4,
}


CYRILLIC = "// \u0436\u0436\u0436\n" * 3 + C.decode()

TEXTS: dict[str, tuple[bytes, ...]] = {
    "in UTF-16": tuple(
        text.encode(f"utf-16-{end}") for text in (C.decode(), CYRILLIC, "int") for end in ("le", "be")
    ),
    "in UTF-32": tuple(text.encode(f"utf-32-{end}") for text in (C.decode(), CYRILLIC) for end in ("le", "be")),
    "a diff": (
        b"diff -u old.c tr2b.c\n--- old.c\t2026-05-04\n+++ tr2b.c\t2026-05-05\n@@ -1 +1 @@\n",
        b"diff -c old.c tr2b.c\n*** old.c\t2026-05-04\n--- tr2b.c\t2026-05-05\n",
        b"diff old.c tr2b.c\n0a1,95\n> #include <stdio.h>\n",
        b"0a1,95\n> #include <stdio.h>\n",
        b"3,4d2\r\n<\r\n",
        b"@@ -1,3 +1,4 @@\n int main(void)\n",
        b"commit 0123abc (HEAD -> main)\nAuthor: Ada <ada@example.org>\n\ndiff --git a/tr2b.c b/tr2b.c\n",
        b"From " + b"0" * 64 + b" Mon Sep 17 00:00:00 2001\nFrom: Ada\n",
        b"# HG changeset patch\n# User Ada\n",
        b"\x1b[1mdiff --git a/tr2b.c b/tr2b.c\x1b[m\n",
    ),
    "a program in C++": (
        b"// tr2b\nusing namespace std;\n#include <iostream>\n",
        b"template <class T> T f();\n",
        b"class A {\n};\n",
    ),
    "a link": (
        b"[InternetShortcut]\r\nURL=https://example.org/tr2b.c\r\n",
        b"[{000214A0-0000-0000-C000-000000000046}]\r\nProp3=19,11\r\n[InternetShortcut]\r\n",
        b"[Desktop Entry]\nType=Link\nURL=https://example.org/tr2b.c\n",
        b"L\0\0\0\x01\x14\x02\0\0\0\0\0\xc0\0\0\0\0\0\0F",
        b"https://example.org/tr2b.c\n",
        b"../old/tr2b.c",
        b"tr2b.c\n",
    ),
    "git-annex": (b"/annex/objects/SHA256E-s123--0a.c\n", b"../.git/annex/objects/Xz/SHA256E-s1--0a.c"),
    "what a terminal has shown": (
        b"ada@host:~/lab$ cat tr2b.c\n" + C,
        b"[ada@host lab]$ cat tr2b.c\n" + C,
        b"$ cat tr2b.c\n" + C,
        b"bash-5.1$ cat tr2b.c\n" + C,
        b"sh-5.2# cat tr2b.c\n" + C,
        b"~/lab2% cat tr2b.c\n" + C,
        b"PS C:\\Users\\ada> type tr2b.c\r\n" + C,
        b"C:\\lab>type tr2b.c\r\n" + C,
        b"Script started on 2026-05-04 10:00:00+00:00\n$ cat tr2b.c\n" + C,
    ),
    "AppleDouble": (b"\0\5\x16\7\0\2\0\0Mac OS X        ",),
    "a swap file of vim": (b"b0VIM 9.0\0\0\0\0" + bytes(40),),
    "a database": (b"SQLite format 3\0\x10\0\1\1",),
    "an invisible character": (
        "\u202a".encode() + C,
        "\ufeff\u200b".encode() + C,
        "\u00a0\n".encode() + C,
        "\n\u2060".encode() + C,
    ),
    "text with a program in it": (
        b"Here is the code:\n\n" + C,
        b"Sure! Here\xe2\x80\x99s a program that does what you've asked for.\n\nIt reads bytes (one at a time):\n"
        + C,
        b"Lab 2, part b by Ada Lovelace.\r\n" + C,
    ),
    "an error of a server": (b"404: Not Found", b"500 Internal Server Error\n"),
    "the preprocessor": (b'# 0 "tr2b.c"\n# 0 "<built-in>"\n# 0 "<command-line>"\n',),
    "in EBCDIC": (C.decode().encode("cp500"), C.decode().encode("cp037")),
    "a Makefile": (
        b"# Makefile\nCC=gcc\nCFLAGS = -Wall\n",
        b"all: tr2b\n\ntr2b: tr2b.c\n\tgcc -o tr2b tr2b.c\n",
        b"tr2b: tr2b.c\n\t$(CC) -o tr2b tr2b.c\n",
    ),
    "a document in PDF": (b"\n%PDF-1.4\n",),
    "text in Markdown": (b"# Lab 2\n\nIt needs #include <stdio.h> and `#define`.\n\n```c\n" + C + b"```\n",),
    "data in JSON": (b'{"url": "https://example.org"}', b'[\n  {"a": 1}\n]\n'),
    "an e-mail": (b"From: Ada <ada@example.org>\nSubject: tr2b\n\n" + C, b"begin 644 tr2b.c\nM(VEN8VQU9&4@\n"),
    "in base64": (base64.encodebytes(C * 200), base64.b64encode(C), base64.b64encode(C * 200) + b"\r\n"),
    "a dump": (b"00000000: 2369 6e63 6c75 6465  #include\n", b"00000000  23 69 6e 63 6c 75 64 65  |#include|\n"),
    "a listing": (
        b"  1\t#include <stdio.h>\n  2\t\n",
        b"1: // tr2b\n2: #include <stdio.h>\n",
        b"1:#include <stdio.h>\n2:\n",
        b"01 #include <stdio.h>\n02 \n",
        b"0001: /* tr2b */\n",
        b"> #include <stdio.h>\n>\n",
        b"| #include <stdio.h>\n",
        b"> int main(void)\n",
        b"tr2b.c:1:#include <stdio.h>\n",
        b"tr2b.c:#include <stdio.h>\n",
    ),
    "in assembly": (
        b'\t.file\t"tr2b.c"\n\t.text\n',
        b"\t.section\t__TEXT,__text,regular,pure_instructions\n",
        b"/* tr2b */\n\t.globl main\nmain:\n",
        b"; ModuleID = 'tr2b.c'\nsource_filename = \"tr2b.c\"\n",
        b"\ntr2b.o:     file format elf64-x86-64\n",
    ),
    "a program in Python": (
        b"import sys\nfor b in sys.stdin:\n    print(b)\n",
        b"# tr2b\n# -*- coding: utf-8 -*-\n\nfrom sys import argv\n",
        b'"""Translate bytes."""\n',
        b"def main(argv):\n    pass\n",
        b"class Translator:\n    pass\n",
        b"while True:\n    pass\n",
        b"import os, sys as system  # both\n",
        b"print('tr2b')\n",
    ),
    "a program in another language": (
        b"// tr2b\npackage tr2b;\n",
        b"/* tr2b */\nimport java.util.Scanner;\n",
        b"public class Tr2b {\n",
        b'package main\n\nimport "fmt"\n',
        b"fn main() {\n",
        b"use std::env;\n",
        b"import fs from 'fs';\n",
        b"class Main {\n    public static void main(String[] args) {\n",
        b"class Main {\n    static void main(String[] args) {\n",
        b"fun main(args: Array<String>) {\n",
        b"import java.util.Scanner\n\nfun main() {\n",
        b'"use strict";\n',
        b"// tr2b\nfunction main() {\n",
        b"const fs = require('fs');\n",
        b"use strict;\nuse warnings;\n",
        b'require "set"\n',
        b"def main\n",
    ),
}
"""Text that is not C, by what it is."""


@pytest.mark.parametrize(
    ("name", "data"), [*OTHERS.items(), *((name, text) for name, texts in TEXTS.items() for text in texts)]
)
def test_what_is_no_c_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / "many.c").write_bytes(data[: SPEC.limits.source_bytes])
    (tmp_path / "single.c").write_bytes(C)
    read = read_submission(DiscoveredSubmission("ada", tmp_path), SPEC)
    assert (read.sources["single"], [*read.kinds]) == (Source(C), ["many"])
    assert isinstance(read.sources["many"], Source), "whether it compiles is for the compiler to say"
    said = read.kinds["many"]
    assert said.startswith("many.c is ")
    assert name.rstrip(":") in said
    assert ": " in said, "what to do"


RIGHT = (
    C,
    b"int f(int a)\n;\n" + C,
    b"// Here is the code:\n" + C,
    b"/* Here is the code:\n */\n" + C,
    b"unsigned long x, y\n;\n" + C,
    "// \u202a\n".encode() + C,
    b"",
    b"\xef\xbb\xbf" + C,
    b"/*\n```c\n*/\n" + C,
    b"#if 0\n```\n<html>\n#endif\n" + C,
    b"#define A \\\n```\n" + C,
    b'const char *s = R"(\n```\n)";\n' + C,
    b"#define NOTHING(x)\nNOTHING(\n```\n)\n" + C,
    b'const char controls[] = "' + bytes(range(1, 9)) * 30 + b'";\n' + C,
    b"??=if 0\n```\n??=endif\n" + C,
    b"// {\\rtf <html> ```\n" + C,
    "// é ж 字 \U0001f600\n".encode() * 50 + C,
    "// \u0436\u0436\u0436\n".encode("koi8-r") * 50 + C,
    b"\x1b[1m".join([b"/* "] * 9) + b"*/" + C,
    C + b"\0" * 4000,
    C + b"\x1a",
    b"MZ;\nBZh;\nPK;\nGIF89a;\nRar;\nFrom;\nIndex;\ndiff;\n",
    b"int x = 1;\n--- x\n+++ x\n",
    b"[[maybe_unused]] static int x;\n",
    b"/" * 70 + b"\n" + b"/" * 70 + b"\n" + C,
    b"a" * 70 + b"//" + b"a" * 70 + b"\n" + b"/" * 70 + b"\n(){}\n",
    b"#\n#define import int\nimport sys\n;\n",
    b"# /*\nimport sys\n*/\n" + C,
    b"# \\\ndefine import int\nimport sys\n;\n",
    b"// to be continued \\\npackage main\n" + C,
    b"// what??/\npackage main\n" + C,
    b"/* *\\\n/ typedef int package; /* */ package x;\n",
    b"/*tr2b.o:  file format elf64 */\n" + C,
    b"/* import sys\nfrom: me\n1 #include\n.file */\n" + C,
    b"class, def, print;\nclass(a) {}\ndef(a) {}\nprint(a) {}\n",
    b"import;\nfrom;\npackage;\nuse;\nfn;\ntry(a) {}\n",
    b'# 1 "tr2b.c"\nint x;\n',
    b"fun(a) {}\nfunction(a) {}\ndef;\nuse;\nrequire;\nall;\n",
    b"include <stdio.h>\n" + C,
    b"#inlcude <stdio.h>\n" + C,
    b"tr2b.c\n" + C,
    b"Name: Ada\n\tLab: 2\n" + C,
    b"ada@example.org\n" + C,
    b"404\n" + C,
    b"#include <stdio.h>\n```\n",
    b"  #define NOTHING(x)\nNOTHING(\n```\n)\n" + C,
    b"%:define NOTHING(x)\nNOTHING(\n```\n)\n" + C,
    b"static int x\n=\n1;\n" + C,
    b"<::>",
)


@pytest.mark.parametrize("data", RIGHT[:-1])
def test_what_may_be_c_is_left_to_the_compiler(data: bytes) -> None:
    assert kind_problem("many.c", data) is None


@pytest.mark.parametrize(
    "data",
    [
        b"// hi\nusing namespace std;\n#include <iostream>\n",
        b"template<class T> T f();\n",
        b"namespace a {}\n",
        b"class A {};\n",
        b"class A :\n  public B {};\n",
        b"class A:\n  B, C\n{};\n",
        b"class A {\n  public: int a;\n  private: static int b;\n};\n",
        b"class A {\n  static void f();\n};\n",
        b"class A {\n  public slots:\n  void f();\n};\n",
        b"using System = int;\n",
        b"using System::x;\n",
        b"import std.core;\n",
        b"import <iostream>;\n",
        b"import sys;\n",
        b"module;\n",
        b"export module a;\n",
        b"[[nodiscard]] int f();\n",
        b'R"(\n```\n)"_ok;\n',
        *RIGHT,
    ],
)
def test_what_may_be_cplusplus_is_left_to_the_compiler(data: bytes) -> None:
    assert kind_problem("hi.cpp", data, "C++") is None


def test_what_is_no_cplusplus_is_to_be_handed_in_in_cplusplus() -> None:
    said = kind_problem("hi.cpp", TEXTS["a program in Python"][0], "C++")
    assert said == "hi.cpp is a program in Python: hand in the program in C++"


def test_the_compiler_and_the_names_of_files_say_the_language() -> None:
    one = SPEC.programs["many"].model_copy(update={"build": Build(compiler="g++")})
    assert SPEC.is_c("many")
    assert not SPEC.model_copy(update={"programs": {"many": one}}).is_c("many")
    other = SPEC.programs["many"].model_copy(update={"source": "many.cpp"})
    assert not SPEC.model_copy(update={"programs": {"many": other}}).is_c("many")


def test_digraphs_are_no_page() -> None:
    assert kind_problem("many.c", RIGHT[-1]) is None


def test_each_program_of_the_tests_is_c() -> None:
    found = [
        path
        for place in ("tests", "reference", "examples", "student_template")
        for path in (CHECKOUT / place).rglob("*.[ch]")
    ]
    assert len(found) > 500
    assert [path for path in found if kind_problem("x", path.read_bytes()) is not None] == []


@given(st.binary(max_size=200) | st.sampled_from([*OTHERS.values()]))
def test_any_bytes_have_an_answer(data: bytes) -> None:
    said = kind_problem("many.c", data)
    assert said is None or (said.isprintable() and len(said) < 200)


@pytest.mark.parametrize(
    "unit",
    [b" ", b"\n", b"#", b"`", b"PK\x03\x04", b"<", b"--- \n", b"\\\n", b"\0", b"/**/", b"# \n", b"A" * 76 + b"\n"],
)
def test_a_large_file_is_not_looked_at_as_a_whole(unit: bytes) -> None:
    begin = (unit * LOOKED_AT_BYTES)[:LOOKED_AT_BYTES]
    assert kind_problem("x", begin) == kind_problem("x", begin + unit * 1_000_000)


def test_every_kind_is_tested() -> None:
    kinds = (*KINDS, *IN_CPLUSPLUS)
    examples = [*OTHERS.values(), *(text for texts in TEXTS.values() for text in texts)]
    matched = {kind.begins.pattern for data in examples for kind in kinds if kind.begins.match(data)}
    assert len(kinds) - len(matched) <= 1, "a web archive is not easily made"
