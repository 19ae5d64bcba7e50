"""The script `halo`: what it says and does where something is missing, and how fast it starts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

top = Path(__file__).parents[2]
hidden = {"g++", "id"}
locks = ["requirements.lock", "requirements-test.lock"]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the script and its lock, and `bin` with everything but a compiler."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    for name in ("halo", *locks):
        shutil.copy(top / name, folder)
    programs = folder / "bin"
    programs.mkdir()
    for program in Path(os.environ["PATH"]).iterdir():
        if program.name not in hidden:
            (programs / program.name).symlink_to(program)
    return folder


def fake(checkout: Path, name: str, script: str) -> None:
    """Put a program of our own into the folder's `bin`."""
    program = checkout / "bin" / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def halo(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(checkout / "halo"), *arguments],
        env=os.environ | {"PATH": str(checkout / "bin")},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_plain_user_is_told_the_command_in_one_line(checkout: Path) -> None:
    fake(checkout, "id", "echo 1000")
    fake(checkout, "apt-get", "exit 9")
    result = halo(checkout, "cases")
    assert result.returncode == 1
    assert result.stderr.startswith("halo: missing: g++")
    assert "sudo apt-get install -y g++" in result.stderr
    assert result.stderr.count("\n") == 1


def test_root_installs_what_is_missing(checkout: Path) -> None:
    fake(checkout, "id", "echo 0")
    fake(checkout, "apt-get", f'echo "$@" >>"{checkout}/asked"; echo "no such mirror"; exit 100')
    result = halo(checkout, "cases")
    assert result.returncode == 1
    asked = (checkout / "asked").read_text().splitlines()
    assert asked[0].startswith("install -y g++")
    assert asked[1] == "update"
    assert "no such mirror" in result.stderr
    assert "apt-get failed" in result.stderr


def test_sudo_without_password_is_used(checkout: Path) -> None:
    fake(checkout, "id", "echo 1000")
    fake(checkout, "sudo", f'printf "%s\\n" "$*" >>"{checkout}/asked"')
    fake(checkout, "apt-get", "exit 9")
    result = halo(checkout, "cases")
    assert "-n apt-get install -y g++" in (checkout / "asked").read_text()
    assert "still missing: g++" in result.stderr


def test_unwritable_checkout_has_its_message(checkout: Path) -> None:
    (checkout / ".halo.lock").mkdir()
    result = halo(checkout, "cases")
    assert result.returncode == 1
    assert "cannot write in" in result.stderr


@pytest.fixture
def set_up(checkout: Path) -> Path:
    """The folder as after a set-up, with a fake ninja that takes its time to make `waves`."""
    (checkout / "src/halocline/waves").mkdir(parents=True)
    (checkout / "src/halocline/waves/_native.pyi").touch()
    (checkout / ".venv/build").mkdir(parents=True)
    (checkout / ".venv/build/build.ninja").touch()
    (checkout / ".venv/bin").mkdir()
    ninja = checkout / ".venv/bin/ninja"
    ninja.write_text(
        f"""#!/bin/sh
echo "$@" >>"{checkout}/asked"
sleep 0.3
touch "{checkout}/src/halocline/waves/_native.so"
"""
    )
    ninja.chmod(0o755)
    return checkout


def test_many_ranks_that_miss_a_module_compile_it_once(set_up: Path) -> None:
    fake(set_up, "g++", "exit 0")
    command = ["sh", str(set_up / "halo"), "--compile", "waves"]
    environment = os.environ | {"PATH": str(set_up / "bin")}
    ranks = [
        subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = "".join(rank.communicate(timeout=240)[1] for rank in ranks)
    assert [rank.returncode for rank in ranks] == [0] * 4
    assert said.count("halo: compiling the kernels of waves") == said.count("\n") == 1
    assert (set_up / "asked").read_text().split()[-1] == "waves_native"
    assert (set_up / "asked").read_text().count("\n") == 1


def test_a_missing_module_without_a_compiler(set_up: Path) -> None:
    fake(set_up, "id", "echo 1000")
    fake(set_up, "apt-get", "exit 9")
    result = halo(set_up, "--compile", "waves")
    assert result.returncode == 1
    assert "sudo apt-get install -y g++" in result.stderr
    assert not (set_up / "asked").exists()


@pytest.mark.parametrize("name", locks)
def test_lock_names_no_registry(name: str) -> None:
    lock = (top / name).read_text()
    assert "://" not in lock
    assert "--index" not in lock
    requirements = [line for line in lock.splitlines() if "==" in line and "--hash" not in line]
    assert len(requirements) > 30
    assert lock.count("--hash=sha256:") > len(requirements)


def pinned(name: str) -> dict[str, str]:
    """Versions of a lock by package; of several for unlike interpreters the last."""
    lines = (top / name).read_text().splitlines()
    pins = [line.partition(" ;")[0].removesuffix(" \\") for line in lines if "==" in line[:60]]
    return dict(pin.split("==", 1) for pin in pins)


def names_of(requirements: list[str]) -> set[str]:
    found = [re.match(r"[A-Za-z0-9_.-]+", requirement) for requirement in requirements]
    return {match.group().lower() for match in found if match} - {"halocline"}


def test_locks_hold_every_declared_package() -> None:
    project = tomllib.loads((top / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = names_of([*project["dependencies"], *extras["mpi"], *extras["checkout"]])
    checks = names_of([*extras["grib"], *extras["trace"], *extras["test"]])
    assert users <= set(pinned("requirements.lock"))
    assert users | checks <= set(pinned("requirements-test.lock"))
    assert not (checks - users) & set(pinned("requirements.lock"))


def test_tests_run_with_the_packages_of_users() -> None:
    few, more = pinned("requirements.lock"), pinned("requirements-test.lock")
    assert {name: more[name] for name in few} == few
