"""Old versions run again today, in turns with the present one: only their code differs."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import halocline
from halocline.core.errors import UserError
from halocline.core.programs import find_program
from halocline_lab.commands import commands
from halocline_lab.evolution import remembering
from halocline_lab.evolution.provenance import digest, git
from halocline_lab.evolution.remembered import Result, added_flags, append, matches


@dataclass(frozen=True)
class Version:
    """A built version: how it is called, the folder of its package, flags beside its own."""

    name: str
    package: Path
    flags: str = ""


def rerun(
    history: Path,
    commits: Sequence[str],
    command: str,
    rounds: int,
    builds: Path | None,
    only: Sequence[str] = (),
    tell: Callable[[str], None] = print,
    flags: Sequence[str] = (),
) -> None:
    """Build old versions, run a benchmark with each and with the present one in turns.

    Each is built once for every one of some `flags`, with these after its own. All results go into
    the history as one batch, or those with some words only; those of a broken rerun stay. Checkouts
    are built in the folder `builds`, where a later rerun finds them, or in a temporary one.
    """
    benchmark, *arguments = shlex.split(command) or [""]
    options = parsed(benchmark, arguments)
    root = repository()
    hashes = [resolved(root, commit) for commit in commits]
    with ExitStack() as ending:
        if builds is None:
            folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        else:
            folder = builds.absolute()
        versions = []
        for name, more in product(hashes, flags or [""]):
            checkout = folder / (f"{name[:12]}-{digest(more)}" if more else name[:12])
            if builds is None:
                ending.callback(partial(git, root, "worktree", "remove", "--force", str(checkout)))
            subject = git(root, "log", "-1", "--format=%s", name)
            tell(f"building {name[:12]} {more}".rstrip() + f": {subject}")
            package = built(root, name, checkout, more)
            versions.append(Version(f"{name[:7]} {more}".rstrip(), package, more))
        versions.append(Version("the present version", Path(halocline.__file__).parent))
        batch, count = uuid.uuid4().hex[:8], remembering.runs_of(benchmark, options)
        kept = remembering.measured_by(arguments)
        for turn in range(-1, rounds):
            for version in versions if turn % 2 == 0 else versions[::-1]:
                words = f"round {turn + 1} of {rounds}" if turn >= 0 else "rehearsal"
                tell(f"{words}: {benchmark} by {version.name}")
                table = measured(version, benchmark, kept)
                rows = remembering.measurements(benchmark, table, count)
                found = remembering.result(
                    benchmark, kept, rows, table, package=version.package, batch=batch, turn=turn
                )
                if version.flags:
                    found = replace(found, build={**found.build, added_flags: version.flags})
                if turn >= 0:
                    append(history, chosen(found, only))


def chosen(result: Result, only: Sequence[str]) -> Result:
    """The result with the measurements that hold one of some words; with all, without words."""
    rows = [row for row in result.measurements if matches(result, row, only)]
    if not rows:
        raise UserError(f"'{result.command}' measures nothing with {list(only)} in its name.")
    return replace(result, measurements=tuple(rows))


def parsed(benchmark: str, arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of a benchmark, as the present version understands them."""
    if benchmark not in remembering.sources:
        raise UserError(
            f"--benchmark '{benchmark}' is none of: {', '.join(remembering.sources)}. Its arguments"
            " follow its name, for example --benchmark 'transport --tracers 2'."
        )
    parser = argparse.ArgumentParser(prog=f"halocline lab {benchmark}")
    commands[benchmark]().add_arguments(parser)
    return parser.parse_args(list(arguments))


def repository(asking: str = "--rerun") -> Path:
    """The checkout that the package runs from; who is `asking` is named where there is none."""
    package = Path(halocline.__file__).parent
    root = git(package, "rev-parse", "--show-toplevel")
    if not root or not git(package, "ls-files", "__init__.py"):
        raise UserError(
            f"{asking} needs the history of the code: run it from a checkout of the repository, not"
            " from an installed package."
        )
    return Path(root)


def resolved(root: Path, commit: str) -> str:
    """The full name of a commit."""
    found = git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if not found:
        raise UserError(f"{commit}: this repository has no such commit. See 'git log'.")
    return found


leave_out = "Leave this version out."


def built(
    root: Path, commit: str, checkout: Path, flags: str = "", rooms: Sequence[str] = ()
) -> Path:
    """Check a commit out, build it with more flags, and give the folder of its package.

    With `rooms` only these have their C++ built.
    """
    if not (checkout / "src").exists():
        checkout.parent.mkdir(parents=True, exist_ok=True)
        _done(["git", "-C", str(root), "worktree", "add", "--detach", str(checkout), commit])
    elif git(checkout, "rev-parse", "HEAD") != commit or git(checkout, "status", "--porcelain"):
        raise UserError(f"'{checkout}' is not an unchanged checkout of {commit[:12]}. Remove it.")
    if flags and "HALOCLINE_FLAGS" not in (checkout / "CMakeLists.txt").read_text("utf-8"):
        raise UserError(
            f"--flags '{flags}': {commit[:12]} cannot be built with other flags, as later versions"
            f" can (option HALOCLINE_FLAGS of CMake). {leave_out}"
        )
    folder = checkout / "build"
    _done(
        [
            "cmake", "-S", str(checkout), "-B", str(folder), "-G", "Ninja",
            f"-DCMAKE_MAKE_PROGRAM={_needed('ninja')}",
            "-DHALOCLINE_IN_PLACE=ON", f"-DPython_EXECUTABLE={sys.executable}",
            "-DCMAKE_CXX_FLAGS=-frecord-gcc-switches",
            *([f"-DHALOCLINE_FLAGS={flags}"] if flags else []),
        ]
    )  # fmt: skip
    targets = [word for room in rooms for word in ("--target", f"{room}_native")]
    remedy = f"Leave '{flags}' out, or this version." if flags else leave_out
    _done(["cmake", "--build", str(folder), *targets], remedy)
    return checkout / "src" / "halocline"


def _needed(program: str) -> str:
    """The path of a program without which nothing can be built."""
    found = find_program(program)
    if found is None:
        raise UserError(
            f"--rerun needs the program '{program}': it is neither beside '{sys.executable}' nor on"
            " PATH. Install it; './halo' brings along all that it needs but git and g++."
        )
    return found


def _done(command: Sequence[str], remedy: str = leave_out) -> None:
    program, *arguments = command
    done = subprocess.run(
        [_needed(program), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        words = (done.stderr + done.stdout).strip()[-2000:]
        raise UserError(f"'{shlex.join(command)}' failed:\n{words}\n{remedy}")


def environment_of(package: Path) -> dict[str, str]:
    """Variables with which Python takes the package of a checkout; nothing is remembered."""
    source = package.parent
    paths = os.pathsep.join([str(source), str(source.parent / "lab" / "src")])
    environment = {**os.environ, "PYTHONPATH": paths}
    environment.pop(remembering.variable, None)
    return environment


def measured(version: Version, benchmark: str, arguments: Sequence[str]) -> dict[str, Any]:
    """The JSON of a benchmark that a version runs in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.json"
        command = [sys.executable, "-m", "halocline", "lab", benchmark, *arguments]
        done = subprocess.run(
            [*command, "--json", str(path)],
            env=environment_of(version.package),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise UserError(
                f"'{shlex.join([benchmark, *arguments])}' failed with {version.name}:\n"
                f"{(done.stderr or done.stdout).strip()[-2000:]}\n"
                "Give arguments that all versions know, or leave this version out."
            )
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
