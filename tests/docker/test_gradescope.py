"""The stand-in for Gradescope's harness: what a small autograder finds there, and what becomes of what it leaves."""

from __future__ import annotations

import base64
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient
from docker.models.containers import Container

from grader.errors import EngineUnavailableError, GraderError, UsageError
from grader.gradescope.simulator.accepted_results import NO_RESULTS, OUTPUT_CHARS
from grader.gradescope.simulator.image import build
from grader.gradescope.simulator.outcome import KILLED
from grader.gradescope.simulator.run import CPUS, ENVIRONMENT, MEMORY
from grader.sandbox.engine import image_tag
from tests.contract.containers import Traces, wait_until
from tests.waits import ENDS_S

from .autograders import ACTS, UPLOAD, Simulator, assert_gone, leaving, zip_of

pytestmark = pytest.mark.docker

MIB = 1 << 20


def test_results_come_back_as_the_platform_would_take_them(
    simulator: Simulator, tmp_path: Path, made: Traces
) -> None:
    started_s = time.monotonic()
    outcome = simulator.act(tmp_path / "in", leaving(ACTS) + "echo out; echo err >&2; cat; sleep 1; exit 9\n")
    took_s = time.monotonic() - started_s
    assert outcome.problem == ""
    assert outcome.results == json.loads(outcome.raw or b"") == ACTS
    assert outcome.stdout == "out\nerr\n"
    assert outcome.exit_status == 9
    assert 1 <= outcome.wall_s <= took_s
    assert not outcome.timed_out
    assert outcome.oom_kills == 0
    assert MIB < (outcome.peak_memory_bytes or 0) < 200 * MIB
    assert_gone(made)


def test_the_container_has_dockers_defaults_but_for_its_limits_and_the_network(
    simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, Any]] = []
    start = Container.start

    def noting(self: Container) -> None:
        self.reload()
        seen.append(self.attrs["HostConfig"])
        start(self)

    monkeypatch.setattr(Container, "start", noting)
    status = simulator.act(tmp_path / "in", "cat /proc/self/status; ls /sys/class/net\n").stdout
    (host,) = seen
    assert host["Memory"] == host["MemorySwap"] == int(MEMORY.removesuffix("m")) * MIB
    assert host["NanoCpus"] == CPUS * 1e9
    assert host["NetworkMode"] == "none"
    assert not any(host[key] for key in ("CapAdd", "CapDrop", "SecurityOpt", "Privileged", "ReadonlyRootfs"))
    assert not any(host.get(key) for key in ("PidsLimit", "Binds", "Devices", "Tmpfs", "Ulimits"))
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    assert lines["Uid"].split() == ["0"] * 4
    assert lines["NoNewPrivs"].strip() == "0"
    assert lines["Seccomp"].strip() == "2"
    assert status.splitlines()[-1] == "lo"


def test_what_is_where(simulator: Simulator, tmp_path: Path) -> None:
    script = """
        pwd; ls; ls results submission; cat source/data/words.txt /opt/left/*; ls -A /tmp /var/tmp
        cat /proc/1/cmdline | tr '\\0' ' '
    """
    said = simulator.act(tmp_path / "in", script).stdout
    names = ["harness.py", "results", "run_autograder", "source", "submission", "submission_metadata.json"]
    results, submission = ["results:", "stdout", ""], ["submission:", "act.sh"]
    left = ["/", "0"]  # where setup.sh ran, and as whom; of the rest that it left nothing is there
    assert said.splitlines() == [
        "/autograder",
        *names,
        *results,
        *submission,
        "words",
        *left,
        "/tmp:",  # noqa: S108 - what ls says
        "",
        "/var/tmp:",  # noqa: S108 - the same
        "python3 -I /autograder/harness.py ",
    ]


def test_the_environment_has_urls_and_the_token_is_the_harness_own(simulator: Simulator, tmp_path: Path) -> None:
    script = "env -0 | base64 -w 0; echo; tr '\\0' '\\n' < /proc/1/environ | grep TOKEN\n"
    outcome = simulator.act(tmp_path / "in", script, timeout_s=33, environment={"OF_THE_TEST": "a b"})
    env, token = outcome.stdout.splitlines()
    found = dict(line.split("=", 1) for line in base64.b64decode(env).decode().removesuffix("\0").split("\0"))
    assert found["TIMEOUT_SECONDS"] == "33"
    assert found["OF_THE_TEST"] == "a b"
    hidden = {"AUTHENTICATION_TOKEN"}
    assert {name: found[name] for name in set(ENVIRONMENT) - hidden} == {
        name: value for name, value in ENVIRONMENT.items() if name not in hidden
    }
    assert not hidden & set(found)
    assert token == f"AUTHENTICATION_TOKEN={ENVIRONMENT['AUTHENTICATION_TOKEN']}"


@pytest.mark.parametrize("about", [b'{"id": 1, "broken', b"", b"\xff\0"])
def test_metadata_can_be_any_bytes(simulator: Simulator, tmp_path: Path, about: bytes) -> None:
    said = simulator.act(tmp_path / "in", "base64 submission_metadata.json; echo\n", metadata=about).stdout
    assert base64.b64decode(said) == about


def test_metadata_is_the_usual_or_what_is_given(simulator: Simulator, tmp_path: Path) -> None:
    usual = json.loads(simulator.act(tmp_path / "in", "cat submission_metadata.json\n").stdout)
    assert usual["submission_method"] == "upload"
    assert usual["previous_submissions"] == []
    given = {"id": 7, "users": [{"name": "Zoë"}]}
    assert (
        json.loads(simulator.act(tmp_path / "in", "cat submission_metadata.json\n", metadata=given).stdout) == given
    )


def test_files_arrive_whatever_their_names_and_without_their_modes(simulator: Simulator, tmp_path: Path) -> None:
    names = [
        b"plain.c",
        b"two words.c",
        b"-rf",
        b"line\nfeed.c",
        b".hidden",
        "zoë-Ω.c".encode(),
        b"caf\xe9.c",
        b"n" * 200 + b".c",
        b"deep/" * 40 + b"est.c",
        b"'quotes\" and $(touch x) * ?.c",
    ]
    for name in names:
        path = tmp_path / "in" / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name)
    (tmp_path / "in" / "plain.c").chmod(0o777)
    (tmp_path / "in" / "link.c").symlink_to("/etc/passwd")
    script = """
        cd submission
        find . ! -type d ! -name act.sh -printf '%P\\0%m %U\\0' -exec cat {} \\; -printf '\\0' | base64 -w 0
    """
    said = base64.b64decode(simulator.act(tmp_path / "in", script).stdout)
    fields = said.removesuffix(b"\0").split(b"\0")
    found = {fields[i]: (fields[i + 1], fields[i + 2]) for i in range(0, len(fields), 3)}
    assert found == {name: (b"644 0", name) for name in names}


def test_a_zip_is_a_submission_too(simulator: Simulator, tmp_path: Path) -> None:
    (tmp_path / "work.zip").write_bytes(zip_of({"act.sh": leaving({"score": 4}).encode()}))
    assert simulator.run(tmp_path / "work.zip").results == {"score": 4}


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("true", "there is no results.json"),
        ("rm -r results", "there is no results.json"),
        ("mkdir results/results.json", "there is no results.json"),
        ("echo '{\"score\": 5' > results/results.json", "results.json is not JSON"),
        ("kill -9 $$", "there is no results.json"),
    ],
)
def test_without_results_the_platform_says_that_the_autograder_failed(
    simulator: Simulator, tmp_path: Path, script: str, problem: str
) -> None:
    outcome = simulator.act(tmp_path / "in", script)
    assert outcome.results == NO_RESULTS
    assert outcome.problem.startswith(problem)


@pytest.mark.slow
def test_a_time_out_ends_everything_and_loses_what_there_was(
    simulator: Simulator, tmp_path: Path, made: Traces
) -> None:
    endless = f"while true; do {leaving(ACTS).strip()}; done"
    script = f"trap '' TERM INT HUP\nsetsid bash -c \"trap '' TERM; sleep 300\" &\n({endless}) &\n{endless}\n"
    outcome = simulator.act(tmp_path / "in", script, timeout_s=3)
    assert outcome.timed_out
    assert outcome.results == json.loads(outcome.raw or b"")
    assert outcome.results is not None
    assert outcome.results["score"] == 0
    assert "tests" not in outcome.results
    assert outcome.results["output"].startswith("Your submission timed out. It took longer than 3 seconds")
    assert "timed out" in outcome.problem
    assert 3 <= outcome.wall_s < 60
    assert_gone(made)


def test_children_that_are_left_are_not_waited_for(simulator: Simulator, tmp_path: Path, made: Traces) -> None:
    outcome = simulator.act(tmp_path / "in", f"setsid sleep 300 &\n{leaving(ACTS)}")
    assert outcome.results == ACTS
    assert not outcome.timed_out
    assert_gone(made)


@pytest.mark.slow
def test_orphans_are_reaped(simulator: Simulator, tmp_path: Path) -> None:
    script = """
        for i in $(seq 50); do (sleep 0.1 & ) ; done
        for i in $(seq 40); do
            zombies=$(grep -l 'State:.Z' /proc/[0-9]*/status | wc -l)
            [ $zombies = 0 ] && break
            sleep 1
        done
        echo $zombies
    """
    assert simulator.act(tmp_path / "in", script).stdout == "0\n"


def test_output_that_is_too_long_is_told(simulator: Simulator, tmp_path: Path) -> None:
    long = OUTPUT_CHARS + 1
    script = f"""
        python3 - <<'END'
import json
text = "b" + "x" * {long - 2} + "e"
print(text, end="")
with open("results/results.json", "w") as file:
    json.dump({{"score": 1, "output": text, "tests": [{{"output": text}}, {{"output": text[1:]}}]}}, file)
END
    """
    outcome = simulator.act(tmp_path / "in", script)
    text = "b" + "x" * (long - 2) + "e"
    assert outcome.stdout == text
    assert outcome.results == {"score": 1, "output": text, "tests": [{"output": text}, {"output": text[1:]}]}
    assert len(outcome.warnings) == 2
    assert outcome.problem == ""


def test_nul_becomes_another_character(simulator: Simulator, tmp_path: Path) -> None:
    script = """printf 'a\\0b'; printf '{"score": 1, "output": "c\\0d\\\\u0000e"}' > results/results.json\n"""
    outcome = simulator.act(tmp_path / "in", script)
    assert outcome.stdout == "a\ufffdb"
    assert outcome.results == {"score": 1, "output": "c\ufffdd\0e"}
    assert len(outcome.warnings) == 1


def test_memory_over_the_limit_ends_the_process_and_is_told(simulator: Simulator, tmp_path: Path) -> None:
    outcome = simulator.act(tmp_path / "in", "python3 -c 'print(len(b\"x\" * (200 << 20)))'\n", memory="100m")
    assert outcome.results == NO_RESULTS
    assert (outcome.oom_kills or 0) > 0
    assert "for lack of memory" in outcome.problem
    assert outcome.exit_status == 128 + signal.SIGKILL
    assert 90 * MIB < (outcome.peak_memory_bytes or 100 * MIB) <= 100 * MIB


@pytest.mark.slow
def test_memory_over_the_limit_of_the_harness_itself_ends_all(
    simulator: Simulator, tmp_path: Path, made: Traces
) -> None:
    outcome = simulator.act(tmp_path / "in", leaving(ACTS) + "truncate -s 1G results/stdout\n", memory="100m")
    assert (outcome.results, outcome.raw, outcome.problem) == (None, None, KILLED)
    assert_gone(made)


def test_a_zip_is_built_once(simulator: Simulator, client: DockerClient) -> None:
    assert build(UPLOAD, client=client, notify=pytest.fail) == simulator.image


@pytest.mark.slow
def test_another_base_is_another_image_and_its_own_python_will_do(
    simulator: Simulator, client: DockerClient, tmp_path: Path
) -> None:
    other = Simulator(build(UPLOAD, base=image_tag(), client=client, notify=print))
    try:
        assert other.image.tag != simulator.image.tag
        assert other.act(tmp_path / "in", "gcc --version | head -n 1\n").stdout.startswith("gcc (Debian")
    finally:
        client.images.remove(other.image.tag, force=True)


def test_a_base_that_is_not_to_be_had_is_named(client: DockerClient) -> None:
    with pytest.raises(EngineUnavailableError, match=r"no image can be built on nowhere\.invalid/none:1:"):
        build(UPLOAD, base="nowhere.invalid/none:1", client=client, notify=print)


@pytest.mark.slow
def test_a_setup_that_fails_says_its_last_lines_and_leaves_nothing(client: DockerClient) -> None:
    # The engine reads the two streams on their own; lines that come at the same time have no order.
    failing = b"for i in $(seq 100); do echo line $i; done\nsleep 1\necho no such thing >&2\nexit 113\n"
    with pytest.raises(GraderError, match=r"the set-up \(setup\.sh\) failed") as caught:
        build(zip_of({"setup.sh": failing, "run_autograder": b""}), client=client, notify=print)
    said = str(caught.value)
    assert said.splitlines()[-3:-1] == ["line 100", "no such thing"]
    assert "returned a non-zero code: 113" in said
    assert "line 50\n" not in said
    ended: dict[str, str | list[str] | bool] = {"exited": "113"}
    assert wait_until(lambda: not client.containers.list(all=True, sparse=True, filters=ended), ENDS_S)


def test_a_zip_without_its_files_asks_no_engine(client: DockerClient) -> None:
    with pytest.raises(UsageError, match=r"no setup\.sh"):
        build(zip_of({"x/run_autograder": b""}), client=client, notify=pytest.fail)


@pytest.mark.slow
def test_a_run_autograder_that_cannot_be_started_is_told(
    new_simulator: Callable[..., Simulator], tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    crlf = zip_of({"setup.sh": b"exit 0\r\n", "run_autograder": b"#!/bin/none\r\n"})
    outcome = new_simulator(crlf).run(tmp_path / "in")
    assert outcome.problem == "run_autograder could not be started: No such file or directory"
    assert outcome.results == NO_RESULTS
