/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The chart of a recording: live bytes of the largest sites over time. A click selects a moment, which all
// views then show.

const TIMED = ["bytes", "calls", "live", "peak", "churn"];
const LINES = 6;
const CHART_HEIGHT = 100;

// The counters of all sites at a point, by metric. A row of the data alternates a site and one difference per
// metric.
function momentAt(point) {
    const now = TIMED.map(() => new Float64Array(siteCount));
    for (const row of data.time.rows.slice(0, point + 1))
        for (let at = 0; at < row.length; at += TIMED.length + 1)
            TIMED.forEach((_, m) => (now[m][row[at]] += row[at + 1 + m]));
    return now;
}

// The live bytes of each site at all points.
function liveOverTime(chosen) {
    const lines = new Map(chosen.map((i) => [i, []])),
        now = new Float64Array(siteCount),
        all = [];
    let sum = 0;
    for (const row of data.time.rows) {
        for (let at = 0; at < row.length; at += TIMED.length + 1) {
            now[row[at]] += row[at + 3];
            if (!sites.backing[row[at]]) sum += row[at + 3];
        }
        all.push(sum);
        for (const [i, line] of lines) line.push(now[i]);
    }
    return { lines, all };
}

// The sites with the highest values at any time.
function largestSites() {
    const most = new Float64Array(siteCount),
        now = new Float64Array(siteCount);
    for (const row of data.time.rows)
        for (let at = 0; at < row.length; at += TIMED.length + 1) {
            now[row[at]] += row[at + 3];
            most[row[at]] = Math.max(most[row[at]], now[row[at]]);
        }
    return [...most.keys()]
        .filter((i) => most[i] && !sites.backing[i])
        .sort((a, b) => most[b] - most[a])
        .slice(0, LINES);
}

// Makes the views show that point.
function showMoment(point) {
    const now = momentAt(point),
        isLast = point === data.time.ms.length - 1;
    for (const metric of METRICS.filter(({ key }) => TIMED.includes(key))) {
        metric.ofSites = now[TIMED.indexOf(metric.key)];
        metric.total = metric.ofSites.reduce((sum, _, i) => sum + summed(metric, i), 0);
        const card = document.querySelector(`#totals [data-metric=${metric.key}]`);
        card.querySelector("data").replaceWith(number(metric, metric.total));
        card.querySelector(".sub").hidden = !isLast;
    }
    present = isLast ? null : Uint8Array.from({ length: siteCount }, (_, i) => Number(now.some((of) => of[i])));
}

const drawn = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
};

class Chart {
    constructor() {
        const { ms } = data.time;
        this.last = ms.length - 1;
        this.point = this.last;
        const chosen = largestSites(),
            { lines, all } = liveOverTime(chosen);
        this.all = all;
        this.top = Math.max(1, ...all);
        this.cursor = drawn("line", { y1: 0, y2: CHART_HEIGHT, class: "cursor" });
        this.plot = element("div", {
            class: "plot",
            role: "slider",
            tabindex: 0,
            "aria-label": "Moment",
            "aria-valuemin": 0,
            "aria-valuemax": this.last,
            onclick: (event) => this.click(event),
            onkeydown: (event) => this.press(event),
        });
        const svg = drawn("svg", { viewBox: `0 0 1000 ${CHART_HEIGHT}`, preserveAspectRatio: "none" });
        svg.append(
            this.line(all, "all"),
            ...chosen.map((i, at) => this.line(lines.get(i), "line" + at, sites.id[i])),
            this.cursor,
        );
        this.plot.append(svg);
        this.said = element("p", { class: "note", role: "status" });
        this.element = element(
            "section",
            { id: "time", "aria-label": "Live bytes over time" },
            this.said,
            element("div", { class: "scale" }, element("span", {}, size(this.top)), element("span", {}, "0")),
            this.plot,
            element(
                "ul",
                { class: "legend" },
                element("li", { class: "all" }, "all live bytes"),
                chosen.map((i, at) => element("li", { class: "line" + at }, siteLink(i))),
            ),
        );
    }

    x(point) {
        const { ms } = data.time;
        return this.last ? (1000 * (ms[point] - ms[0])) / (ms[this.last] - ms[0]) : 0;
    }

    line(amounts, look, id = "") {
        const y = (bytes) => CHART_HEIGHT * (1 - bytes / this.top);
        const points = amounts.map((bytes, point) => `${this.x(point).toFixed(1)},${y(bytes).toFixed(2)}`);
        return drawn("polyline", { points: points.join(" "), class: look, "data-site": id });
    }

    goTo(point, isStep = true) {
        const at = Math.max(0, Math.min(this.last, point));
        go({ at: at === this.last ? "" : String(at) }, isStep);
    }

    // Selects the last sample at or before the click.
    click(event) {
        const { left, width } = this.plot.getBoundingClientRect();
        const x = (1000 * (event.clientX - left)) / width;
        let point = this.last;
        while (point && this.x(point) > x) point--;
        this.goTo(point);
    }

    press(event) {
        const steps = { ArrowRight: 1, ArrowLeft: -1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
        if (!(event.key in steps)) return;
        event.preventDefault();
        this.goTo(this.point + steps[event.key], false);
    }

    update() {
        const given = state.at === "" ? this.last : Number(state.at);
        const point = Number.isInteger(given) && given >= 0 && given <= this.last ? given : this.last;
        if (point !== this.point) showMoment(point);
        this.point = point;
        const { ms, resident } = data.time,
            seconds = ((ms[point] - ms[0]) / 1000).toFixed(1);
        const when = new Date(ms[point]).toISOString().slice(0, 19).replace("T", " ");
        this.cursor.setAttribute("x1", this.x(point));
        this.cursor.setAttribute("x2", this.x(point));
        this.said.textContent =
            `${seconds} s after the first sample, ${when} UTC: ${size(this.all[point])} live` +
            (resident[point] ? `, ${size(resident[point])} resident` : "") +
            (point === this.last ? ", the last sample" : "") +
            (data.time.thinned ? `; ${exactly(data.time.thinned)} older samples were thinned out` : "");
        this.plot.setAttribute("aria-valuenow", point);
        this.plot.setAttribute("aria-valuetext", this.said.textContent);
    }
}
