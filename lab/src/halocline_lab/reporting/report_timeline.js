// The chart of what every process does (task Gantt chart) and how many are busy (utilisation count).
"use strict";

// Threads from here on stand for what happens beside the program, as the background of its output.
const BESIDE = 32768;

class Timeline {
  constructor(about, events, repaint) {
    this.about = about;
    this.events = events;
    this.regions = about.regions;
    events.isPhase = this.regions.map(([, kind]) => kind === "phase");
    this.segments = segmentsOf(events, about.regionState);
    this.depths = this.nesting();
    this.showRows(events.rank.length <= 64);
    events.serves = [...events.rank].map((rank) => about.serves[rank]);
    this.counted = [...events.thread].map((thread, row) => thread === 0 && !events.serves[row]);
    this.ranks = this.counted.filter(Boolean).length;
    this.view = { from: 0, to: about.length, top: 0, rows: this.rows };
    this.hidden = new Set();
    this.pointed = -1;
    this.repaint = repaint;
    this.linesOf = new Map();
    events.senders.forEach((sender, line) => this.link(sender, line));
    events.receivers.forEach((receiver, line) => this.link(receiver, line));
    this.colourBy(this.phased() ? "task" : "region");
  }

  // Whether phases tell more than regions do: three of them take time of their own.
  phased() {
    const { begin, end, around } = this.segments, time = new Map();
    let whole = 0;
    for (let at = 0; at < begin.length; at++) {
      whole += end[at] - begin[at];
      if (around[at] >= 0) time.set(around[at], (time.get(around[at]) || 0) + end[at] - begin[at]);
    }
    return [...time.values()].filter((one) => one > 0.03 * whole).length >= 3;
  }

  // All rows, or those of the main threads; `order` says which row of the data stands where.
  showRows(threads) {
    const { rank, thread } = this.events;
    this.threads = threads;
    this.order = [...rank.keys()].filter((row) => threads || thread[row] === 0);
    this.rows = this.order.length;
    this.placeOf = new Int32Array(rank.length).fill(-1);
    this.order.forEach((row, place) => { this.placeOf[row] = place; });
    if (this.view) this.look(this.view.from, this.view.to, 0, this.rows);
  }

  link(event, line) {
    if (!this.linesOf.has(event)) this.linesOf.set(event, []);
    this.linesOf.get(event).push(line);
  }

  // Depth of each event within its row.
  nesting() {
    const { begin, end, first } = this.events, depths = new Uint8Array(begin.length);
    this.deepest = 0;
    for (let row = 0; row < this.events.rank.length; row++) {
      const ends = [];
      for (let at = first[row]; at < first[row + 1]; at++) {
        while (ends.length && ends[ends.length - 1] <= begin[at]) ends.pop();
        depths[at] = Math.min(ends.length, 250);
        this.deepest = Math.max(this.deepest, depths[at]);
        ends.push(end[at]);
      }
    }
    return depths;
  }

  colourBy(way) {
    this.way = way;
    const found = colouring(way, this.events, this.segments, this.regions);
    this.names = found.names;
    this.rest = found.rest;
    this.category = new Uint8Array(this.segments.begin.length);
    this.eventCategory = new Uint8Array(this.events.begin.length).fill(255);
    for (let at = 0; at < this.category.length; at++) {
      this.category[at] = found.of(at);
      const one = this.segments.event[at];
      if (one >= 0) this.eventCategory[one] = this.category[at];
    }
    const byName = regionNames(this.regions).map((name) => this.names.indexOf(name));
    this.eventCategory.forEach((category, at) => {
      const named = byName[this.events.region[at]];
      if (category === 255 && named >= 0) this.eventCategory[at] = named;
    });
    this.hidden.clear();
    this.pointed = -1;
  }

  // Keep the view within the run, and its rows within the rows.
  look(from, to, top = this.view.top, rows = this.view.rows) {
    const length = Math.min(Math.max(to - from, 20), this.about.length);
    from = Math.min(Math.max(from, 0), this.about.length - length);
    rows = Math.min(Math.max(rows, Math.min(2, this.rows)), this.rows);
    top = Math.min(Math.max(top, 0), this.rows - rows);
    this.view = { from, to: from + length, top, rows };
    this.repaint();
  }

  zoom(factor, centre = (this.view.from + this.view.to) / 2) {
    const { from, to } = this.view;
    this.look(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  zoomRows(factor, centre = this.view.top + this.view.rows / 2) {
    const { from, to, top, rows } = this.view;
    this.look(from, to, centre - (centre - top) * factor, rows * factor);
  }

  pan(time, rows = 0) {
    const { from, to, top } = this.view;
    this.look(from + time, to + time, top + rows);
  }

  // Times of which events of some row are kept.
  keptTimes() {
    if (this.kept) return this.kept;
    const { spanBegin, spanEnd } = this.events;
    const order = [...spanBegin.keys()].sort((a, b) => spanBegin[a] - spanBegin[b]);
    this.kept = [];
    for (const at of order) {
      const last = this.kept[this.kept.length - 1];
      if (last && spanBegin[at] <= last[1]) last[1] = Math.max(last[1], spanEnd[at]);
      else this.kept.push([spanBegin[at], spanEnd[at]]);
    }
    return this.kept;
  }

  // Kept spans of the first row, for going from one to the next.
  goToSpan(direction) {
    const { spanBegin, spanEnd, spanFirst } = this.events;
    const middle = (this.view.from + this.view.to) / 2;
    const whole = this.view.to - this.view.from > 0.98 * this.about.length;
    const list = [];
    for (let at = spanFirst[0]; at < spanFirst[1]; at++) list.push([spanBegin[at], spanEnd[at]]);
    if (!list.length) return;
    const next = direction > 0 ? list.find(([from]) => whole || from > middle)
      : list.reverse().find(([, to]) => to < middle);
    const [from, to] = next || list[0], edge = 0.01 * (to - from);
    this.look(from - edge, to + edge);
  }

  // What lies at a time of a row: events, the outermost first; and the segment.
  at(row, time) {
    const { first, begin, end, until } = this.events, found = [];
    for (let one = firstAfter(until, time, first[row], first[row + 1]);
      one < first[row + 1] && begin[one] <= time; one++)
      if (end[one] > time) found.push(one);
    const { first: start, begin: from, end: to } = this.segments;
    const segment = firstAfter(to, time, start[row], start[row + 1]);
    const inside = segment < start[row + 1] && from[segment] <= time;
    return { events: found, segment: inside ? segment : -1 };
  }

  // Time of each state in each pixel column, for the processes that compute, and seconds of each category.
  sums(width) {
    const { from, to } = this.view, scale = width / (to - from);
    const { first, begin, end, state } = this.segments;
    const columns = [0, 1, 2].map(() => new Float64Array(width));
    const category = new Float64Array(this.names.length);
    for (const row of this.order) {
      const main = this.counted[row];
      for (let at = firstAfter(end, from, first[row], first[row + 1]);
        at < first[row + 1] && begin[at] < to; at++) {
        const a = Math.max(begin[at] - from, 0) * scale, b = Math.min(end[at] - from, to - from) * scale;
        category[this.category[at]] += b - a;
        if (!main) continue;
        const column = columns[state[at]], last = Math.min(Math.floor(b), width - 1);
        let x = Math.min(Math.floor(a), width - 1);
        if (x === last) { column[x] += b - a; continue; }
        column[x] += x + 1 - a;
        for (x++; x < last; x++) column[x] += 1;
        column[last] += b - last;
      }
    }
    return { columns, category };
  }

  // The category that takes most of each pixel column of a row; 255: nothing is known.
  strip(row, width, found, spent) {
    const { from, to } = this.view, scale = width / (to - from);
    const { first, begin, end } = this.segments;
    found.fill(255);
    spent.fill(0);
    let pixel = -1;
    const settle = () => {
      let most = 0;
      for (let one = 0; one < spent.length; one++) {
        if (spent[one] > most) { most = spent[one]; found[pixel] = one; }
        spent[one] = 0;
      }
    };
    for (let at = firstAfter(end, from, first[row], first[row + 1]);
      at < first[row + 1] && begin[at] < to; at++) {
      const category = this.category[at];
      if (this.hidden.has(category)) continue;
      const a = Math.max(begin[at] - from, 0) * scale, b = Math.min(end[at] - from, to - from) * scale;
      const x = Math.min(Math.floor(a), width - 1), last = Math.min(Math.floor(b), width - 1);
      if (x !== pixel) { settle(); pixel = x; }
      spent[category] += Math.min(b, x + 1) - a;
      if (last === x) continue;
      settle();
      found.fill(category, x + 1, last);
      pixel = last;
      spent[category] += b - last;
    }
    settle();
    return found;
  }

  // What a thread beside the program does.
  besides(row) {
    const region = this.regions[this.events.thread[row] - BESIDE];
    return region ? region[0] : "beside";
  }

  rowName(row) {
    const { rank, thread } = this.events;
    if (thread[row] >= BESIDE) return `${rank[row]} ${this.besides(row)}`;
    if (thread[row]) return `${rank[row]}.${thread[row]}`;
    const role = this.about.roles[rank[row]];
    return role ? `${role} ${rank[row]}` : `${rank[row]}`;
  }
}
