/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The data of the page (html.h) as columns that all views share.

// The data is gzip in base64. This reduces the page to 40 percent, which matters for mail and CI artifacts; a
// second file would have to be fetched, which the policy forbids. 100,000 sites (6.6 instead of 16 MB) open
// in the same time, 250,000 frames (10 instead of 26 MB) half a second later. A browser without
// DecompressionStream (before Chromium 89, Firefox 113, Safari 16.4) shows the page as without a script. The
// loop replaces Uint8Array.from, which calls a function for each byte and takes longer than inflating.
async function unpack(letters) {
    const packed = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) packed[i] = letters.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
}

const unpacked = await unpack(atob(document.getElementById("data").textContent));
const data = unpacked.chooses && (SKIPPED.size || STOPPED.size) ? chooseLines(unpacked) : unpacked;
const text = (number) => data.strings[number];
const siteCount = data.sites.id.length;

// A missing column is all zeros.
const column = (rows, name, count) => rows[name] ?? new Float64Array(count);

const COUNTERS = [
    "allocs",
    "alloc_bytes",
    "reallocs",
    "realloc_bytes",
    "realloc_old_bytes",
    "frees",
    "freed_bytes",
    "moved",
    "moved_bytes",
    "live_blocks",
    "live_bytes",
    "failed",
    "peak_bytes",
    "peak_blocks",
    "inherited_blocks",
    "inherited_bytes",
    "max_live_blocks",
    "max_live_blocks_within",
    "lost_blocks",
    "lost_bytes",
    "possibly_lost_blocks",
    "possibly_lost_bytes",
];
const SITE_COLUMNS = [
    "module",
    "function",
    "file",
    "line",
    "column",
    "callee",
    "type",
    "unsited",
    "backing",
    "node",
];

// The kind of rows: "site", or "stack" for the parts of a site. Parts share an id, so an index is appended.
const ROW = data.by,
    ROWS = ROW === "site" ? "Sites" : "Stacks";
const sites = { id: ROW === "site" ? data.sites.id : data.sites.id.map((id, i) => id + "." + i) };
for (const name of [...SITE_COLUMNS, ...COUNTERS]) sites[name] = column(data.sites, name, siteCount);

// The counters of the same sites in an older report; null: none.
const old = data.old ? Object.fromEntries(COUNTERS.map((name) => [name, column(data.old, name, siteCount)])) : null;

const hasCome = (rows, i) => rows.allocs[i] || rows.reallocs[i] || rows.failed[i] || rows.inherited_blocks[i];

// For a recording: 1 for each site that had counted something at the chosen moment; null: all sites.
let present = null;

// Other sites are present only because they freed blocks of a counted one.
const isCounted = (i) => (!present || present[i]) && (hasCome(sites, i) || (old && hasCome(old, i)));
const countedSites = sites.id.filter((_, i) => isCounted(i)).length;

function columnsOfStacks(rows) {
    const stacks = { count: rows.count };
    for (const name of ["site", "node", ...COUNTERS]) stacks[name] = column(rows, name, rows.count);
    return stacks;
}

const stacks = columnsOfStacks(data.stacks);
const oldStacks = old && columnsOfStacks(data.old_stacks);

const { frames, nodes } = data;

// Shortens paths below the reader's directory, as the report for the terminal does.
function shortPath(path) {
    const base = data.directory + "/";
    return path && data.directory && path.startsWith(base) ? path.slice(base.length) : path;
}

const baseName = (path) => path.slice(path.lastIndexOf("/") + 1) || path;

// Removes template arguments from long names. The panel shows the full name.
function shortName(name) {
    if (!name || name.length <= 60 || !name.includes("<")) return name;
    for (let before = null; before !== name;) {
        before = name;
        name = name.replace(/<[^<>]*[^<>…][^<>]*>/g, "<…>").replace(/<[^<>]*(<…>[^<>]*)+>/g, "<…>");
    }
    return name;
}

// Removes a function's parameters as well: the last parentheses, unless they are part of its name.
function shortFunction(name) {
    const short = shortName(name)?.replace(/( const| volatile| &+| \[[^\]]*\])+$/, "");
    if (!short?.endsWith(")")) return short;
    let at = short.length - 1;
    for (let depth = 1; depth && at > 0; ) depth += { ")": 1, "(": -1 }[short[--at]] ?? 0;
    return at && !short.slice(0, at).endsWith("operator") ? short.slice(0, at) : short;
}

// "src/a.c:12:7", without unknown parts.
function placeOf(file, line, column) {
    return file ? shortPath(text(file)) + (line ? ":" + line : "") + (column ? ":" + column : "") : "";
}

const sitePlace = (i) => placeOf(sites.file[i], sites.line[i], sites.column[i]);
const siteName = (i) => shortFunction(text(sites.function[i])) ?? (sites.unsited[i] ? "unsited" : "?");

const framesOf = (node) => framesTo(data, node);

const frameName = (frame) =>
    shortFunction(text(frames.function[frame])) ??
    (frames.module[frame] ? baseName(text(frames.module[frame])) : "?") +
        (frames.address[frame] ? "+" + frames.address[frame] : "");
const framePlace = (frame) =>
    frames.file[frame]
        ? placeOf(frames.file[frame], frames.line[frame], frames.column[frame])
        : frames.module[frame]
          ? baseName(text(frames.module[frame]))
          : "";
