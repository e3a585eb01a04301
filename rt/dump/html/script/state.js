/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The state of the page. The URL's fragment has the whole state, so a link shows the same view.

const DEFAULTS = {
    view: "sites",
    metric: "bytes",
    filter: "",
    group: ROW,
    sort: "",
    site: "",
    focus: "",
    skip: "",
    stop: "",
    zoom: "",
    callers: "",
    width: "",
    room: "",
    at: "",
    from: "",
    phase: "",
    library: "",
    startup: "",
};

let state = readState();
const watchers = [];

function readState() {
    const given = new URLSearchParams(location.hash.slice(1));
    return Object.fromEntries(Object.entries(DEFAULTS).map(([key, value]) => [key, given.get(key) ?? value]));
}

function fragmentOf(next) {
    const changed = Object.entries(next).filter(([key, value]) => value !== DEFAULTS[key]);
    return "#" + new URLSearchParams(changed);
}

// isStep: adds an entry to the browser's history.
function go(change, isStep = true) {
    const next = { ...state, ...change };
    history[isStep ? "pushState" : "replaceState"](null, "", fragmentOf(next));
    show(next);
}

function show(next) {
    const before = state;
    state = next;
    if (next.skip !== before.skip || next.stop !== before.stop) return location.reload();
    for (const watcher of watchers) watcher(before);
}

addEventListener("popstate", () => show(readState()));
