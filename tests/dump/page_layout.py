# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page as people see it: page_measure.js measures all views in four widths, light and dark, and the keyboard alone
reaches everything."""
import os
import sys
import unittest

import browser
from runs import dump, report, work

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTHS = {380: 740, 800: 900, 1280: 800, 1920: 1000}
SCHEMES = "light", "dark"
with open(os.path.join(HERE, "page_measure.js")) as script:
    MEASURE = script.read()

# Long names, types and callers; threads; blocks that others free.
PROGRAM = r"""#include <map>
#include <memory>
#include <stdio.h>
#include <string>
#include <string.h>
#include <thread>
#include <vector>
namespace configuration::parser_of_documents {
struct Node { std::string name; std::vector<std::unique_ptr<Node>> children; std::map<std::string, std::vector<int>> attributes; };
class RecursiveDescentParser {
public:
    __attribute__((noinline)) std::unique_ptr<Node> ParseDeep(int depth) {
        auto node = std::make_unique<Node>();
        node->name = std::string(40 + depth, 'n');
        for (int i = 0; i < WIDTH && depth; i++)
            node->children.push_back(ParseDeep(depth - 1));
        node->attributes["a rather long name of an attribute"].push_back(depth);
        return node;
    }
    __attribute__((noinline)) char *copy(const char *text) { return strdup(text); }
};
}
using configuration::parser_of_documents::RecursiveDescentParser;
char *volatile kept[9];
__attribute__((noinline)) static void give_back(int i) { free(kept[i]); kept[i] = nullptr; }
__attribute__((noinline)) static void *grow(void *block, size_t size) { return realloc(block, size); }
int main() {
    RecursiveDescentParser parser;
    auto document = parser.ParseDeep(5);
    std::thread thread([&] { kept[0] = parser.copy("kept"); document->children.clear(); });
    thread.join();
    printf("%s\n", document->name.c_str());
    kept[1] = parser.copy("freed elsewhere");
    give_back(1);
    for (size_t size = 100; size < 200000; size *= 3)
        kept[2] = (char *)grow(kept[2], size);
}
"""
OPEN_ROW = "document.querySelector('.body .row').click()"
OPEN_FRAME = "[...document.querySelectorAll('.frame')].find((one) => one.dataset.name === 'main')?.click()"
# The views, and the actions in each view before it is measured.
VIEWS = (("", ""), ("group=function", ""), ("", OPEN_ROW), ("group=function&sort=inclusive", OPEN_ROW), ("filter=nothing+has+this", ""),
         ("filter=foo:bar", ""), ("view=flame", ""), ("view=flame&library=1", OPEN_FRAME), ("view=flame&filter=ParseDeep", ""),
         ("view=treemap", ""), ("view=sizes", ""), ("metric=calls", "openHelp"))
# What Tab must reach. In a group in which arrow keys move, Tab needs to reach only one element.
REACHABLE = """[...document.querySelectorAll("button, input, select, summary, a[href], [role=button], [tabindex]")]
    .filter((one) => one.checkVisibility() && !one.disabled && one.tabIndex >= 0)"""


class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        flags = ("-x", "c++", "-std=c++17", "-O1", "-pthread", "-lstdc++")
        options = "sizes=1:pairs=1:reach=1:lifetime=1:temporary=1"
        new, old = (report(PROGRAM, name, options, (*flags, f"-DWIDTH={width}"), contexts=1) for name, width in (("new", 3), ("old", 2)))
        cls.pages = {name: work(name + ".html") for name in ("report", "diff", "recording")}
        for name, arguments in (("report", ("report", "--source", new)), ("diff", ("diff", old, new)),
                                ("recording", ("report", "--no-symbols", os.path.join(HERE, "steps.rec")))):
            done = dump(arguments[0], "--format=html", "-o", cls.pages[name], *arguments[1:], cwd=work("new"))
            assert (done.returncode, done.stderr) == (0, ""), done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def look(self, width, scheme="light"):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=WIDTHS[width], deviceScaleFactor=1, mobile=False)
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.browser.drawn()

    def show(self, page, fragment, action=""):
        self.browser.open(self.pages[page], "#" + fragment)
        if action == "openHelp":
            self.browser.press("?")
        elif action:
            self.browser.value(action)
        self.browser.drawn()

    def check(self, page):
        complaints = []
        for fragment, action in VIEWS:
            self.show(page, fragment, action)
            for width in WIDTHS:
                for scheme in SCHEMES:
                    self.look(width, scheme)
                    complaints += [f"{page} #{fragment} {action[:8]} {width} {scheme}: {each}" for each in self.browser.value(MEASURE)]
        self.assertEqual(complaints, [], "\n".join(complaints[:40]))

    def test_report(self):
        self.check("report")

    def test_diff(self):
        self.check("diff")

    def test_recording(self):
        self.check("recording")

    def test_the_measure_can_fail(self):
        self.look(1280)
        for rule, complaint in ((".body .name .line { flex: 0 1 4px; overflow: hidden }", "cut: span.line"), (".row > .number { flex: none; width: 20px; overflow: hidden }", "cut: div.number"),
                                ("#totals > div { margin-right: -60px; flex: none; width: 200px }", "overlap: div."), (".sum { color: #aaa }", "contrast 2"),
                                (".bar-top { width: 2000px }", "wide: body")):
            self.show("report", "")
            self.browser.value(f"document.styleSheets[0].insertRule({rule!r}, document.styleSheets[0].cssRules.length)")
            self.browser.drawn()
            self.assertIn(complaint, "\n".join(self.browser.value(MEASURE)), rule)

    def test_a_sheet_shows_the_row_on_narrow_screens(self):
        for width in 380, 800:
            self.look(width)
            self.show("report", "", OPEN_ROW)
            top, bottom, height = self.browser.value("(({top, bottom}) => [top, bottom, innerHeight])(document.querySelector('#detail').getBoundingClientRect())")
            self.assertLess(top, height * 0.6)
            self.assertLessEqual(bottom, height)
            self.browser.press("Escape")
            self.assertTrue(self.browser.value("document.querySelector('#detail').hidden"))

    def focused(self, expression):
        return self.browser.value(f"((one) => {expression})(document.activeElement)")

    def test_the_keyboard_reaches_everything(self):
        self.look(1280)
        for page, fragment, action in (("report", "", OPEN_ROW), ("report", "view=flame", OPEN_FRAME), ("report", "view=treemap", ""),
                                       ("report", "view=sizes", ""), ("diff", "", OPEN_ROW), ("recording", "", OPEN_ROW)):
            self.show(page, fragment, action)
            self.browser.value(f"window.wanted = new Set({REACHABLE})")
            count = self.browser.value("wanted.size")
            for _ in range(count + 5):
                self.browser.press("Tab")
                self.browser.value("wanted.delete(document.activeElement)")
                if self.focused("one !== document.body"):
                    self.assertNotEqual(self.focused("getComputedStyle(one).outlineStyle"), "none", self.focused("one.outerHTML.slice(0, 200)"))
            left = self.browser.value("[...wanted].filter((one) => one.isConnected).map((one) => one.outerHTML.slice(0, 200))")
            self.assertEqual(left, [], (page, fragment))

    def test_keys_of_the_flame_graph(self):
        """The information follows the focus, Enter opens a function, and its outline is not covered."""
        self.look(1280)
        self.show("report", "view=flame")
        self.browser.value("document.querySelector('.frame').focus()")
        self.browser.press("ArrowDown")
        self.assertEqual(self.focused("one.dataset.name"), "main")
        self.assertRegex(self.browser.value("document.querySelector('.info').textContent"), r"^maininclusive .*self .*\[.*program\.c:\d+")
        self.browser.press("Enter")
        self.browser.drawn()
        self.assertEqual(self.browser.value("document.querySelector('#detail h2').textContent"), "main")
        for place, what in ("first", "inclusive"), ("last", "self"):
            amount = self.browser.value(f"document.querySelector('#detail .sums tr:{place}-child data').textContent")
            self.assertIn(f"{what} {amount}", self.browser.value("document.querySelector('.info').textContent"))
        self.assertEqual(self.focused("one.dataset.name"), "main")
        self.assertEqual(self.focused("getComputedStyle(one).zIndex + parseFloat(getComputedStyle(one).outlineOffset)"), "2-2")

    def test_the_flame_graph_folds_and_shortens(self):
        self.look(800)
        self.show("report", "view=flame")
        names = self.browser.value("[...document.querySelectorAll('.frame:not(.leaf)')].map((one) => one.dataset.name)")
        self.assertNotIn("_start", names)
        self.assertFalse([name for name in names if name and "thread" in name], names)
        self.assertTrue(any(each.startswith("...::") for each in self.browser.value("[...document.querySelectorAll('.frame span')].map((one) => one.textContent)")))
        hues = self.browser.value("[...new Set([...document.querySelectorAll('.frame')].map((one) => one.style.getPropertyValue('--h')))].length")
        self.assertGreater(hues, 2)
        self.show("report", "view=flame&filter=ParseDeep")
        self.assertRegex(self.browser.value("document.querySelector('.sum').textContent"), r"^highlighted: .*, \d+\.\d%$")

    def test_filters_and_help(self):
        self.look(1280)
        for fragment, text in (("filter=foo:bar", 'Unknown prefix "foo:"'), ("filter=nothing+has+this", "No site matches the filter.")):
            self.show("report", fragment)
            self.assertIn(text, self.browser.value("document.querySelector('.empty').textContent"))
        self.show("report", "filter=std::vector")
        self.assertEqual(self.browser.value("document.querySelectorAll('.error').length"), 0)
        self.browser.press("?")
        self.assertTrue(self.browser.value("document.querySelector('#help').open"))
        self.browser.press("Escape")
        self.assertFalse(self.browser.value("document.querySelector('#help').open"))

    def test_both_runs_are_named(self):
        self.show("diff", "")
        header = self.browser.value("document.querySelector('header').textContent")
        self.assertRegex(header, r"(?s)Before: \./program.*Ran \d{4}-.*Now: \./program.*Ran \d{4}-")

    def test_places_open_in_the_editor(self):
        self.show("report", "filter=file:program.c", OPEN_ROW)
        self.assertRegex(self.browser.value("document.querySelector('#detail .place a').href"), r"^vscode://file/.*/program\.c:\d+:\d+$")
        self.browser.press("?")
        for url, href in ("gvim://{file}?{line}", "gvim:///"), ("javascript:alert(1)//{file}", None), ("", "vscode://"):
            self.browser.value(f"(() => {{ const input = document.querySelector('#editor'); input.value = {url!r}; input.dispatchEvent(new Event('change')); }})()")
            shown = self.browser.value("document.querySelector('#detail .place a')?.href ?? null")
            self.assertTrue(shown is None if href is None else shown.startswith(href), shown)

    def test_a_range_of_a_recording(self):
        """The views show the sum of what was allocated within the range."""
        sums = []
        for fragment in "at=4", "at=9", "from=4&at=9":
            self.show("recording", fragment)
            sums.append(self.browser.value("Number(document.querySelector('[data-metric=bytes] data').value)"))
        self.assertEqual(sums[2], sums[1] - sums[0])
        self.show("recording", "")
        self.browser.value("document.querySelector('.plot').focus()")
        for kind in "keyDown", "keyUp":
            self.browser.call("Input.dispatchKeyEvent", type=kind, key="ArrowLeft", windowsVirtualKeyCode=37, modifiers=8)
        self.assertRegex(self.browser.value("location.hash"), r"at=\d+&from=\d+|from=\d+")
        self.assertGreater(self.browser.value("document.querySelectorAll('.ticks span').length"), 2)
        dashes = self.browser.value("[...document.querySelectorAll('.plot polyline')].map((one) => getComputedStyle(one).strokeDasharray)")
        self.assertEqual(len(dashes), len(set(dashes)))


if __name__ == "__main__":
    if not browser.CHROMIUM:
        print("chromium is not installed: nothing is known of the page")
        sys.exit(77)
    unittest.main()
