/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Creates elements. Data is always inserted as text, never as HTML.

// Attributes named `on...` are event handlers, and `style` is an object of CSS properties.
function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else if (key === "style") Object.entries(value).forEach((property) => made.style.setProperty(...property));
        else if (value !== null && value !== undefined && value !== false)
            made.setAttribute(key, value === true ? "" : value);
    made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return made;
}

const button = (label, onclick, attributes = {}) =>
    element("button", { type: "button", onclick, ...attributes }, label);

const number = (metric, value) => element("data", { value, title: inFull(metric, value) }, amount(metric, value));

// For two reports: the change, with both numbers as a tooltip.
const changed = (metric, before, now) =>
    element(
        "data",
        {
            class: now > before ? "grown" : now < before ? "shrunk" : null,
            value: now - before,
            title: inFull(metric, before) + " → " + inFull(metric, now),
        },
        change(metric, now - before),
    );

// A bar whose length is the part of the whole.
const bar = (part, whole) =>
    element(
        "span",
        { class: "bar", "aria-hidden": "true" },
        element("i", { style: { width: whole ? Math.max(0, Math.min(100, (100 * part) / whole)) + "%" : "0" } }),
    );

// If there is too little space, the folder is cut first, then the file's name, and never the line.
function placeLabel(place) {
    const [, folder, file, line] = /^(.*\/)?(.*?)((?::\d+)*)$/s.exec(place);
    const part = (look, words) => (words ? element("span", { class: look }, words) : null);
    return element("span", { class: "at", title: place }, part("folder", folder), part("file", file), part("line", line));
}

// Returns the callers, without functions of libraries if there are others.
function leadingTo(node) {
    const callers = framesOf(node).slice(1),
        own = callers.filter((frame) => !isLibrary(frame));
    return (own.length ? own : callers).map(frameName).join(" < ");
}

// "← serve 84.3%, 1 more": the callers of a site's line with the largest share of the chosen metric.
function callersLabel(i) {
    const metric = metricOf(state.metric),
        [first, ...others] = callersOf(i, metric);
    if (!first) return null;
    const more = others.length ? `, ${exactly(others.length)} more` : "";
    return element("span", { class: "by" }, `← ${frameName(first.frame)} ${share(first.value, metric.ofSites[i])}${more}`);
}

// kind: 1: a chunk of a custom allocator, 2: mappings.
function uncountedLabel(kind) {
    const title = kind === 2 ? "memory that the program mapped" : "what a custom allocator took to hand it out in parts";
    return kind ? element("em", { title: title + "; in no total" }, kind === 2 ? "mapping" : "chunk") : null;
}

// Long names lose outer scopes, because the end of a name distinguishes rows and would be cut.
const rowName = (name) => name && shortenFromLeft(name, 40);

// "a.c:12:7 function → callee [type]", and the functions that it was inlined into or called from.
function siteLabel(i, node = sites.node[i], isStack = ROW === "stack") {
    const callers = leadingTo(node),
        callee = rowName(shortOf(sites.callee[i])),
        type = typeName(i);
    const what = [callee && "→ " + callee, type && `[${type}]`].filter(Boolean).join(" ");
    return [
        placeLabel(sitePlace(i) || baseName(text(sites.module[i]) ?? "")),
        element("b", { title: text(sites.function[i]) }, rowName(siteName(i))),
        what ? element("span", { class: "what" }, what) : null,
        callers ? element("span", { class: "by" }, (isStack ? "from " : "in ") + callers) : callersLabel(i),
        uncountedLabel(sites.uncounted[i]),
        sites.unsited[i] ? element("em", { title: "not compiled with allocsite" }, "unsited") : null,
    ];
}

// "a.c:12:7 function → callee": of a site in a library, the line of the program that it was inlined into.
function lineLabel(i) {
    if (i >= siteCount) return null;
    const path = framesOf(sites.node[i]),
        own = path.find((frame) => frames.file[frame] && !isLibrary(frame)) ?? path[0];
    if (own === undefined || own === path[0]) return siteLabel(i).slice(0, 3);
    const callee = frames.called[path[path.indexOf(own) - 1]];
    return [
        placeLabel(framePlace(own)),
        element("b", { title: text(frames.function[own]) }, rowName(frameName(own))),
        callee ? element("span", { class: "what" }, "→ " + rowName(shortOf(callee))) : null,
    ];
}

const siteLink = (i, label) =>
    i >= siteCount
        ? element("span", { class: "at" }, "an unknown place")
        : element(
              "a",
              {
                  href: fragmentOf({ ...state, site: sites.id[i], focus: "" }),
                  class: "site",
                  onclick: (event) => {
                      event.preventDefault();
                      go({ site: sites.id[i], focus: "" });
                  },
              },
              label ?? siteLabel(i),
          );
