"""Stripes of files: asked of Lustre, whose program a stand-in plays; said elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import halocline
from halocline.core.errors import UserError
from halocline.experiment.members import make_members
from halocline.runtime.files import striping


def run(folder: Path, **stripes: int) -> str:
    """The log of a small run whose output has such stripes."""
    table = case | {"output": {"fields": {"maps": {}}, "writing": stripes}}
    halocline.run(table, output=folder)
    return (folder / "halocline.log").read_text()


case = {
    "grid": {"kind": "cartesian", "nx": 8, "ny": 6, "dx": 1e4, "dy": 1e4},
    "spectrum": {"frequencies": 4, "directions": 8},
    "time": {"length": "2h"},
    "forcing": {"wind": {"speed": 9.0}},
}

stand_in = """#!/bin/sh
ls "{folder}/results" > "{folder}/there"
echo "$@" >> "{folder}/asked"
[ "$3" -le 72 ] || {{ echo "setstripe: $3 targets: there are 72" >&2; exit 1; }}
"""


@pytest.fixture
def lustre(tmp_path, monkeypatch) -> Path:
    """A folder 'results' that is on Lustre as far as the system tells, in a folder that is not."""
    results = tmp_path / "results"
    results.mkdir()
    table = tmp_path / "mounts"
    name = str(results).replace("_", "\\137")
    table.write_text(
        f"a / ext4 rw 0 0\nb@tcp:/c {name} lustre rw,flock 0 0\nd {name}2 tmpfs rw 0 0\n"
    )
    monkeypatch.setattr(striping, "mounts", table)
    program = tmp_path / "bin" / "lfs"
    program.parent.mkdir()
    program.write_text(stand_in.format(folder=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    return results


def test_lustre_is_asked_before_any_file_of_output_is_made(lustre):
    log = run(lustre, stripe_count=4, stripe_size=1048576)
    asked = (lustre.parent / "asked").read_text()
    assert asked == f"setstripe -c 4 -S 1048576 {lustre}\n"
    assert "maps.nc" not in (lustre.parent / "there").read_text()
    words = "files are spread over 4 targets of Lustre in stripes of 1048576 bytes"
    assert words in log


def test_only_what_is_wanted_is_asked(lustre):
    assert striping.spread(lustre, 0, 0) == ""
    assert not (lustre.parent / "asked").exists()
    assert "over all targets of Lustre" in striping.spread(lustre, -1, 0)
    (lustre / "below").mkdir()
    assert striping.spread(lustre / "below", 1, 0) == "files are spread over 1 target of Lustre"
    lines = (lustre.parent / "asked").read_text().splitlines()
    assert lines == [f"setstripe -c -1 {lustre}", f"setstripe -c 1 {lustre}/below"]


def test_elsewhere_the_log_says_so(lustre):
    log = run(lustre.parent / "other", stripe_count=4)
    assert "stripe_size = 0) were not set: the folder of results lies on ext4, not on Lustre" in log
    assert not (lustre.parent / "asked").exists()


def test_what_lustre_refuses_is_refused(lustre, monkeypatch):
    with pytest.raises(UserError, match="Lustre refuses this .*73 targets: there are 72"):
        run(lustre, stripe_count=73)
    assert not (lustre / "maps.nc").exists()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UserError, match="'lfs' is not on PATH"):
        striping.spread(lustre, 4, 0)


def test_members_of_one_folder_have_its_stripes():
    one = {"case": "swell", "output": {"writing": {"stripe_count": 4}}}
    with pytest.raises(UserError, match="one 4 and 0; two 0 and 0. Give them once"):
        make_members({"members": {"one": one, "two": {"case": "swell"}}})
    whole = {
        "output": one["output"],
        "members": {"one": {"case": "swell"}, "two": {"case": "swell"}},
    }
    assert make_members(whole).members["two"].case.output.writing.stripe_count == 4
