#!/usr/bin/env bash
# Makes sure that a Docker engine answers. An engine that answers is used as it is. Otherwise, if run by root, this installs and
# starts the distribution's engine, with the service manager if there is one.
#
# An engine that was started here keeps running, because the next command needs it too. To end it, set GRADER_ENGINE_PID_FILE to
# a file: its process id is written there, for kill. Nothing is written for an engine that was running before, or that systemd
# runs.
#
# Environment: DOCKER_HOST, the engine to use. If that engine does not answer, no other one is used.
# Exit status: 0 an engine answers; 3 there is none, and the reason was printed.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

readonly NO_ENGINE=3
readonly START_TIMEOUT_S=60
readonly LOG=/var/log/dockerd.log
readonly PID_FILE=/var/run/docker.pid    # dockerd's own

answers() {
    timeout 30 docker version </dev/null >/dev/null 2>&1
}

wait_until_it_answers() {
    local deadline=$((SECONDS + START_TIMEOUT_S))
    until answers; do
        ((SECONDS < deadline)) || return 1
        sleep 0.5
    done
}

systemd_runs() {
    [[ -d /run/systemd/system ]]
}

sysvinit_runs() {
    [[ $(</proc/1/comm) == init && -x /etc/init.d/docker ]]
}

# Tells users who are not root why no engine can be started here.
explain_to_user() {
    local socket=/var/run/docker.sock
    if [[ -n ${DOCKER_HOST:-} ]]; then
        say "no Docker engine answers at DOCKER_HOST=${DOCKER_HOST}: correct it, unset it, or start that engine"
    elif [[ -S ${socket} && ! -w ${socket} ]]; then
        say "a Docker engine is here, but you may not use it. Run, then log in again: sudo usermod -aG docker ${USER:-\$USER}"
    elif have docker; then
        say "no Docker engine answers. Start Docker Desktop, or run: sudo systemctl start docker"
    else
        say "there is no Docker engine, and only root may install one. Install Docker Desktop, or run:"
        say "    sudo apt-get update && sudo apt-get install docker.io && sudo usermod -aG docker ${USER:-\$USER}"
    fi
}

cgroups_are_mounted() {
    grep -qE ' cgroup2? ' /proc/self/mounts
}

# Prints the packages that an engine needs, including those that docker.io only recommends or does not mention.
engine_packages() {
    have dockerd || printf '%s\n' docker.io ca-certificates
    # Newer releases have the docker command in its own package.
    if ! have docker && apt-cache show docker-cli >/dev/null 2>&1; then
        echo docker-cli
    fi
    # If the kernel enforces AppArmor, dockerd calls apparmor_parser.
    if grep -qs Y /sys/module/apparmor/parameters/enabled && ! have apparmor_parser; then
        echo apparmor
    fi
    # Without systemd the control groups are possibly not mounted.
    cgroups_are_mounted || have cgroupfs-mount || echo cgroupfs-mount
}

# Names programs that dockerd and the grader's containers (init: true) run and that are missing. On Debian and Ubuntu the
# packages above install all of them.
name_missing_programs() {
    local program
    for program in docker dockerd containerd runc iptables docker-init; do
        have "${program}" || say "the program ${program} is still missing; without it the engine may not work"
    done
}

install_engine() {
    local packages
    if have dockerd && have docker; then
        return
    fi
    # engine_packages reads the package lists, so there must be some.
    if have apt-get && ! apt-cache show docker.io >/dev/null 2>&1; then
        quietly "apt-get update" apt update || true
    fi
    mapfile -t packages < <(engine_packages)
    install_packages "${packages[@]}" || return
    name_missing_programs
}

# On some machines installing the engine starts it.
dockerd_runs() {
    [[ -r ${PID_FILE} ]] && kill -0 "$(<"${PID_FILE}")" 2>/dev/null
}

# Starts dockerd detached, so that neither Ctrl-C nor the end of this terminal reaches it. Programs that bash starts in the
# background ignore SIGINT, and so do their children; env resets that.
start_dockerd() {
    local pid deadline=$((SECONDS + START_TIMEOUT_S))
    say "starting dockerd in the background; its log is ${LOG}"
    setsid env --default-signal=INT,QUIT dockerd "$@" </dev/null >"${LOG}" 2>&1 &
    pid=$!
    until answers; do
        if ! kill -0 "${pid}" 2>/dev/null; then
            return 1
        elif ((SECONDS >= deadline)); then
            kill "${pid}" || true
            return 1
        fi
        sleep 0.5
    done
}

start_by_hand() {
    if ! cgroups_are_mounted && have cgroupfs-mount; then
        cgroupfs-mount
    fi
    start_dockerd && return
    tail -n 15 "${LOG}" >&2
    say "dockerd did not come up; the end of its log is above"
    grep -qi iptables "${LOG}" || return
    # The grader's containers have no network, so an engine that cannot set one up is good enough.
    say "trying again without a network of its own, which the kernel or iptables may have refused"
    start_dockerd --iptables=false --bridge=none && return
    tail -n 15 "${LOG}" >&2
    return 1
}

start_engine() {
    if dockerd_runs; then
        wait_until_it_answers
    elif systemd_runs; then
        quietly "systemctl start docker" systemctl start docker && wait_until_it_answers
    elif sysvinit_runs; then
        quietly "service docker start" service docker start && wait_until_it_answers
    else
        start_by_hand
    fi
}

write_pid() {
    if [[ -n ${GRADER_ENGINE_PID_FILE:-} && -r ${PID_FILE} ]] && ! systemd_runs; then
        cat "${PID_FILE}" >"${GRADER_ENGINE_PID_FILE}"
    fi
}

main() {
    if answers; then
        return
    elif [[ -n ${DOCKER_HOST:-} ]] || ((EUID != 0)); then
        explain_to_user
        return "${NO_ENGINE}"
    fi
    say "no Docker engine answers"
    if install_engine && start_engine; then
        write_pid
        say "a Docker engine answers now"
        return
    fi
    say "no Docker engine could be started here; why is above"
    return "${NO_ENGINE}"
}

main
