"""A page of weekly maps, sections and columns of a run, one file that any browser opens."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis import looks, reading
from halocline.analysis.columns_in_time import draw_columns
from halocline.analysis.habitat import over_depth
from halocline.analysis.map_grid import grid_of
from halocline.analysis.sections import parse_section, section_figure
from halocline.analysis.sheet import map_sheet
from halocline.core.errors import UserError

DAYS = 7
"""Of a week."""
UPPER = 400.0
"""Depth to which the mean of the sea is shown [m]: plants live above."""
PIXELS_PER_INCH = 100
SECONDS_PER_DAY = 86400.0

STYLE = """
:root { color-scheme: light dark; }
:root { --paper: #ffffff; --ink: #1d2329; --faint: #5b6670; --line: #d5dade; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181c; --ink: #e4e8eb; --faint: #9aa5ae; --line: #343c43; }
}
body { margin: 0 auto; padding: 1rem; max-width: 96rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0.2rem 0; } h2 { font-size: 1.15rem; margin: 2rem 0 0.4rem; }
p { color: var(--faint); margin: 0.2rem 0 0.8rem; max-width: 46rem; }
nav a { color: inherit; margin-right: 1rem; display: inline-block; padding: 0.2rem 0; }
.row { display: grid; gap: 0.8rem; }
.row { grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; } figcaption { color: var(--faint); font-size: 0.9rem; }
img { width: 100%; height: auto; border: 1px solid var(--line); }
img { border-radius: 6px; background: #fff; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 0.25rem 0.8rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
td span { white-space: nowrap; }
"""


@dataclass(frozen=True)
class Week:
    """Some records of a file that follow each other, and their days in words."""

    records: slice
    words: str


@dataclass(frozen=True)
class Picture:
    """A figure and what it shows."""

    figure: Figure
    words: str

    def html(self) -> str:
        """The picture as a part of the page."""
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=PIXELS_PER_INCH)
        data = base64.b64encode(buffer.getvalue()).decode("ascii")
        words = escape(self.words)
        return (
            f'<figure><img alt="{words}" loading="lazy" src="data:image/png;base64,{data}">'
            f"<figcaption>{words}</figcaption></figure>"
        )


def days_of(dataset: xr.Dataset) -> NDArray[np.datetime64]:
    """The day of each record: that on which the interval of a mean begins."""
    time = reading.coordinate(dataset, "time")
    if time is None or time.ndim != 1:
        raise UserError("A page of weeks is made of records in time, but the file has no times.")
    seconds = reading.seconds_of(time.values)
    bounds = dataset.get(str(time.attrs.get("bounds", "")))
    if bounds is not None and np.issubdtype(bounds.dtype, np.datetime64):
        seconds = reading.seconds_of(bounds.values[:, 0])
    return seconds.astype("datetime64[s]").astype("datetime64[D]")


def middles_of(dataset: xr.Dataset) -> xr.DataArray:
    """Times of the records, of means the middle of their interval."""
    time = dataset["time"]
    bounds = dataset.get(str(time.attrs.get("bounds", "")))
    if bounds is None or not np.issubdtype(bounds.dtype, np.datetime64):
        return time
    begin, end = bounds.values.T
    return time.copy(data=begin + (end - begin) // 2)


def weeks_of(days: NDArray[np.datetime64]) -> list[Week]:
    """Weeks from the first day on; the last one may be shorter.

    >>> days = np.arange("2000-01-01", "2000-01-18", dtype="datetime64[D]")
    >>> [week.words for week in weeks_of(days)]
    ['1 to 7 January 2000', '8 to 14 January 2000', '15 to 17 January 2000']
    """
    numbers = (days - days[0]).astype(int) // DAYS
    weeks = []
    for number in np.unique(numbers):
        at = np.flatnonzero(numbers == number)
        first, last = days[at[0]].item(), days[at[-1]].item()
        words = f"{last.day} {last:%B} {last.year}"
        if first != last:
            month = "" if first.month == last.month else f" {first:%B}"
            words = f"{first.day}{month} to {words}"
        weeks.append(Week(slice(int(at[0]), int(at[-1]) + 1), words))
    return weeks


def is_rate(field: xr.DataArray) -> bool:
    """Whether a field says how much is made in a second, in a volume or below an area."""
    return str(field.attrs.get("units", "")).endswith((" m-3 s-1", " m-2 s-1"))


def daily(field: xr.DataArray) -> xr.DataArray:
    """A rate per day."""
    units = str(field.attrs["units"]).replace("s-1", "day-1")
    return (field * SECONDS_PER_DAY).assign_attrs(field.attrs, units=units)


def plane_of(field: xr.DataArray) -> xr.DataArray:
    """The map of a field with levels: a rate summed over depth, else its uppermost level."""
    depth = reading.coordinate(field, "depth")
    if depth is None or depth.ndim != 1:
        return daily(field) if is_rate(field) else field
    if not is_rate(field):
        return field.isel({str(depth.dims[0]): int(np.abs(depth.values).argmin())})
    units = str(field.attrs["units"]).replace("m-3 s-1", "m-2 day-1")
    name = f"{looks.title_of(field)} of the column"
    whole = over_depth(daily(field)).rename(field.name).drop_attrs()
    return whole.assign_attrs(long_name=name, units=units)


class WeekPage:
    """The page of a file of maps: weeks of each field side by side, a section, columns in time."""

    def __init__(self, file: Path | str, section: str = "", title: str = "") -> None:
        self.file, self.section, self.title = Path(file), section, title

    def write(self, path: Path) -> Path:
        """Write the page; its path."""
        with reading.open_output(self.file) as dataset, looks.style():
            page = self.html(dataset)
        try:
            path.write_text(page, encoding="utf-8")
        except OSError as error:
            raise UserError(f"Cannot write the page '{path}': {error.strerror}.") from None
        return path

    def html(self, dataset: xr.Dataset) -> str:
        """The page."""
        weeks = weeks_of(days_of(dataset))
        names = [name for name in reading.of_most_interest(dataset) if "time" in dataset[name].dims]
        if not names:
            raise UserError(f"'{self.file}' has no maps in time that a page could show.")
        title = escape(self.title or str(dataset.attrs.get("title", "")) or self.file.stem)
        links = "".join(
            f'<a href="#{name}">{escape(looks.title_of(dataset[name]))}</a>' for name in names
        )
        parts = [self._field(dataset, name, weeks) for name in names]
        rows = "".join(row for row, _ in parts)
        heads = "".join(f"<th>{week.words}</th>" for week in weeks)
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f"<h1>{title}</h1>\n<p>Means of weeks: concentrations at the surface, rates summed"
            f" over depth. Below them a section and the mean of the sea by depth and day.</p>\n"
            f"<nav>{links}</nav>\n<div class='wide'><table><tr><th>mean of the sea</th>{heads}</tr>"
            f"{rows}</table></div>\n"
            + "\n".join(part for _, part in parts)
            + "\n</body>\n</html>\n"
        )

    def _field(self, dataset: xr.Dataset, name: str, weeks: Sequence[Week]) -> tuple[str, str]:
        """A row of the table and the section of the page of one field."""
        field = dataset[name]
        means = [_mean(plane_of(field.isel(time=week.records))) for week in weeks]
        area = area_of(dataset, field)
        cells = "".join(f"<td>{float(one.weighted(area).mean()):.3g}</td>" for one in means)
        words = escape(looks.name_with_units(means[0])).replace("[", "<span>[")
        words += "</span>" * ("[" in words)
        pictures = [picture.html() for picture in self._maps(means, weeks)]
        more = [picture.html() for picture in self._deep(dataset, field, weeks[-1])]
        page = (
            f'<h2 id="{name}">{escape(looks.title_of(field))}</h2>\n<div class="row">'
            + "\n".join(pictures)
            + f'</div>\n<div class="row">{"".join(more)}</div>'
        )
        return f"<tr><td>{words}</td>{cells}</tr>", page

    def _maps(self, means: Sequence[xr.DataArray], weeks: Sequence[Week]) -> list[Picture]:
        """A map of each week, all of one scale."""
        seen = np.concatenate([one.values.ravel() for one in means])
        pictures = []
        for mean, week in zip(means, weeks, strict=True):
            figure, _ = map_sheet(mean.to_dataset(), [mean], title=week.words, seen=seen)
            pictures.append(Picture(figure, f"{looks.title_of(mean)}, {week.words}"))
        return pictures

    def _deep(self, dataset: xr.Dataset, field: xr.DataArray, week: Week) -> list[Picture]:
        """A section of the last week, and of several days the mean of the sea by depth and day."""
        depth = reading.coordinate(field, "depth")
        if depth is None or depth.ndim != 1:
            return []
        shown = daily(field) if is_rate(field) else field
        mean = _mean(shown.isel(time=week.records))
        along, at = parse_section(self.section) if self.section else longest_parallel(mean)
        name = looks.title_of(field)
        cut, _ = section_figure(mean, along, at, week.words)
        section = Picture(cut, f"{name} along {along} {at:g}, {week.words}")
        if dataset.sizes["time"] < 2:
            return [section]
        upper = shown.isel({str(depth.dims[0]): np.abs(depth.values) <= UPPER})
        sea = upper.weighted(area_of(dataset, field)).mean(grid_of(field).dimensions)
        sea = sea.assign_coords(time=middles_of(dataset)).assign_attrs(shown.attrs)
        column = draw_columns([sea], "Mean of the sea")
        return [section, Picture(column, f"{name}, mean of the sea by depth and day")]


def _mean(field: xr.DataArray) -> xr.DataArray:
    return field.mean("time", keep_attrs=True).rename(field.name)


def area_of(dataset: xr.Dataset, field: xr.DataArray) -> xr.DataArray:
    """Areas of the cells of a field; of meridians that come together where the file has none."""
    area = reading.find(dataset, "cell_area")
    if area is not None:
        return area.fillna(0.0)
    north, _ = reading.horizontal(field)
    plane = xr.ones_like(plane_of(reading.record(field, 0))).fillna(1.0)
    return plane if reading.is_cartesian(north) else plane * np.cos(np.deg2rad(north))


def longest_parallel(field: xr.DataArray) -> tuple[str, float]:
    """The latitude whose row has most of the volume of the sea."""
    grid = grid_of(field)
    wet = np.isfinite(field.values).reshape(-1, *field.shape[-2:]).sum(axis=(0, 2))
    rows = np.asarray(grid.latitude if grid.latitude.ndim == 1 else grid.latitude.mean(axis=1))
    return "latitude", round(float(rows[int(wet.argmax())]), 2)
