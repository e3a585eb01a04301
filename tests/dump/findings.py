# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Advice, and output for editors and CI: programs with one known problem each, and one without any."""
import json
import os
import re
import sys
import unittest
import urllib.parse

from runs import dump, read, report, work, written

try:
    import jsonschema
except ImportError:
    jsonschema = None
SCHEMA = os.path.join(os.environ["READERS"], "sarif/sarif-2.1.0-rtm.5.json")
SKIPPED = 77

BEGIN = """\
#include <stdlib.h>
#include <string.h>
void *volatile kept[4096];
__attribute__((noinline)) void give_back(void *block) { free(block); }
"""
REUSE = BEGIN + """\
__attribute__((noinline)) void *line_of(int i) { return malloc(10 + i * 7 % 3000); }
int main(void) {
    for (int i = 0; i < 5000; i++)
        give_back(kept[0] = line_of(i));
}
"""
# Three paths with one block each. line_of returns a value from a global, so it is no pass-through function.
WAYS = REUSE.replace("return malloc(10 + i * 7 % 3000);", "kept[9] = malloc(10 + i * 7 % 3000); return last();").replace(
    "__attribute__((noinline)) void *line_of", "void *last(void) { return kept[9]; }\n__attribute__((noinline)) void *line_of").replace("int main", """\
__attribute__((noinline)) void one(int i) { give_back(kept[1] = line_of(i)); }
__attribute__((noinline)) void other(int i) { give_back(kept[2] = line_of(i)); }
int main""").replace("give_back(kept[0] = line_of(i));\n}", "i % 3 ? i % 3 == 1 ? one(i) : other(i) : give_back(kept[0] = line_of(i));\n}")
STACK = BEGIN + """\
struct state { long words[4]; };
__attribute__((noinline)) void step(void) {
    struct state *state = malloc(sizeof *state);
    kept[0] = state;
    free(state);
}
int main(void) {
    for (int i = 0; i < 5000; i++)
        step();
}
"""
POOL = BEGIN + """\
struct node { struct node *next; long value; };
__attribute__((noinline)) struct node *node(void) { return malloc(sizeof(struct node)); }
int main(void) {
    for (int i = 0; i < 5000; i++) {
        give_back(kept[i % 8]);
        kept[i % 8] = node();
    }
    for (int i = 0; i < 8; i++)
        give_back(kept[i]);
}
"""
BYTES = POOL.replace("struct node *node(void) { return malloc(sizeof(struct node)); }",
                     "void *node(void) { return malloc(40); }")
RESERVE = BEGIN + """\
__attribute__((noinline)) char *longer(char *text, int size) { return realloc(text, size); }
int main(void) {
    char *text = malloc(16);
    for (int i = 2; i <= 2001; i++)
        kept[0] = text = longer(text, 16 * i);
    free(text);
}
"""
PADDING = BEGIN + """\
struct loose { char first; double middle; char last; };
int main(void) {
    for (int i = 0; i < 1000; i++) {
        struct loose *one = malloc(sizeof *one);
        kept[i] = one;
    }
    for (int i = 0; i < 1000; i++)
        give_back(kept[i]);
}
"""
CLASS = PADDING.replace("char first; double middle; char last;", "char text[57];")
NOTHING = BEGIN + """\
struct tight { double middle; long first; };
int main(void) {
    for (int i = 0; i < 4000; i++)
        kept[i] = i % 2 ? malloc(sizeof(struct tight)) : malloc(20 + i % 100);
    char *text = malloc(16);
    for (int size = 32; size <= 1 << 20; size *= 2)
        text = realloc(text, size);  // a factor is no step
    free(text);
    for (int i = 0; i < 4000; i++)
        give_back(kept[i]);
}
"""


def advice(source, options="reach=0", *arguments):
    """Returns the advice for the run, and the facts that it says are unknown."""
    path = report(source, "advice", options)
    result = dump("report", "--advise", "--format=json", *arguments, path)
    if result.returncode or result.stderr:
        raise AssertionError(result)
    document = json.loads(result.stdout)
    return document["advice"], document["not_known"]


class Advice(unittest.TestCase):
    def one(self, source, rule, line, options="reach=0", saved=(0, 0, 0)):
        found, unknown = advice(source, options)
        self.assertEqual([(each["rule"], each["saves_calls"], each["saves_copied_bytes"], each["saves_peak_bytes"])
                          for each in found], [(rule, *saved)])
        self.assertIn(line, source.splitlines()[found[0]["site"]["line"] - 1])
        return found[0]["what"], unknown

    def test_reuse(self):
        what, unknown = self.one(REUSE, "reuse", "malloc(10", saved=(4999, 0, 0))
        self.assertEqual(what, "5,000 allocations, never two at once")
        self.assertEqual(len(unknown), 1)
        self.assertIn("sizes=1", unknown[0])

    def test_reuse_by_each_stack(self):
        """The sum of the stacks' peaks is only a bound, but the peak of each stack is exact."""
        self.one(WAYS, "reuse", "malloc(10", saved=(4999, 0, 0))
        what, _ = self.one(WAYS, "reuse", "malloc(10", options="stack=8", saved=(4997, 0, 0))
        self.assertEqual(what, "5,000 allocations, never two at once of each of 3 stacks")
        self.assertRegex(dump("report", work("advice/program.profile")).stdout,
                         r"\n +never two blocks at once of each of 3 stacks: a buffer to reuse\n")
        together = WAYS.replace("void one(int i) { give_back(kept[1] = line_of(i));", "void one(int i) { give_back(kept[3]); kept[3] = kept[1]; kept[1] = line_of(i);")
        self.assertEqual(advice(together, "stack=8")[0], [])

    def test_stack(self):
        what, unknown = self.one(STACK, "stack", "malloc(", "pairs=1", saved=(5000, 0, 0))
        self.assertEqual(what, "5,000 allocations, each of 32 B, never two at once, "
                               "all freed in the function that allocated them")
        self.assertEqual(unknown, [])

    def test_stack_needs_pairs(self):
        _, unknown = self.one(STACK, "reuse", "malloc(", saved=(4999, 0, 0))
        self.assertEqual(len(unknown), 1)
        self.assertIn("pairs=1", unknown[0])

    def test_blocks_freed_by_others_are_no_advice_for_the_stack(self):
        self.one(POOL, "pool", "malloc(", "pairs=1:sizes=1", saved=(4992, 0, 0))

    def test_pool(self):
        what, _ = self.one(POOL, "pool", "malloc(", saved=(4992, 0, 0))
        self.assertEqual(what, "5,000 allocations, each of 16 B, never more than 8 at once")

    def test_pool_needs_sizes(self):
        found, unknown = advice(BYTES)
        self.assertEqual((found, len(unknown)), ([], 1))
        what, _ = self.one(BYTES, "pool", "malloc(40)", "sizes=1", saved=(4992, 0, 0))
        self.assertEqual(what, "5,000 allocations, of 32 B to 63 B, never more than 8 at once")

    def test_pool_is_of_one_size(self):
        self.assertEqual(advice(BYTES.replace("malloc(40)", "malloc(rand() % 2 ? 40 : 900)"), "sizes=1:pairs=1"), ([], []))

    def test_short_lived(self):
        """If few blocks stay live, the maximum of live blocks is meaningless."""
        source = BEGIN + """\
__attribute__((noinline)) void *line_of(int i) { return malloc(10); }
int main(void) {
    for (int i = 0; i < 4000; i++)
        if (i % 4)
            give_back(kept[0] = line_of(i));
        else
            kept[i] = line_of(i);
}
"""
        found, _ = advice(source, "lifetime=1")
        self.assertEqual([(each["rule"], each["saves_calls"]) for each in found], [("short-lived", 3000)])
        self.assertRegex(found[0]["what"], r"^3,000 of 3,000 blocks were freed before anything else was allocated; lived 0 "
                                           r"allocations and [0-9.]+ [nµm]?s on average$")
        self.assertEqual(advice(source)[0], [])
        longer = source.replace("give_back(kept[0] = line_of(i));", "kept[1] = line_of(i), kept[2] = malloc(2), give_back(kept[1]);")
        self.assertEqual(advice(longer, "lifetime=1")[0], [])

    def test_lifetimes_are_told(self):
        what, _ = self.one(REUSE, "reuse", "malloc(10", options="reach=0:lifetime=1", saved=(4999, 0, 0))
        self.assertRegex(what, r"^5,000 allocations, never two at once; lived 0 allocations and [0-9.]+ [nµm]?s on average$")

    def test_reserve(self):
        steps, old = 2000, sum(16 * i for i in range(1, 2001))
        what, _ = self.one(RESERVE, "reserve", "realloc(", saved=(steps - 1, old, 0))
        self.assertEqual(what, f"2,000 reallocations of 1 block, each by 16 B ({16 * steps * 100 / old:.1f}%) on average")

    def test_padding(self):
        what, _ = self.one(PADDING, "padding", "malloc(", saved=(0, 0, 8000))
        self.assertEqual(what, "struct loose has 14 B of padding in 24 B: 8 B less in each of 1,000 at the peak")

    def test_size_class(self):
        what, _ = self.one(CLASS, "size-class", "malloc(", saved=(0, 0, 16000))
        self.assertEqual(what, "struct loose of 57 B is 1 B more than a size of glibc's malloc, which takes 72 B for it, "
                               "1,000 times at the peak")

    def test_nothing(self):
        for options in "reach=0", "pairs=1:sizes=1":
            self.assertEqual(advice(NOTHING, options), ([], []))
        result = dump("report", "--advise", report(NOTHING, "advice"))
        self.assertEqual(result.stdout, "no advice: the counts show nothing that would save much\n")

    def test_few_calls_are_not_worth_a_word(self):
        self.assertEqual(advice(REUSE.replace("5000", "900")), ([], []))

    def test_without_owners_the_only_advice_is_their_absence(self):
        found, unknown = advice(REUSE, "owners=0")
        self.assertEqual((found, len(unknown)), ([], 1))
        self.assertIn("owners=0", unknown[0])

    def test_filter(self):
        other = dump("report", "--advise", "--filter=function=main", report(REUSE, "advice"))
        self.assertIn("no allocating site matches function=main", other.stderr)
        self.assertNotIn("reuse", other.stdout)
        self.assertEqual(len(advice(REUSE, "reach=0", "--filter=line_of")[0]), 1)

    def test_text(self):
        path = report(REUSE, "advice")
        self.assertRegex(dump("report", "--advise", path).stdout, r"""^reuse: Each block is freed .*
  \S*program\.c:5:57: line_of -> malloc
      5,000 allocations, never two at once
      saves 4,999 calls \(\d+\.\d% of all\)
not known:
  sizes=1 shows .*
$""")

    def test_usage(self):
        path = report(REUSE, "advice")
        for wrong in (["--advise", "--by=type"], ["--advise", "--format=csv"], ["--advise", "--leaks"],
                      ["--format=sarif", "--by=line"], ["--format=github", "--tree"]):
            self.assertEqual(dump("report", *wrong, path).returncode, 2, wrong)


LEAKS = BEGIN + """\
int main(void) {
    kept[0] = malloc(100);
    kept[0] = NULL;
    kept[1] = strdup("reachable");
    give_back(malloc(200));
}
"""
ODD = 'odd :,%\n\\é"'


def validated(result):
    document = json.loads(result.stdout)
    with open(SCHEMA) as file:
        jsonschema.validate(document, json.load(file))
    return document["runs"][0]


def place(result):
    physical = result["locations"][0]["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


class Sarif(unittest.TestCase):
    def setUp(self):
        if not jsonschema or not os.path.exists(SCHEMA):
            self.skipTest("no schema")

    def results(self, *arguments, folder="faults"):
        run = validated(dump("report", "--format=sarif", *arguments, cwd=work(folder)))
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
        return run["results"]

    def test_leaks(self):
        report(LEAKS, "faults")
        leaks = self.results("program.profile")
        self.assertEqual([(each["ruleId"], each["level"], *place(each)) for each in leaks],
                         [("leak", "warning", "program.c", 6)])
        self.assertEqual(leaks[0]["message"]["text"], "1 block of 100 B leaked: nothing points there any more")

    def test_live_blocks_are_leaks_if_asked_for(self):
        report(LEAKS, "faults", "reach=0")
        self.assertEqual(self.results("program.profile"), [])
        self.assertEqual([place(each)[1] for each in self.results("--leaks", "program.profile")], [6, 8])
        known = written("faults/known", "leak:strdup\nleak:main\n")
        self.assertEqual(self.results("--leaks", f"--suppress={known}", "program.profile"), [])
        result = dump("report", "--leaks", "--suppress=" + written("unknown", "# race:\nrace:*\n"), work("program.profile"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertTrue(result.stderr.endswith(": has a line that is not of the form leak:PATTERN: race:*\n"), result.stderr)

    def test_a_fault_has_both_places(self):
        document = read(report(LEAKS, "faults"))
        owner, by = document["sites"][0]["id"], document["sites"][1]["id"]
        document["faults"] = [{"owner": owner, "by": by, "kind": "double_free", "count": 2, "bytes": 400}]
        written("faults/two.profile", document)
        fault = self.results("two.profile")[0]
        self.assertEqual((fault["ruleId"], fault["level"]), ("double-free", "error"))
        self.assertEqual(fault["message"]["text"], "freed twice, 2 times (400 B)")
        related = fault["relatedLocations"][0]["physicalLocation"]["region"]["startLine"]
        self.assertEqual([related, place(fault)[1]], [document["sites"][0]["line"], document["sites"][1]["line"]])

    def test_churn_and_the_rest_of_advice(self):
        path = report(REUSE, "faults")
        self.assertEqual([(each["ruleId"], each["level"], *place(each)) for each in self.results(path)],
                         [("reuse", "note", "program.c", 5)])

    def test_fingerprints_outlive_edits_above(self):
        prints = [self.results(report(above + REUSE, "faults"))[0]["partialFingerprints"] for above in ("", "\n\n\n")]
        self.assertEqual(prints[0], prints[1])

    def test_budget(self):
        path = report(REUSE, "faults")
        budget = written("faults/tested.budget", "total allocs <= 1\n\nfunction line_of bytes <= 1KiB\ntotal leaked <= 0\n")
        result = dump("check", "--format=sarif", "--budget=" + budget, path, cwd=work("faults"))
        self.assertEqual(result.returncode, 1)
        results = validated(result)["results"]
        self.assertEqual([(each["ruleId"], each["level"], *place(each)) for each in results],
                         [("budget", "error", "program.c", 5)] * 2)
        self.assertRegex(results[1]["message"]["text"], "^function line_of: bytes .* MiB, limit 1.0 KiB, over by ")
        self.assertEqual(results[0]["partialFingerprints"], {"allocsiteLimit/v1": "total: allocs"})

    def test_hostile_names(self):
        document = read(report(REUSE, "faults"))
        for site in document["sites"]:
            site["file"], site["function"] = f"/elsewhere/{ODD}.c", ODD
        document["exact"], document["inexact_reasons"] = False, [ODD]
        run = validated(dump("report", "--format=sarif", written("faults/odd.profile", document)))
        uri = place(run["results"][0])[0]
        self.assertEqual(urllib.parse.unquote(uri), f"file:///elsewhere/{ODD}.c")
        self.assertRegex(uri, "^[-._~/:%A-Za-z0-9]*$")
        self.assertIn("exact: no", run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"])


def annotations(text):
    """Parses annotations as GitHub's runner does."""
    for line in text.splitlines():
        command, properties, message = re.fullmatch("::([a-z]+) ([^:]*(?::[^:]+)*?)::(.*)", line).groups()
        unescaped = {"%0A": "\n", "%0D": "\r", "%3A": ":", "%2C": ",", "%25": "%"}
        plain = lambda value: re.sub("%0A|%0D|%3A|%2C|%25", lambda found: unescaped[found[0]], value)
        pairs = dict(pair.split("=", 1) for pair in properties.split(","))
        yield command, {key: plain(value) for key, value in pairs.items()}, plain(message)


class Github(unittest.TestCase):
    def test_budget(self):
        path = report(REUSE, "faults")
        budget = written("faults/tested.budget", "total allocs <= 1\ntotal bytes <= 1GiB\n\nsite 0 allocs <= 0\ntotal failed<=0")
        result = dump("check", "--format=github", "--budget=" + budget, path, cwd=work("faults"))
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertRegex(result.stdout, r"^::error file=program\.c,line=5,col=57,title=allocsite budget::total: allocs 5,00\d, "
                                        r"limit 1, over by [\d,]+\n$")

    def test_limits_that_hold(self):
        path = report(REUSE, "faults")
        budget = written("faults/tested.budget", "total allocs <= 10000")
        result = dump("check", "--format=github", "--budget=" + budget, path)
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_levels(self):
        path = report(LEAKS, "faults")
        self.assertEqual([(command, properties["line"], message) for command, properties, message in
                          annotations(dump("report", "--format=github", path).stdout)],
                         [("warning", "6", "1 block of 100 B leaked: nothing points there any more")])

    def test_hostile_names(self):
        document = read(report(REUSE, "faults"))
        for site in document["sites"]:
            site["file"] = f"/elsewhere/{ODD}.c"
        document["exact"], document["inexact_reasons"] = False, [ODD]
        found = list(annotations(dump("report", "--format=github", written("faults/odd.profile", document)).stdout))
        self.assertEqual(found[0][:2], ("notice", {"file": f"/elsewhere/{ODD}.c", "line": "5", "col": "57",
                                                   "title": "allocsite reuse"}))
        self.assertEqual(found[1], ("warning", {"title": "allocsite"}, "exact: no, " + ODD.replace("\n", "?")))


if __name__ == "__main__":
    program = unittest.main(exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if program.result.skipped else 0)
