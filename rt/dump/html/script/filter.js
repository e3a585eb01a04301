/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The filter: words that must all occur in a site. `file:`, `function:`, `type:`, `module:`, `callee:` and
// `id:` restrict a word to a field, and `through:` to the functions of stacks. Quotes keep spaces, and after
// a field they match the whole name. A minus inverts a word. `a.c:12` is a line.

const FIELDS = ["function", "file", "type", "module", "callee"];

// "std::" is not a prefix.
const TERM = /(-?)(?:(\w+):(?!:))?(?:"((?:[^"\\]|\\.)*)"|(\S+))/g;

const PREFIXES = [...FIELDS, "id", ...(ROW === "stack" ? ["through"] : [])];

// A term that only sites with this name pass.
const termOf = (field, name) => `${field}:"${name.replace(/["\\]/g, "\\$&")}"`;

function parseFilter(filter) {
    const terms = [];
    for (const [, minus, prefix, quoted, plain] of filter.matchAll(TERM)) {
        const isField = PREFIXES.includes(prefix);
        const word = (prefix && !isField ? prefix + ":" : "") + (quoted?.replace(/\\(.)/g, "$1") ?? plain);
        if (word)
            terms.push({
                isNot: minus === "-",
                field: isField ? prefix : null,
                word: word.toLowerCase(),
                isWhole: quoted !== undefined,
            });
    }
    return terms;
}

// Why a filter is wrong; null: it is not. "Makefile:12" is a line.
function filterError(filter) {
    for (const [, , prefix, , plain] of filter.matchAll(TERM))
        if (prefix && !PREFIXES.includes(prefix) && !/^\d+$/.test(plain))
            return `Unknown prefix "${prefix}:". The prefixes are ${PREFIXES.map((name) => name + ":").join(", ")}.`;
    return null;
}

let lowerCase = null;

// For each string, 1 if it contains the word or, if isWhole, equals it.
function stringsWith(word, isWhole) {
    lowerCase ??= data.strings.map((string) => string?.toLowerCase());
    return Uint8Array.from(lowerCase, (string) =>
        string === undefined || string === null ? 0 : Number(isWhole ? string === word : string.includes(word)),
    );
}

// For each node, 1 if such a function is on its path.
function nodesBelow(found) {
    const below = new Uint8Array(nodes.parent.length);
    for (let i = 1; i < below.length; i++) below[i] = below[nodes.parent[i]] | found[frames.function[nodes.frame[i]]];
    return below;
}

// Returns a predicate on sites.
function testOf({ field, word, isWhole }) {
    if (field === "id") return (i) => sites.id[i].startsWith(word);
    const line = /^(.+):(\d+)$/.exec(word);
    const isLine = line && (!field || field === "file");
    const found = stringsWith(isLine ? line[1] : word, isWhole && field !== null);
    if (isLine) return (i) => found[sites.file[i]] && sites.line[i] === Number(line[2]);
    if (field && field !== "through") return (i) => found[sites[field][i]];
    const below = ROW === "stack" ? nodesBelow(found) : null;
    return (i) => below?.[sites.node[i]] || (!field && FIELDS.some((name) => found[sites[name][i]]));
}

let lastFilter = null,
    lastMatches = null;

// For each site, 1 if it passes the filter.
function matchesOf(filter) {
    if (filter === lastFilter) return lastMatches;
    const matches = new Uint8Array(siteCount).fill(filterError(filter) ? 0 : 1);
    for (const term of parseFilter(filter)) {
        const test = testOf(term);
        for (let i = 0; i < siteCount; i++) matches[i] &= Number(Boolean(test(i)) !== term.isNot);
    }
    lastFilter = filter;
    return (lastMatches = matches);
}

// Returns a predicate on frames for the positive terms of the filter; null: there are none.
function frameTestOf(filter) {
    const terms = parseFilter(filter).filter(
        (term) =>
            !term.isNot &&
            (!term.field || term.field === "function" || term.field === "through" || term.field === "file" || term.field === "module"),
    );
    if (!terms.length) return null;
    const found = terms.map(({ field, word }) => ({
        fields: field === "through" ? ["function"] : field ? [field] : ["function", "file"],
        strings: stringsWith(word, false),
    }));
    return (frame) => found.every(({ fields, strings }) => fields.some((name) => strings[frames[name][frame]]));
}
