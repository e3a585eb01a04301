/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The ways to the allocations as a tree of functions, and below these their sites: calling frames where they were kept,
// and what was inlined. Root first it begins where the program does, the other way round where it allocates.

// Most nodes of a large tree are its leaves: a map for each would be half of its memory.
const NO_CHILDREN = new Map();

// `label` tells the children of a node apart: the number of a string, an address in a module, or a site.
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

// What no stack has of each site.
function restsOf(ofSites, rows, ofStacks) {
    const rests = Float64Array.from(ofSites);
    for (let i = 0; i < rows.count; i++) rests[rows.site[i]] -= ofStacks[i];
    return rests;
}

// Each part of a site: in a stack, or what no stack has. visit(site, node, value)
function eachPart(ofSites, rows, ofStacks, matches, visit) {
    const rest = restsOf(ofSites, rows, ofStacks);
    for (let i = 0; i < rows.count; i++) {
        const site = rows.site[i];
        if (ofStacks[i] > 0 && !sites.backing[site] && matches[site]) visit(site, rows.node[i], ofStacks[i]);
    }
    for (let i = 0; i < siteCount; i++)
        if (rest[i] > 0 && !sites.backing[i] && matches[i]) visit(i, sites.node[i], rest[i]);
}

// What is gone has to be seen as well, so of two reports the larger of both numbers is what is drawn: at each node that
// of what ends there, and all that is below; or the change alone.
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

// endOf(site, node): where in the tree a part ends.
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

// Nodes of the data are the same tree but for lines: each is looked up once.
function treeFromRoot(metric, matches) {
    const root = makeNode(null, "", -1, -1),
        made = new Array(nodes.parent.length);
    made[0] = root;
    const of = (node) =>
        (made[node] ??= childOf(of(nodes.parent[node]), labelOfFrame(nodes.frame[node]), nodes.frame[node]));
    return addParts(root, metric, matches, (site, node) =>
        childOf(of(node), "s" + (ROW === "stack" ? data.sites.id[site] : site), nodes.frame[node], site),
    );
}

function treeFromLeaves(metric, matches) {
    const root = makeNode(null, "", -1, -1);
    return addParts(root, metric, matches, (site, node) => {
        let at = root;
        for (const frame of framesOf(node)) at = childOf(at, labelOfFrame(frame), frame);
        return at;
    });
}

const makeTree = (isFromLeaves, metric, matches) => (isFromLeaves ? treeFromLeaves : treeFromRoot)(metric, matches);

// The way down to a node, which stays when the tree is made anew.
function pathOf(node) {
    const labels = [];
    for (; node.parent; node = node.parent) labels.unshift(node.label);
    return labels.join(".");
}

// As far as the tree still has it.
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
