"""Small charts as SVG, in the colours of the page: columns, lines, bars, and points on logarithms.

All are 900 units wide; words are of the size that they have on a screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

width, left, right, top, bottom = 900.0, 62.0, 12.0, 10.0, 40.0

Words = Callable[[float], str]


def plain(value: float) -> str:
    """A number in few digits.

    >>> plain(1234567.0), plain(0.25)
    ('1.23e+06', '0.25')
    """
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e6 else f"{value:.3g}"


def nice_ticks(high: float, most: int = 5) -> list[float]:
    """Round numbers from nothing up to `high`.

    >>> nice_ticks(7.3)
    [0.0, 2.0, 4.0, 6.0]
    """
    if high <= 0.0 or not math.isfinite(high):
        return [0.0]
    raw = high / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= raw * 0.999)
    return [step * at for at in range(int(high / step + 1e-9) + 1)]


def round_up(count: int) -> int:
    """The next of 1, 2, 5, 10, 20, 50, ...

    >>> [round_up(n) for n in (1, 3, 9, 12)]
    [1, 5, 10, 20]
    """
    power = 10 ** (len(str(count)) - 1)
    return next(times * power for times in (1, 2, 5, 10) if times * power >= count)


def frame(body: str, height: float, label: str) -> str:
    """An SVG picture with words for those who cannot see it."""
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(label)}">'
        f"{body}</svg>"
    )


def text(x: float, y: float, words: str, anchor: str = "middle", kind: str = "") -> str:
    """Words in a picture."""
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attribute}>{escape(words)}</text>'


def rectangle(x: float, y: float, wide: float, high: float, kind: str, tip: str = "") -> str:
    """A rectangle, with words that show under the pointer."""
    title = f"<title>{escape(tip)}</title>" if tip else ""
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(wide, 0.0):.2f}" height="{max(high, 0.0):.2f}"'
        f' class="{kind}">{title}</rect>'
    )


def vertical_axis(high: float, height: float, words: Words) -> str:
    """Lines and numbers at the left."""
    inner = height - top - bottom
    parts = []
    for tick in nice_ticks(high):
        y = height - bottom - tick / max(high, 1e-300) * inner
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(text(left - 6, y + 4, words(tick), "end"))
    return "".join(parts)


def columns(
    series: Sequence[tuple[str, str, Sequence[float]]],
    names: Sequence[str],
    *,
    words: Words,
    below: str,
    label: str,
    height: float = 230.0,
) -> str:
    """Stacked columns; each series is its name, its class, and a value for each column."""
    count = len(names)
    totals = [sum(values[at] for _, _, values in series) for at in range(count)]
    high = max(totals, default=0.0) * 1.04 or 1.0
    inner, wide = height - top - bottom, (width - left - right) / max(count, 1)
    gap = 0.15 * wide if wide > 4 else 0.0
    parts = [vertical_axis(high, height, words)]
    for at, name in enumerate(names):
        y = height - bottom
        for title, kind, values in series:
            high_part = values[at] / high * inner
            y -= high_part
            if high_part > 0.0:
                tip = f"{name}: {title} {words(values[at])}"
                x = left + at * wide + gap / 2
                parts.append(rectangle(x, y, wide - gap, high_part, kind, tip))
    every = max(1, math.ceil(max(len(name) for name in names) * 7.5 / wide)) if count else 1
    for at in range(0, count, round_up(every)):
        parts.append(text(left + (at + 0.5) * wide, height - bottom + 16, names[at]))
    parts.append(text((left + width - right) / 2, height - 6, below, kind="title"))
    return frame("".join(parts), height, label)


def series_over(
    x: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    marked: Sequence[tuple[float, float, str]],
    *,
    words: Words,
    below: str,
    label: str,
    height: float = 230.0,
) -> str:
    """A band between two lines over `x`, and marked points with words."""
    most = max([*high, *(y for _, y, _ in marked)], default=0.0) * 1.06 or 1.0
    first, last = (x[0], x[-1]) if x else (0.0, 1.0)
    inner, span = height - top - bottom, max(last - first, 1e-12)

    def place(at: float, value: float) -> tuple[float, float]:
        across = left + (at - first) / span * (width - left - right)
        return across, height - bottom - value / most * inner

    above = [place(at, value) for at, value in zip(x, high, strict=True)]
    under = [place(at, value) for at, value in zip(x, low, strict=True)]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in [*above, *reversed(under)])
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in above)
    parts = [vertical_axis(most, height, words), f'<polygon points="{points}" class="band"/>']
    parts.append(f'<polyline points="{line}" class="line"/>')
    for at, value, tip in marked:
        a, b = place(at, value)
        parts.append(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" class="marked">'
            f"<title>{escape(tip)}</title></circle>"
        )
    for tick in nice_ticks(span, 8):
        parts.append(text(place(first + tick, 0.0)[0], height - bottom + 16, plain(first + tick)))
    parts.append(text((left + width - right) / 2, height - 6, below, kind="title"))
    return frame("".join(parts), height, label)


def decades(low: float, high: float) -> list[float]:
    """Powers of ten from below `low` to above `high`.

    >>> decades(3.0, 200.0)
    [1.0, 10.0, 100.0, 1000.0]
    """
    first = math.floor(math.log10(low))
    last = max(math.ceil(math.log10(high)), first + 1)
    return [10.0**power for power in range(first, last + 1)]


def on_logarithms(
    points: Sequence[tuple[float, float, float, str]],
    lines: Sequence[tuple[Sequence[tuple[float, float]], str]],
    *,
    across: str,
    upward: str,
    words: Words,
    label: str,
    height: float = 330.0,
) -> str:
    """Points (x, y, radius, words) and lines on two logarithmic axes.

    Words up to a colon stand beside the point, all of them show under the pointer.
    """
    every = [*((x, y) for x, y, _, _ in points), *(corner for line, _ in lines for corner in line)]
    xs, ys = decades(*_extent(x for x, _ in every)), decades(*_extent(y for _, y in every))

    def place(x: float, y: float) -> tuple[float, float]:
        a = math.log(x / xs[0]) / math.log(xs[-1] / xs[0])
        b = math.log(y / ys[0]) / math.log(ys[-1] / ys[0])
        inner = height - top - bottom
        return left + a * (width - left - right), height - bottom - b * inner

    parts = []
    for tick in ys:
        y = place(xs[0], tick)[1]
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(text(left - 6, y + 4, words(tick), "end"))
    for tick in xs:
        parts.append(text(place(tick, ys[0])[0], height - bottom + 16, plain(tick)))
    for line, name in lines:
        corners = [place(*corner) for corner in line]
        drawn = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        parts.append(f'<polyline points="{drawn}" class="roof"/>')
        parts.append(text(corners[-1][0] - 4, corners[-1][1] - 7, name, "end"))
    for x, y, radius, tip in points:
        a, b = place(x, y)
        parts.append(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{radius:.1f}" class="point">'
            f"<title>{escape(tip)}</title></circle>"
        )
        parts.append(text(a + radius + 4, b + 4, tip.split(":")[0], "start"))
    parts.append(text((left + width - right) / 2, height - 6, across, kind="title"))
    parts.append(text(left + 4, top + 12, upward, "start", "title"))
    return frame("".join(parts), height, label)


def _extent(values: object) -> tuple[float, float]:
    known = [value for value in values if value > 0.0]  # type: ignore[attr-defined]
    return (min(known), max(known)) if known else (1.0, 10.0)
