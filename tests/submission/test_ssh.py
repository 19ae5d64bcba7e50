"""Runs sent over ssh, to a real sshd that the test starts with keys of its own.

Left out where no sshd is installed (Debian: openssh-server). Judges no time.
"""

import os
import random
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

import halocline as package
from halocline.submission.site_file import SiteOptions
from halocline.submission.site_shell import SiteShell
from halocline.submission.staging import StagedFile
from halocline.submission.transfer import send
from named_programs import where_installed
from submission.sending import Desk, small, stand_in

server = where_installed("sshd") or shutil.which("sshd", path="/usr/sbin")
client, maker = where_installed("ssh"), where_installed("ssh-keygen")
pytestmark = pytest.mark.skipif(
    not (server and client and maker), reason="no sshd is installed here"
)


@pytest.fixture(scope="module")
def sshd(tmp_path_factory):
    """A server on a port of its own; yields the ssh_options that reach it."""
    folder = tmp_path_factory.mktemp("sshd")
    for name in ("host", "user"):
        subprocess.run([maker, "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        port = some.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/user.pub\nStrictModes no\nUsePAM no\nAcceptEnv *\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n",
        encoding="utf-8",
    )
    host_key = (folder / "host.pub").read_text(encoding="utf-8").split(" ", 2)
    (folder / "known").write_text(
        f"[127.0.0.1]:{port} {host_key[0]} {host_key[1]}\n", encoding="utf-8"
    )
    (folder / "config").write_text(
        f'Host *\nPort {port}\nIdentityFile "{folder}/user"\nIdentitiesOnly yes\n'
        f'UserKnownHostsFile "{folder}/known"\nStrictHostKeyChecking yes\nSendEnv *\n',
        encoding="utf-8",
    )
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where it separates its privileges
    log = (folder / "log").open("wb")
    process = subprocess.Popen([server, "-D", "-e", "-f", folder / "sshd_config"], stderr=log)
    deadline = time.monotonic() + 20
    while b"listening" not in (folder / "log").read_bytes().lower():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    yield ["-F", str(folder / "config")]
    process.terminate()
    process.wait()
    log.close()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch, capsys, sshd) -> Desk:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "ssh").symlink_to(client)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    found = Desk(tmp_path, monkeypatch, capsys)
    found.sites(far=far(sshd))
    return found


def far(sshd, **facts):
    return {"kind": "ssh", "host": "127.0.0.1", "ssh_options": sshd, "cores": 2, **facts}


def test_a_run_over_ssh_is_the_run_here(desk: Desk) -> None:
    desk("submit", "duration-limited", "--to", "far", *small)
    said = desk.wait()
    assert "far (ssh)" in said
    assert "far" in desk("job", "list") and "results" in desk("job", "log")
    desk("job", "fetch", "--output", "fetched")
    package.run("duration-limited", settings=["time.length=2h"], output="plain")
    assert Path("fetched/maps.nc").read_bytes() == Path("plain/maps.nc").read_bytes()


def test_a_run_over_ssh_is_cancelled(desk: Desk, sshd) -> None:
    script = """
mkdir -p results; : > results/halocline.toml; trap 'echo told; exit 3' TERM; echo begun
while :; do sleep 0.1; done"""
    program = stand_in(desk.folder / "stand-in", script)
    desk.sites(far=far(sshd, halocline=program))
    desk("submit", "duration-limited", "--to", "far", *small)
    while "begun" not in desk.printed():
        time.sleep(0.1)
    assert "running" in desk("job", "status")
    assert "cancelled" in desk("job", "cancel")
    assert desk.printed() == "begun\ntold\n"


def test_no_environment_and_no_script_can_be_seen_there(desk: Desk, sshd, monkeypatch) -> None:
    """Of what ssh may send nothing goes, though server and user's settings allow it; a script does
    not stand in a list of processes."""
    monkeypatch.setenv("A_SECRET", "of the user")
    with SiteShell("far", SiteOptions(**far(sshd))) as shell:
        assert "of the user" not in shell.run("env", what="look")
        word = "a-word-in-the-script"
        said = shell.run(f": {word}; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '", what="x")
        assert "sshd" in said and word not in said
    environment = dict(os.environ, A_SECRET="of the user")
    seen = subprocess.run(
        [client, *sshd, "127.0.0.1", "env"], env=environment, capture_output=True, text=True
    )
    assert "of the user" in seen.stdout  # so this server does take what is sent


def test_input_that_is_cut_off_goes_on_where_it_was(desk: Desk, sshd, tmp_path: Path) -> None:
    """The first connection ends after 300 kB: what came by then is not sent again."""
    content = random.Random(1).randbytes(1_000_000)
    (tmp_path / "input").write_bytes(content)
    program = tmp_path / "programs/ssh"
    program.unlink()
    program.write_text(
        f"#!/bin/sh\ncase $* in *ControlPath*-T*) n=$(cat {tmp_path}/calls 2>/dev/null | wc -c)\n"
        f"printf . >> {tmp_path}/calls\n"
        f'[ "$n" = 1 ] && {{ head -c 300000 | {client} "$@"; exit; }};; esac\nexec {client} "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    files = [StagedFile.of("a", tmp_path / "input"), StagedFile.of("b", b"some words")]
    there = str(tmp_path / "store here")
    with SiteShell("far", SiteOptions(**far(sshd))) as shell:
        send(shell, there, files)
        first = Path(there, "store", files[0].sha256)
        assert first.read_bytes() == content
        assert Path(there, "store", files[1].sha256).read_bytes() == b"some words"
        assert send(shell, there, files) == 0
    assert len(Path(tmp_path, "calls").read_text(encoding="utf-8")) == 5  # one for the rest


def test_a_host_that_cannot_be_reached_is_one_message(desk: Desk, sshd) -> None:
    desk.sites(far=far([*sshd, "-p", "1"]))
    said = desk("submit", "duration-limited", "--to", "far", *small, code=2)
    assert said.count("\n") == 1
    assert "Cannot reach the site 'far' by ssh ('127.0.0.1')" in said and "refused" in said
