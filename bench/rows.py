"""The rows of the table, with the base and the targets of each."""

from __future__ import annotations

from collections.abc import Collection

from bench.figures import Row, Target
from bench.lab import MeasuredLab
from bench.programs import TallyMode
from bench.rounds import TALLY_MODES, alone_key, strace_key

TALLY_FACTORS = {"account": 1.08, "filter": 1.25}
GRADING = (Target("cpu", 1.25), Target("wall", 1.2, plus_s=1.5))
SCALED = " (scaled)"


def rows(lab: MeasuredLab, groups: Collection[str]) -> list[Row]:
    """Return the rows for what was measured."""
    found = []
    for program in lab.spec.programs:
        base = alone_key(program, lab.main_case)
        found.append(Row(base, f"{program} alone"))
        if "tally" in groups:
            found += [_tally(lab, program, mode, base) for mode in TALLY_MODES]
        if "strace" in groups:
            found += [_strace(lab, program, base, pinned=pinned) for pinned in (True, False)]
    found.append(Row("alone", f"both programs alone, on {' and '.join(lab.cases)}"))
    if "grading" in groups:
        found.append(
            Row("grading", "grading one submission, everything included", "alone", GRADING, whole_machine=True)
        )
        found.append(Row("grading process", "of that, the grader's own process", "alone", measures=("cpu",)))
        found.append(Row("around", "of that, what is around the programs"))
    if "naive" in groups:
        found.append(Row("naive", f"a `docker run` a step, `strace -c` of everything{SCALED}", "alone"))
    return found


def _tally(lab: MeasuredLab, program: str, mode: TallyMode, base: str) -> Row:
    # If a program takes hundredths of a second, starting tally costs more than any call.
    factor = TALLY_FACTORS.get(mode) if lab.is_costly(program) else None
    targets = (Target("cpu", factor), Target("wall", factor)) if factor else ()
    return Row(f"{program} {mode}", f"{program}, `tally --mode {mode}`", base, targets)


def _strace(lab: MeasuredLab, program: str, base: str, *, pinned: bool) -> Row:
    pinning = ", both on one CPU" if pinned else ""
    mark = SCALED if lab.is_costly(program) else ""
    return Row(strace_key(program, pinned=pinned), f"{program}, `strace -f -c`{pinning}{mark}", base)
