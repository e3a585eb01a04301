/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The flame graph, from the root down. What is narrower than a pixel is left out; a click makes a frame as wide as the page.

const FLAME_ROW = 21;
// The deepest way that is drawn.
const FLAME_DEPTH = 200;

// A tone that stays with a name, so that neighbours can be told apart.
const toneOf = (name) => [...name].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7) % 3;

// Modules by what they allocate: the first few have a colour of their own.
const moduleColours = new Map(groupSites("module", new Uint8Array(siteCount).fill(1))
    .sort((a, b) => b.values.get(METRICS[0]) - a.values.get(METRICS[0])).map(({ key }, rank) => [key, Math.min(rank, 4)]));

function colourOf(node) {
    const site = node.site >= 0 ? node.site : -1;
    const module = site >= 0 ? sites.module[site] : node.frame >= 0 ? frames.module[node.frame] : 0;
    return moduleColours.get(module) ?? 4;
}

function makeFlame() {
    const graph = element("div", { class: "flame", role: "tree", "aria-label": "Flame graph" });
    const crumbs = element("p", { class: "crumbs" }), note = element("p", { class: "note", role: "status" });
    const direction = element("fieldset", { class: "choice" }, element("legend", {}, "Order"), ["from main down", "from the allocations up"].map((label, isInverse) =>
        element("button", { type: "button", "data-callers": isInverse ? "1" : "", onclick: () => go({ callers: isInverse ? "1" : "", zoom: "" }) }, label)));
    const view = element("section", { id: "flame", "aria-label": "Flame graph" }, element("div", { class: "tools" }, direction, crumbs), graph, note);
    let root = null, isHit = null;

    function rectangle(node, left, width, level, isAbove) {
        const metric = metricOf(state.metric), name = nodeName(node);
        const place = node.frame >= 0 ? framePlace(node.frame) : "";
        const label = `${name}${node.site < 0 && place ? "\n" + place : ""}\n${inFull(metric, node.value)} (${amount(metric, node.value)}), ${share(node.value, metric.total)}`;
        return element("div", { role: "treeitem", tabindex: level === 0 ? 0 : -1, "aria-level": level + 1, "aria-label": label.replaceAll("\n", ", "), title: label,
            class: `frame c${colourOf(node)} t${toneOf(name)}` + (node.site >= 0 ? " leaf" : "") + (isAbove ? " above" : "") + (isHit ? (isHit(node.frame) ? " hit" : " dim") : ""),
            "data-path": pathOf(node), "data-value": node.value,
            style: { left: 100 * left + "%", width: 100 * width + "%", top: level * FLAME_ROW + "px" } }, element("span", {}, name));
    }

    function draw() {
        const zoomed = nodeAt(root, state.zoom), made = [];
        const least = 1.2 / (graph.clientWidth || 1200);
        let deepest = 0;
        const above = [];
        for (let node = zoomed; node; node = node.parent)
            above.unshift(node);
        above.forEach((node, level) => made.push(rectangle(node, 0, 1, level, node !== zoomed)));
        function below(node, left, width, level) {
            deepest = Math.max(deepest, level);
            const children = [...node.children.values()].sort((a, b) => b.value - a.value);
            for (const child of children) {
                const part = width * child.value / node.value;
                if (part < least || level > FLAME_DEPTH)
                    break;
                made.push(rectangle(child, left, part, level, false));
                below(child, left, part, level + 1);
                left += part;
            }
        }
        below(zoomed, 0, 1, above.length);
        graph.style.height = (Math.max(deepest, above.length) + 1) * FLAME_ROW + "px";
        graph.replaceChildren(...made);
        crumbs.replaceChildren(...zoomed.parent ? [element("button", { type: "button", onclick: () => go({ zoom: "" }) }, "Show all"), " ",
            element("button", { type: "button", onclick: () => showSites(zoomed) }, "Its sites in the table")] : []);
    }

    // In the table.
    function showSites(node) {
        if (node.site >= 0)
            go({ view: "sites", group: "site", site: sites.id[node.site] });
        else if (frames.function[node.frame])
            go({ view: "sites", group: "site", filter: `function:"${text(frames.function[node.frame])}"` });
    }

    // Of what is looked for: below a frame that has it nothing is counted twice.
    function hits(node) {
        if (node.parent && isHit(node.frame))
            return node.value;
        let sum = 0;
        for (const child of node.children.values())
            sum += hits(child);
        return sum;
    }

    function tell() {
        const metric = metricOf(state.metric);
        const what = data.depth ? `Calling frames, up to ${data.depth}, and what was inlined` : "What was inlined into what: no calling frames were kept (ALLOCSITE_OPTIONS=stack=16)";
        const which = old ? "The newer one. " : "";
        note.textContent = which + (!root.value ? `Nothing: ${metric.name.toLowerCase()} is 0.` : what + "." + (isHit ? ` In highlighted frames: ${amount(metric, hits(root))}, ${share(hits(root), metric.total)}.` : ""));
    }

    graph.addEventListener("click", (event) => {
        const path = event.target.closest("[data-path]")?.dataset.path;
        if (path !== undefined)
            go({ zoom: path });
    });
    const levelOf = (item) => Number(item.ariaLevel);
    const next = { ArrowRight: (all, at) => all[at + 1], ArrowLeft: (all, at) => all[at - 1],
        ArrowDown: (all, at) => all.find((other, i) => i > at && levelOf(other) > levelOf(all[at])), ArrowUp: (all, at) => all.findLast((other, i) => i < at && levelOf(other) < levelOf(all[at])) };
    graph.addEventListener("keydown", (event) => {
        const all = [...graph.children], at = all.indexOf(document.activeElement);
        if (event.key === "Enter" && at >= 0)
            go({ zoom: all[at].dataset.path });
        if (!next[event.key] || at < 0)
            return;
        event.preventDefault();
        next[event.key](all, at)?.focus();
    });
    addEventListener("resize", () => root && state.view === "flame" && draw());

    function update(before) {
        const isOther = !root || ["metric", "callers"].some((key) => state[key] !== before[key]);
        if (isOther)
            root = makeTree(state.callers === "1", metricOf(state.metric), new Uint8Array(siteCount).fill(1));
        isHit = frameTestOf(state.filter);
        const test = isHit;
        isHit = test && ((frame) => frame >= 0 && test(frame));
        for (const button of direction.querySelectorAll("button"))
            button.setAttribute("aria-pressed", button.dataset.callers === state.callers);
        draw();
        tell();
    }
    return { element: view, update };
}
