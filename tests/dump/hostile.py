# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that attack the reader of a report: a terminal, a spreadsheet, a Markdown or HTML viewer, a CI log.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment. cmark-gfm, GitHub's own
parser, renders Markdown.

The names of a program are replaced, byte for byte, in its profile, its heap snapshot and its executable. Every command
then writes every format, and an independent parser of the format checks that no name became more than text."""
import csv
import gzip
import html.parser
import io
import json
import os
import re
import shutil
import subprocess
import unittest

from runs import CC, DUMP, WORK, work

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = "argument field file function inlined module phase recursion type variable".split()
TOKENS = {kind: f"hostile_{kind}".ljust(118, "_") + "00" for kind in KINDS}
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
PAYLOADS = {
    "terminal": ["\x1b]0;x\x07\x1b[31m\x9b\x08\x7f\x85\u061c\u200e\u200f\u202e\u202a\u202d\u2066\u2069\u2067\u2028\u2029",
                 "x\n::error::x\r\n::add-mask::y\x0b\x0cz"],
    "html": ["<img src=http://e/ onerror=alert(1)></script><script>alert(1)</script>",
             "|</td>\\|<img src=http://e/>\\\\|\\\\\\|<b>x</b>|", "`<img src=http://e/>``<b>b</b>`\\`<i>x</i>```"],
    "links": ["![x](http://e.org/)[y](http://e.org/) http://e.org www.e.org a@e.org @e #1",
              "**b** *i* ~~s~~ __u__ $m$ &lt;"],
    "formula": ["=1+cmd|'/C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\uff1d1+1", "  =1"],
    "more_formula": ["-1+1", "@SUM(1)", "\t=1", "\r=1", "\uff1d1+1", "  =1", "=1+cmd|'/C calc'!A0", "+1+1"],
    "quotes": ["\"'\\\",=1+1,\"\t\";x:y,z", b"\xff\xc0\x80\xed\xa0\x80\xf5"],
}
ALLOWED_TAGS = set("table thead tbody tr th td code br p strong h1 h2 h3 ul ol li pre hr em blockquote".split())
EXPORTS = "pprof dhat speedscope collapsed callgrind openmetrics".split()
BYS = "line function file type module stack thread phase freed".split()


def poisoned(contents, payloads):
    """Names keep their length and stay distinct. Each kind of name gets the next payload."""
    for i, (kind, token) in enumerate(TOKENS.items()):
        payload = payloads[i % len(payloads)]
        payload = payload if isinstance(payload, bytes) else payload.encode()
        contents = contents.replace(token.encode(), payload + kind[:4].encode().rjust(120 - len(payload), b"_"))
    return contents


def summed(snapshot):
    """Sets the last eight bytes to the FNV-1a hash of everything before."""
    value = 0xcbf29ce484222325
    for byte in snapshot[:-8]:
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return snapshot[:-8] + value.to_bytes(8, "little")


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def tags(text):
    parser = Tags()
    parser.feed(text)
    return parser.found


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        program, folder = TOKENS["module"], os.path.dirname(work("x"))
        subprocess.run([CC, "-O2", "-g", "-I" + os.path.join(HERE, "../../rt/lib"), "-fallocsite-contexts=0",
                        os.path.join(HERE, "hostile.c"), "-o", work(program)], check=True, cwd=folder)
        options = "report=none:profile=program.profile:stack=16:sizes=1:pairs=1:reach=1"
        subprocess.run(["./" + program, TOKENS["argument"]], check=True, cwd=folder,
                       env={**os.environ, "ALLOCSITE_OPTIONS": options})
        cls.contents = {}
        for name, file in (("profile", "program.profile"), ("graph", "program.graph"), ("elf", program)):
            with open(work(file), "rb") as opened:
                cls.contents[name] = opened.read()

    def test_the_names_are_there(self):
        everything = b"".join(self.contents.values())
        self.assertEqual([kind for kind, token in TOKENS.items() if token.encode() not in everything], [])

    # ---- Checks for each format, whatever the names are.

    def assert_plain(self, text, more=""):
        found = {character for character in text if character not in "\n" + more and
                 (ord(character) < 0x20 or 0x7f <= ord(character) < 0xa0 or character in BIDI + "\u2028\u2029")}
        self.assertEqual(found, set())

    def check_text(self, text):
        self.assert_plain(text)

    def check_tsv(self, text):
        self.assert_plain(text, "\t")
        for line in text.splitlines():
            self.assert_no_formula(line.split("\t"))

    def check_csv(self, text):
        self.assert_plain(text, "\r")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])})
        for row in rows:
            self.assert_no_formula(row)

    def assert_no_formula(self, cells):
        for cell in cells:
            if not re.fullmatch(r"[+-]?[\d.]+", cell):
                self.assertNotRegex(cell, r"\A\s*[=+\-@\uff0b\uff0d\uff1d\uff20]")

    def check_markdown(self, text):
        self.assert_plain(text)
        rendered = subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"],
                                  input=text, capture_output=True, text=True, check=True).stdout
        for tag, attributes in tags(rendered):
            self.assertIn(tag, ALLOWED_TAGS, rendered)
            self.assertLessEqual(set(attributes), {"align"}, rendered)
        # Text that GitHub turns into links after rendering, and text with markup, is in code.
        outside = re.sub(r"(?s)<code>.*?</code>|<[^>]*>", "", rendered)
        self.assertNotRegex(outside, r"@|#\d|\$|~|://|www\.")
        # All rows of a table have the same number of cells.
        for table in re.findall(r"(?s)<table>.*?</table>", rendered):
            self.assertEqual(len({len(re.findall("<t[dh]", row)) for row in table.split("<tr>")[1:]}), 1)

    def check_html(self, text):
        self.assert_plain(text)
        for tag, attributes in tags(text):
            self.assertNotIn(tag, ("img", "iframe", "b", "i", "object", "link"))
            self.assertFalse([name for name in attributes if name.startswith("on")])
            self.assertNotIn("//e", str(attributes.get("src", "")) + str(attributes.get("href", "")))
        self.assertNotIn("alert(1)</script>", text)

    def check_json(self, text):
        self.assert_plain(text)
        for line in text.splitlines() if text.count('{"format"') > 1 else [text]:
            json.loads(line)

    check_sarif = check_dhat = check_speedscope = check_heapsnapshot = check_trace = check_json

    def check_github(self, text):
        self.assert_plain(text)
        for line in text.splitlines():
            self.assertRegex(line, r"^::(error|warning|notice) [^:]*::[^:]")

    def check_pprof(self, contents):
        raw = gzip.decompress(contents)
        strings = [text.decode() for text in self.strings_of(raw)]
        self.assertGreater(len(strings), 10)
        for text in strings:
            self.assert_plain(text)
            self.assertNotIn("\n", text)

    def strings_of(self, raw):
        """Returns the strings of the profile (field 6 in its Protocol Buffers encoding)."""
        def varint(at):
            value = shift = 0
            while True:
                value |= (raw[at] & 0x7f) << shift
                shift, at = shift + 7, at + 1
                if raw[at - 1] < 0x80:
                    return value, at
        at = 0
        while at < len(raw):
            key, at = varint(at)
            size, at = varint(at)
            if key & 7 == 2:
                if key >> 3 == 6:
                    yield raw[at:at + size]
                at += size

    def check_collapsed(self, text):
        self.assert_plain(text)
        for line in text.splitlines():
            self.assertRegex(line, r"^.+ \d+$")

    def check_callgrind(self, text):
        self.assert_plain(text)
        for line in text.splitlines():
            self.assertRegex(line, r"^$|^#|^[\d+*-][\d +*-]*$|^[a-z_A-Z]+(: ?|=)")

    def check_openmetrics(self, text):
        self.assert_plain(text)
        for line in text.splitlines():
            self.assertRegex(line, r'^# |^\w+(\{(\w+="([^"\\]|\\.)*",?)*\})? [\d.e+]+( \d+)?$')

    def check_mermaid(self, text):
        self.assert_plain(text)
        for line in text.splitlines()[1:]:
            self.assertRegex(line, r'^  n\d+(\["[^"<>]*"\]| -- "[^"<>]*" --> n\d+)$')

    def check_dot(self, text):
        self.assert_plain(text)
        for line in text.splitlines()[3:-1]:
            self.assertRegex(line, r'^  n\d+( -> n\d+)? \[label="([^"\\]|\\.)*"\];$')

    # ---- The commands.

    def commands(self, profile, graph, elf, budget):
        for form in "text json csv tsv markdown html sarif github".split() + EXPORTS:
            yield form, ["report", "--format=" + form, profile]
        for by in BYS:
            for form in "json csv tsv markdown".split():
                yield form, ["report", f"--by={by}", "--format=" + form, profile]
        for option in "--events", "--pairs", "--leaks", "--names=full":
            for form in "text", "markdown":
                yield form, ["report", option, "--format=" + form, profile]
        for option in "--tree", "--advise":
            yield "text", ["report", option, profile]
        yield "json", ["report", "--tree", "--format=json", profile]
        for form in "text", "json", "html":
            yield form, ["diff", "--all", "--format=" + form, profile, profile]
        for form in "text", "json", "sarif", "github":
            yield form, ["check", "--budget=" + budget, "--format=" + form, profile]
        yield "text", ["check", "--write-budget", profile]
        yield "text", ["top", "--once", profile]
        yield "text", ["annotate", profile]
        yield "text", ["annotate", "--format=remarks", profile]
        yield "text", ["sites", elf]
        yield "json", ["sites", "--format=json", elf]
        for form in "text json csv tsv markdown heapsnapshot".split():
            yield form, ["graph", "--format=" + form, graph]
        for form in "text json csv tsv markdown".split():
            yield form, ["graph", "--by=stack", "--format=" + form, graph]
            yield form, ["graph", "--format=" + form, graph, graph]
        for option in "--dump", "--edges", "--counts", "--sizes":
            yield "tsv", ["graph", option, graph]

    def of_type(self, graph):
        rows = json.loads(subprocess.run([DUMP, "graph", "--format=json", graph], capture_output=True).stdout)["rows"]
        name = max((row["type"] for row in rows if "type" in row["type"]), key=len)
        for form in "text json csv tsv markdown mermaid dot".split():
            yield form, ["graph", "--type=" + name, "--format=" + form, graph]
        yield "mermaid", ["graph", "--type=" + name, "--objects", "--format=mermaid", graph]
        yield "text", ["graph", graph, "why", name]

    def check_command(self, form, arguments):
        result = subprocess.run([DUMP, *arguments], capture_output=True, timeout=60,
                                env={**os.environ, "COLUMNS": "1000", "ALLOCSITE_PAGER": "cat"})
        with self.subTest(form=form, arguments=arguments[:-1]):
            self.assertIn(result.returncode, (0, 1), result.stderr)
            self.assert_plain(result.stderr.decode())
            if form == "pprof":
                self.check_pprof(result.stdout)
            elif result.stdout:
                getattr(self, "check_" + form)(result.stdout.decode())


def attack(name, payloads):
    def test(self):
        paths = {}
        for kind, contents in self.contents.items():
            paths[kind] = work(f"{name}.{kind}")
            with open(paths[kind], "wb") as file:
                changed = poisoned(contents, payloads)
                file.write(summed(changed) if kind == "graph" else changed)
        budget = work(name + ".budget")
        with open(budget, "w") as file:
            file.write("function *func allocs <= 0\nfile *file live <= 0\ntotal bytes <= 1\n")
        everything = [*self.commands(paths["profile"], paths["graph"], paths["elf"], budget), *self.of_type(paths["graph"])]
        for form, arguments in everything:
            if form in ("csv", "tsv") or "formula" not in name:
                self.check_command(form, arguments)
    setattr(Hostile, "test_" + name, test)


for _name, _payloads in PAYLOADS.items():
    attack(_name, _payloads)

if __name__ == "__main__":
    unittest.main()
