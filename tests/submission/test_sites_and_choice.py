"""The sites file and its mistakes, what is staged of a case, and the choice of a site."""

import os
import tomllib
from pathlib import Path

import pytest

from halocline.component.case.shipped import copy_case, data_folder
from halocline.core.errors import UserError
from halocline.experiment.members import read_members
from halocline.submission.site_file import SiteOptions, read_sites
from halocline.submission.staging import StagedFile, staged_files
from halocline.submission.submissions import Submission, save, state_folder
from halocline.submission.submitting import shape_of
from submission import batch_programs
from submission.sending import Desk, small, stand_in


@pytest.mark.parametrize(
    "text, words",
    [
        ("[a]\nkind = 'slrum'", r"\[a\]: kind = 'slrum' is not one of.*Did you mean 'slurm'"),
        ("[a]\nquue = 'x'", "Unknown option 'a.quue'. Did you mean 'queue'"),
        ("[a]\ncores = 'many'", "'a.cores' is a whole number, got 'many'"),
        ("[a]\nkind = 'ssh'", "needs its host"),
        ("[a]\nhost = 'there'", "kind = 'local' has no host"),
        ("[a]\nkind = 'ssh'\nhost = '-oProxyCommand=x'", "no name of a machine"),
        ("[a]\nlongest = '1 day'", "write HH:MM:SS"),
        ("[a]\nspeed = 0", "too small"),
        ("kind = 'ssh'", "write .kind. above it"),
        ("", "names no site"),
        ("[a", "Cannot read the sites file"),
        ("['a b']\nkind = 'local'", "no name of a site"),
    ],
)
def test_mistakes_in_the_sites_file_are_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "sites.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=words):
        read_sites(path)


def test_the_page_shows_every_option_of_a_site(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/submitting.md").read_text(encoding="utf-8")
    block = page.split("```toml\n")[1].split("```")[0]
    (tmp_path / "sites.toml").write_text(block, encoding="utf-8")
    assert set(read_sites(tmp_path / "sites.toml")) == set(tomllib.loads(block))
    shown = {key for site in tomllib.loads(block).values() for key in site}
    assert shown == set(SiteOptions().to_table())


def test_files_that_a_case_names_are_staged(tmp_path: Path) -> None:
    """Shipped data, files beside the case, patterns, restarts; not what only looks like a file."""
    copy_case("storm-1996", tmp_path / "mine")
    folder = tmp_path / "mine"
    for name in ("w_1.nc", "w_2.nc"):
        (folder / name).write_bytes(name.encode())
    (folder / "maps.nc").write_bytes(b"of an earlier run")
    (tmp_path / "restarts").mkdir()
    for name in ("restart_20000101T000000.safetensors", "other"):
        (tmp_path / "restarts" / name).write_bytes(name.encode())
    settings = ["forcing.ice.file=w_*.nc", f"restart.source={tmp_path}/restarts"]
    settings += ["output.fields.maps.file=maps.nc"]
    table = read_members(folder, settings).to_table()
    files = {file.name: file for file in staged_files(table)}
    case = tomllib.loads(files["case.toml"].content.decode())
    assert case["restart"]["source"] == "input/1"
    assert case["forcing"]["ice"]["file"] == "input/2/w_*.nc"
    assert "data_folder" not in case
    assert {"input/2/w_1.nc", "input/2/w_2.nc"} < set(files)
    assert "input/1/restart_20000101T000000.safetensors" in files
    wind = case["forcing"]["wind"]["file"]
    assert files[wind].path == folder / Path(wind).name and Path(wind).name != wind
    assert not [name for name in files if "maps.nc" in name or "other" in name]


def place(files: list[StagedFile], folder: Path) -> None:
    """Put files where they lie at a site."""
    for file in files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content if file.path is None else file.path.read_bytes())


@pytest.mark.parametrize("name", ["storm-coupled", "global-waves", "mediterranean-bloom"])
def test_a_staged_case_is_the_same_case(name: str, tmp_path: Path) -> None:
    """Read where only its staged files are, it has the options that it has here, but for names."""
    table = read_members(name).to_table()
    place(staged_files(table), tmp_path)
    there = read_members(tmp_path / "case.toml").to_table()
    names, changed = [], [(table, there)]
    while changed:
        one, other = changed.pop()
        assert one.keys() == other.keys()
        for key in one:
            if isinstance(one[key], dict):
                changed.append((one[key], other[key]))
            elif one[key] != other[key] and key != "data_folder":
                names.append((one[key], other[key]))
    assert names
    for here, there_name in names:
        assert there_name == f"input/{here}" and (data_folder() / here).is_file()
        assert (tmp_path / there_name).read_bytes() == (data_folder() / here).read_bytes()


def test_keys_and_certificates_are_never_staged(tmp_path: Path, monkeypatch) -> None:
    """The half of a run at two sites is sent with the paths that it has there."""
    (tmp_path / "denver").mkdir()
    for name in ("key.pem", "certificate.pem"):
        (tmp_path / "denver" / name).write_text("secret", encoding="utf-8")
    (tmp_path / "word").write_text("secret", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    settings = ["site=denver", "members.air.site=denver", "members.ocean.site=seattle"]
    settings += ["link.listen=127.0.0.1:7000", f"link.credentials={tmp_path}/denver"]
    settings += [f"link.passphrase_file={tmp_path}/word"]
    files = staged_files(read_members("atmosphere-ocean", settings).to_table())
    for file in files:
        assert file.path is None or file.path.is_relative_to(data_folder())
        assert b"secret" not in file.content
    case = tomllib.loads(files[0].content.decode())
    assert case["site"] == "denver"
    assert case["link"]["credentials"] == f"{tmp_path}/denver"
    place(files, tmp_path / "there")
    assert list(read_members(tmp_path / "there").here) == ["air"]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch, capsys) -> Desk:
    found = Desk(tmp_path, monkeypatch, capsys)
    found.queue = batch_programs.install(batch_programs.slurm, tmp_path / "programs")
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}")
    found.program = stand_in(tmp_path / "stand-in", "exit 0")
    return found


def row(said: str, site: str) -> list[str]:
    (found,) = [line for line in said.splitlines() if line.startswith(f"{site} ")]
    return found.split("  ")


def test_the_queue_decides_and_the_reason_is_told(desk: Desk) -> None:
    """Jobs ahead count where the scheduler tells no start; its own word counts before them."""
    facts = {"halocline": desk.program, "cores": 1}
    desk.sites(
        slow={"kind": "local", "speed": 0.01, **facts},
        cluster={"kind": "slurm", "longest": "01:00:00", **facts},
        little={"kind": "local", "memory": 0.001, **facts},
        short={"kind": "slurm", "longest": "00:01:00", **facts},
    )
    words = ("submit", "duration-limited", "--anywhere", "--walltime", "00:30:00", "-n", "1")
    (desk.queue / "held").touch()
    said = desk(*words)
    assert "chosen: cluster" in said and "0 jobs ahead" in said
    assert "little: The site 'little' has 0.001 GB" in said
    assert "short: A job of the site 'short' has 00:01:00 at most" in said
    said = desk(*words)  # the same command finds the run, and chooses no more
    assert "at 'cluster' already: waiting" in said and "chosen" not in said
    said = desk(*words, "--again")
    assert "1 job ahead, 600 s each" in said and "chosen: slow" in said
    assert "10 min" in " ".join(row(said, "cluster"))
    (desk.queue / "tells").write_text("sbatch: Job 3 to start at 2000-01-01T00:00:00 using 1\n")
    said = desk(*words, "--again")
    assert "start told by Slurm" in said and "chosen: cluster" in said
    (desk.queue / "held").unlink()


def test_earlier_runs_tell_more_than_stated_costs(desk: Desk) -> None:
    """A site that was slower than stated is left; a step costs the same at any length."""
    shape = shape_of(read_members("duration-limited").to_table())
    assert shape == shape_of(read_members("duration-limited", ["time.length=5d"]).to_table())
    other = read_members("duration-limited", ["forcing.wind.speed=12.0"]).to_table()
    assert shape != shape_of(other)
    facts = {"kind": "local", "halocline": desk.program, "cores": 100}
    desk.sites(one={**facts, "speed": 2.0}, two=facts)
    state_folder().mkdir(parents=True)
    save(Submission(identity="a", site="one", shape=shape, steps=100, took=5000.0, ranks=2))
    said = desk("submit", "duration-limited", "--anywhere", "-n", "1")
    assert "chosen: two" in said
    assert "an earlier run there took 50 s a step, scaled from 2" in said
    assert "5 h 20 min" in " ".join(row(said, "one"))  # 192 steps of 100 s
    assert "two: the case's stated cost" in said


def test_no_site_fits(desk: Desk) -> None:
    desk.sites(one={"kind": "local", "cores": 1}, far={"kind": "ssh", "host": "far"})
    said = desk("submit", "duration-limited", "--anywhere", "-n", "2", code=2)
    assert "has 1 core for a run, and 2 ranks are wanted" in said
    assert "there is no program 'ssh' here" in said and "No site can take this run" in said


def test_what_cannot_be_is_one_message(desk: Desk) -> None:
    desk.sites(one={"kind": "local", "halocline": "no-such-program"},
               two={"kind": "slurm", "cores": 1, "halocline": desk.program})  # fmt: skip
    for words, said in (
        (("--to", "none"), "There is no site 'none'"),
        (("--to", "one", "--walltime", "2 h"), "write HH:MM:SS"),
        (("--to", "one", "--walltime", "3"), "too short to start in"),
        (("--to", "one"), "Halocline cannot be started at the site 'one'"),
        (("--to", "two"), "needs a limit of wall time"),
        (("--to", "one", "--sites", "none.toml"), "There is no sites file"),
    ):
        found = desk("submit", "duration-limited", *small, *words, code=2)
        assert said in found and found.count("\n") == 1, found
    assert "has not been submitted whole" in desk("job", "status", code=2)
    assert "There is no job 'x'" in desk("job", "status", "x", code=2)
