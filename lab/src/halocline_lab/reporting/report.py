"""`halocline lab report RECORD`: what a run did with its time, as a page and on the terminal.

A record is the `halocline.record` that `halocline run` and `halocline lab record` leave, or its
folder. Two are those of both sites of one run, which are shown as one, on one time axis.
The page is one file with everything in it; it needs no network.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import read_record, record_name
from halocline_lab.diagnosis.analysis import analyse
from halocline_lab.diagnosis.matching import match
from halocline_lab.diagnosis.phases import waits_for_a_member
from halocline_lab.diagnosis.roof_here import roof_here
from halocline_lab.diagnosis.roofline import Machine
from halocline_lab.diagnosis.timeline import timeline
from halocline_lab.diagnosis.window import add_window, part_in_window, record_in_window
from halocline_lab.reporting.both_sites import both_sites
from halocline_lab.reporting.report_json import keys
from halocline_lab.reporting.report_page import page
from halocline_lab.reporting.report_text import full_text, short_text
from halocline_lab.reporting.report_words import Report
from halocline_lab.reporting.site_logs import SiteLine, joined_logs


def report_of(
    record: RunRecord,
    other: RunRecord | None = None,
    assigned: dict[str, str] | None = None,
    against: str = "",
    machine: Machine | None = None,
) -> Report:
    """What is shown of a record; see `analyse`. `against` names the other record."""
    return Report(
        record=record,
        matching=match(timeline(record)),
        analysis=analyse(record, other=other, assigned=assigned, machine=machine),
        other=against,
        other_size=other.size if other is not None else 0,
    )


def assignments(words: Sequence[str]) -> dict[str, str]:
    """Regions and their states, as given on the command line.

    >>> assignments(["put_*=idle"])
    {'put_*': 'idle'}
    """
    found = {}
    for word in words:
        name, equals, state = word.rpartition("=")
        if not equals:
            raise UserError(f"'{word}' gives no region a state. Write, for example, put_*=idle.")
        found[name] = state
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab report`."""
    parser.add_argument(
        "record",
        metavar="RECORD",
        nargs="+",
        help="halocline.record, or a folder of results; two are both sites of one run",
    )
    add_window(parser)
    parser.add_argument(
        "--page", "--output", metavar="FILE", help="the page; report.html beside the record"
    )
    parser.add_argument("--text", action="store_true", help="all on the terminal; no page")
    parser.add_argument("--json", metavar="FILE", help="write all numbers, with keys explained")
    parser.add_argument(
        "--against", metavar="RECORD", help="another record, on another number of ranks: scaling"
    )
    parser.add_argument(
        "--roof",
        action="store_true",
        help="measure again what this machine's memory and cores can do, for the roofline (some"
        " seconds; of a record made here it is measured once and kept)",
    )
    parser.add_argument(
        "--state",
        metavar="REGION=STATE",
        action="append",
        default=[],
        help="count a region (wildcards: *) as busy, overhead or idle whatever it does, for example"
        " where tracing it finer would perturb it (may be repeated)",
    )


def main(options: Any) -> int:
    """Run the command."""
    named = " and ".join(options.record)
    record, logs = _read(options.record)
    record = part_in_window(record, named, options)
    if not record.size:
        raise UserError(f"The record '{named}' holds no ranks: nothing was recorded.")
    other = record_in_window(options.against, options) if options.against else None
    assigned = {waits_for_a_member: "idle", **assignments(options.state)}
    machine = roof_here(record, again=options.roof)
    report = report_of(record, other, assigned, options.against or "", machine)
    report = replace(report, logs=logs)
    print(full_text(report) if options.text else short_text(report))
    if options.json:
        write_json(report, Path(options.json))
    if options.page or not options.text:
        path = Path(options.page) if options.page else beside(*map(Path, options.record))
        path.write_text(page(report, assigned), encoding="utf-8")
        print(f"\nThe page: {path} (all numbers on the terminal: --text; for programs: --json)")
    return 0


def _read(paths: Sequence[str]) -> tuple[RunRecord, list[SiteLine]]:
    """One record; or those of both sites of a run as one, and their logs."""
    if len(paths) > 2:
        raise UserError(f"A report is of one record, or of two sites of a run; got {len(paths)}.")
    records = [read_record(path) for path in paths]
    if len(records) == 1:
        return records[0], []
    found = both_sites(records[0], records[1], paths)
    names = [some.about["site"]["name"] for some in records]
    return found, joined_logs([Path(path) for path in paths], names)


def beside(record: Path, other: Path | None = None) -> Path:
    """Where the page of a record goes; of two it is `sites.html` beside the first."""
    if other is not None:
        return (record if record.is_dir() else record.parent) / "sites.html"
    if record.is_dir():
        return record / "report.html"
    return record.with_name("report.html" if record.name == record_name else f"{record.stem}.html")


def write_json(report: Report, path: Path) -> None:
    """All numbers of a report, and what they mean."""
    numbers = {**report.analysis.as_json(), "keys": keys()}
    path.write_text(json.dumps(numbers, indent=1, default=float) + "\n", encoding="utf-8")
