from __future__ import annotations

import pytest

from grader.model.report import BuildResult
from grader.render.text.gcc_messages import diagnostics, first_of

from . import factory


def build(messages: str, *, ok: bool = True) -> BuildResult:
    return BuildResult(program="tr2b", ok=ok, command="gcc", messages=messages)


def test_messages_come_with_their_lines() -> None:
    first, second = diagnostics(factory.WARNING)
    assert (first.location, first.kind) == ("tr2b.c:7:23", "warning")
    assert first.message.startswith("comparison is always true")
    assert first.source.splitlines()[0].strip() == "7 |     while ((c = getchar()) != EOF) {"
    assert second.location == "tr2b.c:9:9"


def test_notes_are_no_messages_of_their_own() -> None:
    (error,) = diagnostics(factory.ERROR)
    assert (error.kind, len(error.source.splitlines())) == ("error", 2)


def test_an_error_comes_before_a_warning() -> None:
    assert first_of(factory.WARNING + factory.ERROR) == diagnostics(factory.ERROR)[0]
    assert first_of("collect2: error: ld returned 1 exit status\n") is None
    assert first_of("tr2b.c:1:10: fatal error: no.h: No such file or directory\n") is not None
    assert first_of("") is None


def test_huge_messages_are_read_in_time() -> None:
    line = "a:" * 50_000 + "1: warning: x\n"
    assert diagnostics(line * 20) == ()


@pytest.mark.parametrize(
    ("warning", "is_shown"),
    [("implicit declaration of function 'puchar'; did you mean 'putchar'?", True), ("unused variable 'i'", False)],
)
def test_if_the_linker_failed_only_a_warning_about_the_missing_name_is_shown(warning: str, *, is_shown: bool) -> None:
    messages = f"copy.c:3:5: warning: {warning}\n    3 | code\n"
    linked = "ld: copy.c:(.text+0x9): undefined reference to `puchar'\ncollect2: error: ld returned 1 exit status\n"
    assert first_of(messages) is not None
    found = first_of(messages + linked)
    assert (found is not None and found.message == warning) is is_shown
