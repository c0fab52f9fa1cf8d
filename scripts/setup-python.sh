#!/usr/bin/env bash
# Makes the virtual environment .venv with the grader (editable) and the developers' tools. Does nothing if .venv still matches
# pyproject.toml and constraints.txt.
#
# Environment: PYTHON, the interpreter to use instead of the first suitable one.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

readonly STAMP=.venv/set-up-from

# Python 3.10 or newer. It must run: some tools install a program of this name that only prints a hint.
recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

# Debian and Ubuntu have venv and ensurepip in a separate package, python3-venv.
complete() {
    recent "$1" && "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

# Prints the first interpreter that passes the test $1.
find_python() {
    local test=$1 candidate candidates=(python3 python3.{14..10} /usr/bin/python3)
    [[ -z ${PYTHON:-} ]] || candidates=("${PYTHON}")
    for candidate in "${candidates[@]}"; do
        if "${test}" "${candidate}"; then
            printf '%s\n' "${candidate}"
            return
        fi
    done
    return 1
}

make_venv() {
    local python
    if ! python=$(find_python complete); then
        if ! find_python recent >/dev/null; then
            say "${PYTHON:-python3} is not Python 3.10 or newer. Install one, or name it: make PYTHON=/path/to/python3"
            return 1
        fi
        install_packages python3-venv
        if ! python=$(find_python complete); then
            say "python3-venv is installed, yet ${PYTHON:-python3} cannot make a virtual environment." \
                "Name one that can: make PYTHON=/path/to/python3"
            return 1
        fi
    fi
    quietly "making .venv with ${python}" "${python}" -m venv --clear .venv
}

# A virtual environment contains absolute paths, so a moved checkout needs a new one. So does another interpreter.
fingerprint() {
    {
        pwd
        .venv/bin/python -c 'import sys; print(sys.version, sys.base_prefix)'
        cat pyproject.toml constraints.txt
    } | cksum
}

up_to_date() {
    [[ -r ${STAMP} && -x .venv/bin/grader && $(<"${STAMP}") == "$(fingerprint)" ]]
}

main() {
    local packages=(--editable '.[dev]' --constraint constraints.txt)
    if up_to_date 2>/dev/null; then
        return
    fi
    say "installing the grader and its Python packages into .venv (about a minute)"
    make_venv
    quietly "pip install" .venv/bin/python -m pip install --disable-pip-version-check "${packages[@]}"
    fingerprint >"${STAMP}"
}

main
