// Drawing of the timeline on its canvases.
"use strict";

const axisHeight = 22, axisFont = "12px system-ui, sans-serif";
let axisWidth = 58;  // of the timeline's charts, as wide as the names of its rows need

function setAxisWidth(chart, canvas) {
  const pen = canvas.getContext("2d");
  pen.font = axisFont;
  const names = chart.rows > 200 ? [chart.rowName(chart.order[chart.rows - 1])] : chart.order.map((row) => chart.rowName(row));
  const widest = names.reduce((most, name) => Math.max(most, pen.measureText(name).width), 0);
  axisWidth = Math.round(Math.min(Math.max(44, widest + 14), Math.max(58, 0.17 * canvas.clientWidth)));
}

function fitted(pen, words, room) {
  if (pen.measureText(words).width <= room) return words;
  let text = words;
  while (text.length > 1 && pen.measureText(`${text}…`).width > room) text = text.slice(0, -1);
  return `${text}…`;
}

function timeText(nanoseconds, step) {
  const size = Math.max(Math.abs(nanoseconds), step);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"]
    : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  return `${(nanoseconds / unit).toFixed(digits)} ${name}`;
}

function duration(nanoseconds) {
  return timeText(nanoseconds, Math.max(1, 10 ** (Math.floor(Math.log10(Math.max(nanoseconds, 1))) - 2)));
}

function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (bytes >= 1000 && at < 4) { bytes /= 1000; at++; }
  return `${at ? bytes.toPrecision(3) : bytes} ${units[at]}`;
}

function niceStep(length, most) {
  const raw = length / most, power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((times) => times * power >= raw);
}

// A canvas of the size it has on the screen; drawing is in CSS pixels.
function prepared(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = axisFont;
  return { pen, width, height, ratio };
}

const asNumber = (colour) => {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return (255 << 24) | (b << 16) | (g << 8) | r;
};

function faint(colour, paper) {
  const part = (at) => Math.round(0.2 * parseInt(colour.slice(at, at + 2), 16)
    + 0.8 * parseInt(paper.slice(at, at + 2), 16)).toString(16).padStart(2, "0");
  return `#${part(1)}${part(3)}${part(5)}`;
}

function drawAxis(pen, chart, left, width, y, theme) {
  const { from, to } = chart.view, step = niceStep(to - from, Math.max(2, width / 95));
  pen.fillStyle = theme.soft;
  pen.strokeStyle = theme.line;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    const x = left + (time - from) / (to - from) * width;
    pen.fillRect(Math.round(x), y, 1, 4);
    if (x > left + 24 && x < left + width - 24) pen.fillText(timeText(time, step), x, y + 6);
  }
}

// Hatching says: events of this time were not kept.
function hatch(pen, x, y, width, height, theme) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.strokeStyle = theme.line;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let at = x - height; at < x + width; at += 9) {
    pen.moveTo(at, y + height);
    pen.lineTo(at + height, y);
  }
  pen.stroke();
  pen.restore();
}

// Words where no row has events.
function drawGaps(pen, chart, left, width, top, height, theme) {
  const { from, to } = chart.view, scale = width / (to - from);
  let edge = 0;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const [begin, end] of [...chart.keptTimes(), [chart.about.length, chart.about.length]]) {
    const a = left + Math.max(edge - from, 0) * scale, b = left + Math.min(begin - from, to - from) * scale;
    edge = end;
    if (b - a < 70) continue;
    const words = b - a > 220 ? "events of this time were not kept" : "not kept";
    const measure = pen.measureText(words).width + 12, middle = (a + b) / 2;
    pen.fillStyle = theme.paper;
    pen.fillRect(middle - measure / 2, top + height / 2 - 9, measure, 18);
    pen.fillStyle = theme.soft;
    pen.fillText(words, middle, top + height / 2);
  }
}

// A plain ground where the events of a row are kept.
function drawKept(pen, chart, left, width, size, body, theme) {
  const { from, to, top, rows } = chart.view, scale = width / (to - from);
  const { spanBegin, spanEnd, spanFirst } = chart.events;
  pen.fillStyle = theme.tint;
  for (let place = Math.floor(top); place < Math.min(chart.rows, Math.ceil(top + rows)); place++) {
    const row = chart.order[place], y = Math.max(0, (place - top) * size);
    const high = Math.min(body, (place + 1 - top) * size) - y;
    for (let at = firstAfter(spanEnd, from, spanFirst[row], spanFirst[row + 1]);
      at < spanFirst[row + 1] && spanBegin[at] < to; at++) {
      const x = Math.max(spanBegin[at] - from, 0) * scale;
      pen.fillRect(left + x, y, Math.min(spanEnd[at] - from, to - from) * scale - x, high);
    }
  }
}

function rowHeight(chart, height) {
  return (height - axisHeight) / chart.view.rows;
}

function drawGantt(chart, canvas, theme) {
  const { pen, width, height, ratio } = prepared(canvas);
  const inner = width - axisWidth, body = height - axisHeight, size = rowHeight(chart, height);
  hatch(pen, axisWidth, 0, inner, body, theme);
  drawKept(pen, chart, axisWidth, inner, size, body, theme);
  drawGaps(pen, chart, axisWidth, inner, 0, body, theme);
  const colours = chart.names.map((_, at) =>
    chart.pointed >= 0 && chart.pointed !== at ? faint(theme.colours[at], theme.paper) : theme.colours[at]);
  const nested = size >= 22 && size >= 7 * (chart.deepest + 1);
  if (nested) drawNested(pen, chart, inner, size, body, colours, theme);
  else drawFlat(pen, chart, inner, size, body, ratio, colours);
  const lines = drawLines(pen, chart, inner, size, body, theme);
  drawRowNames(pen, chart, size, body, theme);
  drawAxis(pen, chart, axisWidth, inner, body, theme);
  return { nested, lines };
}

const sheet = document.createElement("canvas");

function drawFlat(pen, chart, inner, size, body, ratio, colours) {
  const across = Math.max(1, Math.round(inner * ratio)), down = Math.max(1, Math.round(body * ratio));
  const image = new ImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer), numbers = colours.map(asNumber);
  const found = new Uint8Array(across), spent = new Float64Array(chart.names.length);
  const { top, rows } = chart.view, space = size > 6 ? Math.round(ratio) : 0;
  for (let place = Math.floor(top); place < Math.min(chart.rows, Math.ceil(top + rows)); place++) {
    const y0 = Math.max(0, Math.round((place - top) * size * ratio));
    const y1 = Math.min(down, Math.round((place + 1 - top) * size * ratio) - space);
    if (y1 <= y0) continue;
    chart.strip(chart.order[place], across, found, spent);
    for (let x = 0; x < across; x++) {
      if (found[x] === 255) continue;
      const colour = numbers[found[x]];
      for (let y = y0, at = y0 * across + x; y < y1; y++, at += across) pixels[at] = colour;
    }
  }
  sheet.width = across;
  sheet.height = down;
  sheet.getContext("2d").putImageData(image, 0, 0);
  pen.drawImage(sheet, axisWidth, 0, across / ratio, down / ratio);
}

// Regions inside others lie below them; the innermost reach down to the end of the row.
function drawNested(pen, chart, inner, size, body, colours, theme) {
  const { from, to, top, rows } = chart.view, scale = inner / (to - from);
  const { first, begin, end, until, region, idle } = chart.events;
  const level = (size - 3) / (chart.deepest + 1), inks = colours.map(inkOn);
  pen.save();
  pen.beginPath();
  pen.rect(axisWidth, 0, inner, body);
  pen.clip();
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  for (let place = Math.floor(top); place < Math.min(chart.rows, Math.ceil(top + rows)); place++) {
    const row = chart.order[place], y = (place - top) * size, foot = y + size - 3, painted = new Float64Array(chart.deepest + 1).fill(-1);
    drawUnnamed(pen, chart, row, scale, y, foot - y, colours);
    for (let at = firstAfter(until, from, first[row], first[row + 1]);
      at < first[row + 1] && begin[at] < to; at++) {
      if (end[at] <= from || chart.hidden.has(chart.eventCategory[at])) continue;
      const depth = chart.depths[at], x = axisWidth + Math.max((begin[at] - from) * scale, -2);
      const right = axisWidth + Math.min((end[at] - from) * scale, inner + 2);
      if (right - x < 1 && Math.floor(right) <= painted[depth]) continue;
      painted[depth] = Math.floor(right);
      const category = chart.eventCategory[at];
      pen.fillStyle = category === 255 ? theme.line : colours[category];
      const fromY = y + depth * level, wide = Math.max(right - x, 0.7);
      pen.fillRect(x, fromY, wide > 3 ? wide - 0.5 : wide, foot - fromY);
      if (idle[at] > 0 && wide > 2) {
        pen.fillStyle = theme.idle;
        pen.fillRect(x, foot - 4, Math.min(idle[at] * scale, wide), 4);
      }
      if (wide > 44 && level >= 11) label(pen, chart.regions[region[at]][0], x, fromY, wide, level, category === 255 ? theme.ink : inks[category]);
    }
  }
  pen.restore();
}

// Computation between all regions, paler: it has no event.
function drawUnnamed(pen, chart, row, scale, y, height, colours) {
  const { from, to } = chart.view, { begin, end, event, first } = chart.segments;
  pen.globalAlpha = 0.3;
  for (let at = firstAfter(end, from, first[row], first[row + 1]);
    at < first[row + 1] && begin[at] < to; at++) {
    const category = chart.category[at];
    if (event[at] >= 0 || chart.hidden.has(category)) continue;
    const x = Math.max((begin[at] - from) * scale, 0);
    pen.fillStyle = colours[category];
    pen.fillRect(axisWidth + x, y, Math.max(0.5, (end[at] - from) * scale - x), height);
  }
  pen.globalAlpha = 1;
}

// Black or white, whichever is easier to read on a colour.
function inkOn(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? "#10151a" : "#ffffff";
}

function label(pen, words, x, y, width, height, colour) {
  const left = Math.max(x, axisWidth) + 3, room = x + width - left - 3;
  if (room < 20) return;
  pen.fillStyle = colour;
  pen.font = `${Math.min(12, Math.floor(height - 2))}px system-ui, sans-serif`;
  const text = fitted(pen, words, room);
  if (text.length > 2) pen.fillText(text, left, y + height / 2);
}

// A line for each message, where they are few and rows high enough to follow them.
const mostLines = 600;

function drawLines(pen, chart, inner, size, body, theme) {
  const { senders, receivers, begin, end, rowOf } = chart.events, { from, to, top, rows } = chart.view;
  if (!chart.withLines || size < 5 || !senders.length) return -1;
  const some = [];
  for (let line = 0; line < senders.length; line++) {
    const a = senders[line], b = receivers[line];
    if (end[b] < from || begin[a] > to) continue;
    const y0 = chart.placeOf[rowOf[a]], y1 = chart.placeOf[rowOf[b]];
    if (Math.max(y0, y1) < top || Math.min(y0, y1) > top + rows) continue;
    some.push(line);
    if (some.length > mostLines) return some.length;
  }
  const scale = inner / (to - from);
  const steep = some.filter((line) => (end[receivers[line]] - begin[senders[line]]) * scale < 2).length;
  if (some.length > 100 && steep > 0.6 * some.length) return mostLines + 1;
  pen.save();
  pen.beginPath();
  pen.rect(axisWidth, 0, inner, body);
  pen.clip();
  pen.strokeStyle = theme.ink;
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const line of some) {
    const a = senders[line], b = receivers[line];
    const x1 = axisWidth + (end[b] - from) * scale, y1 = (chart.placeOf[rowOf[b]] + 0.5 - top) * size;
    pen.moveTo(axisWidth + (begin[a] - from) * scale, (chart.placeOf[rowOf[a]] + 0.5 - top) * size);
    pen.lineTo(x1, y1);
    pen.moveTo(x1 + 2, y1);
    pen.arc(x1, y1, 2, 0, 7);
  }
  pen.stroke();
  pen.restore();
  return some.length;
}

function drawRowNames(pen, chart, size, body, theme) {
  const { top, rows } = chart.view, every = Math.max(1, Math.ceil(14 / size));
  pen.fillStyle = theme.soft;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.font = axisFont;
  const step = every === 1 ? 1 : niceStep(every, 1);
  for (let row = Math.ceil(top / step) * step; row < Math.min(chart.rows, top + rows); row += step) {
    const y = (row + 0.5 - top) * size;
    if (y > 6 && y < body - 4) pen.fillText(fitted(pen, chart.rowName(chart.order[row]), axisWidth - 8), axisWidth - 6, y);
  }
}

// How many processes are in each state, the busy ones below.
function drawUtilisation(chart, canvas, theme) {
  const { pen, width, height } = prepared(canvas);
  const inner = Math.max(1, Math.floor(width - axisWidth)), body = height - axisHeight;
  const { columns, category } = chart.sums(inner), top = 6, high = body - top;
  hatch(pen, axisWidth, top, inner, high, theme);
  drawGaps(pen, chart, axisWidth, inner, top, high, theme);
  const base = new Float64Array(inner), totals = [0, 0, 0];
  columns.forEach((column, state) => {
    pen.fillStyle = theme.states[state];
    for (let x = 0; x < inner; x++) {
      const part = column[x] / chart.ranks * high;
      totals[state] += column[x];
      if (part > 0) pen.fillRect(axisWidth + x, body - base[x] - part, 1, part);
      base[x] += part;
    }
  });
  pen.fillStyle = theme.soft;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  const step = Math.max(1, niceStep(chart.ranks, 4));
  for (let count = 0; count <= chart.ranks; count += step)
    pen.fillText(String(count), axisWidth - 6, Math.max(8, body - count / chart.ranks * high));
  drawAxis(pen, chart, axisWidth, inner, body, theme);
  const known = totals[0] + totals[1] + totals[2];
  return { category, means: totals.map((total) => known ? total / known * chart.ranks : 0), known };
}

// The whole run: share of MPI in each step, what is kept, and where the chart is.
function drawOverview(chart, canvas, theme) {
  const { pen, width, height } = prepared(canvas);
  const inner = width - axisWidth, body = height - 8, { overview, length } = chart.about;
  const place = (time) => axisWidth + time / length * inner;
  pen.fillStyle = theme.tint;
  pen.fillRect(axisWidth, 0, inner, body);
  const wide = inner / overview.length;
  overview.forEach((percent, at) => {
    if (percent < 0) return;
    const high = (100 - percent) / 100 * body;
    pen.fillStyle = theme.states[0];
    pen.fillRect(axisWidth + at * wide, body - high, wide + 0.5, high);
    pen.fillStyle = theme.states[1];
    pen.fillRect(axisWidth + at * wide, 0, wide + 0.5, body - high);
  });
  const { spanBegin, spanEnd, spanFirst } = chart.events;
  pen.fillStyle = theme.ink;
  for (let at = spanFirst[0]; at < spanFirst[1]; at++)
    pen.fillRect(place(spanBegin[at]), body + 2, Math.max(2, place(spanEnd[at]) - place(spanBegin[at])), 4);
  const a = place(chart.view.from), b = place(chart.view.to);
  pen.fillStyle = theme.paper;
  pen.globalAlpha = 0.55;
  pen.fillRect(axisWidth, 0, a - axisWidth, body);
  pen.fillRect(b, 0, width - b, body);
  pen.globalAlpha = 1;
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 1.5;
  pen.strokeRect(Math.max(a, axisWidth) + 0.75, 0.75, Math.max(3, b - a) - 1.5, body - 1.5);
  pen.fillStyle = theme.soft;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillText("run", axisWidth - 6, body / 2);
}
