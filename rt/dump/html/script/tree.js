/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The call paths of allocations as a tree of functions with sites as leaves, from recorded frames and inline
// chains. It starts at the program's first function, or inverted at the allocations.

// Most nodes of a large tree are leaves, and a map for each would be half of its memory.
const NO_CHILDREN = new Map();

// `label` distinguishes the children of a node: index of a string, address in a module, or site.
const makeNode = (parent, label, frame, site) => ({
    parent,
    label,
    frame,
    site,
    value: 0,
    now: 0,
    before: 0,
    children: NO_CHILDREN,
});

function childOf(parent, label, frame, site = -1) {
    let child = parent.children.get(label);
    if (parent.children === NO_CHILDREN) parent.children = new Map();
    if (!child) parent.children.set(label, (child = makeNode(parent, label, frame, site)));
    return child;
}

const labelOfFrame = (frame) =>
    frames.function[frame] ? String(frames.function[frame]) : "m" + frames.module[frame] + "a" + frames.address[frame];

// The part of each site that is in no stack.
function restsOf(ofSites, rows, ofStacks) {
    const rests = Float64Array.from(ofSites);
    for (let i = 0; i < rows.count; i++) rests[rows.site[i]] -= ofStacks[i];
    return rests;
}

// Calls visit(site, node, value) for each stack of a site, and for the part in no stack.
function eachPart(ofSites, rows, ofStacks, matches, visit) {
    const rest = restsOf(ofSites, rows, ofStacks);
    for (let i = 0; i < rows.count; i++) {
        const site = rows.site[i];
        if (ofStacks[i] > 0 && !sites.uncounted[site] && matches[site]) visit(site, rows.node[i], ofStacks[i]);
    }
    for (let i = 0; i < siteCount; i++)
        if (rest[i] > 0 && !sites.uncounted[i] && matches[i]) visit(i, sites.node[i], rest[i]);
}

// For two reports, the width of a node is the larger of both values of the parts that end there plus the
// widths of all children, so that removed parts stay visible; or only the change.
function settle(node, widthOf = Math.max) {
    let now = node.now,
        before = node.before,
        below = 0;
    for (const child of node.children.values()) {
        settle(child, widthOf);
        now -= child.now;
        before -= child.before;
        below += child.value;
    }
    node.value = below + widthOf(now, before);
}

function addUpwards(node, now, before) {
    for (; node; node = node.parent) {
        node.now += now;
        node.before += before;
    }
}

// endOf(site, node): the tree's node in which a part ends.
function addParts(root, metric, matches, endOf) {
    eachPart(metric.ofSites, stacks, metric.ofStacks, matches, (site, node, now) =>
        addUpwards(endOf(site, node), now, 0),
    );
    if (old)
        eachPart(metric.ofOld, oldStacks, metric.ofOldStacks, matches, (site, node, before) =>
            addUpwards(endOf(site, node), 0, before),
        );
    settle(root, old && state.width ? (now, before) => Math.abs(now - before) : Math.max);
    return root;
}

// Frames of libraries, and code without a name, like the function of libstdc++ that starts a thread.
const isLibrary = (frame) =>
    Boolean(frames.flags[frame] & LIBRARY) || !frames.function[frame] || text(frames.function[frame]).startsWith("[function at ");

// 1 for each node that is in a library and has only such nodes above it. Such frames start a thread and explain no
// allocation.
const isStart = new Uint8Array(nodes.parent.length).fill(1, 0, 1);
for (let i = 1; i < isStart.length; i++)
    isStart[i] = Number(isStart[nodes.parent[i]] && isLibrary(nodes.frame[i]));

// Returns whether the graph leaves out a node: a start of a thread, or a library's calls within the library.
const isFolded = (node) =>
    state.library === "" &&
    (isStart[node] || (isLibrary(nodes.frame[node]) && isLibrary(nodes.frame[nodes.parent[node]])));

// The data's nodes differ from the tree's only by lines. Each node is converted once.
function treeFromRoot(metric, matches) {
    const root = makeNode(null, "", -1, -1),
        made = new Array(nodes.parent.length);
    made[0] = root;
    const of = (node) =>
        (made[node] ??= isFolded(node)
            ? of(nodes.parent[node])
            : childOf(of(nodes.parent[node]), labelOfFrame(nodes.frame[node]), nodes.frame[node]));
    return addParts(root, metric, matches, (site, node) =>
        childOf(of(node), "s" + (ROW === "stack" ? data.sites.id[site] : site), nodes.frame[node], site),
    );
}

function treeFromLeaves(metric, matches) {
    const root = makeNode(null, "", -1, -1);
    return addParts(root, metric, matches, (site, node) => {
        let at = root;
        for (; node; node = nodes.parent[node])
            if (!isFolded(node)) at = childOf(at, labelOfFrame(nodes.frame[node]), nodes.frame[node]);
        return at;
    });
}

const makeTree = (isFromLeaves, metric, matches) => (isFromLeaves ? treeFromLeaves : treeFromRoot)(metric, matches);

// The path of labels to a node, which stays valid when the tree is rebuilt.
function pathOf(node) {
    const labels = [];
    for (; node.parent; node = node.parent) labels.unshift(node.label);
    return labels.join(".");
}

// The deepest node of the path that the tree has.
function nodeAt(root, path) {
    let node = root;
    for (const label of path ? path.split(".") : []) node = node.children.get(label) ?? node;
    return node;
}

const nodeName = (node) =>
    !node.parent
        ? "all"
        : node.site >= 0
          ? `${text(sites.callee[node.site]) ?? "unsited"} ${sitePlace(node.site)}`
          : frameName(node.frame);
