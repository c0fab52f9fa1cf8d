#!/usr/bin/env bash
# Grades the examples, in containers if there is an engine, and prints where the report is.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

readonly OUT=out LOCAL_ONLY=3

main() {
    local sandbox=docker status=0
    scripts/setup.sh || status=$?
    case ${status} in
        0) ;;
        "${LOCAL_ONLY}")
            say "going on WITHOUT A CONTAINER. The examples are the project's own and do no harm; other people's programs" \
                "belong in containers"
            sandbox=local
            ;;
        *) return "${status}" ;;
    esac
    status=0
    .venv/bin/grader grade examples --lab tr2 --sandbox "${sandbox}" --out "${OUT}" || status=$?
    if [[ -r ${OUT}/index.html ]]; then
        printf '\nThe report of every example: %s/%s/index.html\nThe gradebook:               %s/%s/grades.csv\n' \
            "${PWD}" "${OUT}" "${PWD}" "${OUT}"
        printf 'Now your own:                .venv/bin/grader grade FOLDER --lab tr2 --out results\n'
    fi
    return "${status}"
}

main
