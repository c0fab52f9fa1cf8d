#!/usr/bin/env bash
# Makes docs/images/report.png again: the report of examples/stops-at-0xff, graded as in make demo.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

readonly EXAMPLE=stops-at-0xff

main() {
    scripts/setup.sh
    scripts/setup-tools.sh chromium
    .venv/bin/grader grade "examples/${EXAMPLE}" --lab tr2 --out "${SCRATCH}"
    PYTHONPATH=tests .venv/bin/python -m browser.picture "${SCRATCH}/${EXAMPLE}/report.json" docs/images/report.png
}

main
