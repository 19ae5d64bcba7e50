"""Whoever is not the other site is refused and logged, and the run goes on."""

import io
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from halocline.core.errors import UserError
from halocline.link import frames
from halocline.link.authority import found_authority, issue, revoke
from halocline.link.compression import compress, decompress, prefix
from halocline.link.connection import Link
from halocline.link.connections import handshake_seconds, most_strangers
from halocline.link.frames import FrameError, FrameReader, Greeting, Kind, pack
from halocline.link.options import LinkOptions
from link.sites import both, closed, make_credentials, opened, pair


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = make_credentials(tmp_path_factory.mktemp("sites"), "east", "west", "north")
    facts = {"passphrase": None, "key_passphrase": None}
    issue(root / "authority", "west", root / "expired", days=1e-9, **facts)
    other = found_authority(root / "other-authority", None)
    issue(other, "west", root / "other", days=1, **facts)
    for file in ("authority.pem", "revoked.pem"):  # it knows ours, but is not of ours
        shutil.copy(root / "west" / file, root / "other" / file)
    return root


def tls(folder, own, version=ssl.TLSVersion.TLSv1_3):
    """A context of someone who talks to a link by hand."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(folder / "east" / "authority.pem")
    context.maximum_version = version
    if own:
        context.load_cert_chain(folder / own / "certificate.pem", folder / own / "key.pem")
    return context


def stranger(port, context, words=b""):
    """Connect by hand, say something; all that is answered until the other side closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as raw:
        try:
            with context.wrap_socket(raw) as secure:
                if words:
                    secure.sendall(words)
                answer = b""
                while part := secure.recv(65536):
                    answer += part
                return answer
        except OSError as error:
            return error


def wait_for(what, seconds=20.0):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)


def goes_on(east, west):
    """The run exchanges as before."""
    before = east.counts.messages_received
    east.send(b"there")
    west.send(b"back")
    assert (west.receive(), east.receive()) == (b"there", b"back")
    assert east.counts.messages_received == before + 1


@pytest.mark.parametrize(
    ("own", "version", "logged"),
    [
        ("", ssl.TLSVersion.TLSv1_3, "peer did not return a certificate"),
        ("north", ssl.TLSVersion.TLSv1_3, "is not that of 'west'"),
        ("expired", ssl.TLSVersion.TLSv1_3, "certificate has expired"),
        ("other", ssl.TLSVersion.TLSv1_3, "refused: .*(unable to get|self-signed|signature)"),
        ("west", ssl.TLSVersion.TLSv1_2, "unsupported protocol"),
    ],
    ids=["none", "of another site", "expired", "of another authority", "older TLS"],
)
def test_a_stranger_is_refused_and_the_run_goes_on(folder, own, version, logged):
    lines = []
    east, west = opened(*pair(folder, log=lines.append))
    before = east.counts.connections_refused
    stranger(east.port, tls(folder, own, version), b"x" * 100)
    wait_for(lambda: east.counts.connections_refused > before)
    assert any(re.search(logged, line) for line in lines), lines
    goes_on(east, west)
    closed(east, west)


@pytest.mark.parametrize(
    ("own", "words"), [("expired", "expired"), ("other", "certificate"), ("north", "not that of")]
)
def test_who_is_refused_at_the_start_is_told_at_once(folder, own, words):
    """It need not wait; the other side waits for the right one."""
    east, _ = pair(folder, meet_within=4.0)
    west = Link(
        LinkOptions(connect=f"127.0.0.1:{east.port}", credentials=own, meet_within=30.0),
        here="west",
        there="east",
        folder=folder,
        log=lambda line: None,
    )

    def refused(link):
        with pytest.raises(UserError) as error:
            link.open(b"")
        return str(error.value)

    of_east, of_west = both(lambda: refused(east), lambda: refused(west))
    assert "'west', was not met within 4 s" in of_east
    assert re.search(words, of_east)
    assert "Cannot connect to 'east'" in of_west


def test_a_certificate_that_is_revoked_during_the_run_does_not_connect_again(folder, tmp_path):
    root = make_credentials(tmp_path, "east", "west")
    lines = []
    east, west = opened(*pair(root, log=lines.append))
    assert revoke(root / "authority", "west", None) == 1
    assert revoke(root / "authority", "west", None) == 0
    shutil.copy(root / "authority" / "revoked.pem", root / "east" / "revoked.pem")
    before = east.counts.connections_refused
    stranger(east.port, tls(root, "west"), b"x")
    wait_for(lambda: east.counts.connections_refused > before)
    assert any("certificate revoked" in line for line in lines), lines
    goes_on(east, west)
    closed(east, west)


def test_a_session_that_is_played_again_is_refused(folder):
    """With a good certificate: a greeting of an earlier session, and that of a second start."""
    lines = []
    east, west = opened(*pair(folder, log=lines.append))
    for own, other in (
        (west._state.nonce, os.urandom(32)),
        (os.urandom(32), frames.nobody),
        (os.urandom(32), east._state.nonce),
    ):
        before = east.counts.connections_refused
        greeting = Greeting(own, other, 0, 1 << 20, b"from west").pack()
        answer = stranger(east.port, tls(folder, "west"), pack(Kind.hello, payload=greeting))
        assert b"another session" in answer
        wait_for(lambda before=before: east.counts.connections_refused == before + 1)
    assert any("another session" in line for line in lines)
    goes_on(east, west)
    closed(east, west)


def test_a_site_that_is_started_anew_ends_the_run_it_was_in_once_that_is_gone(folder):
    """At once where nothing is heard of its run any more, not when patience ends."""
    lines = []
    east, west = opened(*pair(folder, log=lines.append, patience=60.0))
    there = LinkOptions(connect=f"127.0.0.1:{east.port}", credentials="west", meet_within=9.0)
    anew = Link(there, here="west", there="east", folder=folder, log=lambda line: None)
    begun = time.monotonic()
    west._connections.stop()  # as a process that was killed
    both(
        lambda: told(east.receive, "was started anew"),
        lambda: told(lambda: anew.open(b""), "not met"),
    )
    assert time.monotonic() - begun < 30.0
    assert any("another session" in line for line in lines)


def told(does, words):
    """It fails, and says so."""
    with pytest.raises(UserError, match=words):
        does()


def test_a_flood_of_connections_neither_ends_the_run_nor_fills_memory(folder):
    lines = []
    east, west = opened(*pair(folder, log=lines.append, streams=2))
    flood = [socket.create_connection(("127.0.0.1", east.port)) for _ in range(300)]
    # before the time of a handshake is over: the oldest go as more come
    wait_for(lambda: east.counts.connections_refused >= 300 - most_strangers, handshake_seconds / 2)
    assert len(east._connections.channels) <= most_strangers + 2
    assert len(lines) < 100
    goes_on(east, west)
    for channel in [*west._connections.channels]:  # the site itself comes through the flood
        with suppress(OSError):  # that has ended it
            channel.socket.shutdown(socket.SHUT_RDWR)
    goes_on(east, west)
    closed(east, west)
    for own in flood:
        own.close()


def test_garbage_in_place_of_tls_is_refused(folder):
    east, west = opened(*pair(folder))
    choices = random.Random(3)
    for _ in range(30):
        with socket.create_connection(("127.0.0.1", east.port)) as raw:
            raw.sendall(choices.randbytes(choices.randrange(1, 2000)))
    goes_on(east, west)
    closed(east, west)


def broken_frames(choices, count):
    """Frames that are nearly right: bytes changed, cut short, of wrong kinds and numbers."""
    for _ in range(count):
        kind = choices.randrange(0, 9)
        flags = choices.choice([0, 0, 1, 2, 4, 7, 255])
        number = choices.choice([0, 1, 2, 5, 1 << 20, (1 << 64) - 1, choices.getrandbits(64)])
        payload = choices.randbytes(choices.choice([0, 0, 1, 8, 8, 40, 300]))
        length = choices.choice([len(payload)] * 9 + [choices.getrandbits(32)])
        frame = bytearray(frames.header.pack(kind, flags, 0, length, number) + payload)
        if choices.random() < 0.3:
            frame[choices.randrange(len(frame))] ^= 1 << choices.randrange(8)
        yield bytes(frame)


def read_frames(count, seed):
    """Feed broken frames to the reader and to what reads inside; only FrameError comes out."""
    choices = random.Random(seed)
    good = 0
    for frame in broken_frames(choices, count):
        reader, rest = FrameReader(), memoryview(frame)
        try:
            while len(rest):
                room = reader.room()
                part = rest[: min(len(room), len(rest), choices.randrange(1, 64))]
                room[: len(part)] = part
                rest = rest[len(part) :]
                good += reader.filled(len(part)) is not None
            assert len(reader.room()) <= frames.largest_payload
        except FrameError:
            continue
        for read in (Greeting.unpack, lambda payload: decompress(payload, 10_000)):
            try:
                read(bytearray(frame[16:]))
            except FrameError:
                pass
    assert good > count // 10


def fuzz_a_link(folder, count, seed):
    """Someone with the certificate of the other site, and its session, sends broken frames."""
    lines = []
    east, west = opened(*pair(folder, log=lines.append, streams=1, buffer=1, largest_message=1))
    choices, context = random.Random(seed), tls(folder, "west")
    greeting = pack(
        Kind.hello,
        payload=Greeting(west._state.nonce, east._state.nonce, 0, 1 << 20, b"from west").pack(),
    )
    sent = 0
    while sent < count:
        with socket.create_connection(("127.0.0.1", east.port), timeout=20) as raw:
            try:
                with context.wrap_socket(raw) as secure:
                    secure.sendall(greeting)
                    for frame in broken_frames(choices, 50):
                        sent += 1
                        secure.sendall(frame)
            except OSError:
                continue
    assert east._connections.thread.is_alive() and not east._state.failure
    assert east._state.inbox._early_bytes <= 4 << 20
    east.close("fuzzed")
    west.close()


def test_broken_frames_do_no_harm(folder):
    read_frames(5_000, 1)
    fuzz_a_link(folder, 700, 1)


@pytest.mark.slow
def test_a_hundred_thousand_broken_frames_do_no_harm(folder):
    read_frames(100_000, 2)
    fuzz_a_link(folder, 100_000, 2)


def test_a_compressed_message_that_lies_about_its_length_is_refused():
    good = compress(bytes(1000))
    assert decompress(good, 1000) == bytes(1000)
    for length in (999, 1001):
        with pytest.raises(FrameError, match="another length"):
            decompress(prefix.pack(1, length) + good[prefix.size :], 2000)
    with pytest.raises(FrameError, match="of 1000 bytes"):
        decompress(good, 999)


def test_a_key_that_others_can_read_is_refused(folder, tmp_path):
    shutil.copytree(folder / "west", tmp_path / "west")
    (tmp_path / "west" / "key.pem").chmod(0o640)
    with pytest.raises(UserError, match="can be read by others"):
        Link(
            LinkOptions(connect="127.0.0.1:1", credentials="west"),
            here="west",
            there="east",
            folder=tmp_path,
        )


def test_secrets_are_in_no_log_no_message_no_option_and_no_process_list(
    folder, tmp_path, monkeypatch
):
    secret = "Grünes-Meer-7431"
    issue(
        folder / "authority",
        "west",
        tmp_path / "west",
        days=1,
        passphrase=None,
        key_passphrase=secret,
    )
    assert secret.encode() not in b"".join(p.read_bytes() for p in (tmp_path / "west").iterdir())
    options = LinkOptions(connect="127.0.0.1:1", credentials="west", meet_within=0.6)
    names = {"here": "west", "there": "east", "folder": tmp_path}
    lines = []
    monkeypatch.delenv("HALOCLINE_KEY_PASSPHRASE", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(UserError, match="has a passphrase"):
        Link(options, **names)
    monkeypatch.setenv("HALOCLINE_KEY_PASSPHRASE", "wrong")
    with pytest.raises(UserError, match="passphrase is wrong") as error:
        Link(options, **names)
    assert "'wrong'" not in str(error.value)
    monkeypatch.setenv("HALOCLINE_KEY_PASSPHRASE", secret)
    link = Link(options, log=lines.append, **names)
    with pytest.raises(UserError) as error:
        link.open(b"")
    said = "\n".join([*lines, str(error.value), str(options.to_table()), repr(link), repr(options)])
    assert lines and secret not in said
    assert secret not in Path("/proc/self/cmdline").read_text()


def test_the_command_takes_no_secret_as_an_argument(tmp_path):
    """All of `halocline site` by the command line, with passphrases in the environment."""

    def site(*words, **more):
        return subprocess.run(
            [sys.executable, "-m", "halocline", "site", *words],
            cwd=tmp_path,
            env={**os.environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    secrets = {"HALOCLINE_AUTHORITY_PASSPHRASE": "one", "HALOCLINE_KEY_PASSPHRASE": "two"}
    refused = site("authority", "ours")
    assert refused.returncode == 2 and "has no passphrase" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert site("authority", "ours", **secrets).returncode == 0
    made = site("certificate", "east", "--authority", "ours", "--days", "30", **secrets)
    assert made.returncode == 0, made.stderr
    assert site("revoke", "east", "--authority", "ours", **secrets).returncode == 0
    for name in ("ours/authority.key", "east/key.pem"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        assert b"ENCRYPTED" in (tmp_path / name).read_bytes()
    wrong = site("revoke", "east", "--authority", "ours", HALOCLINE_AUTHORITY_PASSPHRASE="three")
    assert wrong.returncode == 2 and "its passphrase is wrong" in wrong.stderr
    for word in ("one", "two", "three"):
        assert word not in wrong.stderr.split() + made.stdout.split()


openssl = shutil.which("openssl", path="/usr/bin:/usr/local/bin")


@pytest.mark.skipif(not openssl, reason="no openssl")
def test_openssl_sees_tls_1_3_only_and_a_request_for_a_certificate(folder):
    """Judged from outside."""
    east, west = opened(*pair(folder))

    def client(*words):
        done = subprocess.run(
            [openssl, "s_client", "-connect", f"127.0.0.1:{east.port}", *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=30,
        )
        return done.stdout + done.stderr

    own = folder / "west"
    known = ["-CAfile", str(own / "authority.pem")]
    shown = ["-cert", str(own / "certificate.pem"), "-key", str(own / "key.pem")]
    seen = client(*known, *shown)
    assert "Verify return code: 0 (ok)" in seen and "TLSv1.3" in seen
    assert "Requested Signature Algorithms" in seen  # it asks for a certificate
    for old in ("-tls1_2", "-tls1_1"):
        assert "Cipher is (NONE)" in client(old, *known, *shown)
    goes_on(east, west)
    closed(east, west)
