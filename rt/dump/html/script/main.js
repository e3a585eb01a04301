/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The page: controls at the top, the view, and the panel of a site.

const table = new Table();
const VIEWS = [
    { key: "sites", name: ROWS, view: table },
    { key: "flame", name: "Flame graph", view: new Flame() },
    { key: "treemap", name: "Treemap", view: new Treemap() },
    ...(hasSizes ? [{ key: "sizes", name: "Sizes and frees", view: new Sizes() }] : []),
];
const detail = new Detail();
const chart = data.time ? new Chart() : null;

const tabs = element(
    "div",
    { role: "tablist", "aria-label": "View", class: "tabs" },
    VIEWS.map(({ key, name }) =>
        button(name, () => go({ view: key }), {
            role: "tab",
            id: "tab-" + key,
            "data-view": key,
            "aria-controls": "view",
        }),
    ),
);
const filter = element("input", {
    type: "search",
    id: "filter",
    placeholder: "Filter: words, file:, type: (? helps)",
    "aria-label": "Filter",
    "aria-describedby": "status",
    spellcheck: "false",
    oninput: () => go({ filter: filter.value }, false),
});
const group = element(
    "select",
    { id: "group", "aria-label": "Group by", onchange: () => go({ group: group.value, sort: "" }) },
    GROUPS.map((name) => element("option", { value: name }, "by " + name)),
);
const phases = [...new Set((data.by_phase ?? []).map(([phase]) => text(phase)))].sort(new Intl.Collator("en", { numeric: true }).compare);
const phase = element(
    "select",
    { id: "phase", "aria-label": "Part", hidden: !phases.length, onchange: () => go({ phase: phase.value }) },
    element("option", { value: "" }, "whole program"),
    phases.map((name) => element("option", {}, name)),
);
const status = element("p", { class: "sum", id: "status", role: "status" });
const stage = element("div", { id: "view", role: "tabpanel" });
const app = document.getElementById("app");

// The cards of the totals select the metric.
for (const card of document.querySelectorAll("#totals [data-metric]")) {
    const choose = () => card.getAttribute("aria-disabled") !== "true" && go({ metric: card.dataset.metric, sort: "" });
    card.setAttribute("role", "button");
    card.tabIndex = 0;
    card.addEventListener("click", choose);
    card.addEventListener(
        "keydown",
        (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose()),
    );
}

// Marks the selected tab and card.
function mark(chosen) {
    for (const tab of tabs.children) {
        const isChosen = tab.dataset.view === chosen.key;
        tab.setAttribute("aria-selected", isChosen);
        tab.tabIndex = isChosen ? 0 : -1;
    }
    for (const card of document.querySelectorAll("#totals [data-metric]")) {
        const { metric } = card.dataset;
        card.setAttribute("aria-pressed", metric === metricOf(state.metric).key);
        card.setAttribute("aria-disabled", metric !== metricOf(metric).key);
    }
    if (filter.value !== state.filter) filter.value = state.filter;
    group.value = GROUPS.includes(state.group) ? state.group : ROW;
    group.hidden = chosen.view !== table;
    phase.value = phases.includes(state.phase) ? state.phase : "";
    filter.setAttribute("aria-invalid", filterError(state.filter) !== null);
}

// Updates the panel first, because the view is drawn in the remaining space.
function update(before) {
    const chosen = VIEWS.find(({ key }) => key === state.view) ?? VIEWS[0];
    chart?.update();
    if (phases.length && state.phase !== before.phase) showPhase(phases.includes(state.phase) ? state.phase : "");
    mark(chosen);
    detail.update();
    if (stage.firstChild !== chosen.view.element) stage.replaceChildren(chosen.view.element);
    chosen.view.update(before);
    const error = filterError(state.filter);
    status.classList.toggle("error", error !== null);
    status.textContent = error ?? [chosen.view.sum?.(), unknownMetrics()].filter(Boolean).join(" · ");
}

// Keyboard shortcuts, disabled while the user types.
const keys = {
    "/": () => filter.focus(),
    "?": openHelp,
    Escape: () => go({ site: "", focus: "", zoom: "", from: "" }),
};
VIEWS.forEach(({ key }, at) => (keys[at + 1] = () => go({ view: key })));
addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select");
    if (help.open) return;
    if (isTyping && event.key === "Escape") event.target.blur();
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
});
tabs.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = [...tabs.children].indexOf(document.activeElement);
    if (step && at >= 0) tabs.children[(at + step + VIEWS.length) % VIEWS.length].focus();
});

app.append(
    ...(chart ? [chart.element] : []),
    chosenLines(),
    element("nav", { class: "bar-top" }, tabs, filter, group, phase, button("?", openHelp, { class: "ask", "aria-label": "Help" }), status),
    element("div", { class: "stage" }, stage, detail.element),
    help,
);
app.hidden = false;
document.documentElement.classList.add("alive");
document.documentElement.classList.toggle("compared", old !== null);
document.documentElement.classList.toggle("timed", chart !== null);
watchers.push(update);
update(DEFAULTS);
