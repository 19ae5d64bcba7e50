"""A network file system without coherent shared writes: what it destroys, and who is immune.

The failure of Tolman (2003), section 5 and figure 5.1: spectra written by many processes to one
file, each its own records.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halocline.runtime.files.incoherent_disk import IncoherentDisk, Network, network_from

spectra, size = 2000, 2400


def record(number):
    """The spectrum of a point: bytes that are never zero."""
    return np.random.default_rng(number).integers(1, 256, size, np.uint8).tobytes()


records = [record(number) for number in range(spectra)]


def written(path, shares, seed, cached=32):
    """Numbers of the records that are wrong after writers wrote their shares, in the seed's order.

    Each writer goes on from record to record and then closes; who is next is a matter of luck.
    """
    disk = IncoherentDisk(Network(seed=seed, cached=cached))
    luck = np.random.default_rng(seed)
    disk.open(path, create=True).close()
    writers = [(disk.open(path), iter(share)) for share in shares]
    while writers:
        which = luck.integers(len(writers))
        file, share = writers[which]
        number = next(share, None)
        if number is None:
            file.close()
            del writers[which]
        else:
            file.write(records[number], number * size)
    found = path.read_bytes()
    assert len(found) == spectra * size
    return {n for n in range(spectra) if found[n * size : (n + 1) * size] != records[n]}


def test_writers_of_neighbouring_records_undo_each_other(tmp_path):
    """Cards dealt to 8 writers: much is lost, and never the same."""
    cards = [range(first, spectra, 8) for first in range(8)]
    lost = [written(tmp_path / "restart", cards, seed) for seed in range(4)]
    assert all(len(wrong) > spectra / 20 for wrong in lost)
    assert len(set(map(frozenset, lost))) == 4
    assert written(tmp_path / "restart", cards, 2) == lost[2]


@pytest.mark.parametrize("seed", range(3))
def test_one_writer_of_all_is_immune(tmp_path, seed):
    order = np.random.default_rng(seed).permutation(spectra).tolist()
    assert written(tmp_path / "restart", [order], seed) == set()


@pytest.mark.parametrize("seed", range(3))
def test_writers_of_ranges_lose_bytes_only_where_they_share_a_page(tmp_path, seed):
    """128 records are 75 pages; 100 records end in the midst of one."""
    aligned = [range(first, min(first + 128, spectra)) for first in range(0, spectra, 128)]
    assert written(tmp_path / "restart", aligned, seed, cached=4096) == set()
    askew = [range(first, first + 100) for first in range(0, spectra, 100)]
    lost = written(tmp_path / "restart", askew, seed, cached=4096)
    assert lost
    edges = {n for first in range(0, spectra, 100) for n in range(first - 2, first + 2)}
    assert lost <= edges


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 300), st.binary(min_size=1, max_size=90)), max_size=20),
    st.integers(1, 64),
    st.integers(1, 5),
    st.integers(0, 400),
)
def test_one_writer_finds_an_ordinary_file(tmp_path_factory, writes, page, cached, cut):
    """Any writes, reads and a cut: as on an ordinary disk."""
    path, plain = tmp_path_factory.mktemp("file") / "file", bytearray()
    disk = IncoherentDisk(Network(page=page, cached=cached))
    with disk.open(path, create=True) as file:
        for number, (offset, data) in enumerate(writes):
            if number == len(writes) // 2:
                file.truncate(cut)
                plain[cut:] = bytes(max(0, cut - len(plain)))
            plain.extend(bytes(max(0, offset - len(plain))))
            plain[offset : offset + len(data)] = data
            file.write(data, offset)
            assert file.read(70, offset // 2) == plain[offset // 2 : offset // 2 + 70]
        assert file.read(1000, 0) == plain
    assert path.read_bytes() == plain


def test_a_writer_sees_what_it_saw_until_it_opens_the_file_again(tmp_path):
    disk = IncoherentDisk(Network(page=8))
    one, two = disk.open(tmp_path / "file", create=True), disk.open(tmp_path / "file")
    one.write(b"11111111", 0)
    assert two.read(8, 0) == b""
    one.sync()
    two.write(b"2", 0)
    assert two.read(8, 0) == b"21111111"
    one.write(b"3", 7)
    one.close()
    two.write(b"2", 1)
    two.close()
    assert (tmp_path / "file").read_bytes() == b"22111111"


def test_the_time_of_a_server_is_that_of_its_trips(tmp_path):
    """Bytes in a row cost the bandwidth; a page here and there costs a trip there and back."""
    network = Network(latency=1e-3, bandwidth=1e6)
    disk = IncoherentDisk(network)
    with disk.open(tmp_path / "file", create=True) as file:
        file.write(bytes(1 << 20), 0)
        before = disk.seconds
        assert before == pytest.approx(1e-3)
        file.sync()
        assert disk.seconds - before == pytest.approx(2e-3 + (1 << 20) / 1e6)
    with disk.open(tmp_path / "file") as file:
        before = disk.seconds
        file.write(b"1", 4096)
        file.write(b"1", 4097)
        file.write(b"1", 40960)
        assert disk.seconds - before == pytest.approx(2 * (1e-3 + 4096e-6))
        before = disk.seconds
        file.sync()
        assert disk.seconds - before == pytest.approx(3e-3 + 2 * 4096e-6)


def test_striped_writing_is_an_order_slower_than_contiguous(tmp_path):
    """Table 5.1 of Tolman (2003): 230 s against 1.8 s."""
    disk = IncoherentDisk()
    path = tmp_path / "restart"
    with disk.open(path, create=True) as file:
        file.write(b"".join(records), 0)
    contiguous = disk.seconds
    with disk.open(path, create=True) as file:
        for first in range(8):
            for number in range(first, spectra, 8):
                file.write(records[number], number * size)
            file.sync()
    striped = disk.seconds - contiguous
    assert striped > 10 * contiguous


def test_accounted_time_passes_where_wanted(tmp_path, monkeypatch):
    slept = []
    monkeypatch.setattr("time.sleep", slept.append)
    disk = IncoherentDisk(network_from("sleep=1,latency=0.5"))
    with disk.open(tmp_path / "file", create=True) as file:
        file.write(b"1", 0)
    assert sum(slept) == pytest.approx(disk.seconds)
    assert sum(slept) > 1.0
