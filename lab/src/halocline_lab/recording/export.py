"""Gives the record of a run to Perfetto, Chrome, Vampir, Scalasca, KCachegrind, and as tables.

The record itself is a netCDF-4 file that xarray opens, one group per table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.window import add_window, record_in_window
from halocline_lab.recording.export_callgrind import write_callgrind
from halocline_lab.recording.export_otf2 import write_otf2
from halocline_lab.recording.export_perfetto import write_perfetto
from halocline_lab.recording.export_tables import write_csv, write_parquet

formats: dict[str, tuple[str, Callable[[Path, RunRecord], None]]] = {
    "perfetto": ("trace.json.gz", write_perfetto),
    "otf2": ("otf2", write_otf2),
    "callgrind": ("callgrind.out.halocline", write_callgrind),
    "csv": ("tables", write_csv),
    "parquet": ("tables", write_parquet),
}
"""Of each format: the name of what is written, and who writes it."""

opened_by = {
    "perfetto": "Open it at ui.perfetto.dev, or with chrome://tracing.",
    "otf2": "Open traces.otf2 in it with Vampir, Scalasca or otf2-print.",
    "callgrind": "Open it with KCachegrind, QCachegrind or callgrind_annotate --inclusive=yes.",
    "csv": "Open the tables with pandas.read_csv or a spreadsheet.",
    "parquet": "Open the tables with pandas.read_parquet.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab export`."""
    parser.add_argument("record", metavar="RECORD", help="halocline.record, or a folder of results")
    add_window(parser)
    parser.add_argument("--to", choices=list(formats), default="perfetto", help="format (perfetto)")
    parser.add_argument("--output", metavar="PATH", help="file or folder to write")


def main(options: Any) -> int:
    """Run the command."""
    source = Path(options.record)
    record = record_in_window(source, options)
    name, write = formats[options.to]
    folder = source if source.is_dir() else source.parent
    target = Path(options.output) if options.output else folder / name
    try:
        write(target, record)
    except OSError as error:
        raise UserError(
            f"'{target}' cannot be written: {error}. Choose another --output."
        ) from None
    print(f"{target}: {len(record.events)} events of {record.size} ranks. {opened_by[options.to]}")
    return 0
