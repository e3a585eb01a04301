/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Opens source lines in the user's editor. The browser keeps the user's choice of URL.

const EDITOR = "vscode://file{file}:{line}:{column}";
const EDITOR_KEY = "allocsite.editor";

// Some browsers have no storage for files.
function editorUrl() {
    try {
        return localStorage.getItem(EDITOR_KEY) ?? EDITOR;
    } catch {
        return EDITOR;
    }
}

function setEditorUrl(url) {
    try {
        if (url) localStorage.setItem(EDITOR_KEY, url);
        else localStorage.removeItem(EDITOR_KEY);
    } catch {
        return;
    }
}

const absolutePath = (path) => (path.startsWith("/") ? path : (data.directory ?? "") + "/" + path);

// The place as a link. A template that runs script is not a link to an editor.
function placeLink(place, file, line, column) {
    const template = editorUrl();
    if (!file || !template || /^\s*(javascript|data):/i.test(template)) return element("span", { class: "at" }, place);
    const parts = { file: encodeURI(absolutePath(text(file))).replace(/[?#]/g, encodeURIComponent), line: line || 1, column: column || 1 };
    const href = template.replace(/\{(file|line|column)\}/g, (_, name) => parts[name]);
    return element("a", { class: "at", href, title: "Open in the editor" }, place);
}
