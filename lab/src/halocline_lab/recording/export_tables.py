"""The tables of a record with the names of regions in them, for pandas and spreadsheets."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord, periods, table_types


def tables(record: RunRecord) -> dict[str, pandas.DataFrame]:
    """All tables by name; instead of a region's number stand its name, kind and site."""
    names = {
        column: np.array([getattr(region, column) for region in record.regions] or [""], object)
        for column in ("name", "kind", "site")
    }
    found = {}
    for name in table_types:
        table = getattr(record, name)
        frame = pandas.DataFrame({column: table[column] for column in table.dtype.names})
        if "region" in frame:
            regions = frame.pop("region").to_numpy()
            for column, words in names.items():
                frame[column] = words[regions] if len(regions) else []
        if "period" in frame:
            frame["period"] = np.array(periods, object)[frame["period"].to_numpy()]
        found[name] = frame
    return found


def write_csv(folder: Path, record: RunRecord) -> None:
    """Write every table as a CSV file in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables(record).items():
        frame.to_csv(folder / f"{name}.csv", index=False)


def write_parquet(folder: Path, record: RunRecord) -> None:
    """Write every table as a Parquet file in a folder; needs pyarrow."""
    if importlib.util.find_spec("pyarrow") is None:
        raise UserError(
            "Parquet files need the package pyarrow, which is not here. Install it with 'pip"
            " install pyarrow', or use '--to csv'; the record itself opens with xarray."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables(record).items():
        frame.to_parquet(folder / f"{name}.parquet", index=False)
