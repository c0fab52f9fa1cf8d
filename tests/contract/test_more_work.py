"""A guest that has worked through a plan gets another one."""

from __future__ import annotations

from dataclasses import replace

from grader.sandbox.base import Sandbox
from grader.sandbox.collector import collect

from .harness import INPUTS, LARGE, SUCCESS, Exercise, source, step

COPY = b"#include <stdio.h>\nint main(void) { int c; while ((c = getchar()) != EOF) putchar(c); }\n"


def test_a_later_plan_runs_what_an_earlier_one_built(sandbox: Sandbox) -> None:
    first = Exercise([step("first", "copy", input="one")], {"copy": COPY}).job()
    later = Exercise(
        [step("again", "copy", input="lines"), step("large", "copy", input="large")], {"other": source("actor")}
    ).job()
    with sandbox.open(replace(first, inputs={"one": INPUTS["one"], "empty": b""})) as session:
        before = collect(session.events())
        session.work_on(replace(later, inputs={name: INPUTS[name] for name in ("one", "lines", "large")}))
        after = collect(session.events())
        assert session.fetch("copy.large") == LARGE
    assert before.runs["copy.first"].stdout.data == b"x"
    assert after.runs["copy.again"].stdout.data == INPUTS["lines"]
    assert after.builds["other"].ending == SUCCESS
    assert after.toolchain == before.toolchain


def test_a_source_of_the_same_name_replaces_the_one_before(sandbox: Sandbox) -> None:
    job = Exercise([step("first", "copy", input="one")], {"copy": COPY}).job()
    changed = Exercise([step("second", "changed", input="one")], {"changed": COPY}).job()
    build = changed.plan.builds[0].model_copy(update={"source": "copy.c", "compile": ("gcc", "copy.c")})
    with sandbox.open(job) as session:
        collect(session.events())
        sources = {"copy.c": COPY.replace(b"putchar(c)", b"putchar(c + 1)")}
        session.work_on(replace(changed, plan=changed.plan.model_copy(update={"builds": (build,)}), sources=sources))
        assert collect(session.events()).runs["changed.second"].stdout.data == b"y"
