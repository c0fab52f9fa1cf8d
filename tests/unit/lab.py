"""A small lab of the tests' own: two programs that copy, one with large calls and one with a call a byte."""

from __future__ import annotations

from typing import Any

from grader.model.spec.lab import Spec, all_inputs

BUFFER = 4096
TERMINAL_BUFFER = 64
MEAN = 512
FULL_BYTES = 50_000
SLICE_BYTES = 256
SOURCE_BYTES = 1000
CHEAP_CALLS = 1000
SUBMISSION_S = 77.0
STRACE_FULL_WALL_S = 500.0

BATCHED = {"calls": "batched", "mean_bytes_min": MEAN}
EXACT = {"calls": "exact", "nbyte": 1}


def _limits(wall_s: float) -> dict[str, float]:
    return {"cpu_s": 3, "wall_s": wall_s, "output_bytes": 60_000, "memory_bytes": 1_000_000}


def _item(name: str, kind: str, points: int, **more: object) -> dict[str, object]:
    both = {"many": points, "single": points}
    return {"name": name, "kind": kind, "title": name, "points": both, "hint": f"about {name}", **more}


DOCUMENT: dict[str, Any] = {
    "spec_version": 1,
    "lab": "copy",
    "title": "Copying",
    "programs": {
        "many": {
            "source": "many.c",
            "title": "large calls",
            "stdin": BATCHED,
            "stdout": BATCHED,
            "terminal": {"calls": "line-buffered", "buffer_bytes": TERMINAL_BUFFER},
            "symbols": {"one_of_each": [["getchar", "getc"], ["putchar"]], "none_of": ["read", "write"]},
        },
        "single": {
            "source": "single.c",
            "title": "a call a byte",
            "stdin": EXACT,
            "stdout": EXACT,
            "terminal": EXACT,
            "symbols": {"one_of_each": [["read"], ["write"]], "none_of": ["getchar"]},
        },
    },
    "build": {"compiler": "gcc", "standard": "gnu11", "options": ["-O2"], "object_options": ["-O0"]},
    "inputs": {
        "text": {"kind": "literal", "data": "one\ntwo\nand no newline"},
        "slice": {"kind": "pattern", "data": "a line of the slice\n", "size_bytes": SLICE_BYTES},
        "pattern": {"kind": "pattern", "data": "no newline at all; ", "size_bytes": FULL_BYTES},
        "random": {"kind": "random", "seed": "unit", "size_bytes": FULL_BYTES},
    },
    "cases": {
        "copy": {"operands": [], "input": "text"},
        "piped": {"operands": [], "input": "text", "source": {"kind": "pipe", "chunk_bytes": 5}, "sink": "pipe"},
        "refuse": {"operands": [{"hex": "ff"}], "input": "text", "expect": "operand-error"},
        "open": {"operands": ["extra"], "input": "text", "expect": "either"},
        "random": {"operands": [], "input": "random", "engine": "filter", "strace": "when-cheap", "limits": "full"},
        "pattern": {
            "operands": [],
            "input": "pattern",
            "engine": "account",
            "strace": "when-cheap",
            "limits": "full",
        },
        "slice": {"operands": [], "input": "slice", "strace": "always"},
        "screen": {"operands": [], "input": "slice", "sink": "terminal", "strace": "always"},
        "screen-full": {
            "operands": [],
            "input": "pattern",
            "sink": "terminal",
            "engine": "none",
            "strace": "when-cheap",
            "limits": "full",
        },
        "screen-shown": {
            "operands": [],
            "input": "random",
            "sink": "terminal",
            "engine": "account",
            "when": "cheap",
            "limits": "full",
        },
    },
    "rubric": [
        _item("build", "build", 1),
        _item("output", "cases", 8, cases=["copy", "piped"]),
        _item("errors", "cases", 2, cases=["refuse"]),
        _item("either", "cases", 0, cases=["open"]),
        _item("large", "cases", 4, cases=["random"]),
        _item("syscalls", "call-pattern", 16, slice="slice", full=["random", "pattern"]),
        _item("functions", "symbols", 32),
        _item("terminal", "terminal", 64, cases=["screen", "screen-full"]),
        _item("timing", "timing", 0, case="pattern"),
    ],
    "limits": {
        "build": _limits(5),
        "small": _limits(10),
        "full": _limits(20),
        "strace_small": _limits(35),
        "strace": _limits(40),
        "strace_full": _limits(STRACE_FULL_WALL_S),
        "submission_wall_s": SUBMISSION_S,
        "processes": 8,
        "open_files": 16,
        "source_bytes": SOURCE_BYTES,
        "cheap_calls": CHEAP_CALLS,
    },
}

SPEC = Spec.model_validate(DOCUMENT)
INPUTS = all_inputs(SPEC)
PROGRAMS = tuple(SPEC.programs)
