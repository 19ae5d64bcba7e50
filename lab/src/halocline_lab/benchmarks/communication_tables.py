"""Results of `halocline lab communication` as text."""

from __future__ import annotations

from collections.abc import Sequence

from halocline_lab.benchmarks import ghex_rival, tracer_messages
from halocline_lab.benchmarks.communication_rows import Row, Verdict

titles = {
    "halo": "HALO (Wallcraft): us, by 4-byte words on a side of every block",
    "crowd": "halos between pairs of ranks: us, by words on a side",
    "sum": "GLOBAL_SUM over the sea of POP's x1 grid (320 x 384): us",
    "ninept": "NINEPT_4 on POP's x1 grid: us",
    "aggregation": "51 tracers of OPATM-BFM in a chain: us, one exchange",
    "grids": "processor grids (rows x columns), POP's x1 grid: us",
    "tiles": "blocks per rank, POP's x1 grid: us",
}
paper = {"halo": ("shared-", 5.0), "sum": ("shared", 8.0), "ninept": ("shared-", 4.0)}
"""Shared memory and how many times faster than messages one-sided access was in paper 4 (P-21)."""


def tables(rows: Sequence[Row], verdicts: Sequence[Verdict]) -> str:
    """All that was found, for all numbers of ranks."""
    parts = []
    for ranks in dict.fromkeys(row.ranks for row in rows):
        mine = [row for row in rows if row.ranks == ranks]
        parts.append(f"==== {ranks} ranks on {mine[0].cores} cores")
        for benchmark in dict.fromkeys(row.benchmark for row in mine):
            some = [row for row in mine if row.benchmark == benchmark]
            parts.append(_table(titles[benchmark], some))
            if benchmark in paper:
                parts.append(shared_against_messages(benchmark, some))
            if benchmark == "aggregation":
                parts.append(tracer_step(some))
    parts += [wins(rows)] if rows else []
    parts += [oversubscription(rows)] if rows else []
    parts += [verdict_table(verdicts)] if verdicts else []
    if any(row.benchmark == "aggregation" for row in rows):
        parts.append(message_counts())
    if any(row.benchmark == "halo" for row in rows) and not ghex_rival.installed():
        parts.append(ghex_rival.how_to_install)
    return "\n\n".join(part for part in parts if part)


def _heading(row: Row) -> str:
    if row.benchmark in ("halo", "crowd"):
        return str(row.size)
    return row.exchange


def _label(row: Row) -> str:
    if row.benchmark == "aggregation" and row.choice.startswith("messages"):
        return f"{row.choice} ({row.size})"
    return row.choice


def _table(title: str, rows: Sequence[Row]) -> str:
    """Choices down, exchanges across; '*' marks what cannot be told apart from the fastest."""
    heads = list(dict.fromkeys(_heading(row) for row in rows))
    labels = list(dict.fromkeys(_label(row) for row in rows))
    cells = {(_label(row), _heading(row)): row for row in rows}
    widths = {head: max(10, len(head) + 2) for head in heads}
    lines = [title + "; * not told apart from the fastest"]
    lines.append(" " * 34 + "".join(f"{head:>{widths[head]}}" for head in heads))
    for label in labels:
        line = f"{label:<34}"
        for head in heads:
            row = cells.get((label, head))
            text = "" if row is None else f"{row.microseconds:.1f}{'*' if row.tied else ' '}"
            line += f"{text:>{widths[head]}}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def shared_against_messages(benchmark: str, rows: Sequence[Row]) -> str:
    """Plain message passing over the best shared-memory way, beside the paper's ratio."""
    word, target = paper[benchmark]
    lines = [f"plain message passing over the fastest way in shared memory (paper 4: {target:g}x)"]
    for exchange in dict.fromkeys(row.exchange for row in rows):
        mine = [row for row in rows if row.exchange == exchange]
        sharing = [row for row in mine if word in row.choice]
        if sharing:
            best = min(sharing, key=lambda row: row.microseconds)
            lines.append(
                f"  {exchange:<46}{1 / best.ratio:>6.2f}x"
                f" ({1 / best.ratio_high:.2f} to {1 / best.ratio_low:.2f})  {best.choice}"
            )
    return "\n".join(lines) if len(lines) > 1 else ""


def tracer_step(rows: Sequence[Row]) -> str:
    """Time of all exchanges of a step of OPATM-BFM: as printed, and all tracers in one message."""
    times = {(row.exchange, row.choice): row.microseconds for row in rows}
    printed = together = best = 0.0
    for routine in tracer_messages.routines:
        # Advection exchanges the same fields as time integration.
        name = "trcnxt" if routine.name == "trcadv" else routine.name
        printed += routine.calls * times[name, str(routine.printed)]
        together += routine.calls * times[name, str(tracer_messages.aggregated)]
        best += routine.calls * min(t for (at, _), t in times.items() if at == name)
    return (
        f"a step's exchanges: {printed / 1e3:.2f} ms as printed, {together / 1e3:.2f} ms with all"
        f" tracers in one message ({together / printed:.2f} of it; paper 5: 0.5),"
        f" {best / 1e3:.2f} ms in the best way ({best / printed:.2f})"
    )


def winners(rows: Sequence[Row]) -> dict[str, list[str]]:
    """For every choice: exchanges in which it was the simplest of those tied with the fastest."""
    found: dict[str, list[str]] = {row.choice: [] for row in rows}
    for key in dict.fromkeys((row.benchmark, row.ranks, row.exchange) for row in rows):
        mine = [row for row in rows if (row.benchmark, row.ranks, row.exchange) == key]
        first = next(row for row in mine if row.tied)
        found[first.choice].append(f"{first.exchange} on {first.ranks}")
    return found


def wins(rows: Sequence[Row]) -> str:
    """What won where, and what wins nowhere."""
    parts = []
    for name, benchmarks in {"halos": ("halo", "ninept", "aggregation"), "sums": ("sum",)}.items():
        some = [row for row in rows if row.benchmark in benchmarks]
        some = [r for r in some if r.exchange != "NINEPT_4" and r.choice != ghex_rival.name]
        if not some:
            continue
        found = winners(some)
        lines = [f"wins, {name} (the simplest of those not told apart from the fastest)"]
        for choice, places in sorted(found.items(), key=lambda item: -len(item[1])):
            if places:
                lines.append(f"  {choice:<32}{len(places):>4}: {'; '.join(places)}")
        never = [choice for choice in found if not any(r.tied for r in some if r.choice == choice)]
        tied = [c for c, places in found.items() if not places and c not in never]
        lines.append(f"  never first, but tied somewhere: {', '.join(tied) or 'none'}")
        lines.append(f"  wins nowhere: {', '.join(never) or 'none'}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def oversubscription(rows: Sequence[Row]) -> str:
    """Time on more ranks than cores over what shared cores explain."""
    halos = [row for row in rows if row.benchmark == "crowd"]
    few = [row for row in halos if row.ranks <= row.cores]
    many = [row for row in halos if row.ranks > row.cores]
    if not few or not many:
        return ""
    base_ranks = max(row.ranks for row in few)
    base = {(row.size, row.choice): row for row in few if row.ranks == base_ranks}
    lines = [
        f"halos between pairs on more ranks than cores: time over that on {base_ranks} ranks, over"
        " ranks per core; 1 is what shared cores explain"
    ]
    sizes = list(dict.fromkeys(row.size for row in many))
    lines.append(f"{'ranks':>6}  {'choice':<34}" + "".join(f"{f'{n} words':>13}" for n in sizes))
    for ranks, choice in dict.fromkeys((row.ranks, row.choice) for row in many):
        mine = {row.size: row for row in many if (row.ranks, row.choice) == (ranks, choice)}
        line = f"{ranks:>6}  {choice:<34}"
        for size in sizes:
            row, other = mine.get(size), base.get((size, choice))
            share = ranks / base_ranks
            text = (
                ""
                if not (row and other)
                else f"{row.microseconds / other.microseconds / share:.2f}"
            )
            line += f"{text:>13}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def verdict_table(verdicts: Sequence[Verdict]) -> str:
    """The referee's own test."""
    lines = [
        "the referee: its picks against all ways, measured independently afterwards",
        f"{'ranks':>6}  {'exchange':<14}{'best candidate':<26}{'gap':>6}{'named':>8}{'right':>7}"
        f"{'worst pick over best fixed way':>34}",
    ]
    for v in verdicts:
        gap = f"{v.gap:.2f}" + ("" if v.clear_gap else "~")
        ratio = f"{v.ratio:.2f} ({v.ratio_low:.2f} to {v.ratio_high:.2f})"
        lines.append(
            f"{v.ranks:>6}  {v.exchange:<14}{v.best:<26}{gap:>6}{f'{v.named}/{v.repeats}':>8}"
            f"{f'{v.right}/{v.repeats}':>7}{ratio:>24}{' SLOWER' if v.slower else ''}  {v.worst}"
        )
    lines.append("~ the second is not clearly slower: by more than 5 % and more than noise")
    lines.append("right: picks that are not clearly slower than the best candidate")
    return "\n".join(lines)


def message_counts(ranks: int = 32) -> str:
    """Messages and bytes of a step on a chain of ranks, from the patterns alone."""
    everyone = tracer_messages.patterns(ranks)
    printed = tracer_messages.sent_in_step(everyone)
    together = tracer_messages.sent_in_step(everyone, tracer_messages.aggregated)
    lines = [
        f"messages of a step on {ranks} ranks in a chain (from the pattern, none started)",
        f"{'':<10}{'inner rank':>12}{'end':>8}{'all':>10}{'MB':>10}{'aggregated':>12}",
    ]
    names: list[str | None] = [routine.name for routine in tracer_messages.routines]
    for name in [*names, None]:
        mine = [s for s in printed if name in (s.routine, None)]
        few = [s for s in together if name in (s.routine, None)]
        inner, end = (sum(s.messages for s in mine if s.rank == rank) for rank in (1, 0))
        lines.append(
            f"{name or 'step':<10}{inner:>12,}{end:>8,}{sum(s.messages for s in mine):>10,}"
            f"{sum(s.bytes for s in mine) / 1e6:>10.1f}{sum(s.messages for s in few):>12,}"
        )
    return "\n".join(lines)
