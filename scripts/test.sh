#!/usr/bin/env bash
# Runs the tests that what has changed asks for (tests/rings.yaml), except slow ones.
#
# Usage: test.sh [slow | all | ARGUMENT...]
# slow: only the slow ones of these tests. all: every test, whatever has changed, with the rare ones. Arguments are pytest's.
#
# Environment: GRADER_REQUIRE_DOCKER=1: fail if there is no Docker engine, instead of skipping tests;
# GRADER_REQUIRE_BROWSER=1: the same for Chromium.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

# Without bytecode each process of pytest would compile every test module again. Git ignores these files.
unset PYTHONDONTWRITEBYTECODE

readonly LOCAL_ONLY=3
in_memory=''    # what the tests' temporary files are mounted on

# Keeps the temporary files of the tests in memory, if there is much of it and this may mount something: grading makes and
# removes thousands, which takes a fifth of all time on a disk. A mount namespace of our own would hide them from Docker.
keep_in_memory() {
    ((EUID == 0)) && awk '/^MemAvailable:/ { enough = $2 >= 12 * 2 ^ 20 } END { exit !enough }' /proc/meminfo || return 0
    in_memory=$(mktemp -d)
    if mount -t tmpfs -o size=8g,mode=1777 tmpfs "${in_memory}" 2>/dev/null; then
        export TMPDIR=${in_memory}
    fi
}

clean_up() {
    rm -rf "${SCRATCH}"
    [[ -n ${in_memory} ]] || return 0
    umount --lazy "${in_memory}" 2>/dev/null || true
    rmdir "${in_memory}"
}

main() {
    local status=0 selection=("$@") chosen tests
    scripts/setup.sh || status=$?
    if ((status == LOCAL_ONLY)) && [[ ${GRADER_REQUIRE_DOCKER:-} != 1 ]]; then
        say "going on WITHOUT A CONTAINER: the tests that need one are skipped"
    elif ((status != 0)); then
        return "${status}"
    fi
    # Programs that tests start outside containers.
    scripts/setup-tools.sh gcc make strace valgrind shellcheck
    if ! scripts/setup-tools.sh bmake; then
        [[ ${GRADER_REQUIRE_DOCKER:-} != 1 ]] || return 1
        say "going on WITHOUT BMAKE: what students start from is tried with GNU make alone"
    fi
    if ! scripts/setup-tools.sh chromium; then
        [[ ${GRADER_REQUIRE_BROWSER:-} != 1 ]] || return 1
        say "going on WITHOUT A BROWSER: the tests that look at pages are skipped"
    fi
    trap clean_up EXIT
    keep_in_memory
    chosen=$(.venv/bin/python -m tests.rings)
    mapfile -t tests <<<"${chosen}"
    case "$*" in
        '') selection=(-m 'not slow' "${tests[@]}") ;;
        slow) selection=(-m 'slow and not rare' "${tests[@]}") ;;
        all) selection=(tests) ;;
        *) ;;
    esac
    # Show the slowest tests: they take most of the time. Arguments come last and win: -n0 runs everything in one process, for a
    # debugger.
    .venv/bin/python -m pytest --numprocesses=logical --maxprocesses=4 --durations=15 --durations-min=10 "${selection[@]}"
}

main "$@"
