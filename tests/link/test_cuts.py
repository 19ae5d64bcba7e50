"""Cuts, delays, stalls and overtaking on the way: the same messages, in order, each once.

The reference is the list of messages itself. Nothing here may take longer than `both` allows.
"""

import random

import pytest

from halocline.link import frames
from halocline.link.ordering import Inbox, Outbox
from halocline_lab.sites.shaper import NetworkPath, Shaper
from link.sites import both, closed, make_credentials, opened, pair


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_credentials(tmp_path_factory.mktemp("sites"), "east", "west")


def talk(link, own, others, seed):
    """Send and receive in a random order, never waiting for more than was sent; what came."""
    choices = random.Random(seed)
    came, sent = [], 0
    while sent < len(own) or len(came) < len(others):
        if sent < len(own) and (len(came) == sent or choices.random() < 0.5):
            link.send(own[sent])
            sent += 1
        else:
            came.append(bytes(link.receive()))
    return came


def exchange(east, west, choices):
    """Sixty messages each way, from 1 byte to 30 kB."""
    there, back = (
        [choices.randbytes(int(10.0 ** choices.uniform(0, 4.5))) for _ in range(60)]
        for _ in range(2)
    )
    came = both(lambda: talk(east, there, back, 1), lambda: talk(west, back, there, 2))
    assert came == [back, there]


def torn(folder, path, cuts, seed):
    """Talk over a bad path until it has cut at least `cuts` connections."""
    shapers = []

    def through(port):
        shapers.append(Shaper(port, path, seed=seed))
        return shapers[0].port

    east, west = opened(*pair(folder, through=through, streams=4, keep_alive=0.05))
    choices = random.Random(seed)
    while shapers[0].cuts < cuts:
        exchange(east, west, choices)
    closed(east, west)
    shapers[0].close()
    return shapers[0], east.counts, west.counts


bad_path = NetworkPath(delay=0.001, jitter=0.004, rate=1e9, stalls=0.02, stall=0.02, cuts=0.1)


def test_a_hundred_cuts_lose_and_double_nothing(folder):
    shaper, east, west = torn(folder, bad_path, 100, 1)
    assert east.cuts_mended + west.cuts_mended >= 50
    assert east.pieces_resent + west.pieces_resent > 0
    assert shaper.stalls > 0


@pytest.mark.slow
def test_a_thousand_cuts_lose_and_double_nothing(folder):
    torn(folder, bad_path, 1000, 2)


@pytest.mark.parametrize("seed", range(20))
def test_pieces_lost_doubled_and_overtaken_make_the_same_messages(seed):
    """The two ends without a network: a bag of pieces drawn at random, lost, doubled, confirmed."""
    choices = random.Random(seed)
    outbox, inbox = Outbox(), Inbox(1 << 30)
    outbox.limit = 1 << 30
    messages = [choices.randbytes(choices.choice([0, 1, 9000, 70_000])) for _ in range(40)]
    carriers, bag, waiting, came = ["a", "b", "c"], [], list(messages), []
    while len(came) < len(messages):
        event = choices.random()
        if event < 0.3 and waiting:
            outbox.put(waiting.pop(0), 0, 3)
        elif event < 0.6:
            piece = outbox.take(choices.choice(carriers))
            if piece is not None:
                bag.append(piece)
        elif event < 0.8 and bag:
            piece = choices.choice(bag)
            if choices.random() < 0.7:
                bag.remove(piece)
            inbox.accept(piece.number, piece.flags, bytearray(piece.payload))
        elif event < 0.85:
            dead = choices.choice(carriers)
            bag = [piece for piece in bag if piece.carrier != dead or choices.random() < 0.5]
            outbox.give_back(dead)
        else:
            outbox.received(inbox.expected, 1 << 30)
        while inbox.messages:
            came.append(bytes(inbox.take()[1]))
    assert came == messages
    outbox.received(inbox.expected, 1 << 30)
    assert not outbox.kept and outbox.bytes_kept == 0
    assert inbox.doubled > 0


def test_a_sender_waits_for_room_at_the_other_side():
    """No more is sent than the other side has said to have room for, but for a goodbye."""
    outbox = Outbox()
    outbox.limit = 20_000
    outbox.put(bytes(50_000), 0, 1)
    outbox.put(b"end", frames.goodbye, 1)
    assert outbox.take("a") is None
    outbox.received(0, 50_000)
    assert outbox.take("a").payload.nbytes == 50_000
    assert outbox.take("a") is None
    assert outbox.take("a", all_of_them=True).payload == b"end"
