"""What a run writes stays in its folder of results, whatever names and links it finds."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from halocline.component.case.reading import make_case
from halocline.component.streams.own_stream import OwnStream
from halocline.core.errors import UserError
from halocline.experiment.check import report
from halocline.experiment.command_line import main
from halocline.experiment.run import run

small: dict[str, Any] = {
    "grid": {"kind": "cartesian", "nx": 6, "ny": 6, "dx": 1e4, "dy": 1e4},
    "spectrum": {"frequencies": 3, "directions": 4},
    "time": {"length": "2h"},
}
tracers: dict[str, Any] = {
    "component": "transport",
    "grid": {"nx": 8, "ny": 8, "x0": -4.0, "y0": -4.0},
    "time": {"length": "2h"},
}


def with_streams(*streams: dict[str, Any], base: dict[str, Any] = small) -> dict[str, Any]:
    """A case with streams of maps, named a, b, ..."""
    named = {some.get("name", chr(97 + n)): {**some} for n, some in enumerate(streams)}
    for some in named.values():
        some.pop("name", None)
    return {**base, "output": {"fields": named}}


def listing(folder: Path) -> dict[str, bytes | None]:
    """All files of a folder with what they hold, links as they are."""
    found: dict[str, bytes | None] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return found


@pytest.fixture
def around(tmp_path: Path) -> Path:
    """A folder with a stranger's files in it and, below, a folder of results with one."""
    results = tmp_path / "around" / "results"
    results.mkdir(parents=True)
    (results / "notes.txt").write_text("a stranger's")
    (results.parent / "x").write_text("not ours")
    (results.parent / "x.nc").write_text("not ours")
    return tmp_path / "around"


outside = [
    "", ".", "./", "..", "../x", "../x.nc", "a/../../x.nc", "sub/../../x.nc", "{stream}/../../x.nc",
    "a/..", "../around/x.nc", "\0", "a\0.nc", "a\n.nc", "sub/", "x" * 300 + ".nc", "y/" * 3000,
]  # fmt: skip
ours = [
    "halocline.toml", "halocline.log", "halocline.end", "halocline.record", "halocline.log/a.nc",
    "restart_20000101T020000.safetensors", "restart_20000101T020000.safetensors.part", "a.nc.part",
    "a.nc.new", "a.nc.old", "a.zarr.old/b.nc",
]  # fmt: skip
strange = ["{stream.__class__}.nc", "{stream:>9999}.nc", "{name}.nc", "{}.nc", "{.nc", "}.nc"]


@pytest.mark.parametrize("name", [*outside, *ours, *strange])
def test_a_file_that_is_no_file_of_its_own_in_the_folder_is_refused(
    around: Path, name: str
) -> None:
    before = listing(around)
    for base, existing in ((small, "replace"), (tracers, "move")):
        stream = {"file": name, "existing": existing}
        case = make_case(with_streams(stream, base=base))
        with pytest.raises(UserError) as refused:
            run(case, output=around / "results")
        with pytest.raises(UserError) as checked:
            report(case, 1)
        assert str(checked.value) == str(refused.value)
        after = {k: v for k, v in listing(around).items() if k != "results/halocline.log"}
        assert after == before


def test_absolute_names_are_refused(around: Path) -> None:
    for name in (str(around / "x.nc"), str(around / "results" / "x.nc"), "//x.nc"):
        with pytest.raises(UserError, match="below the folder of results"):
            run(with_streams({"file": name}), output=around / "results")
    assert (around / "x.nc").read_text() == "not ours"


def test_names_of_streams_are_names_of_files_too(around: Path) -> None:
    for name in ("../x", "/x", "a\0"):
        with pytest.raises(UserError, match="below the folder of results"):
            run(with_streams({"name": name}), output=around / "results")
    run(with_streams({"name": "sub/maps"}), output=around / "results")
    assert (around / "results" / "sub" / "maps.nc").exists()


def test_files_of_own_streams_stay_in_the_folder_too(around: Path) -> None:
    def made(name: str, file: str) -> OwnStream:
        return OwnStream(
            name, lambda fields, grid: {"mean": 1.0}, reads=["significant_height"],
            writes={"mean": "m"}, file=file, existing="replace",
        )  # fmt: skip

    before = listing(around)
    for file in ("", "../x", "halocline.log", str(around / "x")):
        with pytest.raises(UserError, match="file ="):
            run(make_case(small), output=around / "results", streams=[made("own", file)])
    case = make_case(with_streams({"file": "maps.nc"}))
    for name, file, words in (("own", "maps.nc", "write to"), ("a", "b.nc", "same name")):
        with pytest.raises(UserError, match=words):
            run(case, output=around / "results", streams=[made(name, file)])
    assert {k: v for k, v in listing(around).items() if k != "results/halocline.log"} == before


@pytest.mark.parametrize(
    "streams",
    [
        ({"file": "x.nc"}, {"file": "./x.nc"}),
        ({"file": "x.nc"}, {"file": "x.zarr", "format": "zarr"}),
        ({"file": "x.zarr", "format": "zarr"}, {"file": "x.zarr/y.nc"}),
        ({"file": "x.nc"}, {"file": "x.nc/y.nc"}),
        ({"file": "x.nc", "split": "1h"}, {"file": "x_20000101T010000.nc"}),
        ({"file": "x_{date}.nc", "split": "1h"}, {"file": "x_{start}.nc"}),
        ({"file": "x_{start}.nc"}, {"file": "x_20000101T000000.nc"}),
    ],
)
def test_files_that_meet_are_refused(tmp_path: Path, streams: tuple[dict[str, Any], ...]) -> None:
    for some in (streams, streams[::-1]):
        case = make_case(with_streams(*some))
        with pytest.raises(UserError, match="Two output streams write to") as refused:
            run(case, output=tmp_path)
        with pytest.raises(UserError) as checked:
            report(case, 1)
        assert str(checked.value) == str(refused.value)


def test_a_stream_that_is_called_as_the_restarts_is_refused() -> None:
    with pytest.raises(UserError, match="'restart'"):
        report(make_case(with_streams({"name": "restart"})), 1)


of_stream = [
    "maps.nc", "maps.nc.new", "maps.nc.new.part", "maps.nc.part", "maps.nc.old", "maps.zarr",
    "maps.zarr.part", "maps.zarr.old",
]  # fmt: skip
of_run = [
    "halocline.log", "halocline.toml", "halocline.toml.part", "halocline.toml.old", "halocline.end",
    "halocline.end.part", "halocline.record", "halocline.record.part", "halocline.files",
    "restart_20000101T020000.safetensors.part",
]  # fmt: skip
ways = [("cdf5", "move"), ("netcdf4", "replace"), ("zarr", "replace")]


@pytest.mark.parametrize(
    ("name", "format", "existing"),
    [*[(name, *way) for name in of_stream for way in ways], *[(name, *ways[0]) for name in of_run]],
)
def test_a_link_is_never_followed(around: Path, name: str, existing: str, format: str) -> None:
    """To a file, to a folder, to nothing: nothing outside changes, and nothing new comes there."""
    folder, case = around / "results", with_streams({"file": "maps.nc"})
    case["output"]["fields"]["a"] |= {"format": format, "existing": existing}
    (around / "folder").mkdir()
    (around / "folder" / "kept").write_text("not ours")
    before = listing(around)
    for target, resume in (("../x.nc", False), ("../folder", False), ("../nothing", True)):
        (folder / name).symlink_to(target)
        try:
            run(case, output=folder, resume=resume)
        except UserError as error:
            assert "link" in str(error)
        after = listing(around)
        assert {k: after.get(k, b"") for k in before} == before
        assert {k for k in after if not k.startswith("results/")} == {
            k for k in before if not k.startswith("results/")
        }
        for path in folder.iterdir():
            if path.is_symlink() or (path.is_file() and path.name != "notes.txt"):
                path.unlink()
            elif path.is_dir():
                shutil.rmtree(path)


def test_a_folder_that_is_a_link_is_not_followed(around: Path) -> None:
    (around / "folder").mkdir()
    (around / "results" / "sub").symlink_to("../folder")
    with pytest.raises(UserError, match="'.*sub' is a link, to '../folder'"):
        run(with_streams({"file": "sub/maps.nc"}), output=around / "results")
    assert os.listdir(around / "folder") == []


def test_the_folder_of_results_itself_may_be_a_link(around: Path) -> None:
    (around / "link").symlink_to("results")
    run(with_streams({}), output=around / "link")
    assert (around / "results" / "a.nc").exists()


def test_the_commands_refuse_with_the_same_words(
    around: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (around / "case.toml").write_text(
        "[grid]\nkind = 'cartesian'\nnx = 6\nny = 6\n[spectrum]\nfrequencies = 3\ndirections = 4\n"
        "[time]\nlength = '2h'\n[output.fields.maps]\nfile = ''\n"
    )
    said = []
    for command in (["check"], ["run", "-n", "1", "--quiet", "--output", str(around / "results")]):
        assert main([command[0], str(around / "case.toml"), *command[1:]]) == 2
        said.append(capsys.readouterr().err)
    assert said[0] == said[1]
    assert "file = ''" in said[0]
    assert (around / "results" / "notes.txt").read_text() == "a stranger's"
