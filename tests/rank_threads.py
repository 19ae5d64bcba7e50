"""Ranks in threads of one process, for tests of who gives what to whom."""

import queue
import threading

import numpy as np
import pytest

from halocline.runtime.ranks.launched import under_mpi

seconds = 60.0


class Threads:
    """One of the ranks; `exchange` copies through queues, all else through a common board."""

    def __init__(self, rank, size, board, barrier, mail):
        self.rank, self.size = rank, size
        self._board, self._barrier, self._mail = board, barrier, mail

    def _all(self, item):
        self._board[self.rank] = item
        self._barrier.wait(seconds)
        found = list(self._board)
        self._barrier.wait(seconds)
        return found

    def begin(self, send, receive):
        for peer, buffer in send:
            assert peer != self.rank
            self._mail[self.rank, peer].put(np.ascontiguousarray(buffer).tobytes())

        def wait():
            for peer, buffer in receive:
                came = self._mail[peer, self.rank].get(timeout=seconds)
                flat = buffer.reshape(-1).view(np.uint8)
                assert len(came) == flat.size, (peer, self.rank, len(came), flat.size)
                flat[...] = np.frombuffer(came, np.uint8)

        return wait

    def exchange(self, send, receive):
        self.begin(send, receive)()

    def one_to_each(self, numbers):
        return np.array([sent[self.rank] for sent in self._all(np.array(numbers))])

    def maximum(self, values):
        return np.max(self._all(np.array(values)), axis=0)

    def gather(self, item):
        found = self._all(item)
        return found if self.rank == 0 else None

    def broadcast(self, item):
        return self._all(item)[0]


def together(ranks, program):
    """Run `program(communicator)` on all ranks; the first mistake is raised here.

    Where ranks of MPI run the same test, once for each would be too often.
    """
    if under_mpi():
        pytest.skip("ranks in threads are tested without ranks of MPI")
    board, barrier = [None] * ranks, threading.Barrier(ranks)
    mail = {(a, b): queue.SimpleQueue() for a in range(ranks) for b in range(ranks)}
    mistakes = []

    def one(rank):
        try:
            program(Threads(rank, ranks, board, barrier, mail))
        except BaseException as mistake:
            mistakes.append(mistake)
            barrier.abort()

    threads = [threading.Thread(target=one, args=(rank,), daemon=True) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
        assert not thread.is_alive(), "a rank waits for ever"
    if mistakes:
        broken = threading.BrokenBarrierError
        raise next((one for one in mistakes if not isinstance(one, broken)), mistakes[0])
