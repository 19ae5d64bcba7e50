"""The events of a record in the Trace Event Format, which Perfetto and Chrome show.

One process per rank, one track per thread; times in microseconds. The format is described in
"Trace Event Format" (N. Duca and D. Sinclair, 2016).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halocline.runtime.record.run_record import RunRecord, nobody


def write_perfetto(path: Path, record: RunRecord) -> None:
    """Write the events, compressed where the name ends with .gz."""
    text = json.dumps(
        {
            "traceEvents": [*_names(record), *_events(record)],
            "displayTimeUnit": "ns",
            "otherData": {"program": record.about.get("program", "")},
        },
        separators=(",", ":"),
    )
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def _names(record: RunRecord) -> Iterator[dict[str, Any]]:
    roles = record.about.get("roles", [""])
    for row in record.ranks:
        rank, role = int(row["rank"]), roles[int(row["role"])] if roles else ""
        name = f"rank {rank}" + (f" ({role})" if role else "")
        yield {"ph": "M", "name": "process_name", "pid": rank, "args": {"name": name}}
        yield {"ph": "M", "name": "process_sort_index", "pid": rank, "args": {"sort_index": rank}}


def _events(record: RunRecord) -> Iterator[dict[str, Any]]:
    for event in record.events:
        region = record.regions[event["region"]]
        told: dict[str, Any] = {}
        if event["partner"] != nobody:
            told["partner"] = int(event["partner"])
        for name in ("bytes", "tag", "request"):
            if event[name]:
                told[name] = int(event[name])
        if region.site:
            told["site"] = region.site
        yield {
            "ph": "X",
            "name": region.name,
            "cat": region.kind,
            "pid": int(event["rank"]),
            "tid": int(event["thread"]),
            "ts": int(event["begin"]) / 1000,
            "dur": int(event["end"] - event["begin"]) / 1000,
            "args": told,
        }
