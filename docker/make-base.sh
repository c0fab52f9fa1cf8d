#!/usr/bin/env bash
# Makes the base image debian:SUITE-slim where it is missing: from the registry if one answers, else from Debian's packages
# by debootstrap, which checks their signatures.
#
# Usage: make-base.sh [SUITE]     SUITE is bookworm (the default), trixie, ...
# Environment: DOCKER_HOST, the engine; DEBIAN_MIRROR, a mirror other than debootstrap's own; TMPDIR, where 600 MB are
# needed for a minute (/var/tmp by default, as /tmp is often small or in memory).
# Exit status: 0 the image is there, 1 it is not and why was printed, 2 wrong usage, 130 or 143 interrupted.
#
# It needs nothing else of the project, so that it also works from an installed wheel.
set -euo pipefail

# An unprivileged login's PATH, or sudo's, may lack the folder of debootstrap and chroot.
PATH=${PATH}:/usr/local/sbin:/usr/sbin:/sbin

readonly PULL_TIMEOUT_S=180
readonly NEEDED_KB=$((600 * 1024))
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

work=''        # our folder, removed on every way out
child_pid=''   # what runs just now, a process group of its own

say() {
    printf 'make-base.sh: %s\n' "$*" >&2
}

die() {
    say "$@"
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# The whole group must be gone before the folder is removed, or it writes into what is being removed.
end_child() {
    kill -TERM -- "-${child_pid}" 2>/dev/null || return 0
    for _ in {1..50}; do
        kill -0 -- "-${child_pid}" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL -- "-${child_pid}" 2>/dev/null || true
}

clean_up() {
    [[ -z ${child_pid} ]] || end_child
    [[ -z ${work} ]] || rm -rf --one-file-system -- "${work}"
}

# Runs a command so that a signal ends it at once: bash runs traps only between foreground commands, but a wait is
# interrupted. The process group of its own lets clean_up reach the command's children too.
run() {
    local status=0
    setsid "$@" &
    child_pid=$!
    wait "${child_pid}" || status=$?
    child_pid=''
    return "${status}"
}

pull() {
    say "no image $1 here; asking the registry"
    run timeout "${PULL_TIMEOUT_S}" docker pull --quiet "$1" </dev/null >/dev/null
}

# The image must be of the engine's architecture, and debootstrap makes that of this machine.
require_same_architecture() {
    local engine here
    engine=$(docker version --format '{{.Server.Arch}}')
    here=$(dpkg --print-architecture)
    [[ ${engine} == "${here}" ]] ||
        die "the engine runs on ${engine}, this machine is ${here}: run this script on the engine's machine"
}

# Said here, as debootstrap takes a full disk for a mirror that does not answer.
require_space() {
    local free_kb
    free_kb=$(df --output=avail -k "${work}" | tail -n 1)
    ((free_kb >= NEEDED_KB)) || die "${work%/*} has $((free_kb / 1024)) MB free and $((NEEDED_KB / 1024)) MB are needed:" \
        "make room, or name another folder in TMPDIR"
}

require_debootstrap() {
    local packages=(debootstrap debian-archive-keyring gpgv)
    if have debootstrap && have gpgv && [[ -r ${KEYRING} ]]; then
        return
    fi
    have apt-get || die "no registry answered, and this is no Debian or Ubuntu, so debootstrap cannot be installed:" \
        "connect to a registry, or load $1 with 'docker load'"
    say "installing ${packages[*]}"
    local apt=(apt-get -q -o DPkg::Lock::Timeout=300)
    export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
    # A list of packages may be missing or years old; then update, and only then.
    "${apt[@]}" install -y --no-install-recommends "${packages[@]}" </dev/null >"${work}/log" 2>&1 && return
    { "${apt[@]}" update || true; } </dev/null >>"${work}/log" 2>&1
    "${apt[@]}" install -y --no-install-recommends "${packages[@]}" </dev/null >>"${work}/log" 2>&1 && return
    tail -n 20 "${work}/log" >&2
    die "apt-get could not install ${packages[*]}; its last lines are above"
}

# Unpacks a minimal Debian into $work/root.
bootstrap() {
    local suite=$1 namespace=()
    # In mounts of its own, nothing that debootstrap mounts can be left behind, not even by kill -9.
    if unshare --mount true 2>/dev/null; then
        namespace=(unshare --mount)
    fi
    run "${namespace[@]}" debootstrap --variant=minbase --force-check-gpg --keyring="${KEYRING}" \
        "${suite}" "${work}/root" ${DEBIAN_MIRROR:+"${DEBIAN_MIRROR}"} </dev/null >"${work}/log" 2>&1
}

# What the official slim images leave out: documentation except licences, translations, caches, and what is this machine's.
slim() {
    local root=$1
    cat >"${root}/etc/dpkg/dpkg.cfg.d/slim" <<'EXCLUDE'
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/groff/*
path-exclude /usr/share/info/*
path-exclude /usr/share/linda/*
path-exclude /usr/share/lintian/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/man/*
EXCLUDE
    echo 'Acquire::Languages "none";' >"${root}/etc/apt/apt.conf.d/slim"
    find "${root}/usr/share/doc" ! -type d ! -name copyright -delete
    find "${root}/usr/share/doc" -type d -empty -delete
    rm -rf "${root}"/usr/share/{groff,info,linda,lintian,locale,man}/*
    rm -rf "${root}"/var/lib/apt/lists/* "${root}"/var/cache/apt/archives/*.deb "${root}"/var/cache/apt/*.bin
    rm -rf "${root}"/var/cache/debconf/*-old "${root}"/var/log/{apt,bootstrap.log,*.log} "${root}"/var/cache/ldconfig/*
    rm -f "${root}"/etc/{hostname,resolv.conf,machine-id}
}

# The name is given last: an import that was cut short must not pass for the image.
import() {
    local root=$1 image=$2 id
    # Docker makes /dev, /proc and /sys itself.
    # shellcheck disable=SC2016  # the inner shell expands $1
    run bash -o pipefail -c 'tar --create --numeric-owner --one-file-system --directory="$1" \
        --exclude="./dev/*" --exclude="./proc/*" --exclude="./sys/*" . |
        docker import --change "CMD [\"bash\"]" --message "debootstrap --variant=minbase" -' \
        import "${root}" >"${work}/id" || return
    id=$(<"${work}/id")
    docker tag "${id}" "${image}"
}

build() {
    local suite=$1 image=$2
    ((EUID == 0)) || die "no registry answered, and debootstrap, which can make ${image} from Debian's packages," \
        "needs root: run 'sudo bash $0 ${suite}', or connect to a registry"
    require_space
    require_debootstrap "${image}"
    require_same_architecture
    say "making ${image} from Debian's packages by debootstrap (half a minute to a few)"
    if ! bootstrap "${suite}"; then
        tail -n 20 "${work}/log" >&2
        die "debootstrap could not make ${suite}; its last lines are above." \
            "If its mirror cannot be reached, name one in DEBIAN_MIRROR"
    fi
    slim "${work}/root"
    import "${work}/root" "${image}" || die "docker import of ${image} failed; the engine's message is above"
}

main() {
    local suite=${1:-bookworm} image
    if (($# > 1)) || [[ ! ${suite} =~ ^[a-z]+$ ]]; then
        say "usage: make-base.sh [SUITE], SUITE as in debian:SUITE-slim, such as bookworm"
        exit 2
    fi
    image=debian:${suite}-slim
    have docker || die "no docker command: install docker.io (and docker-cli where your distribution splits it off)"
    docker version >/dev/null || die "no Docker engine answers; its message is above. Start one, or set DOCKER_HOST"
    if docker image inspect "${image}" >/dev/null 2>&1; then
        return
    fi
    trap clean_up EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if pull "${image}"; then
        say "${image} is there, from the registry"
        return
    fi
    work=$(mktemp -d -p "${TMPDIR:-/var/tmp}" grader-base.XXXXXXXX)
    build "${suite}" "${image}"
    say "${image} is there, made from Debian's packages"
}

main "$@"
