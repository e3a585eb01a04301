/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Chooses the lines of allocations anew when the user attributes a function's allocations to its callers or
// undoes that. The data is rewritten before any view reads it, so all views show the new lines. The rule is
// the report's (line/chooser.h).

const LIBRARY = 1,
    PASS_THROUGH = 2,
    COMPILED = 4;

// In the URL, function names are separated by newlines, because they may contain commas.
const namesIn = (list) => new Set((list ?? "").split("\n").filter(Boolean));
const chosenBy = (key) => namesIn(new URLSearchParams(location.hash.slice(1)).get(key));
const SKIPPED = chosenBy("skip"),
    STOPPED = chosenBy("stop");

// The frames of a path from the innermost outwards.
function framesTo({ nodes }, node) {
    const path = [];
    for (; node; node = nodes.parent[node]) path.push(nodes.frame[node]);
    return path;
}

// Index of the path's line; the innermost frame if all are in libraries.
function chooseLine({ frames, strings }, path) {
    const name = (frame) => strings[frames.function[frame]];
    const passes = (frame) =>
        !STOPPED.has(name(frame)) && (SKIPPED.has(name(frame)) || Boolean(frames.flags[frame] & PASS_THROUGH));
    const isOwn = (frame) => name(frame) && !passes(frame);
    let at = path.findIndex((frame) => isOwn(frame) && frames.line[frame]);
    if (at < 0) at = path.findIndex(isOwn);
    if (at < 0) at = path.findLastIndex((frame) => name(frame) && !(frames.flags[frame] & LIBRARY));
    return Math.max(at, 0);
}

const valueOf = (rows, name, i) => rows[name]?.[i] ?? 0;

// Key of a row. The functions that the frame was inlined into belong to it.
function rowOf(data, site, path, at) {
    const { frames, sites } = data,
        frame = path[at];
    let end = at;
    while (end + 1 < path.length && frames.inlined[path[end]]) end++;
    return {
        function: frames.function[frame],
        file: frames.file[frame],
        line: frames.line[frame],
        column: frames.column[frame],
        module: frames.module[frame] || valueOf(sites, "module", site),
        callee: at ? frames.called[path[at - 1]] : frames.callee[frame],
        type: valueOf(sites, "type", site),
        unsited: Number(valueOf(sites, "unsited", site) && !(frames.flags[frame] & COMPILED)),
        uncounted: valueOf(sites, "uncounted", site),
        startup: valueOf(sites, "startup", site),
        chain: path.slice(at, end + 1),
    };
}

// Adds the chain to the tree and returns its last node.
function nodeOfChain({ nodes }, chain) {
    return chain.reduceRight((parent, frame) => nodes.parent.push(parent) && nodes.frame.push(frame) - 1, 0);
}

// Merges the maxima of two rows as the report does (counters_join).
function joinMost(row, most, within) {
    const bound = row.max_live_blocks + row.max_live_blocks_within + most + within,
        together = Math.max(row.live_blocks ?? 0, row.peak_blocks ?? 0),
        largest = Math.max(row.max_live_blocks, most);
    row.max_live_blocks = largest < together ? Math.min(together, bound) : largest;
    row.max_live_blocks_within = bound - row.max_live_blocks;
}

const isMost = (name) => name.startsWith("max_live_blocks");

function addStack(counters, stacks, s) {
    for (const name in stacks)
        if (Array.isArray(stacks[name]) && name !== "site" && name !== "node" && !isMost(name))
            counters[name] = (counters[name] ?? 0) + stacks[name][s];
    counters.max_live_blocks ??= counters.max_live_blocks_within ??= 0;
    joinMost(counters, valueOf(stacks, "max_live_blocks", s), valueOf(stacks, "max_live_blocks_within", s));
}

// A stable id of a row (FNV-1a).
function idOf(key) {
    let hash = 0xcbf29ce484222325n;
    for (const letter of key) hash = BigInt.asUintN(64, (hash ^ BigInt(letter.codePointAt(0))) * 0x100000001b3n);
    return hash.toString(16).padStart(16, "0");
}

const withoutFolder = (path) => path?.replace(/.*\//s, "");

// Returns the key by which the rows of two reports are matched. As in the reader's ids, lines count from the start of their
// function.
function identityOf({ frames, strings }, { chain, callee, type, unsited, module, uncounted }) {
    const places = chain.map((frame) => [
        strings[frames.function[frame]],
        withoutFolder(strings[frames.file[frame]]),
        frames.line[frame] - frames.start[frame],
        frames.column[frame],
    ]);
    return JSON.stringify([places, strings[callee], strings[type], unsited && withoutFolder(strings[module]), uncounted]);
}

// Adds the stacks of one report to the rows' counters `which`. Returns the row of each stack.
function collectRows(data, rows, stacks, which) {
    return Array.from({ length: stacks.count }, (_, s) => {
        const site = valueOf(stacks, "site", s),
            path = framesTo(data, stacks.node[s]);
        const { chain, ...fields } = rowOf(data, site, path, chooseLine(data, path));
        const key = data.old ? identityOf(data, { chain, ...fields }) : JSON.stringify([fields, chain]);
        if (!rows.has(key)) rows.set(key, { fields, chain, now: {}, before: {} });
        const row = rows.get(key);
        addStack(row[which], stacks, s);
        return row;
    });
}

const isEmpty = (counters) => !Object.keys(counters).length;

// In functions that were edited, rows are the same if function, callee and file are, in the order of the code.
function joinEdited({ strings }, rows) {
    const gone = new Map();
    const keyOf = ({ fields }) => JSON.stringify([strings[fields.function], strings[fields.callee], withoutFolder(strings[fields.file])]);
    const inOrder = [...rows].sort(([, a], [, b]) => a.fields.line - b.fields.line);
    for (const [key, row] of inOrder)
        if (isEmpty(row.now)) gone.set(keyOf(row), [...(gone.get(keyOf(row)) ?? []), [key, row]]);
    for (const [, row] of inOrder) {
        const [key, old] = (isEmpty(row.before) && gone.get(keyOf(row))?.shift()) || [];
        if (!old) continue;
        row.before = old.before;
        old.joined = row;
        rows.delete(key);
    }
}

// The row that has all counts of a site; -1: several rows share them.
function targetsOf(sites, stacks, of) {
    const target = new Array(sites.id.length);
    of.forEach(({ number }, s) => {
        const site = valueOf(stacks, "site", s);
        target[site] = target[site] === undefined || target[site] === number ? number : -1;
    });
    return target;
}

// Histograms exist only for whole sites. A site that was divided among rows loses its histograms and pairs.
function moveDetails(data, prefix, target, count) {
    const moved = (rows) => rows.filter(([site]) => target[site] >= 0).map(([site, ...rest]) => [target[site], ...rest]);
    const merged = (rows, join) => {
        const sums = new Map();
        for (const [site, ...rest] of moved(rows)) sums.set(site, sums.has(site) ? join(sums.get(site), rest) : rest);
        return [...sums].map(([site, rest]) => [site, ...rest]);
    };
    const siteOf = (site) => (target[site] >= 0 ? target[site] : count);
    const change = (name, by) => (data[prefix + name] = by(data[prefix + name]));
    change("sizes", (rows) => merged(rows, (a, b) => [...a, ...b]));
    change("lifetimes", (rows) => merged(rows, ([a, b, c, d], [e, f, g, h]) => [a + e, b + f, [...c, ...g], [...d, ...h]]));
    change("pairs", (rows) => rows.map(([owner, by, ...rest]) => [siteOf(owner), siteOf(by), ...rest]));
}

// Moves stacks and details of one report from the sites to the rows.
function moveStacks(data, prefix, stacks, of, count) {
    const rows = of.map((row) => row.joined ?? row);
    moveDetails(data, prefix, targetsOf(data.sites, stacks, rows), count);
    stacks.site = rows.map(({ number }) => number);
}

// Makes a column of each counter that a row has.
function columnsOf(list) {
    const names = new Set(list.flatMap((counters) => Object.keys(counters)));
    return Object.fromEntries([...names].map((name) => [name, list.map((counters) => counters[name] ?? 0)]));
}

function chooseLines(data) {
    const rows = new Map();
    const of = collectRows(data, rows, data.stacks, "now"),
        oldOf = data.old && collectRows(data, rows, data.old_stacks, "before");
    if (data.old) joinEdited(data, rows);
    const made = [...rows.values()];
    made.forEach((row, number) => (row.number = number));
    moveStacks(data, "", data.stacks, of, made.length);
    if (data.old) moveStacks(data, "old_", data.old_stacks, oldOf, made.length);
    data.by_phase = data.by_phase?.map(([phase, site, stack, ...rest]) => [phase, data.stacks.site[stack] ?? made.length, stack, ...rest]);
    const text = ({ fields }) => JSON.stringify([fields.function, fields.file, fields.callee, fields.type, fields.module].map((i) => data.strings[i]));
    data.sites = {
        id: made.map((row) => idOf(text(row) + row.fields.line + ":" + row.fields.column + ":" + row.chain.length + row.fields.unsited)),
        node: made.map((row) => nodeOfChain(data, row.chain)),
        ...columnsOf(made.map(({ fields, now }) => ({ ...fields, ...now }))),
    };
    if (data.old) data.old = columnsOf(made.map(({ before }) => before));
    // leaked blocks are known only for whole sites
    for (const key of ["leaked", "possibly"]) document.querySelector(`#totals [data-metric=${key}]`)?.remove();
    return data;
}

// ---- The buttons at a frame, and the current choice.

const listOf = (names) => [...names].join("\n");
const without = (names, name) => listOf([...names].filter((other) => other !== name));

// Reloads the page, because the data was rewritten.
function choose(skip, stop) {
    history.pushState(null, "", fragmentOf({ ...state, skip, stop, site: "", focus: "", zoom: "", room: "" }));
    location.reload();
}

function lineButtons(frame) {
    const name = frame >= 0 ? text(frames.function[frame]) : null;
    if (!data.chooses || !name) return null;
    const skip = () => choose(listOf(new Set([...SKIPPED, name])), without(STOPPED, name));
    const stop = () => choose(without(SKIPPED, name), listOf(new Set([...STOPPED, name])));
    return element(
        "span",
        { class: "lines" },
        button("Attribute to callers", skip, { "data-line": "skip" }),
        button("Stop here", stop, { "data-line": "stop" }),
    );
}

function chosenLines() {
    const chosen = (what, names, drop) =>
        [...names].map((name) => button(`${what} ${shortOf(data.strings.indexOf(name))} ×`, () => drop(name), { title: name }));
    return element(
        "p",
        { class: "note chosen-lines", hidden: !SKIPPED.size && !STOPPED.size },
        chosen("Attributed to the callers of", SKIPPED, (name) => choose(without(SKIPPED, name), listOf(STOPPED))),
        chosen("Stopped at", STOPPED, (name) => choose(listOf(SKIPPED), without(STOPPED, name))),
    );
}
