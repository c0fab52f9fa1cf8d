#!/usr/bin/env bash
# Sets up everything that is missing: Python packages, a Docker engine, the image, gcc, strace and valgrind.
#
# Exit status: 0 the docker sandbox is ready; 3 only the local sandbox is, and the reason was printed; 1 neither is, and the
# reason was printed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

readonly LOCAL_ONLY=3

docker_ready() {
    scripts/setup-engine.sh || return
    .venv/bin/grader image build </dev/null || {
        say "the image could not be built; why is above. 'make image' tries again"
        return 1
    }
}

main() {
    scripts/setup-python.sh
    if docker_ready; then
        # Useful for the local sandbox, but not required.
        scripts/setup-tools.sh gcc strace valgrind || say "going on, as containers have their own"
        return
    fi
    scripts/setup-tools.sh gcc strace
    scripts/setup-tools.sh valgrind || say "going on without valgrind: reports name fewer mistakes"
    say "there are no containers, for the reason above: only the local sandbox is ready"
    return "${LOCAL_ONLY}"
}

main
