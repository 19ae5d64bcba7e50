"""The head of the page: what was run, what is lost and why, what to do, what to know."""

from __future__ import annotations

from html import escape

import numpy as np

from halocline_lab.diagnosis.exchanges import exchange_parts
from halocline_lab.reporting.report_words import (
    Report,
    command,
    gain_words,
    notes,
    seconds,
    size,
    verdict,
)


def header(report: Report, title: str) -> str:
    """All that stands above the first chart."""
    listed = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(words)}</dd></div>"
        for name, words in facts(report).items()
        if words
    )
    links = "".join(f'<a href="#{name}">{words}</a>' for name, words in _contents(report).items())
    remarks = "".join(f"<li>{escape(note)}</li>" for note in notes(report))
    return (
        '<header><button id="theme" hidden aria-label="light or dark"></button>'
        f"<h1>{escape(title)}</h1><dl>{listed}</dl>"
        f'<p class="verdict">{escape(verdict(report))}</p>{_advice(report)}'
        f'<ul class="notes">{remarks}</ul><nav>{links}</nav></header>'
    )


def _ranks(report: Report) -> str:
    """How many ranks of which role, and their threads."""
    ranks, roles = report.record.ranks, report.record.about.get("roles") or []
    each = [str(roles[role]) if role < len(roles) else "" for role in ranks["role"]]
    counts = {role: each.count(role) for role in dict.fromkeys(each)}
    words = ", ".join(f"{count} × {role}" if role else str(count) for role, count in counts.items())
    threads = np.unique(ranks["threads"])
    many = str(threads[0]) if len(threads) == 1 else f"{threads[0]} to {threads[-1]}"
    return f"{words}; {many} thread{'' if many == '1' else 's'} each"


def _contents(report: Report) -> dict[str, str]:
    names = {"timeline": "Timeline"}
    if report.analysis.members:
        names["members"] = "Members"
    if any(one.most > 0.0 for one in exchange_parts(report.record)):
        names["exchanges"] = "Exchanges"
    names |= {"phases": "Phases", "ranks": "Ranks"}
    if report.record.steps.size:
        names["steps"] = "Steps"
    if report.analysis.waits:
        names["waits"] = "Waits"
    return names | {
        "messages": "Messages",
        "efficiencies": "Efficiencies",
        "kernels": "Kernels",
        "noise": "Noise",
        "cpmip": "CPMIP",
    }


def _advice(report: Report) -> str:
    if not report.analysis.advice:
        return '<p class="none">No fault was found that one knows how to mend.</p>'
    found = []
    for finding in report.analysis.advice:
        evidence = "".join(f"<li>{escape(one)}</li>" for one in finding.evidence)
        advice = "".join(f"<li>{escape(one)}</li>" for one in finding.advice)
        found.append(
            f'<li><b>{escape(finding.fault)}</b> <span class="sure">{escape(finding.sure)}</span> '
            f"{escape(finding.what)}<br><strong>{escape(gain_words(finding))}</strong>"
            f"<ul>{advice}</ul><details><summary>Numbers</summary><ul>{evidence}</ul></details></li>"
        )
    return f'<ol class="advice">{"".join(found)}</ol>'


def facts(report: Report) -> dict[str, str]:
    """What was run, where and when, as far as the record tells; "" where it does not."""
    analysis, about = report.analysis, report.record.about
    took = seconds(analysis.seconds)
    return {
        "command": command(analysis),
        "began": analysis.began.replace("T", " ").replace("+00:00", " UTC"),
        "hosts": ", ".join(analysis.hosts[:4]) + (" ..." if len(analysis.hosts) > 4 else ""),
        "machine": _machine(about.get("machine")),
        "ranks": _ranks(report),
        "cut": str(about.get("cut", "")),
        "MPI": str(about.get("mpi", "")).split(", package")[0],
        "software": ", ".join(map(str, about.get("versions", []))),
        "took": f"{took}, {analysis.steps} steps" if analysis.steps else took,
    }


def _machine(known: object) -> str:
    """A line on the machine.

    >>> _machine({"processor": "A", "cores": 2, "memory": 4e9})
    'A, 2 cores, 4 GB'
    """
    if not isinstance(known, dict):
        return ""
    found = [str(known[name]) for name in ("processor", "system") if known.get(name)]
    if known.get("cores"):
        found.insert(1, f"{known['cores']} cores")
    if known.get("memory"):
        found.insert(2, size(float(known["memory"])))
    return ", ".join(found)
