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

// Of two reports each site as a whole: stacks are of the newer one alone. What is gone has to be seen as well, so
// the larger of both numbers is what is drawn.
function eachPair(metric, matches, visit) {
    for (let i = 0; i < siteCount; i++) {
        const now = metric.ofSites[i],
            before = metric.ofOld[i];
        if ((now > 0 || before > 0) && !sites.backing[i] && matches[i])
            visit(i, sites.node[i], Math.max(now, before), now, before);
    }
}

// Each part of a site: in a stack, or what no stack has. visit(site, node, value, now, before)
function eachPart(metric, matches, visit) {
    if (old) return eachPair(metric, matches, visit);
    const rest = Float64Array.from(metric.ofSites);
    for (let i = 0; i < stackCount; i++) {
        const site = stacks.site[i];
        rest[site] -= metric.ofStacks[i];
        if (metric.ofStacks[i] > 0 && !sites.backing[site] && matches[site])
            visit(site, stacks.node[i], metric.ofStacks[i]);
    }
    for (let i = 0; i < siteCount; i++)
        if (rest[i] > 0 && !sites.backing[i] && matches[i]) visit(i, sites.node[i], rest[i]);
}

function addUpwards(node, value, now = value, before = 0) {
    for (; node; node = node.parent) {
        node.value += value;
        node.now += now;
        node.before += before;
    }
}

// Nodes of the data are the same tree but for lines: each is looked up once.
function treeFromRoot(metric, matches) {
    const root = makeNode(null, "", -1, -1),
        made = new Array(nodes.parent.length);
    made[0] = root;
    const of = (node) =>
        (made[node] ??= childOf(of(nodes.parent[node]), labelOfFrame(nodes.frame[node]), nodes.frame[node]));
    eachPart(metric, matches, (site, node, ...values) =>
        addUpwards(childOf(of(node), "s" + site, nodes.frame[node], site), ...values),
    );
    return root;
}

function treeFromLeaves(metric, matches) {
    const root = makeNode(null, "", -1, -1);
    eachPart(metric, matches, (site, node, ...values) => {
        let at = root;
        for (const frame of framesOf(node)) at = childOf(at, labelOfFrame(frame), frame);
        addUpwards(at, ...values);
    });
    return root;
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
