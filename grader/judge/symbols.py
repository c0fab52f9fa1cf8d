"""Judge whether the source, and the program that was made from it, call the functions that the lab asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from grader.judge.facts import Facts, Outcome
from grader.model.counted import counted, listed
from grader.model.evidence import BuildDone, Marks, UnknownCalls
from grader.model.report import SymbolsEvidence
from grader.model.spec.programs import READ_BYTES, SymbolRule
from grader.model.spec.rubric import SymbolsItem
from grader.model.submission import UnusableSource

_DECORATED = re.compile(r"^_*(?:IO_|libc_|isoc\d+_)?(?P<name>[a-z][a-z0-9_]*?)(?:_chk|_alias)?(?:64)?(?:_nocancel)?$")
"""How headers and options change the name of a function (`__read_chk`, `_IO_getc`, `pread64`, `__isoc99_scanf`), and
what the C library calls it itself (`__read_nocancel`)."""

MADE_FROM = {
    "getc": ("getchar",),
    "_IO_getc": ("getchar",),
    "putc": ("putchar",),
    "_IO_putc": ("putchar",),
    "__uflow": ("getchar_unlocked", "getc_unlocked", "fgetc_unlocked"),
    "__overflow": ("putchar_unlocked", "putc_unlocked", "fputc_unlocked"),
    "__getdelim": ("getline", "getdelim"),
    "putchar_unlocked": ("putc_unlocked",),
}
"""What the headers of glibc make of a call when they optimise, and of which calls."""

UNREADABLE: Mapping[UnknownCalls | None, str] = {
    "not-unoptimised": "its calls cannot be read: it does not compile without optimisation",
    "no-object": "its calls cannot be read: it does not compile to an object",
    "not-without-builtins": "its calls cannot be read: it does not compile without built-in functions",
    "too-many-functions": "its calls cannot be read: they cannot be listed within the limits of a build",
    "long-text": "its calls cannot be read: it is too long with its headers",
    "not-preprocessed": "its calls cannot be read: the preprocessor alone fails on it",
    None: "its calls cannot be read",
}
UNKNOWN = "the calls of programs cannot be seen here, not even those of the lab's own solution"

NEVER_REACHED = (
    "Look at whether it is after a return or a loop that never ends, in an if that is never true, or in a function "
    "that is never called."
)

READERS = frozenset(
    {
        *("scanf", "fscanf", "fread", "fread_unlocked", "fgets", "fgets_unlocked", "gets", "getline", "getdelim"),
        *("read", "readv", "pread", "preadv", "mmap", "getchar", "getc", "fgetc", "getchar_unlocked"),
        *("getc_unlocked", "fgetc_unlocked", "getwchar", "getwc", "fgetwc", "aio_read", "recv"),
    }
)
WRITERS = frozenset(
    {
        *("printf", "vprintf", "puts", "fputs", "fputs_unlocked", "fwrite", "fwrite_unlocked", "dprintf", "write"),
        *("writev", "pwrite", "pwritev", "putchar", "putc", "fputc", "putchar_unlocked", "putc_unlocked"),
        *("fputc_unlocked", "putwchar", "putwc", "fputwc", "sendfile", "splice", "copy_file_range", "aio_write"),
    }
)
"""Functions that may do what the functions asked for should do. Messages are mostly written with fprintf: naming it
would help nobody."""


def judge_symbols(facts: Facts, program: str, item: SymbolsItem) -> Outcome:
    """Pass if the object names a function of each required group and no forbidden function, and so does the program.

    The object shows what the source says, and the program what runs: an `#ifdef __OPTIMIZE__` makes them differ. If
    the rule wants them used, most bytes of a marked run must have gone through the functions of each group.

    Calls that do not show in the reference either may be missing because of the options of the build: then nothing is
    known, and nobody fails.
    """
    build, declared = facts.build(program), facts.lab.spec.programs[program]
    rule = facts.lab.spec.symbol_rule(program, item)
    if isinstance(build, UnusableSource):
        return Outcome("failed", build.problem)
    outcome = _judged(build, rule, declared.all_sources)
    reference = facts.lab.reference.evidence.builds.get(program)
    if reference is not None and _lacks_calls(outcome):
        of_reference = _judged(reference, rule, declared.all_sources)
        if _lacks_calls(of_reference):
            return Outcome("skipped", f"{UNKNOWN}: {of_reference.message}", outcome.evidence)
    return outcome


def _lacks_calls(outcome: Outcome) -> bool:
    """Return whether a check failed only because calls were not seen."""
    evidence = outcome.evidence
    is_forbidden = isinstance(evidence, SymbolsEvidence) and bool(evidence.forbidden)
    return outcome.status == "failed" and not is_forbidden


def _judged(build: BuildDone, rule: SymbolRule, sources: Sequence[str]) -> Outcome:
    if build.symbols is None:
        return Outcome("failed", UNREADABLE[build.unknown_calls])
    symbols = set(build.symbols)
    required = {name for group in rule.one_of_each for name in group}
    missing = tuple(group for group in rule.one_of_each if not symbols.intersection(group))
    forbidden = tuple(name for name in rule.none_of if name in symbols)
    found = symbols & required
    called = symbols
    problems, left_out = _not_called(build, sources, missing)
    problems += [f"it calls {name}, which this program must not use" for name in forbidden]
    if not problems and build.program_symbols is not None:
        called = _called_by_program(symbols, build.program_symbols).difference(build.made_calls)
        called.update(build.replaced_calls)
        missing = tuple(group for group in rule.one_of_each if not called.intersection(group))
        forbidden = tuple(name for name in rule.none_of if name in called)
        problems = [f"{_no_call(missing)} when it is compiled with optimisation"] if missing else []
        problems += [
            f"compiled with optimisation it calls {name}, which this program must not use" for name in forbidden
        ]
        found = found & called if problems else found
    unused = () if problems or rule.used_in is None else _unused(rule, build.marks)
    problems += [_elsewhere(unused, build.marks)] if build.marks is not None and unused else []
    evidence = SymbolsEvidence(
        found=tuple(sorted(found)),
        forbidden=forbidden,
        missing=missing,
        instead=tuple(sorted(_instead((*missing, *unused), called) - found)),
        unused=unused,
        left_out=left_out,
    )
    if not problems:
        return Outcome("passed", f"calls {', '.join(evidence.found)}", evidence)
    return Outcome("failed", "; ".join(problems), evidence, NEVER_REACHED if left_out else None)


def _unused(rule: SymbolRule, marks: Marks | None) -> tuple[tuple[str, ...], ...]:
    """Return the groups through whose functions less than half of the bytes went.

    A program may write those bytes in this way that it replaces, and copy all others in another.
    """
    if marks is None:
        return ()
    # Perhaps half of the bytes of operands are replaced, and the others take their places.
    replaces = marks.other_bytes > 0 and 4 * marks.other_written_bytes >= marks.other_bytes
    return tuple(
        group
        for group in rule.one_of_each
        if 2 * _moved_bytes(group, marks) < marks.copied_bytes and (READ_BYTES.issuperset(group) or not replaces)
    )


def _moved_bytes(group: Sequence[str], marks: Marks) -> int:
    return marks.read_bytes if READ_BYTES.issuperset(group) else marks.written_bytes


def _elsewhere(groups: Iterable[Sequence[str]], marks: Marks) -> str:
    ways = []
    for group in groups:
        verb = "read" if READ_BYTES.issuperset(group) else "wrote"
        other_bytes = marks.copied_bytes - _moved_bytes(group, marks)
        similar = " or a similar function" if len(group) > 1 else ""
        ways.append(f"{verb} {other_bytes:,} without {group[0]}{similar}")
    return f"of {counted(marks.copied_bytes, 'byte')} of a test, it {listed(ways)}"


def _instead(missing: Iterable[Iterable[str]], called: Iterable[str]) -> set[str]:
    """Return the functions that may do what the functions of missing groups should do."""
    names = {plain_name(symbol) for symbol in called}
    kinds = [kind for group in missing for kind in (READERS, WRITERS) if kind.intersection(group)]
    return {name for name in names if any(name in kind for kind in kinds)}


def _no_call(groups: Iterable[Sequence[str]]) -> str:
    return f"it does not call {listed([group[0] for group in groups], 'or')}"


def _not_called(build: BuildDone, sources: Sequence[str], groups: Iterable[Sequence[str]]) -> tuple[list[str], bool]:
    """Say that the program calls no function of these groups, those with a reason first.

    Return also whether calls were left out. gcc leaves out a call that is never reached, such as
    `if (0) getchar();`, without optimisation as well.
    """
    problems, unreached, plain = [], [], []
    # Lines are only known to be those of a source if there is just one.
    lines = build.source_calls if len(sources) == 1 else {}
    for group in groups:
        own = next((name for name in group if name in build.own_functions), None)
        called = next((name for name in group if name in lines), None)
        if own is not None:
            problems.append(f"it has a function {own} of its own, and does not call the C library's")
        elif called is not None:
            unreached.append(f"{called} in line {lines[called]}")
        else:
            plain.append(group)
    if unreached:
        call, it = ("call", "it") if len(unreached) == 1 else ("calls", "them")
        problems.append(
            f"it never reaches its {call} of {listed(unreached)} of {sources[0]}, so the compiler left {it} out"
        )
    return problems + ([_no_call(plain)] if plain else []), bool(unreached)


def _called_by_program(source_symbols: set[str], program_symbols: Iterable[str]) -> set[str]:
    """Return the functions that the optimised program calls.

    A name that optimisation makes of a call that the source may make is that call. If the source makes both calls,
    symbols cannot tell them apart, and it is both.
    """
    called: set[str] = set()
    for symbol in program_symbols:
        origins = MADE_FROM.get(symbol, ())
        in_source = source_symbols.intersection(origins)
        called |= in_source
        # Nobody calls the names with an underscore: headers make them of other calls.
        if not in_source:
            called |= {plain_name(symbol), *(origins if symbol.startswith("_") else ())}
        elif symbol in source_symbols:
            called.add(symbol)
    return called


def plain_name(symbol: str) -> str:
    """Return the name under which a function is documented."""
    decorated = _DECORATED.match(symbol)
    return decorated["name"] if decorated else symbol
