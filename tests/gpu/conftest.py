"""Checks that need nvcc are deselected, and say so, where there is none."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest

from named_programs import where_installed

missing = (
    "no nvcc: GPU compile checks deselected (pip install nvidia-cuda-nvcc nvidia-cuda-cccl "
    "nvidia-cuda-runtime, or set HALOCLINE_NVCC)"
)


def find_nvcc() -> Path | None:
    """The compiler named by HALOCLINE_NVCC, on the path, or from a wheel of this environment."""
    named = os.environ.get("HALOCLINE_NVCC") or where_installed("nvcc")
    if named:
        return Path(named)
    wheels = Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    return next(iter(sorted(wheels.glob("*/bin/nvcc"))), None)


@pytest.fixture
def nvcc() -> Path:
    found = find_nvcc()
    assert found is not None
    return found


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    ours = [item for item in items if here in item.path.parents]
    if ours and find_nvcc() is None:
        config.hook.pytest_deselected(items=ours)
        items[:] = [item for item in items if item not in ours]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if find_nvcc() is None:
        terminalreporter.write_line(missing)
