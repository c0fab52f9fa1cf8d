"""Comments, docstrings, documents and what commands print are written in plain English (CONTRIBUTING.md, Style)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from .sources import statements

CHECKOUT = Path(__file__).parents[2]
FOLDERS = ("grader", "bench", "scripts", "tests", "docker", "docs", "student_template")

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md")
READ_WHOLE = {".md", ".txt", ".yaml", ".yml", ".j2"}
"""Suffixes of files that users read from the first to the last character."""

MESSAGES = "grader"
"""The folder whose strings users read: messages, `--help`, titles."""

NOT_YET: tuple[str, ...] = ()
"""Files of which users read more than this test looks at."""

STUDENTS = CHECKOUT / "tests" / "wrong" / "programs"
"""Programs that are as students write them, in other languages and encodings too."""

REJECTED = (
    r"mend(?:s|ed|ing)?",
    r"anew",
    r"be had",
    r"in the place of",
    r"over your shoulder",
    r"one's own",
    r"whoever",
    r"that which",
    r"all that",
    r"what is not",
    r"stands? (?:once|twice)",
    r"(?:is|are|be|was|were) told(?! (?:apart|to)\b)",
    r"tells? of",
    r"but for",
    r"the very",
    r"beside(?!\">)",
    r"(?<!there )is no(?! longer)",
    r"such that",
    r"for want of",
    r"just so",
    r"as if all were",
    r"knows? better",
    r"puts? right",
    r"do(?:es|ing)? without",
    r"lies? there",
    r"may stand",
    r"of no use",
    r"dear",
    r"thus",
    r"hence",
    r"a row an?",
    r"beneath(?!`)",
    r"an advice",
    r"advices",
    r"bytes? an? (?:read|write)",
    r"one (?:line|read|row|write) an? \w+",
)
"""Expressions that an editor would replace; the words of most are correct English that manuals do not use."""

PATTERN = re.compile(rf"\b(?:{'|'.join(REJECTED)})\b", re.IGNORECASE)

STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|'{3}(?:\\.|[^\\])*?'{3}|'(?:\\.|[^'\\\n])*'|#([^\n]*)''', re.DOTALL
)
"""Python's tokenizer would say the same, in twenty times the time."""


def in_python(code: str) -> Iterator[str]:
    """Yield comments and docstrings, also of constants and fields, but not those that `--help` shows."""
    yield " ".join(found[1].lstrip("#") for found in STRING_OR_COMMENT.finditer(code) if found[1] is not None)
    nodes = list(statements(ast.parse(code)))
    shown = {id(node.body[0]) for node in nodes if isinstance(node, ast.FunctionDef) and is_command(node)}
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if id(node) not in shown:
                yield text


def is_command(function: ast.FunctionDef) -> bool:
    return any("click." in ast.unparse(decorator) for decorator in function.decorator_list)


def in_messages(code: str) -> Iterator[str]:
    """Yield strings and what `--help` shows; a value in an f-string becomes a blank."""
    nodes = list(ast.walk(ast.parse(code)))
    commands = {id(node.body[0]) for node in nodes if isinstance(node, ast.FunctionDef) and is_command(node)}
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and id(node) not in commands}
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        match node:
            case ast.JoinedStr(values=values):
                yield " ".join(str(value.value) if isinstance(value, ast.Constant) else "" for value in values)
            case ast.Constant(value=str(text)) if id(node) not in docstrings | parts:
                yield text


def in_c(code: str) -> Iterator[str]:
    literals_and_comments = r'"(?:\\.|[^"\\])*"|/\*(.*?)\*/|//([^\n]*)'
    for block, line in re.findall(literals_and_comments, code, re.DOTALL):
        yield re.sub(r"^\s*\*", "", block, flags=re.MULTILINE) + line


def in_shell(code: str) -> Iterator[str]:
    yield " ".join(re.findall(r"(?:^|\s)#(?!!)\s(.*)", code))


def texts(path: Path) -> Iterator[str]:
    content = path.read_text(encoding="utf-8")
    match path.suffix:
        case ".py":
            yield from in_python(content)
        case ".c" | ".h":
            yield from in_c(content)
        case suffix if suffix in READ_WHOLE:
            yield content
        case _:
            yield from in_shell(content)


def is_shell(path: Path) -> bool:
    return path.suffix == ".sh" or path.read_bytes().startswith((b"#!/bin/sh", b"#!/usr/bin/env bash"))


def all_files() -> Iterator[Path]:
    for path in sorted(path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*") if path.is_file()):
        ours = "__pycache__" not in path.parts and STUDENTS not in path.parents
        if ours and (path.suffix in {".py", ".c", ".h"} or is_shell(path)):
            yield path
    yield from (CHECKOUT / name for name in (*DOCUMENTS, "Makefile", ".ci/run"))
    for folder in ("docs", "student_template", "specs", "reports", "reference"):
        yield from sorted(path for path in (CHECKOUT / folder).rglob("*") if path.suffix in READ_WHOLE)
    yield from (CHECKOUT / "student_template").rglob("Makefile")


def is_late(path: Path) -> bool:
    name = path.relative_to(CHECKOUT).as_posix()
    return any(name == late or name.startswith(f"{late}/") for late in NOT_YET)


def found_in(all_texts: Iterable[str]) -> list[str]:
    return [found for text in all_texts for found in PATTERN.findall(" ".join(text.split()))]


def rejected(path: Path) -> list[str]:
    return found_in(texts(path))


def named(found: Iterable[tuple[Path, list[str]]]) -> dict[str, list[str]]:
    return {str(path.relative_to(CHECKOUT)): words for path, words in found if words}


def test_nothing_that_an_editor_would_replace() -> None:
    whole = (path for path in all_files() if not (path.suffix in READ_WHOLE and is_late(path)))
    assert named((path, rejected(path)) for path in whole) == {}


def test_nothing_in_messages_that_an_editor_would_replace() -> None:
    code = [path for path in sorted((CHECKOUT / MESSAGES).rglob("*.py")) if not is_late(path)]
    assert len(code) > 100
    assert named((path, found_in(in_messages(path.read_text(encoding="utf-8")))) for path in code) == {}


def test_what_is_not_looked_at_is_there() -> None:
    assert [late for late in NOT_YET if not (CHECKOUT / late).exists()] == []


@pytest.mark.parametrize(
    "code",
    [
        "x = 'whoever'\n",
        "x = f'whoever {y} is'\n",
        '@click.command()\ndef run():\n    """Begin anew."""\n',
        '@click.option("-x", help="to be had")\ndef run(): pass\n',
    ],
)
def test_each_kind_of_message_is_read(code: str) -> None:
    assert len(found_in(in_messages(code))) == 1


def test_docstrings_and_comments_are_not_messages() -> None:
    assert found_in(in_messages('def run():\n    """Begin anew."""  # whoever\n')) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("comment.py", "x = 1  # whoever\n"),
        ("wrapped.py", "# to be\n# had\n"),
        ("docstring.py", '"""Mend it."""\n'),
        ("constant.py", 'X = 1\n"""The very one."""\n'),
        ("block.c", "/* begins\n * anew */\n"),
        ("line.c", "int x; // beside y\n"),
        ("script.sh", "# Whoever\n"),
        ("page.md", "It is no\nfault.\n"),
    ],
)
def test_each_kind_of_text_is_read(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert len(rejected(path)) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("string.py", "x = 'whoever'\n"),
        ("hash.py", "x = '# whoever', \"\"\"'# whoever\"\"\", '\\'# whoever'\n"),
        ("help.py", '@click.command()\ndef run():\n    """Begin anew."""\n'),
        ("string.c", 'char *x = "/* anew */";\n'),
        ("script.sh", "echo anew#\n"),
        ("page.md", "There is no fault. It is no longer there. Recommend besides.\n"),
    ],
)
def test_others_are_not(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert rejected(path) == []
