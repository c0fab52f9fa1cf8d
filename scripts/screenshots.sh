#!/usr/bin/env bash
# Makes the pictures in docs/images again: reports and pages with Chromium, terminals with tmux. All show a real submission,
# examples/stops-at-0xff, except the class, which is invented.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

readonly EXAMPLE=stops-at-0xff PICTURES=docs/images
readonly COLUMNS_SHOWN=84 LINES_SHOWN=120 WAIT_S=120

# Writes what a terminal shows after the command $2, with colours, into the file $1.
show_terminal() {
    local shown=$1 command=$2 socket=${SCRATCH}/tmux waited=0
    tmux -S "${socket}" -f /dev/null new-session -d -x "${COLUMNS_SHOWN}" -y "${LINES_SHOWN}" \
        "clear; ${command}; touch '${SCRATCH}/ended'; sleep ${WAIT_S}"
    until [[ -e ${SCRATCH}/ended ]]; do
        sleep 0.5
        ((++waited < 2 * WAIT_S)) || {
            say "${command} did not end within ${WAIT_S} s"
            return 1
        }
    done
    tmux -S "${socket}" capture-pane -e -p >"${shown}"
    tmux -S "${socket}" kill-server
}

main() {
    local folder=${SCRATCH}/tr2 status=0
    scripts/setup-python.sh
    scripts/setup-tools.sh gcc strace chromium tmux pngquant
    cp -r "examples/${EXAMPLE}" "${folder}"
    # The first run also runs the reference, and says so.
    .venv/bin/grader check "${folder}" --json >"${SCRATCH}/report.json" || status=$?
    ((status == 1)) || {
        say "grader check ended with ${status}; ${EXAMPLE} is to fail checks, which gives 1"
        return 1
    }
    show_terminal "${SCRATCH}/terminal.txt" "cd '${folder}'; '${PWD}/.venv/bin/grader' check --quick"
    .venv/bin/python -m scripts.pictures "${SCRATCH}/report.json" "${SCRATCH}/terminal.txt" "${PICTURES}"
    pngquant --force --ext .png --quality 70-95 --strip "${PICTURES}"/*.png
}

main
