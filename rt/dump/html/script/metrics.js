/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The metrics, and formatting of numbers.

const METRICS = [
    { key: "bytes", name: "Allocated", isBytes: true, columns: ["alloc_bytes", "realloc_bytes"] },
    { key: "calls", name: "Calls", isBytes: false, columns: ["allocs", "reallocs"] },
    { key: "live", name: data.finished ? "Live at exit" : "Live", isBytes: true, columns: ["live_bytes"] },
    { key: "peak", name: "Peak", isBytes: true, columns: ["peak_bytes"] },
    { key: "churn", name: "Churn", isBytes: true, columns: ["freed_bytes", "moved_bytes"] },
    { key: "temporary", name: "Temporary", isBytes: false, columns: ["temporary"] },
    { key: "leaked", name: "Leaked", isBytes: true, columns: ["leaked_bytes"] },
    { key: "possibly", name: "Possibly leaked", isBytes: true, columns: ["possibly_leaked_bytes"] },
].filter(({ key }) => document.querySelector(`#totals [data-metric=${key}]`));

function sumOfColumns(rows, names, count) {
    const sum = new Float64Array(count);
    for (const name of names) for (let i = 0; i < count; i++) sum[i] += rows[name][i];
    return sum;
}

for (const metric of METRICS) {
    metric.ofSites = sumOfColumns(sites, metric.columns, siteCount);
    metric.ofOld = old && sumOfColumns(old, metric.columns, siteCount);
    metric.ofStacks = sumOfColumns(stacks, metric.columns, stacks.count);
    metric.ofOldStacks = old && sumOfColumns(oldStacks, metric.columns, oldStacks.count);
    metric.total = Number(document.querySelector(`#totals [data-metric=${metric.key}] data`).value);
}

const metricOf = (key) => METRICS.find((metric) => metric.key === key && !metric.isUnknown) ?? METRICS[0];

// Makes all views show the allocations of one phase, of which only calls and bytes are known; "": of all.
function showPhase(name) {
    for (const metric of METRICS) {
        const { ofSites, ofStacks, total } = (metric.whole ??= { ...metric });
        const isUnknown = name !== "" && metric.key !== "calls" && metric.key !== "bytes";
        Object.assign(metric, { ofSites, ofStacks, total, isUnknown });
        if (!name) continue;
        metric.ofSites = new Float64Array(siteCount);
        metric.ofStacks = new Float64Array(stacks.count);
        for (const [phase, site, stack, calls, bytes] of data.by_phase) {
            const value = { calls, bytes }[metric.key] ?? 0;
            if (text(phase) !== name || site >= siteCount) continue;
            metric.ofSites[site] += value;
            if (stack < stacks.count) metric.ofStacks[stack] += value;
        }
        metric.total = metric.ofSites.reduce((sum, _, i) => sum + summed(metric, i), 0);
    }
    present = name ? Uint8Array.from(metricOf("calls").ofSites, (calls) => Number(calls > 0)) : null;
}

// "live at exit, peak, churn are not known by phase"; "": all metrics are known.
function unknownMetrics() {
    const names = METRICS.filter(({ isUnknown }) => isUnknown).map(({ name }) => name.toLowerCase());
    return names.length ? names.join(", ") + " are not known by " + state.phase.split(" ")[0] : "";
}

// The value of a site in sums. Chunks of custom allocators are not part of sums.
const summed = (metric, i) => (sites.uncounted[i] ? 0 : metric.ofSites[i]);

const thousands = new Intl.NumberFormat("en-US");

// The browser rounds larger numbers, so they get a "≈".
const exactly = (number) => (Math.abs(number) > Number.MAX_SAFE_INTEGER ? "≈" : "") + thousands.format(number);

function size(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let value = Math.abs(bytes),
        unit = 0;
    for (; value >= 1023.95; unit++) value /= 1024;
    return (bytes < 0 ? "−" : "") + (unit ? value.toFixed(1) : value) + " " + units[unit];
}

function duration(nanoseconds) {
    const units = ["ns", "µs", "ms", "s"];
    let unit = 0;
    for (; unit < 3 && nanoseconds >= 1000; unit++) nanoseconds /= 1000;
    return (unit ? nanoseconds.toFixed(1) : nanoseconds) + " " + units[unit];
}

const amount = (metric, value) => (metric.isBytes ? size(value) : exactly(value));
const inFull = (metric, value) => exactly(value) + (metric.isBytes ? " bytes" : "");

// "+1.5 KiB"; "=" if unchanged.
const change = (metric, by) => (by > 0 ? "+" + amount(metric, by) : by ? amount(metric, by).replace("-", "−") : "=");

// A part is never rounded up to 100%.
function share(part, whole) {
    if (!(whole > 0)) return "–";
    const percent = ((100 * part) / whole).toFixed(1);
    return (percent === "100.0" && part < whole ? "99.9" : percent) + "%";
}
