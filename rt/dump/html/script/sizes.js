/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The sizes that were asked for, and who frees whose blocks.

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

const countsOfSites = (rows) => new Map(rows.map(([site, ...counts]) => [site, counts]));
const sizesOfSite = countsOfSites(data.sizes),
    oldSizesOfSite = countsOfSites(data.old_sizes ?? []);

// Of the sites that the test lets pass: each class, its count now, and before.
function sumOfSizes(test) {
    const sums = new Map();
    [sizesOfSite, oldSizesOfSite].forEach((rows, which) => {
        for (const [site, counts] of rows)
            for (let i = 0; test(site) && i < counts.length; i += 2) {
                if (!sums.has(counts[i])) sums.set(counts[i], [counts[i], 0, 0]);
                sums.get(counts[i])[1 + which] += counts[i + 1];
            }
    });
    return [...sums.values()].sort(([a], [b]) => a - b);
}

const fromTo = (write, before, now) => `${write(before)} → ${write(now)}`;

function histogramRow([number, now, before], largest, all) {
    return element(
        "tr",
        {},
        element("th", { scope: "row" }, className(number)),
        element("td", { class: "wide" }, bar(now, largest)),
        element("td", { class: "number" }, element("data", { value: now }, exactly(now))),
        element("td", { class: "number" }, old ? fromTo(exactly, before, now) : share(now, all)),
    );
}

function histogram(sums) {
    const counts = sums.map(([, count]) => count),
        all = counts.reduce((sum, count) => sum + count, 0);
    return element(
        "table",
        { class: "histogram" },
        element("caption", {}, "Sizes asked for"),
        element(
            "tbody",
            {},
            sums.map((sum) => histogramRow(sum, Math.max(...counts), all)),
        ),
    );
}

// Owner, by, kind, count and bytes, the most bytes first.
function pairsOf(now, before) {
    const pairs = new Map();
    const pairAt = ([owner, by, kind]) => {
        const key = [owner, by, kind].join();
        if (!pairs.has(key)) pairs.set(key, { owner, by, kind, count: 0, bytes: 0, oldCount: 0, oldBytes: 0 });
        return pairs.get(key);
    };
    for (const row of now) Object.assign(pairAt(row), { count: row[3], bytes: row[4] });
    for (const row of before) Object.assign(pairAt(row), { oldCount: row[3], oldBytes: row[4] });
    const weight = (pair) => Math.max(pair.bytes, pair.oldBytes);
    return [...pairs.values()].sort((a, b) => weight(b) - weight(a) || b.count - a.count);
}

const pairs = pairsOf(data.pairs, data.old_pairs ?? []);
const PAIRS_SHOWN = 300;

function pairNumber(value, before, write, unit) {
    const shown = old ? fromTo(write, before, value) : write(value);
    return element("td", { class: "number" }, element("data", { value, title: exactly(value) + unit }, shown));
}

function pairRow({ owner, by, kind, count, bytes, oldCount, oldBytes }, hasOwner) {
    return element(
        "tr",
        {},
        pairNumber(bytes, oldBytes, size, " bytes"),
        pairNumber(count, oldCount, exactly, " blocks"),
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

const hasSizes = sizesOfSite.size > 0 || oldSizesOfSite.size > 0 || pairs.length > 0;

class Sizes {
    constructor() {
        this.element = element("section", { id: "sizes", "aria-label": "Sizes and frees" });
    }

    update() {
        const matches = matchesOf(state.filter),
            sums = sumOfSizes((site) => matches[site]);
        const chosen = pairs.filter(({ owner, by }) => !state.filter || matches[owner] || matches[by]);
        this.element.replaceChildren(
            ...(sums.length ? [histogram(sums)] : []),
            ...(pairs.length ? [pairTable(chosen)] : []),
        );
    }
}
