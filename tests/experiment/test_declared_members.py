"""Declared programs as members of a coupled run, and with levels. Ranks: 1, 2 and 3."""

import shutil

import numpy as np
import pytest
import tomli_w

from experiment.slab_sea import in_restart, table
from experiment.test_joining import begin, compiled, finished, ours, state
from halocline.experiment import exit_codes
from named_programs import where_installed

__all__ = ["ours"]

sea = """
#include <halocline.h>
static const double heat_capacity = 1025.0 * 3990.0 * 50.0;
static double *temperature, *heat, step;
static int64_t row;
static void start(int i0, int i1, int j0, int j1) {
  for (int j = j0; j < j1; j++)
    for (int i = i0; i < i1; i++) {
      double latitude = -55.0 + 10.0 * j;
      temperature[i + j * row] = 25.0 - 0.0078125 * latitude * latitude;
    }
}
static void warm(int i0, int i1, int j0, int j1) {
  for (int j = j0; j < j1; j++)
    for (int i = i0; i < i1; i++)
      temperature[i + j * row] += step * heat[i + j * row] / heat_capacity;
}
int main(void) {
  halocline_join("slab");
  temperature = halocline_field("surface_temperature").at;
  heat = halocline_field("heat_flux_into_sea").at;
  row = halocline_field("surface_temperature").row;
  step = halocline_step_length();
  halocline_kernel(start, "start", NULL, "surface_temperature", NULL);
  halocline_kernel(warm, "warm", "heat_flux_into_sea", NULL, "surface_temperature");
  if (!halocline_restarted()) halocline_run(start);
  while (halocline_step()) halocline_run(warm);
  halocline_end();
  return 0;
}
"""


@pytest.mark.parametrize("words", [(), ("--check", "halos")], ids=["plain", "checked"])
def test_a_declared_program_takes_and_gives(tmp_path, ours, words):
    """The slab of docs/examples/slab has the bits of a member of our own."""
    found = table()
    found["members"]["slab"]["program"] = {
        "command": "./sea",
        "takes": ["heat_flux_into_sea"],
        "fields": {
            "surface_temperature": {"restart": True},
            "heat_flux_into_sea": {"restart": True},
        },
    }
    (tmp_path / "case.toml").write_text(tomli_w.dumps(found))
    (tmp_path / "sea.c").write_text(sea)
    compiled(tmp_path, "gcc", "-O2", "-ffp-contract=off", "-Wall", "sea.c", "-o", "sea")
    words = ("run", ".", "-n", "3", "--output", "out", "--oversubscribe", *words)
    code, said, err = finished(begin(tmp_path, *words))
    assert code == exit_codes.done, err
    assert "slab: 16 steps" in said and state(tmp_path / "out") == ours


layers_in_c = """
#include <halocline.h>
#include <stdio.h>
static halocline_array deep, before;
static void start(int i0, int i1, int j0, int j1) {
  for (int k = 0; k < 3; k++)
    for (int j = j0; j < j1; j++)
      for (int i = i0; i < i1; i++)
        deep.at[i + j * deep.row + k * deep.level] = (100 * k + 10 * j + i) % 7;
}
static void keep(int i0, int i1, int j0, int j1) {
  for (int k = 0; k < 3; k++)
    for (int j = j0; j < j1; j++)
      for (int i = i0; i < i1; i++)
        before.at[i + j * deep.row + k * deep.level] = deep.at[i + j * deep.row + k * deep.level];
}
static void spread(int i0, int i1, int j0, int j1) {
  for (int k = 0; k < 3; k++)
    for (int j = j0; j < j1; j++)
      for (int i = i0; i < i1; i++) {
        double* c = before.at + i + j * before.row + k * before.level;
        deep.at[i + j * deep.row + k * deep.level] = 0.5 * c[0] + 0.25 * (c[-2] + c[before.row]);
      }
}
int main(void) {
  halocline_join(NULL);
  deep = halocline_field("deep");
  before = halocline_field("before");
  halocline_kernel(start, "start", NULL, "deep", NULL);
  halocline_kernel(keep, "keep", "deep", "before", NULL);
  halocline_kernel(spread, "spread", "before(west=2, north=1)", "deep", NULL);
  if (!halocline_restarted()) halocline_run(start);
  while (halocline_step()) {
    halocline_run(keep);
    halocline_run(spread);
  }
  double sum = halocline_sum("deep"), most = halocline_largest("deep");
  if (halocline_rank() == 0) printf("sum %.17g largest %.17g\\n", sum, most);
  halocline_end();
  return 0;
}
"""

layers_in_fortran = """
module layers
  use halocline
  implicit none
  real(kind(1.0d0)), pointer, contiguous, dimension(:, :, :) :: deep, before
contains
  subroutine start(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j, k
    do k = 1, 3
      do j = js, je
        do i = is, ie
          deep(i, j, k) = mod(100 * (k - 1) + 10 * (j - 1) + i - 1, 7)
        end do
      end do
    end do
  end subroutine
  subroutine keep(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    before(is:ie, js:je, :) = deep(is:ie, js:je, :)
  end subroutine
  subroutine spread_out(is, ie, js, je)
    integer, intent(in) :: is, ie, js, je
    integer :: i, j, k
    do k = 1, 3
      do j = js, je
        do i = is, ie
          deep(i, j, k) = 0.5d0 * before(i, j, k) &
            + 0.25d0 * (before(i - 2, j, k) + before(i, j + 1, k))
        end do
      end do
    end do
  end subroutine
end module
program main
  use layers
  implicit none
  real(kind(1.0d0)) :: total, most
  call halocline_join()
  call halocline_field("deep", deep)
  call halocline_field("before", before)
  call halocline_kernel(start, "start", writes="deep")
  call halocline_kernel(keep, "keep", reads="deep", writes="before")
  call halocline_kernel(spread_out, "spread", reads="before(west=2, north=1)", writes="deep")
  if (.not. halocline_restarted()) call halocline_run(start)
  do while (halocline_step())
    call halocline_run(keep)
    call halocline_run(spread_out)
  end do
  total = halocline_sum("deep")
  most = halocline_largest("deep")
  if (halocline_rank() == 0) print "(a, f0.12, a, f0.12)", "sum ", total, " largest ", most
  call halocline_end()
end program
"""


@pytest.mark.parametrize("language", ["c", "f90"])
def test_levels(tmp_path, language):
    """Three levels, joined along both axes, read two cells away."""
    compiler = "gcc" if language == "c" else where_installed("gfortran")
    if not compiler:
        return
    source = layers_in_c if language == "c" else layers_in_fortran
    (tmp_path / f"layers.{language}").write_text(source)
    compiled(tmp_path, compiler, "-O2", "-Wall", f"layers.{language}", "-o", "layers")
    case = {
        "component": "program", "time": {"length": "3h", "step": "1h"},
        "grid": {
            "kind": "cartesian", "nx": 11, "ny": 9, "dx": 1e3, "periodic_x": True,
            "periodic_y": True,
        },
        "program": {
            "command": "./layers", "halo": 2,
            "fields": {"deep": {"levels": 3, "restart": True}, "before": {"levels": 3}},
        },
    }  # fmt: skip
    (tmp_path / "case.toml").write_text(tomli_w.dumps(case))
    k, j, i = np.indices((3, 9, 11))
    deep = ((100 * k + 10 * j + i) % 7).astype(float)
    for _ in range(3):
        deep = 0.5 * deep + 0.25 * (np.roll(deep, 2, 2) + np.roll(deep, -1, 1))
    for words in (("-n", "3"), ("-n", "1", "--check", "halos")):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        words = ("run", ".", "--output", "out", "--oversubscribe", *words)
        code, said, err = finished(begin(tmp_path, *words))
        assert code == exit_codes.done, err
        (file,) = (tmp_path / "out").glob("restart*")
        assert in_restart(file, "deep") == deep.tobytes()
        total, most = (float(word) for word in said.split("sum ")[1].split(" largest "))
        assert (total, most) == pytest.approx((deep.sum(), deep.max()), rel=1e-11)


def test_a_plane_is_no_array_of_levels(tmp_path):
    """In Fortran, where the axes of an array are known."""
    compiler = where_installed("gfortran")
    if not compiler:
        return
    (tmp_path / "plane.f90").write_text(plane)
    compiled(tmp_path, compiler, "plane.f90", "-o", "plane")
    program = {"command": "./plane", "fields": {"deep": {"levels": 3}}}
    case = {"component": "program", "time": {"length": "1h", "step": "1h"}, "program": program}
    (tmp_path / "case.toml").write_text(tomli_w.dumps(case))
    code, _, err = finished(begin(tmp_path, "run", ".", "-n", "1", "--output", "out"))
    assert code == exit_codes.user_error and err.count("halocline:") == 1
    assert "has an array (:, :) for the field 'deep', which has 3 levels. Make it (:, :, :)." in err


plane = """
program main
  use halocline
  real(kind(1.0d0)), pointer, contiguous :: deep(:, :)
  call halocline_join()
  call halocline_field("deep", deep)
end program
"""
