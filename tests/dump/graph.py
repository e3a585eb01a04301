# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump graph, compared with programs that build known graphs and print their edges themselves."""
import collections
import csv
import glob
import io
import json
import os
import shutil
import subprocess
import time
import unittest

import browser
from runs import CC, dump, work

MEMLAB = os.path.join(os.environ["READERS"], "node_modules")
HERE = os.path.dirname(os.path.abspath(__file__))


def own(path):
    """Returns the snapshot that the program itself wrote at its end."""
    return path + ".own"


def snapshot(source, *options, preload="", settings=""):
    """Compiles the program, takes a snapshot when it is ready, and lets it end. Returns its output, and the path."""
    name = source.replace(".", "-") + "".join(options) + os.path.basename(preload) + settings.replace(":", "-")
    compiler = CC + "++" if source.endswith(".cpp") else CC
    subprocess.run([compiler, "-O1", "-g", "-pthread", os.path.join(HERE, source), *options, "-o", work(name)], check=True)
    path = work(name + ".graph")
    with subprocess.Popen([work(name)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "LD_PRELOAD": preload, "ALLOCSITE_OPTIONS": f"reach=1:format=json:report={work(name)}.json:graph={own(path)}{settings}"}) as process:
        told = collections.defaultdict(list)
        while (line := process.stdout.readline().split()) != ["ready"]:
            told[line[0]].append(line[1:])
        result = dump("graph", str(process.pid), "-o", path)
        dump("graph", str(process.pid), "--contents", "-o", path + ".contents")
        dump("graph", str(process.pid), "--skip=add", "-o", path + ".skipped")
        process.communicate("\n", timeout=60)
    if (process.returncode, result.returncode, result.stderr) != (0, 0, ""):
        raise AssertionError((process.returncode, result))
    with open(work(name) + ".json") as report:
        return path, told, json.load(report)


def shown(*arguments):
    result = dump("graph", *arguments)
    if result.returncode or result.stderr:
        raise AssertionError(result)
    return result.stdout


def edges(path):
    """Returns the edges between blocks, with fields."""
    lines = [line.split("\t") for line in shown("--edges", path).splitlines()]
    return sorted([start, field, end] for start, field, end in lines if start.startswith("0x"))


def totals_of(path):
    totals = json.loads(shown("--format=json", path))
    return totals["leaked_objects"], totals["leaked_bytes"]


def leaked_at_exit(report):
    return report["totals"]["leaked_blocks"], report["totals"]["leaked_bytes"]


class C(unittest.TestCase):
    ALLOCATED = "$"

    @classmethod
    def setUpClass(cls):
        cls.path, cls.told, cls.report = snapshot("graph.c", "-fallocsite-contexts=0")

    def test_every_edge_is_found_and_none_is_invented(self):
        self.assertEqual(edges(self.path), sorted(self.told["edge"]))

    def test_a_snapshot_at_exit_has_the_same(self):
        self.assertEqual(edges(own(self.path)), sorted(self.told["edge"]))
        self.assertEqual(totals_of(own(self.path)), totals_of(self.path))
        self.assertIn("holder -> ", shown(own(self.path), "why", "struct packed").replace("\n    ", " "))
        rows = [{row["type"]: row["self"] for row in json.loads(shown("--format=json", "--top=0", path))["rows"]}
                for path in (self.path, own(self.path))]
        self.assertEqual(*({name: bytes for name, bytes in each.items() if name != "[no type]"} for each in rows))

    def test_a_snapshot_can_be_written_again(self):
        shown(own(self.path), "-o", self.path + ".again")
        for option in "--edges", "--dump", "--format=json":
            self.assertEqual(shown(option, own(self.path)), shown(option, self.path + ".again"))

    def test_blocks_equal_the_report(self):
        """Compares its sites, except for the buffer of standard input, which the program has read meanwhile."""
        live = collections.Counter()
        for site in self.report["sites"]:
            if site["sited"]:
                live[site["type"]] += site["live_bytes"]
        rows = json.loads(shown("--format=json", "--top=0", self.path))["rows"]
        self.assertEqual({row["type"]: row["self"] for row in rows if row["type"] != "[no type]"}, dict(live))

    def test_leaked_blocks_equal_reach(self):
        """reach=1 misses the pointer in the packed struct, because it is not aligned."""
        blocks, size = totals_of(self.path)
        self.assertEqual((blocks + 1, size + 24), leaked_at_exit(self.report))

    def test_retained_and_deep(self):
        """A list of five, trees of 1, 3 and 7, a list of two, and the blocks reachable from packed: the first holder
        retains everything reachable, except for the arrays that the last node of the short list refers to with a wrong
        type."""
        rows = {row["type"]: row for row in json.loads(shown("--format=json", "--top=0", self.path))["rows"]}
        trees, lists = 24 * (1 + 3 + 7), 24 * (5 + 2 + 1)
        first = 80 + trees + lists + 11 + 40
        self.assertEqual(rows["struct holder"]["retained"], first + 160)
        self.assertEqual(rows["struct holder"]["deep"], first + 160 + 16 + 2 * 24)
        self.assertEqual(rows["struct flexible"]["retained"], 32 + 3 * 24)
        self.assertEqual(rows["struct item"]["retained"], 3 * 32)

    def test_counts_and_sizes(self):
        for option, column in (("--counts", "objects"), ("--sizes", "deep")):
            count, *lines = shown(option, self.path).splitlines()
            rows = json.loads(shown("--format=json", "--top=0", self.path))["rows"]
            self.assertEqual(int(count), len(lines))
            self.assertEqual([line.split("\t") for line in lines], [[str(row[column]), row["type"]] for row in rows])

    def test_why(self):
        way = shown(self.path, "why", "struct packed")
        self.assertRegex(way, r"^holder\n    -> 0x\w+ struct holder, .*\n    packed -> 0x\w+ struct packed, 11 B, .*\n" + self.ALLOCATED)
        address = self.told["lost"][0][0]
        self.assertRegex(shown(self.path, "why", address),
                         rf"^leaked: a cycle .*\n    {address} .*\n    next -> .*\n    previous -> {address} ")
        self.assertEqual(dump("graph", self.path, "why", "struct absent").returncode, 1)

    def test_holders(self):
        rows = json.loads(shown("--type=struct tree", "--format=json", self.path))["holders"]
        found = {(row["from"], row["field"]): (row["references"], row["objects"], row["bytes"]) for row in rows if not row["root"]}
        self.assertEqual(found, {("struct holder", "trees[]"): (3, 3, 72), ("struct tree", "left"): (4, 4, 96),
                                 ("struct tree", "right"): (4, 4, 96), ("struct tree *", "[]"): (2, 2, 48)})

    def test_pictures(self):
        picture = shown("--type=struct packed", "--format=mermaid", self.path)
        self.assertEqual(picture.splitlines()[0], "graph LR")
        self.assertRegex(picture, r'n\d+ -- "packed 1" --> n0\n')
        objects = shown("--type=struct packed", "--objects", "--levels=1", self.path)
        self.assertRegex(objects, r'^graph LR\n  n\d+\["0x\w+ struct packed"\]\n  n\d+\["0x\w+ struct holder"\]\n'
                                  r'  n\d+ -- "packed,1" --> n\d+\n$')
        if shutil.which("dot"):
            dot = shown("--type=struct packed", "--format=dot", self.path)
            self.assertEqual(subprocess.run(["dot", "-Tplain"], input=dot, text=True, capture_output=True).returncode, 0)

    def test_growth(self):
        self.assertEqual(json.loads(shown("--format=json", self.path, self.path))["types"], [])
        other = snapshot("graph.cpp")[0]
        for old, new in (self.path, other), (other, self.path):
            rows = [{row["type"]: row for row in json.loads(shown("--format=json", "--top=0", path))["rows"]} for path in (old, new)]
            grown = {name: row["self"] - rows[0].get(name, {"self": 0})["self"] for name, row in rows[1].items()}
            told = json.loads(shown("--format=json", "--top=0", old, new))["types"]
            self.assertEqual({row["type"]: row["bytes"] for row in told}, {name: more for name, more in grown.items() if more > 0})
            for row in told:
                was, now = ({(holder["from"], holder["field"]): holder["references"] for holder in
                             json.loads(shown("--type=" + row["type"], "--format=json", "--top=0", path))["holders"]}
                            if row["type"] in rows[path == new] else {} for path in (old, new))
                self.assertEqual({(holder["from"], holder["field"]): holder["references"] for holder in row["holders"]},
                                 {name: count - was.get(name, 0) for name, count in now.items() if count > was.get(name, 0)})

    def test_forms_agree(self):
        rows = json.loads(shown("--format=json", "--top=0", self.path))["rows"]
        count, *lines = shown("--format=tsv", "--top=0", self.path).splitlines()
        self.assertEqual([line.split("\t")[:5] for line in lines],
                         [[str(row[name]) for name in ("objects", "self", "retained", "deep", "leaked")] for row in rows])
        table = csv.DictReader(io.StringIO(shown("--format=csv", "--top=0", self.path)))
        self.assertEqual([(row["type"], row["deep"]) for row in table], [(row["type"], str(row["deep"])) for row in rows])
        sites = list(csv.reader(io.StringIO(shown("--format=csv", "--top=0", "--by=site", self.path))))
        self.assertEqual({len(line) for line in sites}, {7})
        self.assertEqual(shown("--format=csv", self.path, self.path), "objects,bytes,type\n")
        holders = list(csv.DictReader(io.StringIO(shown("--type=struct packed", "--format=csv", self.path))))
        self.assertEqual([(row["references"], row["from"], row["field"]) for row in holders], [("1", "struct holder", "packed")])
        for form in "text", "markdown":
            text = shown(f"--format={form}", "--top=0", self.path)
            self.assertTrue(all(row["type"].strip("[]") in text for row in rows), text)

    def test_dump(self):
        blocks = {line.split("\t")[0]: line.split("\t")[2] for line in shown("--dump", self.path).splitlines()}
        self.assertTrue(all(blocks[start] for start, _, _ in self.told["edge"]))


class Stacks(C):
    """Blocks of one site that were allocated from several stacks."""
    ALLOCATED = r"    allocated by main;make_all;make_holder\n$"

    @classmethod
    def setUpClass(cls):
        cls.path, cls.told, cls.report = snapshot("graph.c", settings=":stack=8")


class Ways(unittest.TestCase):
    """Grouped by callers: with stacks, with contexts and in a static program."""
    @classmethod
    def setUpClass(cls):
        cls.runs = [snapshot("graph_stacks.c", settings=":stack=8"), snapshot("graph_stacks.c"),
                    snapshot("graph_stacks.c", "-static", settings=":stack=8")]

    def each(self):
        """From the running process, and at its end."""
        for path, told, report in self.runs:
            for file in path, own(path):
                yield file, {way: int(count) for way, count in told["way"]}, report

    def test_rows(self):
        for file, ways, _ in self.each():
            rows = json.loads(shown("--by=stack", "--format=json", "--top=0", file))["rows"]
            nodes = [row for row in rows if row["type"] == "struct chained"]
            self.assertEqual({row["stack"]: row["objects"] for row in nodes}, ways)
            self.assertEqual({row["stack"]: row["self"] for row in nodes}, {way: 16 * count for way, count in ways.items()})
            self.assertEqual({(row["function"], row["line"]) for row in nodes}, {("add", 17)})
            self.assertEqual(max(row["retained"] for row in nodes), 160)

    def test_lines_of_callers(self):
        """The lines are chosen when the snapshot is taken."""
        for path, told, _ in self.runs:
            wanted = collections.Counter()
            for way, count in told["way"]:
                wanted[way.split(";")[-2]] += int(count)
            rows = json.loads(shown("--by=site", "--format=json", "--top=0", path + ".skipped"))["rows"]
            self.assertEqual({row["function"]: row["objects"] for row in rows if row["type"] == "struct chained"}, wanted)
            self.assertIn("--skip and --stop need a process", dump("graph", "--skip=add", path).stderr)

    def test_paths_equal_the_report(self):
        for _, ways, report in self.each():
            live = collections.Counter()
            for site in report["sites"]:
                if site["function"] == "add":
                    live.update(stack["live_blocks"] for stack in report["stacks"] if stack["site"] == site["id"])
            self.assertEqual(live, collections.Counter([*ways.values(), 0]))

    def test_sites_are_as_without(self):
        for file, _, _ in self.each():
            rows = json.loads(shown("--by=site", "--format=json", "--top=0", file))["rows"]
            self.assertEqual([row["objects"] for row in rows if row["function"] == "add"], [10])

    def test_lines(self):
        for file, ways, _ in self.each():
            dumped = [line.split("\t") for line in shown("--dump", "--by=stack", file).splitlines()]
            self.assertEqual(collections.Counter(line[4] for line in dumped if line[2] == "struct chained"), ways)
            first = next(line for line in dumped if line[4] == "main;parse;add")
            self.assertIn("\n    allocated by main;parse;add\n", shown(file, "why", first[0]))
            count, *rows = shown("--format=tsv", "--by=stack", "--top=0", file).splitlines()
            self.assertEqual(sorted(row.split("\t")[7] for row in rows if "\tstruct chained\t" in row), sorted(ways))
            self.assertIn("type,site,stack\n", shown("--format=csv", "--by=stack", file))
            self.assertIn("  main;parse;load;add\n", shown("--by=stack", file))


class Cpp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path, cls.told, cls.report = snapshot("graph.cpp")

    def test_every_edge_is_found(self):
        found = edges(self.path)
        for edge in self.told["edge"]:
            self.assertIn(edge, found)

    def test_a_snapshot_at_exit_has_the_same(self):
        self.assertEqual([edge for edge in self.told["edge"] if edge not in edges(own(self.path))], [])
        self.assertEqual(totals_of(own(self.path)), leaked_at_exit(self.report))
        self.assertRegex(shown(own(self.path), "why", "left"), r"^leaked: a cycle holds itself\n")

    def test_containers_hold_their_elements(self):
        held = {end for _, _, end in edges(self.path)}
        self.assertLessEqual(set(self.told["held"][0]), held)
        self.assertIn(self.told["held"][0][0], [end for _, field, end in edges(self.path) if field == "_M_storage.second"])

    def test_edges_of_nodes_and_counts_have_names(self):
        """The program prints the cycle's pointers; the remaining ones are pointers to counts."""
        left, right = self.told["lost"][0]
        fields = sorted(field for start, field, _ in edges(self.path) if start in (left, right))
        self.assertEqual(fields, ["to_left._M_ptr", "to_left._M_refcount._M_pi", "to_right._M_ptr", "to_right._M_refcount._M_pi"])

    def test_a_block_has_the_fitting_type_of_its_line(self):
        """A line that inserts into a hash table allocates a node, and sometimes buckets."""
        types = {line.split("\t")[2] for line in shown("--dump", self.path).splitlines()}
        self.assertLessEqual({"std::__detail::_Hash_node_base *", "std::__detail::_Hash_node<std::pair<const int, leaf *>, false>"}, types)
        self.assertFalse([name for name in types if " or " in name])

    def test_contents_only_where_they_are_asked_for(self):
        """Blocks of characters have contents. The buffer of standard input, into which nothing was typed, has none."""
        lines = [line.split("\t") for line in shown("--dump", self.path + ".contents").splitlines()]
        self.assertEqual([line[2:3] + line[4:] for line in lines if line[4:] != [""] and line[2] != "[no type]"],
                         [["char", "longer than what a string has ro"]])
        self.assertIn(', "longer than what a string has ro"\n', shown(self.path + ".contents", "why", "char"))
        self.assertIn("char: longer than", shown("--type=char", "--objects", self.path + ".contents"))
        strings = json.loads(shown("--format=heapsnapshot", self.path + ".contents"))["strings"]
        self.assertIn("longer than what a string has ro", strings)
        for path in self.path, own(self.path):
            with open(path, "rb") as file:
                self.assertNotIn(b"longer than what", file.read())
            self.assertNotIn("longer than what", shown("--dump", path))

    def test_leaked_cycle_is_named_with_both_fields(self):
        self.assertRegex(shown(self.path, "why", "left"), r"^leaked: a cycle holds itself\n    0x\w+ left, .*\n"
                         r"    to_right\._M_ptr -> 0x\w+ right, .*\n    to_left\._M_ptr -> 0x\w+ left, ")

    def test_leaked_blocks_equal_reach(self):
        self.assertEqual(totals_of(self.path), leaked_at_exit(self.report))


class Lifted(unittest.TestCase):
    """One line allocates blocks of many types, which are recognized by the positions of pointers."""
    def check(self, path):
        blocks = {line.split("\t")[0]: line.split("\t")[2] for line in shown("--dump", path).splitlines()}
        counts = collections.Counter(blocks.values())
        nodes = {"std::_Rb_tree_node<std::pair<const int, std::map<std::basic_string<char>, std::vector<std::list<leaf>>>>>": 4,
                 "std::_Rb_tree_node<std::pair<const std::basic_string<char>, std::vector<std::list<leaf>>>>": 4,
                 "std::_List_node<leaf>": 12, "std::_Rb_tree_node<long>": 16 * 3, "std::list<leaf>": 4}
        for name, count in nodes.items():
            self.assertEqual(counts[name], count, (name, counts))
        fields = collections.Counter(field for start, field, _ in edges(path) if blocks[start] in nodes)
        self.assertFalse([field for field in fields if field.startswith("+")], fields)

    def test_blocks_have_the_type_that_fits_their_pointers(self):
        path, _, _ = snapshot("graph_lifted.cpp")
        self.check(path)
        self.check(own(path))


class Rooms(unittest.TestCase):
    """Pointers that are not in a declared member, and words that only look like pointers."""
    @classmethod
    def setUpClass(cls):
        cls.path, cls.told, _ = snapshot("graph_rooms.cpp")

    def test_members_with_pointers_have_names(self):
        """Strings with and without an allocator object have different layouts."""
        for path in self.path, own(self.path):
            sources = {start for start, _, _ in self.told["edge"]}
            self.assertEqual([edge for edge in edges(path) if edge[0] in sources], sorted(self.told["edge"]))
            self.assertEqual(json.loads(shown("--format=json", path))["words"]["in_text"], 2)
            self.assertIn(" are in blocks of no known type, 2 are where types have text\n", shown(path))

    def test_memory_is_bytes_and_a_library_s_string_characters(self):
        """Whatever else the line that requests memory allocates."""
        for path in self.path, own(self.path):
            types = {line.split("\t")[0]: line.split("\t")[1:3] for line in shown("--dump", path).splitlines()}
            self.assertEqual(types[self.told["raw"][0][0]], ["100", "bytes"])
            self.assertLessEqual({"inner *", "inner **"}, {type for _, type in types.values()})


class Others(unittest.TestCase):
    def check(self, *arguments, **more):
        """Libraries have blocks without a type, which refer to others. Statically linked code may have another struct
        node, so its fields have no names."""
        path, told, report = snapshot("graph.c", *arguments, **more)
        typed = {fields[0] for fields in map(lambda line: line.split("\t"), shown("--dump", path).splitlines())
                 if fields[2] != "[no type]"}
        self.assertEqual(sorted((start, end) for start, _, end in edges(path) if start in typed),
                         sorted((start, end) for start, _, end in told["edge"]))
        blocks, size = totals_of(path)
        self.assertEqual((blocks + 1, size + 24), leaked_at_exit(report))

    def test_static_programs(self):
        self.check("-static")

    def test_other_allocators(self):
        for library in glob.glob("/usr/lib/x86_64-linux-gnu/lib*malloc.so.?"):
            with self.subTest(library):
                self.check(preload=library)

    def test_uncounted_blocks(self):
        path, told, _ = snapshot("graph.c", settings=":stopped=1")
        self.assertEqual(sorted((start, end) for start, _, end in edges(path)),
                         sorted((start, end) for start, _, end in told["edge"] if [start, _, end] not in told["odd"]))


class Frames(unittest.TestCase):
    def functions(self, path):
        ways = shown("--limit=9", path, "why", "struct held").splitlines()
        found = [line.split(" of thread")[0] for line in ways if not line.startswith(" ")]
        for way in found: # a callee may have saved a register with the pointer
            self.assertRegex(way, r"^\w+, stack$", path)
        return found

    def test_roots_on_stacks_have_the_function_of_their_frame(self):
        """At the end of the program its first thread has no frames left."""
        for flags in (), ("-fomit-frame-pointer",), ("-static",):
            path, _, _ = snapshot("graph_frames.c", *flags)
            for file, most in (path, 6), (own(path), 5):
                with self.subTest(file):
                    found = self.functions(file)
                    self.assertEqual(len(found), most)
                    self.assertLessEqual({"keep_more, stack", "interrupt, stack", "be_interrupted, stack"}, set(found))
                    self.assertIn("stack keep_more\n", shown("--type=struct held", file))


# Loads the file in the Memory panel. Returns its total, and the panel's values for each type; null: this version of
# DevTools is different.
IN_DEVTOOLS = """(async () => {
    const profiler = await import("./panels/profiler/profiler.js"), legacy = await import("./ui/legacy/legacy.js");
    const manager = legacy.ViewManager?.ViewManager, panels = profiler.HeapProfilerPanel?.HeapProfilerPanel;
    if (!manager || !panels)
        return null;
    await manager.instance().showView("heap-profiler");
    const panel = panels.instance(), file = new File([JSON.stringify(%s)], "test.heapsnapshot");
    await panel.loadFromFile(file);
    const profile = panel.findProfileTypeByExtension(file.name).getProfiles()[0], snapshot = await profile.loadPromise;
    panel.showProfile(profile);
    const types = Object.values(await snapshot.callMethodPromise("aggregatesWithFilter", {}));
    const tops = await snapshot.callMethodPromise("allocationTracesTops"), stacks = [];
    for (const node of %s)
        stacks.push((await snapshot.callMethodPromise("allocationStack", node)).map((frame) => frame.functionName));
    return {total: snapshot.totalSize, types: types.map((type) => [type.name, type.count, type.self, type.maxRet]), stacks,
            tops: tops.map((top) => [top.name, top.scriptName, top.line, top.liveCount, top.liveSize])};
})()"""


class HeapSnapshot(unittest.TestCase):
    """For Chrome's DevTools: the values shown there, and memlab."""
    @unittest.skipUnless(browser.CHROMIUM, "no Chromium")
    def test_it_is_shown_in_devtools(self):
        stacks = snapshot("graph_stacks.c")
        for path in snapshot("graph.c")[0], snapshot("graph.cpp")[0], stacks[0]:
            chromium = browser.Browser()
            self.addCleanup(chromium.close)
            chromium.navigate("devtools://devtools/bundled/js_app.html")
            late = time.monotonic() + browser.PATIENCE
            while not chromium.value("document.body.childElementCount") and time.monotonic() < late:
                time.sleep(0.05)  # strings are still being loaded
            heap = json.loads(shown("--format=heapsnapshot", path))
            chained = [i for i in range(0, len(heap["nodes"]), 7) if heap["strings"][heap["nodes"][i + 1]] == "struct chained"]
            seen = chromium.value(IN_DEVTOOLS % (json.dumps(heap), chained))
            if not seen:
                self.skipTest("DevTools are made otherwise")
            totals = json.loads(shown("--format=json", "--top=0", path))
            self.assertEqual(seen["total"], totals["bytes"])
            self.assertEqual(sorted(seen["types"]), sorted([row["type"], row["objects"], row["self"], row["retained"]]
                                                           for row in totals["rows"]))
            allocated, sites = collections.Counter(), collections.Counter()
            for *_, line, count, size in seen["tops"]:
                allocated.update({(line, "objects"): count, (line, "self"): size})
            for row in json.loads(shown("--format=json", "--by=site", "--top=0", path))["rows"]:
                sites.update({(row["line"] or 0, name): row[name] for name in ("objects", "self")})
            self.assertEqual(allocated, sites)
        self.assertEqual(collections.Counter(";".join(reversed(stack[:-1])) for stack in seen["stacks"]),
                         {way: int(count) for way, count in stacks[1]["way"]})
        self.assertIn(["add", os.path.join(HERE, "graph_stacks.c"), 17, 10, 160], seen["tops"])

    def check(self, path):
        shown("--format=heapsnapshot", path, "-o", path + ".heapsnapshot")
        result = subprocess.run(["node", os.path.join(HERE, "retained.js"), path + ".heapsnapshot"], check=True, text=True,
                                env={**os.environ, "NODE_PATH": MEMLAB}, capture_output=True, timeout=60)
        retained = json.loads(result.stdout)
        totals = json.loads(shown("--format=json", "--top=0", path))
        self.assertEqual(retained[""], totals["bytes"])
        for row in totals["rows"]:
            self.assertEqual(retained[row["type"]], row["retained"], row["type"])

    @unittest.skipUnless(os.path.isdir(os.path.join(MEMLAB, "@memlab/core")) and shutil.which("node"), "no memlab")
    def test_retained_bytes_equal_memlab(self):
        for path in snapshot("graph.c")[0], snapshot("graph.cpp")[0]:
            self.check(path)
            self.check(own(path))

    def test_structure_of_the_file(self):
        path = snapshot("graph.cpp")[0]
        heap = json.loads(shown("--format=heapsnapshot", path))
        self.assertEqual(list(heap), ["snapshot", "nodes", "edges", "trace_function_infos", "trace_tree", "samples",
                                      "locations", "strings"])
        nodes, edges = heap["nodes"], heap["edges"]
        self.assertEqual((len(nodes), len(edges)), (7 * heap["snapshot"]["node_count"], 3 * heap["snapshot"]["edge_count"]))
        self.assertEqual(sum(nodes[4::7]), heap["snapshot"]["edge_count"])
        self.assertTrue(all(to % 7 == 0 and to < len(nodes) for to in edges[2::3]))
        names = {heap["strings"][name] for kind, name in zip(edges[::3], edges[1::3]) if kind == 2}
        self.assertLessEqual({"to_left._M_ptr", "to_right._M_ptr", "everything"}, names)


class Own(unittest.TestCase):
    """A program that takes snapshots of itself while it runs and at its end."""
    @classmethod
    def setUpClass(cls):
        cls.runs = {flags: cls.run_it(*flags) for flags in ((), ("-static",))}

    @staticmethod
    def run_it(*flags):
        # The stack of an ended thread, which glibc caches, may count as that of a suspended coroutine.
        name = work("own" + "".join(flags))
        subprocess.run([CC, "-O1", "-g", "-pthread", "-fallocsite-contexts=0", "-I" + os.path.join(HERE, "../../rt/lib"), os.path.join(HERE, "graph_self.c"), *flags, "-o", name], check=True)
        result = subprocess.run([name, name + ".called"], capture_output=True, text=True, timeout=60, env={
            **os.environ, "ALLOCSITE_OPTIONS": f"report=none:signal=USR2:graph={name}.graph"})
        return name, result

    def test_it_runs_on_untouched(self):
        for name, result in self.runs.values():
            self.assertEqual((result.returncode, result.stdout), (0, "done\n"))
            self.assertEqual(result.stderr, "allocsite: no graph in /nowhere/at/all: No such file or directory\n")

    def test_files_of_every_moment_are_whole(self):
        for name, _ in self.runs.values():
            for path in name + ".called", name + ".graph.1", name + ".graph":
                counts = dict(line.split("\t")[::-1] for line in shown("--counts", path).splitlines()[1:])
                self.assertGreaterEqual(int(counts["struct node"]), 17)
                self.assertEqual((counts["struct on_stack"], counts["struct in_thread"]), ("1", "1"))

    def test_stacks_and_thread_local_memory_are_roots(self):
        """Threads that have ended have no roots at the end."""
        for name, _ in self.runs.values():
            self.assertRegex(shown(name + ".called", "why", "struct on_stack"), r"^hold, stack of thread \d+\n")
            self.assertRegex(shown(name + ".called", "why", "struct in_main"), r"^main, stack of thread \d+\n")
            self.assertRegex(shown(name + ".graph.1", "why", "struct in_main"), r"^main, stack of thread \d+\n")
            self.assertRegex(shown(name + ".called", "why", "struct in_thread"), r"^thread-local memory of thread \d+\n")
            self.assertEqual(totals_of(name + ".called"), (0, 0))
            self.assertEqual(totals_of(name + ".graph"), (9, 16 * 8))

    def test_a_program_without_debug_information_still_has_types(self):
        name, _ = self.runs[()]
        stripped = work("stripped/own")
        shutil.copy(name, stripped)
        subprocess.run(["strip", stripped], check=True)
        result = subprocess.run([stripped, stripped + ".called"], check=True, capture_output=True, text=True,
                                env={**os.environ, "ALLOCSITE_OPTIONS": f"report=none:signal=USR2:graph={stripped}.graph"})
        line = "allocsite-dump: " + stripped + ": its fields have no names: it has no debug information"
        self.assertEqual(result.stderr.count(line), 23)  # the snapshots that the program took itself
        fields = shown("--edges", stripped + ".graph")
        self.assertIn("\t+0\t", fields)
        self.assertNotIn("\tnext\t", fields)

    def test_where_owners_are_not_known_none_is_written(self):
        name, _ = self.runs[()]
        result = subprocess.run([name, work("none.graph")], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "ALLOCSITE_OPTIONS": "report=none:owners=0:signal=USR2"})
        self.assertIn("allocsite: no graph in " + work("none.graph") + ": with owners=0 no blocks are known\n", result.stderr)
        self.assertFalse(os.path.exists(work("none.graph")))


class Bad(unittest.TestCase):
    def complaint(self, *arguments):
        result = dump("graph", *arguments)
        self.assertRegex(result.stderr, r"\Aallocsite-dump: [^\n]+\n(try [^\n]+\n)?\Z")
        return result.returncode, result.stderr

    def test_usage(self):
        for arguments in ((), ("a", "b", "c"), ("--by=colour", "a"), ("--objects", "a"), ("--format=dot", "a"), ("--nothing", "a"),
                          ("a", "b", "-o", "c"), ("a", "b", "--type=x"), ("a", "b", "--dump"), ("a", "b", "--counts"),
                          ("a", "b", "--by=site"), ("--format=heapsnapshot", "--counts", "a"),
                          ("--format=heapsnapshot", "a", "b")):
            self.assertEqual(self.complaint(*arguments)[0], 2, arguments)

    def test_files(self):
        path, _, _ = snapshot("graph.c", "-fallocsite-contexts=0")
        with open(path, "rb") as file:
            whole = file.read()
        for name, contents in (("cut", whole[:-20]), ("long", whole + b"x"), ("empty", b""), ("other", b"\x7fELF" + whole),
                               ("changed", whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])):
            with open(work(name), "wb") as file:
                file.write(contents)
            self.assertEqual(self.complaint(work(name))[0], 1, name)
        self.assertEqual(self.complaint(work("absent"))[0], 1)
        self.assertIn("has no calling frames", self.complaint("--by=stack", path)[1])

    def test_processes(self):
        self.assertRegex(self.complaint(str(os.getpid()))[1], "without the runtime of allocsite")
        self.assertEqual(self.complaint("999999999")[0], 1)


if __name__ == "__main__":
    unittest.main()
