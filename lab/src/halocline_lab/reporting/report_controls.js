// Mouse, keys, touch and buttons of the timeline; its legend and tips.
"use strict";

class TimelineControls {
  static async of(about) {
    return new TimelineControls(about, await unpackTimeline(about.packed));
  }

  constructor(about, events) {
    this.gantt = one("#gantt");
    this.count = one("#utilisation");
    this.overview = one("#overview");
    this.chart = new Timeline(about, events, () => this.later());
    this.chart.withLines = true;
    this.pointers = new Map();
    one("#colour").value = this.chart.way;
    one("#colour").addEventListener("change", (event) => {
      this.chart.colourBy(event.target.value);
      this.makeLegend();
      this.draw();
    });
    one("#lines").addEventListener("change", (event) => {
      this.chart.withLines = event.target.checked;
      this.draw();
    });
    one("#threads").checked = this.chart.threads;
    one("#threads").parentElement.hidden = !events.thread.some((thread) => thread);
    one("#threads").addEventListener("change", (event) => this.chart.showRows(event.target.checked));
    for (const [name, action] of Object.entries(this.actions()))
      all(`[data-action="${name}"]`).forEach((button) => button.addEventListener("click", action));
    all("[data-pixel]").forEach((button) =>
      button.addEventListener("click", () => this.resolution(Number(button.dataset.pixel))));
    for (const canvas of [this.gantt, this.count]) this.listen(canvas);
    this.listenOverview();
    this.makeLegend();
    this.begin();
  }

  actions() {
    const chart = this.chart;
    return {
      in: () => chart.zoom(0.5), out: () => chart.zoom(2),
      left: () => chart.pan(-0.25 * this.width()), right: () => chart.pan(0.25 * this.width()),
      all: () => chart.look(0, chart.about.length, 0, chart.rows),
      before: () => chart.goToSpan(-1), next: () => chart.goToSpan(1),
      taller: () => chart.zoomRows(0.5), flatter: () => chart.zoomRows(2),
    };
  }

  width() { return this.chart.view.to - this.chart.view.from; }

  inner() { return Math.max(50, this.gantt.clientWidth - axisWidth); }

  // What is shown first: the address says, or a typical step, or the steady time, or what of it was kept.
  begin() {
    const { chart } = this, wanted = location.hash.match(/t=(\d+),(\d+)/);
    const { spanBegin, spanEnd } = chart.events, [from, to] = chart.about.steady;
    const kept = spanEnd.reduce((sum, end, at) =>
      sum + Math.max(0, Math.min(end, to) - Math.max(spanBegin[at], from)), 0);
    const edge = 0.02 * (to - from);
    const [, first, last] = chart.about.typical;
    if (wanted) chart.look(Number(wanted[1]), Number(wanted[2]));
    else if (last > first) chart.look(first, last);
    else if (kept / chart.events.rank.length >= 0.4 * (to - from)) chart.look(from - edge, to + edge);
    else if (spanBegin.length) {
      chart.look(from, from + 1);
      chart.goToSpan(1);
    }
    const rows = location.hash.match(/rows=(\d+),(\d+)/);
    if (rows) chart.look(chart.view.from, chart.view.to, Number(rows[1]), Number(rows[2]));
  }

  // So much time for each pixel.
  resolution(nanoseconds) {
    const { from, to } = this.chart.view, middle = (from + to) / 2;
    const half = nanoseconds * this.inner() / 2;
    this.chart.look(middle - half, middle + half);
  }

  later() {
    if (this.waiting || !this.drawn) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  draw() {
    this.drawn = true;
    const { chart } = this, { events } = chart, theme = themeOf(chart);
    setAxisWidth(chart, this.gantt);
    const found = drawGantt(chart, this.gantt, theme);
    const { category, means, known } = drawUtilisation(chart, this.count, theme);
    drawOverview(chart, this.overview, theme);
    const total = category.reduce((a, b) => a + b, 0);
    all("#legend button").forEach((button, at) => {
      button.querySelector("i").style.background = theme.colours[at];
      button.querySelector("small").textContent = total ? `${(100 * category[at] / total).toFixed(1)} %` : "";
      button.setAttribute("aria-pressed", !chart.hidden.has(at));
    });
    const pixel = this.width() / this.inner();
    const lines = !chart.withLines || !chart.events.senders.length ? "" : found.lines < 0 ? ""
      : found.lines > mostLines ? " Too many messages for lines: zoom in." : found.lines ? ` ${found.lines} messages as lines.` : "";
    const [step, first, last] = chart.about.typical;
    const typical = chart.view.from === first && chart.view.to === last ? `Step ${step}, as long as the median one. ` : "";
    one("#view").textContent = typical + `${timeText(chart.view.from, pixel)} to ${timeText(chart.view.to, pixel)}: `
      + `${duration(this.width())}, ${duration(pixel)} per pixel.` + lines;
    one("#counted").textContent = !known ? "No events were kept of this time." : `On average ${means[0].toFixed(2)} busy, `
      + `${means[1].toFixed(2)} in overhead and ${means[2].toFixed(2)} idle, of ${chart.ranks} processes`
      + (events.serves.some(Boolean) ? " that compute; servers are not counted." : ".");
    all("[data-pixel]").forEach((button) => {
      const exact = Math.abs(Number(button.dataset.pixel) / pixel - 1) < 0.02;
      button.setAttribute("aria-pressed", exact);
    });
  }

  makeLegend() {
    const { chart } = this;
    one("#legend").replaceChildren(...chart.names.map((name, at) => {
      const button = document.createElement("button");
      button.append(document.createElement("i"), name, " ", document.createElement("small"));
      button.addEventListener("click", () => {
        if (!chart.hidden.delete(at)) chart.hidden.add(at);
        this.draw();
      });
      const point = (now) => () => { chart.pointed = now; this.later(); };
      button.addEventListener("pointerenter", point(at));
      button.addEventListener("pointerleave", point(-1));
      button.addEventListener("focus", point(at));
      button.addEventListener("blur", point(-1));
      return button;
    }));
  }

  time(x) {
    return this.chart.view.from + (x - axisWidth) / this.inner() * this.width();
  }

  row(y) {
    return Math.floor(this.chart.view.top + y / rowHeight(this.chart, this.gantt.clientHeight));
  }

  listen(canvas) {
    const { chart } = this;
    canvas.addEventListener("wheel", (event) => {
      const asked = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!asked && document.activeElement !== canvas) return;
      event.preventDefault();
      const step = event.deltaY || event.deltaX;
      if (event.altKey) chart.zoomRows(Math.exp(step * 0.002), chart.view.top + event.offsetY / rowHeight(chart, this.gantt.clientHeight));
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) chart.pan(step / this.inner() * this.width());
      else chart.zoom(Math.exp(step * 0.002), this.time(event.offsetX));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY, moved: 0 });
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.move(event, canvas));
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (event) => {
        const pointer = this.pointers.get(event.pointerId);
        this.pointers.delete(event.pointerId);
        if (name === "pointerup" && pointer && pointer.moved < 4) this.choose(event, canvas);
      });
    canvas.addEventListener("pointerleave", hideTip);
    canvas.addEventListener("dblclick", (event) => chart.zoom(0.25, this.time(event.offsetX)));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  move(event, canvas) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) { this.tell(event, canvas); return; }
    const { chart } = this, scale = this.width() / this.inner();
    if (this.pointers.size === 2) {
      const [other] = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
      const before = Math.max(20, Math.abs(pointer.x - other.x)), now = Math.max(20, Math.abs(event.offsetX - other.x));
      chart.zoom(before / now, this.time(other.x));
    } else {
      const size = rowHeight(chart, this.gantt.clientHeight);
      const rows = canvas === this.gantt ? (pointer.y - event.offsetY) / size : 0;
      chart.pan((pointer.x - event.offsetX) * scale, rows);
    }
    pointer.moved += Math.abs(event.offsetX - pointer.x) + Math.abs(event.offsetY - pointer.y);
    pointer.x = event.offsetX;
    pointer.y = event.offsetY;
    hideTip();
  }

  key(event) {
    const { chart } = this, actions = this.actions();
    const keys = {
      ArrowLeft: actions.left, ArrowRight: actions.right, "+": actions.in, "=": actions.in,
      "-": actions.out, 0: actions.all, Home: actions.all, n: actions.next, p: actions.before,
      ArrowUp: () => chart.pan(0, -0.1 * chart.view.rows), ArrowDown: () => chart.pan(0, 0.1 * chart.view.rows),
      PageUp: actions.taller, PageDown: actions.flatter,
    };
    if (event.ctrlKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  listenOverview() {
    const { chart, overview } = this;
    const go = (event) => {
      const middle = (event.offsetX - axisWidth) / this.inner() * chart.about.length;
      const half = Math.min(this.width(), 0.9 * chart.about.length) / 2;
      chart.look(middle - half, middle + half);
    };
    overview.addEventListener("pointerdown", (event) => { overview.setPointerCapture(event.pointerId); go(event); });
    overview.addEventListener("pointermove", (event) => { if (event.buttons) go(event); });
  }

  // Words on what is under the pointer, the innermost region last.
  words(row, time) {
    const { chart } = this, { events, regions } = chart;
    const found = chart.at(row, time), lines = [];
    found.events.slice(0, -1).forEach((at) =>
      lines.push([`${regions[events.region[at]][0]} · ${duration(events.end[at] - events.begin[at])}`, "around"]));
    const inner = found.events[found.events.length - 1];
    if (inner === undefined) {
      if (found.segment >= 0) lines.push(["computation outside all regions", "name"],
        [duration(chart.segments.end[found.segment] - chart.segments.begin[found.segment])]);
      return lines;
    }
    const [name, kind, site] = regions[events.region[inner]], length = events.end[inner] - events.begin[inner];
    lines.push([name, "name"]);
    lines.push([`${kind}, ${duration(length)}, from ${timeText(events.begin[inner], Math.max(1, length / 100))}`]);
    if (site) lines.push([site, "site"]);
    if (events.idle[inner]) lines.push([`waiting for others: ${duration(events.idle[inner])}`]);
    const partner = events.partner[inner], size = events.bytes[inner];
    const whom = partner === NOBODY ? "" : partner === ANYBODY ? "any rank" : `rank ${partner}`;
    if (whom || size) lines.push([[whom && `partner: ${whom}`, size && bytesText(size)].filter(Boolean).join(", ")]);
    if (events.count[inner]) lines.push([`stands for ${events.count[inner] + 1} short events`]);
    const messages = chart.linesOf.get(inner) || [];
    messages.slice(0, 6).forEach((line) => {
      const sender = events.senders[line], receiver = events.receivers[line];
      lines.push([`message of ${bytesText(events.bytes[sender])}: rank ${events.rank[events.rowOf[sender]]} to `
        + `${events.rank[events.rowOf[receiver]]}, ${duration(Math.max(0, events.end[receiver] - events.begin[sender]))}`]);
    });
    if (messages.length > 6) lines.push([`and ${messages.length - 6} messages more`]);
    return lines;
  }

  tell(event, canvas) {
    if (event.offsetX < axisWidth || canvas !== this.gantt) return hideTip();
    const place = this.row(event.offsetY);
    if (place < 0 || place >= this.chart.rows) return hideTip();
    const row = this.chart.order[place], lines = this.words(row, this.time(event.offsetX));
    if (!lines.length) return hideTip();
    showTip([[this.whose(row), "around"], ...lines], event.clientX, event.clientY);
  }

  whose(row) {
    const thread = this.chart.events.thread[row], rank = `Rank ${this.chart.events.rank[row]}`;
    return thread >= BESIDE ? `${rank}, beside its own work: ${this.chart.besides(row)}` : thread ? `${rank}, thread ${thread}` : rank;
  }

  // A click or tap keeps the words below the chart.
  choose(event, canvas) {
    if (canvas !== this.gantt || event.offsetX < axisWidth) return;
    canvas.focus();
    const row = this.chart.order[Math.min(Math.max(0, this.row(event.offsetY)), this.chart.rows - 1)];
    const lines = this.words(row, this.time(event.offsetX)).map(([words]) => words);
    const chosen = one("#chosen");
    chosen.textContent = lines.length ? `${this.whose(row)}: ${lines.join(" › ")}` : "";
  }
}
