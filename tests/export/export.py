# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump export: the target programs open the files and show the numbers of the report.

export.py READER: a class of tests below. ctest passes DUMP (allocsite-dump), CC (allocsite-clang), WORK (a folder) and
READERS (a folder with readers that are not installed) in the environment. Ends with 77 if the reader is missing."""
import gzip
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import unittest

try:
    from prometheus_client.openmetrics import parser
except ImportError:
    parser = None

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../dump"))
import browser
import profiles

DUMP, CC, WORK, READERS = (os.environ[name] for name in ("DUMP", "CC", "WORK", "READERS"))
HERE = os.path.dirname(os.path.abspath(__file__))
DUMP_TESTS = os.path.join(HERE, "../dump")
SKIPPED = 77
FORMATS = "pprof", "dhat", "speedscope", "collapsed", "callgrind", "openmetrics"
VALUES = "calls", "bytes", "live_blocks", "live_bytes", "peak_blocks", "peak_bytes"
SPEEDSCOPE = os.path.join(READERS, "node_modules/speedscope/dist/release/index.html")
PROMTOOL = shutil.which("promtool") or shutil.which(os.path.join(READERS, "usr/bin/promtool"))
NEEDS = {"Pprof": shutil.which("go"), "Dhat": shutil.which("chromium") and browser.DH_VIEW,
         "Speedscope": shutil.which("chromium") and os.path.exists(SPEEDSCOPE),
         "Callgrind": shutil.which("callgrind_annotate"), "Openmetrics": PROMTOOL and parser, "Command": True}
ODD = 'a;"b\\c\n<i>d'


def work(name):
    return os.path.join(WORK, name)


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    if result.returncode or result.stderr:
        raise AssertionError(f"{command}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def dump(*arguments):
    return subprocess.run([DUMP, *arguments], capture_output=True, text=True, timeout=60)


def report(*paths):
    return json.loads(dump("report", "--format=json", *paths).stdout)


def values(counters):
    return dict(zip(VALUES, (counters["allocs"] + counters["reallocs"], counters["alloc_bytes"] + counters["realloc_bytes"],
                             *(counters[name] for name in VALUES[2:]))))


def totals(*paths):
    return values(report(*paths)["totals"])


def phases(path):
    """Returns name, calls and bytes of each phase; there is one."""
    rows = json.loads(dump("report", "--by=phase", "--format=json", path).stdout)["rows"]
    found = [(row["phase"], *list(values({**row, "peak_bytes": 0, "peak_blocks": 0}).values())[:2])
             for row in rows if row["phase"]]
    if not found:
        raise AssertionError("no phase")
    return found


def exported(form, *arguments):
    """Writes an export and returns its path."""
    path = work("out." + form)
    result = dump("export", f"--format={form}", "-o", path, *arguments)
    if result.returncode or result.stdout:
        raise AssertionError(result)
    return path


def compiled_and_run(name, options):
    run(work("program"), env={**os.environ, "ALLOCSITE_OPTIONS": f"report=none:profile={work(name)}:{options}"})
    return work(name)


def setUpModule():
    global STACKS, PLAIN, UNOWNED, ODDLY, EXITED, ALL
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    run(CC, "-O1", "-g", "-fallocsite-contexts=0", "-I" + os.path.join(HERE, "../../rt/lib"), os.path.join(HERE, "program.c"), "-o", work("program"))
    STACKS, PLAIN = compiled_and_run("stacks.profile", "stack=16"), compiled_and_run("plain.profile", "stack=0")
    UNOWNED, ODDLY = compiled_and_run("unowned.profile", "owners=0"), work("odd.profile")
    EXITED = compiled_and_run("exited.profile", "stack=16")
    document = report(STACKS)
    for site in document["sites"]:
        site["function"], site["type"] = ODD, ODD
    profiles.write(ODDLY, document)
    run(DUMP, "merge", "-o", work("two.profile"), STACKS, PLAIN)
    ALL = [[STACKS], [PLAIN], [STACKS, PLAIN], [ODDLY], [profiles.write(work("words.profile"), profiles.words())],
           [profiles.write(work("doubtful.profile"), profiles.words() | {"inexact_reasons": ["jemalloc comes before allocsite's"]})],
           [work("two.profile")]]


class Pprof(unittest.TestCase):
    def samples(self, *arguments):
        """Returns the default type, and for each sample its values by type, its labels and its frames as text."""
        raw = run("go", "tool", "pprof", "-raw", exported("pprof", *arguments))
        head, _, rest = raw.partition("Samples:\n")
        types, _, rest = rest.partition("\n")
        listed, _, rest = rest.partition("Locations\n")
        locations = {int(number): text for number, text in
                     re.findall(r"(?m)^ *(\d+): (.*(?:\n {6,}\S.*)*)", rest.partition("Mappings\n")[0])}
        names = [name.partition("/")[0] for name in types.split()]
        found = []
        for numbers, path, labels in re.findall(r"(?m)^ *((?:\d+ +)*\d+): ([\d ]*)\n((?: {16}.*\n)*)", listed):
            label = dict(re.findall(r"(\w+):\[(.*?)\](?= \w+:|$)", labels.strip()))
            found.append((dict(zip(names, map(int, numbers.split()))), label,
                          [locations[int(number)] for number in path.split()]))
        return re.findall(r"(\w+)/\w+\[dflt\]", types), found, head

    def test_totals(self):
        for paths in ALL:
            _, found, _ = self.samples(*paths)
            sums = [sum(sample[0][name] for sample in found) for name in found[0][0]]
            self.assertEqual(sums, list(totals(*paths).values()), paths)

    def test_sites(self):
        _, found, _ = self.samples(STACKS)
        for site in report(STACKS)["sites"]:
            of = [sample for sample in found if sample[1]["site"] == site["id"]]
            self.assertEqual([sum(sample[0][name] for sample in of) for name in of[0][0]], list(values(site).values()))
            self.assertEqual({(sample[1].get("callee"), sample[1].get("type")) for sample in of},
                             {(site["callee"], site["type"])})

    def test_phases(self):
        for path in STACKS, PLAIN:
            sums = {}
            for numbers, label, _ in self.samples(path)[1]:
                calls, size = sums.get(label.get("phase"), (0, 0))
                sums[label.get("phase")] = calls + numbers["alloc_objects"], size + numbers["alloc_space"]
            rows = json.loads(dump("report", "--by=phase", "--format=json", path).stdout)["rows"]
            self.assertEqual(sums, {row["phase"]: tuple(values({**row, "peak_bytes": 0, "peak_blocks": 0}).values())[:2]
                                    for row in rows})
            self.assertEqual(sums["loading"], (12, 288))

    def test_frames(self):
        found = [sample for sample in self.samples(STACKS)[1] if sample[1].get("phase")]
        deep, flat = sorted(found, key=lambda sample: -len(sample[2]))[:2]
        self.assertRegex(deep[2][0], r"(?s)fresh .*program\.c:12 .*\n *more .*program\.c:19 ")
        self.assertEqual([frame.split()[2] for frame in deep[2][1:6]], ["deeper"] * 4 + ["main"])
        self.assertEqual((deep[0]["alloc_objects"], flat[0]["alloc_objects"]), (5, 7))

    def test_default_sample_type(self):
        for by, name, value in ("bytes", "alloc_space", "bytes"), ("live", "inuse_space", "live_bytes"), \
                ("peak", "peak_space", "peak_bytes"), ("allocs", "alloc_objects", "calls"):
            self.assertEqual(self.samples("--sort=" + by, STACKS)[0], [name])
            top = run("go", "tool", "pprof", "-top", "-unit=B", exported("pprof", "--sort=" + by, STACKS))
            self.assertRegex(top, rf"accounting for .* of {totals(STACKS)[value]}B? total")

    def test_doubts(self):
        self.assertEqual(set(self.samples(UNOWNED)[1][0][0]), {"alloc_objects", "alloc_space"})
        self.assertIn("exact: no, jemalloc comes before", self.samples(ALL[5][0])[2])


class Dhat(unittest.TestCase):
    def test_totals(self):
        texts = []
        for paths in [*ALL, [UNOWNED]]:
            with open(exported("dhat", *paths)) as file:
                texts.append(file.read())
        pages = browser.dh_view(texts, WORK)
        self.assertEqual(len(pages), len(texts))
        for paths, page in zip(ALL, pages):
            root = re.sub(r"\s+", " ", page).partition("PP 1/1")[2]
            shown = re.findall(r"(?:Total|At t-gmax|At t-end): +([\d,]+) bytes \(.*?\) in ([\d,]+) blocks", root)[:3]
            numbers = [int(number.replace(",", "")) for pair in shown for number in pair]
            of = totals(*paths)
            self.assertEqual(numbers, [of[name] for name in ("bytes", "calls", "peak_bytes", "peak_blocks", "live_bytes",
                                                             "live_blocks")], page[:3000])
        self.assertRegex(re.sub(r"\s+", " ", pages[0]), r"malloc of struct word .*fresh \(\S*program\.c:12:25\)")
        self.assertNotIn("NaN", "".join(pages))
        self.assertNotIn("t-gmax", pages[-1])

    def test_lifetimes(self):
        """All lifetimes of each site, and the viewer's totals."""
        for options in "lifetime=1", "lifetime=1:stack=16":
            path = compiled_and_run("lifetimes.profile", options)
            with open(exported("dhat", path)) as file:
                text = file.read()
            wanted = sum(site["lifetimes"]["nanoseconds"] for site in report(path)["sites"])
            points = json.loads(text)["pps"]
            lived = sum(point["tl"] for point in points)
            self.assertTrue(0 <= wanted / 1000 - lived <= 2 * len(points), (wanted, lived))
            page = browser.dh_view([text], WORK)[0]
            shown = [float(number.replace(",", "")) for number in re.findall(r"avg lifetime ([\d,.]+) µs", page)]
            self.assertAlmostEqual(shown[0], lived / sum(point["tbk"] for point in points), delta=1)


class Speedscope(unittest.TestCase):
    def shown(self, path):
        """Returns the total of each profile that can be chosen."""
        lines = browser.speedscope(path, WORK, SPEEDSCOPE)
        if "Total Weight" not in lines:
            return lines, {}
        at = lines.index("Total Weight") + 1
        table = lines[at:lines.index("Export") - 1]
        return lines, {name: weight for name, weight in zip(table[1::3], table[2::3])}

    def test_totals(self):
        lines, table = self.shown(exported("speedscope", STACKS))
        of = totals(STACKS)
        self.assertLess(of["bytes"], 1024)
        expected = [f"{of[name]}{' B' if 'bytes' in name else ''}" for name in VALUES]
        for _, calls, size in phases(STACKS):
            expected += [str(calls), f"{size} B"]
        self.assertEqual(list(table.values()), expected)
        self.assertEqual(lines[lines.index("bytes ") + 1], "(2/8)")
        self.assertIn("deeper", lines)

    def test_schema_and_sums(self):
        for paths in ALL:
            with open(exported("speedscope", *paths)) as file:
                document = json.load(file)
            whole = [profile for profile in document["profiles"] if " in " not in profile["name"]]
            self.assertEqual([sum(profile["weights"]) for profile in whole], list(totals(*paths).values()))
            for profile in document["profiles"]:
                self.assertEqual((profile["endValue"], len(profile["weights"])),
                                 (sum(profile["weights"]), len(profile["samples"])))

    def test_phases(self):
        with open(exported("speedscope", STACKS)) as file:
            profiles = {profile["name"]: profile["endValue"] for profile in json.load(file)["profiles"]}
        for phase, calls, size in phases(STACKS):
            self.assertEqual((profiles[f"allocations in {phase}"], profiles[f"bytes in {phase}"]), (calls, size))

    def test_collapsed(self):
        lines, _ = self.shown(exported("collapsed", "--sort=live", STACKS))
        own = lines[lines.index("Symbol Name") + 2::3]
        self.assertEqual(sum(int(cost.split()[0]) for cost in own), totals(STACKS)["live_bytes"])


class Callgrind(unittest.TestCase):
    def totals(self, path, how):
        shown = run("callgrind_annotate", "--threshold=100", "--auto=no", path)
        numbers, found = re.search(r"(?m)^(.*) PROGRAM TOTALS(.*)", shown).groups()
        self.assertEqual(found, how)
        return [int(number.replace(",", "")) for number in re.findall(r"(?:^|\s)([\d,]+)(?= )", numbers)]

    def test_totals(self):
        for paths in ALL:
            of, path = totals(*paths), exported("callgrind", *paths)
            expected = [of[name] for name in ("bytes", "calls", *VALUES[2:])]
            self.assertEqual(self.totals(path, ""), expected)
            with open(path) as file:
                lines = file.readlines()
            with open(path, "w") as file:
                file.writelines(line for line in lines if not line.startswith("summary:"))
            self.assertEqual(self.totals(path, " (calculated)"), expected)

    def test_source(self):
        shown = run("callgrind_annotate", "--inclusive=yes", "--threshold=100", "--show=Allocations", exported("callgrind", STACKS))
        self.assertRegex(shown, r"\n12 \(80.*struct word \*word = malloc")
        self.assertRegex(shown, r"\n *5 \(33.*=> \S*program.c:deeper \(5x\)")
        self.assertRegex(shown, r"\n *7 \(46.*=> \S*program.c:more \(7x\)")


class Openmetrics(unittest.TestCase):
    def series(self, *arguments):
        """Returns for each metric the value of each series, as in Prometheus's database."""
        path, blocks = exported("openmetrics", *arguments), work("blocks")
        with open(path) as file:
            list(parser.text_string_to_metric_families(file.read()))
        shutil.rmtree(blocks, ignore_errors=True)
        run(PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", path, blocks)
        os.mkdir(os.path.join(blocks, "wal"))
        found = {}
        for name, labels, value in re.findall(r'(?m)^\{__name__="allocsite_(\w+)", (.*)\} (\S+) \d+$',
                                              run(PROMTOOL, "tsdb", "dump", blocks)):
            found.setdefault(name, {})[labels] = int(float(value))
        return found

    def test_totals(self):
        counters, gauges = ["allocations_total", "allocated_bytes_total"], VALUES[2:]
        for arguments in [STACKS], [PLAIN], ["--top=1", STACKS], [ODDLY]:
            found, expected = self.series(*arguments), list(totals(arguments[-1]).values())
            self.assertEqual([sum(found[name].values()) for name in ("program_" + counters[0], "program_" + counters[1], *gauges)], expected)
            if len(arguments) == 1:
                self.assertEqual([sum(found[name].values()) for name in counters], expected[:2])
        self.assertEqual(len(found["live_bytes"]), len(report(STACKS)["sites"]))
        found = self.series("--top=1", "--sort=live", STACKS)
        self.assertEqual([len(found[name]) for name in (*counters, *gauges)], [1, 1, 2, 2, 2, 2])

    def test_phases(self):
        found = self.series(STACKS)
        for phase, calls, size in phases(STACKS):
            of = [sum(value for labels, value in found[f"phase_{name}"].items() if f'phase="{phase}"' in labels)
                  for name in ("allocations_total", "allocated_bytes_total")]
            self.assertEqual(of, [calls, size])

    def test_labels(self):
        found = self.series("--top=1", "--sort=live", STACKS)["live_blocks"]
        site = max(report(STACKS)["sites"], key=lambda site: site["live_bytes"])
        labels = next(labels for labels in found if 'site="other"' not in labels)
        for key, value in ("callee", "malloc"), ("type", "struct word"), ("function", "fresh"), ("line", "12"), ("site", site["id"]):
            self.assertIn(f'{key}="{value}"', labels)
        self.assertEqual(found[labels], site["live_blocks"])

    def test_recording(self):
        """All samples of a recording, each at its time."""
        path = os.path.join(DUMP_TESTS, "steps.rec")
        history = json.loads(dump("report", "--history", "--format=json", path).stdout)
        for arguments in [], ["--top=1"]:
            blocks = work("blocks")
            shutil.rmtree(blocks, ignore_errors=True)
            run(PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", exported("openmetrics", *arguments, path), blocks)
            os.mkdir(os.path.join(blocks, "wal"))
            sums = {}
            for value, time in re.findall(r'(?m)^\{__name__="allocsite_live_bytes".* (\S+) (\d+)$', run(PROMTOOL, "tsdb", "dump", blocks)):
                sums[int(time)] = sums.get(int(time), 0) + int(float(value))
            self.assertEqual(sums, dict(zip(history["times_ms"], history["total"]["live_bytes"])))

    def test_without_time(self):
        """Reports without an end time have no timestamps, so the scraper's time counts."""
        for path in ALL[4][0], ALL[5][0], STACKS:
            with open(exported("openmetrics", path)) as file:
                text = file.read()
            self.assertGreater(len(list(parser.text_string_to_metric_families(text))), 0)
            self.assertEqual(len(re.findall(r"(?m)\} \d+$", text)) == 0, path == STACKS)
            self.assertTrue(text.endswith("# EOF\n"))


def varint(data, at):
    """Returns the number that begins at this offset, and the offset after it."""
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return number, at


def fields(profile):
    """Returns the fields of a pprof file in order, without time and duration, which JSON has in milliseconds."""
    data, at, found = gzip.decompress(profile), 0, []
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        if key >> 3 not in (9, 10):
            found.append((key >> 3, value))
    return found


class Command(unittest.TestCase):
    def exported(self, form, *paths):
        data = self.bytes_of("export", "--format=" + form, *paths)
        return fields(data) if form == "pprof" else re.sub(rb'"te":\d+', b"", data)

    def test_merged(self):
        """A merged profile has everything that exports contain."""
        path = work("merged.profile")
        run(DUMP, "merge", "-o", path, STACKS, PLAIN, EXITED)
        self.assertEqual([phases(path)], [[("loading", 36, 864)]])
        for by in "phase", "thread":
            self.assertEqual(self.bytes_of("report", "--format=json", "--by=" + by, path),
                             self.bytes_of("report", "--format=json", "--by=" + by, STACKS, PLAIN, EXITED))
        for form in FORMATS:
            self.assertEqual(self.exported(form, path), self.exported(form, STACKS, PLAIN, EXITED), form)

    def test_inlined_calls_without_stacks(self):
        """The line of an allocation is its caller's, and the call in it is still shown."""
        lines = self.bytes_of("export", "--format=collapsed", PLAIN).decode().splitlines()
        self.assertEqual([re.sub(r" \([^)]*:(\d+)\)", r":\1", line) for line in lines if "fresh" in line], ["more:19;fresh:12 288"])

    def test_instantiations_with_long_names(self):
        """Viewers merge functions with equal names, so functions whose short names would be equal get different ones."""
        document = profiles.words()
        types = [f"Pair<{', '.join(['ATypeWithAVeryLongNameThatNobodyWouldEverWrite'] * 4)}, Key<{number}>>" for number in range(3)]
        for site, name in zip((site for site in document["sites"] if site["sited"] and site["alloc_bytes"]), types):
            site.update(function=f"void* make<{name}>()", file="make.h", line=3, column=1, inlined=[])
        path = profiles.write(work("alike.profile"), document)
        for form in "collapsed", "callgrind", "dhat", "speedscope", "pprof":
            data = open(exported(form, path), "rb").read()
            found = re.findall(r"make<[^\s\0]*Key<(\d)>", (gzip.decompress(data) if form == "pprof" else data).decode("latin-1"))
            self.assertEqual(set(found), {"0", "1", "2"}, form)
            if form == "pprof":
                continue  # which also has full names
            self.assertNotIn(b"make<Pair<...>>", data, form)

    def bytes_of(self, *arguments):
        return subprocess.run([DUMP, *arguments], stdout=subprocess.PIPE, check=True).stdout

    def test_same_bytes(self):
        for form in FORMATS:
            with open(exported(form, STACKS), "rb") as file:
                expected = file.read()
            for command in ["export", "--format=" + form], ["report", "--format", form]:
                self.assertEqual(self.bytes_of(*command, STACKS), expected, form)

    def test_process(self):
        source = work("waiting.c")
        with open(source, "w") as file:
            file.write("#include <stdio.h>\n#include <stdlib.h>\nchar *volatile kept;\n"
                       'int main(void) { kept = malloc(123); puts("ready"); fflush(stdout); getchar(); }\n')
        run(CC, "-g", source, "-o", work("waiting"))
        with subprocess.Popen([work("waiting")], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            lines = self.bytes_of("export", "--format=collapsed", f"pid:{process.pid}").decode().splitlines()
            process.stdin.close()
        self.assertEqual([line.split(";")[-1] for line in lines if line.endswith(" 123")], [f"main ({source}:4) 123"])

    def test_errors(self):
        for arguments, text in ((["export", STACKS], "no format"), (["export", "--format=pprof"], "no file"),
                                (["export", "--format=pdf", STACKS], "bad value of --format: pdf, it takes one of pprof dhat"),
                                (["export", "--format=dhat", "--by=line", STACKS], "--by=line"),
                                (["export", "--format=dhat", "--sort=size", STACKS], "bad value of --sort")):
            result = dump(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, rf"^allocsite-dump: export: .*{text}.*\n|^allocsite-dump: .*{text}")
        for arguments, text in ((["--sort=live", UNOWNED], "without the owners of blocks"), ([work("none")], "No such file"),
                                ([os.path.join(HERE, "program.c")], "program.c: ")):
            result = dump("export", "--format=collapsed", *arguments)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn(text, result.stderr)

    def test_no_bytes_on_terminals(self):
        terminal, end = pty.openpty()
        result = subprocess.run([DUMP, "export", "--format=pprof", STACKS], stdout=end, stderr=subprocess.PIPE, text=True)
        os.close(end)
        os.close(terminal)
        self.assertEqual((result.returncode, "-o FILE" in result.stderr), (2, True))


if __name__ == "__main__":
    reader = sys.argv[1]
    if not NEEDS[reader]:
        print(f"skipped: the reader of {reader} is not installed (tests/run.sh tries to)")
        sys.exit(SKIPPED)
    unittest.main()
