"""Ranks that give out work or take results instead of computing: no part of the balance."""

from __future__ import annotations

import numpy as np

from halocline.runtime.record.run_record import RunRecord
from halocline_lab.diagnosis.messages import sent_messages
from halocline_lab.diagnosis.timeline import Floats, Integers

idle_share = 0.05
"""Of the median rank's useful time: who computes less, and answers messages, serves."""


def workers(record: RunRecord, ranks: Integers, useful: Floats) -> Integers:
    """The ranks of a model without the one that serves them, if there is one.

    That is one rank that all messages go to or come from, and that computes less than all others;
    of two ranks, one that computes next to nothing.
    """
    if ranks.size < 2:
        return ranks
    sent = sent_messages(record)
    sender, receiver = sent["rank"].astype(np.int64), sent["partner"].astype(np.int64)
    apart = sender != receiver
    sender, receiver = sender[apart], receiver[apart]
    least = int(ranks[np.argmin(useful)])
    others = np.delete(useful, np.argmin(useful))
    through = (sender == least) | (receiver == least)
    both_ways = np.unique(sender[through]).size == np.unique(receiver[through]).size == ranks.size
    few = useful.min() < (idle_share * np.median(others) if ranks.size == 2 else others.min())
    if sender.size and through.all() and both_ways and few:
        return ranks[ranks != least]
    return ranks
