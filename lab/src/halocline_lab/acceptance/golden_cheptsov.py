"""Tables 1, 3 and 4 of Cheptsov et al. (2009) on OPATM-BFM, and what they say of the real case.

The test case has 3 steps, the real one 816. The paper has no table 2.
"""

from __future__ import annotations

from dataclasses import replace

from halocline_lab.acceptance.golden import Section, Value
from halocline_lab.acceptance.phase_table import Phase, PhaseTable, check, check_scalability
from halocline_lab.scaling.extrapolation import Forecast, PhaseTime, Wanted, forecast

initialisation, loop, storage = "1 initialisation, input", "2 main loop", "3 data storage"
test_steps, real_steps, real_stores = 3.0, 816.0, 17.0

table_1 = PhaseTable(
    "table 1",
    32,
    (
        Phase(
            initialisation, 939.0, 6.0, 945.0, 1.0, 1.0, "loading of input data",
            {"computation": 99.0, "total": 80.0},
        ),
        Phase(
            loop, 3.0, 5.0, 8.0, test_steps, real_steps, "messages, exchange of halos",
            {"computation": 38.0, "mpi": 62.0, "total": 2.0},
        ),
        Phase(
            storage, 7.0, 204.0, 213.0, 1.0, real_stores, "storing of output and restarts",
            {"computation": 3.0, "mpi": 97.0, "total": 18.0},
        ),
    ),
    {"computation": 949.0, "mpi": 226.0, "total": 1175.0},
    {"computation": 80.0, "mpi": 20.0},
)  # fmt: skip
"""Table 1; the share of MPI in the first phase is printed as less than 1."""

table_3_few = replace(
    table_1,
    title="table 3, 32 nodes",
    phases=tuple(replace(phase, shares={}) for phase in table_1.phases),
    total_shares={},
)
table_3_more = PhaseTable(
    "table 3, 64 nodes",
    64,
    (
        Phase(initialisation, 2238.0, 6.0, 2244.0, 1.0, 1.0),
        Phase(loop, 2.0, 5.0, 7.0, test_steps, real_steps),
        Phase(storage, 3.0, 170.0, 173.0, 1.0, real_stores),
    ),
    {"computation": 2243.0, "mpi": 181.0, "total": 2424.0},
)
coefficients = {
    (initialisation, "computation"): 2.4,
    (initialisation, "mpi"): 1.0,
    (initialisation, "total"): 2.4,
    (loop, "computation"): 0.7,
    (loop, "mpi"): 1.0,
    (loop, "total"): 0.9,
    (storage, "computation"): 0.4,
    (storage, "mpi"): 1.25,
    (storage, "total"): 0.8,
    ("all", "computation"): 2.4,
    ("all", "mpi"): 0.8,
    ("all", "total"): 2.0,
}
"""Table 3: t64 / t32."""


def _of_totals(title: str, nodes: int, *seconds: float) -> PhaseTable:
    names = (initialisation, loop, storage)
    counts = (1.0, test_steps, 1.0)
    phases = tuple(
        Phase(name, total=value, iterations=count)
        for name, value, count in zip(names, seconds, counts, strict=False)
    )
    return PhaseTable(title, nodes, phases, {"total": seconds[3]})


table_4 = {
    (32, "before"): _of_totals("table 4, 32 nodes, before", 32, 945.0, 8.0, 213.0, 1175.0),
    (32, "after"): _of_totals("table 4, 32 nodes, after", 32, 300.0, 7.0, 207.5, 514.5),
    (64, "before"): _of_totals("table 4, 64 nodes, before", 64, 2244.0, 7.0, 173.0, 2424.0),
    (64, "after"): _of_totals("table 4, 64 nodes, after", 64, 360.0, 6.0, 172.0, 538.0),
}
real_minutes = {
    (32, "before"): 309.0,
    (32, "after"): 293.0,
    (64, "before"): 213.0,
    (64, "after"): 185.0,
}
"""Figure 5: the real case, 816 steps."""


whens = ("before", "after")
"""The optimisation."""


def real_case(nodes: int, when: str) -> Forecast:
    """The real case put together from the phases of the test."""
    per = {initialisation: "run", loop: "step", storage: "frame"}
    times = [
        PhaseTime(phase.name, per[phase.name], phase.seconds / phase.iterations, nodes)
        for phase in table_4[nodes, when].phases
    ]
    return forecast(times, Wanted(real_steps, real_stores, nodes))


def flags() -> list[str]:
    """What tables 1, 3 and 4 contradict themselves in."""
    tables = [table_1, table_3_few, table_3_more, *table_4.values()]
    found = [flag for table in tables for flag in check(table)]
    found += check_scalability(table_3_few, table_3_more, coefficients)
    return [flag.words for flag in found]


def tables_section() -> Section:
    """Tables 1, 3 and 4: sums, shares, ratios and the text's percentages."""
    values = [*_sums(), *_ratios(), *_claims()]
    remarks = (
        "table 2 is absent from the paper",
        *flags(),
    )
    return Section("Cheptsov et al. (2009)", "tables of phases", tuple(values), remarks)


def _sums() -> list[Value]:
    values = []
    for table in (table_1, table_3_more, *table_4.values()):
        for part, printed in table.totals.items():
            found = table.sum(part)
            if found is not None:
                values.append(Value(table.title, f"all, {part}", printed, found, "s"))
    return values


def _ratios() -> list[Value]:
    values = []
    for (name, part), printed in coefficients.items():
        few, more = (
            table.all(part) if name == "all" else table.phase(name).of(part)
            for table in (table_3_few, table_3_more)
        )
        assert few and more
        where = f"{name}, {part}, t64/t32"
        wrong = check_scalability(table_3_few, table_3_more, {(name, part): printed})
        within = None if wrong else 0.5
        values.append(Value("table 3", where, printed, more / few, "", within))
    return values


def _less(after: float, before: float) -> float:
    """Reduction [%]."""
    return 100.0 * (1.0 - after / before)


def _claims() -> list[Value]:
    """Percentages of the text from table 4 and figure 5."""
    inputs = {key: table.phase(initialisation).seconds for key, table in table_4.items()}
    tests = {key: table.whole for key, table in table_4.items()}
    more = {when: 100.0 * (inputs[64, when] / inputs[32, when] - 1.0) for when in whens}
    gain = {when: 100.0 * real_minutes[32, when] / real_minutes[64, when] for when in whens}
    less = {
        (name, nodes): _less(times[nodes, "after"], times[nodes, "before"])
        for name, times in (("input", inputs), ("test", tests), ("real", real_minutes))
        for nodes in (32, 64)
    }
    claims: tuple[tuple[str, float, float, float | None], ...] = (
        ("input on 32 nodes, reduction", 68.0, less["input", 32], None),
        ("input on 64 nodes, reduction", 84.0, less["input", 64], None),
        ("input, 64 over 32 nodes, before", 140.0, more["before"], 5.0),
        ("input, 64 over 32 nodes, after", 20.0, more["after"], None),
        ("test on 64 nodes, reduction, up to", 75.0, less["test", 64], None),
        ("real case on 32 nodes, reduction", 5.0, less["real", 32], None),
        ("real case on 64 nodes, reduction", 15.0, less["real", 64], None),
        ("scalability t32/t64, before", 145.0, gain["before"], None),
        ("scalability t32/t64, after", 158.0, gain["after"], None),
    )
    return [Value("text", name, printed, found, "%", near) for name, printed, found, near in claims]


def real_section() -> Section:
    """The real case from the phases of the test, beside what was measured."""
    values, absent = [], []
    for (nodes, when), printed in real_minutes.items():
        found = real_case(nodes, when)
        absent.append(printed - found.seconds / 60.0)
        name = f"real case, {nodes} nodes, {when} optimisation"
        values.append(Value("figure 5", name, printed, found.seconds / 60.0, "min", 0.1 * printed))
    found = real_case(32, "before")
    share = 100.0 * found.share(loop)
    values.append(Value("text", "share of the main loop, up to", 90.0, share, "%", 9.0))
    measured = real_minutes[32, "before"] * 60.0
    missing, needed = measured - found.seconds, 0.9 * measured / real_steps
    each = table_1.phase(loop).seconds / test_steps
    remarks = [
        f"32 nodes: input 945 s once, {each:.2f} s for each of {real_steps:g} steps, 213 s for each"
        f" of {real_stores:g} stores are {found.seconds / 60.0:.0f} of {measured / 60.0:g}"
        f" minutes; {missing / 60.0:.0f} minutes are not in the test's phases",
        f"a loop of 90 % would be {needed:.1f} s for a step, {needed / each:.1f} times what the"
        " test's steps took: the phases of 3 steps are not those of 816, or the table's are not"
        " all of a step",
        "what is missing is nearly the same before and after the optimisation, and half as much on"
        f" twice the nodes ({', '.join(f'{minutes:.0f}' for minutes in absent)} min): about"
        f" {60.0 * absent[0] / real_steps:.1f} s of each step on 32 nodes, divided perfectly, which"
        " the test's table does not hold",
        "from totals, 1175 s for 3 steps, the real case would be"
        f" {1175.0 * real_steps / test_steps / 3600.0:.0f} hours: shares change with the length",
    ]
    title = "the real case (816 steps) from the test's phases (3 steps)"
    return Section("Cheptsov et al. (2009)", title, tuple(values), tuple(remarks))
