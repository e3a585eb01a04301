/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The panel with all data about one site.

const siteNumbers = new Map();
for (let i = siteCount; i-- > 0;) siteNumbers.set(sites.id[i], i);

const isBytes = (counter) => counter.endsWith("bytes");

function section(title, ...children) {
    return element("section", {}, element("h3", {}, title), children);
}

const closeButton = (change) => button("×", () => go(change), { class: "close", "aria-label": "Close" });

// The most blocks at once are known exactly, or lie between two numbers.
const mostWithin = (i) =>
    sites.max_live_blocks_within[i]
        ? element(
              "span",
              {},
              " to ",
              element(
                  "data",
                  { "data-counter": "max_live_blocks_within", value: sites.max_live_blocks_within[i] },
                  exactly(sites.max_live_blocks[i] + sites.max_live_blocks_within[i]),
              ),
          )
        : null;

function counterList(i) {
    const rows = COUNTERS.filter((name) => name !== "max_live_blocks_within" && (sites[name][i] || old?.[name][i]));
    return section(
        state.at === "" ? "Counted" : "Counted up to the last sample",
        element(
            "dl",
            { class: "counters" },
            rows.flatMap((name) => [
                element("dt", {}, name.replaceAll("_", " ")),
                element(
                    "dd",
                    {},
                    element("data", { "data-counter": name, value: sites[name][i] }, exactly(sites[name][i])),
                    name === "max_live_blocks" ? mostWithin(i) : null,
                    old && old[name][i] !== sites[name][i]
                        ? element("small", {}, "was " + exactly(old[name][i]))
                        : null,
                    isBytes(name) && sites[name][i] > 1023 ? element("small", {}, size(sites[name][i])) : null,
                ),
            ]),
        ),
    );
}

function frameList(path) {
    return element(
        "ol",
        { class: "chain" },
        path.map((frame) =>
            element(
                "li",
                {},
                element("b", { title: text(frames.function[frame]) }, frameName(frame)),
                " ",
                placeLink(framePlace(frame), frames.file[frame], frames.line[frame], frames.column[frame]),
                lineButtons(frame),
            ),
        ),
    );
}

function chain(i) {
    const path = framesOf(sites.node[i]).slice(1);
    return path.length ? section(ROW === "stack" ? "Called from" : "Inlined into", frameList(path)) : null;
}

const STACKS_SHOWN = 8;

// The call paths to the site with the highest values of the metric.
function stackList(i) {
    const metric = metricOf(state.metric),
        own = stacksOf(i).filter((s) => metric.ofStacks[s]);
    own.sort((a, b) => metric.ofStacks[b] - metric.ofStacks[a]);
    return own.length
        ? section(
              `Called from (${metric.name.toLowerCase()})`,
              own
                  .slice(0, STACKS_SHOWN)
                  .map((s, at) =>
                      element(
                          "details",
                          { open: at === 0 },
                          element(
                              "summary",
                              {},
                              number(metric, metric.ofStacks[s]),
                              " ",
                              share(metric.ofStacks[s], metric.ofSites[i]),
                          ),
                          frameList(framesOf(stacks.node[s])),
                      ),
                  ),
              own.length > STACKS_SHOWN
                  ? element(
                        "p",
                        { class: "note" },
                        `${exactly(own.length - STACKS_SHOWN)} smaller ones are in the flame graph`,
                    )
                  : null,
          )
        : null;
}

// The chosen metric by line of a file, for the margin.
function marginOf(file) {
    const metric = metricOf(state.metric),
        lines = new Map();
    for (let i = 0; i < siteCount; i++)
        if (sites.file[i] === file && metric.ofSites[i])
            lines.set(sites.line[i], (lines.get(sites.line[i]) ?? 0) + metric.ofSites[i]);
    return lines;
}

const AROUND = 8;

function sourceOf(i) {
    const [file, ...lines] = (data.source ?? []).find(([name]) => name === sites.file[i]) ?? [0];
    if (!file) return null;
    const margin = marginOf(file),
        metric = metricOf(state.metric),
        near = [];
    for (let at = 0; at < lines.length; at += 2) if (Math.abs(lines[at] - sites.line[i]) <= AROUND) near.push(at);
    const indent = Math.min(
        ...near
            .map((at) => lines[at + 1])
            .filter((line) => line.trim())
            .map((line) => line.search(/\S/)),
    );
    const rows = near.map((at) =>
        element(
            "tr",
            { class: lines[at] === sites.line[i] ? "here" : null },
            element("td", { class: "number" }, margin.has(lines[at]) ? number(metric, margin.get(lines[at])) : ""),
            element("td", { class: "number at" }, lines[at]),
            element("td", {}, element("code", {}, lines[at + 1].slice(indent))),
        ),
    );
    return section(
        `Source (${metric.name.toLowerCase()} in the margin)`,
        element("table", { class: "source", tabindex: 0, "aria-label": "Source" }, element("tbody", {}, rows)),
    );
}

function pairList(i) {
    const own = pairs.filter(({ owner }) => owner === i),
        others = pairs.filter(({ owner, by }) => by === i && owner !== i);
    const table = (title, rows) =>
        rows.length
            ? section(title, element("table", { class: "pairs of-blocks" }, element("tbody", {}, rows.slice(0, 20))))
            : null;
    return [
        table(
            "What became of its blocks",
            own.map((pair) => pairRow(pair, false)),
        ),
        table(
            "Blocks of other sites it freed",
            others.map((pair) => pairRow({ ...pair, by: pair.owner, owner: -1 }, false)),
        ),
    ];
}

function detailsOf(i) {
    const what = [
        text(sites.callee[i]),
        typeName(i) && `[${text(sites.type[i])}]`,
        "in " + (shortPath(text(sites.module[i])) ?? "?"),
    ];
    const sums = sumOfSizes((site) => site === i);
    return [
        closeButton({ site: "" }),
        element("h2", { title: text(sites.function[i]) }, siteName(i)),
        text(sites.function[i])
            ? element("p", {}, button("Callers and callees", () => go({ focus: text(sites.function[i]) }), { class: "focus" }))
            : null,
        element("p", { class: "place" }, placeLink(sitePlace(i), sites.file[i], sites.line[i], sites.column[i])),
        element("p", { class: "at" }, what.filter(Boolean).join(" ")),
        sourceOf(i),
        chain(i),
        counterList(i),
        stackList(i),
        sums.length ? sizeHistogram(sums) : null,
        ...lifetimeHistograms(i),
        ...pairList(i),
        element("p", { class: "note" }, "id " + sites.id[i]),
    ];
}

class Detail {
    constructor() {
        this.element = element("aside", { id: "detail", "aria-label": "Site", hidden: true });
    }

    update() {
        const i = siteNumbers.get(state.site),
            focus = state.focus ? data.strings.indexOf(state.focus) : -1;
        const details = focus > 0 ? functionDetails(focus) : i !== undefined ? detailsOf(i) : null;
        this.element.hidden = !details;
        this.element.replaceChildren(...(details ?? []).filter(Boolean));
    }
}
