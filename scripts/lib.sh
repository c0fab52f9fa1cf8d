# shellcheck shell=bash
# Functions for the set-up scripts. Sourced, never run. Changes to the project's folder.
#
# Messages go to standard error, so that a script's standard output is its result.

# The PATH of an ordinary login can lack the folders of dockerd and iptables.
PATH=${PATH}:/usr/local/sbin:/usr/sbin:/sbin
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# A folder for logs and probes, removed when the script ends.
SCRATCH=$(mktemp -d)
trap 'rm -rf "${SCRATCH}"' EXIT

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# Runs "${@:2}" without its output. If it fails, says that $1 failed and shows the end of the output.
quietly() {
    local what=$1 status=0
    shift
    "$@" </dev/null >"${SCRATCH}/log" 2>&1 || status=$?
    if ((status != 0)); then
        tail -n 30 "${SCRATCH}/log" >&2
        say "${what} failed with exit status ${status}; the end of its output is above"
    fi
    return "${status}"
}

apt() {
    # A fresh machine often updates itself in the first minutes: wait for its lock. needrestart must not restart unrelated
    # services.
    DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

apt_install() {
    apt install -y --no-install-recommends "$@" && return
    # The list of packages can be missing or out of date. Update it only then. A source that does not answer need not matter,
    # as long as the packages can be installed.
    apt update || true
    apt install -y --no-install-recommends "$@"
}

# Installs packages if run by root. Otherwise prints what to run, and fails. Never uses sudo: the user decides about that.
install_packages() {
    if ! have apt-get; then
        say "this is not Debian or Ubuntu: install what Debian calls $*, then run this again"
        return 1
    elif ((EUID != 0)); then
        say "some packages are missing, and only root may install them. Run, then try again:"
        say "    sudo apt-get update && sudo apt-get install --no-install-recommends $*"
        return 1
    fi
    say "installing $*"
    quietly "apt-get install $*" apt_install "$@"
}
