"""The placement model against Table 4.1 and processes dealt out one by one; files for launchers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halocline.core.errors import UserError
from halocline_lab.acceptance.golden_tolman import (
    hours,
    operational_hours,
    operational_minutes,
    table,
)
from halocline_lab.scaling.placement import (
    Cluster,
    alpha,
    amdahl,
    effective_fraction,
    efficiency,
    ideal_numbers,
    is_ideal,
    is_ideal_as_printed,
    largest_load,
    node_loads,
    parallel_fraction,
    places,
    predicted,
    titan,
)
from halocline_lab.scaling.placement_files import (
    arbitrary_hosts,
    host_file,
    host_names,
    open_mpi_words,
    rank_file,
    slurm_words,
    write_files,
)
from halocline_lab.scaling.placement_fit import Timing, first_time, fit

first = table[0].mean
clusters = st.builds(
    Cluster, nodes=st.integers(1, 9), processors=st.integers(1, 9), threads=st.integers(1, 3)
)


def dealt(processes: int, per_node: int, nodes: int) -> list[list[int]]:
    """Processes of every node, dealt out like cards: m to a node, then to the next one."""
    hands: list[list[int]] = [[] for _ in range(nodes)]
    node = 0
    for process in range(processes):
        hands[node].append(process)
        if (process + 1) % per_node == 0:
            node = node + 1 if node + 1 < nodes else 0
    return hands


def shared_time(processes: int, per_node: int, nodes: int, processors: int, serial: Fraction):
    """Run time where every node works off its processes: exact, of a program of 1 s.

    Each process has the serial part and its share of the rest to do; a node with more processes
    than processors does their work at the pace of its processors.
    """
    work = serial + (1 - serial) / processes
    hands = dealt(processes, per_node, nodes)
    return max(work * max(Fraction(1), Fraction(len(hand), processors)) for hand in hands if hand)


@pytest.mark.parametrize("printed", table[1:], ids=lambda line: f"n={line.processes}")
def test_table_41(printed):
    n = printed.processes
    assert effective_fraction(first, printed.mean, n, 1, titan) == pytest.approx(
        printed.fraction, abs=0.001
    )
    assert efficiency(first, printed.mean, n, titan) == pytest.approx(printed.efficiency, abs=0.001)


def test_the_table_has_thirty_values():
    lines = [line for line in table if line.fraction is not None and line.efficiency is not None]
    assert 2 * len(lines) == 30
    assert [line.processes for line in table] == list(range(1, 17))
    assert all(line.least < line.mean < line.most for line in table)


def test_the_operational_run():
    times = {line.processes: line.mean for line in table}
    minutes = {n: times[n] * operational_hours / hours / 60.0 for n in (8, 12)}
    assert minutes[12] == pytest.approx(20.3, abs=0.05)
    assert minutes[8] == pytest.approx(21.4, abs=0.05)
    assert min(times.values()) == times[12]
    assert round(minutes[12], -1) == operational_minutes


@pytest.mark.parametrize("per_node", [1, 2, 3, 4])
def test_figures_31_and_32_against_processes_dealt_one_by_one(per_node):
    for n in range(1, 26):
        hands = dealt(n, per_node, 4)
        assert node_loads(n, per_node, titan) == [len(hand) for hand in hands]
        assert largest_load(n, per_node, titan) == max(map(len, hands))
        assert alpha(n, per_node, titan) == max(1.0, max(map(len, hands)) / 2)
        for serial in (Fraction(0), Fraction(1, 10), Fraction(1, 5)):
            time = shared_time(n, per_node, 4, 2, serial)
            mine = predicted(1.0, n, float(1 - serial), per_node, titan)
            assert mine == pytest.approx(float(time), rel=1e-12)
            zeta = 1 / (min(n, 8) * time)
            assert efficiency(1.0, mine, n, titan) == pytest.approx(float(zeta), rel=1e-12)


@given(clusters, st.integers(1, 80), st.integers(1, 12))
def test_any_cluster_against_processes_dealt_one_by_one(cluster, processes, per_node):
    hands = dealt(processes, per_node, cluster.nodes)
    assert node_loads(processes, per_node, cluster) == [len(hand) for hand in hands]
    assert largest_load(processes, per_node, cluster) == max(map(len, hands))
    found = places(processes, per_node, cluster)
    assert [place.process for place in found] == list(range(processes))
    for node, hand in enumerate(hands):
        mine = [place for place in found if place.node == node]
        assert [place.process for place in mine] == hand
        used = [p for place in mine for p in range(place.first, place.last + 1)]
        assert all(0 <= processor < cluster.processors for processor in used)
        if len(hand) * cluster.threads <= cluster.processors:
            assert len(set(used)) == len(used) == len(hand) * cluster.threads
        else:
            assert all(len(used) == len(hand) * cluster.processors for _ in mine)


def test_ideal_loading_as_the_report_lists_it():
    lists = {
        1: [*range(1, 9), 12, 16, 20, 24],
        2: [*range(1, 9), 16, 24],
        3: [12, 24],
        4: [16, 32],
    }
    for per_node, numbers in lists.items():
        most = 25 if per_node < 4 else 33
        printed = [n for n in range(1, most) if is_ideal_as_printed(n, per_node, titan)]
        assert printed == numbers
        few = [1, 2] if per_node > 2 else []
        assert ideal_numbers(per_node, titan, most - 1) == few + numbers


@given(clusters, st.integers(1, 80), st.integers(1, 12))
def test_ideal_loading_wastes_nothing_of_what_could_be_used(cluster, processes, per_node):
    """By the dealt processes: no node is slower than processes on processors of their own."""
    hands = dealt(processes, per_node, cluster.nodes)
    load = max(Fraction(len(hand) * cluster.threads, cluster.processors) for hand in hands)
    whole = Fraction(processes * cluster.threads, cluster.nodes * cluster.processors)
    assert is_ideal(processes, per_node, cluster) == (max(load, 1) == max(whole, 1))


def test_where_groups_do_not_fit_a_node_the_printed_condition_is_wrong():
    cluster = Cluster(2, 4)
    assert is_ideal_as_printed(8, 3, cluster) and not is_ideal(8, 3, cluster)
    assert node_loads(8, 3, cluster) == [5, 3]


def test_fractions_and_overhead():
    time = amdahl(100.0, 8, 0.9, overhead=4.0)
    assert time == pytest.approx(4.0 + 10.0 + 90.0 / 8.0)
    assert parallel_fraction(100.0, time, 8, 4.0) == pytest.approx(0.9)
    assert effective_fraction(100.0, time, 8) < 0.9
    assert effective_fraction(100.0, amdahl(100.0, 8, 0.9), 8) == pytest.approx(0.9)
    assert efficiency(100.0, 20.0, 16) == pytest.approx(100.0 / 320.0)
    assert efficiency(100.0, 20.0, 16, titan) == pytest.approx(100.0 / 160.0)


def test_threads_take_processors():
    cluster = Cluster(4, 8, threads=4)
    assert [alpha(n, 1, cluster) for n in (4, 8, 12)] == [1.0, 1.0, 1.5]
    assert [p.first for p in places(8, 2, cluster)] == [0, 4] * 4
    assert alpha(1, 1, Cluster(1, 2, threads=4)) == 2.0


@pytest.mark.parametrize("call", [lambda: largest_load(0, 1, titan), lambda: alpha(1, 0, titan)])
def test_impossible_placements_are_refused(call):
    with pytest.raises(UserError, match="must be 1 or more"):
        call()


def test_impossible_clusters_and_fractions_are_refused():
    with pytest.raises(UserError, match="0 nodes"):
        Cluster(0, 2)
    with pytest.raises(UserError, match="One process"):
        effective_fraction(1.0, 1.0, 1)
    with pytest.raises(UserError, match="2 different names of nodes for 3"):
        host_names(3, ["a", "b", "a"])


def timings(law, cluster, counts, per_node=1):
    alone = Timing(1, per_node, 100.0)
    return [alone] + [
        Timing(n, per_node, predicted(100.0, n, law(n), per_node, cluster)) for n in counts
    ]


def test_a_law_that_made_the_times_is_found_and_predicts_them():
    constant = fit(timings(lambda n: 0.93, titan, range(2, 17)), titan)
    assert constant.factors == pytest.approx({"level": 0.93})
    assert constant.largest_error < 1e-9
    rising = fit(timings(lambda n: 0.99 - 0.3 / n, titan, range(2, 17)), titan)
    assert rising.factors == pytest.approx({"level": 0.99, "rise": -0.3})
    assert rising.predict(100.0, 12, 1) == pytest.approx(predicted(100.0, 12, 0.965, 1, titan))
    free = fit(timings(lambda n: 0.9 + 0.05 * (n <= 4), titan, range(2, 17)), titan)
    assert free.factors == pytest.approx({"level": 0.9, "bonus": 0.05})


def test_what_is_left_out_of_the_reports_times_is_predicted():
    """Every time of Table 4.1 from the others: half within 4 %, all within 10 %."""
    law = fit([Timing(line.processes, 1, line.mean) for line in table], titan)
    assert set(law.factors) == {"level", "rise", "bonus"}, "T02a: p_e rises; W-22: free processors"
    assert law.factors["rise"] < 0.0 < law.factors["bonus"]
    assert law.typical_error < 0.04 and law.largest_error < 0.1
    assert "median 3.5 %, largest 8.1 %" in law.words


def test_times_that_cannot_be_fitted_are_refused():
    with pytest.raises(UserError, match="no time of one process"):
        first_time([Timing(2, 1, 1.0)])
    with pytest.raises(UserError, match="fewer than two"):
        fit([Timing(1, 1, 1.0), Timing(2, 1, 0.6)], titan)
    assert math.isclose(first_time([Timing(1, 1, 1.0), Timing(1, 2, 2.0)]), 1.5)


def test_files_of_launchers_place_processes_as_the_model_does(tmp_path):
    hosts = host_names(4, ["a", "b", "c", "d"])
    written = write_files(tmp_path / "here", 11, 2, titan, hosts)
    assert [path.name for path in written] == ["hostfile", "rankfile", "slurm_hosts"]
    lines = written[1].read_text().splitlines()
    assert len(lines) == 11
    by_rank = [line.partition("=")[2].partition(" ")[0] for line in lines]
    assert [by_rank.count(host) for host in hosts] == node_loads(11, 2, titan)
    assert written[2].read_text().split() == by_rank
    assert by_rank == [hosts[place.node] for place in places(11, 2, titan)]
    assert host_file(11, 2, titan, hosts).split()[1::2] == [
        f"slots={load}" for load in node_loads(11, 2, titan)
    ]
    assert "rank 8=a slot=0-1" in rank_file(11, 2, titan, hosts)
    assert "rank 6=d slot=0\n" in rank_file(8, 2, titan, hosts)
    assert arbitrary_hosts(2, 1, titan, hosts) == "a\nb\n"
    assert f"--map-by rankfile:file={tmp_path}/rankfile" in open_mpi_words(11, str(tmp_path))
    assert slurm_words(4, 1, Cluster(4, 8, threads=4)) == (
        "srun -N 4 -n 4 -c 4 -m plane=1 --cpu-bind=cores"
    )
