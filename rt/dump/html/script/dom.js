/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Creates elements. Data is always inserted as text, never as HTML.

// Attributes named `on...` are event handlers, and `style` is an object of properties.
function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else if (key === "style") Object.assign(made.style, value);
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

const leadingTo = (node) => framesOf(node).slice(1).map(frameName).join(" < ");

// Function, location, callee and type of a site, and the functions that it was inlined into or called from.
function siteLabel(i, node = sites.node[i], isStack = ROW === "stack") {
    const callers = leadingTo(node);
    return [
        element("b", { title: text(sites.function[i]) }, siteName(i)),
        element("span", { class: "at" }, sitePlace(i) || baseName(text(sites.module[i]) ?? "")),
        element(
            "span",
            { class: "what" },
            [text(sites.callee[i]), text(sites.type[i]) && "of " + shortName(text(sites.type[i]))]
                .filter(Boolean)
                .join(" "),
        ),
        callers ? element("span", { class: "at" }, (isStack ? "from " : "in ") + callers) : null,
        sites.backing[i]
            ? element("em", { title: "what a custom allocator took to hand it out in parts; in no total" }, "backing")
            : null,
        sites.unsited[i] ? element("em", { title: "not compiled with allocsite" }, "unsited") : null,
    ];
}

const siteLink = (i) =>
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
              siteLabel(i),
          );
