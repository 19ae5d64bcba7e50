"""Programs in C and Fortran that are parallel by declarations. Ranks: 1, 2, 3, 4 and 6."""

import math
import re
import shutil
import subprocess
import tomllib

import numpy as np
import pytest
import tomli_w
import xarray

from experiment import shallow_reference
from experiment.slab_sea import in_restart
from experiment.test_joining import begin, changed, compiled, finished
from halocline.component.case.tables import plain_dates
from halocline.core.checkout import top
from halocline.experiment import exit_codes
from halocline.experiment.command_line import main
from halocline.runtime.record.run_record_file import read_record
from named_programs import where_installed

example = top / "docs" / "examples" / "declared_water"
steps, nx, ny = 40, 61, 37
last = "restart_20000101T012000.safetensors"
flags = ("-O2", "-ffp-contract=off", "-Wall", "-Wextra")


@pytest.fixture
def folder(tmp_path):
    """The example on a grid of odd widths, of 40 steps."""
    shutil.copytree(example, tmp_path / "water")
    (tmp_path / "water" / "case.toml").write_text(tomli_w.dumps(table()))
    return tmp_path / "water"


def table():
    found = plain_dates(tomllib.loads((example / "case.toml").read_text()))
    found["grid"] |= {"nx": nx, "ny": ny}
    found["time"]["length"] = "80min"
    found["restart"]["interval"] = "40min"
    found["output"]["fields"]["maps"] |= {"interval": "40min", "precision": "float64"}
    return found


def run(folder, ranks, *words, out="out", code=exit_codes.done):
    words = ("run", ".", "-n", str(ranks), "--output", out, "--oversubscribe", *words)
    found, said, err = finished(begin(folder, *words))
    assert found == code, said + err
    return said, err


def state(path, name=last):
    return [in_restart(path / name, field) for field in ("height", "u", "v")]


@pytest.fixture(scope="module")
def truth():
    """Height, u and v as NumPy has them."""
    depth = shallow_reference.depths(nx, ny)
    return shallow_reference.stepped(depth, shallow_reference.bumped(depth), steps)


@pytest.fixture(scope="module")
def in_c(tmp_path_factory):
    """The compiled program in C."""
    path = tmp_path_factory.mktemp("compiled") / "declared"
    compiled(example, "gcc", *flags, "declared.c", "-o", path)
    return path


def bits(arrays):
    return [np.ascontiguousarray(some, np.float64).tobytes() for some in arrays]


slow = pytest.mark.slow


@pytest.mark.parametrize(
    "ranks", [1, pytest.param(2, marks=slow), 3, pytest.param(4, marks=slow), 6]
)
def test_c_computes_the_bits_of_numpy_on_any_ranks(folder, in_c, truth, ranks):
    shutil.copy(in_c, folder)
    said, _ = run(folder, ranks)
    with xarray.open_dataset(folder / "out" / "maps.nc") as maps:
        first, end = (maps.isel(time=at).fillna(0.0) for at in (0, -1))
        found = [end[name].values for name in ("height", "u", "v")]
        volumes = [math.fsum(some["height"].values.ravel()) for some in (first, end)]
    assert bits(found) == bits(truth)
    assert np.abs(truth[0]).max() > 0.1 and np.abs(truth[2]).max() > 0.01
    assert abs(volumes[1] / volumes[0] - 1.0) < 1e-13
    assert float(re.search(r"rest \[m3\] (\S+)", said)[1]) == volumes[1] * 1e4 * 1e4


def test_fortran_computes_the_same_bits_serial_and_declared(folder, truth):
    """Where there is a compiler."""
    compiler = where_installed("gfortran")
    if not compiler:
        return
    sizes = f"nx = {nx}, ny = {ny} !"
    changed(
        folder, "serial.f90", ("nx = 60, ny = 40 !", sizes), ("steps = 720", f"steps = {steps}")
    )
    subprocess.run([compiler, *flags, "serial.f90", "-o", "serial"], cwd=folder, check=True)
    done = subprocess.run("./serial", cwd=folder, check=True, capture_output=True, text=True)
    found = np.fromfile(folder / "serial.bin")
    assert found.tobytes() == b"".join(bits(truth))
    compiled(folder, compiler, *flags, "declared.f90", "-o", "declared")
    said, _ = run(folder, 3)
    assert state(folder / "out") == bits(truth)
    serial, ours = (
        float(re.search(r"rest \[m3\] +(\S+)", some)[1]) for some in (done.stdout, said)
    )
    assert ours == pytest.approx(serial, rel=1e-14) and ours > 1e9


def test_a_gravity_wave_has_the_speed_of_theory(folder):
    """A standing wave of a length of the channel, without land and turning, near a zero of it.

    Theory: c = sqrt(g h) for long waves; of the scheme sin(w dt / 2) = c dt / dx sin(k dx / 2)
    (Mesinger and Arakawa 1976, Numerical Methods Used in Atmospheric Models, GARP 17). The first
    velocity is that of half a step, so that the wave stands still there.
    """
    wave = "1e-6 * cos(6.283185307179586 * (double)(c - j * row) / (double)columns)"
    changed(
        folder, "declared.c", ("bump / (far * far)", wave), ("coriolis = 1.0e-4", "coriolis = 0.0"),
        ("#include <stdio.h>", "#include <math.h>\n#include <stdio.h>"),
    )  # fmt: skip
    compiled(folder, "gcc", "-O2", "declared.c", "-o", "declared", "-lm")
    run(folder, 2, "--set", "grid.land=[]")
    with xarray.open_dataset(folder / "out" / "maps.nc") as maps:
        heights = maps["height"].values
    k, t, dt, dx, speed = 2 * np.pi / (nx * 1e4), 4800.0, 120.0, 1e4, np.sqrt(9.81 * 100.0)
    first, end = (np.sum(some * np.cos(k * dx * np.arange(nx))) for some in heights[[0, -1]])
    amplitude, angular = first, 0.0
    for _ in range(3):  # the wave is amplitude cos(w (t - dt / 2)), at 0 too
        angular = np.arccos(end / amplitude) / (t - dt / 2)
        amplitude = first / np.cos(angular * dt / 2)
    discrete = 2.0 / dt * np.arcsin(speed * dt / dx * np.sin(k * dx / 2))
    assert angular == pytest.approx(discrete, rel=1e-6)
    assert angular / k == pytest.approx(speed, rel=1e-3)


def test_only_declarations_differ():
    """All loops are the same lines in the serial and in the declared program."""
    serial, declared = (
        (example / name).read_text().splitlines() for name in ("serial.f90", "declared.f90")
    )
    assert max(len(serial), len(declared)) < 200
    for lines in (serial, declared):
        assert lines.count("  end subroutine") >= 6
    loops = [text_of_loops(lines) for lines in (serial, declared)]
    assert loops[0] == loops[1] and len(loops[0]) > 70
    declared_words = [line for line in declared if "halocline" in line]
    assert len(declared_words) < 30


def test_the_page_shows_the_program():
    """Calls in the page are those of declared.f90, its table of fields that of the case."""
    page = (top / "docs" / "declared-programs.md").read_text()
    program = " ".join((example / "declared.f90").read_text().replace("&\n", "").split())
    shown = re.findall(r"^(?:call|if|do|volume|subroutine|  call) .*$", page, re.MULTILINE)
    assert len(shown) >= 8
    for line in shown:
        assert " ".join(line.split()) in program, line
    (case,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    there, whole = (tomllib.loads(text) for text in (case, (example / "case.toml").read_text()))
    assert there["program"]["fields"].keys() == whole["program"]["fields"].keys()
    assert there["program"]["fields"]["height"] == whole["program"]["fields"]["height"]


def text_of_loops(lines):
    """From the first subroutine to the end of the last that has loops."""
    found = "\n".join(lines).partition("contains")[2].partition("end module")[0]
    return found.partition("  !> Join the ends")[0].strip().splitlines()


def test_a_run_that_is_split_goes_on_with_the_same_bits(folder, in_c, truth):
    shutil.copy(in_c, folder)
    run(folder, 3)
    for name in (last, "halocline.end"):  # as if it had been killed after the one before
        (folder / "out" / name).unlink()
    code, said, err = finished(begin(folder, "resume", "out", "-n", "2", "--oversubscribe"))
    assert code == exit_codes.done, err
    assert "20 steps" in said and state(folder / "out") == bits(truth)


def test_the_log_and_the_record_have_kernels_and_halos(folder, in_c):
    shutil.copy(in_c, folder)
    run(folder, 2)
    log = (folder / "out" / "halocline.log").read_text()
    phases = dict(re.findall(r"^(\w[\w ]*?) +(\d+) +[\d.]+ +[\d.]+ +[\d.]+$", log, re.MULTILINE))
    assert phases["start"] == "1"
    for name in ("flow_x", "flow_y", "fill", "push_x", "push_y"):
        assert phases[name] == str(steps)
    # height before flow_x only at first (push_x fills it), fluxes, height with v, and u: each step
    assert 3 * steps <= int(phases["halo exchange"]) <= 4 * steps
    regions = {region.name for region in read_record(folder / "out").regions}
    assert {"start", "flow_x", "push_y", "halo exchange"} <= regions


faults = {
    "narrow": (
        "height(west=1), v(west=1, north=1)", "height, v(west=1, north=1)",
        "Kernel 'push_x' reads 'height' 1 cell to the west, and declares 'height'. Declare how far",
    ),
    "written": (
        "  EACH_CELL flux_x[c] =", "  EACH_CELL v[c] = flux_x[c] =",
        "Kernel 'flow_x' writes 'v', which it does not declare. Declare it as what it writes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=slow), 2])
def test_the_check_finds_nothing_wrong_with_the_example(folder, in_c, truth, ranks):
    shutil.copy(in_c, folder)
    said, _ = run(folder, ranks, "--check", "halos")
    assert "stale halos: none in" in said
    assert state(folder / "out") == bits(truth)


@pytest.mark.parametrize("fault", ["narrow", pytest.param("written", marks=slow)])
def test_the_check_names_kernel_field_and_width(folder, fault):
    before, after, words = faults[fault]
    changed(folder, "declared.c", (before, after))
    compiled(folder, "gcc", "-O2", "declared.c", "-o", "declared")
    said, err = run(folder, 2, "--check", "halos", code=exit_codes.user_error)
    (message,) = [line for line in err.splitlines() if line.startswith("halocline:")]
    assert words in message and "(At 2000-01-01 00:00.)" in message
    assert "Traceback" not in err


def test_what_is_no_number_ends_the_run(folder):
    """With its place, and the restart to go on from."""
    changed(folder, "declared.c", ("    halocline_run(fill);", poisoned))
    compiled(folder, "gcc", "-O2", "declared.c", "-o", "declared")
    said, err = run(folder, 2, code=exit_codes.user_error)
    assert re.search("has computed -?nan in '(height|u|v)' by 2000-01-01 01:", err), err
    assert "Its last restart is 'restart_20000101T004000" in err


poisoned = """
    halocline_run(fill);
    if (halocline_seconds() > 3000.0 && halocline_rank() == 1) height[30 + 30 * row] = 0.0 / 0.0;
"""


def test_what_is_missing_is_told(folder, capsys):
    assert main(["run", str(folder)]) == exit_codes.user_error
    told = capsys.readouterr().err
    assert "there is no program './declared' (program.command) beside the case" in told
    assert main(["check", str(folder)]) == exit_codes.done
    assert "maps" in capsys.readouterr().out
    assert main(["plan", str(folder), "-n", "2"]) == exit_codes.done
    assert "as the program declares when it runs" in capsys.readouterr().out
