#!/usr/bin/env bash
# Sets up the grader where Gradescope builds an assignment's image: on Ubuntu 22.04 or newer, or Debian bookworm or newer.
# Runs once, as root. The zip's other files are next to it: the grader's wheel, constraints.txt, lab.yaml, and perhaps wheels/
# with the Python packages, so that it needs no package index.
#
# Exit status: 0 the grader is ready, 1 it is not, and the reason was printed.
set -euo pipefail
umask 022

SOURCE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly SOURCE
readonly GRADER=/opt/iolab-grader    # run_autograder knows it too
readonly VENV=${GRADER}/venv
readonly SYSTEM_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH=${SYSTEM_PATH}

SCRATCH=$(mktemp -d)
readonly SCRATCH
trap 'rm -rf -- "${SCRATCH}"' EXIT

say() {
    printf 'setup.sh: %s\n' "$*" >&2
}

die() {
    say "$@"
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# Runs "${@:3}". If it fails, prints the end of its output, that $1 failed, and what to do ($2).
step() {
    local what=$1 remedy=$2 status=0
    shift 2
    say "${what}"
    "$@" </dev/null >"${SCRATCH}/log" 2>&1 || status=$?
    ((status == 0)) && return
    tail -n 30 "${SCRATCH}/log" >&2
    die "${what} failed with exit status ${status}; the end of its output is above. ${remedy}"
}

vendored() {
    [[ -d ${SOURCE}/wheels ]]
}

# A compiler may be installed without the C library's headers.
compiles() {
    have gcc && gcc -x c -o "${SCRATCH}/probe" - >"${SCRATCH}/log" 2>&1 <<'PROBE'
#include <linux/seccomp.h>
#include <stdio.h>
int main(void) { return puts("") == EOF; }
PROBE
}

# Debian and Ubuntu have ensurepip, which installs pip into a virtual environment, in another package. The zip may have
# its own pip.
makes_venvs() {
    local modules='venv, ensurepip'
    ! vendored || modules=venv
    python3 -c "import sys, ${modules}; sys.exit(sys.version_info < (3, 10))" >"${SCRATCH}/log" 2>&1
}

apt_install() {
    local apt=(apt-get -q -o DPkg::Lock::Timeout=300)
    export DEBIAN_FRONTEND=noninteractive
    "${apt[@]}" install -y --no-install-recommends "$@" && return
    # The list of packages may be missing or old. It may not matter if one source does not answer.
    "${apt[@]}" update || true
    "${apt[@]}" install -y --no-install-recommends "$@"
}

# Prints the packages of the tools that build the lab's programs and are not here. Each line of the file has a tool and
# its package.
packages_of_lab() {
    local tool package
    [[ -r ${SOURCE}/tools ]] || return 0
    while read -r tool package; do
        have "${tool}" || printf '%s\n' "${package}"
    done <"${SOURCE}/tools"
}

install_packages() {
    local packages=()
    mapfile -t packages < <(packages_of_lab)
    compiles || packages+=(gcc libc6-dev)
    have strace || packages+=(strace)
    if ! makes_venvs; then
        packages+=(python3)
        vendored || packages+=(python3-venv)
    fi
    ((${#packages[@]} > 0)) || return 0
    have apt-get || die "this is no Debian or Ubuntu: choose Ubuntu 22.04 as the autograder's base image," \
        "or put into yours what Debian calls ${packages[*]}"
    step "installing ${packages[*]}" "Is there a network? Build the image again, or put these packages into its base." \
        apt_install "${packages[@]}"
    compiles || die "gcc is installed and does not compile: $(<"${SCRATCH}/log")"
    makes_venvs || die "$(python3 --version) cannot make a virtual environment, or is older than 3.10:" \
        "choose Ubuntu 22.04 or newer as the autograder's base image. $(tail -n 1 "${SCRATCH}/log")"
}

# gcc brings its sanitizers. Without valgrind, reports say that uses of memory that was never set were not looked for.
install_valgrind() {
    have valgrind || ! have apt-get || apt_install valgrind </dev/null >"${SCRATCH}/log" 2>&1 ||
        say "valgrind cannot be installed, and is not needed to grade: going on without it"
}

make_venv() {
    local options=(--clear)
    ! vendored || options+=(--without-pip)
    # Closed before any file is in it, because the reference solution will be, and student code runs under another uid.
    step "making ${GRADER}" "It has to be a folder of root's that can be written to." \
        install -d -m 0700 -o root -g root "${GRADER}"
    step "making a virtual environment" "Is the disk full?" python3 -m venv "${options[@]}" "${VENV}"
}

install_grader() {
    local wheel=$1
    local pip=("${VENV}/bin/python" -m pip) from=()
    local remedy="Is there a network? Without one, make the zip by 'grader gradescope build --vendor'."
    if vendored; then
        pip=("${VENV}/bin/python" "$(echo "${SOURCE}"/wheels/pip-*.whl)/pip")
        from=(--no-index --find-links "${SOURCE}/wheels")
        remedy="The zip's wheels may be for other Pythons or machines than this $(python3 --version) on $(uname -m):"
        remedy+=" see 'grader gradescope build --help', or make the zip without --vendor."
    fi
    step "installing the grader" "${remedy}" \
        "${pip[@]}" install --disable-pip-version-check --no-input --no-cache-dir "${from[@]}" \
        --constraint "${SOURCE}/constraints.txt" "${wheel}"
}

# In the same environment as in run_autograder, so that the grader finds its cache again.
prepare() {
    say "running the reference solution once (a minute or two)"
    env -i PATH="${SYSTEM_PATH}" HOME=/root LC_ALL=C.UTF-8 XDG_CACHE_HOME="${GRADER}/cache" \
        "${VENV}/bin/grader" gradescope prepare --lab "${SOURCE}/lab.yaml" </dev/null ||
        die "the grader is installed, but cannot grade with ${SOURCE}/lab.yaml here: the lines above say why"
}

main() {
    local wheels=("${SOURCE}"/iolab_grader-*.whl)
    [[ ${#wheels[@]} == 1 && -r ${wheels[0]} && -r ${SOURCE}/constraints.txt && -r ${SOURCE}/lab.yaml ]] ||
        die "the grader's wheel, constraints.txt and lab.yaml have to lie beside this script in ${SOURCE}, as they do in" \
            "the zip that 'grader gradescope build' makes: make it again, and upload it as it is"
    ((EUID == 0)) || die "only root can set the grader up: Gradescope runs this script as root"
    install_packages
    install_valgrind
    make_venv
    install_grader "${wheels[0]}"
    prepare
    say "the grader is ready"
}

main
