"""What the rings share: the two sandboxes, the lab at full and at small size, and the reference in each sandbox."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

from grader.cache.entries import Cache
from grader.cache.secret import VARIABLE
from grader.errors import EngineUnavailableError
from grader.explain.explaining import STRICT_VARIABLE
from grader.grading.fresh_runs import LazyFreshRuns
from grader.grading.pipeline import GradingContext, grade
from grader.grading.reference_run import obtain_reference
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import Report
from grader.model.spec.draws import PUBLIC
from grader.model.spec.lab import Spec, all_inputs
from grader.resources import resource
from grader.sandbox.base import Sandbox
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import build_image, connect, find_image
from grader.sandbox.local import LocalSandbox
from grader.selfcheck.quick_lab import quick_form
from tests.contract.containers import unavailable
from tests.corpus.known_bugs import Shipped, store_shipped
from tests.few_cases import few_cases
from tests.shared import Groups, graded_once, locked, made_once, run_folder

CHECKOUT = Path(__file__).parents[1]
EXAMPLES = CHECKOUT / "examples"
COMMAND_TIMEOUT_S = 600.0

# The same inputs in each run, so that a test fails for the change that it tests; `make fuzz` looks for new ones. Only
# the time limit of a test counts, because a busy machine must not fail it.
_COMMON = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], print_blob=True
)
settings.register_profile("fixed", _COMMON, max_examples=100, derandomize=True, database=None)
settings.register_profile("fuzz", _COMMON, max_examples=2000)
settings.load_profile("fixed")

Grader = Callable[..., "subprocess.CompletedProcess[str]"]


# The public draw, so that results are the same in each run and the reference is run once.
os.environ[VARIABLE] = PUBLIC


def pytest_configure() -> None:
    """Raise bugs in explanations, also in commands that tests start.

    Reset signals that a background command ignores: the programs that tests start would ignore them too.
    """
    os.environ[STRICT_VARIABLE] = "1"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(autouse=True)
def _same_signals() -> Iterator[None]:
    """Fail a test that leaves signals blocked or ignored, as they would be in all programs that later tests start."""
    before = _signals()
    yield
    assert _signals() == before


def _signals() -> tuple[object, ...]:
    ending = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    return (*map(signal.getsignal, ending), signal.pthread_sigmask(signal.SIG_BLOCK, ()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Groups:
    return Groups(config, log)


def find_docker() -> DockerSandbox | str:
    """Return the sandbox, its image built where that is missing, or why there is none."""
    try:
        client = connect()
        if find_image(client) is None:
            build_image(client, print)
        return DockerSandbox(client)
    except EngineUnavailableError as error:
        return str(error)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the processes of this test run leave things for each other."""
    return run_folder(tmp_path_factory)


@pytest.fixture(scope="session")
def docker_sandbox(shared_folder: Path) -> Iterator[DockerSandbox]:
    with locked(shared_folder / "image"):
        sandbox = find_docker()
    if isinstance(sandbox, str):
        # Where nobody listens the SDK leaves its socket open, which would be a warning in whatever test comes next.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()
        unavailable(sandbox)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def local_sandbox() -> Iterator[LocalSandbox]:
    try:
        sandbox = LocalSandbox()
    except EngineUnavailableError as error:
        pytest.skip(str(error))
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session", params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each of the sandboxes in turn."""
    chosen: Sandbox = request.getfixturevalue(f"{request.param}_sandbox")
    return chosen


@pytest.fixture(scope="session")
def spec() -> Spec:
    return read_spec(resource("specs", "tr2.yaml"))


@pytest.fixture(scope="session")
def small(spec: Spec) -> Spec:
    """The lab with the inputs of its quick form, and all else as it is."""
    return spec.model_copy(update={"inputs": quick_form(spec).inputs})


@pytest.fixture(scope="session")
def few(small: Spec) -> Spec:
    """The same with a third of the runs."""
    return few_cases(small)


@pytest.fixture(scope="session")
def brisk(few: Spec) -> Spec:
    """The same with shorter limits."""
    return with_short_limits(few)


@pytest.fixture(scope="session")
def whole_brisk(spec: Spec) -> Spec:
    """The quick form with all cases and shorter limits."""
    return with_short_limits(spec)


def with_short_limits(spec: Spec) -> Spec:
    """Return the quick form of a lab with shorter limits for little input.

    Programs that never end are not waited for as long as students' are; right ones need a fraction of this.
    """
    quick = quick_form(spec)
    limits = quick.limits
    changes = {
        "small": limits.small.model_copy(update={"cpu_s": 1, "output_bytes": 100_000}),
        "strace_small": limits.strace_small.model_copy(update={"cpu_s": 1}),
    }
    return quick.model_copy(update={"limits": limits.model_copy(update=changes)})


@pytest.fixture(scope="session")
def small_file(few: Spec, cache: Cache, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lab with few cases as a file for --lab."""
    return _written(few, cache, tmp_path_factory)


@pytest.fixture(scope="session")
def whole_file(small: Spec, cache: Cache, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lab with all cases, which tell known bugs apart, as a file for --lab."""
    return _written(small, cache, tmp_path_factory)


def _written(spec: Spec, cache: Cache, factory: pytest.TempPathFactory) -> Path:
    # JSON is YAML.
    path = factory.mktemp("spec") / "small.yaml"
    path.write_text(spec.model_dump_json(by_alias=True), encoding="utf-8")
    store_shipped(read_spec(path), cache)
    return path


@pytest.fixture(scope="session")
def inputs(spec: Spec) -> Mapping[str, bytes]:
    return all_inputs(spec)


@pytest.fixture(scope="session")
def small_inputs(small: Spec) -> Mapping[str, bytes]:
    return all_inputs(small)


@pytest.fixture(scope="session")
def cache_home(shared_folder: Path) -> Path:
    """XDG_CACHE_HOME of this test run: nothing of the developer's cache is used or changed."""
    folder = shared_folder / "cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_process(cache_home: Path) -> Iterator[None]:
    """What the grader keeps when a test calls it in this process goes there too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache_home))
        yield


@pytest.fixture(scope="session")
def cache(cache_home: Path) -> Cache:
    return Cache(cache_home / "iolab-grader")


Measure = Callable[[Spec, Sandbox, Mapping[str, bytes]], Reference]


@pytest.fixture(scope="session")
def measure(cache: Cache, shared_folder: Path) -> Measure:
    """Get a reference, from the test run's cache if it is there."""

    def measure(spec: Spec, sandbox: Sandbox, inputs: Mapping[str, bytes]) -> Reference:
        with locked(shared_folder / "references"):
            return obtain_reference(spec, find_lab(spec.lab), sandbox, inputs, cache, print)

    return measure


Grading = Callable[[Sandbox], GradingContext]


@pytest.fixture(scope="session")
def grading_of(measure: Measure, cache: Cache) -> Callable[[Spec], Grading]:
    """Grading of a given lab in a given sandbox."""

    def of(spec: Spec) -> Grading:
        inputs = all_inputs(spec)

        def grading(sandbox: Sandbox) -> GradingContext:
            lab = Lab(spec, inputs, measure(spec, sandbox, inputs))
            fresh = LazyFreshRuns(lab, find_lab(spec.lab), sandbox, cache, print)
            return GradingContext(replace(lab, fresh_runs=fresh.get), sandbox)

        return grading

    return of


@pytest.fixture(scope="session")
def small_grading(few: Spec, grading_of: Callable[[Spec], Grading]) -> Grading:
    """Grading of the lab with few cases."""
    return grading_of(few)


@pytest.fixture(scope="session")
def whole_grading(small: Spec, grading_of: Callable[[Spec], Grading]) -> Grading:
    """Grading with all cases, which tell known bugs apart."""
    return grading_of(small)


Reporter = Callable[[Path, Sandbox], Report]


@pytest.fixture(scope="session")
def small_report(whole_grading: Grading, small: Spec, shared_folder: Path) -> Reporter:
    """Grade a folder with all cases, once a sandbox."""

    def report(folder: Path, sandbox: Sandbox) -> Report:
        def graded() -> Report:
            grading = replace(whole_grading(sandbox), known_bugs=Shipped())
            return grade(grading, read_submission(DiscoveredSubmission(folder.name, folder), small))

        return graded_once(shared_folder / f"{folder.name}-{sandbox.isolation}", graded)

    return report


@pytest.fixture(scope="session")
def environment(cache_home: Path) -> dict[str, str]:
    """The environment of the command line in a subprocess."""
    return {**os.environ, "XDG_CACHE_HOME": str(cache_home), "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="session")
def command_line() -> list[str]:
    return [sys.executable, "-m", "grader"]


@pytest.fixture
def grader(command_line: list[str], environment: dict[str, str], tmp_path: Path) -> Grader:
    """Run the command line to its end."""

    def run(*arguments: str | Path, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command_line, *map(str, arguments)],
            env={**environment, **changes},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def site(shared_folder: Path) -> Path:
    """The site, built as `make site` does."""
    return made_once(shared_folder / "site", build_site)


def build_site(folder: Path) -> None:
    command = [str(Path(sys.prefix) / "bin" / "properdocs"), "build"]
    built = subprocess.run(
        [*command, "--config-file", "mkdocs.yml", "--strict", "--site-dir", str(folder)],
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files; not tmp_path, which students' uids cannot enter."""
    with tempfile.TemporaryDirectory(prefix="iolab-test-") as name:
        Path(name).chmod(0o711)
        yield Path(name)
