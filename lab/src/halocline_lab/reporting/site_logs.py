"""The logs of both sites of a run as one: what each wrote down, and when by its own clock."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from halocline_lab.reporting.report_sections import section, table

if TYPE_CHECKING:
    from halocline_lab.reporting.report_words import Report

timed = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)Z  (.*)$")
log_name = "halocline.log"


class SiteLine(NamedTuple):
    """A line of a site's log; the time is universal."""

    time: str
    site: str
    words: str


def joined_logs(records: Sequence[Path], sites: Sequence[str]) -> list[SiteLine]:
    """The lines with a time of the logs beside two records, in the order of their times.

    A site whose log is not there has none.
    """
    found = []
    for record, site in zip(records, sites, strict=True):
        path = (record if record.is_dir() else record.parent) / log_name
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        for line in text.splitlines():
            if match := timed.match(line):
                found.append(SiteLine(match[1], site, match[2]))
    return sorted(found, key=lambda line: line.time)


def site_logs(report: Report) -> str:
    """The section of the page; nothing for a record of one site."""
    if not report.logs:
        return ""
    return section(
        "logs",
        "Logs of both sites",
        "What each site wrote down, in one order. Times are universal, as the clock of each site"
        " has them.",
        table(("time", "site", "what"), [list(line) for line in report.logs]),
    )


def site_log_words(report: Report) -> list[list[str]]:
    """The same in words."""
    return [list(line) for line in report.logs]
