"""`halocline lab sites`: paths, rounds, windows, the fit. Two programs, started here."""

import argparse
import json
import queue
import random
import socket
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

import pytest

from halocline.core.errors import UserError
from halocline.experiment.schedule import ExchangeEnds, make_schedule
from halocline.link.clocks import compare_clocks
from halocline_lab.scaling.split_search import Search
from halocline_lab.scaling.split_timeline import MemberTurns
from halocline_lab.sites import field_exchange, namespaces, paper_cases, site_words, sites, what_if
from halocline_lab.sites.field_exchange import ExchangeTimes
from halocline_lab.sites.packet_path import PacketPath
from halocline_lab.sites.path_fit import bandwidth_of_exchanges, fit_path
from halocline_lab.sites.rounds import counted_rounds
from halocline_lab.sites.shaper import NetworkPath, Passed, Shaper
from halocline_lab.sites.site_cases import SiteCase, case_result, floors
from halocline_lab.sites.site_split import Crossing, _seats, site_divisions
from halocline_lab.sites.slow_start import WindowPath, transfer, transfers
from halocline_lab.sites.two_sides import PairResult, PairSettings, make_credentials, run_pair

segment = 1448
no_namespaces = namespaces.why_not()


@pytest.fixture(scope="module")
def credentials(tmp_path_factory):
    return make_credentials(tmp_path_factory.mktemp("sites"))


# --- by hand --------------------------------------------------------------------------------------


def test_the_floor_is_that_of_the_paper():
    """Two winds of 161 x 161 and 4 bytes: 1.659 Mbit, 16.6 ms at 100 Mbit/s; the way is 15 ms."""
    least = floors(NetworkPath(delay=0.015, rate=100e6), trips=False)
    assert least["ocean"] == pytest.approx(4 * (0.015 + 8 * 2 * 161 * 161 * 4 / 100e6))
    assert least["ocean"] == pytest.approx(0.126, abs=5e-4)
    assert least["air"] == pytest.approx(4 * (0.015 + 0.0128))
    trips = floors(NetworkPath(delay=0.015, rate=100e6), trips=True)
    assert trips["ocean"] == pytest.approx(0.186, abs=5e-4)


@pytest.mark.parametrize(
    ("segments", "rounds"), [(1, 1), (10, 1), (11, 2), (30, 2), (31, 3), (70, 3), (71, 4), (150, 4)]
)
def test_rounds_are_those_of_rfc_6928(segments, rounds):
    """Ten segments, then twice as many in each round trip: 10, 30, 70, 150 in all."""
    found = transfer(WindowPath(0.015, 0.0), segments * segment)
    assert found.rounds == rounds
    assert found.seconds == pytest.approx(0.03 * (rounds - 1) + 0.015)
    many = transfer(WindowPath(0.015, 0.0, streams=16), 16 * segments * segment)
    assert many == found


def test_a_line_that_is_full_decides():
    """A megabyte over 100 Mbit/s and no delay worth a window: 80 ms, however windows grow."""
    found = transfer(WindowPath(1e-5, 100e6), 1_000_000)
    assert found.seconds == pytest.approx(0.08, rel=1e-3)
    filled = transfer(WindowPath(0.015, 100e6, streams=40), 1_000_000)
    assert filled.rounds == 1 and filled.seconds == pytest.approx(0.08 + 0.015)
    assert transfer(WindowPath(0.015, 100e6), 1_000_000).seconds > 0.08 + 0.015 + 2 * 0.03


def test_tuned_windows_hold_what_they_held():
    path = WindowPath(0.015, 100e6)
    assert [one.rounds for one in transfers(path, 143 * segment, 3)] == [4, 4, 4]
    tuned = WindowPath(0.015, 100e6, restarts=False)
    assert [one.rounds for one in transfers(tuned, 143 * segment, 3)] == [4, 1, 1]


def test_the_papers_bandwidth_follows_from_its_numbers():
    assert bandwidth_of_exchanges(4 * 2 * 161**2 * 8, 0.34, 4, 0.015) / 1e6 == pytest.approx(
        60.3, abs=0.05
    )


def test_the_model_orders_the_papers_cases_as_they_were():
    """Tuned serial is fastest; untuned serial within 5 % of what was published."""
    found = {one.name: one for one in paper_cases.paper_cases()}
    assert found["serial untuned"].model == pytest.approx(1.15, rel=0.05)
    assert found["serial tuned"].model < found["parallel tuned"].model
    assert found["parallel tuned"].model == pytest.approx(0.51, rel=0.1)


def test_a_fit_finds_a_noisy_path_within_its_bounds():
    """30 ms and 40 Mbit/s of a path that is drawn, with delays that only add up to 2 ms."""
    noise = random.Random(7)
    timed = [
        (size, 0.06 + 8 * size / 40e6 + noise.uniform(0, 2e-3))
        for size in (8000, 64_000, 256_000, 512_000, 1_000_000)
        for _ in range(6)
    ]
    fit = fit_path(timed)
    assert fit.latency == pytest.approx(0.0305, abs=4e-4)
    assert fit.bandwidth == pytest.approx(40e6, rel=0.01)
    assert fit.bandwidth_bounds[0] < fit.bandwidth < fit.bandwidth_bounds[1]
    assert fit.residual < 2e-3
    with pytest.raises(UserError, match="2 sizes"):
        fit_path(timed[:12])


def test_ten_gigabits_leave_latency_alone():
    cases = [SiteCase("ours", 16, True, True, None), SiteCase("local", 1, True, False, None)]
    (found,) = what_if.projections(cases, NetworkPath(delay=0.015, rate=100e6))
    assert found.at_fast == pytest.approx(4 * (0.015 + 8 * 207_368 / 10e9))
    assert found.latency == pytest.approx(0.989, abs=1e-3)
    assert what_if.messages_in_a_step(0.015) == int(125 * 6 / 64 / 20 / 0.015)


def test_rounds_are_counted_by_connection_and_side():
    """Two connections: three bursts of one, two of the other; words of the link do not count."""
    bursts = {1: (0.0, 0.001, 0.03, 0.06), 2: (0.0, 0.031)}
    passed = [
        Passed(10 + time, 0, connection, 1448)
        for connection, times in bursts.items()
        for time in times
    ]
    passed += [Passed(10.015, 0, 1, 46), Passed(10.045, 1, 1, 1448), Passed(11.0, 0, 1, 1448)]
    passed.sort()
    begins = [ExchangeTimes(10.0, 0, 0, 0, 0), ExchangeTimes(11.0, 0, 0, 0, 0)]
    assert counted_rounds(passed, 0, begins, [0.1, 0.1], 0.015) == [3, 1]
    assert counted_rounds(passed, 0, begins, [0.05, 0.1], 0.015) == [2, 1]
    assert counted_rounds(passed, 1, begins, [0.1, 0.1], 0.015) == [1, 0]


# --- over paths -----------------------------------------------------------------------------------


def test_packets_are_late_and_narrow_and_some_are_lost():
    """Two ends of datagrams in place of devices: no TCP, no namespaces."""
    (near, one), (far, other) = (
        socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)
    )
    one.setblocking(False), other.setblocking(False)
    path = PacketPath((one.detach(), other.detach()), NetworkPath(delay=0.02, rate=8e6), seed=3)
    begun = time.monotonic()
    for number in range(20):
        near.send(bytes([number]) * 1000)
    came = [far.recv(2000)[0] for _ in range(20)]
    seconds = time.monotonic() - begun
    path.close()
    assert came == list(range(20))
    assert 0.04 <= seconds < 1.0  # 20 ms of way, 20 times 1 ms of line

    one, other = (socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2))
    for end in (one[1], other[1]):
        end.setblocking(False)
    path = PacketPath((one[1].detach(), other[1].detach()), NetworkPath(stalls=0.5), seed=3)
    for number in range(100):
        one[0].send(bytes([number]))
    other[0].settimeout(0.5)
    came = []
    with pytest.raises(TimeoutError):
        while True:
            came.append(other[0].recv(10)[0])
    path.close()
    assert len(came) + path.lost == 100
    assert 25 < path.lost < 75
    for some in (near, far, one[0], other[0]):
        some.close()


@pytest.mark.skipif(bool(no_namespaces), reason=no_namespaces)
def test_namespaces_need_no_rights():
    """Without CAP_SYS_ADMIN (21) and CAP_NET_ADMIN (12), as any user is."""
    drop = "import ctypes, os, sys; [ctypes.CDLL(None).prctl(24, one) for one in (21, 12)]; "
    again = "os.execv(sys.executable, [sys.executable, '-P', '-m', sys.argv[1]])"
    done = subprocess.run([sys.executable, "-c", drop + again, namespaces.__name__],
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.stdout.startswith("no network namespaces"):
        pytest.skip("users make no namespaces on this machine")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def pair(credentials, way, streams, *, restarts=True, pause=1.0, **more):
    path = NetworkPath(delay=0.02, rate=100e6, slow_start=True, restart_after_idle=restarts, **more)
    settings = PairSettings(
        path=path, way=way, streams=streams, restarts=restarts, pause=pause, fit=False
    )
    found = run_pair(settings, credentials)
    case = SiteCase("", streams, restarts, True, None)
    return found, case_result(case, path, [found])


@pytest.mark.slow
@pytest.mark.skipif(bool(no_namespaces), reason=no_namespaces)
def test_the_kernels_windows_make_the_rounds_of_the_model(credentials):
    """The kernel's TCP, one stream: 4 rounds untuned, 1 tuned; 16 streams: 1, though untuned."""
    _, untuned = pair(credentials, "namespaces", 1)
    _, tuned = pair(credentials, "namespaces", 1, restarts=False, pause=0.3)
    _, many = pair(credentials, "namespaces", 16)
    assert untuned.rounds["air"] in (3, 4)  # after a second, the window may be 20 segments
    assert untuned.model_rounds["air"] == 4
    assert tuned.rounds == tuned.model_rounds == {"air": 1, "ocean": 1}
    assert many.rounds == many.model_rounds == {"air": 1, "ocean": 1}
    assert tuned.windows["air"] > field_exchange.sizes["air"] / 2
    assert many.windows["air"] == 10 * segment
    for one in (untuned, tuned, many):
        assert one.travel["air"] > 0.9 * (one.rounds["air"] - 0.5) * 4 * 0.04


def test_the_shapers_windows_make_the_rounds_of_the_model(credentials):
    found, one = pair(credentials, "shaper", 1, pause=0.4)
    assert one.rounds == one.model_rounds == {"air": 4, "ocean": 4}
    assert one.travel["air"] > 4 * (3 * 0.04 + 0.02)
    assert len(found.exchanges["air"]) == 5
    for side in ("air", "ocean"):
        assert all(some.transfer > 0.0 for some in found.exchanges[side])


class Words:
    """A link to a clock 5 s ahead, over ways that take (there, back) so long in turn."""

    def __init__(self, ways):
        self.now, self.ways, self.sent = 100.0, ways, []

    def send(self, message):
        self.sent.append(message)
        self.now += self.ways[0][0] if self.ways else 0.0

    def receive(self):
        theirs = self.now + 5.0
        self.now += self.ways.pop(0)[1]
        return struct.pack(">d", theirs)


def test_clocks_are_compared_by_the_shortest_round_trip():
    """The one of 20 ms has even ways; by the others the clock would be 5.02 or 4.98 s ahead."""
    link = Words([(0.05, 0.01), (0.01, 0.01), (0.01, 0.05)])
    found = compare_clocks(link, asks=True, clock=lambda: link.now, trips=3)
    assert found.seconds == pytest.approx(-5.0)
    assert found.uncertainty == pytest.approx(0.01)
    # The other side is told, and turns the sign.
    assert struct.unpack(">dd", link.sent[-1]) == pytest.approx((-5.0, 0.01))


class Queues:
    """One end of a link in memory."""

    def __init__(self, mine, theirs):
        self.mine, self.theirs = mine, theirs

    def send(self, message):
        self.theirs.put(bytes(message))

    def receive(self):
        return self.mine.get(timeout=10)


def test_who_comes_early_waits_and_what_is_under_way_is_transfer():
    """The ocean computes 0.15 s longer: so long air waits in each exchange, the ocean not."""
    one, other = queue.Queue(), queue.Queue()
    ends = {"air": (Queues(one, other), 0.01), "ocean": (Queues(other, one), 0.16)}
    small = {"air": 1000, "ocean": 500}
    with ThreadPoolExecutor() as two:
        asked = {
            side: two.submit(
                field_exchange.exchange_fields, link, side, pause=pause, sizes=small, count=2
            )
            for side, (link, pause) in ends.items()
        }
        found = {side: some.result(30)[1] for side, some in asked.items()}
    for early, late in zip(found["air"], found["ocean"], strict=True):
        assert early.wait > 0.1 > early.transfer
        assert late.wait < 0.05
        assert late.travel > 0.1  # it lay there
    assert field_exchange.from_table(field_exchange.as_table(found["air"])) == found["air"]


def ran(seconds):
    """A run whose sides wait so long in each exchange."""
    times = [ExchangeTimes(10.0 * n, 0.0, seconds, 0.1, 0.1 + seconds) for n in range(5)]
    sides = {"air": times, "ocean": times}
    return PairResult(sides, {}, {"air": [], "ocean": []}, [], of_bytes=False)


def test_the_fastest_round_counts_or_the_middle_one_where_chance_does():
    runs, case = [ran(some) for some in (0.3, 0.1, 0.2)], SiteCase("", 1, True, True, None)
    sure = case_result(case, NetworkPath(delay=0.01), runs)
    assert sure.spent["air"] == pytest.approx({"send": 0.0, "wait": 0.4, "transfer": 0.4})
    assert case_result(case, NetworkPath(stalls=0.01), runs).spent["air"]["wait"] == (
        pytest.approx(0.8)
    )


def arguments(*words):
    parser = argparse.ArgumentParser()
    sites.add_arguments(parser)
    return parser.parse_args(words)


def test_the_command_tells_all_of_it(tmp_path, capsys):
    """A short path; nothing here judges time."""
    place, picture = tmp_path / "found.json", tmp_path / "found.png"
    words = ["--by", "shaper", "--delay", "3", "--step", "0.05", "--cases", "local", "ours"]
    assert sites.main(arguments(*words, "--json", str(place), "--output", str(picture))) == 0
    told = capsys.readouterr().out
    for word in ("0.08", "0.18", "floor", "rounds", "60.3 Mbit/s", "10 Gbit/s", "measured path"):
        assert word in told
    found = json.loads(place.read_text())
    assert found["floors"]["one way"]["ocean"] == pytest.approx(4 * (0.003 + 0.01659), abs=1e-4)
    assert [row["case"] for row in found["rows"]] == ["local", "ours"]
    assert found["rows"][1]["spent"]["ocean"]["transfer"] > 0.0
    assert found["fit"]["bandwidth"] > 0.0
    assert set(found) <= {*site_words.keys, "pause", "keys", "path"}
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--cases", "fast"), r"--cases 'fast' is none of"),
        (("--pairs", "6+2"), r"--pairs '6\+2'"),
        (("--loss", "70"), r"--loss 70"),
        (("--streams", "0"), r"--streams 0"),
        (("--delay", "-1"), r"--delay -1"),
    ],
)
def test_what_makes_no_sense_is_refused(words, told):
    with pytest.raises(UserError, match=told):
        sites.main(arguments(*words))


# --- a case at two sites --------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """Members a, b, c that take 0.6, 0.6 and 0.1 s a step over their ranks; exchanges take none."""

    def step(self, member, ranks):
        return {"a": 0.6, "b": 0.6, "c": 0.1}[member] / ranks

    def gives(self, exchange, ranks):
        return 0.0

    takes = gives

    def rest(self):
        return 0.0


def search(late=False):
    steps = dict.fromkeys("abc", timedelta(hours=1))
    links = [ExchangeEnds("ab", "a", "b", True), ExchangeEnds("bc", "b", "c", True)]
    turns = MemberTurns(make_schedule(steps, None, links), frozenset({"ab"} if late else ()), 1)
    return Search(turns, Known(), list("abc"))


def crossing(name, size=1_000_000, **more):
    return Crossing(name, name[0], name[1], size, 0.0, False, **more)


def test_the_best_two_sites_are_those_of_least_work_and_least_way():
    """a alone, b and c in sequence: 0.7 s, and the way of a's fields; c apart would be 1.2 s.

    The way: 1 MB over 16 streams and 100 Mbit/s is 80 ms and 15 ms of delay, and a round of
    windows that do not fill the path less what the line takes of it: 30 - 18.5 ms.
    """
    way = WindowPath(0.015, 100e6, 16)
    first = 16 * 14480 * 8 / 100e6
    assert transfer(way, 1_000_000).seconds == pytest.approx(0.08 + 0.015 + 0.03 - first)
    found = site_divisions(search(), [crossing("ab"), crossing("bc")], way, 1, 1)
    best = found[0]
    assert {best.here.words, best.there.words} == {"a: 1", "b, c: 1"}
    assert best.crossing == ("ab",)
    # Both give at the end of the interval: a was ready at 0.6, what it gives is there at 0.7065.
    assert best.seconds == pytest.approx(max(0.7, 0.6 + transfer(way, 1_000_000).seconds))
    hidden = site_divisions(search(late=True), [crossing("ab"), crossing("bc")], way, 1, 1)
    assert hidden[0].seconds == pytest.approx(0.7)


def test_nests_and_links_of_two_ranks_are_not_proposed():
    way = WindowPath(0.015, 100e6, 16)
    nest = [crossing("ab", why_not="a nest"), crossing("bc")]
    found = site_divisions(search(), nest, way, 2, 2)
    assert {one.crossing for one in found} == {("bc",)}
    # One rank has the link: who exchanges across shares it, others need not.
    seats = [one.crews for one in _seats(search(), "ac", 2, {"a", "c"})]
    assert seats == [(("a", "c"),)]
    assert len(list(_seats(search(), "ac", 2, {"a"}))) == 2
    # Where b exchanges with both, a and c share ranks: the link has one rank at each site.
    both = site_divisions(search(), [crossing("ab"), crossing("bc")], way, 2, 2)
    apart = [one for one in both if one.crossing == ("ab", "bc")]
    assert apart and all("a, c" in one.here.words + one.there.words for one in apart)


# --- another site ---------------------------------------------------------------------------------


def test_two_people_measure_their_path(credentials, tmp_path, capsys):
    """Both commands at once, over a path of 10 ms each way; each has its own side of it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Shaper(port, NetworkPath(delay=0.01, rate=50e6)) as shaper:

        def at(name, other, *way):
            words = [*way, "--credentials", str(credentials / name), "--site", name, "--other"]
            words += [other, "--step", "0.01", "--streams", "2", "--pairs", "1x1"]
            return sites.main(arguments(*words, "--json", str(tmp_path / name)))

        with ThreadPoolExecutor() as two:
            one = two.submit(at, "air", "ocean", "--listen", f"127.0.0.1:{port}")
            other = two.submit(at, "ocean", "air", "--connect", f"127.0.0.1:{shaper.port}")
            assert one.result(60) == other.result(60) == 0
    for name in ("air", "ocean"):
        found = json.loads((tmp_path / name).read_text())
        assert found["side"] == name
        assert [row["streams"] for row in found["rows"]] == [1, 2]
        assert found["fit"]["latency"] > 0.009
        assert found["fit"]["bandwidth"] < 55e6
        for one in found["rows"][0]["exchanges"]:
            assert one["travel"] > 0.01
    assert "the paper's best: 0.34" in capsys.readouterr().out


def test_a_meeting_needs_names(credentials):
    with pytest.raises(UserError, match=r"--site NAME and --other NAME"):
        sites.main(arguments("--connect", "127.0.0.1:7000"))
    with pytest.raises(UserError, match=r"--listen needs a port"):
        sites.main(arguments("--listen", "127.0.0.1:0", "--site", "air", "--other", "ocean"))
