"""Tolman (2003) recomputed: table 4.1, the operational run, and what outputs cost beyond noise."""

from __future__ import annotations

from halocline_lab.acceptance.golden import Section, Value
from halocline_lab.acceptance.golden_tolman import (
    hours,
    operational_hours,
    operational_minutes,
    table,
)
from halocline_lab.output_cost import output_papers
from halocline_lab.output_cost.output_costs import label
from halocline_lab.scaling.placement import effective_fraction, efficiency, titan
from halocline_lab.scaling.placement_fit import Timing, fit
from halocline_lab.statistics.paired import Cost, cost_of_mean, negative_words, verdict

first = table[0].mean


def scaling_section() -> Section:
    """Table 4.1 from its times, and the operational run."""
    values = []
    for line in table:
        if line.fraction is None or line.efficiency is None:
            continue
        n = line.processes
        found = effective_fraction(first, line.mean, n, 1, titan)
        values.append(Value("table 4.1", f"n = {n}, p_e", line.fraction, found, "", 0.001))
        found = efficiency(first, line.mean, n, titan)
        values.append(Value("table 4.1", f"n = {n}, zeta", line.efficiency, found, "", 0.001))
    for n in (12, 8):
        minutes = table[n - 1].mean * operational_hours / hours / 60.0
        name = f"7 days and 6 h on {n} processes"
        values.append(Value("section 4", name, operational_minutes, minutes, "min", 1.5))
    law = fit([Timing(line.processes, 1, line.mean) for line in table], titan)
    remarks = (
        "alpha (3.10) must be no less than 1, which the report asks for but the formula does not",
        f"fitted: {law.words}",
    )
    return Section("Tolman (2003)", "table 4.1, parallel performance", tuple(values), remarks)


def output_costs(name: str) -> dict[str, Cost]:
    """Costs of all outputs of table 5.2 ("separate") or 5.3 ("first"), from means and deviations.

    The printed deviations are those of a difference: baseline and runs together.
    """
    cells = {"separate": output_papers.separate, "first": output_papers.first}[name]
    return {
        label(kinds): cost_of_mean(mean.value, mean.deviation, output_papers.paper_runs)
        for kinds, mean in cells.items()
        if kinds
    }


def output_section() -> Section:
    """Tables 5.2 and 5.3: which costs are beyond noise."""
    remarks, clear = [], 0
    for name, number in (("separate", "5.2"), ("first", "5.3")):
        for outputs, found in output_costs(name).items():
            strange = negative_words(found)
            more = f"; {strange}" if strange else ""
            remarks.append(f"table {number}, {outputs}: {verdict(found)}{more}")
            clear += found.clear
    remarks.append(
        f"{len(remarks)} verdicts at 95 %: one that errs is to be expected; {clear} are clear"
    )
    whole = output_papers.separate[()].value
    all_of_it = output_papers.separate[output_papers.kinds].value
    share = 100.0 * all_of_it / whole
    values = (Value("table 5.2", "all output, of the run: less than", 5.0, share, "%", 2.5),)
    return Section("Tolman (2003)", "tables 5.2 and 5.3, output of 99 runs", values, tuple(remarks))
