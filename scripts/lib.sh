# shellcheck shell=bash
# What the set-up scripts share. Sourced, never run; it makes the project's folder the current one.
#
# Everything is said on standard error, so that a script's standard output is its result.

# An unprivileged login's PATH may lack the folders where dockerd and iptables are.
PATH=${PATH}:/usr/local/sbin:/usr/sbin:/sbin
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# A folder for logs and probes, gone when the script ends.
SCRATCH=$(mktemp -d)
trap 'rm -rf "${SCRATCH}"' EXIT

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# Runs "${@:2}" without its output; where it fails, says that $1 failed and shows the end of the output.
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
    # A fresh machine often updates itself in the first minutes: wait for its lock. needrestart must not restart services
    # that are nothing to do with us.
    DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

apt_install() {
    apt install -y --no-install-recommends "$@" && return
    # A list of packages may be missing or out of date; then update, and only then. One source that fails to answer need not
    # matter: whether the packages can be had is what counts.
    apt update || true
    apt install -y --no-install-recommends "$@"
}

# Installs packages where root runs us; else says what to run, and fails. Never sudo: that is the user's to decide.
install_packages() {
    if ! have apt-get; then
        say "this is no Debian or Ubuntu: install what Debian calls $*, then run this again"
        return 1
    elif ((EUID != 0)); then
        say "some packages are missing, and only root may install them. Run, then try again:"
        say "    sudo apt-get update && sudo apt-get install --no-install-recommends $*"
        return 1
    fi
    say "installing $*"
    quietly "apt-get install $*" apt_install "$@"
}
