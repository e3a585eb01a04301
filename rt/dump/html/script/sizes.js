/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Requested sizes, lifetimes of blocks, and which sites free blocks of others.

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

// Takes lists that alternate class and count, for now and before. Returns for each class both sums.
function sumOfClasses(...listsOfBoth) {
    const sums = new Map();
    listsOfBoth.forEach((lists, which) => {
        for (const counts of lists)
            for (let i = 0; i < counts.length; i += 2) {
                if (!sums.has(counts[i])) sums.set(counts[i], [counts[i], 0, 0]);
                sums.get(counts[i])[1 + which] += counts[i + 1];
            }
    });
    return [...sums.values()].sort(([a], [b]) => a - b);
}

// Returns the counts by size class, summed up over the sites for which test is true.
function sumOfSizes(test) {
    const listsOf = (rows) => [...rows].filter(([site]) => test(site)).map(([, counts]) => counts);
    return sumOfClasses(listsOf(sizesOfSite), listsOf(oldSizesOfSite));
}

const fromTo = (write, before, now) => `${write(before)} → ${write(now)}`;

function histogramRow(name, now, before, largest, all) {
    return element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        element("td", { class: "wide" }, bar(now, largest)),
        element("td", { class: "number" }, element("data", { value: now }, exactly(now))),
        element("td", { class: "number" }, old ? fromTo(exactly, before, now) : share(now, all)),
    );
}

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
            sums.map(([number, now, before]) => histogramRow(nameOf(number), now, before, Math.max(...counts), all)),
        ),
    );
}

const sizeHistogram = (sums) => histogram("Sizes asked for", sums, className);

const lifetimesOf = (rows) => new Map(rows.map(([site, ...lifetimes]) => [site, lifetimes]));
const lifetimesOfSite = lifetimesOf(data.lifetimes),
    oldLifetimesOfSite = lifetimesOf(data.old_lifetimes ?? []);

function lifetimeHistogram(what, sum, sums, show) {
    const blocks = sums.reduce((all, [, now]) => all + now, 0);
    const nameOf = (number) =>
        show(classStart(number)) +
        (number === SIZE_CLASSES - 1 ? " and more" : number > 1 ? " to " + show(2 ** number - 1) : "");
    const average = blocks ? `, ${show(Math.floor(sum / blocks))} on average` : "";
    return sums.length ? histogram(what + average, sums, nameOf) : null;
}

// Makes the histograms of one site.
function lifetimeHistograms(i) {
    const none = [0, 0, [], []];
    const [allocations, nanoseconds, byAllocations, byTime] = lifetimesOfSite.get(i) ?? none,
        [, , oldByAllocations, oldByTime] = oldLifetimesOfSite.get(i) ?? none;
    const inAllocations = sumOfClasses([byAllocations], [oldByAllocations]),
        inTime = sumOfClasses([byTime], [oldByTime]);
    return [
        lifetimeHistogram("Allocations while a block lives", allocations, inAllocations, exactly),
        lifetimeHistogram("Time that a block lives", nanoseconds, inTime, duration),
    ];
}

// Owner, by, kind, count and bytes, in descending order of bytes.
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
        hasOwner ? element("td", {}, siteLink(owner, lineLabel(owner))) : null,
        element("td", { class: "kind" }, data.kinds[kind]),
        element("td", {}, by === owner ? "itself" : siteLink(by, lineLabel(by))),
    );
}

function pairTable(chosen) {
    return element(
        "table",
        { class: "pairs of-blocks" },
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
            ...(sums.length ? [sizeHistogram(sums)] : []),
            ...(chosen.length ? [pairTable(chosen)] : []),
            ...(sums.length || chosen.length ? [] : [nothingFound()]),
        );
    }
}
