#!/usr/bin/env bash
# Checks the code within a minute: style, types, warnings, unit tests. Runs every check even if others fail, one per processor
# at a time, and shows the output of those that failed.
#
# Usage: check.sh [--static]
# With --static it leaves out the unit tests, for those who have run all tests anyway.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

# Without bytecode each process of pytest would compile every test module again. Git ignores these files.
unset PYTHONDONTWRITEBYTECODE

readonly BIN=.venv/bin
PROCESSORS=$(nproc)
readonly PROCESSORS
names=() pids=() failed=()

# Ends the running checks, and this script with status $1.
stop() {
    local pid
    for pid in "${pids[@]}"; do
        kill -- "-${pid}" 2>/dev/null || true
    done
    wait
    exit "$1"
}

# Starts a check, as soon as a processor is free. $1 is its name, the rest its command.
check() {
    local name=$1
    shift
    while (($(jobs -pr | wc -l) >= PROCESSORS)); do
        wait -n || true    # report waits again, for the status
    done
    timed "${SCRATCH}/${name}" "$@" &
    names+=("${name}")
    pids+=("$!")
}

# Runs a command. Leaves its output in $1.log and its duration in $1.ms.
timed() {
    local file=$1 start=${EPOCHREALTIME/./} status=0
    shift
    "$@" </dev/null >"${file}.log" 2>&1 || status=$?
    echo "$(((${EPOCHREALTIME/./} - start) / 1000))" >"${file}.ms"
    return "${status}"
}

# Says how the checks ended that were started so far, in their order, each as soon as it has.
report() {
    local index name status took_ms
    for index in "${!pids[@]}"; do
        name=${names[index]} status=0
        wait "${pids[index]}" || status=$?
        took_ms=$(<"${SCRATCH}/${name}.ms")
        if ((status == 0)); then
            printf 'ok    %-14s %5d ms\n' "${name}" "${took_ms}"
        else
            failed+=("${name}")
            printf 'FAIL  %-14s %5d ms  exit status %d\n' "${name}" "${took_ms}" "${status}"
            sed 's/^/      /' "${SCRATCH}/${name}.log"
        fi
    done
    names=() pids=()
}

c_files() {
    find "$@" -name '*.c' | sort
}

# Finds scripts by their first line, because some have no suffix. lib.sh has a line for shellcheck instead.
shell_scripts() {
    find . \( -name .git -o -name .venv -o -name out \) -prune -o -type f -size -64k -print0 |
        xargs -0 awk 'FNR == 1 && (/^#!.*[ \/](ba)?sh$/ || /^# shellcheck shell=/) { print FILENAME } { nextfile }' | sort
}

# All of shellcheck's checks except three: SC2310 to SC2312 warn whenever a function's status is tested, because set -e has no
# effect inside the function. Such functions here end with the command that matters, or return explicitly on failure.
lint_shell() {
    local scripts
    mapfile -t scripts < <(shell_scripts)
    shellcheck --enable=all --exclude=SC2310,SC2311,SC2312 --severity=style --external-sources "${scripts[@]}"
}

# Optimised, because some warnings come from the optimiser.
readonly COMPILE=(gcc -std=gnu11 -O2 -c -o /dev/null)

# C files that must be flawless: tally, the template and the reference.
our_c() {
    c_files grader/guest student_template
    c_files reference -path '*/solution/*'
}

lint_c() {
    local file status=0
    local warnings=(
        -Wall -Wextra -Wpedantic -Werror
        -Wcast-align=strict -Wcast-qual -Wdouble-promotion -Wduplicated-branches -Wduplicated-cond -Wformat=2 -Winit-self
        -Wlogical-op -Wmissing-prototypes -Wnull-dereference -Wold-style-definition -Wpointer-arith -Wredundant-decls -Wshadow
        -Wstrict-prototypes -Wundef -Wvla -Wwrite-strings
    )
    while read -r file; do
        "${COMPILE[@]}" "${warnings[@]}" "${file}" || status=1
    done < <(our_c)
    return "${status}"
}

# A mutant has a bug, which the compiler can warn about, but it must compile. Tests compile and run each of them.
compile_mutants() {
    c_files reference -path '*/mutants/*' | xargs gcc -std=gnu11 -fsyntax-only -w
}

# Without the check that asks for C11's Annex K (memcpy_s), which glibc does not have, and the one against neighbouring
# parameters of the same type.
tidy_c() {
    local files checks='-*,bugprone-*,clang-analyzer-*'
    checks+=',-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-bugprone-easily-swappable-parameters'
    mapfile -t files < <(our_c)
    # One file at a time: what clang-tidy learns about va_list in one file leads to false warnings in the next.
    ((${#files[@]} == 0)) || printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -I FILE \
        clang-tidy --quiet --warnings-as-errors='*' --checks="${checks}" FILE -- -std=gnu11 -D_GNU_SOURCE
}

# Has tests write into memory if there is room, because a gradebook waits for the disk at each result.
use_memory() {
    local options free
    read -r options free < <(findmnt --noheadings --bytes --output OPTIONS,AVAIL --target /dev/shm 2>/dev/null) || return 0
    if [[ ${options} != *noexec* ]] && ((free > 2000000000)); then
        TMPDIR=$(mktemp -d -p /dev/shm)
        # Programs of other users have to reach it.
        chmod 755 "${TMPDIR}"
        export TMPDIR
        trap 'rm -rf "${SCRATCH}" "${TMPDIR}"' EXIT
    fi
}

main() {
    if (($# > 1)) || [[ ${1:---static} != --static ]]; then
        say "usage: check.sh [--static]"
        return 2
    fi
    # Each check is a process group, which can be ended as a whole.
    set -m
    trap 'stop 130' INT
    trap 'stop 143' TERM
    # The longest first: the others run next to it.
    check mypy "${BIN}/mypy"
    check ruff "${BIN}/ruff" check
    check ruff-format "${BIN}/ruff" format --check
    check python-3.10 "${BIN}/vermin" --target=3.10- --violations --no-parse-comments --quiet grader tests bench
    check shellcheck lint_shell
    check gcc lint_c
    check mutants compile_mutants
    if have clang-tidy; then
        check clang-tidy tidy_c
    fi
    # Without --quiet, because ProperDocs does not count warnings that it does not print.
    check site "${BIN}/properdocs" build --config-file mkdocs.yml --strict --site-dir "${SCRATCH}/site"
    report
    have clang-tidy || printf 'skip  %-14s not installed\n' clang-tidy
    # After the others, because they use every processor.
    if (($# == 0)); then
        use_memory
        check unit-tests "${BIN}/python" -m pytest -q --numprocesses=logical --maxprocesses=4 -m 'not slow and not long' tests/unit
        report
    fi
    if ((${#failed[@]} > 0)); then
        say "failed: ${failed[*]}"
        return 1
    fi
}

main "$@"
