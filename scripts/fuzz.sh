#!/usr/bin/env bash
# Looks for input that breaks what reads untrusted bytes, with new examples for FUZZ_S seconds (default 600) or until one is found.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

main() {
    local end=$((SECONDS + ${FUZZ_S:-600})) rounds=0
    while ((SECONDS < end)); do
        # Each round has a seed of its own. A failure is printed with the decorator that repeats it: keep it as an @example.
        .venv/bin/python -m pytest -q -x --numprocesses=logical --hypothesis-profile=fuzz --timeout=0 tests/fuzz "$@"
        rounds=$((rounds + 1))
    done
    say "nothing found in ${rounds} rounds"
}

main "$@"
