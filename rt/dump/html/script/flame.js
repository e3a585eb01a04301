/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The flame graph, with the root at the top. Frames narrower than a pixel are combined. A click widens a
// frame to the full width and shows its function or site in the panel.

const FLAME_ROW = 21;
// Maximum depth that is drawn.
const FLAME_DEPTH = 200;
// The largest depth that a user can choose. A larger number means that stacks are complete.
const STACK_MOST = 64;
// The width of most characters, in pixels, and of the space around a name.
const LETTER = 6.6,
    AROUND_NAME = 10;

// A shade that depends on the name, so that neighbours differ.
const toneOf = (name) => [...name].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7) % 3;

// The hue of a file, or of a module's code without files. The golden angle keeps the first few far apart,
// which are those that allocate most.
const hues = new Map();
function hueOf(file, module) {
    const key = file ? "f" + file : "m" + module;
    if (!hues.has(key)) hues.set(key, (178 + 137.508 * hues.size) % 360);
    return hues.get(key);
}
for (const { key } of groupSites("file", new Uint8Array(siteCount).fill(1)).sort(
    (a, b) => b.values.get(METRICS[0]) - a.values.get(METRICS[0]),
))
    if (key) hueOf(key);

const hueOfNode = ({ frame, site }) =>
    site >= 0 && sites.file[site]
        ? hueOf(sites.file[site])
        : frame >= 0
          ? hueOf(frames.file[frame], frames.module[frame])
          : 0;

// Tooltip and accessible name of a part of a graph; for two reports both numbers.
function describe(metric, name, { now, before }) {
    if (old)
        return `${name}\n${inFull(metric, before)} → ${inFull(metric, now)} (${change(metric, now - before)})`;
    return `${name}\n${inFull(metric, now)} (${amount(metric, now)}), ${share(now, metric.total)}`;
}

const slightly = ({ now, before }) => (Math.abs(now - before) * 20 < Math.max(now, before) ? " slightly" : "");

// For two reports, the colour shows the change.
const lookOf = (node, name) =>
    !old
        ? "t" + toneOf(name)
        : node.now > node.before
          ? "is-more" + slightly(node)
          : node.now < node.before
            ? "is-less" + slightly(node)
            : "is-same";

function described(attributes, description) {
    return { role: "treeitem", title: description, "aria-label": description.replaceAll("\n", ", "), ...attributes };
}

// Shows the sites of a frame in the table.
function showFrameSites(node) {
    const table = { view: "sites", group: ROW };
    if (node.site >= 0) go({ ...table, site: sites.id[node.site] });
    else if (frames.function[node.frame])
        go({ ...table, filter: termOf(ROW === "stack" ? "through" : "function", text(frames.function[node.frame])) });
}

// Returns the site and the function that the panel shows for a frame.
const selectionOf = ({ frame, site }) => ({
    site: site >= 0 ? sites.id[site] : "",
    focus: site < 0 && frame >= 0 ? (text(frames.function[frame]) ?? "") : "",
});

// The value of all paths with a matching frame.
function hitSum(metric, isHit) {
    const hit = new Uint8Array(nodes.parent.length);
    for (let i = 1; i < hit.length; i++) hit[i] = hit[nodes.parent[i]] | Number(isHit(nodes.frame[i]));
    let sum = 0;
    eachPart(metric.ofSites, stacks, metric.ofStacks, new Uint8Array(siteCount).fill(1), (site, node, value) => {
        if (hit[node]) sum += value;
    });
    return sum;
}

// Adds the values below a node to the sums by type.
function addTypes(node, sums) {
    const below = [...node.children.values()];
    for (const child of below) addTypes(child, sums);
    if (node.site >= 0 && typeName(node.site))
        sums.set(sites.type[node.site], (sums.get(sites.type[node.site]) ?? 0) + node.now);
    return sums;
}

// The value below a node of sites whose line is in its function, and not in a recursive call of it.
function selfOf(node, name = frames.function[node.frame]) {
    let sum = 0;
    for (const child of node.children.values())
        if (child.site >= 0) sum += sites.function[child.site] === name ? child.now : 0;
        else if (frames.function[child.frame] !== name) sum += selfOf(child, name);
    return sum;
}

// The type with the largest part of a node's value, and that part.
function mainType(node) {
    const sums = addTypes(node, new Map()),
        largest = Math.max(...sums.values());
    for (const [type, sum] of sums)
        if (sum === largest && sum) return `[${shortOf(type)}]` + (sum < node.now ? " " + share(sum, node.now) : "");
    return null;
}

class Flame {
    constructor() {
        this.choices = [];
        this.graph = element("div", { class: "flame", role: "tree", "aria-label": "Flame graph" });
        this.info = element("p", { class: "info", role: "status" });
        this.crumbs = element("p", { class: "crumbs" });
        this.note = element("p", { class: "note" });
        const order = this.choice("Order", "callers", ["from main down", "from the allocations up"]);
        const library = this.choice("Library calls", "library", ["libraries folded", "all frames"]);
        const width = old && this.choice("Width", "width", ["the larger of both", "what has changed"]);
        this.element = element(
            "section",
            { id: "flame", "aria-label": "Flame graph" },
            element("div", { class: "tools" }, order, library, width, this.crumbs),
            this.info,
            this.graph,
            this.note,
        );
        this.root = null;
        this.isHit = null;
        const tell = (event) => this.tell(event.target.closest("[data-path]")?.dataset.path);
        this.graph.addEventListener("pointerover", tell);
        this.graph.addEventListener("focusin", tell);
        this.graph.addEventListener("click", (event) => this.open(event.target.closest("[data-path]")));
        this.graph.addEventListener("keydown", (event) => this.press(event));
        addEventListener("resize", () => this.root && state.view === "flame" && this.draw());
    }

    // The first of two labels is the default.
    choice(legend, key, labels) {
        const buttons = labels.map((label, at) => {
            const value = at ? "1" : "";
            return button(label, () => go({ [key]: value, zoom: "" }), { "data-key": key, value });
        });
        this.choices.push(...buttons);
        return element("fieldset", { class: "choice" }, element("legend", {}, legend), buttons);
    }

    rectangle(node, left, width, level, isAbove) {
        const name = nodeName(node),
            place = node.site < 0 && node.frame >= 0 ? "\n" + framePlace(node.frame) : "";
        const hit = this.isHit ? (node.frame >= 0 && this.isHit(node.frame) ? " hit" : " dim") : "";
        const kind =
            (!node.parent ? " all" : node.site >= 0 ? " leaf" : node.frame >= 0 && isLibrary(node.frame) ? " library" : "") + (isAbove ? " above" : "");
        const box = { left: 100 * left + "%", width: 100 * width + "%", top: level * FLAME_ROW + "px" };
        const letters = Math.floor((width * this.graph.clientWidth - AROUND_NAME) / LETTER);
        return element(
            "div",
            described(
                {
                    class: `frame ${lookOf(node, name)}` + kind + hit,
                    tabindex: level ? -1 : 0,
                    "aria-level": level + 1,
                    "data-path": pathOf(node),
                    "data-value": node.now,
                    "data-before": old && node.before,
                    "data-name": name,
                    style: old ? box : { ...box, "--h": String(hueOfNode(node)) },
                },
                describe(metricOf(state.metric), name + place, node),
            ),
            letters > 2 ? element("span", {}, shortenFromLeft(name, letters)) : null,
        );
    }

    // Draws one box for all frames that are too narrow, or none if it would be too narrow, too.
    narrow(nodes, parent, left, width, level, least) {
        const sum = (of) => nodes.reduce((total, node) => total + of(node), 0);
        const part = (width * sum((node) => node.value)) / parent.value;
        const name = `${exactly(nodes.length)} more, too narrow to be shown`;
        const box = { left: 100 * left + "%", width: 100 * part + "%", top: level * FLAME_ROW + "px" };
        const amounts = { now: sum((node) => node.now), before: sum((node) => node.before) };
        const told = described(
            { class: "frame rest", tabindex: -1, "aria-level": level + 1, style: box },
            describe(metricOf(state.metric), name, amounts),
        );
        return part < least || !nodes.some((node) => node.value) ? [] : [element("div", told, element("span", {}, name))];
    }

    // Draws the frames below a node, the largest first. Returns the deepest level.
    drawBelow(node, left, width, level, made) {
        const least = 1.2 / (this.graph.clientWidth || 1200);
        let deepest = level - 1;
        const children = [...node.children.values()].sort((a, b) => b.value - a.value);
        for (const [place, child] of children.entries()) {
            const part = (width * child.value) / node.value;
            if (level > FLAME_DEPTH) break;
            if (part < least) {
                const narrow = this.narrow(children.slice(place), node, left, width, level, least);
                made.push(...narrow);
                deepest = Math.max(deepest, level - 1 + narrow.length);
                break;
            }
            made.push(this.rectangle(child, left, part, level, false));
            deepest = Math.max(deepest, this.drawBelow(child, left, part, level + 1, made));
            left += part;
        }
        return Math.max(deepest, level - 1);
    }

    draw() {
        const zoomed = nodeAt(this.root, state.zoom),
            way = [],
            focused = this.graph.contains(document.activeElement) ? document.activeElement.dataset.path : null;
        for (let node = zoomed; node; node = node.parent) way.unshift(node);
        const made = way.map((node, level) => this.rectangle(node, 0, 1, level, node !== zoomed));
        const deepest = this.drawBelow(zoomed, 0, 1, way.length, made);
        this.graph.style.height = (deepest + 1) * FLAME_ROW + "px";
        this.graph.replaceChildren(...made);
        this.crumbs.replaceChildren(
            ...(zoomed.parent
                ? [
                      button("Show all", () => go({ zoom: "", site: "", focus: "" })),
                      button(`Its ${ROW}s in the table`, () => showFrameSites(zoomed)),
                      zoomed.site < 0 ? lineButtons(zoomed.frame) : null,
                  ].filter(Boolean)
                : []),
        );
        if (focused !== null) made.find((frame) => frame.dataset.path === focused)?.focus();
        this.tell(focused ?? state.zoom);
    }

    // Writes the information about a frame above the graph.
    tell(path) {
        if (path === undefined) return;
        const metric = metricOf(state.metric),
            node = nodeAt(this.root, path);
        const isCaller = node.site < 0 && node.parent && state.callers === "";
        const place = node.site < 0 && node.frame >= 0 ? framePlace(node.frame) : null;
        const part = (look, words) => words && element("span", { class: look }, words);
        this.info.replaceChildren(
            ...[
                element("b", {}, nodeName(node)),
                old
                    ? part("", `${amount(metric, node.before)} → ${amount(metric, node.now)}`)
                    : part("", `inclusive ${amount(metric, node.now)}, ${share(node.now, metric.total)}`),
                part("", isCaller && !old && `self ${amount(metric, selfOf(node))}`),
                part("what", mainType(node)),
                part("at", place),
            ].filter(Boolean),
        );
    }

    explain() {
        const metric = metricOf(state.metric),
            parts = [];
        if (old) parts.push(`As wide as ${state.width ? "the change" : "the larger number of both"}; red has grown, blue has shrunk.`);
        if (!this.root.value) parts.push(old && state.width ? "Nothing has changed." : `Nothing: ${metric.name.toLowerCase()} is 0.`);
        else if (data.depth) parts.push(`Calling frames, ${data.depth > STACK_MOST ? "all of them" : "up to " + data.depth}, and what was inlined.`);
        else if (data.time) parts.push("What was inlined into what, without calling frames.");
        else parts.push("What was inlined into what: no calling frames were kept (ALLOCSITE_OPTIONS=stack=16).");
        if (!old) parts.push("A colour is a file; pale frames are in libraries.");
        this.note.textContent = parts.join(" ");
    }

    // "highlighted: 1.5 MiB, 20.3%"
    sum() {
        if (!this.isHit || old) return "";
        const metric = metricOf(state.metric),
            hits = hitSum(metric, this.isHit);
        return `highlighted: ${amount(metric, hits)}, ${share(hits, metric.total)}`;
    }

    open(rectangle) {
        if (!rectangle) return;
        const path = rectangle.dataset.path;
        go({ zoom: path, ...selectionOf(nodeAt(this.root, path)) });
    }

    // Left and right move in document order, up and down by one level.
    press(event) {
        const all = [...this.graph.children],
            at = all.indexOf(document.activeElement);
        const level = (item) => Number(item.ariaLevel);
        const steps = {
            ArrowRight: () => all[at + 1],
            ArrowLeft: () => all[at - 1],
            ArrowDown: () => all.find((item, i) => i > at && level(item) > level(all[at])),
            ArrowUp: () => all.findLast((item, i) => i < at && level(item) < level(all[at])),
        };
        if (at < 0 || !(event.key === "Enter" || event.key in steps)) return;
        event.preventDefault();
        if (event.key === "Enter") this.open(all[at].closest("[data-path]"));
        else steps[event.key]()?.focus();
    }

    update(before) {
        if (!this.root || ["metric", "callers", "width", "library", "at", "from", "phase"].some((key) => state[key] !== before[key]))
            this.root = makeTree(state.callers === "1", metricOf(state.metric), new Uint8Array(siteCount).fill(1));
        this.isHit = frameTestOf(state.filter);
        for (const choice of this.choices)
            choice.setAttribute("aria-pressed", choice.value === state[choice.dataset.key]);
        this.draw();
        this.explain();
    }
}
