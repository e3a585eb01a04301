/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Self and inclusive values of functions, and callers of sites. A path counts once for each function on it.

const functionOf = (node) => frames.function[nodes.frame[node]];

// By index of the function's name.
function inclusiveOf(ofSites, rows, ofStacks, matches) {
    const sums = new Float64Array(data.strings.length),
        last = new Uint32Array(data.strings.length);
    let path = 0;
    eachPart(ofSites, rows, ofStacks, matches, (site, node, value) => {
        path++;
        for (; node; node = nodes.parent[node]) {
            const name = functionOf(node);
            if (last[name] !== path) sums[name] += value;
            last[name] = path;
        }
    });
    return sums;
}

const isSamePlace = (one, other) =>
    one === other || ["function", "file", "line", "column"].every((name) => frames[name][one] === frames[name][other]);

// The callers of a site's line, the largest first. The site's own frames follow those of pass-through functions.
function callersOf(i, metric) {
    const own = framesOf(sites.node[i]),
        callers = new Map();
    for (const s of ROW === "site" && !old ? stacksOf(i) : []) {
        const path = framesOf(stacks.node[s]),
            at = path.findIndex((frame) => isSamePlace(frame, own[0]));
        const frame = at < 0 ? undefined : path[at + own.length];
        if (frame === undefined || !metric.ofStacks[s]) continue;
        const label = labelOfFrame(frame);
        callers.set(label, { frame, value: (callers.get(label)?.value ?? 0) + metric.ofStacks[s] });
    }
    return [...callers.values()].sort((a, b) => b.value - a.value);
}

// Callers and callees have a name and values of the metric, now and before. NO_FRAME: the path has none.
const NO_FRAME = "";

function addNeighbour(neighbours, node, which, value) {
    const label = node ? labelOfFrame(nodes.frame[node]) : NO_FRAME;
    if (!neighbours.has(label)) neighbours.set(label, { frame: node ? nodes.frame[node] : -1, now: 0, before: 0 });
    neighbours.get(label)[which] += value;
}

// In recursion, the outermost call has the caller and the innermost call has the callee. The callers add up to the
// inclusive value, and so do the callees plus the self value.
function addPathTo(found, name, which, site, node, value) {
    let outer = 0,
        called = -1;
    for (let at = node, below = 0; at; below = at, at = nodes.parent[at]) {
        if (functionOf(at) !== name) continue;
        outer = at;
        if (called < 0) called = below;
    }
    if (!outer) return;
    found.inclusive[which] += value;
    addNeighbour(found.callers, nodes.parent[outer], which, value);
    if (sites.function[site] === name) found.self[which] += value;
    else addNeighbour(found.callees, called, which, value);
}

function neighboursOf(name, metric) {
    const none = { now: 0, before: 0 },
        found = { inclusive: { ...none }, self: { ...none }, callers: new Map(), callees: new Map() },
        all = new Uint8Array(siteCount).fill(1);
    const add = (which) => (site, node, value) => addPathTo(found, name, which, site, node, value);
    eachPart(metric.ofSites, stacks, metric.ofStacks, all, add("now"));
    if (old) eachPart(metric.ofOld, oldStacks, metric.ofOldStacks, all, add("before"));
    return found;
}

const frameFunction = (frame) => (frame >= 0 ? text(frames.function[frame]) : null);

function neighbourRow(name, metric, { now, before }, whole, focus) {
    const label = element("b", { title: focus }, name);
    return element(
        "tr",
        {},
        element("td", { class: "number" }, number(metric, now)),
        element("td", { class: "number" }, old ? changed(metric, before, now) : share(now, whole)),
        element("td", {}, focus ? button(label, () => go({ focus, site: "" })) : label),
    );
}

function neighbourTable(title, neighbours, none, metric, whole) {
    const sorted = [...neighbours.values()].sort((a, b) => b.now + b.before - a.now - a.before);
    const rows = sorted.map((values) =>
        neighbourRow(values.frame < 0 ? none : frameName(values.frame), metric, values, whole, frameFunction(values.frame)),
    );
    return rows.length
        ? section(title, element("table", { class: "pairs neighbours" }, element("tbody", {}, rows)))
        : null;
}

// The panel of a function.
function functionDetails(name) {
    const metric = metricOf(state.metric),
        found = neighboursOf(name, metric);
    const sums = [
        neighbourRow("inclusive", metric, found.inclusive, metric.total),
        neighbourRow("self", metric, found.self, metric.total),
    ];
    return [
        closeButton({ focus: "" }),
        element("h2", { title: text(name) }, shortOf(name)),
        element("p", {}, button(`Its ${ROW}s in the table`, () => showFunction(text(name)), { class: "its-sites" })),
        lineButtons(frames.function.indexOf(name)),
        section(metric.name, element("table", { class: "pairs sums" }, element("tbody", {}, sums))),
        neighbourTable("Callers", found.callers, "no caller on the path", metric, found.inclusive.now),
        neighbourTable("Callees", found.callees, "an allocator", metric, found.inclusive.now),
    ];
}

const showFunction = (name) =>
    go({ view: "sites", group: ROW, focus: "", filter: `${state.filter} ${termOf("function", name)}`.trim() });
