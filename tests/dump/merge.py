# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Merging files: allocsite-dump report FILE... and merge -o OUT FILE...

ctest passes DUMP (allocsite-dump), MAKE (make_profiles) and WORK (a folder) in the environment."""
import json
import os
import resource
import shutil
import stat
import struct
import subprocess
import unittest

import profiles
from runs import DUMP, WORK, dump, pipe_reader, unless_sanitized, work, written

MAKE = os.environ["MAKE"]
HERE = os.path.dirname(os.path.abspath(__file__))
OTHER = work("other.profile")  # of another program
PAGE = 4096


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(work("few"))
    subprocess.run([MAKE, work("few"), "6", "50", "sizes"], check=True)
    profiles.write(OTHER, profiles.words())


FEW = [work(f"few/{number}") for number in range(6)]


def check(*arguments):
    result = dump(*arguments)
    if result.returncode != 0 or result.stderr:
        raise AssertionError(f"{arguments}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def document(*paths):
    return json.loads(check("report", "--format=json", *paths))


def contents(path):
    with open(path, "rb") as file:
        return file.read()


class Joined(unittest.TestCase):
    def test_counters_are_sums(self):
        parts, joined = [document(path) for path in FEW], document(*FEW)
        for name, total in joined["totals"].items():
            if not name.startswith("peak"):
                self.assertEqual(total, sum(part["totals"][name] for part in parts), name)
        for site in joined["sites"]:
            same = [other for part in parts for other in part["sites"] if other["id"] == site["id"]]
            self.assertEqual(site["alloc_bytes"], sum(other["alloc_bytes"] for other in same))
            self.assertEqual(site["sizes"], [[64, sum(other["allocs"] for other in same)],
                                             [128, sum(other["reallocs"] for other in same)]])
            self.assertEqual(site["max_live_blocks"], max(other["max_live_blocks"] for other in same))

    def test_peak(self):
        parts, joined = [document(path) for path in FEW], document(*FEW)
        peaks = [part["totals"]["peak_bytes"] for part in parts]
        self.assertEqual(joined["totals"]["peak_bytes"], max(peaks))
        self.assertEqual(joined["totals"]["peak_bytes"] + joined["peak_within"], sum(peaks))

    def test_processes(self):
        one, joined = document(FEW[1]), document(*FEW)
        self.assertEqual((one["pid"], one["processes"], one["finished"]), (1001, 1, True))
        self.assertEqual((joined["pid"], joined["processes"], joined["finished"], joined["unfinished"]),
                         (0, 6, False, 1))
        self.assertIn("6 processes, 1 of them did not end by exit", check("report", *FEW).splitlines()[0])

    def test_order_is_of_no_matter(self):
        forwards, backwards = document(*FEW[1:]), document(*reversed(FEW[1:]))
        self.assertEqual(forwards["totals"], backwards["totals"])

    def test_two_programs(self):
        mixed = document(FEW[1], OTHER)
        self.assertEqual(mixed["program"], "2 programs")
        self.assertEqual(len(mixed["programs"]), 2)

    def test_reasons_say_of_how_many(self):
        gap = bytearray(contents(FEW[3]))
        struct.pack_into("<Q", gap, 64, 1)
        path = written("gap", gap)
        self.assertRegex(check("report", FEW[1], path, written("another gap", gap)), r"exact: no, out of memory.* \(in 2 of 3 processes\)")
        self.assertNotIn("processes)", check("report", path, work("another gap")))

    def test_standard_input(self):
        with open(FEW[1], "rb") as file:
            result = dump("report", "--format=json", "-", FEW[2], stdin=file)
        self.assertEqual((result.returncode, json.loads(result.stdout)), (0, document(FEW[1], FEW[2])))

    def test_a_pipe(self):
        command = f"'{DUMP}' report <(cat '{FEW[1]}')"
        result = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (0, check("report", FEW[1])), result.stderr)


class Merged(unittest.TestCase):
    def merge(self, name, *paths):
        self.assertEqual(check("merge", "-o", work(name), *paths), "")
        return work(name)

    def test_is_what_report_shows(self):
        for paths in (FEW, FEW[1:2], [*FEW, OTHER], [OTHER]):
            merged = self.merge("merged", *paths)
            self.assertEqual(document(merged), document(*paths))
            self.assertEqual(check("report", merged), check("report", *paths))

    def test_one_process_keeps_its_end(self):
        run = {"command": "./words some arguments", "begun_ms": 1795454097886, "ended_ms": 1795454097887, "ending": "exit", "status": 3,
               "max_resident_bytes": 1904640}
        path = written("ended.profile", {**profiles.words(), "run": run})
        one = document(self.merge("one", path))
        self.assertEqual(one, document(path))
        self.assertEqual(one["run"], run)

    def test_sizes_are_of_rows_alone(self):
        """With thousands of stacks none has sizes."""
        report = {**profiles.words(), "walks": {"depth": 8}}
        site = report["sites"][0]
        empty = {name: 0 if isinstance(value, int) else value for name, value in site.items()}
        report["stacks"] = [{**empty, "site": site["id"], "frames": [{"module": site["module"], "address": hex(number)}]}
                            for number in range(3000)]
        merged = self.merge("sizes.merged", written("sizes.profile", report))
        before, after = (json.loads(check("report", "--format=json", "--no-symbols", path))["sites"]
                         for path in (work("sizes.profile"), merged))
        self.assertEqual([site["sizes"] for site in after], [site["sizes"] for site in before])
        areas = [struct.unpack_from("<IIQQQ", contents(merged), PAGE + 2048 + 32 * number) for number in range(64)]
        self.assertLessEqual(sum(size for kind, _, _, size, _ in areas if kind == 9), 2 * PAGE)

    def test_merged_ones_merge_as_all_at_once(self):
        paths = [*FEW, OTHER, written("few.again", contents(FEW[2])), written("other.again", contents(OTHER))]
        at_once = document(self.merge("at_once", *paths))
        for cuts in ((1,), (4,), (2, 7), (1, 2, 3, 4, 5, 6, 7, 8)):
            ends = (0, *cuts, len(paths))
            parts = [self.merge(f"part-{start}", *paths[start:end]) for start, end in zip(ends, ends[1:])]
            self.assertEqual(document(self.merge("in_parts", *parts)), at_once, cuts)

    def test_is_its_owners(self):
        merged = self.merge("owned", *FEW)
        self.assertEqual(stat.S_IMODE(os.stat(merged).st_mode), 0o600)

    def test_may_be_one_of_the_files(self):
        want = document(*FEW[:2])
        path = shutil.copy(FEW[0], work("both"))
        self.merge("both", path, FEW[1])
        self.assertEqual(document(path), want)

    def test_cut_at_every_page(self):
        merged = contents(self.merge("whole", *FEW))
        for size in range(2 * PAGE, len(merged), PAGE // 2):
            result = dump("report", "--format=json", written("cut", merged[:size]))
            report = json.loads(result.stdout)
            self.assertIn("the file is truncated: ", " ".join(report["inexact_reasons"]))
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, f"\\Aallocsite-dump: {work('cut')}: is damaged: the file is truncated: .*\n\\Z")

    def test_damage_is_told_first(self):
        whole = contents(FEW[1])
        for command in (["report"], ["report", "--format=markdown"], ["report", FEW[0]], ["diff", FEW[0]], ["merge", "-o", work("of_cut")]):
            result = dump(*command, written("cut", whole[:20000]))
            self.assertEqual((result.returncode, result.stderr.count("is damaged: ")), (1, 1), command)
        for form, total in ("text", "total: "), ("markdown", " allocations"):
            shown = dump("report", f"--format={form}", work("cut")).stdout
            self.assertLess(shown.index("the file is truncated: "), shown.index(total))
        # Impossible counters in the profile of a finished program.
        altered = bytearray(whole)
        for at in range(2 * PAGE, len(altered), 64):
            altered[at + 7] |= 0x80
        self.assertEqual(dump("report", written("altered", altered)).returncode, 1)

    def test_a_damaged_one_among_many(self):
        bad = written("bad", contents(FEW[1])[:5000])
        result = dump("merge", "-o", work("others"), FEW[0], bad, "/nowhere", FEW[2])
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr, f"allocsite-dump: {bad}: is a truncated profile: its directory is missing\n"
                                        "allocsite-dump: /nowhere: No such file or directory\n")
        self.assertEqual(document(work("others")), document(FEW[0], FEW[2]))
        result = dump("report", "--format=json", FEW[0], bad, FEW[2])
        self.assertEqual((result.returncode, json.loads(result.stdout)), (1, document(FEW[0], FEW[2])))
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_a_file_that_is_given_twice_is_counted_once(self):
        link = work("the same")
        os.symlink(os.path.abspath(FEW[0]), link)
        for command in ["merge", "-o", work("twice")], ["report", "--format=json"]:
            result = dump(*command, FEW[0], FEW[1], FEW[0], link)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr, f"allocsite-dump: {FEW[0]}: is the same file as {FEW[0]} and is counted once\n"
                                            f"allocsite-dump: {link}: is the same file as {FEW[0]} and is counted once\n")
        self.assertEqual(document(work("twice")), document(FEW[0], FEW[1]))
        self.assertEqual(json.loads(result.stdout), document(FEW[0], FEW[1]))


class Output(unittest.TestCase):
    def refused(self, output, reason, *paths, **options):
        before = sorted(os.listdir(WORK))
        result = dump("merge", "-o", output, *(paths or FEW), **options)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (1, "", f"allocsite-dump: {output}: {reason}\n"))
        self.assertEqual(sorted(os.listdir(WORK)), before)

    def test_impossible_destinations(self):
        self.refused("/nowhere/merged", "No such file or directory")
        self.refused("/dev/full", "No space left on device")
        self.refused(WORK, "is a directory")
        self.refused("/proc/merged", "No such file or directory")

    def test_a_device_is_written_to(self):
        os.symlink("/dev/null", work("null"))
        for path in "/dev/null", work("null"):
            result = dump("merge", "-o", path, *FEW)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(os.path.islink(work("null")))
        os.unlink(work("null"))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_a_pipe_is_written_to(self):
        reader = pipe_reader("pipe")
        self.assertEqual(dump("merge", "-o", work("pipe"), *FEW).returncode, 0)
        dump("merge", "-o", work("whole"), *FEW)
        self.assertEqual(reader.communicate()[0], contents(work("whole")))
        self.assertTrue(stat.S_ISFIFO(os.stat(work("pipe")).st_mode))
        os.unlink(work("pipe"))

    def test_a_hyphen_is_standard_output(self):
        dump("merge", "-o", work("named"), *FEW)
        merged = subprocess.run([os.environ["DUMP"], "merge", "-o", "-", *FEW], cwd=WORK, stdout=subprocess.PIPE)
        self.assertEqual((merged.returncode, merged.stdout), (0, contents(work("named"))))
        for command in ["report"], ["report", "--format=json"], ["export", "--format=collapsed"], ["export", "--format=pprof"]:
            shown = [subprocess.run([os.environ["DUMP"], *command, *options, *FEW], cwd=WORK, stdout=subprocess.PIPE)
                     for options in ([], ["-o", "-"])]
            self.assertEqual(shown[1].stdout, shown[0].stdout, command)
        self.assertFalse(os.path.exists(work("-")))

    def test_is_looked_at_before_any_input(self):
        """An unwritable destination is detected before merging, which may take an hour."""
        for command in (["report"], ["report", "--format=html"], ["report", "--format=pprof"], ["export", "--format=dhat"],
                        ["merge"], ["diff", "/nowhere"], ["graph"], ["record", "--", "false"]):
            result = dump(*command[:1], "-o", WORK, *command[1:], "/nowhere")
            self.assertEqual((result.returncode, result.stdout, result.stderr),
                             (1, "", f"allocsite-dump: {WORK}: is a directory\n"), command)

    def test_a_link_is_not_followed(self):
        target, link = written("target", b"mine"), work("link")
        os.symlink(target, link)
        self.refused(link, "is a symbolic link and not followed")
        self.assertEqual(contents(target), b"mine")
        os.unlink(link)

    def test_no_room(self):
        old = written("old", b"old")
        self.refused(old, "File too large",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3 * PAGE, 3 * PAGE)))
        self.assertEqual(contents(old), b"old")

    @unless_sanitized
    def test_no_memory(self):
        """One line reports it, and no partial output remains."""
        os.makedirs(work("large"))
        subprocess.run([MAKE, work("large"), "1", "20000", "sizes"], check=True)
        limits, lines = range(24 << 20, 1 << 28, 4 << 20), []
        for limit in limits:
            result = dump("merge", "-o", work("large/out"), work("large/0"),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            if result.returncode == 0:
                break
            lines.append(result.stderr)
            self.assertEqual((result.returncode, result.stdout, os.listdir(work("large"))), (1, "", ["0"]))
        self.assertEqual(result.returncode, 0)
        self.assertGreater(lines.count("allocsite-dump: out of memory\n"), 3)
        self.assertLessEqual({line.count("\n") for line in lines}, {1})

    def test_nothing_to_write(self):
        result = dump("merge", "-o", work("none"), "/nowhere", WORK)
        self.assertEqual((result.returncode, os.path.exists(work("none"))), (1, False))
        self.assertEqual(result.stderr.count("\n"), 2)

    def test_usage(self):
        for arguments in ([], ["-o", work("x")], ["-o"], [FEW[0]], ["--into", FEW[0]]):
            result = dump("merge", *arguments)
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), arguments)

    def test_help(self):
        self.assertIn("-o OUT", check("merge", "--help"))


class Damaged(unittest.TestCase):
    """Messages about a single damaged file."""
    def refused(self, name, changed, reason):
        path = written(name, changed)
        result = dump("report", path)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (1, "", f"allocsite-dump: {path}: {reason}\n"))

    def test_unreadable_files(self):
        good = contents(FEW[1])
        self.refused("short", good[:100], "is a truncated profile: its header is incomplete")
        self.refused("text", good.replace(b"\n", b"\r\n"),
                     "is a profile that was changed on the way: was it copied as text?")
        self.refused("newer", good[:8] + b"\x63" + good[9:],
                     "is a profile of version 99; this allocsite-dump reads version 1")
        self.refused("order", good[:12] + good[15:11:-1] + good[16:],
                     "is a profile of a machine with the other byte order")

    @unless_sanitized
    def test_huge_sizes_of_missing_data(self):
        """Data that a file only claims to have takes neither time nor memory."""
        huge = bytearray(contents(FEW[1]))
        struct.pack_into("<I", huge, PAGE, 0xFFFFFFFF)
        struct.pack_into("<21Q", huge, PAGE + 16, *[len(huge) + PAGE * k for k in range(21)])
        path = written("huge", huge)
        result = dump("report", path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28)))
        self.assertIn("the file is truncated: ", result.stdout)
        self.assertEqual(result.returncode, 1, result.stderr)

    def test_a_file_that_shrinks(self):
        """If a page is gone (SIGBUS), the reader continues and says so."""
        path = shutil.copy(FEW[1], work("shrinks"))
        whole = contents(path)
        end = work("shrinks.end")
        shrinks = subprocess.Popen(["sh", "-c", "until [ -e $2 ]; do truncate -s 8192 $0; cat $1 > $0; done", path, FEW[1], end])
        try:
            statuses = [dump("report", path).returncode for _ in range(50 if "SANITIZED" in os.environ else 300)]
        finally:
            written("shrinks.end", b"")  # a kill would leave the last command running, which writes to the file
            shrinks.wait()
        self.assertFalse(set(statuses) - {0, 1}, set(statuses))
        self.assertEqual(contents(written("shrinks", whole)), whole)


class Many(unittest.TestCase):
    @unless_sanitized
    def test_memory_follows_the_sites(self):
        def peak(count):
            os.makedirs(work(f"many-{count}"), exist_ok=True)
            subprocess.run([MAKE, work(f"many-{count}"), str(count), "100"], check=True)
            paths = [work(f"many-{count}/{number}") for number in range(count)]
            process = subprocess.Popen([DUMP, "merge", "-o", work("many"), *paths])
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss
        self.assertLess(peak(1000), peak(10) + 1024)


if __name__ == "__main__":
    unittest.main()
