"""Files to a site and back: what is damaged comes again, what is there does not."""

import hashlib
import random
import resource
import signal
from pathlib import Path

import pytest

from halocline.core.errors import UserError
from halocline.submission.site_file import SiteOptions
from halocline.submission.site_shell import SiteShell
from halocline.submission.staging import StagedFile
from halocline.submission.transfer import _part, fetch, send

content = random.Random(1).randbytes(300_000)


@pytest.fixture
def shell(tmp_path: Path):
    with SiteShell("here", SiteOptions()) as found:
        yield found


def sent(shell: SiteShell, folder: Path, *files: StagedFile) -> int:
    return send(shell, str(folder), files)


def test_what_is_there_is_not_sent_again(shell, tmp_path) -> None:
    (tmp_path / "a file").write_bytes(content)
    files = [StagedFile.of("a", tmp_path / "a file"), StagedFile.of("b", b""),
             StagedFile.of("c", b"\0c\n\n")]  # fmt: skip
    assert sent(shell, tmp_path / "it's there", *files) == 300_004
    for file, own in zip(files, (content, b"", b"\0c\n\n"), strict=True):
        assert Path(tmp_path, "it's there/store", file.sha256).read_bytes() == own
    assert sent(shell, tmp_path / "it's there", *files) == 0


def test_a_file_that_is_damaged_there_is_sent_again(shell, tmp_path) -> None:
    file = StagedFile.of("a", content)
    sent(shell, tmp_path, file)
    path = tmp_path / "store" / file.sha256
    path.chmod(0o644)
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert sent(shell, tmp_path, file) == 300_000
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "part, size",
    [
        (content[:100_000], 200_000),  # what came is gone on with
        (content, 0),  # only its name was missing
        (b"x" + content[1:100_000], 200_000 + 300_000),  # wrong: noticed at its end, then anew
        (content + b"x", 300_000),  # too long
    ],
)
def test_what_broke_off_is_gone_on_with(shell, tmp_path, part, size) -> None:
    file = StagedFile.of("a", content)
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / f"{file.sha256}.part").write_bytes(part)
    assert sent(shell, tmp_path, file) == size
    assert (tmp_path / "store" / file.sha256).read_bytes() == content
    assert len(list((tmp_path / "store").iterdir())) == 1


def test_a_file_that_changes_here_while_it_is_sent_is_refused(shell, tmp_path) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    file = StagedFile.of("a", path)
    path.write_bytes(content[::-1])
    with pytest.raises(UserError, match="wrong checksums 3 times: a"):
        sent(shell, tmp_path / "there", file)
    path.write_bytes(content[:10])
    with pytest.raises(UserError, match="become shorter"):
        sent(shell, tmp_path / "there", file)


def test_a_full_disk_there_is_one_message(shell, tmp_path, monkeypatch) -> None:
    """What the program says that writes there is what it says on a full disk."""
    file, path = StagedFile.of("a", content), shell._environment()["PATH"]
    head = tmp_path / "programs/head"
    head.parent.mkdir()
    head.write_text(
        "#!/bin/sh\ncase $2 in 300000) echo 'head: error writing: No space left on device' >&2\n"
        f'exit 1;; esac\nPATH={path} exec head "$@"\n',
        encoding="utf-8",
    )
    head.chmod(0o755)
    monkeypatch.setenv("PATH", f"{head.parent}:{path}")
    with pytest.raises(UserError, match="The disk of the site 'here' is full: head: error"):
        sent(shell, tmp_path / "there", file)
    monkeypatch.setenv("PATH", path)
    assert sent(shell, tmp_path / "there", file) == 300_000


def test_a_full_disk_here_is_one_message(shell, tmp_path) -> None:
    """A limit for files stands for it: the system refuses the next byte."""
    (tmp_path / "job/results").mkdir(parents=True)
    (tmp_path / "job/results/a.nc").write_bytes(content)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(UserError, match="Cannot write results to .*: the disk is full"):
            fetch(shell, str(tmp_path / "job"), tmp_path / "here", running=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert fetch(shell, str(tmp_path / "job"), tmp_path / "here", running=False).size == 200_000


def test_results_come_back_checked(shell, tmp_path) -> None:
    there, here = tmp_path / "the job's", tmp_path / "here"
    results = there / "results"
    (results / "z.zarr/c").mkdir(parents=True)
    own = {"maps.nc": content, "z.zarr/c/0": b"zero", "empty": b"", "a 'b' \"c\" $d.nc": b"odd"}
    for name, some in own.items():
        (results / name).write_bytes(some)
    (results / "maps.nc.part").write_bytes(b"not yet")
    here.mkdir()
    part = _part(here, "maps.nc", hashlib.sha256(content).hexdigest())
    part.write_bytes(content[:299_000])
    found = fetch(shell, str(there), here, running=False)
    assert (found.files, found.size, found.changing) == (4, 1000 + 4 + 3, [])
    for name, some in own.items():
        assert (here / name).read_bytes() == some
    assert not [path for path in here.rglob("*") if path.name.endswith(".part")]
    (here / "maps.nc").write_bytes(content[:-1] + b"?")
    assert fetch(shell, str(there), here, running=False).size == 300_000
    assert (here / "maps.nc").read_bytes() == content
    part.write_bytes(b"?" + content[1:299_000])
    (here / "maps.nc").unlink()
    assert fetch(shell, str(there), here, running=False).size == 1000 + 300_000
    assert (here / "maps.nc").read_bytes() == content


def test_a_file_that_grows_is_left_for_later(shell, tmp_path, monkeypatch) -> None:
    """Between its checksum and its arrival the run has written: it is not taken, and named."""
    there, here = tmp_path / "job", tmp_path / "here"
    (there / "results").mkdir(parents=True)
    (there / "results/growing.nc").write_bytes(content)
    (there / "results/still.nc").write_bytes(b"still")
    whole = SiteShell.run

    def run(self, script, **facts):
        said = whole(self, script, **facts)
        if facts["what"] == "list results":
            (there / "results/growing.nc").write_bytes(content[::-1])
        return said

    monkeypatch.setattr(SiteShell, "run", run)
    found = fetch(shell, str(there), here, running=True)
    assert (found.files, found.changing) == (1, ["growing.nc"])
    assert [path.name for path in here.iterdir()] == ["still.nc"]


def test_names_that_lead_elsewhere_are_refused(shell, tmp_path, monkeypatch) -> None:
    said = f"{'0' * 64} 1 ./../stray\n"
    monkeypatch.setattr(SiteShell, "run", lambda self, script, **facts: said)
    with pytest.raises(UserError, match="'../stray' is no name of a result"):
        fetch(shell, str(tmp_path), tmp_path / "here", running=False)
