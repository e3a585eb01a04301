/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The table of sites, or of what they are grouped by. Only the rows in sight are elements: there may be 100,000.

const ROW_HEIGHT = 28;
const GROUPS = ["site", "function", "file", "type", "module", ...data.threads ? ["thread"] : [], ...data.phases ? ["phase"] : []];

// Rows: `count`, `value(metric, row)`, `old(metric, row)` in the older report, `label(row)`, `text(row)` to sort by, `open(row)` when it is chosen.

function rowsOfSites(matches) {
    const chosen = [];
    for (let i = 0; i < siteCount; i++)
        if (matches[i] && isCounted(i))
            chosen.push(i);
    return {
        count: chosen.length,
        value: (metric, row) => metric.ofSites[chosen[row]],
        old: (metric, row) => metric.ofOld[chosen[row]],
        label: (row) => siteLabel(chosen[row]),
        text: (row) => siteName(chosen[row]) + " " + sitePlace(chosen[row]),
        open: (row) => go({ site: sites.id[chosen[row]] === state.site ? "" : sites.id[chosen[row]] }),
        isOpen: (row) => sites.id[chosen[row]] === state.site,
    };
}

function groupSites(field, matches) {
    const numbers = new Map(), groups = [];
    for (let i = 0; i < siteCount; i++) {
        if (!matches[i] || sites.backing[i] || !isCounted(i))
            continue;
        const key = sites[field][i];
        if (!numbers.has(key)) {
            numbers.set(key, groups.length);
            groups.push({ key, count: 0, values: new Map(METRICS.map((metric) => [metric, 0])), olds: new Map(METRICS.map((metric) => [metric, 0])) });
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

// Choosing a group shows its sites.
function rowsOfGroups(field, matches) {
    const groups = groupSites(field, matches);
    const isPath = field === "file" || field === "module";
    const name = (row) => isPath ? shortPath(text(groups[row].key)) : shortName(text(groups[row].key));
    return {
        count: groups.length,
        value: (metric, row) => groups[row].values.get(metric),
        old: (metric, row) => groups[row].olds.get(metric),
        label: (row) => [element("b", { title: text(groups[row].key) }, name(row) ?? "not known"),
            element("span", { class: "at" }, exactly(groups[row].count) + (groups[row].count === 1 ? " site" : " sites"))],
        text: (row) => name(row) ?? "",
        open: (row) => text(groups[row].key) && go({ group: "site", filter: `${state.filter} ${field}:"${text(groups[row].key)}"`.trim() }),
        isOpen: () => false,
    };
}

// Threads and phases are of the process: no site is told of them.
function rowsOfParts(parts) {
    const name = ({ name, thread, pid }) => name ?? (thread === undefined ? "before any phase" : `thread ${thread} of process ${pid}`);
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
    if (group === "thread" || group === "phase")
        return rowsOfParts(data[group + "s"] ?? []);
    return group === "site" || !GROUPS.includes(group) ? rowsOfSites(matchesOf(filter)) : rowsOfGroups(group, matchesOf(filter));
}

// The column that rows are in order of, and whether from the small to the large. A minus is for the reverse of what is usual:
// numbers begin with the largest, names with A.
function sortOf({ sort, metric }) {
    const isReverse = sort.startsWith("-"), key = sort.replace(/^-/, "") || metric;
    return { key, isAscending: (key === "name") !== isReverse };
}

// Of two reports the largest change is first, whichever way it went.
function orderOf(rows) {
    const { key, isAscending } = sortOf(state);
    const order = Uint32Array.from({ length: rows.count }, (_, row) => row);
    const sign = isAscending ? 1 : -1;
    if (key === "name") {
        const names = Array.from(order, (row) => rows.text(row));
        const compare = new Intl.Collator("en").compare;
        return order.sort((a, b) => sign * compare(names[a], names[b]) || a - b);
    }
    const metric = metricOf(key);
    const values = Float64Array.from(order, (row) => old ? Math.abs(rows.value(metric, row) - rows.old(metric, row)) : rows.value(metric, row));
    return order.sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

function makeTable() {
    const head = element("div", { role: "row", class: "row head", "aria-rowindex": 1 });
    const body = element("div", { class: "body", role: "rowgroup" });
    const scroller = element("div", { class: "scroller", tabindex: 0, role: "grid", "aria-label": "Sites" }, element("div", { role: "rowgroup", class: "top" }, head), body);
    let rows = null, order = [], cursor = -1;

    function heading(key, label, name) {
        const { key: sorted, isAscending } = sortOf(state);
        const isSorted = sorted === key;
        return element("div", { role: "columnheader", class: (name ? "name" : "number") + (key === state.metric ? " chosen" : ""), "data-key": key, "aria-sort": isSorted ? (isAscending ? "ascending" : "descending") : "none" },
            element("button", { type: "button", onclick: () => go({ sort: isSorted && !state.sort.startsWith("-") ? "-" + key : key }) }, label));
    }

    function shareCell(chosen, row) {
        const value = rows.value(chosen, row);
        if (old)
            return element("div", { role: "gridcell", class: "share" }, element("small", {}, amount(chosen, rows.old(chosen, row)) + " → " + amount(chosen, value)));
        return element("div", { role: "gridcell", class: "share" }, bar(value, chosen.total), element("span", {}, share(value, chosen.total)));
    }

    function numberCell(metric, row) {
        const value = rows.value(metric, row), before = old ? rows.old(metric, row) : 0;
        return element("div", { role: "gridcell", class: "number" + (metric.key === state.metric ? " chosen" : "") + (value - before ? "" : " none"), "data-key": metric.key },
            old ? changed(metric, before, value) : number(metric, value));
    }

    function rowElement(at) {
        const row = order[at], chosen = metricOf(state.metric);
        return element("div", { role: "row", class: "row" + (rows.isOpen(row) ? " open" : "") + (at === cursor ? " cursor" : ""), "aria-rowindex": at + 2, "aria-selected": rows.isOpen(row),
            id: "row-" + at, "data-at": at, style: { top: at * ROW_HEIGHT + "px" } },
            shareCell(chosen, row), METRICS.map((metric) => numberCell(metric, row)),
            element("div", { role: "gridcell", class: "name" }, rows.label(row)));
    }

    function draw() {
        const from = Math.max(0, Math.floor(scroller.scrollTop / ROW_HEIGHT) - 10);
        const to = Math.min(order.length, from + Math.ceil(scroller.clientHeight / ROW_HEIGHT) + 20);
        const drawn = [];
        for (let at = from; at < to; at++)
            drawn.push(rowElement(at));
        body.replaceChildren(...drawn);
    }

    function sum() {
        const chosen = metricOf(state.metric);
        let total = 0;
        if (state.group === "thread" || state.group === "phase")
            return `${exactly(rows.count)} ${state.group}s`;
        const matches = matchesOf(state.filter);
        for (let i = 0; i < siteCount; i++)
            if (matches[i])
                total += summed(chosen, i);
        const of = state.group === "site" ? (rows.count === countedSites ? "" : ` of ${exactly(countedSites)}`) + " sites" : ` ${state.group}s`;
        return `${exactly(rows.count)}${of} · ${chosen.name.toLowerCase()}: ${amount(chosen, total)}, ${share(total, chosen.total)}` +
            (data.left_out ? ` · ${exactly(data.left_out)} more sites were left out` : "");
    }

    function fill() {
        rows = rowsOf(state);
        order = orderOf(rows);
        head.replaceChildren(element("div", { role: "columnheader", class: "share" }, old ? "Before and now" : "Share"),
            ...METRICS.map((metric) => heading(metric.key, metric.name)), heading("name", state.group === "site" ? "Site" : state.group[0].toUpperCase() + state.group.slice(1), true));
        body.style.height = order.length * ROW_HEIGHT + "px";
        scroller.setAttribute("aria-rowcount", order.length + 1);
        draw();
    }

    function moveTo(at) {
        cursor = Math.max(0, Math.min(order.length - 1, at));
        const top = cursor * ROW_HEIGHT, room = scroller.clientHeight - 2 * ROW_HEIGHT;
        scroller.scrollTop = Math.max(Math.min(scroller.scrollTop, top), top - room);
        draw();
        scroller.setAttribute("aria-activedescendant", "row-" + cursor);
    }

    const page = () => Math.floor(scroller.clientHeight / ROW_HEIGHT) - 2;
    const keys = { ArrowDown: () => moveTo(cursor + 1), ArrowUp: () => moveTo(cursor - 1), PageDown: () => moveTo(cursor + page()), PageUp: () => moveTo(cursor - page()),
        Home: () => moveTo(0), End: () => moveTo(order.length - 1), Enter: () => cursor >= 0 && cursor < order.length && rows.open(order[cursor]) };
    scroller.addEventListener("keydown", (event) => {
        if (event.target !== scroller || !keys[event.key])
            return;
        event.preventDefault();
        keys[event.key]();
    });
    body.addEventListener("click", (event) => {
        const at = event.target.closest("[data-at]")?.dataset.at;
        if (at === undefined)
            return;
        cursor = Number(at);
        rows.open(order[cursor]);
    });
    scroller.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
    addEventListener("resize", () => rows && draw());

    function update(before) {
        const isOther = !rows || ["filter", "group", "sort", "metric"].some((key) => state[key] !== before[key]);
        if (isOther) {
            cursor = -1;
            scroller.scrollTop = 0;
            fill();
        } else {
            draw();
        }
    }
    return { element: scroller, update, sum };
}
