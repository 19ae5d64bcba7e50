"""Changes the numerics, one operator or constant at a time, and sees whether their tests notice.

    python tests/meta/mutation_run.py --count 20 --only waves/turning --seed 3

Nothing is changed in place: two copies of the sources are compiled (-O1) in a folder for temporary
files, and of a changed C++ header only the room's module is compiled again. A mutant is `killed` by
a failing test, `endless` where tests did not end in time, `the same` where the compiler makes the
same code of it, `no program` where it does not compile; the others survive, and are listed with
their lines. Those of `equivalent_mutants.toml` are known to change nothing that counts.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from queue import Empty, SimpleQueue

sys.path.insert(0, str(Path(__file__).parents[1]))
from meta.mutants import Mutant, mutants_of

top = Path(__file__).parents[2]
programs = Path(sys.executable).parent
package, laboratory = "src/halocline", "lab/src/halocline_lab"
contracts = "tests/kernels/test_contracts.py"
limit = 180  # seconds of the tests of one mutant
limit_of_all = 1200  # seconds of all tests without a change
endless = 124  # what tests return that take longer than their limit


@dataclass(frozen=True)
class Target:
    """Sources, and the tests that watch them."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


def target(folder: str, sources: str, tests: str) -> Target:
    at, _, room = folder.partition("/")
    home, place = (laboratory, "lab/tests") if at == "lab" else (package, "tests")
    inside = room if at == "lab" else folder
    return Target(
        tuple(f"{home}/{inside}/{name}" for name in sources.split()),
        tuple(f"{place}/{name}.py" for name in tests.split()),
    )


targets = (
    target(
        "numerics",
        "elliptic.hpp block_preconditioner.hpp row_loops.hpp block_factors.py stream_function.py",
        "numerics/test_elliptic numerics/test_stream_function numerics/test_solvers",
    ),
    target(
        "numerics",
        "conjugate_gradient.hpp chronopoulos_gear.hpp chebyshev.hpp chebyshev_sweep.hpp"
        " chebyshev_steps.py chebyshev_weights.py",
        "numerics/test_solvers",
    ),
    target("numerics", "tracer_advection.hpp", "numerics/test_tracer_advection"),
    target("numerics", "quickest.hpp", "waves/test_turning waves/test_spatial_propagation"),
    target("numerics", "sinking.hpp", "numerics/test_sinking numerics/test_transport_tracers"),
    target("numerics", "vertical_diffusion.hpp", "numerics/test_vertical_diffusion"),
    target(
        "numerics",
        "transport_tile.hpp transport_tracers.hpp tracer_courant.py",
        "numerics/test_tracer_courant numerics/test_transport_tracers"
        " biogeochemistry/test_transport",
    ),
    target(
        "biogeochemistry",
        "bfm/phytoplankton.hpp bfm/bacteria.hpp bfm/grazing.hpp bfm/microzooplankton.hpp"
        " bfm/mesozooplankton.hpp bfm/chemistry.hpp bfm/reaction.hpp",
        "biogeochemistry/test_bfm_reaction",
    ),
    target("biogeochemistry", "bfm/sinking.hpp", "biogeochemistry/test_bfm_sinking"),
    target(
        "biogeochemistry",
        "carbonate.hpp carbonate_constants.hpp carbonate_kernels.hpp gas_exchange.hpp",
        "biogeochemistry/test_carbonate biogeochemistry/test_gas_exchange",
    ),
    target("biogeochemistry", "light.hpp", "biogeochemistry/test_light"),
    target("biogeochemistry", "merging.py", "biogeochemistry/test_merging"),
    target("waves", "dispersion.hpp dispersion.py", "waves/test_dispersion"),
    target("waves", "turning.hpp turning.py", "waves/test_turning waves/test_propagation_cases"),
    target("waves", "wind_interpolation.hpp", "waves/test_wind_interpolation"),
    target("waves", "parameters.hpp parameters.py", "waves/test_parameters"),
    target("waves", "partition.hpp watershed.hpp partition.py", "waves/test_partition"),
    target("waves", "surface_parameters.hpp", "waves/test_surface_parameters"),
    target("waves", "spectra.py", "waves/test_spectra"),
    target("waves", "spectrum.py", "waves/test_spectra waves/test_parameters"),
    target(
        "waves",
        "spatial_propagation.hpp spectral_plane.hpp sprinkler_averaging.hpp spatial_propagation.py",
        "waves/test_spatial_propagation waves/test_propagation_cases waves/test_coasts",
    ),
    target(
        "waves",
        "ardhuin.hpp ardhuin_input.hpp ardhuin_dissipation.hpp ardhuin_tables.hpp",
        "waves/test_ardhuin",
    ),
    target(
        "waves",
        "tolman_chalikov.hpp chalikov_growth.hpp wind_stability.hpp",
        "waves/test_tolman_chalikov waves/test_wind_stability",
    ),
    target("waves", "linear_input.hpp", "waves/test_linear_input"),
    target("waves", "quadruplets.hpp", "waves/test_quadruplets"),
    target(
        "waves",
        "source_integration.hpp bottom_friction.hpp depth_breaking.hpp",
        "waves/test_source_integration",
    ),
    target(
        "ocean",
        "tracers.hpp momentum.hpp barotropic.hpp",
        "ocean/test_plain_references",
    ),
    target("runtime/sums", "reductions.hpp", "runtime/test_reductions"),
    target("runtime/transfer", "matching.py transfer.py", "runtime/test_transfer"),
    target(
        "runtime/fields",
        "ownership.py sides.py",
        "runtime/test_gathering runtime/test_transfer",
    ),
    target("runtime/fields", "load.py processor_grid.py", "runtime/test_decomposition"),
    target(
        "lab/prediction",
        "replay_collectives.hpp replay_network.hpp replay_processors.hpp",
        "test_replay",
    ),
    target("lab/prediction", "platform_model.py", "test_platform_model test_replay"),
    target("lab/statistics", "paired.py", "test_paired"),
    target("lab/statistics", "comparison.py", "test_comparison"),
    target("lab/statistics", "change_points.py", "test_change_points"),
    target("lab/statistics", "turns.py", "test_turns"),
    target("core", "clock.py", "core/test_clock"),
    target("grids/vertical", "levels.py", "grids/test_levels"),
    target("grids/horizontal", "metrics.py", "grids/test_metrics"),
    target("grids/horizontal", "regular.py", "grids/test_regular"),
    target("grids/horizontal", "bathymetry.py", "grids/test_bathymetry"),
    target("grids/horizontal", "gaps.py", "grids/test_gaps component/test_file_series"),
    target(
        "grids/files",
        "axes.py parts.py",
        "grids/test_axes grids/test_parts component/test_file_series grids/test_bathymetry",
    ),
)


@dataclass(frozen=True)
class Case:
    """One change of one file, and what to do with it."""

    path: str
    mutant: Mutant
    tests: tuple[str, ...]

    def __str__(self) -> str:
        mutant = self.mutant
        return f"{self.path}:{mutant.line}\n    {mutant.was}\n    {mutant.becomes}"


class Workshop:
    """A copy of the sources in which one thing after the other is changed, compiled and tested."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.build = folder / "build"
        self.commands: dict[str, str] = {}
        self.users: dict[str, list[str]] = {}

    def fill(self) -> None:
        """Copy the sources."""
        ignored = shutil.ignore_patterns("__pycache__", "results")
        for name in ("src", "lab", "tests", "cpp", "cases"):
            shutil.copytree(top / name, self.folder / name, ignore=ignored, dirs_exist_ok=True)
        for name in ("CMakeLists.txt", "conftest.py", "pyproject.toml"):
            shutil.copy2(top / name, self.folder / name)

    def compile(self, rooms: Iterable[str]) -> None:
        """Compile the modules of rooms, and learn what is made of what, by which command."""
        ninja = str(programs / "ninja")
        must(
            [
                str(programs / "cmake"), "-S", ".", "-B", "build", "-G", "Ninja",
                "-DHALOCLINE_IN_PLACE=ON", "-DCMAKE_CXX_FLAGS_RELEASE=-O1",
                f"-DPython_EXECUTABLE={sys.executable}", f"-DCMAKE_MAKE_PROGRAM={ninja}",
            ],
            self.folder,
        )  # fmt: skip
        plan = self.build / "build.ninja"  # without what would tell the two folders apart
        plan.write_text(plan.read_text().replace("-frecord-gcc-switches", ""))
        must([ninja, "-C", "build", *(f"{room}_native" for room in rooms)], self.folder)
        for entry in json.loads(must([ninja, "-C", "build", "-t", "compdb"], self.folder)):
            self.commands.setdefault(entry["output"], entry["command"])
        made = ""
        for line in must([ninja, "-C", "build", "-t", "deps"], self.folder).splitlines():
            if not line.startswith(" "):
                made = line.partition(":")[0]
            elif str(self.folder) in line:
                path = str(Path(line.strip()).relative_to(self.folder))
                self.users.setdefault(path, []).append(made)

    def twin(self, folder: Path) -> Workshop:
        """The same, compiled, in another folder."""
        other = Workshop(folder)
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        moved = str(self.folder), str(folder)
        other.commands = {made: text.replace(*moved) for made, text in self.commands.items()}
        other.users = self.users
        return other

    def verdict(self, case: Case) -> str:
        """Change, compile, test, and make it undone."""
        path = self.folder / case.path
        objects, module = self._affected(case.path)
        kept = {file: file.read_bytes() for file in [*objects.values(), *module.values()]}
        times = path.stat()
        path.write_text(case.mutant.text, encoding="utf-8")
        try:
            return self._compile(objects, module, kept) or self._tested(case.tests)
        finally:
            path.write_text(case.mutant.source, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            for file, content in kept.items():
                file.write_bytes(content)

    def _affected(self, path: str) -> tuple[dict[str, Path], dict[str, Path]]:
        """Objects and module of the file's room that are made of it."""
        if not path.endswith(".hpp"):
            return {}, {}
        room = room_of(path)
        if not self._made_in(room, path):  # another room uses it
            room = self.users[path][0].partition("_native.dir")[0].rpartition("/")[2]
        names = self._made_in(room, path)
        home = laboratory if room == "lab" else f"{package}/{room}"
        (module,) = (n for n in self.commands if f"{home}/_native" in n)
        whole = Path(module) if Path(module).is_absolute() else self.build / module
        whole = self.folder / home / whole.name
        assert names, f"nothing is made of {path}"
        return {name: self.build / name for name in names}, {module: whole}

    def _made_in(self, room: str, path: str) -> list[str]:
        return [name for name in self.users[path] if f"/{room}_native.dir/" in name]

    def _compile(
        self, objects: dict[str, Path], module: dict[str, Path], kept: dict[Path, bytes]
    ) -> str:
        """What ends the trial where there is nothing to test."""
        if not objects:
            return ""
        for name in objects:
            if self._command(name):
                return "no program"
        if all(file.read_bytes() == kept[file] for file in objects.values()):
            return "the same"
        return "no program" if any(map(self._command, module)) else ""

    def _command(self, made: str) -> int:
        return subprocess.run(
            self.commands[made], shell=True, cwd=self.build, capture_output=True, timeout=600
        ).returncode

    def _tested(self, tests: Sequence[str]) -> str:
        code = self.test(tests).returncode
        return "survived" if code == 0 else "endless" if code == endless else "killed"

    def test(self, tests: Sequence[str], limit: float = limit) -> subprocess.CompletedProcess[str]:
        """Run tests on what is there now."""
        environment = os.environ | {
            "PYTHONPATH": f"{self.folder}/src{os.pathsep}{self.folder}/lab/src",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        try:
            return subprocess.run(
                [*command, *tests],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, endless, "", "")


def room_of(path: str) -> str:
    """The room whose module is made of a file."""
    if path.startswith(laboratory):
        return "lab"
    return path.removeprefix(f"{package}/").partition("/")[0]


def must(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    return done.stdout


def equivalent() -> dict[str, dict[str, str]]:
    """Changed lines that change nothing that counts, by file, with the reason."""
    return tomllib.loads(Path(__file__).with_name("equivalent_mutants.toml").read_text())


def generic_tests(path: str, source: str) -> list[str]:
    """Examples in the text of Python; of kernels in C++, what all are asked."""
    if path.endswith(".py"):
        return [path]
    kernels = re.findall(r'(?:Contract<\d+> \w+\{|_contract\()\s*"(\w+)"', source)
    asked = (
        "samples_are_complete_and_answers_finite",
        "values_beyond_the_stated_reach_are_not_read",
    )
    return [f"{contracts}::test_{what}[{kernel}]" for kernel in kernels for what in asked]


def lot(seed: int, *words: str) -> bytes:
    """What is drawn for some words, whatever else there is to draw."""
    return sha256(" ".join((str(seed), *words)).encode()).digest()


def drawn(seed: int, count: int, only: str) -> list[Case]:
    """`count` cases, of all files in turns; a change of one line leaves the others' lots alone."""
    known = equivalent()
    by_file: list[tuple[str, list[Case]]] = []
    for one in targets:
        for path in one.sources:
            if not re.search(only, path):
                continue
            source = (top / path).read_text(encoding="utf-8")
            found = mutants_of(source, Path(path).suffix)
            found = [mutant for mutant in found if mutant.becomes not in known.get(path, {})]
            found.sort(key=lambda mutant: lot(seed, mutant.was, mutant.becomes))
            tests = (*generic_tests(path, source), *one.tests)
            cases = [Case(path, mutant, tests) for mutant in found]
            by_file.append((path, cases))
    by_file.sort(key=lambda pair: lot(seed, pair[0]))
    rounds = zip_longest(*(cases for _, cases in by_file))
    turns = [case for turn in rounds for case in turn if case is not None]
    return turns[:count]


def work(workshop: Workshop, cases: SimpleQueue[Case], until: float) -> Iterator[tuple[Case, str]]:
    while time.monotonic() < until:
        try:
            case = cases.get_nowait()
        except Empty:
            return
        verdict = workshop.verdict(case)
        print(f"{verdict:10} {case}" if verdict == "survived" else f"{verdict:10} {case.path}:"
              f"{case.mutant.line}", file=sys.stderr, flush=True)  # fmt: skip
        yield case, verdict


def trial(cases: Sequence[Case], folder: Path, seconds: float) -> list[tuple[Case, str]]:
    """The verdicts on as many cases as there is time for, two at a time."""
    until = time.monotonic() + seconds
    first = Workshop(folder / "one")
    first.fill()
    rooms = {room_of(case.path) for case in cases if case.path.endswith(".hpp")}
    if rooms:
        first.compile(rooms)
    workshops = [first, first.twin(folder / "two")]
    tests = sorted({test for case in cases for test in case.tests})
    with ThreadPoolExecutor(len(workshops)) as pool:
        halves = (tests[::2], tests[1::2] or tests)
        for done in pool.map(Workshop.test, workshops, halves, [limit_of_all] * 2):
            assert done.returncode == 0, f"tests fail without a change:\n{done.stdout[-4000:]}"
        queue: SimpleQueue[Case] = SimpleQueue()
        for case in cases:
            queue.put(case)
        found = pool.map(lambda one: list(work(one, queue, until)), workshops)
        return [pair for pairs in found for pair in pairs]


def summary(found: Sequence[tuple[Case, str]]) -> str:
    """What a reader wants to know."""
    counts = Counter(verdict for _, verdict in found)
    tested = counts["killed"] + counts["survived"]
    lines = [f"survived: {case}" for case, verdict in found if verdict == "survived"]
    share = 100 * counts["killed"] / max(tested, 1)
    lines.append(
        f"{len(found)} changes: {counts['killed']} of {tested} killed ({share:.0f} %),"
        f" {counts['survived']} survived; {counts['the same']} made the same code,"
        f" {counts['no program']} did not compile, {counts['endless']} did not end"
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="changes at most")
    parser.add_argument("--seconds", type=float, default=780.0, help="time for all of it")
    parser.add_argument("--seed", type=int, default=1, help="which changes")
    parser.add_argument("--only", default="", help="files whose path matches this expression")
    parser.add_argument("--folder", type=Path, help="where to work, to be used again")
    options = parser.parse_args()
    cases = drawn(options.seed, options.count, options.only)
    with tempfile.TemporaryDirectory() as folder:
        print(summary(trial(cases, options.folder or Path(folder), options.seconds)))


if __name__ == "__main__":
    main()
