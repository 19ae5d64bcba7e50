// Which category each segment and event belongs to, and its colour.
"use strict";

// Okabe and Ito's colours and Tol's muted ones, told apart by the colour-blind, on light and dark.
const palette = {
  light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#882255", "#999933",
          "#332288", "#44aa99", "#aa4499", "#ddcc77", "#117733", "#cc6677"],
  dark: ["#3d9be0", "#f0b32a", "#1fbf92", "#dd94bd", "#7cc8f5", "#ee7733", "#bb5588", "#bbbb55",
         "#7766cc", "#66ccbb", "#cc77bb", "#eedd99", "#44aa66", "#ee8899"],
  rest: { light: "#8a939c", dark: "#78828c" },
};

const kindGroups = [
  ["computation", ["kernel", "phase", "threads", ""]],
  ["waiting for messages", ["wait", "test", "completion"]],
  ["waiting for threads", ["thread wait"]],
  ["collectives and sums", ["collective", "start collective", "sum"]],
  ["halos", ["halo", "transpose"]],
  ["sends", ["send", "start send", "send receive"]],
  ["receives", ["receive", "start receive"]],
  ["output, input, files", ["output", "input", "file"]],
  ["one-sided", ["one-sided"]],
  ["other MPI", ["other mpi"]],
];

const stateNames = ["busy: computing", "overhead: active in MPI", "idle: waiting for others"];

const filing = new Set(["output", "input", "file"]);
const summing = new Set(["collective", "start collective", "sum"]);

// Ways to colour: each gives names of categories and the category of a segment.
function colouring(way, events, segments, regions) {
  if (way === "state") return { names: stateNames, of: (at) => segments.state[at] };
  if (way === "kind") {
    const of = regions.map(([, kind]) => kindGroups.findIndex(([, kinds]) => kinds.includes(kind)));
    return { names: kindGroups.map(([name]) => name), of: (at) => regionValue(at, of, 0) };
  }
  if (way === "region")
    return ranked(segments, [...regionNames(regions), "outside all regions"],
      (at) => regionValue(at, null, regions.length), 13);
  return tasks(events, segments, regions);

  function regionValue(at, table, none) {
    const one = segments.event[at];
    if (one < 0) return none;
    const region = events.region[one];
    return table ? table[region] : region;
  }
}

// Calls of the same name get their place in the source, too.
function regionNames(regions) {
  const names = regions.map(([name]) => name);
  return regions.map(([name, , site]) => names.indexOf(name) === names.lastIndexOf(name) || !site
    ? name : `${name} · ${site.split(" ")[0].split("/").pop()}`);
}

// Phases, and what is done in each: its own computing, its messages, its sums, its files; of members, waits.
function tasks(events, segments, regions) {
  const parts = ["", " · messages", " · sums", " · files", " · other MPI", " · waiting for other members"];
  const part = regions.map(([name, kind]) => name === "waiting for other members" ? 5 : summing.has(kind) ? 2 : filing.has(kind) ? 3
    : kind === "other mpi" ? 4 : ["kernel", "phase", "threads", "thread wait"].includes(kind) ? 0 : 1);
  const names = regions.flatMap(([name]) => parts.map((word) => name + word));
  const none = names.length;
  names.push(...parts.map((word) => "outside phases" + word), "servers: waiting for orders", "servers: at work");
  const waiting = regions.map(([, kind]) => kind === "wait");
  return ranked(segments, names, (at) => {
    const phase = segments.around[at], one = segments.event[at];
    if (events.serves[segments.rows[at]])
      return one >= 0 && waiting[events.region[one]] ? names.length - 2 : names.length - 1;
    const what = one < 0 ? 0 : part[events.region[one]];
    return (phase < 0 ? none : parts.length * phase) + what;
  }, 11);
}

// The categories of most time get names; all others are "everything else".
function ranked(segments, names, of, most) {
  const time = new Float64Array(names.length);
  for (let at = 0; at < segments.begin.length; at++)
    time[of(at)] += segments.end[at] - segments.begin[at];
  const order = [...time.keys()].filter((one) => time[one] > 0).sort((a, b) => time[b] - time[a]);
  const shown = order.slice(0, most), place = new Int32Array(names.length).fill(shown.length);
  shown.forEach((one, at) => { place[one] = at; });
  const given = shown.map((one) => names[one]);
  if (order.length > shown.length) given.push("everything else");
  return { names: given, of: (at) => place[of(at)], rest: shown.length };
}

function coloursOf(count, way, rest, dark) {
  const theme = dark ? "dark" : "light";
  if (way === "state") return dark ? ["#3d9be0", "#f0b32a", "#3a424b"] : ["#0072b2", "#e69f00", "#cfd5db"];
  return Array.from({ length: count }, (_, at) =>
    at === rest ? palette.rest[theme] : palette[theme][at % palette[theme].length]);
}
