"""BFM's 51 tracers, moved by gyres, exchanged in segments of 1, 7 and 51; prints hashes."""

import hashlib

import numpy as np

from halocline.biogeochemistry.biogeochemistry_case import BiogeochemistryCase
from halocline.biogeochemistry.biogeochemistry_component import BiogeochemistryComponent
from halocline.core.clock import Clock
from halocline.runtime.fields.place import Place
from halocline.runtime.halos.choices import HaloChoice, parse_choice, simplest
from halocline.runtime.halos.exchange import Request
from halocline.runtime.ranks.communicator import world

table = {
    "grid": {
        "nx": 14,
        "ny": 9,
        "depth": 60.0,
        "land": [[5.0, 7.0, 3.0, 6.0]],
        "levels": {"thickness": [30.0, 30.0]},
    },
    "time": {"start": "2001-04-01", "length": "2h", "step": "30min"},
    "light": {"course": "given"},
    "perturbation": {"amplitude": 0.2},
    "transport": {"circulation": "gyres"},
}
segments = (1, 7, 51)


def built(halos: str) -> tuple[BiogeochemistryComponent, Clock]:
    """The case at its start."""
    case = BiogeochemistryCase.from_table({**table, "communication": {"halos": halos}})
    clock = case.time.clock()
    component = case.build(clock, world(), check_halos=True)
    component.start(clock.start, restarted=False)
    return component, clock


def requests(component: BiogeochemistryComponent, *, apart: bool) -> list[Request]:
    """All tracers: parts of one array, or 51 arrays."""
    tracer, state = component.state.tracer, component.model.state
    flats = tracer.storage(tracer.layout).flat
    count, levels = state.tracers.size, state.levels.size
    rows = [slice(n * levels, (n + 1) * levels) for n in range(count)] if apart else [slice(None)]
    return [Request([flat[some] for flat in flats], Place.center, (2, 2, 2, 2)) for some in rows]


def largest(component: BiogeochemistryComponent) -> int:
    """The most that any neighbour gets of one tracer [byte]; 1 where there are none."""
    exchange, layout = component.run.exchange, component.state.tracer.layout
    signature = exchange.signature(layout, requests(component, apart=False))
    sent = exchange.route(layout, signature, simplest).partners.sent
    most = int(world().maximum(np.array([sent.max(initial=0.0)]))[0])
    return max(most // component.model.state.tracers.size, 1)


def exchanged(component: BiogeochemistryComponent, choice: HaloChoice, *, apart: bool) -> str:
    """Hash of the tracers with their halos, which held NaN before; its messages are counted."""
    tracer = component.state.tracer
    storage, owned = tracer.storage(tracer.layout), [values.copy() for values in tracer.read()]
    for flat in storage.flat:
        flat[...] = np.nan
    for target, values in zip(tracer.owned, owned, strict=True):
        target[...] = values
    recorder = component.run.recorder
    before = recorder.message_count
    component.run.exchange(tracer.layout, requests(component, apart=apart), choice)
    counted.append(recorder.message_count - before)
    return hashlib.sha256(b"".join(flat.tobytes() for flat in storage.flat)).hexdigest()


counted: list[int] = []
component, _ = built("messages aggregated")
size = largest(component)
ways = ["messages aggregated", "messages per-field"]
ways += [f"messages {kind}:{n * size}" for kind in ("segments", "mixed") for n in segments]
halos = {
    exchanged(component, parse_choice(way), apart=apart) for way in ways for apart in (False, True)
}
assert len(halos) == 1, "halos differ"
if world().size > 1:
    one_array, arrays = (dict(zip(ways, counted[n::2], strict=True)) for n in (0, 1))
    assert one_array[ways[0]] == one_array[ways[1]] == arrays[ways[0]], counted
    assert arrays[ways[1]] == one_array[ways[2]] == 51 * one_array[ways[0]], counted
    assert one_array[ways[2]] > one_array[ways[3]] > one_array[ways[4]] == one_array[ways[0]]
for way in ways:
    component, clock = built(way)
    for step in range(3):
        component.step(clock.start + step * clock.step)
    tracers = component.state.tracer.gather()
    if tracers is not None:
        assert np.isfinite(tracers).all() and np.ptp(tracers[0]) > 0
        print("bits", hashlib.sha256(tracers.tobytes()).hexdigest(), flush=True)
