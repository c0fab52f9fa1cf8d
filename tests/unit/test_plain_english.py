"""Comments, docstrings and contributor documents are written in plain English (CONTRIBUTING.md, Style).

Text that users read is not looked at here: messages, pages of the report, `--help`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
FOLDERS = ("grader", "bench", "scripts", "tests", "docker")
DOCUMENTS = ("CONTRIBUTING.md", "docs/architecture.md", "docs/glossary.md")

REJECTED = (
    r"mend(?:s|ed|ing)?",
    r"anew",
    r"be had",
    r"in the place of",
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
    r"beside",
    r"(?<!there )is no(?! longer)",
)
"""Expressions that an editor would replace; the words of most are correct English that manuals do not use."""

PATTERN = re.compile(rf"\b(?:{'|'.join(REJECTED)})\b", re.IGNORECASE)

STILL_TO_DO: frozenset[str] = frozenset(
    [
        "grader/gradescope/simulator/accepted_results.py",
    ]
)
"""Files with rejected expressions. A file must leave this list when it no longer has any."""


def in_python(code: str) -> Iterator[str]:
    """Yield comments and docstrings, also of constants and fields, but not those that `--help` shows."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    yield " ".join(token.string.lstrip("#") for token in tokens if token.type == tokenize.COMMENT)
    tree = ast.parse(code)
    shown = {id(node.body[0]) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and is_command(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if id(node) not in shown:
                yield text


def is_command(function: ast.FunctionDef) -> bool:
    return any("click." in ast.unparse(decorator) for decorator in function.decorator_list)


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
        case ".md":
            yield content
        case _:
            yield from in_shell(content)


def is_shell(path: Path) -> bool:
    return path.suffix == ".sh" or path.read_bytes().startswith((b"#!/bin/sh", b"#!/usr/bin/env bash"))


def all_files() -> Iterator[Path]:
    for path in sorted(path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*") if path.is_file()):
        if "__pycache__" not in path.parts and (path.suffix in {".py", ".c", ".h"} or is_shell(path)):
            yield path
    yield from (CHECKOUT / name for name in (*DOCUMENTS, "Makefile", ".ci/run"))
    yield from sorted((CHECKOUT / "docs" / "decisions").glob("*.md"))


def rejected(path: Path) -> list[str]:
    return [found for text in texts(path) for found in PATTERN.findall(" ".join(text.split()))]


@cache
def found() -> dict[str, list[str]]:
    """Return the rejected expressions of each file that has some, by its name."""
    return {str(path.relative_to(CHECKOUT)): words for path in all_files() if (words := rejected(path))}


def test_nothing_that_an_editor_would_replace() -> None:
    assert {name: words for name, words in found().items() if name not in STILL_TO_DO} == {}


def test_the_list_of_files_to_do_only_shrinks() -> None:
    assert STILL_TO_DO - found().keys() == set()


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
