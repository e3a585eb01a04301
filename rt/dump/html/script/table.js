/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The table of sites or groups. Only visible rows are elements, because there may be 100,000 rows.

const ROW_HEIGHT = 28;
const GROUPS = [
    ROW,
    "function",
    "file",
    "type",
    "module",
    ...(stacks.count && !old ? ["stack"] : []),
    ...(data.threads ? ["thread"] : []),
    ...(data.phases ? ["phase"] : []),
];

// A list of rows has `count`, `value(metric, row)`, `old(metric, row)` in the older report, `label(row)`,
// `text(row)` for sorting, and `open(row)` for a chosen row. Functions also have `inclusive(metric, row)` and
// `oldInclusive(metric, row)`.

function rowsOfSites(matches) {
    const chosen = [],
        startup = [];
    for (let i = 0; i < siteCount; i++)
        if (matches[i] && isCounted(i)) (sites.startup[i] && !state.startup ? startup : chosen).push(i);
    const rows = {
        count: chosen.length,
        value: (metric, row) => metric.ofSites[chosen[row]],
        old: (metric, row) => metric.ofOld[chosen[row]],
        label: (row) => siteLabel(chosen[row]),
        text: (row) => sitePlace(chosen[row]) + " " + siteName(chosen[row]),
        open: (row) => go({ site: sites.id[chosen[row]] === state.site ? "" : sites.id[chosen[row]], focus: "" }),
        isOpen: (row) => sites.id[chosen[row]] === state.site,
    };
    return startup.length ? withStartup(rows, startup) : rows;
}

// Adds a row for the memory that libraries allocate at start and for streams, for which no line is responsible.
function withStartup(rows, startup) {
    const added = rows.count,
        sum = (of) => startup.reduce((total, i) => total + of[i], 0),
        named = startup.length === 1 ? ROW : ROW + "s";
    const label = [element("b", {}, "start-up and stdio"), element("span", { class: "by" }, `${exactly(startup.length)} ${named}`)];
    return {
        count: added + 1,
        value: (metric, row) => (row < added ? rows.value(metric, row) : sum(metric.ofSites)),
        old: (metric, row) => (row < added ? rows.old(metric, row) : sum(metric.ofOld)),
        label: (row) => (row < added ? rows.label(row) : label),
        text: (row) => (row < added ? rows.text(row) : "start-up and stdio"),
        open: (row) => (row < added ? rows.open(row) : go({ startup: "1" })),
        isOpen: (row) => row < added && rows.isOpen(row),
        combined: startup.length - 1,
    };
}

function groupSites(field, matches) {
    const numbers = new Map(),
        groups = [];
    for (let i = 0; i < siteCount; i++) {
        if (!matches[i] || sites.uncounted[i] || !isCounted(i)) continue;
        const key = sites[field][i];
        if (!numbers.has(key)) {
            numbers.set(key, groups.length);
            groups.push({
                key,
                count: 0,
                values: new Map(METRICS.map((metric) => [metric, 0])),
                olds: new Map(METRICS.map((metric) => [metric, 0])),
            });
        }
        const group = groups[numbers.get(key)];
        group.count++;
        for (const metric of METRICS) {
            group.values.set(metric, group.values.get(metric) + metric.ofSites[i]);
            group.olds.set(metric, group.olds.get(metric) + (metric.ofOld?.[i] ?? 0));
        }
    }
    return groups;
}

// Adds functions that allocate nothing themselves but call others that do.
function addCallers(groups, inclusive) {
    const known = new Set(groups.map(({ key }) => key)),
        none = new Map(METRICS.map((metric) => [metric, 0]));
    inclusive.get(metricOf("calls")).forEach((calls, key) => {
        if (key && calls && !known.has(key)) groups.push({ key, count: 0, values: none, olds: none });
    });
}

function inclusivesOf(ofSites, rows, ofStacks, matches) {
    return new Map(METRICS.map((metric) => [metric, inclusiveOf(metric[ofSites], rows, metric[ofStacks], matches)]));
}

// Opening a group shows its sites; opening a function shows its callers and callees.
function rowsOfGroups(field, matches) {
    const groups = groupSites(field, matches);
    const hasInclusive = field === "function";
    const inclusive = hasInclusive && inclusivesOf("ofSites", stacks, "ofStacks", matches),
        oldInclusive = hasInclusive && old && inclusivesOf("ofOld", oldStacks, "ofOldStacks", matches);
    for (const each of [inclusive, oldInclusive]) if (each) addCallers(groups, each);
    const isPath = field === "file" || field === "module";
    const name = (row) => (isPath ? shortPath(text(groups[row].key)) : shortOf(groups[row].key));
    return {
        count: groups.length,
        value: (metric, row) => groups[row].values.get(metric),
        old: (metric, row) => groups[row].olds.get(metric),
        inclusive: hasInclusive ? (metric, row) => inclusive.get(metric)[groups[row].key] : null,
        oldInclusive: (metric, row) => oldInclusive.get(metric)[groups[row].key],
        label: (row) => [
            element("b", { title: text(groups[row].key) }, (hasInclusive ? rowName(name(row)) : name(row)) ?? "not known"),
            groups[row].count
                ? element(
                      "span",
                      { class: "by" },
                      exactly(groups[row].count) + " " + ROW + (groups[row].count === 1 ? "" : "s"),
                  )
                : null,
        ],
        text: (row) => name(row) ?? "",
        open: (row) => {
            const key = text(groups[row].key);
            if (key && hasInclusive) go({ focus: key === state.focus ? "" : key, site: "" });
            else if (key) go({ group: ROW, filter: `${state.filter} ${termOf(field, key)}`.trim() });
        },
        isOpen: (row) => hasInclusive && text(groups[row].key) === state.focus,
    };
}

// Includes a row for the part of each site that is in no stack.
function rowsOfStacks(matches) {
    const rests = new Map(METRICS.map((metric) => [metric, restsOf(metric.ofSites, stacks, metric.ofStacks)]));
    const chosen = [];
    for (let stack = 0; stack < stacks.count; stack++)
        if (matches[stacks.site[stack]]) chosen.push({ stack, site: stacks.site[stack], node: stacks.node[stack] });
    for (let site = 0; site < siteCount; site++)
        if (matches[site] && METRICS.some((metric) => rests.get(metric)[site] > 0))
            chosen.push({ site, node: sites.node[site] });
    return {
        count: chosen.length,
        value: (metric, row) => metric.ofStacks[chosen[row].stack] ?? rests.get(metric)[chosen[row].site],
        label: (row) => siteLabel(chosen[row].site, chosen[row].node, chosen[row].stack !== undefined),
        text: (row) => sitePlace(chosen[row].site) + " " + siteName(chosen[row].site) + " " + leadingTo(chosen[row].node),
        open: (row) => go({ site: sites.id[chosen[row].site] }),
        isOpen: (row) => sites.id[chosen[row].site] === state.site,
    };
}

// Threads and phases belong to the process. The data has none by site.
function rowsOfParts(parts) {
    const name = ({ name, thread, pid }) =>
        name ?? (thread === undefined ? "before any phase" : `thread ${thread} of process ${pid}`);
    return {
        count: parts.length,
        value: (metric, row) => metric.columns.reduce((sum, column) => sum + (parts[row][column] ?? 0), 0),
        label: (row) => [element("b", {}, name(parts[row]))],
        text: (row) => name(parts[row]),
        open: () => {},
        isOpen: () => false,
    };
}

function rowsOf({ group, filter }) {
    if (group === "thread" || group === "phase") return rowsOfParts(data[group + "s"] ?? []);
    if (group === "stack" && GROUPS.includes(group) && group !== ROW) return rowsOfStacks(matchesOf(filter));
    return group === ROW || !GROUPS.includes(group)
        ? rowsOfSites(matchesOf(filter))
        : rowsOfGroups(group, matchesOf(filter));
}

// The column by which rows are sorted, and the direction. A minus reverses the default, which is descending
// for numbers and ascending for names.
function sortOf({ sort, metric }) {
    const isReverse = sort.startsWith("-"),
        key = sort.replace(/^-/, "") || metric;
    return { key, isAscending: (key === "name") !== isReverse };
}

// For two reports, the largest change in either direction comes first.
function orderOf(rows) {
    const { key, isAscending } = sortOf(state);
    const order = Uint32Array.from({ length: rows.count }, (_, row) => row);
    const sign = isAscending ? 1 : -1;
    if (key === "name") {
        const names = Array.from(order, (row) => rows.text(row));
        const compare = new Intl.Collator("en").compare;
        return order.sort((a, b) => sign * compare(names[a], names[b]) || a - b);
    }
    const metric = metricOf(key === INCLUSIVE ? state.metric : key);
    const values = Float64Array.from(order, (row) => {
        const { before, now } = valuesOf(rows, key === INCLUSIVE, metric, row);
        return old ? Math.abs(now - before) : now;
    });
    return order.sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

// The column of inclusive values of the chosen metric.
const INCLUSIVE = "inclusive";

const isOfParts = () => state.group === "thread" || state.group === "phase";

// Returns the inclusive values if they exist and are wanted, otherwise the self values. `before` is 0 if there is no older
// report.
function valuesOf(rows, isInclusive, metric, row) {
    const [now, before] = isInclusive && rows.inclusive ? ["inclusive", "oldInclusive"] : ["value", "old"];
    return { now: rows[now](metric, row), before: old ? rows[before](metric, row) : 0 };
}

function shareCell(rows, chosen, row) {
    const { now, before } = valuesOf(rows, sortOf(state).key === INCLUSIVE, chosen, row);
    const parts = old
        ? [element("small", {}, amount(chosen, before) + " → " + amount(chosen, now))]
        : [bar(now, chosen.total), element("span", {}, share(now, chosen.total))];
    return element("div", { role: "gridcell", class: "share" }, parts);
}

function numberCell(rows, isInclusive, metric, row) {
    const { now, before } = valuesOf(rows, isInclusive, metric, row);
    const look = (metric === metricOf(state.metric) && !isInclusive ? " chosen" : "") + (now === before ? " none" : "");
    return element(
        "div",
        { role: "gridcell", class: "number" + look, "data-key": isInclusive ? INCLUSIVE : metric.key },
        metric.isUnknown ? "–" : old ? changed(metric, before, now) : number(metric, now),
    );
}

function heading(key, label, isName) {
    const { key: sorted, isAscending } = sortOf(state);
    const isSorted = sorted === key;
    const look = (isName ? "name" : "number") + (key === state.metric ? " chosen" : "");
    const order = !isSorted ? "none" : isAscending ? "ascending" : "descending";
    const turn = () => go({ sort: isSorted && !state.sort.startsWith("-") ? "-" + key : key });
    return element(
        "div",
        { role: "columnheader", class: look, "data-key": key, "aria-sort": order },
        button(label, turn),
    );
}

// "12 of 300 sites · allocated: 1.5 MiB, 20.3%"
function sumOfTable(rows) {
    if (isOfParts()) return `${exactly(rows.count)} ${state.group}s`;
    const chosen = metricOf(state.metric),
        matches = matchesOf(state.filter);
    const total = chosen.ofSites.reduce((sum, _, i) => sum + (matches[i] ? summed(chosen, i) : 0), 0);
    const count = rows.count + (rows.combined ?? 0),
        isSome = state.group === ROW && count !== countedSites;
    const what = `${exactly(count)}${isSome ? " of " + exactly(countedSites) : ""} ${state.group}s`;
    const leftOut = data.left_out ? ` · ${exactly(data.left_out)} more sites were left out` : "";
    return `${what} · ${chosen.name.toLowerCase()}: ${amount(chosen, total)}, ${share(total, chosen.total)}${leftOut}`;
}

// Says why a view is empty.
function nothingFound() {
    const metric = metricOf(state.metric).name.toLowerCase();
    const reason = filterError(state.filter) ?? (state.filter ? `No ${ROW} matches the filter.` : `Nothing is ${metric} here.`);
    return element(
        "p",
        { class: "note empty" },
        reason,
        state.filter ? button("Clear the filter", () => go({ filter: "" })) : null,
    );
}

class Table {
    constructor() {
        this.head = element("div", { role: "row", class: "row head", "aria-rowindex": 1 });
        this.body = element("div", { class: "body", role: "rowgroup" });
        this.element = element(
            "div",
            { class: "scroller", tabindex: 0, role: "grid", "aria-label": ROWS },
            element("div", { role: "rowgroup", class: "top" }, this.head),
            this.body,
        );
        this.rows = null;
        // sorted rows, and the index of the one with the keyboard focus
        this.order = [];
        this.cursor = -1;
        this.element.addEventListener("keydown", (event) => this.press(event));
        this.element.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()), { passive: true });
        this.body.addEventListener("click", (event) => this.choose(event.target.closest("[data-at]")?.dataset.at));
        addEventListener("resize", () => this.rows && this.draw());
    }

    rowElement(at) {
        const row = this.order[at],
            isOpen = this.rows.isOpen(row);
        const look = (isOpen ? " open" : "") + (at === this.cursor ? " cursor" : "");
        return element(
            "div",
            {
                role: "row",
                class: "row" + look,
                id: "row-" + at,
                "data-at": at,
                "aria-rowindex": at + 2,
                "aria-selected": String(isOpen),
                style: { top: at * ROW_HEIGHT + "px" },
            },
            shareCell(this.rows, metricOf(state.metric), row),
            this.rows.inclusive && numberCell(this.rows, true, metricOf(state.metric), row),
            METRICS.map((metric) => numberCell(this.rows, false, metric, row)),
            element("div", { role: "gridcell", class: "name" }, this.rows.label(row)),
        );
    }

    // Draws the visible rows and a few around them.
    draw() {
        if (!this.order.length) return this.body.replaceChildren(nothingFound());
        const from = Math.max(0, Math.floor(this.element.scrollTop / ROW_HEIGHT) - 10);
        const to = Math.min(this.order.length, from + Math.ceil(this.element.clientHeight / ROW_HEIGHT) + 20);
        this.body.replaceChildren(
            ...Array.from({ length: Math.max(0, to - from) }, (_, i) => this.rowElement(from + i)),
        );
    }

    fill() {
        this.rows = rowsOf(state);
        this.order = orderOf(this.rows);
        this.cursor = -1;
        this.element.scrollTop = 0;
        const name = state.group[0].toUpperCase() + state.group.slice(1);
        this.head.replaceChildren(
            element("div", { role: "columnheader", class: "share" }, old ? "Before and now" : "Share"),
            ...(this.rows.inclusive ? [heading(INCLUSIVE, "Inclusive", false)] : []),
            ...METRICS.map((metric) => heading(metric.key, metric.name, false)),
            heading("name", name, true),
        );
        this.body.style.height = Math.max(4, this.order.length) * ROW_HEIGHT + "px";
        this.element.setAttribute("aria-rowcount", this.order.length + 1);
    }

    choose(at) {
        if (!this.order.length || at === undefined || at < 0) return;
        this.cursor = Number(at);
        this.rows.open(this.order[this.cursor]);
    }

    moveTo(at) {
        this.cursor = Math.max(0, Math.min(this.order.length - 1, at));
        const top = this.cursor * ROW_HEIGHT,
            room = this.element.clientHeight - 2 * ROW_HEIGHT;
        this.element.scrollTop = Math.max(Math.min(this.element.scrollTop, top), top - room);
        this.draw();
        this.element.setAttribute("aria-activedescendant", "row-" + this.cursor);
    }

    press(event) {
        const page = Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2;
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
        const isEnter = event.key === "Enter";
        if (event.target !== this.element || !(isEnter || event.key in steps)) return;
        event.preventDefault();
        if (isEnter) this.choose(this.cursor);
        else this.moveTo(this.cursor + steps[event.key]);
    }

    update(before) {
        if (!this.rows || ["filter", "group", "sort", "metric", "at", "from", "phase", "startup"].some((key) => state[key] !== before[key])) this.fill();
        this.draw();
    }

    sum() {
        return sumOfTable(this.rows);
    }
}
