"""A history as tables that are read alike on a terminal and on a page (Markdown)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from halocline.core.errors import UserError
from halocline_lab.evolution import history_series
from halocline_lab.evolution.history_series import Change, Point, Series
from halocline_lab.statistics.change_points import ChangePoint
from halocline_lab.statistics.paired import number

begin, end = "<!-- made by halocline lab history: begin -->", "<!-- end -->"


def tables(all_series: Sequence[Series]) -> str:
    """All that the history tells."""
    parts = []
    for command, machine in dict.fromkeys((s.command, str(s.machine["name"])) for s in all_series):
        some = [s for s in all_series if (s.command, str(s.machine["name"])) == (command, machine)]
        parts += [_heading(some), *_sections(some)]
    return "\n\n".join([*parts, findings(all_series)])


def _heading(some: Sequence[Series]) -> str:
    """The command, and where and with what it ran."""
    machine, points = some[0].machine, [p for series in some for p in series.points]
    speed = history_series.bandwidth(machine)
    memory = f"{machine['memory'] / 2**30:.0f} GiB" if "memory" in machine else ""
    words = [
        f"{machine.get('processor', 'machine')} {machine['name']}",
        f"{machine.get('cores', '?')} cores",
        memory,
        f"STREAM copy {speed / 1e9:.0f} GB/s" if speed else "",
        *_distinct(p.system.get("kernel") for p in points),
        *_distinct(p.system.get("mpi") for p in points),
        *_distinct(p.build.get("compiler") for p in points),
    ]
    return f"`{some[0].command}`\n\n{', '.join(word for word in words if word)}."


def _distinct(words: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(str(word) for word in words if word))


def _sections(some: Sequence[Series]) -> list[str]:
    versions = [
        (
            series.name,
            point.version,
            minute(point.committed),
            minute(point.date),
            f"{number(point.value, 3)} {unit(series)}".strip(),
            bounds(point),
            str(len(point.values)),
            change.words if (change := _into(series, point)) else "",
        )
        for series in some
        for point in series.points
    ]
    heads = ("quantity", "version", "committed", "measured", "median", "bounds", "turns")
    parts = [table((*heads, "code against the version above"), versions)]
    system = [
        (
            series.name,
            change.before.version,
            f"{minute(change.before.date)} to {minute(change.after.date)}",
            recorded(change),
            change.words,
        )
        for series in some
        for change in history_series.system_changes(series)
    ]
    if system:
        names = ("quantity", "same version", "measured", "known to differ", "system")
        parts.append(table(names, system))
    both = [
        (
            series.name,
            f"{split.whole.before.version} to {split.whole.after.version}",
            percent(split.whole),
            percent(split.code),
            percent(split.system),
        )
        for series in some
        for split in history_series.splits(series)
    ]
    if both:
        shares = ("quantity", "versions", "whole change", "of the code", "of the system")
        parts.append(table(shares, both))
    return parts


def bounds(point: Point) -> str:
    """Bounds as printed; nothing where none are known."""
    if point.low == point.high:
        return ""
    return f"{number(point.low, 3)} to {number(point.high, 3)}"


def recorded(change: Change) -> str:
    """What of system and build is known to have changed."""
    sides = [{**point.system, **point.build} for point in (change.before, change.after)]
    either = sorted({*sides[0], *sides[1]})
    words = [
        f"{name}: {sides[0].get(name, '?')} to {sides[1].get(name, '?')}"
        if name in change.before.system
        else name
        for name in either
        if sides[0].get(name) != sides[1].get(name)
    ]
    return ", ".join(words) or "nothing"


def _into(series: Series, point: Point) -> Change | None:
    """The change of the code that led to a point."""
    changes = history_series.code_changes(series)
    return next((change for change in changes if change.after is point), None)


def findings(all_series: Sequence[Series]) -> str:
    """Regressions and change points, or that there are none."""
    lines = [
        f"- Regression: {series.name}, {change.after.version} is {change.words} than"
        f" {change.before.version}."
        for series, change in regressions(all_series)
    ]
    lines += [_level_words(*found) for found in history_series.level_changes(all_series)]
    return "\n".join(lines or ["No regression of the newest version, no change points."])


def regressions(all_series: Sequence[Series]) -> list[tuple[Series, Change]]:
    """Where the newest version of the newest batch is slower than the one before it."""
    found = []
    for series in all_series:
        newest = series.batches[-1][-1]
        change = _into(series, newest)
        if change is not None and change.regression:
            found.append((series, change))
    return found


def _level_words(series: Series, point: Point, found: ChangePoint) -> str:
    return (
        f"- Change point: {series.name}, from {number(found.before, 3)} to"
        f" {number(found.after, 3)} {unit(series)} at version {point.version} of"
        f" {minute(point.date)} (chance in noise {found.chance:.2g}). Was it code or system?"
        f" --rerun the version before it."
    )


def unit(series: Series) -> str:
    """Units as printed; nothing for ratios."""
    return "" if series.units == "1" else series.units


def percent(change: Change) -> str:
    """A change in percent with its bounds.

    The sign is that of the cost: more than 0 is worse.
    """
    found = change.comparison
    values = [100.0 * (value - 1.0) for value in (found.ratio, found.low, found.high)]
    middle, low, high = (f"{value:+.1f}" for value in values)
    return f"{middle} % ({low} to {high})"


def minute(date: str) -> str:
    """A date as printed.

    >>> minute("2026-11-21T10:02:28+00:00")
    '2026-11-21 10:02'
    """
    return datetime.fromisoformat(date).strftime("%Y-%m-%d %H:%M")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with columns in line; what stands above is not said again.

    >>> print(table(("a", "b"), [("x", "1"), ("x", "22")]))
    | a | b  |
    |---|----|
    | x | 1  |
    |   | 22 |
    """
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    lines = [list(heads), ["-" * (width + 2) for width in widths], *map(list, rows)]
    for number_, line in list(enumerate(lines))[:2:-1]:
        if line[0] == lines[number_ - 1][0]:
            line[0] = ""
    padded = [[word.ljust(width) for word, width in zip(line, widths, strict=True)]
              for line in lines]  # fmt: skip
    return "\n".join(
        "|" + "|".join(line) + "|" if at == 1 else "| " + " | ".join(line) + " |"
        for at, line in enumerate(padded)
    )


def put_into_page(path: Path, words: str) -> None:
    """Put what was made between its two marks in a page."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    head, mark, rest = text.partition(begin)
    _, mark_too, tail = rest.partition(end)
    if not (mark and mark_too):
        raise UserError(f"'{path}' has no lines '{begin}' and '{end}'. Put them into the page.")
    path.write_text(f"{head}{begin}\n\n{words}\n\n{end}{tail}", encoding="utf-8")
