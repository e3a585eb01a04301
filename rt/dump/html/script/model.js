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
    "leaked_blocks",
    "leaked_bytes",
    "possibly_leaked_blocks",
    "possibly_leaked_bytes",
    "temporary",
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
    "uncounted",
    "startup",
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

let stacksBySite = null;

// The indices of a site's stacks.
function stacksOf(i) {
    if (!stacksBySite) {
        stacksBySite = Array.from({ length: siteCount }, () => []);
        for (let s = 0; s < stacks.count; s++) stacksBySite[stacks.site[s]].push(s);
    }
    return stacksBySite[i];
}

// Shortens paths below the reader's directory, as the report for the terminal does.
function shortPath(path) {
    const base = data.directory + "/";
    for (let longer = null; longer !== path;) [longer, path] = [path, path?.replace(/[^/]+\/\.\.\//, "")];
    return path && data.directory && path.startsWith(base) ? path.slice(base.length) : path;
}

const baseName = (path) => path.slice(path.lastIndexOf("/") + 1) || path;

// The reader shortened names of functions and types (names.h). Other strings are their own short form.
const shortOf = (number) => text(data.short[number] || number);

// Leaves out outer scopes of a name that is longer than that many characters: "...::ParseDeep". The name
// itself remains.
function shortenFromLeft(name, most) {
    let depth = 0,
        from = 0;
    for (let at = 0; at < name.length - 2 && name.length - from + 3 > most; at++) {
        depth += { "<": 1, "(": 1, "{": 1, ">": -1, ")": -1, "}": -1 }[name[at]] ?? 0;
        if (depth === 0 && name.startsWith("::", at)) from = at;
    }
    if (name.length <= most || !from) return name;
    return name.length - from + 3 <= most ? "..." + name.slice(from) : name.slice(from + 2);
}

// "src/a.c:12:7", without unknown parts.
function placeOf(file, line, column) {
    return file ? shortPath(text(file)) + (line ? ":" + line : "") + (column ? ":" + column : "") : "";
}

const sitePlace = (i) => placeOf(sites.file[i], sites.line[i], sites.column[i]);
const siteName = (i) => shortOf(sites.function[i]) ?? (sites.unsited[i] ? "unsited" : "?");

// Blocks of bytes have no type to show.
const typeName = (i) => (text(sites.type[i]) === "bytes" ? undefined : shortOf(sites.type[i]));

const framesOf = (node) => framesTo(data, node);

const frameName = (frame) =>
    shortOf(frames.function[frame]) ??
    (frames.module[frame] ? baseName(text(frames.module[frame])) : "?") +
        (frames.address[frame] ? "+" + frames.address[frame] : "");
const framePlace = (frame) =>
    frames.file[frame]
        ? placeOf(frames.file[frame], frames.line[frame], frames.column[frame])
        : frames.module[frame]
          ? baseName(text(frames.module[frame]))
          : "";
