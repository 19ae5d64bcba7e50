"""What `halocline lab sites` says: times beside the paper's, why, and what would change."""

from __future__ import annotations

from collections.abc import Sequence

from halocline_lab.reporting.report_columns import lines_up
from halocline_lab.reporting.report_words import percent
from halocline_lab.sites.field_exchange import every, measured, sizes, steps
from halocline_lab.sites.paper_cases import paper_cases
from halocline_lab.sites.path_fit import PathFit, bandwidth_of_exchanges
from halocline_lab.sites.shaper import NetworkPath
from halocline_lab.sites.site_cases import CaseResult, SiteCase, floors, receivers
from halocline_lab.sites.two_sides import congestion
from halocline_lab.sites.what_if import loops, messages_in_a_step, perfect_loops, projections

keys = {
    "path": "delay each way [s], rate [bit/s], jitter [s], share lost, how it was made",
    "floors": "least times of all exchanges that count, by who receives [s]: one way, and with a"
    " round trip for each exchange",
    "rows": "one entry per case",
    "rows.streams": "connections",
    "rows.spent": "of each side: send, wait (until the other began), transfer, of four exchanges"
    " [s]",
    "rows.travel": "of what each side sends: from its begin to its end at the other [s]",
    "rows.rounds": "of what each side sends: round trips in an exchange, counted; 0: not counted",
    "rows.windows": "of a connection as an exchange begins [byte]; 0: not known",
    "rows.model_travel": "travel, by the model of windows [s]",
    "rows.model_rounds": "rounds, by the model",
    "rows.published": "table 1 of Govett et al. (2004): WRF, ROMS [s]",
    "fit": "latency [s] and bandwidth [bit/s] from transfers of several sizes, bounds of 95 %",
}


def path_words(path: NetworkPath, way: str, why: str) -> str:
    """Which path, and how it is made."""
    rate = f"{1e-6 * path.rate:g} Mbit/s" if path.rate else "no limit of rate"
    more = f", {percent(path.stalls)} lost" if path.stalls else ""
    more += f", jitter {1e3 * path.jitter:g} ms" if path.jitter else ""
    made = {
        "namespaces": f"packets between two network namespaces; the kernel's TCP ({congestion})",
        "shaper": "bytes between sockets in user space, congestion windows are a model",
    }[way]
    because = f"\n(no namespaces: {why})" if why else ""
    return f"{1e3 * path.delay:g} ms each way, {rate}{more}: {made}{because}"


def protocol_words(pause: float) -> str:
    """What is exchanged and counted."""
    return (
        f"{steps} steps, an exchange every {every}, {measured} counted; {sizes['air']:,} bytes of"
        f" winds, {sizes['ocean']:,} of temperature; {pause:g} s of computing between"
    )


def case_table(results: Sequence[CaseResult], path: NetworkPath) -> str:
    """Both sides' parts of all exchanges [s], beside the paper's and the least there can be."""
    rows = [["case", "streams", "side", "send", "wait", "transfer", "all", "paper", "floor"]]
    least = floors(path, trips=False)
    for one in results:
        for number, side in enumerate(sizes):
            published = one.case.published
            rows.append([
                one.case.name if not number else "",
                str(one.case.streams) if not number else "",
                f"{side} ({('WRF', 'ROMS')[number]})",
                *(f"{value:.3f}" for value in one.spent[side].values()),
                f"{one.communication(side):.3f}",
                f"{published[number]:.2f}" if published else "",
                f"{least[side]:.3f}" if one.case.over_path else "0.000",
            ])  # fmt: skip
    trips = floors(path, trips=True)
    lines = [lines_up(rows, 100)]
    lines.append(
        f"Seconds of {measured} exchanges. floor: bytes over the rate and the way once; with a"
        f" round trip for each exchange {trips['air']:.3f} (air) and {trips['ocean']:.3f} (ocean)."
    )
    return "\n".join(lines)


def why_table(results: Sequence[CaseResult]) -> str:
    """Rounds counted and by the model, windows, and the travel of the winds."""
    rows = [["winds", "window", "holds", "rounds", "model", "travel", "model"]]
    for one in results:
        if not one.case.over_path:
            continue
        window, counted = one.windows["air"], one.rounds["air"]
        share = min(1.0, window * one.case.streams / sizes["air"])
        rows.append([
            one.case.name,
            f"{1e-3 * window:.1f} kB" if window else "-",
            percent(share) if window else "-",
            str(counted) if counted else "-",
            str(one.model_rounds["air"]),
            f"{one.travel['air']:.3f}",
            f"{one.model_travel['air']:.3f}",
        ])  # fmt: skip
    return lines_up(rows, 100)


def why_words(results: Sequence[CaseResult], path: NetworkPath) -> list[str]:
    """In sentences: which cases take more rounds than the fastest, and what these cost."""
    across = [one for one in results if one.case.over_path]
    fastest = min(across, key=lambda one: one.travel["air"])
    said = [
        f"fastest: {fastest.case.name}. A message goes out in rounds, as windows let it; each one"
        f" beyond the first costs a round trip ({2e3 * path.delay:g} ms)."
    ]
    for one in across:
        more = (one.rounds["air"] or one.model_rounds["air"]) - (
            fastest.rounds["air"] or fastest.model_rounds["air"]
        )
        if more > 0:
            cost, lost = (
                measured * more * 2.0 * path.delay,
                one.travel["air"] - fastest.travel["air"],
            )
            said.append(
                f"{one.case.name}: {more} more round{'s' * (more > 1)} in each exchange,"
                f" {cost:.2f} s of the {lost:.2f} s that it is slower."
            )
    return said


def paper_words() -> list[str]:
    """The paper's own table by the same model."""
    rows = [["table 1, ROMS", "paper", "model", "rounds"]]
    rows += [
        [one.name, f"{one.published:.2f}", f"{one.model:.2f}", str(one.rounds)]
        for one in paper_cases()
    ]
    width = 1e-6 * bandwidth_of_exchanges(4 * 2 * 161**2 * 8, 0.34, 4, 0.015)
    return [
        lines_up(rows, 100),
        "Windows of 2004: three segments at the beginning, half as much more in a round trip; 8"
        " bytes a value. 'The sending node for WRF' was tuned: of the parallel case that is one of"
        " three, and the other two begin slowly. So tuned serial was the faster one.",
        f"Inferred from their 0.34 s as they did: {width:.1f} Mbit/s (paper: 60).",
    ]


def fit_words(fit: PathFit) -> str:
    """The path as transfers show it."""
    off = f"no size is off the line by more than {1e3 * fit.residual:.2g} ms"
    return f"measured path: {fit.words()}; {off}"


def what_if_words(cases: Sequence[SiteCase], path: NetworkPath, best: float) -> list[str]:
    """10 Gbit/s, and the processors of the paper's projection."""
    rows = [["winds, by the model", "here", "10 Gbit/s", "of it latency"]]
    rows += [
        [one.name, f"{one.here:.3f}", f"{one.at_fast:.3f}", percent(one.latency)]
        for one in projections(cases, path)
    ]
    perfect = perfect_loops()
    counts = " and ".join(f"{more} ({name})" for name, (_, _, more) in loops.items())
    said = [
        lines_up(rows, 100),
        f"On {counts} processors, if loops scale perfectly, they take {perfect['WRF']:.1f} and"
        f" {perfect['ROMS']:.1f} s: exchanges of {best:.2f} s are"
        f" {percent(best / max(perfect.values()))} of it.",
    ]
    if path.delay:
        said.append(
            f"One model over both sites: {messages_in_a_step(path.delay)} messages one after the"
            " other take as long as a step then computes; halos and sums of one step are as many or"
            " more. Coupled models need one in five steps."
        )
    return said


def best_all(results: Sequence[CaseResult]) -> float:
    """What the slower side of our case spent, or of the fastest one [s]."""
    across = [one for one in results if one.case.over_path]
    own = [one for one in across if one.case.name == "ours"] or across
    return min(max(one.communication(side) for side in receivers) for one in own)
