// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures the page as it is drawn. Returns a list of complaints: boxes that overlap, text that is cut or outside
// of the window, and text with too little contrast.
(() => {
    const CONTRAST = 4.5;
    const complaints = new Set();
    const all = (selector) => [...document.querySelectorAll(selector)];
    const nameOf = (one) => `${one.tagName.toLowerCase()}.${one.className.baseVal ?? one.className}#${one.id} "${one.textContent.slice(0, 40)}"`;
    const isShown = (one) => one.checkVisibility({ checkOpacity: true }) && one.getClientRects().length > 0;

    // ---- Boxes.
    const overlap = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
    const hasPlace = (one) => isShown(one) && !["fixed", "sticky"].includes(getComputedStyle(one).position);
    function checkSiblings(selector) {
        for (const parent of all(selector)) {
            const boxes = [...parent.children].filter(hasPlace).map((one) => [one, one.getBoundingClientRect()]);
            boxes.forEach(([one, box], i) => {
                for (const [other, otherBox] of boxes.slice(i + 1))
                    if (overlap(box, otherBox) > 1) complaints.add(`overlap: ${nameOf(one)} and ${nameOf(other)}`);
            });
        }
    }
    checkSiblings("body, header, .verdict, #app, #totals, #totals > div, .bar-top, .stage, #view > section, .tools, .crumbs, .info, #time, .ticks, .legend, .row, .flame, .treemap, .histogram tr, .pairs tr, #detail, #detail section, .counters, .help tr");

    // ---- Cells that must not be cut, by themselves or by elements around them.
    const WHOLE = "h1, #totals dt, #totals dd, .run, .tabs button, .bar-top button, .bar-top select, .sum, .tools button, .info, .row .number, .row .share, .head button, .row .line, .scale span, .ticks span, .note, .histogram th, .histogram td, .pairs td, #detail h2, #detail .place, .counters dt, .counters dd, .chain li, .help th, .help td";
    function clipOf(one) {
        const clip = { left: 0, right: innerWidth };
        for (let at = one.parentElement; at; at = at.parentElement) {
            const box = at.getBoundingClientRect(),
                { display, overflowX } = getComputedStyle(at);
            if (display !== "contents" && overflowX !== "visible") {
                clip.left = Math.max(clip.left, box.left);
                clip.right = Math.min(clip.right, box.left + at.clientLeft + at.clientWidth);
            }
        }
        return clip;
    }
    for (const one of all(WHOLE).filter(isShown)) {
        const box = one.getBoundingClientRect(),
            clip = clipOf(one);
        if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth) complaints.add(`cut: ${nameOf(one)}, ${one.scrollWidth} in ${one.clientWidth}`);
        if (box.left < clip.left - 1 || box.right > clip.right + 1) complaints.add(`outside: ${nameOf(one)}`);
    }
    for (const one of all("body, #view > section, #detail, .scroller"))
        if (isShown(one) && one.scrollWidth > one.clientWidth + 1) complaints.add(`wide: ${nameOf(one)}`);
    if (document.documentElement.scrollWidth > innerWidth) complaints.add("wide: the page");

    // Words that are broken into one letter per line.
    for (const one of all("td:not(.number), th, dd, dt, li, .info span, .note"))
        if (isShown(one) && one.textContent.trim().length > 3) {
            const { width, height } = one.getBoundingClientRect();
            if (width < 60 && height > 80) complaints.add(`squeezed: ${nameOf(one)}, ${Math.round(width)} x ${Math.round(height)}`);
        }

    // ---- Contrast, as WCAG 2 defines it.
    function colourOf(text) {
        const numbers = text.match(/-?[\d.]+(e-?\d+)?/g).map(Number);
        if (text.startsWith("color(srgb")) return [...numbers.slice(0, 3).map((part) => 255 * part), numbers[3] ?? 1];
        return [...numbers.slice(0, 3), numbers[3] ?? 1];
    }
    const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a));
    function groundOf(one) {
        const above = [];
        for (let at = one; at; at = at.parentElement) above.push(colourOf(getComputedStyle(at).backgroundColor));
        return above.reverse().reduce((below, colour) => over(colour, below), [255, 255, 255]);
    }
    const opacityOf = (one) => (one ? Number(getComputedStyle(one).opacity) * opacityOf(one.parentElement) : 1);
    const linear = (part) => ((part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const luminance = (colour) => colour.map(linear).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    function contrast(one, style) {
        const ground = groundOf(one),
            [r, g, b, a] = colourOf(style.color);
        const [dark, light] = [luminance(ground), luminance(over([r, g, b, a * opacityOf(one)], ground))].sort((x, y) => x - y);
        return (light + 0.05) / (dark + 0.05);
    }
    const holdsText = (one) => [...one.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    for (const one of all("body *"))
        if (!one.closest("svg, script, style, option") && holdsText(one) && isShown(one)) {
            const ratio = contrast(one, getComputedStyle(one));
            if (ratio < CONTRAST) complaints.add(`contrast ${ratio.toFixed(2)}: ${nameOf(one)}`);
        }
    for (const one of all("input").filter(isShown))
        if (contrast(one, getComputedStyle(one, "::placeholder")) < CONTRAST) complaints.add(`contrast: the placeholder of ${nameOf(one)}`);
    return [...complaints];
})()
