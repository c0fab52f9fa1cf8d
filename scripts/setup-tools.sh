#!/usr/bin/env bash
# Makes sure that the named programs of the distribution are installed.
#
# Usage: setup-tools.sh gcc|strace|valgrind|shellcheck|chromium...
# Exit status: 0 all are installed; 1 one is missing, and what to do was printed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

# gcc is often installed without the headers of the C library, so this compiles a program.
compiles_c() {
    printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' |
        gcc -x c -o "${SCRATCH}/probe" - >/dev/null 2>&1
}

main() {
    local tool missing=()
    for tool in "$@"; do
        case ${tool} in
            gcc) compiles_c || missing+=(gcc libc6-dev) ;;
            *) have "${tool}" || missing+=("${tool}") ;;
        esac
    done
    ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

main "$@"
