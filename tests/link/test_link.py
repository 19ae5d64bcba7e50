"""Messages of a link come in order and once; errors are one message, and nothing hangs."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from halocline.core.errors import UserError
from halocline.link.connection import Link
from halocline.link.frames import goodbye
from halocline.link.options import LinkOptions
from halocline.link.relay import Relay
from link.sites import both, closed, make_credentials, opened, pair


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_credentials(tmp_path_factory.mktemp("sites"), "east", "west")


@pytest.mark.parametrize("streams", [1, 4])
@pytest.mark.parametrize("compression", ["none", "zlib"])
def test_messages_of_any_size_come_as_they_were(folder, streams, compression):
    east, west = opened(*pair(folder, streams=streams, compression=compression))
    sizes = [0, 1, 7, 1000, 8192, 8193, 300_000, 5_000_000, 0, 3]
    messages = [os.urandom(size) for size in sizes]

    def say(link):
        for message in messages:
            link.send(message)
        return [bytes(link.receive()) for _ in messages]

    assert both(lambda: say(east), lambda: say(west)) == [messages, messages]
    for link in (east, west):
        assert link.counts.messages_sent == link.counts.messages_received == len(sizes)
        assert link.counts.bytes_sent == link.counts.bytes_received == sum(sizes)
        assert link.counts.pieces_resent == link.counts.pieces_doubled == 0
    closed(east, west)


def test_a_reason_reaches_the_other_side_after_the_messages(folder):
    east, west = opened(*pair(folder))
    east.send(b"last words")
    both(lambda: east.close("the ocean blew up"), lambda: None)
    assert west.receive() == b"last words"
    with pytest.raises(UserError, match="'east' has ended the run: the ocean blew up"):
        west.receive()
    with pytest.raises(UserError, match="the ocean blew up"):
        west.send(b"too late")
    west.close()


def test_without_the_other_side_both_stop_after_their_patience(folder):
    east, west = opened(*pair(folder, patience=1.0))
    west._connections.stop()  # as if its process had died: no goodbye
    with pytest.raises(UserError, match=r"'west', could not be reached for 1 s\."):
        east.receive()
    east.close()


def test_two_sites_meet_at_a_relay_which_may_start_again(folder):
    relay = Relay("127.0.0.1:0", ("east", "west"), log=lambda line: None)
    relay.start()

    def link(here, there):
        where = f"127.0.0.1:{relay.port}"
        options = LinkOptions(relay=where, credentials=here, patience=20.0, meet_within=20.0)
        return Link(options, here=here, there=there, folder=folder, log=lambda line: None)

    east, west = opened(link("east", "west"), link("west", "east"))
    east.send(b"before")
    assert west.receive() == b"before"
    port = relay.port
    relay.close()
    west.send(b"between")
    relay = Relay(f"127.0.0.1:{port}", ("east", "west"), log=lambda line: None)
    relay.start()
    assert east.receive() == b"between"
    closed(east, west)
    relay.close()


def test_links_of_two_sites_meet_their_like_at_one_relay(folder):
    """Both of one number, whoever came first."""
    relay = Relay("127.0.0.1:0", ("east", "west"), log=lambda line: None)
    relay.start()

    def link(here, there, number):
        where = f"127.0.0.1:{relay.port}"
        options = LinkOptions(relay=where, credentials=here, streams=2, meet_within=20.0)
        return Link(options.numbered(number), here=here, there=there, number=number, folder=folder)

    ends = {(here, n): link(here, there, n) for here, there in (("east", "west"), ("west", "east"))
            for n in (0, 1)}  # fmt: skip
    order = [("west", 1), ("west", 0), ("east", 0), ("east", 1)]
    with ThreadPoolExecutor() as pool:
        said = []
        for end in order:
            said.append(pool.submit(ends[end].open, f"{end}".encode()))
            time.sleep(0.2)
        assert [some.result() for some in said] == [
            f"{({'east': 'west', 'west': 'east'}[here], n)}".encode() for here, n in order
        ]
    for number in (0, 1):
        closed(ends["east", number], ends["west", number])
    relay.close()


def test_a_small_buffer_carries_much_more_than_it_holds(folder):
    """Who sends waits for room; confirmations make it."""
    east, west = opened(*pair(folder, buffer=1, streams=2))
    message = os.urandom(300_000)

    def send():
        for _ in range(30):
            east.send(message)
            assert east._state.outbox.bytes_kept <= 1 << 20

    def receive():
        for _ in range(30):
            assert west.receive() == message

    both(send, receive)
    closed(east, west)
    kept = [*east._state.outbox.kept.values(), *west._state.outbox.kept.values()]
    assert len(kept) <= 1 and all(
        piece.flags & goodbye for piece in kept
    )  # who leaves last has nobody to confirm it
    assert east.counts.bytes_sent == 9_000_000


def test_one_message_may_be_larger_than_the_buffer(folder):
    east, west = opened(*pair(folder, buffer=1, largest_message=4))
    message = os.urandom(3_500_000)
    east.send(message)
    assert west.receive() == message
    with pytest.raises(UserError, match="too large for the link"):
        east.send(bytes(4 * (1 << 20) + 1))
    closed(east, west)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, "no way to the other site"),
        ({"connect": "a:1", "relay": "b:2"}, "connect and relay"),
        ({"connect": "nowhere"}, "'nowhere' is no address"),
    ],
)
def test_options_that_make_no_link_are_refused(facts, words):
    with pytest.raises(UserError, match=words):
        LinkOptions(**facts)
