"""A page of old and new numbers: one file with everything in it, for any screen."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from halocline_lab.output_cost.output_plots import drawing
from halocline_lab.output_cost.output_results import Report, Row, Section
from halocline_lab.statistics.paired import number


def page(report: Report, title: str, lead: str) -> str:
    """The page as HTML; `lead` says in a line or two what it shows."""
    style = (
        files("halocline_lab.output_cost").joinpath("output_page.css").read_text(encoding="utf-8")
    )
    lines = "".join(f"<li>{escape(line)}</li>" for line in report.headline)
    machine = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in report.machine.items()
    )
    links = "".join(
        f'<a href="#{section.name}">{escape(section.title.split(":")[0])}</a>'
        for section in report.sections
    )
    body = "".join(_section(section) for section in report.sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<header>"
        f"<h1>{escape(title)}</h1><p class=lead>{escape(lead)}</p>"
        f"<ol class=headline>{lines}</ol><dl class=machine>{machine}</dl><nav>{links}</nav>"
        f"</header>\n<main>\n{body}\n</main>\n{_legend}\n</body>\n</html>\n"
    )


_legend = (
    "<footer><p>Numbers are medians; the bounds enclose them with about 95 % confidence (order"
    " statistics). <span class=unclear>Cannot tell</span>: the bounds of a difference hold zero, or"
    " fewer than six runs were made. Negative differences stand as they were found. A ratio is the"
    " new number over the old; there is none where signs differ or the noise wins.</p></footer>"
)


def _section(section: Section) -> str:
    parts = [
        f'<section id="{section.name}"><h2>{escape(section.title)}</h2>',
        f"<p class=source>{escape(section.source)}</p>",
    ]
    if section.matrix is not None:
        parts.append(_matrix(section))
    if section.panels:
        parts.append(f"<figure>{drawing(section.panels, section.name)}</figure>")
    parts += [f"<p>{escape(remark)}</p>" for remark in section.remarks]
    table = rows_table(section.rows)
    if section.matrix is not None:
        table = f"<details><summary>All numbers</summary>{table}</details>"
    parts += [table, f"<p class=method>{escape(section.method)}</p></section>"]
    return "\n".join(parts)


def _matrix(section: Section) -> str:
    """The paper's own table: in each cell the new number over the old."""
    shape = section.matrix
    assert shape is not None
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *shape.columns))
    lines = []
    for name, cells in shape.lines.items():
        made = "".join(_cell(section.row(cell) if cell else None) for cell in cells)
        lines.append(f"<tr><th>{escape(name)}</th>{made}</tr>")
    return (
        f"<div class=wide><table class=matrix><tr>{head}</tr>{''.join(lines)}</table></div>"
        "<p class=key><b>here</b> with its share of the run, (bounds), <i>the paper</i> · ratio</p>"
    )


def _cell(row: Row | None) -> str:
    if row is None:
        return "<td class=none></td>"
    kind = "" if row.clear else " class=unclear"
    new, old = row.more.get("of the run, new", ""), row.more.get("of the run, old", "")
    ratio = "" if row.ratio is None else f" · {number(row.ratio)}×"
    return (
        f"<td{kind}><b>{row.shown}</b> <small>{new}</small><br>"
        f"<small>({row.bounds})</small><br>"
        f"<i>{row.shown_old}</i> <small>{old}{ratio}</small></td>"
    )


def rows_table(rows: Sequence[Row]) -> str:
    """Old, new, ratio, verdict, and what else there is."""
    more = list(dict.fromkeys(name for row in rows for name in row.more))
    olds = any(row.old is not None for row in rows)
    verdicts = any(row.verdict for row in rows)
    heads = ["", *(["old"] if olds else []), "new", "bounds", *(["ratio"] if olds else [])]
    heads += [*(["verdict"] if verdicts else []), *more]
    lines = ["<tr>" + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>"]
    for row in rows:
        ratio = "–" if row.ratio is None else f"{number(row.ratio)}×"
        cells = [row.shown, row.bounds]
        if olds:
            cells = [row.shown_old or "–", *cells, ratio]
        cells += [row.verdict] if verdicts else []
        cells += [row.more.get(name, "") for name in more]
        kind = "" if row.clear else " class=unclear"
        made = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f"<tr{kind}><th>{escape(row.name)}</th>{made}</tr>")
    return f"<div class=wide><table>{''.join(lines)}</table></div>"
