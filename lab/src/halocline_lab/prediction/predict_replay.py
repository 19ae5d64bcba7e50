"""Replay of a record: how long the same ranks would take on other machines.

What the ranks did in the spans that the record keeps in full is done again on each platform; the
steady part of the run counts as long as these spans tell. Replayed on the machine of the record,
the difference from what was measured is the error of the method.

  halocline lab predict replay results/swell --platform epyc-200g cray-x1
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import write_record
from halocline_lab.diagnosis.window import add_window, record_in_window
from halocline_lab.prediction.platform_model import Platform, read_platform
from halocline_lab.prediction.programs import Program
from halocline_lab.prediction.recorded_program import program_of_record, replayed_spans
from halocline_lab.prediction.replay import Replayed, replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict replay`."""
    parser.add_argument("record", type=Path, help="a record, or a folder of results")
    parser.add_argument(
        "--platform", nargs="+", default=["ideal"], help="files or names of platforms (ideal)"
    )
    add_window(parser)
    parser.add_argument("--per-node", type=int, help="ranks per node; all processors")
    parser.add_argument("--placement", choices=["block", "cyclic"], default="block")
    parser.add_argument(
        "--rate", type=float, help="speed of a processor relative to that of the record"
    )
    parser.add_argument(
        "--recorded-on",
        help="platform of the record, whose processors the others are compared with",
    )
    parser.add_argument("--seed", type=int, help="of the noise")
    parser.add_argument("--save", type=Path, help="write the record of the simulated run")
    parser.add_argument("--json", type=Path, help="write the numbers to a file")


@dataclass(frozen=True)
class Prediction:
    """A replay beside the measurement; seconds of the replayed spans and of the steady part."""

    platform: str
    measured: float
    predicted: float
    steady_measured: float
    efficiency: float
    waiting: float

    @property
    def ratio(self) -> float:
        return self.predicted / self.measured

    @property
    def steady_predicted(self) -> float:
        return self.steady_measured * self.ratio

    def as_json(self) -> dict[str, Any]:
        return {
            "platform": self.platform,
            "spans_measured_s": self.measured,
            "spans_predicted_s": self.predicted,
            "ratio": self.ratio,
            "steady_measured_s": self.steady_measured,
            "steady_predicted_s": self.steady_predicted,
            "efficiency": self.efficiency,
            "waiting_share": self.waiting,
        }


def predict(
    record: RunRecord,
    platform: Platform,
    *,
    per_node: int | None = None,
    placement: Any = "block",
    keep: bool = False,
    seed: int | None = None,
) -> tuple[Prediction, Replayed]:
    """Replay a record on a platform; with `keep`, the simulated run can be made a record."""
    measured = sum(last - begin for begin, last in replayed_spans(record))
    if measured <= 0.0:
        raise UserError(
            "The record has no span in which the events of all ranks are complete, so nothing can"
            " be replayed. Record a run of more steps, or with more memory for events."
        )
    program = alone_on_processors(program_of_record(record), record, measured)
    program = at_speed_of(program, record, platform, per_node)
    found = replay(
        program, platform, per_node=per_node, placement=placement, record=keep, seed=seed
    )
    return Prediction(
        platform.name,
        measured,
        found.seconds,
        record.steady_seconds,
        found.efficiency,
        float(found.waiting.mean() / found.seconds) if found.seconds else 0.0,
    ), found


def alone_on_processors(program: Program, record: RunRecord, seconds: float) -> Program:
    """Computation as long as it would have taken without other ranks on the same processors.

    Ranks of a host cannot compute longer in `seconds` than its processors do: where their record
    says so, they shared processors, and each computation was so much shorter. The replay shares
    processors itself.
    """
    machine = record.about.get("machine") or {}
    cores = int(machine.get("cores") or record.about.get("cores") or 0)
    threads = int(record.about.get("threads") or 1)
    if not cores or seconds <= 0.0:
        return program
    hosts = record.ranks["host"]
    load = threads * np.bincount(hosts, program.computing)[hosts] / (cores * seconds)
    if load.max(initial=0.0) < 1.02:
        return program
    words = f"ranks shared processors, and computation took {load.max():.3g} times as long by that"
    scaled = program.scaled(1.0 / np.maximum(1.0, load)[program.rank])
    return replace(scaled, assumptions=(*program.assumptions, words))


def at_speed_of(
    program: Program, record: RunRecord, platform: Platform, per_node: int | None
) -> Program:
    """Computation as long as the processors of a platform take for it.

    Where the record knows the work of a kernel and both machines are described, a kernel is bound
    by operations or by the bandwidth of the memory, whichever takes longer on the machine of the
    record (the roofline of Williams, Waterman & Patterson 2009), and changes with that.
    """
    machine = record.about.get("machine") or {}
    flops, bandwidth = (float(machine.get(k) or math.nan) for k in ("flops", "memory_bandwidth"))
    operations = platform.flops / flops
    ranks_here = max(1, int(np.bincount(record.ranks["host"]).max(initial=1)))
    ranks_there = min(per_node or platform.processors, record.size)
    memory = (platform.memory_bandwidth / ranks_there) / (bandwidth / ranks_here)
    known = [s for s in (operations, memory) if math.isfinite(s) and s > 0.0]
    if platform.rate != 1.0 or not known:
        return program
    factors = np.full(len(program.regions), 1.0 / min(known))
    if math.isfinite(operations) and math.isfinite(memory):
        for row in record.work:
            if row["bytes"] > 0.0 and np.isfinite(row["operations"]):
                bound = row["bytes"] * ranks_here / bandwidth > row["operations"] / flops
                factors[row["region"]] = 1.0 / (memory if bound else operations)
    words = "computation is scaled by the ratios of operations and of memory bandwidth"
    scaled = program.scaled(factors[program.operations["region"]])
    return replace(scaled, assumptions=(*program.assumptions, words))


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    record = record_in_window(options.record, options)
    if options.recorded_on is not None:
        here = read_platform(options.recorded_on)
        known = {"flops": here.flops, "memory_bandwidth": here.memory_bandwidth}
        known |= {"cores": here.processors} if here.nodes else {}
        record.about["machine"] = {**(record.about.get("machine") or {}), **known}
    found = []
    for name in options.platform:
        platform = read_platform(name)
        if options.rate is not None:
            platform = replace(platform, rate=options.rate)
        prediction, replayed = predict(
            record,
            platform,
            per_node=options.per_node,
            placement=options.placement,
            keep=options.save is not None,
            seed=options.seed,
        )
        found.append(prediction)
    print("\n".join(_lines(record, found, replayed.program.assumptions)))
    if options.save is not None:
        write_record(options.save, replayed.record())
        print(f"The simulated run on {found[-1].platform} is in {options.save}")
    if options.json is not None:
        rows = [one.as_json() for one in found]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


def _lines(record: RunRecord, found: list[Prediction], assumptions: tuple[str, ...]) -> list[str]:
    one = found[0]
    share = one.measured / record.seconds if record.seconds else 1.0
    lines = [
        f"{record.size} ranks, steady part {one.steady_measured:.4g} s; replayed: the events of"
        f" {one.measured:.4g} s ({share:.0%} of the run)",
        "",
        f"{'platform':<18}{'steady [s]':>12}{'times':>8}{'computing':>11}{'waiting':>9}",
        f"{'measured':<18}{one.steady_measured:>12.4g}{1.0:>8.2f}",
    ]
    lines += [
        f"{p.platform:<18}{p.steady_predicted:>12.4g}{p.ratio:>8.2f}{p.efficiency:>10.1%}"
        f"{p.waiting:>9.1%}"
        for p in found
    ]
    return [*lines, "", *(f"Assumed: {words}." for words in assumptions)]
