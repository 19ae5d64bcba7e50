"""The replay against closed forms: LogGP, trees, noise, shared processors, and its own records."""

import math

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import anybody, nobody
from halocline_lab.prediction import program_patterns as patterns
from halocline_lab.prediction.platform_model import NoiseModel, Platform, Protocol, ideal
from halocline_lab.prediction.programs import ProgramBuilder
from halocline_lab.prediction.recorded_program import program_of_record
from halocline_lab.prediction.replay import ideal_seconds, placed, replay

latency, overhead, rate = 5e-6, 1e-6, 1e9
network = Protocol(
    latency=latency, send_overhead=overhead, receive_overhead=overhead, bandwidth=rate
)
plain = Platform("plain", between=(network,))
hop = 2 * overhead + latency
everywhere = ("barrier", "broadcast", "reduce", "all reduce", "gather", "scatter", "all gather")


def ping_pong(size, rounds, platform=plain):
    build = ProgramBuilder(2)
    build.message("send", 1, size, [0])
    build.message("receive", 0, size, [1])
    build.message("send", 0, size, [1])
    build.message("receive", 1, size, [0])
    return replay(build.program(rounds), platform)


@pytest.mark.parametrize("size", [0, 8, 100_000])
def test_ping_pong_takes_what_loggp_says(size):
    assert ping_pong(size, 7).seconds == pytest.approx(7 * 2 * (hop + size / rate), rel=1e-12)


def test_the_handshake_of_a_rendezvous_is_paid_once_per_message():
    large = Protocol(latency, overhead, overhead, bandwidth=rate, handshake=2 * latency)
    small = Protocol(latency, overhead, overhead, bandwidth=rate, up_to=1000)
    platform = Platform(between=(small, large))
    assert ping_pong(1000, 1, platform).seconds == pytest.approx(2 * (hop + 1e-6))
    assert ping_pong(1001, 1, platform).seconds == pytest.approx(2 * (hop + 2 * latency + 1.001e-6))


def test_a_rendezvous_begins_when_both_sides_have_come():
    late = 3e-3
    build = ProgramBuilder(2)
    build.message("send", 1, 1000, [0])
    build.add("compute", [1], seconds=late)
    build.message("receive", 0, 1000, [1])
    large = Protocol(latency, overhead, overhead, bandwidth=rate, handshake=2 * latency)
    found = replay(build.program(), Platform(between=(large,)))
    assert found.end[0] == pytest.approx(late + 2 * latency + 1e-6)
    assert found.end[1] == pytest.approx(late + 3 * latency + 1e-6 + overhead)
    assert found.waiting[0] == pytest.approx(found.end[0] - overhead)


@pytest.mark.parametrize("progress, seconds", [("always", 1.0), ("both", 1.0 + 0.1)])
def test_large_messages_may_move_in_calls_only(progress, seconds):
    """100 MB at 1 GB/s beside a computation of 1 s: hidden, or after it."""
    build = ProgramBuilder(2)
    build.message("start receive", 0, 10**8, [1], request=1)
    build.message("start send", 1, 10**8, [0], request=1)
    build.add("compute", seconds=1.0)
    build.wait()
    protocol = Protocol(bandwidth=rate, handshake=0.0)
    platform = Platform(between=(protocol,), progress=progress)
    assert replay(build.program(), platform).seconds == pytest.approx(seconds)


@pytest.mark.parametrize("ranks", [2, 3, 8, 13, 64])
def test_a_broadcast_is_a_binomial_tree(ranks):
    found = replay(patterns.collective(ranks, "broadcast", seconds=0.0), plain)
    # A member's depth in the tree is the number of ones of its place.
    depth = math.floor(math.log2(ranks)) if ranks & (ranks - 1) else int(math.log2(ranks))
    most = max(bin(rank).count("1") for rank in range(ranks))
    least = most * (hop + 8 / rate)
    assert least <= found.seconds + 1e-15
    assert found.seconds <= least + (depth + 1) * overhead
    if ranks & (ranks - 1) == 0:
        assert found.seconds == pytest.approx(depth * (hop + 8 / rate))


@pytest.mark.parametrize("ranks, rounds", [(2, 1), (8, 3), (64, 6), (5, 2), (12, 3)])
def test_a_small_all_reduce_doubles_recursively(ranks, rounds):
    """Beyond a power of two, a round before and one after, which overlap others in part."""
    found = replay(patterns.collective(ranks, "all reduce", seconds=0.0), plain)
    each = hop + 8 / rate
    if ranks & (ranks - 1) == 0:
        assert found.seconds == pytest.approx(rounds * each)
    else:
        assert (rounds + 1) * each * 0.999 < found.seconds < (rounds + 2) * each


@pytest.mark.parametrize("ranks", [4, 16])
def test_a_large_all_reduce_moves_each_byte_twice(ranks):
    """Rabenseifner: 2 log p latencies, 2 (p - 1) / p of the vector, and as much arithmetic."""
    size, arithmetic = 2**20, 4e9
    platform = Platform(between=(network,), reduction=arithmetic)
    found = replay(patterns.collective(ranks, "all reduce", size=size, seconds=0.0), platform)
    share = (ranks - 1) / ranks * size
    closed = 2 * math.log2(ranks) * hop + 2 * share / rate + share / arithmetic
    assert found.seconds == pytest.approx(closed)


def test_a_ring_all_reduce():
    ranks, size = 6, 6000
    platform = Platform(between=(network,), algorithms={"all reduce": [(math.inf, "ring")]})
    found = replay(patterns.collective(ranks, "all reduce", size=size, seconds=0.0), platform)
    assert found.seconds == pytest.approx(2 * (ranks - 1) * (hop + size / ranks / rate))


@pytest.mark.parametrize("ranks", [4, 7])
@pytest.mark.parametrize("how", ["pairwise", "linear", "bruck"])
def test_all_to_all(ranks, how):
    size = 10_000
    platform = Platform(between=(network,), algorithms={"all to all": [(math.inf, how)]})
    found = replay(patterns.collective(ranks, "all to all", size=size, seconds=0.0), platform)
    others = ranks - 1
    if how == "pairwise":
        closed = others * (hop + size / rate)
    elif how == "linear":
        closed = overhead + latency + others * size / rate + overhead
    else:
        blocks = [sum(bool(i & 2**r) for i in range(ranks)) for r in range(ranks.bit_length())]
        closed = sum(hop + b * size / rate for b in blocks if b)
    assert found.seconds == pytest.approx(closed, rel=1e-3 if how == "linear" else 1e-9)


@pytest.mark.parametrize("gap, size", [(5e-6, 100), (1e-6, 5000)])
@pytest.mark.parametrize("one", ["sender", "receiver"])
def test_the_next_message_leaves_after_the_gap_or_the_wire_the_longer(gap, size, one):
    """LogGP: k messages take (k - 1) max(g, n G) more than one, where they leave and arrive."""
    count = 4
    others = np.arange(1, count + 1)
    build = ProgramBuilder(count + 1)
    if one == "sender":
        for other in others:
            build.message("start send", other, size, [0], request=int(other))
        build.message("receive", 0, size, others)
    else:
        build.message("send", 0, size, others)
        for other in others:
            build.message("start receive", other, size, [0], request=int(other))
    build.wait([0])
    wire = size / rate
    platform = Platform(between=(Protocol(latency, gap=gap, bandwidth=rate),))
    closed = (count - 1) * max(gap, wire) + latency + wire
    assert replay(build.program(), platform).seconds == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize("gap, size", [(5e-6, 100), (1e-6, 5000)])
def test_the_adapter_of_a_node_has_a_gap_too(gap, size):
    count = 4
    platform = Platform(
        between=(Protocol(latency, bandwidth=rate),),
        inside=(Protocol(),),
        processors=count,
        adapter=rate,
        adapter_gap=gap,
    )
    build = ProgramBuilder(2 * count)
    build.message("send", np.arange(count, 2 * count), size, np.arange(count))
    build.message("receive", np.arange(count), size, np.arange(count, 2 * count))
    closed = (count - 1) * max(gap, size / rate) + latency + size / rate
    assert replay(build.program(), platform).seconds == pytest.approx(closed, rel=1e-9)


@pytest.mark.parametrize("ranks", [2, 5, 6, 7, 8, 12])
def test_all_gather_of_bruck(ranks):
    """Round r passes on the 2^r blocks that a rank has, the last one only those still missing."""
    size = 10_000
    platform = Platform(between=(network,), algorithms={"all gather": [(math.inf, "bruck")]})
    found = replay(patterns.collective(ranks, "all gather", size=size, seconds=0.0), platform)
    rounds = math.ceil(math.log2(ranks))
    # Whatever the rounds, each rank gets the blocks of all others once.
    closed = rounds * hop + (ranks - 1) * size / rate
    assert found.seconds == pytest.approx(closed)


handshake = 7e-6
large = Protocol(latency, overhead, overhead, bandwidth=rate, handshake=handshake)


@pytest.mark.parametrize(
    "which, how, rounds",
    [
        ("barrier", "dissemination", 3),
        ("broadcast", "binomial", 3),
        ("reduce", "binomial", 3),
        ("all reduce", "recursive doubling", 3),
        ("all gather", "recursive doubling", 3),
        ("all gather", "ring", 7),
        ("all to all", "pairwise", 7),
        ("scan", "recursive doubling", 3),
    ],
)
def test_messages_of_collectives_pay_their_handshake(which, how, rounds):
    """Every round of a collective of 8 ranks is a rendezvous more on its longest way."""
    program = patterns.collective(8, which, size=8, seconds=0.0)

    def seconds(handshake):
        protocol = Protocol(latency, overhead, overhead, bandwidth=rate, handshake=handshake)
        algorithms = {which: [(math.inf, how)]}
        return replay(program, Platform(between=(protocol,), algorithms=algorithms)).seconds

    assert seconds(handshake) - seconds(0.0) == pytest.approx(rounds * handshake)


def test_a_collective_rendezvous_waits_for_its_receiver_and_holds_its_sender():
    late, size = 3e-3, 1000
    build = ProgramBuilder(2)
    build.add("compute", [1], seconds=late)
    build.collective("broadcast", size)
    found = replay(build.program(), Platform(between=(large,)))
    assert found.end[0] == pytest.approx(late + handshake + size / rate)
    assert found.end[1] == pytest.approx(late + handshake + size / rate + latency + overhead)
    eager = replay(build.program(), plain)
    assert eager.end[0] == pytest.approx(overhead)


def test_extrapolated_rounds_equal_simulated_ones():
    """Very many ranks simulate some rounds of a ring and extrapolate the others."""
    ranks, size = 6000, 8 * 6000
    platform = Platform(between=(network,), algorithms={"all reduce": [(math.inf, "ring")]})
    found = replay(patterns.collective(ranks, "all reduce", size=size, seconds=0.0), platform)
    assert found.seconds == pytest.approx(2 * (ranks - 1) * (hop + 8 / rate), rel=1e-9)


@pytest.mark.parametrize("dimensions, ranks", [(1, 5), (2, 16), (3, 27)])
def test_a_halo_fills_the_wire(dimensions, ranks):
    """Messages of a rank leave one after the other: 2 d sizes over the bandwidth, one latency."""
    size = 10_000
    found = replay(
        patterns.halo(ranks, size=size, seconds=1e-3, dimensions=dimensions, steps=4), plain
    )
    messages = 2 * dimensions
    closed = 1e-3 + overhead + messages * size / rate + latency + overhead
    assert found.step_seconds == pytest.approx(closed)


def test_ranks_of_a_node_share_its_adapter():
    sizes = 10**6
    one = Platform(between=(network,), processors=1, adapter=rate)
    four = Platform(between=(network,), inside=(Protocol(),), processors=4, adapter=rate)
    build = ProgramBuilder(8)
    build.message("send", np.arange(4, 8), sizes, np.arange(4))
    build.message("receive", np.arange(4), sizes, np.arange(4, 8))
    program = build.program()
    assert replay(program, one).seconds == pytest.approx(hop + 1e-3)
    assert replay(program, four).seconds == pytest.approx(hop + 4e-3)


def test_messages_inside_a_node_have_their_own_costs():
    platform = Platform(between=(network,), inside=(Protocol(latency=1e-7),), processors=2)
    assert ping_pong(0, 5, platform).seconds == pytest.approx(5 * 2 * 1e-7)
    apart = replay(patterns.collective(2, "barrier", seconds=0.0), platform, per_node=1)
    assert apart.seconds == pytest.approx(hop)


def bisection(wiring, nodes=64, size=10**6):
    """Every rank sends to the one half the machine away."""
    half = np.roll(np.arange(nodes), nodes // 2)
    build = ProgramBuilder(nodes)
    build.message("start receive", half, size, request=1)
    build.message("start send", half, size, request=2)
    build.wait()
    return replay(build.program(), wiring).seconds


def test_a_torus_has_less_bisection_than_a_crossbar():
    """P-29: per node, n^(2/3) / n; halfway round a ring of 4, two messages share each link."""
    crossbar = Platform(between=(network,), link=rate)
    torus = Platform(between=(network,), wiring="torus", link=rate, shape=(4, 4, 4))
    assert bisection(crossbar) == pytest.approx(1e-3, rel=0.01)
    assert bisection(torus) == pytest.approx(2e-3, rel=0.02)
    wider = Platform(between=(network,), wiring="torus", link=rate, shape=(4, 4, 16))
    assert bisection(wider, 256) == pytest.approx(8e-3, rel=0.02)


def test_a_tapered_tree_slows_what_leaves_a_switch():
    full = Platform(between=(network,), wiring="fat tree", leaf_nodes=8, link=rate)
    tapered = Platform(between=(network,), wiring="fat tree", leaf_nodes=8, taper=2.0, link=rate)
    assert bisection(full) == pytest.approx(1e-3, rel=0.02)
    assert bisection(tapered) == pytest.approx(2e-3, rel=0.02)


def test_delays_of_many_ranks_cost_the_largest_of_them():
    """Each step waits for the largest of n exponential delays: mean times the harmonic number."""
    ranks, steps, mean = 64, 4000, 1e-4
    platform = Platform(noise=NoiseModel("delay", duration=mean))
    program = patterns.collective(ranks, "barrier", seconds=1e-3, steps=steps)
    harmonic = sum(1 / n for n in range(1, ranks + 1))
    found = replay(program, platform)
    assert found.seconds / steps == pytest.approx(1e-3 + mean * harmonic, rel=0.01)
    alone = replay(patterns.collective(1, "barrier", seconds=1e-3, steps=steps), platform)
    assert alone.seconds / steps == pytest.approx(1e-3 + mean, rel=0.02)


def test_random_interruptions_cost_their_share():
    noise = NoiseModel("random", period=1e-2, duration=1e-3)
    program = patterns.collective(1, "barrier", seconds=1e-3, steps=20_000)
    assert replay(program, Platform(noise=noise)).seconds == pytest.approx(20.0 * 1.1, rel=0.03)


def test_interruptions_at_the_same_moment_cost_less():
    """P-23: where all are interrupted together, the others do not wait for one after the other."""
    program = patterns.collective(256, "barrier", seconds=1e-3, steps=500)
    noise = {"kind": "periodic", "period": 1e-2, "duration": 5e-4}
    together = replay(program, Platform(noise=NoiseModel(**noise, together=True)))
    apart = replay(program, Platform(noise=NoiseModel(**noise)))
    assert together.seconds == pytest.approx(0.5 / 0.95, rel=0.01)
    # Of 256 ranks one at least is interrupted in every step.
    assert apart.seconds == pytest.approx(500 * 1.5e-3, rel=0.01)


@pytest.mark.parametrize("ranks, processors, factor", [(4, 2, 2.0), (3, 2, 1.5), (2, 2, 1.0)])
def test_too_many_ranks_share_the_processors(ranks, processors, factor):
    """The load of a processor of Tolman (2003): n / M."""
    platform = Platform(processors=processors, nodes=1)
    found = replay(patterns.collective(ranks, "barrier", seconds=1.0), platform)
    assert found.seconds == pytest.approx(factor)


def test_who_waits_leaves_the_processor_to_others():
    """Works of 1, 1, 4 and 4 s on two processors: all share until 4 s, then two have one each."""
    build = ProgramBuilder(4)
    build.add("compute", seconds=[1.0, 1.0, 4.0, 4.0])
    build.collective("barrier")
    lazy = replay(build.program(), Platform(processors=2, nodes=1))
    assert lazy.seconds == pytest.approx(2.0 + 3.0)
    eager = replay(build.program(), Platform(processors=2, nodes=1, watching=1.0))
    assert eager.seconds == pytest.approx(2.0 + 6.0)


@pytest.mark.parametrize(
    "which, how, receipts",
    [
        ("barrier", "dissemination", 3),
        ("broadcast", "binomial", 3),
        ("all reduce", "ring", 14),
        ("all to all", "pairwise", 7),
        ("all to all", "linear", 1),
    ],
)
def test_ranks_of_a_crowded_node_wake_late_for_every_receipt(which, how, receipts):
    """8 ranks on one processor; on 8 of them nobody sleeps. All at once wakes a rank once."""
    program = patterns.collective(8, which, size=8, seconds=0.0)

    def seconds(wake, processors):
        platform = Platform(
            inside=(network,),
            processors=processors,
            nodes=1,
            wake=wake,
            algorithms={which: [(math.inf, how)]},
        )
        return replay(program, platform).seconds

    assert seconds(9e-6, 1) - seconds(0.0, 1) == pytest.approx(receipts * 9e-6)
    assert seconds(9e-6, 8) == seconds(0.0, 8)


def test_receives_get_messages_in_order_by_tag():
    build = ProgramBuilder(2)
    for tag, size in ((1, 10), (2, 10**6), (1, 20)):
        build.message("start send", 1, size, [0], tag=tag, request=tag + size)
    build.wait([0])
    for tag in (1, 1, 2):
        build.message("receive", 0, 0, [1], tag=tag)
    found = replay(build.program(), plain, record=True).record()
    received = found.of_rank(1)
    ends = received["end"][found.kinds_of(received["region"]) == "receive"]
    assert (np.diff(ends) > 0).all() or ends[0] < ends[2]
    assert ends[0] < 20_000 < ends[1]


def test_a_receive_of_anybody_gets_what_comes_first():
    build = ProgramBuilder(3)
    build.add("compute", [1, 2], seconds=[2e-3, 1e-3])
    build.message("send", 0, 8, [1, 2])
    build.message("receive", anybody, 8, [0])
    build.add("compute", [0], seconds=0.5e-3)
    build.message("receive", anybody, 8, [0])
    assert replay(build.program(), ideal).end[0] == pytest.approx(2e-3)


def test_a_deadlock_is_named():
    build = ProgramBuilder(3)
    build.message("receive", [1, 2, 0], 8, tag=5)
    with pytest.raises(UserError, match=r"Deadlock: rank 0 in a receive from rank 1 \(tag 5"):
        replay(build.program(), ideal)


def test_sends_to_each_other_deadlock_where_they_are_not_eager():
    build = ProgramBuilder(2)
    build.message("send", [1, 0], 1000)
    build.message("receive", [1, 0], 1000)
    assert replay(build.program(), ideal).seconds == 0.0
    with pytest.raises(UserError, match="rank 0 in a send to rank 1"):
        replay(build.program(), Platform(between=(Protocol(handshake=0.0),)))


def test_collectives_must_agree():
    build = ProgramBuilder(2)
    build.collective("barrier", ranks=[0])
    build.collective("all reduce", 8, ranks=[1])
    with pytest.raises(UserError, match="barrier of 2 ranks where rank 1 is in all reduce"):
        replay(build.program(), ideal)


@pytest.mark.parametrize("which", everywhere)
@pytest.mark.parametrize("ranks", [1, 2, 7, 16])
def test_collectives_cost_nothing_on_an_ideal_network(which, ranks):
    found = replay(patterns.collective(ranks, which, seconds=1.0, imbalance=0.2), ideal)
    assert found.seconds == pytest.approx(1.2 if ranks > 1 else 1.0)


def make_patterns(ranks):
    yield patterns.halo(ranks, imbalance=0.1, steps=2)
    yield patterns.solver(ranks, imbalance=0.1, steps=2)
    yield patterns.wavefront(ranks, steps=2)
    yield patterns.all_to_one(ranks, imbalance=0.1, steps=2)
    yield patterns.one_to_all(ranks, steps=2)
    yield patterns.frames(ranks, servers=1, frame=1e6, every=3, steps=6)
    yield patterns.frames(ranks, servers=0, frame=1e6, every=3, steps=6)


def served(record):
    return any(region.name == "MPI_Wait" for region in record.regions)


def test_the_record_of_a_replay_replays_to_the_same():
    """Program, times, record, program, times: to the precision of records, 1 ns per event."""
    for program in make_patterns(6):
        one = replay(program, plain, record=True)
        record = one.record()
        again = replay(program_of_record(record), plain)
        events = len(record.events) / record.size
        assert again.seconds == pytest.approx(one.seconds, abs=4e-9 * events), program.regions
        assert again.end == pytest.approx(one.end, abs=4e-9 * events)
        sizes = record.messages["bytes"].sum()
        assert sizes > 0
        starts = np.isin(record.kinds_of(record.events["region"]), ["start send", "start receive"])
        completions = record.kinds_of(record.events["region"]) == "completion"
        frames = "output" in {region.kind for region in record.regions}
        # Nobody waits for the shares of the last frame.
        missing = 5 if frames and served(record) else 0
        assert starts.sum() == completions.sum() + missing


def test_ideal_seconds_are_those_of_the_slowest_rank():
    program = patterns.halo(9, seconds=1e-3, imbalance=0.2, steps=5)
    record = replay(program, plain, record=True).record()
    assert ideal_seconds(record) == pytest.approx(5 * 1.2e-3, rel=1e-6)


def test_the_thread_that_records_most_is_replayed():
    """A writer beside it, and a share of a parallel region, are not what a rank does next."""
    program = patterns.halo(4, seconds=1e-3, imbalance=0.2, steps=5)
    record = replay(program, plain, record=True).record()
    alone = ideal_seconds(record)
    writer = record.events[record.events["rank"] == 0][:3].copy()
    writer["thread"] = 2**15 + 1
    record.events["thread"] = 1
    record.events = np.concatenate([record.events, writer])
    record.events = record.events[np.argsort(record.events["rank"], kind="stable")]
    assert ideal_seconds(record) == pytest.approx(alone)


def test_wavefront_takes_its_diagonal():
    found = replay(patterns.wavefront(12, grid=(3, 4), seconds=1.0), ideal)
    assert found.seconds == pytest.approx(3 + 4 - 1)


def test_servers_write_while_workers_compute():
    keys = {"frame": 1e6, "writing": 1e9, "every": 10, "seconds": 1e-3, "size": 0, "steps": 100}
    served = replay(patterns.frames(5, servers=1, **keys), ideal)
    alone = replay(patterns.frames(4, servers=0, **keys), ideal)
    assert served.step_seconds == pytest.approx(10e-3)
    assert alone.step_seconds == pytest.approx(11e-3)


def test_weather_and_ocean_over_a_wide_area():
    """G-11: 4 exchanges of two fields of 161 x 161, a round trip of 30 ms each."""

    def exchange(item, rate):
        build = ProgramBuilder(2)
        build.message("send", 0, 0, [1])
        build.message("receive", 1, 0, [0])
        build.message("send", 1, 2 * 161**2 * item, [0])
        build.message("receive", 0, 2 * 161**2 * item, [1])
        wide = Platform(between=(Protocol(latency=0.015, bandwidth=rate / 8),))
        return replay(build.program(4), wide).seconds

    assert exchange(8, 60e6) == pytest.approx(0.34, abs=0.005)
    assert exchange(4, 80e6) == pytest.approx(0.20, abs=0.005)


def test_placements():
    platform = Platform(processors=4, nodes=2)
    assert placed(10, platform).tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]
    assert placed(5, platform, per_node=1).tolist() == [0, 1, 0, 1, 0]
    assert placed(3, platform, placement=np.array([1, 1, 0])).tolist() == [1, 1, 0]
    with pytest.raises(UserError, match="names 2 nodes"):
        placed(3, platform, placement=np.array([1, 1]))


def test_a_hundred_thousand_ranks():
    program = patterns.solver(100_000, steps=2)
    found = replay(program, Platform(between=(network,), inside=(network,), processors=64))
    rounds = math.floor(math.log2(100_000)) + 2
    assert found.step_seconds > 2 * rounds * hop
    assert found.step_seconds < 2 * rounds * hop + 1e-4 + 20 * (hop + 1024 / rate)
    assert nobody == -1
