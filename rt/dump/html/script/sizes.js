/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The sizes that were asked for, how long blocks lived, and who frees whose.

const SIZE_CLASSES = 48;
const classStart = (number) => (number ? 2 ** (number - 1) : 0);
const roundSize = (bytes) => size(bytes).replace(".0 ", " ");
const className = (number) =>
    number < 2
        ? size(number)
        : roundSize(classStart(number)) +
          (number === SIZE_CLASSES - 1
              ? " and more"
              : number < 11
                ? " to " + size(2 ** number - 1)
                : " to " + roundSize(2 ** number));

const sizesOfSite = new Map(data.sizes.map(([site, ...counts]) => [site, counts]));

// Counts by class, of the sites that the test lets pass.
function sumOfSizes(test) {
    const sums = new Map();
    for (const [site, counts] of sizesOfSite)
        for (let i = 0; test(site) && i < counts.length; i += 2)
            sums.set(counts[i], (sums.get(counts[i]) ?? 0) + counts[i + 1]);
    return [...sums].sort(([a], [b]) => a - b);
}

function histogramRow(name, count, largest, all) {
    return element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        element("td", { class: "wide" }, bar(count, largest)),
        element("td", { class: "number" }, element("data", { value: count }, exactly(count))),
        element("td", { class: "number" }, share(count, all)),
    );
}

// Rows are pairs of a class and its count.
function histogram(title, sums, nameOf) {
    const counts = sums.map(([, count]) => count),
        all = counts.reduce((sum, count) => sum + count, 0);
    return element(
        "table",
        { class: "histogram" },
        element("caption", {}, title),
        element(
            "tbody",
            {},
            sums.map(([number, count]) => histogramRow(nameOf(number), count, Math.max(...counts), all)),
        ),
    );
}

const sizeHistogram = (sums) => histogram("Sizes asked for", sums, className);

const lifetimesOfSite = new Map(data.lifetimes.map(([site, ...lifetimes]) => [site, lifetimes]));

function lifetimeHistogram(what, sum, counts, show) {
    const rows = [];
    for (let i = 0; i < counts.length; i += 2) rows.push([counts[i], counts[i + 1]]);
    const blocks = rows.reduce((all, [, count]) => all + count, 0);
    const nameOf = (number) =>
        show(classStart(number)) +
        (number === SIZE_CLASSES - 1 ? " and more" : number > 1 ? " to " + show(2 ** number - 1) : "");
    return blocks ? histogram(`${what}, ${show(Math.floor(sum / blocks))} on average`, rows, nameOf) : null;
}

// Of one site.
function lifetimeHistograms(i) {
    const [allocations, nanoseconds, byAllocations, byTime] = lifetimesOfSite.get(i) ?? [0, 0, [], []];
    return [
        lifetimeHistogram("Allocations while a block lives", allocations, byAllocations, exactly),
        lifetimeHistogram("Time that a block lives", nanoseconds, byTime, duration),
    ];
}

// Owner, by, kind, count and bytes, the most bytes first.
const pairs = data.pairs
    .map(([owner, by, kind, count, bytes]) => ({ owner, by, kind, count, bytes }))
    .sort((a, b) => b.bytes - a.bytes || b.count - a.count);
const PAIRS_SHOWN = 300;

function pairRow({ owner, by, kind, count, bytes }, hasOwner) {
    return element(
        "tr",
        {},
        element(
            "td",
            { class: "number" },
            element("data", { value: bytes, title: exactly(bytes) + " bytes" }, size(bytes)),
        ),
        element("td", { class: "number" }, element("data", { value: count }, exactly(count))),
        hasOwner ? element("td", {}, siteLink(owner)) : null,
        element("td", { class: "at" }, data.kinds[kind]),
        element("td", {}, by === owner ? "itself" : siteLink(by)),
    );
}

function pairTable(chosen) {
    return element(
        "table",
        { class: "pairs" },
        element("caption", {}, "Who frees whose blocks"),
        element(
            "thead",
            {},
            element(
                "tr",
                {},
                ["bytes", "blocks", "of", "", "by"].map((name) => element("th", { scope: "col" }, name)),
            ),
        ),
        element(
            "tbody",
            {},
            chosen.slice(0, PAIRS_SHOWN).map((pair) => pairRow(pair, true)),
        ),
        chosen.length > PAIRS_SHOWN
            ? element(
                  "tfoot",
                  {},
                  element(
                      "tr",
                      {},
                      element(
                          "td",
                          { colspan: 5 },
                          `${exactly(chosen.length - PAIRS_SHOWN)} smaller ones: filter to see them`,
                      ),
                  ),
              )
            : null,
    );
}

const hasSizes = data.sizes.length > 0 || pairs.length > 0;

class Sizes {
    constructor() {
        this.element = element("section", { id: "sizes", "aria-label": "Sizes and frees" });
    }

    update() {
        const matches = matchesOf(state.filter),
            sums = sumOfSizes((site) => matches[site]);
        const chosen = pairs.filter(({ owner, by }) => !state.filter || matches[owner] || matches[by]);
        this.element.replaceChildren(
            ...(sums.length ? [sizeHistogram(sums)] : []),
            ...(pairs.length ? [pairTable(chosen)] : []),
        );
    }
}
