"""`halocline lab papers`: numbers that the papers print, recomputed from their other numbers.

As printed, recomputed, difference; what does not follow is marked with an exclamation mark. Tolman
(2003): table 4.1 and what outputs cost; Govett (2004); Cheptsov et al. (2009): tables 1, 3, 4 and
the real case; Porter et al. (2010).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from halocline_lab.acceptance import (
    golden_cheptsov,
    golden_govett,
    golden_porter,
    golden_tolman_sections,
)
from halocline_lab.acceptance.golden import Section, text
from halocline_lab.acceptance.phase_table import scalability_text
from halocline_lab.acceptance.phase_table import text as phase_text

keys = {
    "paper": "the paper",
    "title": "what of it",
    "values": "printed and recomputed numbers",
    "remarks": "what is to be said of them",
}


def sections() -> list[Section]:
    """All that is recomputed."""
    return [
        golden_tolman_sections.scaling_section(),
        golden_tolman_sections.output_section(),
        golden_govett.section(),
        golden_cheptsov.tables_section(),
        golden_cheptsov.real_section(),
        golden_porter.section(),
    ]


def tables() -> str:
    """The tables of phases with all shares and ratios, recomputed."""
    few, more = golden_cheptsov.table_3_few, golden_cheptsov.table_3_more
    parts = [phase_text(golden_cheptsov.table_1), phase_text(more), scalability_text(few, more)]
    return "\n\n".join(parts)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab papers`."""
    parser.add_argument("--flags", action="store_true", help="only numbers that do not follow")
    parser.add_argument("--json", metavar="FILE", help=f"write values; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    found: Sequence[Section] = sections()
    print(text(found, all_values=not options.flags))
    if not options.flags:
        print(f"\n{tables()}")
    if options.json:
        result = {"sections": [asdict(section) for section in found], "keys": keys}
        Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0
