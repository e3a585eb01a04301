/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The chart of a recording: resident memory, and live bytes of the largest sites over time. A click selects a
// moment, and dragging a range; all views then show it.

const TIMED = ["bytes", "calls", "live", "peak", "churn"];
const LINES = 6;
const CHART_HEIGHT = 100;
const TICKS_MOST = 7;
// Pixels that a pointer moves to select a range.
const DRAG_LEAST = 5;

// The counters of all sites at a point, by metric. A row of the data alternates a site and one difference per
// metric.
function momentAt(point) {
    const now = TIMED.map(() => new Float64Array(siteCount));
    for (const row of data.time.rows.slice(0, point + 1))
        for (let at = 0; at < row.length; at += TIMED.length + 1)
            TIMED.forEach((_, m) => (now[m][row[at]] += row[at + 1 + m]));
    return now;
}

// The counters of a range: what was added after `from`. The peak is the one at the range's end, because samples do not know
// the peak within a range.
function rangeOf(from, point) {
    const now = momentAt(point),
        before = from < 0 ? null : momentAt(from);
    return before ? now.map((of, m) => (TIMED[m] === "peak" ? of : of.map((value, i) => value - before[m][i]))) : now;
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
            if (!sites.uncounted[row[at]]) sum += row[at + 3];
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
        .filter((i) => most[i] && !sites.uncounted[i])
        .sort((a, b) => most[b] - most[a])
        .slice(0, LINES);
}

// Makes the views show a point, or the range up to it. from: -1 for none.
function showMoment(from, point) {
    const now = rangeOf(from, point),
        isAll = from < 0 && point === data.time.ms.length - 1;
    for (const metric of METRICS.filter(({ key }) => TIMED.includes(key))) {
        metric.ofSites = now[TIMED.indexOf(metric.key)];
        metric.total = metric.ofSites.reduce((sum, _, i) => sum + summed(metric, i), 0);
        const card = document.querySelector(`#totals [data-metric=${metric.key}]`);
        card.querySelector("data").replaceWith(number(metric, metric.total));
        card.querySelector(".sub").hidden = !isAll;
        if (metric.key === "live") card.querySelector("dt").textContent = isAll ? metric.name : from < 0 ? "Live" : "Change of live";
    }
    present = isAll ? null : Uint8Array.from({ length: siteCount }, (_, i) => Number(now.some((of) => of[i])));
}

const drawn = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
};

// Seconds as people count them.
const TICK_STEPS = [1, 2, 5, 10, 15, 30].flatMap((step) => [step, 60 * step]).concat(3600, 7200, 21600, 43200, 86400).sort((a, b) => a - b);
function tickStep(span) {
    const step = TICK_STEPS.find((step) => span / step <= TICKS_MOST && span / step >= 1);
    if (step && span >= 3) return step;
    const power = 10 ** Math.floor(Math.log10(span / TICKS_MOST));
    return [1, 2, 5, 10].map((times) => times * power).find((step) => span / step <= TICKS_MOST);
}

const tickName = (seconds, step) =>
    step >= 3600
        ? +(seconds / 3600).toFixed(2) + " h"
        : step >= 60
          ? +(seconds / 60).toFixed(2) + " min"
          : +seconds.toFixed(3) + " s";

class Chart {
    constructor() {
        const { ms, resident } = data.time;
        this.last = ms.length - 1;
        this.from = -1;
        this.point = this.last;
        const chosen = largestSites(),
            { lines, all } = liveOverTime(chosen),
            hasResident = resident.some(Boolean);
        this.all = all;
        this.top = Math.max(1, ...all, ...resident);
        this.cursor = drawn("line", { y1: 0, y2: CHART_HEIGHT, class: "cursor" });
        this.range = drawn("rect", { y: 0, height: CHART_HEIGHT, class: "range" });
        this.plot = element("div", {
            class: "plot",
            role: "slider",
            tabindex: 0,
            "aria-label": "Moment",
            "aria-valuemin": 0,
            "aria-valuemax": this.last,
            onclick: (event) => this.click(event),
            onpointerdown: (event) => (this.pressed = event.clientX),
            onpointermove: (event) => this.drag(event),
            onkeydown: (event) => this.press(event),
        });
        const svg = drawn("svg", { viewBox: `0 0 1000 ${CHART_HEIGHT}`, preserveAspectRatio: "none" });
        svg.append(
            this.range,
            ...(hasResident ? [this.line(resident, "resident")] : []),
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
            element(
                "div",
                { class: "scale" },
                [this.top, this.top / 2, 0].map((bytes) => element("span", {}, size(Math.round(bytes)))),
            ),
            this.plot,
            this.ticks(),
            element(
                "ul",
                { class: "legend" },
                hasResident ? this.sample("resident", "resident memory") : null,
                this.sample("all", "all live bytes"),
                chosen.map((i, at) =>
                    this.sample("line" + at, siteLink(i, [placeLabel(sitePlace(i)), " ", element("b", {}, siteName(i))])),
                ),
            ),
        );
    }

    sample(look, label) {
        const svg = drawn("svg", { viewBox: "0 0 26 4", class: "sample", "aria-hidden": "true" });
        svg.append(drawn("line", { x1: 0, y1: 2, x2: 26, y2: 2, class: look }));
        return element("li", {}, svg, label);
    }

    ticks() {
        const { ms } = data.time,
            span = (ms[this.last] - ms[0]) / 1000,
            made = [];
        const step = span > 0 ? tickStep(span) : 1;
        for (let at = 0; at <= span * 1.0001; at += step)
            made.push(element("span", { style: { left: span ? (100 * at) / span + "%" : "0" } }, tickName(at, step)));
        return element("div", { class: "ticks", "aria-hidden": "true" }, made);
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

    // from: the start of a range; -1: a moment.
    goTo(point, isStep = true, from = -1) {
        const at = Math.max(0, Math.min(this.last, point));
        const isRange = from >= 0 && from !== at;
        const [start, end] = isRange ? [Math.min(from, at), Math.max(from, at)] : ["", at];
        go({ at: end === this.last ? "" : String(end), from: String(start) }, isStep);
    }

    // The last sample at or before a position.
    pointAt(clientX) {
        const { left, width } = this.plot.getBoundingClientRect();
        const x = (1000 * (clientX - left)) / width;
        let point = this.last;
        while (point && this.x(point) > x) point--;
        return point;
    }

    drag(event) {
        this.isDrag = event.buttons === 1 && Math.abs(event.clientX - this.pressed) >= DRAG_LEAST;
        if (this.isDrag) this.goTo(this.pointAt(event.clientX), false, this.pointAt(this.pressed));
    }

    // The end of a drag is a click, too.
    click(event) {
        if (!this.isDrag) this.goTo(this.pointAt(event.clientX));
        this.isDrag = false;
    }

    // The shift key moves the end of a range.
    press(event) {
        const steps = { ArrowRight: 1, ArrowLeft: -1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
        if (!(event.key in steps)) return;
        event.preventDefault();
        const start = this.from < 0 ? this.point : this.from;
        this.goTo(this.point + steps[event.key], false, event.shiftKey ? start : -1);
    }

    seconds(point) {
        const { ms } = data.time;
        return ((ms[point] - ms[0]) / 1000).toFixed(1) + " s";
    }

    describe() {
        const { ms, resident, thinned } = data.time,
            { from, point } = this;
        const when = new Date(ms[point]).toISOString().slice(0, 19).replace("T", " ");
        const live = `${size(this.all[point])} live` + (resident[point] ? `, ${size(resident[point])} resident` : "");
        const change = size(this.all[point] - this.all[Math.max(from, 0)]);
        return (
            (from < 0
                ? `${this.seconds(point)} after the first sample, ${when} UTC: ${live}`
                : `From ${this.seconds(from)} to ${this.seconds(point)}: live bytes changed by ${change} to ${live}; all views show this range`) +
            (point === this.last ? ", the last sample" : "") +
            (thinned ? `; ${exactly(thinned)} older samples were thinned out` : "") +
            ". Drag to select a range."
        );
    }

    update() {
        const numberOf = (given, least, none) =>
            given !== "" && Number.isInteger(Number(given)) && given >= least && given <= this.last ? Number(given) : none;
        const point = numberOf(state.at, 0, this.last),
            start = numberOf(state.from, 0, -1),
            from = start < point ? start : -1;
        if (point !== this.point || from !== this.from) showMoment(from, point);
        Object.assign(this, { from, point });
        this.cursor.setAttribute("x1", this.x(point));
        this.cursor.setAttribute("x2", this.x(point));
        this.range.setAttribute("x", this.x(Math.max(from, 0)));
        this.range.setAttribute("width", from < 0 ? 0 : this.x(point) - this.x(from));
        this.said.textContent = this.describe();
        this.plot.setAttribute("aria-valuenow", point);
        this.plot.setAttribute("aria-valuetext", this.said.textContent);
    }
}
