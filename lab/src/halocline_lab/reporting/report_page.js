// The page: light and dark, tables that sort, the timeline's controls, the matrix.
"use strict";

const one = (selector) => document.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themeOf(chart) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["paper", "ink", "soft", "line", "tint", "accent", "idle"];
  const theme = Object.fromEntries(names.map((name) => [name, colour(name)]));
  const dark = isDark() && !document.documentElement.classList.contains("printing");
  theme.states = ["busy", "overhead", "idle"].map(colour);
  if (chart) theme.colours = chart.way === "state" ? theme.states
    : coloursOf(chart.names.length, chart.way, chart.rest, dark);
  return theme;
}

function setUpTheme(redraw) {
  const wanted = location.hash.match(/\b(dark|light)\b/);
  if (wanted) document.documentElement.dataset.theme = wanted[1];
  const button = one("#theme");
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.hidden = false;
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    name();
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { name(); redraw(); });
  const printing = (now) => () => {
    document.documentElement.classList.toggle("printing", now);
    redraw();
  };
  addEventListener("beforeprint", printing(true));
  addEventListener("afterprint", printing(false));
  name();
}

// A click on the head of a column sorts by it, a second one the other way round.
function setUpTables() {
  for (const table of all("table.sortable"))
    all("thead th", table).forEach((head, column) => {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        all("thead th", table).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const compare = (a, b) => (isNaN(a) || isNaN(b) ? String(a).localeCompare(b) : a - b);
        const rows = all("tbody tr", table).sort((a, b) => compare(value(a), value(b)) * (down ? -1 : 1));
        table.tBodies[0].append(...rows);
      });
    });
}

function showTip(words, x, y) {
  const tip = one("#tip");
  tip.replaceChildren(...words.map(([text, kind]) => {
    const line = document.createElement("div");
    line.textContent = text;
    if (kind) line.className = kind;
    return line;
  }));
  tip.hidden = false;
  const wide = tip.offsetWidth, high = tip.offsetHeight;
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - wide - 8))}px`;
  tip.style.top = `${y + 16 + high > innerHeight ? Math.max(4, y - high - 10) : y + 16}px`;
}

const hideTip = () => { one("#tip").hidden = true; };

// ---------------------------------------------------------------------------- the matrix

const matrixLeft = 48;

class Matrix {
  constructor(data) {
    this.data = data;
    this.canvas = one("#matrix");
    this.what = "bytes";
    this.canvas.addEventListener("pointermove", (event) => this.tell(event));
    this.canvas.addEventListener("pointerleave", hideTip);
    all("[data-matrix]").forEach((button) => button.addEventListener("click", () => {
      this.what = button.dataset.matrix;
      all("[data-matrix]").forEach((other) => other.setAttribute("aria-pressed", other === button));
      this.draw();
    }));
  }

  static async of(data) {
    const names = ["sender", "receiver", "count", "bytes"];
    const columns = await Promise.all(names.map((name) => unpack(data[name])));
    const found = Object.fromEntries(names.map((name, at) => [name, columns[at]]));
    let last = 0;
    found.sender = found.sender.map((step) => (last += step));
    return new Matrix({ ...found, cells: data.cells, group: data.group });
  }

  draw() {
    const { pen, width } = prepared(this.canvas), { cells, group } = this.data, theme = themeOf();
    const side = width - matrixLeft, size = side / cells, values = this.data[this.what];
    const most = values.reduce((a, b) => Math.max(a, b), 0);
    const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), most);
    const shade = (value) => most > least ? 0.18 + 0.82 * Math.log(value / least) / Math.log(most / least) : 1;
    pen.fillStyle = theme.tint;
    pen.fillRect(matrixLeft, 0, side, side);
    pen.fillStyle = theme.accent;
    values.forEach((value, at) => {
      if (!value) return;
      pen.globalAlpha = shade(value);
      pen.fillRect(matrixLeft + this.data.receiver[at] * size, this.data.sender[at] * size,
                   size > 5 ? size - 1 : size, size > 5 ? size - 1 : size);
    });
    pen.globalAlpha = 1;
    pen.fillStyle = theme.soft;
    const step = niceStep(cells, Math.min(cells, side / 45)) || 1;
    for (let at = 0; at < cells; at += Math.max(1, step)) {
      pen.textAlign = "right"; pen.textBaseline = "middle";
      pen.fillText(at * group, matrixLeft - 6, Math.max(7, (at + 0.5) * size));
      pen.textAlign = "center"; pen.textBaseline = "top";
      pen.fillText(at * group, matrixLeft + (at + 0.5) * size, side + 6);
    }
    const words = (value) => (this.what === "bytes" ? bytesText(value) : value.toLocaleString("en"));
    one("#matrix-scale").textContent = values.length
      ? `Shades: ${words(least)} (light) to ${words(most)} (full), logarithmic.` : "No messages.";
  }

  tell(event) {
    const { cells, group, sender, receiver, count, bytes } = this.data;
    const size = (this.canvas.clientWidth - matrixLeft) / cells;
    const to = Math.floor((event.offsetX - matrixLeft) / size), from = Math.floor(event.offsetY / size);
    const at = sender.findIndex((one, place) => one === from && receiver[place] === to);
    if (to < 0 || from >= cells) return hideTip();
    const ranks = (cell) => (group > 1 ? `ranks ${cell * group} to ${(cell + 1) * group - 1}` : `rank ${cell}`);
    const lines = [[`${ranks(from)} to ${ranks(to)}`, "name"]];
    lines.push([at < 0 ? "no messages" : `${count[at].toLocaleString("en")} messages, ${bytesText(bytes[at])}`]);
    if (at >= 0) lines.push([`${bytesText(bytes[at] / count[at])} each`]);
    showTip(lines, event.clientX, event.clientY);
  }
}

// ---------------------------------------------------------------------------- the start

const faults = [];
addEventListener("error", (event) => note(event.message));
addEventListener("unhandledrejection", (event) => note(String(event.reason)));

function note(words) {
  faults.push(words);
  document.documentElement.dataset.faults = faults.join(" | ");
}

async function start() {
  const data = JSON.parse(one("#data").textContent);
  const charts = [];
  const redraw = () => charts.forEach((chart) => chart.draw());
  setUpTheme(redraw);
  setUpTables();
  if (typeof DecompressionStream === "undefined") {
    all(".needs-unpacking").forEach((part) => part.classList.add("not-unpacked"));
    return;
  }
  if (one("#gantt")) charts.push(await TimelineControls.of(data.timeline));
  if (one("#matrix")) charts.push(await Matrix.of(data.matrix));
  redraw();
  new ResizeObserver(redraw).observe(document.body);
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => note(error.stack || String(error)));
