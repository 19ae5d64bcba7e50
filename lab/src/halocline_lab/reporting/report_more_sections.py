"""Further sections of the page: messages, efficiencies, kernels, noise, the CPMIP sheet."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np

from halocline_lab.diagnosis.efficiency import acceptable
from halocline_lab.diagnosis.quantities import Quantity
from halocline_lab.diagnosis.roofline import Machine
from halocline_lab.reporting.report_charts import columns, on_logarithms
from halocline_lab.reporting.report_counters import kernel_counters
from halocline_lab.reporting.report_packing import pack
from halocline_lab.reporting.report_sections import Cell, key, section, table
from halocline_lab.reporting.report_words import (
    Report,
    limit,
    percent,
    seconds,
    significant,
    size,
    whole,
)

most_cells = 256
"""Cells of the matrix along a side; more ranks are put together."""


def matrix_data(report: Report) -> dict[str, Any]:
    """The communication matrix, packed; cells of `group` ranks each."""
    matrix, ranks = report.analysis.messages.matrix, report.record.size
    group = -(-ranks // most_cells)
    cells = -(-ranks // group)
    sender = np.asarray(matrix.sender, np.int64) // group
    receiver = np.asarray(matrix.receiver, np.int64) // group
    pairs, place = np.unique(sender * cells + receiver, return_inverse=True)
    count, total = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    np.add.at(count, place.reshape(-1), np.asarray(matrix.count, np.int64))
    np.add.at(total, place.reshape(-1), np.asarray(matrix.bytes, np.int64))
    return {
        "cells": cells,
        "group": group,
        "sender": pack(np.diff(pairs // cells, prepend=0)),
        "receiver": pack(pairs % cells),
        "count": pack(count),
        "bytes": pack(total),
    }


def messages(report: Report) -> str:
    """Matrix, sizes and call sites."""
    found = report.analysis.messages
    between = (
        f"{whole(found.count)} messages, {size(found.bytes)} in all. Pattern:"
        f" {found.pattern.name}{', ' + found.pattern.words if found.pattern.words else ''}."
    )
    return section(
        "messages",
        "Messages",
        "Who sends how much to whom. Good is a narrow band or a few lines beside the diagonal:"
        " neighbours talk; a full row or column is one rank that all wait for, a full square an"
        " exchange of all with all.",
        f"<p>{escape(between)}</p>",
        _matrix() if found.count else "<p>The record has no messages from rank to rank.</p>",
        _sizes(report),
        _sites(report),
    )


def _matrix() -> str:
    return (
        '<div class="needs-unpacking"><p class="controls">'
        '<button data-matrix="bytes" aria-pressed="true">Bytes</button>'
        '<button data-matrix="count" aria-pressed="false">Count</button>'
        '<span id="matrix-scale"></span></p>'
        '<canvas id="matrix" role="img" aria-label="Communication matrix: rows send, columns'
        ' receive"></canvas><p class="method">Rows send, columns receive.</p></div>'
    )


def _sizes(report: Report) -> str:
    sizes = report.analysis.messages.histogram
    if not sizes.limit:
        return ""
    total, bytes_sum = max(sum(sizes.count), 1), max(sum(sizes.bytes), 1)
    names = [limit(one) for one in sizes.limit]
    charts = [
        columns(
            [(title, kind, [100.0 * value / whole_of for value in values])],
            names,
            words=lambda value: f"{value:.3g} %",
            below="size of a message, up to",
            label=f"Share of the {title} by size",
            height=190.0,
        )
        for title, kind, values, whole_of in (
            ("messages", "busy", sizes.count, total),
            ("bytes", "overhead", sizes.bytes, bytes_sum),
        )
    ]
    return (
        "<h3>Sizes of messages</h3><p>Share of the messages (first) and of the bytes (second) by"
        " size. Small messages cost latency, large ones bandwidth: many messages on the left that"
        " carry few bytes could be merged.</p>"
        f"<figure>{charts[0]}</figure><figure>{charts[1]}</figure>"
    )


def _sites(report: Report) -> str:
    rows: list[list[Cell]] = [
        [
            site.name,
            site.site or "unknown",
            (site.calls, whole(site.calls)),
            (site.bytes, size(site.bytes)),
            (site.mean_bytes, size(site.mean_bytes)),
            (site.seconds.mean, seconds(site.seconds.mean)),
            (site.seconds.maximum, seconds(site.seconds.maximum)),
            (site.share, percent(site.share)),
            (-1.0, "unknown") if site.waiting is None else (site.waiting, seconds(site.waiting)),
            "" if site.pattern is None else site.pattern.name,
        ]
        for site in report.analysis.messages.sites
    ]
    if not rows:
        return ""
    heads = [
        "call",
        "site",
        "calls",
        "bytes",
        "each",
        "time, mean rank",
        "most",
        "of all time",
        "waiting, all ranks",
        "pattern",
    ]
    return (
        "<h3>Calls of MPI</h3><p>Each call at each place of the source. A click on a head sorts."
        " Much waiting is a matter of the other side; much time without waiting, of the network or"
        f" of the number of calls.</p>{table(heads, rows, sortable=True)}"
    )


def efficiencies(report: Report) -> str:
    """POP's tree, each with a mark at 0.8."""
    found = report.analysis.efficiency
    lines = [
        (0, found.global_efficiency),
        (1, found.parallel),
        (2, found.load_balance),
        (2, found.communication),
        (3, found.serialisation),
        (3, found.transfer),
        (1, found.computation_scaling),
        (2, found.instruction_scaling),
        (2, found.ipc_scaling),
        (2, found.frequency_scaling),
    ]
    tree = "".join(_efficiency(depth, quantity) for depth, quantity in lines)
    added = "".join(_efficiency(0, quantity) for quantity in found.additive)
    return section(
        "efficiencies",
        "Efficiencies",
        "The efficiencies of the POP Centre of Excellence for the steps: each is the product of"
        f" those below it. The mark is at {acceptable}; above it is acceptable, and the lowest one"
        " below it is what to mend first.",
        f'<ul class="tree">{tree}</ul>',
        f'<h3>The same as losses that add up</h3><ul class="tree">{added}</ul>',
    )


def _efficiency(depth: int, quantity: Quantity) -> str:
    style = f' style="--depth:{depth}"'
    if quantity.value is None:
        value = f'<span class="unknown">unknown: {escape(quantity.because)}</span>'
        return f"<li{style}><b>{escape(quantity.name)}</b>{value}</li>"
    kind = "good" if quantity.value >= acceptable else "bad"
    filled = 100 * min(quantity.value, 1.0)
    bar = (
        f'<span class="meter {kind}"><i style="width:{filled:.1f}%"></i>'
        f'<u style="left:{100 * acceptable:.0f}%"></u></span>'
    )
    mark = "" if quantity.value >= acceptable else " ▼"
    return (
        f'<li{style} title="{escape(quantity.meaning)}"><b>{escape(quantity.name)}</b>'
        f"{bar}<em>{quantity.value:.3f}{mark}</em></li>"
    )


def kernels(report: Report) -> str:
    """The roofline, and the numbers of each kernel."""
    roof = report.analysis.roofline
    parts = [] if roof.why_no_kernels else [_roofline(report)]
    if roof.machine is not None:
        parts.append(f'<p class="method">The roof: {escape(roof.machine.source)}.</p>')
    for why in (roof.why_no_kernels, roof.why_no_machine):
        if why:
            parts.append(f"<p>{escape(why[0].upper() + why[1:])}.</p>")
    rows: list[list[Cell]] = [
        [
            point.name,
            (point.calls, whole(point.calls)),
            (point.seconds, seconds(point.seconds)),
            (point.share, percent(point.share)),
            (point.byte_rate, f"{size(point.byte_rate)}/s"),
            _maybe(point.operation_rate, lambda rate: f"{significant(rate / 1e9)} Gop/s"),
            _maybe(point.intensity, lambda value: f"{significant(value)} op/B"),
            _maybe(point.over_floor, lambda value: f"{significant(value)} ×"),
            point.bound,
        ]
        for point in roof.kernels
    ]
    heads = [
        "kernel",
        "calls",
        "time, mean rank",
        "of the run",
        "memory",
        "operations",
        "intensity",
        "over the floor",
        "bound by",
    ]
    if rows:
        parts.append(table(heads, rows, sortable=True))
    parts.append(_counters(report))
    return section(
        "kernels",
        "Kernels on the roofline",
        "What each kernel must move and compute, by its contract, against what the machine can."
        " Good is a point near the roof; one far below it wastes time in the cores or reads more"
        " than it must.",
        *parts,
    )


def _counters(report: Report) -> str:
    """What the processor counted in each kernel, where it did."""
    found = kernel_counters(report.record)
    if not found:
        counters = "; ".join(
            f"{one.name}: {one.words()}" for one in report.analysis.roofline.counters
        )
        return f'<p class="method">{escape(counters)}.</p>'
    shares = list(dict.fromkeys(name for one in found for name in one.ratios))
    rates = list(dict.fromkeys(name for one in found for name in one.rates))
    rows: list[list[Cell]] = [
        [
            one.name,
            *(_maybe(one.ratios.get(name), significant) for name in shares),
            *(_maybe(one.rates.get(name), lambda rate: f"{rate:.3g}/s") for name in rates),
        ]
        for one in found
    ]
    return (
        "<h3>Counters of the processor</h3><p>While each kernel ran, per second of it and rank. A"
        " low hit ratio of a cache says that smaller tiles may help.</p>"
        + table(["kernel", *shares, *rates], rows, sortable=True)
    )


def _maybe(value: float | None, words: Any) -> Cell:
    return (-1.0, "unknown") if value is None else (value, words(value))


def _roofline(report: Report) -> str:
    roof = report.analysis.roofline
    known = [point for point in roof.kernels if point.operation_rate and point.intensity]
    if not known:
        return (
            "<p>The operations of no kernel are known, so that none has a place on the chart.</p>"
        )
    points = [
        (
            float(point.intensity or 0.0),
            float(point.operation_rate or 0.0),
            4.0 + 14.0 * math.sqrt(point.share),
            f"{point.name}: {percent(point.share)} of the run",
        )
        for point in known
    ]
    lines = [] if roof.machine is None else _roof(roof.machine, [point[0] for point in points])
    chart = on_logarithms(
        points,
        lines,
        across="operations per byte",
        upward="operations per second",
        words=lambda value: f"{significant(value / 1e9)} G",
        label=f"Roofline with {len(points)} kernels",
    )
    marks = key(("a kernel; its size is its share of the run", "point"), ("the roof", "roof"))
    return f"{marks}<figure>{chart}</figure>"


def _roof(
    machine: Machine, intensities: list[float]
) -> list[tuple[list[tuple[float, float]], str]]:
    corner = machine.operations / machine.bandwidth
    first = min([*intensities, corner]) / 3.0
    last = max([*intensities, corner]) * 3.0
    line = [
        (first, first * machine.bandwidth),
        (corner, machine.operations),
        (last, machine.operations),
    ]
    words = f"{size(machine.bandwidth)}/s, {significant(machine.operations / 1e9)} Gop/s"
    return [(line, words)]


def noise(report: Report) -> str:
    """Histogram of equal work, and the kernels' scatter."""
    found = report.analysis.noise
    parts = [f"<p>{escape(found.words[0].upper() + found.words[1:])}.</p>"]
    if found.steps is not None:
        quanta = found.steps
        names = [f"{limit:g} ×" if math.isfinite(limit) else "more" for limit in quanta.limit]
        total = max(sum(quanta.count), 1)
        chart = columns(
            [("pieces", "busy", [100.0 * count / total for count in quanta.count])],
            names,
            words=lambda value: f"{value:.3g} %",
            below="time of a piece of equal work over its rank's median, up to",
            label="Histogram of the times of equal work",
            height=190.0,
        )
        parts.append(f"<figure>{chart}</figure>")
        if quanta.period is not None:
            parts.append(f"<p>Something disturbs every {seconds(quanta.period)}.</p>")
    rows: list[list[Cell]] = [
        [
            one.name,
            (one.calls, whole(one.calls)),
            (one.shortest, seconds(one.shortest)),
            (one.mean, seconds(one.mean)),
            (one.longest, seconds(one.longest)),
            (one.variation, percent(one.variation)),
        ]
        for one in found.kernels
    ]
    if rows:
        heads = ["kernel", "calls", "shortest", "mean", "longest", "scatter"]
        parts.append(table(heads, rows, sortable=True))
    return section(
        "noise",
        "Noise",
        "How long equal work takes, over its typical time. Good is one high column at 1; a tail to"
        " the right is the operating system or another program on the same cores, and where all"
        " ranks meet after each step, the worst of them counts each time.",
        *parts,
    )


def cpmip(report: Report) -> str:
    """The CPMIP sheet."""
    rows: list[list[Cell]] = [
        [
            one.name,
            (-1.0, "unknown")
            if one.value is None
            else (one.value, f"{significant(one.value)} {one.unit}".strip()),
            one.meaning if one.value is not None else f"{one.meaning}; {one.because}",
        ]
        for one in report.analysis.cpmip
    ]
    return section(
        "cpmip",
        "The CPMIP sheet",
        "Computational performance as climate centres state it (Balaji et al. 2017), to compare"
        " with other models. More simulated years per day and fewer core hours per year are good;"
        " output cost and memory bloat near 1 are.",
        table(["metric", "value", "meaning"], rows, kind="words"),
    )
