/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Self and inclusive values of functions. A path counts once for each function on it.

const functionOf = (node) => frames.function[nodes.frame[node]];

// By index of the function's name.
function inclusiveOf(metric, matches) {
    const sums = new Float64Array(data.strings.length),
        last = new Uint32Array(data.strings.length);
    let path = 0;
    eachPart(metric.ofSites, stacks, metric.ofStacks, matches, (site, node, value) => {
        path++;
        for (; node; node = nodes.parent[node]) {
            const name = functionOf(node);
            if (last[name] !== path) sums[name] += value;
            last[name] = path;
        }
    });
    return sums;
}

// Callers and callees have a name and a value of the metric. NO_FRAME: the path has none.
const NO_FRAME = "";

function addNeighbour(neighbours, node, value) {
    const label = node ? labelOfFrame(nodes.frame[node]) : NO_FRAME;
    const known = neighbours.get(label) ?? { frame: node ? nodes.frame[node] : -1, value: 0 };
    neighbours.set(label, { ...known, value: known.value + value });
}

// Of recursive calls, the outermost has the caller and the innermost the callee. The callers add up to the
// inclusive value, and so do the callees plus the self value.
function neighboursOf(name, metric) {
    const found = { inclusive: 0, self: 0, callers: new Map(), callees: new Map() };
    eachPart(metric.ofSites, stacks, metric.ofStacks, new Uint8Array(siteCount).fill(1), (site, node, value) => {
        let outer = 0,
            called = -1;
        for (let at = node, below = 0; at; below = at, at = nodes.parent[at]) {
            if (functionOf(at) !== name) continue;
            outer = at;
            if (called < 0) called = below;
        }
        if (!outer) return;
        found.inclusive += value;
        addNeighbour(found.callers, nodes.parent[outer], value);
        if (sites.function[site] === name) found.self += value;
        else addNeighbour(found.callees, called, value);
    });
    return found;
}

const frameFunction = (frame) => (frame >= 0 ? text(frames.function[frame]) : null);

function neighbourRow(name, metric, value, whole, focus) {
    const label = element("b", { title: focus }, name);
    return element(
        "tr",
        {},
        element("td", { class: "number" }, number(metric, value)),
        element("td", { class: "number" }, share(value, whole)),
        element("td", {}, focus ? button(label, () => go({ focus, site: "" })) : label),
    );
}

function neighbourTable(title, neighbours, none, metric, whole) {
    const sorted = [...neighbours.values()].sort((a, b) => b.value - a.value);
    const rows = sorted.map(({ frame, value }) =>
        neighbourRow(frame < 0 ? none : frameName(frame), metric, value, whole, frameFunction(frame)),
    );
    return rows.length
        ? section(title, element("table", { class: "pairs neighbours" }, element("tbody", {}, rows)))
        : null;
}

// The panel of a function.
function functionDetails(name) {
    const metric = metricOf(state.metric),
        whole = neighboursOf(name, metric);
    const sums = [
        neighbourRow("inclusive", metric, whole.inclusive, metric.total),
        neighbourRow("self", metric, whole.self, metric.total),
    ];
    return [
        button("×", () => go({ focus: "" }), { class: "close", "aria-label": "Close" }),
        element("h2", {}, text(name)),
        element("p", {}, button(`Its ${ROW}s in the table`, () => showFunction(text(name)), { class: "its-sites" })),
        ...[lineButtons(frames.function.indexOf(name))].filter(Boolean),
        section(metric.name, element("table", { class: "pairs sums" }, element("tbody", {}, sums))),
        neighbourTable("Callers", whole.callers, "no caller on the path", metric, whole.inclusive),
        neighbourTable("Callees", whole.callees, "an allocator", metric, whole.inclusive),
    ];
}

const showFunction = (name) => go({ group: ROW, focus: "", filter: `${state.filter} ${termOf("function", name)}`.trim() });
