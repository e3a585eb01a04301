/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The flame graph, with the root at the top. Frames narrower than a pixel are combined. A click widens a
// frame to the full width.

const FLAME_ROW = 21;
// Maximum depth that is drawn.
const FLAME_DEPTH = 200;
// The largest depth that a user can choose. A larger one means that stacks are complete.
const STACK_MOST = 64;

// A shade that depends on the name, so that neighbours differ.
const toneOf = (name) => [...name].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7) % 3;

// Modules by allocated bytes. The first few have a colour each.
const moduleColours = new Map(
    groupSites("module", new Uint8Array(siteCount).fill(1))
        .sort((a, b) => b.values.get(METRICS[0]) - a.values.get(METRICS[0]))
        .map(({ key }, rank) => [key, Math.min(rank, 4)]),
);

function colourOf(node) {
    const module = node.site >= 0 ? sites.module[node.site] : node.frame >= 0 ? frames.module[node.frame] : 0;
    return moduleColours.get(module) ?? 4;
}

// Tooltip and accessible name of a part of a graph; for two reports both numbers.
function describe(metric, name, { now, before }) {
    if (old)
        return `${name}\n${inFull(metric, before)} → ${inFull(metric, now)} (${change(metric, now - before)})`;
    return `${name}\n${inFull(metric, now)} (${amount(metric, now)}), ${share(now, metric.total)}`;
}

const slightly = ({ now, before }) => (Math.abs(now - before) * 20 < Math.max(now, before) ? " slightly" : "");

// For two reports, the colour shows the change.
const lookOf = (node, colour, tone) =>
    !old
        ? `c${colour} t${tone}`
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

// The value of all matching frames. Frames below a matching one are not counted again.
function hitsBelow(node, isHit) {
    if (node.parent && isHit(node.frame)) return node.value;
    let sum = 0;
    for (const child of node.children.values()) sum += hitsBelow(child, isHit);
    return sum;
}

class Flame {
    constructor() {
        this.choices = [];
        this.graph = element("div", { class: "flame", role: "tree", "aria-label": "Flame graph" });
        this.crumbs = element("p", { class: "crumbs" });
        this.note = element("p", { class: "note", role: "status" });
        const order = this.choice("Order", "callers", ["from main down", "from the allocations up"]);
        const width = old && this.choice("Width", "width", ["the larger of both", "what has changed"]);
        this.element = element(
            "section",
            { id: "flame", "aria-label": "Flame graph" },
            element("div", { class: "tools" }, order, width, this.crumbs),
            this.graph,
            this.note,
        );
        this.root = null;
        this.isHit = null;
        this.graph.addEventListener("click", (event) => this.zoomTo(event.target.closest("[data-path]")));
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
        const kind = (node.site >= 0 ? " leaf" : "") + (isAbove ? " above" : "");
        const look = `frame ${lookOf(node, colourOf(node), toneOf(name))}` + kind + hit;
        const box = { left: 100 * left + "%", width: 100 * width + "%", top: level * FLAME_ROW + "px" };
        return element(
            "div",
            described(
                {
                    class: look,
                    tabindex: level ? -1 : 0,
                    "aria-level": level + 1,
                    "data-path": pathOf(node),
                    "data-value": node.now,
                    "data-before": old && node.before,
                    style: box,
                },
                describe(metricOf(state.metric), name + place, node),
            ),
            element("span", {}, name),
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
            way = [];
        for (let node = zoomed; node; node = node.parent) way.unshift(node);
        const made = way.map((node, level) => this.rectangle(node, 0, 1, level, node !== zoomed));
        const deepest = this.drawBelow(zoomed, 0, 1, way.length, made);
        this.graph.style.height = (deepest + 1) * FLAME_ROW + "px";
        this.graph.replaceChildren(...made);
        this.crumbs.replaceChildren(
            ...(zoomed.parent
                ? [
                      button("Show all", () => go({ zoom: "" })),
                      " ",
                      button(`Its ${ROW}s in the table`, () => showFrameSites(zoomed)),
                      ...[zoomed.site < 0 ? lineButtons(zoomed.frame) : null].filter(Boolean),
                  ]
                : []),
        );
    }

    tell() {
        const metric = metricOf(state.metric),
            parts = [];
        if (old) parts.push(`As wide as ${state.width ? "the change" : "the larger number of both"}; red has grown, blue has shrunk.`);
        if (!this.root.value) parts.push(old && state.width ? "Nothing has changed." : `Nothing: ${metric.name.toLowerCase()} is 0.`);
        else if (data.depth) parts.push(`Calling frames, ${data.depth > STACK_MOST ? "all of them" : "up to " + data.depth}, and what was inlined.`);
        else if (data.time) parts.push("What was inlined into what, without calling frames.");
        else parts.push("What was inlined into what: no calling frames were kept (ALLOCSITE_OPTIONS=stack=16).");
        if (this.isHit && !old) {
            const hits = hitsBelow(this.root, this.isHit);
            parts.push(`In highlighted frames: ${amount(metric, hits)}, ${share(hits, metric.total)}.`);
        }
        this.note.textContent = parts.join(" ");
    }

    zoomTo(rectangle) {
        if (rectangle) go({ zoom: rectangle.dataset.path });
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
        if (event.key === "Enter") this.zoomTo(all[at]);
        else steps[event.key]()?.focus();
    }

    update(before) {
        if (!this.root || ["metric", "callers", "width", "at"].some((key) => state[key] !== before[key]))
            this.root = makeTree(state.callers === "1", metricOf(state.metric), new Uint8Array(siteCount).fill(1));
        this.isHit = frameTestOf(state.filter);
        for (const choice of this.choices)
            choice.setAttribute("aria-pressed", choice.value === state[choice.dataset.key]);
        this.draw();
        this.tell();
    }
}
