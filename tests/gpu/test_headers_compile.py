"""The headers that the CPU kernels are made of compile for a GPU lane, with warnings as errors."""

from __future__ import annotations

import subprocess
from pathlib import Path

root = Path(__file__).parents[2]


def test_point_functions_compile_for_a_gpu(nvcc: Path, tmp_path: Path) -> None:
    command = [
        str(nvcc),
        "-std=c++20",
        "-arch=sm_90",
        *("-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false"),
        *("--expt-relaxed-constexpr", "--Werror=all-warnings"),
        *("-I", str(root / "cpp/base"), "-I", str(root / "src/halocline")),
        *("-c", str(Path(__file__).parent / "point_functions.cu")),
        *("-o", str(tmp_path / "point_functions.o")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "point_functions.o").stat().st_size > 0
