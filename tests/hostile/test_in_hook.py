"""The class in the container of a course system: one by one as the platform has them, and as a class, as root there.

One container of the image that the platform builds serves all of them, so that what one leaves another could find.
"""

from __future__ import annotations

import base64
import io
import subprocess
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from docker.models.containers import Container

from grader.cache.secret import VARIABLE
from grader.cli.exit_status import OK
from grader.gradescope.schema import ResultsJson
from grader.gradescope.simulator.image import build
from grader.model.report import Report
from grader.model.spec.draws import PUBLIC
from grader.model.spec.lab import Spec
from grader.sandbox.docker import DockerSandbox, remove
from grader.sandbox.engine import connect
from grader.sandbox.local_uid import LOCKS
from tests.hidden_lab import SECRETS

from .class_folder import CLASSES, assert_result, assert_verdict, write_canary, write_class
from .programs import Place

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(2400)]  # the first test grades the class

IN_HOOK = CLASSES[Place.HOOK]
IN_LOCAL_CLASS = CLASSES[Place.ROOT]

CONTAINER_CANARY = Path("/var/tmp/canary")  # noqa: S108 - in a container
LOOKS = r"""
cd /var/tmp/canary && stat -c '%n %f %u %Y %s %h' . * && cat file closed
echo processes; for task in /proc/[0-9]*; do stat -c '%u' $task 2> /dev/null; done | sort -u
echo ipc; tail -n +2 -q /proc/sysvipc/*
echo files; find / /dev/shm /dev/mqueue -xdev -uid +59999 -not -uid 65534 -not -path '/proc/*' 2> /dev/null
find /tmp /var/tmp /dev/shm /dev/mqueue -mindepth 1 -not -path '/var/tmp/canary*' | sort
"""


@dataclass
class Hook:
    """A container of the image that Gradescope builds, with both classes in it."""

    container: Container

    def run(self, command: str) -> str:
        status, output = self.container.exec_run(["bash", "-c", command])
        assert isinstance(output, bytes)
        said = output.decode("utf-8", "replace")
        assert status == 0, said[-4000:]
        return said

    def looks(self) -> str:
        """What must not change."""
        return self.run(LOOKS)


@pytest.fixture(scope="module")
def new_hook(
    lab_file: Path, docker_sandbox: DockerSandbox, environment: Mapping[str, str], command_line: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[..., Hook]]:  # fmt: skip
    """Start containers of the zip's image, with Docker's defaults, as the platform does; they may share folders."""
    assert docker_sandbox.image_digest
    folder = tmp_path_factory.mktemp("hook")
    out = folder / "autograder.zip"
    subprocess.run(
        [*command_line, "gradescope", "build", "--lab", str(lab_file), "--vendor", "--out", str(out)],
        env=dict(environment), check=True, timeout=600, capture_output=True,
    )  # fmt: skip
    for place in (Place.HOOK, Place.ROOT):
        write_class(folder / place.name, CONTAINER_CANARY, place)
    write_canary(folder / "canary")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(folder / Place.HOOK.name, "hook")
        archive.add(folder / Place.ROOT.name, "class")
        archive.add(folder / "canary", "var/tmp/canary")
    client = connect()
    image = build(out.read_bytes(), client=client, notify=print)
    containers: list[Container] = []

    def start(*shared: Path) -> Hook:
        container = client.containers.run(
            image.digest, ["sleep", "3000"], detach=True, init=True, network_mode="none",
            volumes={str(path): {"bind": str(path), "mode": "rw"} for path in shared},
            mem_limit="768m", memswap_limit="768m", nano_cpus=2_000_000_000, auto_remove=True,
            environment={"AUTHENTICATION_TOKEN": "not-for-students", "SUBMISSION_URL": "https://gradescope.invalid/1"},
        )  # fmt: skip
        containers.append(container)
        assert container.put_archive("/", packed.getvalue())
        return Hook(container)

    yield start
    for container in containers:
        assert not remove(container)
    client.images.remove(image.tag, force=True)
    client.close()


@dataclass
class HookResults:
    """results.json by name, and what the container was like before and after."""

    results: Mapping[str, ResultsJson]
    before: str
    after: str


HOOK = """
rm -rf /autograder/submission /autograder/results && mkdir /autograder/results
mv {folder} /autograder/submission && cd /autograder
TIMEOUT_SECONDS=300 timeout --kill-after=5 290 ./run_autograder > /var/log/hook.log 2>&1
cat /autograder/results/results.json
"""


@pytest.fixture(scope="module")
def in_hook(new_hook: Callable[..., Hook]) -> HookResults:
    hook = new_hook()
    before = hook.looks()
    results = {}
    for name in IN_HOOK:
        said = hook.run(HOOK.format(folder=f"'/hook/{name}'"))
        results[name] = ResultsJson.model_validate_json(said)
    return HookResults(results, before, hook.looks())


@pytest.mark.parametrize("name", IN_HOOK)
def test_in_the_hook(in_hook: HookResults, lab: Spec, name: str) -> None:
    results = in_hook.results[name]
    assert results.score is not None, results.output
    points = {f"{test.tags[0]}.{test.tags[1]}": float(test.score or 0) for test in results.tests}
    statuses = {f"{test.tags[0]}.{test.tags[1]}": test.status or "skipped" for test in results.tests}
    why = {f"{test.tags[0]}.{test.tags[1]}": test.output for test in results.tests}
    assert_verdict(points, statuses, IN_HOOK[name].expected, lab, why)
    shown = [results.output] + [test.output for test in results.tests if test.visibility == "visible"]
    # Messages of the compiler repeat what the source itself says.
    own = b"".join(IN_HOOK[name].sources(CONTAINER_CANARY).values())
    for secret in SECRETS:
        assert secret.encode() in own or secret not in "".join(shown), secret


def test_the_hook_leaves_everything_as_it_was(in_hook: HookResults) -> None:
    assert in_hook.after == in_hook.before


@dataclass
class LocalResults:
    """Reports by name, how the grader ended, and what the container was like before and after."""

    status: int
    reports: Mapping[str, Report]
    before: str
    after: str


LOCALLY = """
# The hook closes this folder. Here it holds the lab, which a grader that works locally must not leave open.
chmod 700 /autograder
export XDG_CACHE_HOME=/opt/iolab-grader/cache {variable}={public}
cd /root && /opt/iolab-grader/venv/bin/grader grade /class --lab /autograder/source/lab.yaml --out /root/out \
    --sandbox local > /var/log/grade.log 2>&1
echo $?
"""


@pytest.fixture(scope="module")
def locally(new_hook: Callable[..., Hook]) -> LocalResults:
    """Grade the class without containers of the grader, as root, which here is root of a container.

    A grader that works on this machine in the same way would end all processes of its uid, in containers too. So they
    share the locks by which each gets a uid of its own.
    """
    hook = new_hook(LOCKS)
    before = hook.looks()
    status = int(hook.run(LOCALLY.format(variable=VARIABLE, public=PUBLIC)))
    listed = hook.run('cd /root/out && for report in */report.json; do base64 -w0 "$report"; echo; done')
    reports = [Report.model_validate_json(base64.b64decode(line)) for line in listed.split()]
    return LocalResults(status, {report.submission.name: report for report in reports}, before, hook.looks())


@pytest.mark.parametrize("name", IN_LOCAL_CLASS)
def test_locally_as_root(locally: LocalResults, lab: Spec, name: str) -> None:
    assert_result(locally.reports[name], IN_LOCAL_CLASS[name].expected, lab)


def test_locally_everything_is_left_as_it_was(locally: LocalResults) -> None:
    assert locally.status == OK
    assert locally.after == locally.before
