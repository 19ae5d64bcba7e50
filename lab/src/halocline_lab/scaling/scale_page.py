"""The page of `halocline lab scale`: table, figures and laws in one file, for any screen."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

import matplotlib

from halocline.analysis import looks
from halocline_lab.evolution.provenance import build_words
from halocline_lab.output_cost.output_plots import ink
from halocline_lab.output_cost.output_plots import style as page_style
from halocline_lab.scaling.scale_plots import curves, figure, label
from halocline_lab.scaling.scale_table import columns


def page(result: Mapping[str, Any]) -> str:
    """The page as HTML."""
    style = (
        files("halocline_lab.output_cost").joinpath("output_page.css").read_text(encoding="utf-8")
    )
    cluster, rounds = result["cluster"], len(result["rows"][0]["seconds"])
    facts = {
        "case": result["case"],
        "times": result["unit"],
        "runs": f"{rounds} of each, in turns",
        "nodes": f"{cluster['nodes']} of {cluster['processors']} processors",
        "build": build_words(result["build"]),
    }
    terms = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(words)}</dd></div>"
        for name, words in facts.items()
    )
    busy = f"<li class=unclear>{escape(result['busy'])}</li>" if result["busy"] else ""
    laws = "".join(
        f"<li><b>{escape(name)}</b>: {escape(words)}</li>" for name, words in result["laws"].items()
    )
    laws += "".join(
        f"<li><b>{escape(found['name'])}</b>: {escape(found['words'])}</li>"
        for found in result["growth"]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>How a case scales</title>\n<style>\n{style}</style>\n</head>\n<body>\n<header>"
        "<h1>How a case scales</h1>"
        f"<ol class=headline><li>{escape(result['fastest']['words'])}</li>{laws}{busy}</ol>"
        f"<dl class=machine>{terms}</dl></header>\n<main>\n"
        f"<section><h2>Figures</h2><figure>{_drawing(result)}</figure></section>\n"
        f"<section><h2>Times, parallel fraction, efficiency</h2>{_tables(result)}</section>\n"
        f"</main>\n{_legend}\n</body>\n</html>\n"
    )


_legend = (
    "<footer><p>Table and figures after Tolman (2003), table 4.1 and figures 4.1 to 4.4. Times are"
    " those of the steps, without start-up and output. p_e: effective parallel fraction (3.8);"
    " zeta: bulk parallel efficiency (3.12), both of mean times; alpha: ranks per processor of the"
    " most loaded node. Speed-up: median of the ratios of one round; its bounds enclose it with"
    " about 95 % confidence (order statistics). Predicted: by the placement model, fitted without"
    " the times of that number of ranks. Outliers are shown and count as all others.</p></footer>"
)


def _drawing(result: Mapping[str, Any]) -> str:
    """The sheet of figures as an SVG element in the colours of the page."""
    context: Any = matplotlib.rc_context
    target = io.StringIO()
    with looks.style(), context({**page_style, "svg.hashsalt": "scale"}):
        sheet = figure(result["rows"])
        for part in sheet.subfigs:
            for panel in part.axes:
                panel.set_facecolor("none")
        sheet.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    text = text[text.index("<svg") :].replace(ink, "currentColor")
    return re.sub(r' (width|height)="[^"]*pt"', "", text, count=2)


def _tables(result: Mapping[str, Any]) -> str:
    """One table per curve."""
    parts = []
    for series, rows in curves(result["rows"]).items():
        heads = [*(title for title, *_ in columns), "bounds", "predicted", ""]
        lines = ["<tr>" + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>"]
        lines += [_line(row) for row in rows]
        parts.append(f"<h3>{escape(label(series))}</h3>")
        parts.append(f"<div class=wide><table>{''.join(lines)}</table></div>")
    return "".join(parts)


def _line(row: Mapping[str, Any]) -> str:
    cells = ["–" if row[name] is None else f"{row[name]:{form}}" for _, name, form, _ in columns]
    many = row["parallel"] is not None
    cells.append(f"{row['speed_up_low']:.2f} to {row['speed_up_high']:.2f}" if many else "")
    cells.append("" if row["predicted"] is None else f"{row['predicted']:.4g}")
    late = len(row["outliers"])
    notes = ["ideal loading"] * row["ideal"] + [f"outliers: {late}"] * bool(late)
    cells.append(", ".join(notes))
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
