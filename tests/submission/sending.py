"""Sites for tests: their file, cases, commands in this process and in processes that are killed."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from halocline.experiment.command_line import main
from halocline.submission.submissions import all_submissions

halocline = f"{shlex.quote(sys.executable)} -P -m halocline"
small = ["--set", "time.length=2h", "-n", "1"]


class Desk:
    """A user at one machine: a sites file, a memory of what was sent, and commands."""

    def __init__(self, folder: Path, monkeypatch, capsys) -> None:
        self.folder, self.capsys = folder, capsys
        self.there = folder / 'it\'s a "site" $HOME'
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        monkeypatch.chdir(folder)

    def sites(self, **tables) -> None:
        """Write the sites file where it is looked for."""
        path = self.folder / "config/halocline/sites.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = []
        for name, facts in tables.items():
            facts = {"folder": str(self.there), "halocline": halocline, **facts}
            lines += [f"[{name}]", *(f"{key} = {toml(value)}" for key, value in facts.items())]
        path.write_text("\n".join(lines), encoding="utf-8")

    def __call__(self, *words, code=0) -> str:
        """What a command prints, and says on standard error."""
        self.capsys.readouterr()
        found = main(list(words))
        said = self.capsys.readouterr()
        assert found == code, said.out + said.err
        return said.out + said.err

    def wait(self, job="", until="complete", within=90.0) -> str:
        """What `status` says as soon as it says this."""
        deadline = time.monotonic() + within
        while until not in (said := self("job", "status", *filter(None, [job]))):
            assert time.monotonic() < deadline, said + self.printed()
            time.sleep(0.3)
        return said

    def printed(self) -> str:
        """All that runs have printed at the site."""
        logs = self.there.glob("jobs/*/output.log")
        return "\n".join(path.read_text(encoding="utf-8") for path in logs)

    def histories(self) -> dict[str, list[str]]:
        """What happened to each run there: words without their times."""
        return {
            path.parent.name: [
                line.split(" ")[1] for line in path.read_text(encoding="utf-8").splitlines()
            ]
            for path in self.there.glob("jobs/*/history")
        }

    @property
    def job(self) -> str:
        """The name of the only run that was sent."""
        (some,) = all_submissions()
        return some.identity


def toml(value) -> str:
    """A text, a list of texts or a number as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def stand_in(folder: Path, script: str) -> str:
    """A program in the place of halocline; its call."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "stand in"
    path.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && {{ echo halocline 0.1.0; exit; }}\n{script}\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return shlex.quote(str(path))


killing = """
import os, signal, sys
from halocline.experiment.command_line import main
from halocline.submission import {module}
at, where = int(sys.argv[1]), sys.argv[2]
whole, count = {module}.{function}, 0

def killed(*words, **facts):
    global count
    count += 1
    if count == at and where == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    found = whole(*words, **facts)
    if count == at:
        os.kill(os.getpid(), signal.SIGKILL)
    return found

{module}.{function} = killed
main(sys.argv[3:])
"""


def killed(module: str, function: str, at: int, where: str, *words: str) -> bool:
    """Give a command whose process is killed at a call of a function; False if it ended before."""
    program = killing.format(module=module, function=function)
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, str(at), where, *words],
        env=os.environ,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode in (0, -9), done.stderr.decode()
    return done.returncode == -9
