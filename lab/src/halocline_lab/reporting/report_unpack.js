// The packed columns of the page, and what each moment of each row belongs to.
"use strict";

// Integers in seven-bit groups, least first, deflated, in base64; see report_packing.py.
async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let count = 0;
  for (const byte of bytes) if (byte < 128) count++;
  const values = new Float64Array(count);
  let at = 0, value = 0, scale = 1;
  for (const byte of bytes) {
    value += (byte & 127) * scale;
    if (byte < 128) { values[at++] = value; value = 0; scale = 1; } else scale *= 128;
  }
  return values;
}

const unfold = (value) => (value % 2 ? -(value + 1) / 2 : value / 2);

function starts(counts) {
  const found = new Int32Array(counts.length + 1);
  for (let row = 0; row < counts.length; row++) found[row + 1] = found[row] + counts[row];
  return found;
}

// Times are nanoseconds since the first event.
async function unpackTimeline(data) {
  const names = Object.keys(data);
  const columns = await Promise.all(names.map((name) => unpack(data[name])));
  const found = Object.fromEntries(names.map((name, at) => [name, columns[at]]));
  const first = starts(found.counts), spanFirst = starts(found.spanCounts);
  const begin = found.begin, end = new Float64Array(begin.length), until = new Float64Array(begin.length);
  for (let row = 0; row < found.rank.length; row++) {
    let time = 0, most = 0;
    for (let at = first[row]; at < first[row + 1]; at++) {
      begin[at] = time += begin[at];
      end[at] = time + found.length[at];
      until[at] = most = Math.max(most, end[at]);
    }
  }
  const partner = new Int32Array(begin.length);
  for (let row = 0; row < found.rank.length; row++)
    for (let at = first[row]; at < first[row + 1]; at++)
      partner[at] = found.partner[at] < 2 ? -1 - found.partner[at]
        : unfold(found.partner[at] - 2) + found.rank[row];
  const rowOf = new Int32Array(begin.length);
  for (let row = 0; row < found.rank.length; row++) rowOf.fill(row, first[row], first[row + 1]);
  let sender = 0;
  const senders = Int32Array.from(found.senders, (step) => (sender += step));
  const receivers = Int32Array.from(found.receivers, (step, at) => senders[at] + unfold(step));
  const spanEnd = found.spanBegin.map((time, at) => time + found.spanLength[at]);
  return { ...found, begin, end, until, partner, first, spanFirst, spanEnd, rowOf, senders, receivers };
}

const NOBODY = -1, ANYBODY = -2;

// States as in states.py: busy, overhead, idle; regions of state -1 are overhead unless they wait.
const BUSY = 0, OVERHEAD = 1, IDLE = 2;

// Segments follow each other in time: the innermost event, or -1 where a rank computes between all.
function segmentsOf(events, regionState) {
  const most = 3 * events.begin.length + events.spanBegin.length + events.rank.length;
  const begin = new Float64Array(most), end = new Float64Array(most), event = new Int32Array(most);
  const state = new Uint8Array(most), around = new Int32Array(most), rows = new Int32Array(most);
  const first = new Int32Array(events.rank.length + 1);
  let count = 0, current = 0;
  const add = (from, to, one, what, phase) => {
    if (to <= from) return;
    begin[count] = from; end[count] = to; event[count] = one; state[count] = what;
    around[count] = phase;
    rows[count++] = current;
  };
  for (let row = 0; row < events.rank.length; row++) {
    current = row;
    let span = events.spanFirst[row];
    const lastSpan = events.spanFirst[row + 1], stack = [], phases = [-1];
    let cursor = span < lastSpan ? events.spanBegin[span] : 0;
    const emit = (to) => {
      if (stack.length) {
        const one = stack[stack.length - 1], phase = phases[phases.length - 1];
        const what = regionState[events.region[one]];
        const waits = what < 0 ? events.begin[one] + events.idle[one] : 0;
        add(cursor, Math.min(to, waits), one, IDLE, phase);
        add(Math.max(cursor, waits), to, one, what < 0 ? OVERHEAD : what, phase);
      } else if (events.thread[row] === 0) {
        while (span < lastSpan && events.spanEnd[span] <= cursor) span++;
        for (let s = span; s < lastSpan && events.spanBegin[s] < to; s++)
          add(Math.max(cursor, events.spanBegin[s]), Math.min(to, events.spanEnd[s]), -1, BUSY, -1);
      }
      cursor = Math.max(cursor, to);
    };
    const close = (time) => {
      while (stack.length && events.end[stack[stack.length - 1]] <= time) {
        emit(events.end[stack[stack.length - 1]]);
        stack.pop();
        phases.pop();
      }
    };
    for (let at = events.first[row]; at < events.first[row + 1]; at++) {
      close(events.begin[at]);
      emit(events.begin[at]);
      stack.push(at);
      phases.push(events.isPhase[events.region[at]] ? events.region[at] : phases[phases.length - 1]);
    }
    close(Infinity);
    if (span < lastSpan) emit(events.spanEnd[lastSpan - 1]);
    first[row + 1] = count;
  }
  return {
    begin: begin.subarray(0, count), end: end.subarray(0, count), event: event.subarray(0, count),
    state: state.subarray(0, count), around: around.subarray(0, count), rows, first,
  };
}

// The first place in from..to whose value is more than `wanted`; values are in order.
function firstAfter(values, wanted, from, to) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle] > wanted) to = middle; else from = middle + 1;
  }
  return from;
}
