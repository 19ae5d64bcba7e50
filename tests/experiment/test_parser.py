"""Words and options in any order, regions from a western longitude, misspelt options."""

from __future__ import annotations

import pytest

from halocline.experiment.command_line import build_parser


@pytest.mark.parametrize(
    "words",
    [
        "f.nc height period --time 3",
        "f.nc --time 3 height period",
        "--time 3 f.nc height period",
        "f.nc height --time 3 period",
    ],
)
def test_options_stand_anywhere(words: str) -> None:
    found = build_parser().parse_args(["plot", *words.split()])
    assert (found.file, found.variable, found.time) == ("f.nc", ["height", "period"], "3")


def test_no_words_are_an_empty_list() -> None:
    assert build_parser().parse_args(["plot", "f.nc", "--animate"]).variable == []


@pytest.mark.parametrize("region", ["-40,10,35,65", "-.5,10,35,65", "150,-120,-10,50"])
def test_region_may_begin_with_a_minus(region: str) -> None:
    found = build_parser().parse_args(["plot", "f.nc", "--region", region, "height"])
    assert (found.region, found.variable) == (region, ["height"])


@pytest.mark.parametrize("command", ["plot f.nc --tiem 3", "run swell --raks 3"])
def test_misspelt_option_names_the_nearest(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ending:
        build_parser().parse_args(command.split())
    assert ending.value.code == 2
    said = capsys.readouterr().err
    assert "there is no option '--" in said and "Did you mean '--" in said
    assert f"halocline {command.split()[0]}: error" in said
