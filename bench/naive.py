"""Grade as a shell script would: one container per step, and everything under strace -c."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from docker import DockerClient
from docker.models.containers import Container
from docker.types import Mount

from bench.figures import NO_COST, Cost, scaled
from bench.lab import EMPTY, PART, MeasuredLab
from bench.machine import Meter
from grader.errors import GraderError
from grader.sandbox.building import tar_of
from grader.sandbox.container import LABEL

FOLDER = "/submission"
TIMEOUT_S = 3600


def naive(client: DockerClient, image: str, lab: MeasuredLab, idle: float) -> Cost:
    """Grade naively. A costly program gets a part of its input under strace, and the cost is scaled."""
    with _steps(client, image, lab, idle) as steps:
        cost = NO_COST
        for program in lab.spec.programs:
            cost += steps.run(shlex.join(lab.compile_command(program, program)))
            for case in lab.cases.values():
                cost += steps.run(_copying(lab, program, case.input))
                if not lab.is_costly(program):
                    cost += steps.run(_traced(lab, program, case.input))
            if lab.is_costly(program):
                empty, part = (steps.run(_traced(lab, program, name)) for name in (EMPTY, PART))
                whole = scaled(empty, part, len(lab.inputs[PART]), lab.size_bytes)
                cost += whole.times(len(lab.cases))
        return cost


def _copying(lab: MeasuredLab, program: str, input_name: str) -> str:
    operands = lab.cases[lab.main_case].arguments
    words = [f"./{program}", *(operand.decode("utf-8", "surrogateescape") for operand in operands)]
    return f"{shlex.join(words)} <inputs/{input_name} >output"


def _traced(lab: MeasuredLab, program: str, input_name: str) -> str:
    return f"strace -f -c -o counts {_copying(lab, program, input_name)}"


class _Steps:
    """Runs shell lines with `docker run --rm`, all in the same folder."""

    def __init__(self, client: DockerClient, image: str, volume: str, idle: float) -> None:
        self._client = client
        self._image = image
        self._volume = volume
        self._idle = idle

    def run(self, line: str) -> Cost:
        """Run a line in a new container.

        Raises:
            GraderError: the line failed.
        """
        meter = Meter(self._idle)
        with meter.running(), self._container(line) as container:
            container.start()
            status = container.wait(timeout=TIMEOUT_S)["StatusCode"]
            if status:
                said = container.logs().decode("utf-8", "replace")
                raise GraderError(f"{line} ended with status {status}: {said}")
        return meter.cost

    def put(self, files: dict[str, bytes]) -> None:
        """Put files into the folder."""
        with self._container("true") as container:
            container.put_archive(FOLDER, tar_of(files))

    @contextmanager
    def _container(self, line: str) -> Iterator[Container]:
        container = self._client.containers.create(
            self._image,
            ["sh", "-c", line],
            working_dir=FOLDER,
            mounts=[Mount(target=FOLDER, source=self._volume, type="volume")],
            network_mode="none",
            labels={LABEL: "bench"},
        )
        try:
            yield container
        finally:
            container.remove(force=True)


@contextmanager
def _steps(client: DockerClient, image: str, lab: MeasuredLab, idle: float) -> Iterator[_Steps]:
    volume = client.volumes.create(labels={LABEL: "bench"})
    try:
        steps = _Steps(client, image, volume.name, idle)
        inputs = {f"inputs/{name}": data for name, data in lab.inputs.items()}
        steps.put({**lab.sources, **inputs})
        yield steps
    finally:
        volume.remove(force=True)
