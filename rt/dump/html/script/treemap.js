/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The treemap: modules, directories, files and functions, sized by the metric (Bruls, Huizing and van Wijk,
// Squarified Treemaps, 2000).

const ROOM_HEAD = 20;

function roomOf(parent, name) {
    let child = parent.children.get(name);
    if (!child) parent.children.set(name, (child = { parent, name, value: 0, now: 0, before: 0, children: new Map() }));
    return child;
}

// A site without a file is directly in its module.
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

// Joins a directory with its only child, if that is a directory.
function joinSingle(room) {
    for (const [key, child] of room.children) {
        let joined = child;
        while (joined.children.size === 1 && !joined.file && joined.parent?.parent) {
            const [only] = joined.children.values();
            if (only.isFunction) break;
            only.name = joined.name + "/" + only.name;
            only.parent = room;
            joined = only;
        }
        room.children.set(key, joined);
        joinSingle(joined);
    }
}

function makeRooms(metric, matches) {
    const root = { parent: null, name: "all", value: 0, now: 0, before: 0, children: new Map() };
    for (let i = 0; i < siteCount; i++) {
        const now = summed(metric, i),
            before = old && !sites.uncounted[i] ? metric.ofOld[i] : 0;
        if (matches[i] && (now > 0 || before > 0)) addUpwards(roomsOfSite(root, i), now, before);
    }
    settle(root);
    joinSingle(root);
    return root;
}

// The worst aspect ratio in a row along a side of that length.
function worst(first, last, sum, side, scale) {
    const area = sum * scale;
    return Math.max(
        (side * side * first.value * scale) / (area * area),
        (area * area) / (side * side * last.value * scale),
    );
}

// Calls place(room, x, y, width, height) for each room.
function squarify(rooms, x, y, width, height, place) {
    let rest = rooms.reduce((sum, room) => sum + room.value, 0);
    for (let from = 0, end; from < rooms.length; from = end) {
        const side = Math.min(width, height),
            scale = (width * height) / rest;
        let sum = rooms[from].value;
        const isBetter = (next) =>
            worst(rooms[from], next, sum + next.value, side, scale) <=
            worst(rooms[from], rooms[end - 1], sum, side, scale);
        for (end = from + 1; end < rooms.length && isBetter(rooms[end]); end++) sum += rooms[end].value;
        const depth = (sum * scale) / side;
        let along = 0;
        for (const room of rooms.slice(from, end)) {
            const length = (side * room.value) / sum;
            if (width < height) place(room, x + along, y, length, depth);
            else place(room, x, y + along, depth, length);
            along += length;
        }
        rest -= sum;
        if (width < height) [y, height] = [y + depth, height - depth];
        else [x, width] = [x + depth, width - depth];
    }
}

// keyOf: the names on the path to a room, one per line. roomAt: the deepest room on such a path.
const keyOf = (room) => (room.parent ? [keyOf(room.parent), room.name].filter(Boolean).join("\n") : "");

function roomAt(root, key) {
    let room = root;
    for (const name of key ? key.split("\n") : [])
        room = [...room.children.values()].find((child) => child.name === name) ?? room;
    return room;
}

// A folder has the hue of its largest file.
function hueOfRoom(room) {
    if (room.file || !room.children.size) return hueOf(room.file, room.module);
    return hueOfRoom([...room.children.values()].reduce((one, other) => (other.value > one.value ? other : one)));
}

// For two reports both numbers if they fit, else the change.
function numbersOf(metric, { now, before }, width) {
    if (!old) return amount(metric, now);
    return width > 240 ? `${amount(metric, before)} → ${amount(metric, now)}` : change(metric, now - before);
}

class Treemap {
    constructor() {
        this.map = element("div", { class: "treemap", role: "tree", "aria-label": "Treemap" });
        this.crumbs = element("p", { class: "crumbs" });
        this.element = element(
            "section",
            { id: "treemap", "aria-label": "Treemap" },
            element("div", { class: "tools" }, this.crumbs),
            this.map,
        );
        this.root = null;
        const open = (event) => this.open(event.target.closest("[data-key]")?.dataset.key);
        this.map.addEventListener("click", open);
        this.map.addEventListener("keydown", (event) => event.key === "Enter" && open(event));
        addEventListener("resize", () => this.root && state.view === "treemap" && this.draw());
    }

    box(room, { x, y, width, height }, level) {
        const metric = metricOf(state.metric),
            name = keyOf(room).replaceAll("\n", " / ");
        const look = `room ${lookOf(room, room.name)}` + (room.children.size ? " inner" : "");
        const style = { left: x + "px", top: y + "px", width: width - 1 + "px", height: height - 1 + "px" };
        if (!old) style["--h"] = String(hueOfRoom(room));
        const made = element(
            "div",
            described(
                {
                    class: look,
                    tabindex: 0,
                    "aria-level": level,
                    "data-key": keyOf(room),
                    "data-value": room.now,
                    "data-before": old && room.before,
                    style,
                },
                describe(metric, name, room),
            ),
            width > 30 && height > 16
                ? element("span", {}, element("b", {}, shortenFromLeft(room.name, width / LETTER - 12)), " ", numbersOf(metric, room, width))
                : null,
        );
        if (width > 40 && height > ROOM_HEAD + 16)
            this.fill(made, room, { x: 2, y: ROOM_HEAD, width: width - 5, height: height - ROOM_HEAD - 4 }, level + 1);
        return made;
    }

    // Draws the contents of a room, except boxes that would be only lines.
    fill(parent, room, { x, y, width, height }, level) {
        const rooms = [...room.children.values()].sort((a, b) => b.value - a.value);
        squarify(rooms, x, y, width, height, (child, x, y, width, height) => {
            if (width > 2 && height > 2) parent.append(this.box(child, { x, y, width, height }, level));
        });
    }

    // Opening a function shows its sites.
    open(key) {
        if (!key) return;
        const room = roomAt(this.root, key);
        const terms = ["file", "function"]
            .filter((field) => room[field])
            .map((field) => termOf(field, text(room[field])));
        if (!room.isFunction) go({ room: key });
        else if (terms.length) go({ view: "sites", group: ROW, filter: terms.join(" ") });
    }

    drawCrumbs(room) {
        const way = [];
        for (let at = room; at; at = at.parent) way.unshift(at);
        const step = (at) => (at === room ? element("b", {}, at.name) : button(at.name, () => go({ room: keyOf(at) })));
        this.crumbs.replaceChildren(...way.flatMap((at, i) => [i ? " / " : "", step(at)]));
    }

    draw() {
        const room = roomAt(this.root, state.room);
        this.drawCrumbs(room);
        this.map.replaceChildren();
        if (room.value)
            this.fill(this.map, room, { x: 0, y: 0, width: this.map.clientWidth, height: this.map.clientHeight }, 1);
        else this.map.append(nothingFound());
    }

    update(before) {
        if (!this.root || ["metric", "filter", "view", "at", "from", "phase"].some((key) => state[key] !== before[key]))
            this.root = makeRooms(metricOf(state.metric), matchesOf(state.filter));
        this.draw();
    }
}
