"""No test waits without a limit: one that hangs would hide what the others say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SOURCES = sorted(path for path in TESTS.rglob("*.py") if path.name != "waits.py")
STARTS = {"run", "call", "check_call", "check_output"}
WAITS = {"wait", "join", "communicate"}


def without_limit(tree: ast.AST) -> Iterator[str]:
    """Yield the calls that may wait for ever, and the blocks that wait for a process when they are left."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="subprocess"), attr=name)) if name in STARTS:
                limited = any(keyword.arg == "timeout" for keyword in node.keywords)
            case ast.Call(func=ast.Attribute(attr=name), args=[]) if name in WAITS:
                limited = any(keyword.arg == "timeout" for keyword in node.keywords)
            case ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr="Popen" | "start"))):
                limited = False
            case _:
                continue
        if not limited:
            yield ast.unparse(node)


MAY_WAIT = re.compile(r"\bsubprocess\b|\bPopen\b|\.start\(|\.(?:wait|join|communicate)\(\s*(?:\)|\w+=|\*\*)")
"""In a source without these nothing waits: most of them are not worth parsing."""


def test_every_wait_has_a_limit() -> None:
    codes = {str(path): path.read_text(encoding="utf-8") for path in SOURCES}
    found = {path: list(without_limit(ast.parse(code))) for path, code in codes.items() if MAY_WAIT.search(code)}
    assert {path: calls for path, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "code",
    [
        "subprocess.run(['true'])",
        "subprocess.check_output(['true'], text=True)",
        "process.wait()",
        "thread.join()",
        "process.communicate(b'input'); process.communicate()",
        "with subprocess.Popen(['true']): pass",
        "with person.start(['true']) as process: pass",
    ],
)
def test_a_wait_without_a_limit_is_found(code: str) -> None:
    assert MAY_WAIT.search(code)
    assert len(list(without_limit(ast.parse(code)))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "subprocess.run(['true'], timeout=1)",
        "process.wait(1)",
        "'-'.join(words)",
        "process.communicate(timeout=1)",
        "with killed_at_exit(subprocess.Popen(['true'])): pass",
    ],
)
def test_others_are_not(code: str) -> None:
    assert list(without_limit(ast.parse(code))) == []
