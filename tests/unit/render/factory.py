"""Reports built by hand: full marks, a known bug, a failure of each kind, one that does not compile, not graded."""

from __future__ import annotations

from grader.model.evidence import CallCount, Ending, Exited, LimitReached, NotStarted, Signalled, StreamCalls
from grader.model.gradebook import Entry, Origin
from grader.model.proof_words import sentence_of
from grader.model.report import (
    BuildEvidence,
    BuildResult,
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Cause,
    CauseLine,
    Check,
    CheckEvidence,
    CheckStatus,
    ComparedPrograms,
    Difference,
    Finding,
    PlotFigures,
    PlottedRun,
    Proof,
    ProofChange,
    ProofStep,
    ReferenceFigures,
    Remark,
    Report,
    SourceLine,
    StreamJudgement,
    SubmissionId,
    SymbolsEvidence,
    SyscallTable,
    Timing,
    TimingEvidence,
    Window,
    without_evidence,
)
from grader.model.spec.cases import Sink

SIZE = 5_000_000
BUFFER = 4096
TERMINAL_BUFFER = 1024
LOADER_READS = 1
ENDINGS: tuple[Ending, ...] = (
    Exited(kind="exited", code=0),
    Signalled(kind="signalled", signal=11),
    LimitReached(kind="limit", limit="cpu"),
    NotStarted(kind="not_started", errno=8, message="Exec format error"),
)


def difference(expected: bytes, actual: bytes, offset: int, *, start: int = 0) -> Difference:
    return Difference(
        offset=offset,
        expected_size_bytes=start + len(expected),
        actual_size_bytes=start + len(actual),
        input_byte=0xFF,
        expected=Window(offset=start, data=expected),
        actual=Window(offset=start, data=actual),
        input=Window(offset=start, data=expected),
        summary=f"identical up to byte {offset}, then your output ends",
    )


def case(name: str = "swap", **changes: object) -> CaseResult:
    values: dict[str, object] = {
        "case": name,
        "operands": (b"ab", b"ba"),
        "input": "letters",
        "input_size_bytes": 53,
        "sink": "file",
        "passed": True,
        "problem": "",
        "ending": ENDINGS[0],
        "stderr": b"",
    }
    return CaseResult.model_validate(values | changes)


def copied(**changes: object) -> CaseResult:
    """The case whose calls and time are in the figures."""
    return case("pattern-5m", **({"input": "pattern-5m", "input_size_bytes": SIZE} | changes))


def failed_case(name: str = "ff-inside", **changes: object) -> CaseResult:
    window = bytes(range(0x61, 0x71)) + b"\x00\x01\xff~" + bytes(range(0x41, 0x57))
    values: dict[str, object] = {
        "passed": False,
        "problem": "the output ends too early",
        "stderr": b"warning: \x1b[31mred\x1b[0m\n",
        "difference": difference(window, window[:18], 640 + 18, start=640),
    }
    return case(name, **(values | changes))


def check(check_id: str, status: CheckStatus = "passed", **changes: object) -> Check:
    program = check_id.split(".", maxsplit=1)[0]
    values: dict[str, object] = {
        "id": check_id,
        "program": program,
        "title": "text: several operands, swap, cycle, repeats",
        "status": status,
        "points": 8.0 if status == "passed" else 0.0,
        "max_points": 8.0,
        "cause": None,
        "message": "" if status == "passed" else "2 of 3 cases are wrong.",
        "hint": "",
        "evidence": None,
    }
    return Check.model_validate(values | changes)


def counts(**calls: int) -> dict[str, CallCount]:
    return {name: CallCount(calls=number, errors=name == "access") for name, number in calls.items()}


def table(program: str, *, reads: int, writes: int, nbyte: int, sink: Sink = "file") -> SyscallTable:
    others = {"execve": 1, "brk": 3, "mmap": 8, "close": 2, "fstat": 4, "mprotect": 3, "access": 1, "openat": 2}
    return SyscallTable(
        program=program,
        input="pattern-5m",
        case="pattern-5m" if sink == "file" else f"{sink}-pattern-5m",
        sink=sink,
        engine="strace",
        complete=True,
        calls=counts(read=reads + LOADER_READS, write=writes, **others),
        stdin=StreamCalls(calls=reads, bytes=SIZE, nbyte_min=nbyte, nbyte_max=nbyte),
        stdout=StreamCalls(calls=writes, bytes=SIZE, nbyte_min=min(nbyte, TERMINAL_BUFFER), nbyte_max=nbyte),
    )


def buffered(sink: Sink = "file") -> SyscallTable:
    blocks = -(-SIZE // BUFFER)
    writes = -(-SIZE // TERMINAL_BUFFER) if sink == "terminal" else blocks
    return table("tr2b", reads=blocks + 1, writes=writes, nbyte=BUFFER, sink=sink)


def unbuffered(sink: Sink = "file") -> SyscallTable:
    return table("tr2u", reads=SIZE + 1, writes=SIZE, nbyte=1, sink=sink)


def times(tr2b_s: float, tr2u_s: float) -> tuple[Timing, ...]:
    return tuple(
        Timing(
            program=name,
            input="pattern-5m",
            case="pattern-5m",
            real_s=real_s,
            user_s=real_s / 4,
            sys_s=real_s / 2,
            correct=True,
        )
        for name, real_s in (("tr2b", tr2b_s), ("tr2u", tr2u_s))
    )


def stream(**changes: object) -> StreamJudgement:
    values: dict[str, object] = {
        "input": "pattern-5m",
        "sink": "file",
        "stream": "stdin",
        "engine": "tally",
        "calls": 1222,
        "bytes": SIZE,
        "expected_calls": SIZE + 1,
        "derivation": "one call for each of 5,000,000 bytes, and one that finds the end",
        "passed": False,
        "problem": "reads more than one byte a call",
    }
    return StreamJudgement.model_validate(values | changes)


def evidence_of_each_kind() -> tuple[CheckEvidence, ...]:
    return (
        BuildEvidence(messages="tr2b.c:3:5: error: expected ';' before '}' token\n    3 |     }\n      |     ^\n"),
        CasesEvidence(cases=(failed_case(), failed_case("ff-last", ending=ENDINGS[1]), case())),
        CallsEvidence(
            streams=(stream(), stream(stream="stdout", passed=True, problem="")), excerpt='read(0, "o", 1)\n'
        ),
        SymbolsEvidence(found=("fread", "write"), forbidden=("fread",), missing=(("read", "readv"),)),
        TimingEvidence(real_s=5.5, reference_real_s=5.625),
    )


COMPARISONS = tuple(
    ComparedPrograms(program="tr2u", other="tr2b", case=name)
    for name in ("pattern-5m", "random-5m", "terminal-pattern-5m")
)


def report(**changes: object) -> Report:
    figures = (buffered(), unbuffered(), buffered("terminal"))
    values: dict[str, object] = {
        "grader_version": "0.1.0",
        "lab": "tr2",
        "lab_title": "Buffered versus unbuffered I/O",
        "spec_digest": "sha256:" + "5" * 64,
        "image_digest": "sha256:" + "1" * 64,
        "isolation": "container",
        "submission": SubmissionId(name="ada", digest="sha256:" + "a" * 64),
        "status": "graded",
        "reason": "",
        "score": 100.0,
        "max_score": 100.0,
        "checks": (
            check("tr2b.text", evidence=CasesEvidence(cases=(copied(),))),
            check("tr2u.text", evidence=CasesEvidence(cases=(case(), case("cycle"), copied()))),
        ),
        "syscalls": figures,
        "timing": times(0.25, 5.5),
        "builds": (BuildResult(program="tr2b", ok=True, command="gcc -std=gnu11 -O2 -o tr2b tr2b.c", messages=""),),
        "reference": ReferenceFigures(syscalls=figures, timing=times(0.2, 5.6)),
        "toolchain": {"gcc": "12.2.0", "strace": "6.1"},
        "comparisons": COMPARISONS,
    }
    return Report.model_validate(values | changes)


def plotted() -> Report:
    """A report with a plot, in which one run was wrong and one was not measured."""
    runs = tuple(
        PlottedRun(program=program, case=f"copy-{size}", value=size, calls=calls, real_s=0.25, correct=True)
        for program, figures in (("tr2b", (247, 247, 26)), ("tr2u", (1_000_001, 1_955, 17)))
        for size, calls in zip((1, 512, 65_536), figures, strict=True)
    )
    own = (
        runs[0].model_copy(update={"calls": None, "real_s": None, "correct": False}),
        *runs[1:-1],
        runs[-1].model_copy(update={"correct": False}),
    )
    return report(plots=(PlotFigures(title="Calls and time by SIZE", parameter="SIZE", runs=own, reference=runs),))


def broken(name: str = "grace", **changes: object) -> Report:
    """A submission in which a check of each kind failed and one was skipped."""
    hint = "getchar returns an int, because it has one more result than there are bytes."
    failed = tuple(
        check(f"tr2b.kind-{evidence.kind}", "failed", evidence=evidence, hint=hint)
        for evidence in evidence_of_each_kind()
    )
    skipped = check("tr2u.syscalls", "skipped", message="The kernel's accounting is missing here.")
    values: dict[str, object] = {
        "submission": SubmissionId(name=name, digest="sha256:" + "b" * 64),
        "score": 52.5,
        "checks": (*failed, skipped, check("tr2u.text", evidence=CasesEvidence(cases=(case(),)))),
        "findings": (finding("tr2b.kind-cases"), finding("tr2b.kind-cases", line=9, repeat="", hidden=True)),
    }
    return report(**(values | changes))


def not_graded(reason: str = "The Docker engine went away in the middle.", **changes: object) -> Report:
    values: dict[str, object] = {
        "submission": SubmissionId(name="alan", digest="sha256:" + "c" * 64),
        "status": "not_graded",
        "reason": reason,
        "score": None,
        "checks": (),
        "syscalls": (),
        "timing": (),
        "builds": (),
        "reference": None,
    }
    return report(**(values | changes))


REMARK = Remark(kind="exit-status", program="tr2b", sentence="tr2b ends with exit status 1.")

WARNING = """\
tr2b.c: In function 'main':
tr2b.c:7:23: warning: comparison is always true due to limited range of data type [-Wtype-limits]
    7 |     while ((c = getchar()) != EOF) {
      |                            ^~
tr2b.c:9:9: warning: unused variable 'i' [-Wunused-variable]
    9 |     int i;
      |         ^
"""
ERROR = """\
tr2b.c: In function 'main':
tr2b.c:42:15: error: 'i' undeclared (first use in this function)
   42 |       putchar(i);
      |               ^
tr2b.c:42:15: note: each undeclared identifier is reported only once for each function it appears in
"""
PAGE = """\
## What happens

`getchar` can return 257 different values, and a `char` has
room for 256.

## How to see it

```sh
printf 'ab\\377cd\\n' | ./tr2b a x | od -c
```

Six bytes go in, and two come out.

## What to read

`getchar(3)`: look at the type.
"""


def cause(name: str = "char-for-getchar", *checks: str, **changes: object) -> Cause:
    values: dict[str, object] = {
        "name": name,
        "title": "A char holds what getchar returns",
        "warnings": ("type-limits",),
        "page": PAGE,
        "certainty": "certain",
        "checks": checks,
    }
    return Cause.model_validate(values | changes)


def finding(*checks: str, **changes: object) -> Finding:
    values: dict[str, object] = {
        "program": "tr2b",
        "tool": "AddressSanitizer",
        "line": 10,
        "message": "tr2b.c line 10 writes 1 byte past the end of `from` (2 bytes).",
        "file": "tr2b.c",
        "source": (
            SourceLine(number=9, text="    while (*operand)"),
            SourceLine(number=10, text="\t*kept++ = *operand++; /* <b> */"),
            SourceLine(number=11, text=""),
        ),
        "checks": checks,
        "repeat": "gcc -g -fsanitize=address,undefined -o tr2b tr2b.c\n./tr2b abc xyz </dev/null >/dev/null",
    }
    return Finding.model_validate(values | changes)


def diagnosed(**changes: object) -> Report:
    """A tr2b that stops at 0xFF: two checks that a cause explains, one that none does; gcc warned."""
    repeat = "grader input --lab tr2 ff-inside >in\n./tr2b ab ba <in | od -A d -c"
    cases = CasesEvidence(cases=(failed_case(repeat=repeat),))
    calls = CallsEvidence(streams=(stream(),), repeat="strace -e trace=read ./tr2u a b <pattern-5m >/dev/null")
    values: dict[str, object] = {
        "submission": SubmissionId(name="ken", digest="sha256:" + "d" * 64),
        "score": 87.0,
        "checks": (
            check("tr2b.text"),
            check("tr2b.byte-ff", "failed", max_points=3.0, cause="char-for-getchar", evidence=cases),
            check("tr2b.random-5m", "failed", max_points=4.0, cause="char-for-getchar", evidence=cases),
            check("tr2u.syscalls", "failed", max_points=6.0, evidence=calls, hint="Look at the third argument."),
        ),
        "causes": (cause("char-for-getchar", "tr2b.byte-ff", "tr2b.random-5m"),),
        "builds": (BuildResult(program="tr2b", ok=True, command="gcc -o tr2b tr2b.c", messages=WARNING),),
    }
    return report(**(values | changes))


def entry(report: Report, name: str = "", **changes: object) -> Entry:
    """A gradebook's row for a report; its folder is named like the submission unless `name` says otherwise."""
    fields = {"name": name or report.submission.name, "origin": Origin(path=""), "report": without_evidence(report)}
    return Entry.model_validate(fields | changes)


def unbuilt() -> Report:
    """A submission of which one program does not compile."""
    return report(
        score=50.0,
        checks=(
            check("tr2b.build", "failed", message="it does not compile", evidence=BuildEvidence(messages=ERROR)),
            check("tr2b.text", "skipped", message="there is no tr2b to run: see tr2b.build", needs="tr2b.build"),
            check("tr2u.text"),
        ),
        builds=(BuildResult(program="tr2b", ok=False, command="gcc -o tr2b tr2b.c", messages=ERROR),),
    )


def worst(text: str, cases: int = 10, checks: int = 32) -> Report:
    """A submission of which everything fails, with as much of `text` as it could write, wherever it could."""
    long = text * (100_000 // len(text))
    data = bytes(range(256)) * 20
    every = CasesEvidence(
        cases=tuple(
            failed_case(
                f"case-{index}",
                problem=long[:5000],
                stderr=long.encode()[:5000],
                stdout=data,
                operands=(data[:255], data[:255]),
                repeat=long[:5000],
            )
            for index in range(cases)
        )
    )
    calls = CallsEvidence(streams=tuple(stream(problem=long[:5000]) for _ in range(6)), excerpt=long, repeat=long)
    kinds: tuple[CheckEvidence, ...] = (every, every, every, calls)
    failed = tuple(
        check(f"tr2b.c{index}", "failed", message=long[:5000], hint=long[:500], evidence=kinds[index % len(kinds)])
        for index in range(checks)
    )
    warnings = "".join(f"tr2b.c:{line}:1: warning: {long[:500]}\n  {line} | {long[:200]}\n" for line in range(200))
    return report(
        score=0.0,
        submission=SubmissionId(name=text * 3, digest=""),
        checks=failed,
        findings=tuple(
            finding(
                f"tr2b.c{index}", message=long[:5000], repeat=long[:5000], source=(SourceLine(number=1, text=long),)
            )
            for index in range(4)
        ),
        causes=tuple(cause(f"cause-{index}", f"tr2b.c{index}") for index in range(3)),
        builds=tuple(
            BuildResult(program=name, ok=True, command="gcc", messages=warnings) for name in ("tr2b", "tr2u")
        ),
        remarks=(Remark(kind="exit-status", program=text, sentence=long[:5000]),),
        notes=(long[:5000],),
    )


def empty() -> Report:
    """A graded report in which there is nothing."""
    return report(checks=(), syscalls=(), timing=(), builds=(), reference=None, toolchain={}, image_digest=None)


LITERALS = {
    "kind",
    "status",
    "sink",
    "engine",
    "stream",
    "isolation",
    "limit",
    "schema_version",
    "cause",
    "certainty",
    "facts",
    "mistake",
    "of",
    "deviation",
    "visibility",
    "tool",
}


def hostile(source: Report, text: str) -> Report:
    """The same report with `text` in every open string, and all 256 bytes in all bytes."""

    def changed(value: object, key: str = "") -> object:
        if isinstance(value, str):
            return value if key in LITERALS else f"{value}{text}"
        if isinstance(value, bytes):
            return bytes(range(256))
        if isinstance(value, dict):
            return {name: changed(item, name) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [changed(item, key) for item in value]
        return value

    return Report.model_validate(changed(source.model_dump()))


def some_not_run() -> dict[str, Check]:
    """Failed checks of three cases, by what is to be said of those that were not run."""
    names = ("one", "swap", "cycle")
    checks = {}
    for words, first in (("Not run: swap, cycle", ENDINGS[0]), ("Also not run: swap, cycle", None)):
        cases = [failed_case(name, ending=None, difference=None) for name in names]
        cases[0] = cases[0].model_copy(update={"ending": first})
        checks[words] = check("tr2b.text", "failed", evidence=CasesEvidence(cases=tuple(cases)))
    return checks


def proof(
    change: str,
    *checks: str,
    file: str = "tr2b.c",
    lines: tuple[int, ...] = (),
    passes: str = "it passes",
    fixed: tuple[CauseLine, ...] = (),
) -> Proof:
    """Return the proof of a change, given as "`x` instead of `y`"."""
    changes = (ProofChange(says=f"with {change}", verb="write", order=change, lines=lines),)
    steps = (ProofStep(file=file, changes=changes, passes=passes),)
    return Proof(sentence=sentence_of(steps), checks=checks, fixed=fixed, steps=steps)
