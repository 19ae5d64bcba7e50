"""Laws of scaling and forecasts from phases: laws that made the times are found, bounds hold."""

from __future__ import annotations

import json
from dataclasses import replace

import matplotlib.image
import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.command_line import main
from halocline.runtime.record.run_record_file import record_name, write_record
from halocline_lab.scaling.extrapolation import PhaseTime, Wanted, forecast, held_out, text
from halocline_lab.scaling.forecast_plots import figure, shares
from halocline_lab.scaling.phase_files import phases_of_record, read_phase_times, step_noise
from halocline_lab.scaling.scaling_law import Measurement, fit_law
from records.small import Events

counts = (1, 2, 4, 8, 16, 32)


def measured(law, noise=0.0, seed=1, each=3, ranks=counts, points=(1.0,)):
    random = np.random.default_rng(seed)
    return [
        Measurement(n, float(law(n, size)) * float(np.exp(noise * random.standard_normal())), size)
        for n in ranks
        for size in points
        for _ in range(each)
    ]


@pytest.mark.parametrize(
    ("law", "factors"),
    [
        (lambda n, p: 5.0, {"1": 5.0}),
        (lambda n, p: 80.0 / n, {"points/n": 80.0}),
        (lambda n, p: 80.0 / n + 2.0, {"points/n": 80.0, "1": 2.0}),
        (lambda n, p: 80.0 / n + 0.5 * np.log2(n), {"points/n": 80.0, "log2 n": 0.5}),
        (lambda n, p: 3.0 + 0.7 * n, {"1": 3.0, "n": 0.7}),
    ],
)
def test_the_law_that_made_the_times_is_found(law, factors):
    found = fit_law(measured(law), resampled=0)
    assert found.factors == pytest.approx(factors)
    assert found.error < 1e-9
    assert found.seconds(256) == pytest.approx(float(law(256, 1.0)))


def test_work_that_is_divided_and_work_that_is_not_are_told_apart_by_sizes():
    def law(n, points):
        return 2e-3 * points / n + 1e-4 * points + 0.3

    found = fit_law(measured(law, points=(1e3, 4e3, 2e4)), resampled=0)
    assert found.factors == pytest.approx({"points/n": 2e-3, "points": 1e-4, "1": 0.3})
    assert found.seconds(64, 1e5) == pytest.approx(law(64, 1e5))


def test_bounds_hold_the_truth_at_eight_times_the_ranks_and_are_not_endless():
    hits, widths = [], []
    for seed in range(12):
        found = fit_law(
            measured(lambda n, p: 60.0 / n + 0.4 * np.log2(n) + 1.0, 0.01, seed), resampled=60
        )
        low, high = found.bounds(256)
        truth = 60.0 / 256 + 0.4 * 8 + 1.0
        hits.append(low <= truth <= high)
        widths.append((high - low) / truth)
    assert np.mean(hits) >= 0.75
    assert np.median(widths) < 2.0


def test_times_that_are_next_to_nothing_do_not_rule_the_law():
    """A sum over one rank takes no time; its logarithmic law has nothing there."""
    random = np.random.default_rng(4)
    times = [
        Measurement(n, (0.004 * np.log2(n) + 1e-5) * np.exp(0.05 * random.standard_normal()))
        for n in counts
        for _ in range(3)
    ]
    found = fit_law(times)
    low, high = found.bounds(256)
    assert low < 0.032 < high and high < 0.1
    assert found.seconds(256) == pytest.approx(0.032, rel=0.15)
    assert fit_law([Measurement(n, 0.0) for n in counts]).seconds(64) == 0.0


def test_factors_are_never_negative():
    found = fit_law(measured(lambda n, p: 10.0 / n, 0.05, 3), resampled=20)
    assert all(
        factor >= 0.0 for factors in (found.factors, *found.others) for factor in factors.values()
    )


def test_one_place_says_only_what_it_says():
    found = fit_law([Measurement(6, 10.0), Measurement(6, 12.0)])
    assert found.factors == pytest.approx({"1": 10.9}, abs=0.2)
    assert np.isnan(found.error)
    with pytest.raises(UserError, match="there are none"):
        fit_law([])
    with pytest.raises(UserError, match="not negative"):
        fit_law([Measurement(1, -1.0)])


def phases(ranks, points=1.0):
    return [
        PhaseTime("start", "run", 2.0 + 0.01 * ranks, ranks, points),
        PhaseTime("compute", "step", 8.0 / ranks, ranks, points),
        PhaseTime("sum", "step", 0.1 + 0.05 * np.log2(ranks), ranks, points),
        PhaseTime("output", "frame", 0.5, ranks, points),
    ]


def test_lengths_are_put_together_from_phases():
    found = forecast(phases(4), Wanted(1000.0, 20.0, 4))
    assert found.seconds == pytest.approx(2.04 + 1000 * (2.0 + 0.2) + 20 * 0.5)
    assert found.share("output") == pytest.approx(10.0 / found.seconds)
    assert "no bounds" in found.notes[0]
    noisy = [replace(time, noise=0.1) for time in phases(4) if time.per == "step"]
    low, high = (
        forecast(noisy, Wanted(10.0, 0.0, 4)).low,
        forecast(noisy, Wanted(10.0, 0.0, 4)).high,
    )
    assert 22.0 * 0.78 < low < 22.0 * 0.88 and 22.0 * 1.15 < high < 22.0 * 1.28
    long = forecast(phases(4), Wanted(10_000.0, 20.0, 4))
    assert long.share("output") < found.share("output")


def test_ranks_follow_each_phases_own_law():
    times = [time for n in counts for time in phases(n)]
    found = forecast(times, Wanted(100.0, 2.0, 128))
    assert found.seconds == pytest.approx(3.28 + 100 * (8 / 128 + 0.45) + 1.0, rel=1e-6)
    assert found.low <= found.seconds <= found.high
    assert "4 times as many as were measured (32)" in found.notes[0]
    most, predicted, seen = held_out(times)
    assert (most, predicted) == (32, pytest.approx(seen))
    shown = text(found, Wanted(100.0, 2.0, 128))
    assert "8 /n" in shown and "128 ranks" in shown


def test_what_was_measured_there_is_taken_as_it_is():
    times = [time for n in counts for time in phases(n)]
    odd = [replace(t, seconds=9.9) if (t.ranks, t.phase) == (8, "compute") else t for t in times]
    found = forecast(odd, Wanted(1.0, 0.0, 8))
    compute = next(p for p in found.phases if p.phase == "compute")
    assert compute.seconds == pytest.approx(9.9)
    assert compute.law == "measured on 8 ranks: 9.9 s"


def test_what_was_not_measured_is_not_predicted():
    with pytest.raises(UserError, match="measured on 4 ranks only"):
        forecast(phases(4), Wanted(1.0, 0.0, 8))
    assert forecast(phases(4), Wanted(0.0, 0.0, 8), perfect=True).seconds == pytest.approx(1.02)
    with pytest.raises(UserError, match="says nothing about 500"):
        forecast(phases(4, 100.0), Wanted(1.0, 0.0, 4, 500.0))
    with pytest.raises(UserError, match="Say which is wanted"):
        forecast(phases(4, 100.0) + phases(4, 200.0), Wanted(1.0, 0.0, 4))
    with pytest.raises(UserError, match="no phases"):
        forecast([], Wanted(1.0, 0.0, 4))
    assert held_out(phases(4)) is None


def record():
    """Two ranks; a start of 50 us, three steps of 100 us with a message, an output of 30 us."""
    found = Events(2, {"points": 5000})
    for rank in range(2):
        found.add(rank, 0, 50, "reading", "input")
        for step in range(3):
            at = 50 + 100.0 * step
            found.add(rank, at, at + 100, "step", "phase")
            found.add(rank, at, at + 60, "advect", "kernel")
            found.add(rank, at + 60, at + 80, "MPI_Allreduce", "collective", size=8)
        found.add(rank, 220, 250, "maps", "output")
        found.add(rank, 350, 360, "closing", "phase")
    return found.record()


def test_phases_of_a_record(tmp_path):
    found = {(time.phase, time.per): time for time in phases_of_record(record())}
    us = {key: 1e6 * time.seconds for key, time in found.items()}
    assert us["start-up", "run"] == pytest.approx(50)
    assert us["end", "run"] == pytest.approx(10)
    assert us["advect", "step"] == pytest.approx(60)
    assert us["MPI_Allreduce", "step"] == pytest.approx(20)
    assert us["maps", "frame"] == pytest.approx(30)
    assert us["step", "step"] == pytest.approx(10), "own time: 20 a step less the output of one"
    assert all((time.ranks, time.points) == (2, 5000.0) for time in found.values())
    steps = Wanted(3.0, 1.0, 2)
    assert forecast(list(found.values()), steps).seconds == pytest.approx(360e-6)
    write_record(tmp_path / record_name, record())
    assert read_phase_times(tmp_path) == phases_of_record(record())


def test_noise_of_a_record_is_that_of_its_steps():
    assert step_noise(record()) == 0.0, "too few steps"
    found = Events(1)
    for step in range(16):
        at = 1000.0 * step
        found.add(0, at, at + (100 if step < 8 else 300), "step", "phase")
    # eight parts, of 100 us four times and of 300 us four times
    assert step_noise(found.record()) == pytest.approx(np.sqrt(8 / 7) * 100 / np.sqrt(8) / 200)


def test_the_command_with_tables_and_records(tmp_path, capsys):
    table = tmp_path / "phases.csv"
    table.write_text(
        "phase,per,seconds,ranks,count\ninput,run,945,32,1\nloop,step,8,32,3\nstorage,frame,213,32,1\n"
    )
    out = tmp_path / "found.json"
    words = ["lab", "predict", "phases", str(table), "--steps", "816", "--frames", "17"]
    assert main([*words, "--json", str(out)]) == 0
    assert "= 112 min" in capsys.readouterr().out
    result = json.loads(out.read_text())
    assert result["rows"][0]["seconds"] == pytest.approx(6742.0)
    assert {f"rows.{name}" for name in result["rows"][0]} <= set(result["keys"])
    write_record(tmp_path / "my.record", record())
    words = ["lab", "predict", "phases", str(tmp_path / "my.record"), "--steps", "30"]
    assert main([*words, "--frames", "10"]) == 0
    assert "2 ranks" in capsys.readouterr().out


def test_runs_of_unlike_threads_are_refused(tmp_path, capsys):
    """As `lab scale --threads 1,2` leaves them: their times follow no common law."""
    for threads in (1, 2):
        made = record()
        made.ranks["threads"] = threads
        write_record(tmp_path / f"{threads}.record", made)
    words = ["lab", "predict", "phases", *map(str, sorted(tmp_path.glob("*.record")))]
    assert main([*words, "--steps", "30"]) == 2
    message = capsys.readouterr().err
    assert f"1 in {tmp_path / '1.record'}; 2 in {tmp_path / '2.record'}" in message
    assert main([*words[:-1], "--steps", "30"]) == 0


def test_several_numbers_of_ranks_are_drawn(tmp_path, capsys):
    lines = ["phase,per,seconds,ranks"]
    for n in counts:
        lines += [f"{t.phase},{t.per},{t.seconds},{n}" for t in phases(n)]
    table, picture = tmp_path / "phases.csv", tmp_path / "forecast.png"
    table.write_text("\n".join(lines))
    words = ["lab", "predict", "phases", str(table), "--steps", "100", "--output", str(picture)]
    assert main([*words, "--ranks", "8,32,128"]) == 0
    shown = capsys.readouterr().out
    assert "    128*" in shown and "     32 " in shown and "compute" in shown and "test:" in shown
    assert matplotlib.image.imread(picture).shape[0] > 300
    assert main([*words, "--ranks", "8"]) == 2
    assert "give several" in capsys.readouterr().err


def test_another_size_is_predicted_from_several(tmp_path, capsys):
    rows = [
        {"phase": "step", "per": "step", "seconds": 1e-4 * p / n + 0.02, "ranks": n, "points": p}
        for n in (1, 2, 4)
        for p in (1000, 4000, 16000)
    ]
    table, out = tmp_path / "phases.json", tmp_path / "found.json"
    table.write_text(json.dumps(rows))
    words = ["lab", "predict", "phases", str(table), "--steps", "10", "--ranks", "8"]
    assert main([*words, "--points", "64000", "--json", str(out)]) == 0
    assert "0.0001 points/n" in capsys.readouterr().out
    found = json.loads(out.read_text())["rows"][0]["seconds"]
    assert found == pytest.approx(10 * (1e-4 * 64000 / 8 + 0.02))
    assert main(words) == 2
    assert "Say which is wanted (--points)" in capsys.readouterr().err


def test_the_picture_shows_the_forecasts():
    times = [time for n in counts for time in phases(n)]
    found = [forecast(times, Wanted(100.0, 2.0, n)) for n in (8, 32, 128)]
    sheet = figure((8, 32, 128), found, 32)
    whole, parts = sheet.axes
    assert list(whole.lines[0].get_ydata()) == [one.seconds for one in found]
    names, heights = shares(found)
    assert (
        names[-1] == "all other phases"
        and [sum(column) for column in zip(*heights, strict=True)] == [pytest.approx(100.0)] * 3
    )
    assert len(parts.collections) == len(names)
    assert len(parts.patches) == len(whole.patches) == 1, "what is beyond the measured"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("phase,per,seconds,ranks\na,hour,1,1\n", "is no table of phases"),
        ("phase,per,ranks\na,run,1\n", "is no table of phases"),
        ("phase,per,seconds,ranks\n", "There are no phases in"),
    ],
)
def test_files_that_are_no_phases_are_refused(tmp_path, capsys, content, message):
    table = tmp_path / "phases.csv"
    table.write_text(content)
    assert main(["lab", "predict", "phases", str(table), "--steps", "1"]) == 2
    assert message in capsys.readouterr().err


def test_wrong_numbers_are_refused(tmp_path, capsys):
    assert main(["lab", "predict", "phases", "x.csv", "--steps", "-1"]) == 2
    assert main(["lab", "predict", "phases", "x.csv", "--steps", "1", "--ranks", "0"]) == 2
    assert main(["lab", "predict", "phases", str(tmp_path / "x.csv"), "--steps", "1"]) == 2
    shown = capsys.readouterr().err
    assert "--steps -1" in shown and "--ranks 0" in shown and "Cannot read the phases" in shown
