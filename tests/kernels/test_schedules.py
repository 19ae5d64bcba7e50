"""Loops over threads stand in the schedules alone, and functions of points are free of hosts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from halocline.core.checkout import top

rooms = [top / "src", top / "cpp"]
schedules = top / "cpp" / "base" / "schedules.hpp"
threads = re.compile(r"#\s*pragma\s+omp(?!\s+simd\b)|\bomp_\w+\s*\(|<omp\.h>")
marked = re.compile(r"\bHD\s+(?:INLINE|inline)\b[^;{]*?\b(\w+)\s*\(")


def sources() -> list[Path]:
    return [path for room in rooms for path in sorted(room.rglob("*.[ch]pp"))]


def evaluated(*folders: Path) -> subprocess.CompletedProcess[str]:
    """The compiler's verdict on point_functions.cpp, with headers from these folders."""
    command = [
        "g++", "-std=c++20", "-fopenmp", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-psabi",
        "-Werror", "-DHALOCLINE_POINTS_AS_CONSTANTS", "-D_GLIBCXX20_CONSTEXPR=",
        *(f"-I{folder}" for folder in (top / "cpp/base", *folders)),
        str(Path(__file__).with_name("point_functions.cpp")),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


def test_threads_stand_in_schedules_alone() -> None:
    found = {
        str(path.relative_to(top)): line.strip()
        for path in sources()
        for line in path.read_text().splitlines()
        if threads.search(line) and path != schedules
    }
    assert len(sources()) > 50 and not found, f"use or add to {schedules.name}: {found}"


def test_functions_of_points_are_evaluated_by_the_compiler() -> None:
    """Those of `numerics` are constant expressions: no threads, globals, or calls of the host.

    The library's containers are no constants here, so that they do not allocate either.
    """
    done = evaluated(top / "src/halocline")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "line",
    [
        'std::printf("%g", above);',
        "\n#pragma omp critical\n  above += 0;",
        "static int calls = 0; ++calls;",
        "std::vector<V> kept(3); (void)kept;",
    ],
    ids=["output", "threads", "globals", "allocation"],
)
def test_what_a_point_must_not_do_is_refused(tmp_path: Path, line: str) -> None:
    header = (top / "src/halocline/numerics/sinking.hpp").read_text()
    begin = "  return (tracer + above * sunk_above)"
    assert header.count(begin) == 1
    changed = header.replace(begin, f"  {line}\n{begin}")
    include = "#include <cstdio>\n#include <vector>\n"
    (tmp_path / "numerics").mkdir()
    (tmp_path / "numerics/sinking.hpp").write_text(
        changed.replace("#pragma once\n", f"#pragma once\n{include}")
    )
    done = evaluated(tmp_path, top / "src/halocline")
    assert done.returncode != 0 and "constant" in done.stderr


def test_no_function_of_points_is_forgotten() -> None:
    headers = sorted((top / "src/halocline/numerics").glob("*.hpp"))
    names = {name for path in headers for name in marked.findall(path.read_text())}
    checked = Path(__file__).with_name("point_functions.cpp").read_text()
    assert len(names) > 10 and not {n for n in names if not re.search(rf"\b{n}\b", checked)}


@pytest.mark.parametrize(
    "line", ["#pragma omp parallel for", "# pragma omp critical", "int n = omp_get_max_threads();"]
)
def test_what_is_looked_for_is_found(line: str) -> None:
    assert threads.search(line) and not threads.search("#pragma omp simd")
