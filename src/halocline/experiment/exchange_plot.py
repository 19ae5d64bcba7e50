"""`halocline plan --draw`: a picture of the members of a run and of what they give each other."""

from __future__ import annotations

from pathlib import Path

from halocline.analysis import looks
from halocline.analysis.exchange_picture import Arrow, exchange_sheet
from halocline.analysis.plot import save
from halocline.core.clock import duration_text
from halocline.experiment.exchange_table import ExchangePlan
from halocline.experiment.members import Members


def plot_exchanges(members: Members, path: str) -> Path:
    """Draw them to a file and return its path."""
    with looks.style():
        about = {}
        for name, member in members.members.items():
            grid, step = member.case.build_grid(), member.clock.step
            about[name] = [
                member.case.component,
                f"{grid.shape[1]} x {grid.shape[0]} cells",
                f"step {duration_text(step)}",
            ]
        arrows = [_arrow(plan) for plan in members.exchanges()]
        return save(exchange_sheet(about, arrows, members.title or "Members"), Path(path))


def _arrow(plan: ExchangePlan) -> Arrow:
    link = plan.link
    return Arrow(link.exchange, link.source, link.target, plan.words().split("; "))
