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

# Puts the temporary files of the tests in memory if there is enough: grading creates and removes thousands of them, which takes
# a fifth of its time on a disk. Not in /dev/shm, as in check.sh, because some tests search it or mount something over it.
use_memory() {
    ((EUID == 0)) && awk '/^MemAvailable:/ { enough = $2 >= 12 * 2 ^ 20 } END { exit !enough }' /proc/meminfo || return 0
    mount -t tmpfs -o size=8g,mode=1777 tmpfs "${SCRATCH}" 2>/dev/null || return 0
    trap 'umount --lazy "${SCRATCH}"; rm -rf "${SCRATCH}"' EXIT
    export TMPDIR=${SCRATCH}
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
    use_memory
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
