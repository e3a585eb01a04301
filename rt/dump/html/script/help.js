/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The help, which "?" opens.

const KEYS = [
    ["?", "this help"],
    ["/", "to the filter"],
    ["1 2 3 4", "the views"],
    ["Tab", "to the next part of the page; arrows move within the table, the flame graph and the time axis"],
    ["Enter", "open the row or frame"],
    ["Shift and arrows", "on the time axis: select a range"],
    ["Escape", "close the panel; show all of the flame graph"],
];

const WORDS = [
    ["Allocated", "bytes of all calls, whether or not they were freed"],
    ["Live", "bytes that were not freed"],
    ["Peak", "the part in the moment with the most live bytes"],
    ["Churn", "bytes that were freed or moved by a reallocation"],
    ["Temporary", "blocks that were freed before their thread allocated again (temporary=1)"],
    ["Leaked", "bytes to which nothing points any more (reach=1)"],
    ["Inclusive", "of a function: what it and all functions that it called allocated; self: only itself"],
    ["← serve 84%", "who called the line, with the share"],
];

const FILTERS = [
    ["parse json", "rows that contain both words"],
    ['type:"struct item"', `a prefix names the field (${PREFIXES.join(", ")}), and quotes the whole name`],
    ["-file:test", "rows without the word"],
    ["a.c:12", "a line"],
];

function definitions(title, pairs) {
    const rows = pairs.map(([what, meaning]) => element("tr", {}, element("th", { scope: "row" }, what), element("td", {}, meaning)));
    return section(title, element("table", { class: "help" }, element("tbody", {}, rows)));
}

function editorChoice() {
    const input = element("input", {
        id: "editor",
        value: editorUrl(),
        "aria-label": "URL of the editor",
        spellcheck: "false",
        onchange: () => {
            setEditorUrl(input.value === EDITOR ? "" : input.value);
            detail.update();
        },
    });
    return section("Editor: the URL that a place opens, with {file}, {line} and {column}", input);
}

const help = element("dialog", { id: "help", "aria-label": "Help" });

function openHelp() {
    help.replaceChildren(
        button("×", () => help.close(), { class: "close", "aria-label": "Close" }),
        element("h2", {}, "Help"),
        definitions("Keys", KEYS),
        definitions("Filter", FILTERS),
        definitions("Words", WORDS),
        editorChoice(),
    );
    help.showModal();
}
