/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The treemap: modules, their directories, files and functions, as large as what they allocate (Bruls, Huizing and van Wijk,
// Squarified Treemaps, 2000).

const ROOM_HEAD = 20;

function roomOf(parent, name) {
    let child = parent.children.get(name);
    if (!child)
        parent.children.set(name, child = { parent, name, value: 0, children: new Map() });
    return child;
}

// A site without a file is in its module.
function roomsOfSite(root, i) {
    let room = roomOf(root, baseName(text(sites.module[i]) ?? "?"));
    room.module = sites.module[i];
    for (const part of sites.file[i] ? shortPath(text(sites.file[i])).split("/").filter(Boolean) : [])
        room = roomOf(room, part);
    room.file = sites.file[i];
    room = roomOf(room, siteName(i));
    room.function = sites.function[i];
    return Object.assign(room, { file: sites.file[i], isFunction: true });
}

// A directory with nothing but another one stands for both.
function joinSingle(room) {
    for (const [key, child] of room.children) {
        let joined = child;
        while (joined.children.size === 1 && !joined.file && joined.parent?.parent) {
            const [only] = joined.children.values();
            if (only.isFunction)
                break;
            only.name = joined.name + "/" + only.name;
            only.parent = room;
            joined = only;
        }
        room.children.set(key, joined);
        joinSingle(joined);
    }
}

function makeRooms(metric, matches) {
    const root = { parent: null, name: "all", value: 0, children: new Map() };
    for (let i = 0; i < siteCount; i++)
        if (matches[i] && summed(metric, i) > 0)
            addUpwards(roomsOfSite(root, i), summed(metric, i));
    joinSingle(root);
    return root;
}

// How far from a square the worst of a row is, along a side of that length.
function worst(row, sum, side, scale) {
    const area = sum * scale;
    return Math.max(side * side * row[0].value * scale / (area * area), area * area / (side * side * row.at(-1).value * scale));
}

// place(room, x, y, width, height)
function squarify(rooms, x, y, width, height, place) {
    let rest = rooms.reduce((sum, room) => sum + room.value, 0);
    for (let from = 0, end; from < rooms.length; from = end) {
        const side = Math.min(width, height), scale = width * height / rest;
        let sum = rooms[from].value;
        for (end = from + 1; end < rooms.length && worst(rooms.slice(from, end + 1), sum + rooms[end].value, side, scale) <= worst(rooms.slice(from, end), sum, side, scale); end++)
            sum += rooms[end].value;
        const depth = sum * scale / side;
        let along = 0;
        for (const room of rooms.slice(from, end)) {
            const length = side * room.value / sum;
            if (width < height)
                place(room, x + along, y, length, depth);
            else
                place(room, x, y + along, depth, length);
            along += length;
        }
        rest -= sum;
        if (width < height)
            [y, height] = [y + depth, height - depth];
        else
            [x, width] = [x + depth, width - depth];
    }
}

function makeTreemap() {
    const map = element("div", { class: "treemap", role: "tree", "aria-label": "Treemap" }), crumbs = element("p", { class: "crumbs" });
    const view = element("section", { id: "treemap", "aria-label": "Treemap" }, element("div", { class: "tools" }, crumbs), map);
    let root = null;

    const keyOf = (room) => room.parent ? [keyOf(room.parent), room.name].filter(Boolean).join("\n") : "";
    const moduleOf = (room) => room.module ?? (room.parent ? moduleOf(room.parent) : 0);

    function box(room, x, y, width, height, level) {
        const metric = metricOf(state.metric);
        const label = `${keyOf(room).replaceAll("\n", " / ")}\n${inFull(metric, room.value)} (${amount(metric, room.value)}), ${share(room.value, metric.total)}`;
        const made = element("div", { role: "treeitem", tabindex: 0, "aria-level": level, "aria-label": label.replaceAll("\n", ", "), title: label, "data-key": keyOf(room), "data-value": room.value,
            class: `room c${moduleColours.get(moduleOf(room)) ?? 4} t${toneOf(room.name)}` + (room.children.size ? " inner" : ""),
            style: { left: x + "px", top: y + "px", width: Math.max(0, width - 1) + "px", height: Math.max(0, height - 1) + "px" } },
            width > 30 && height > 16 ? element("span", {}, element("b", {}, room.name), " ", amount(metric, room.value)) : null);
        if (width > 40 && height > ROOM_HEAD + 16)
            fill(made, room, width - 5, height - ROOM_HEAD - 4, level + 1);
        return made;
    }

    function fill(parent, room, width, height, level) {
        const rooms = [...room.children.values()].sort((a, b) => b.value - a.value);
        const inset = level > 1 ? 2 : 0, top = level > 1 ? ROOM_HEAD : 0;
        squarify(rooms, 0, 0, width, height, (child, x, y, w, h) => {
            if (w > 2 && h > 2)
                parent.append(box(child, x + inset, y + top, w, h, level));
        });
    }

    function zoomed() {
        let room = root;
        for (const name of state.room ? state.room.split("\n") : [])
            room = [...room.children.values()].find((child) => child.name === name) ?? room;
        return room;
    }

    // Of a function the sites are shown.
    function open(key) {
        let room = root;
        for (const name of key.split("\n"))
            room = [...room.children.values()].find((child) => child.name === name);
        const terms = ["file", "function"].filter((field) => room[field]).map((field) => `${field}:"${text(room[field])}"`);
        if (!room.isFunction)
            go({ room: key });
        else if (terms.length)
            go({ view: "sites", group: "site", filter: terms.join(" ") });
    }

    function draw() {
        const room = zoomed(), steps = [];
        for (let at = room; at; at = at.parent)
            steps.unshift(at);
        crumbs.replaceChildren(...steps.flatMap((step, i) => [i ? " / " : "", i === steps.length - 1 ? element("b", {}, step.name)
            : element("button", { type: "button", onclick: () => go({ room: keyOf(step) }) }, step.name)]));
        map.replaceChildren();
        if (room.value)
            fill(map, room, map.clientWidth, map.clientHeight, 1);
        else
            map.append(element("p", { class: "note" }, "Nothing here."));
    }

    const chosen = (event) => event.target.closest("[data-key]")?.dataset.key;
    map.addEventListener("click", (event) => chosen(event) && open(chosen(event)));
    map.addEventListener("keydown", (event) => event.key === "Enter" && chosen(event) && open(chosen(event)));
    addEventListener("resize", () => root && state.view === "treemap" && draw());

    function update(before) {
        if (!root || state.metric !== before.metric || state.filter !== before.filter || before.view !== state.view)
            root = makeRooms(metricOf(state.metric), matchesOf(state.filter));
        draw();
    }
    return { element: view, update };
}
