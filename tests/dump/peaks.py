# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peaks of threads and phases equal a program's own books, phases exactly and threads within the bound.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment."""
import json
import os
import shutil
import subprocess
import time
import unittest

from runs import CC, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    subprocess.run([CC, "-O1", "-g", "-pthread", "-I", os.path.join(HERE, "..", "..", "rt", "lib"),
                    os.path.join(HERE, "peaks.c"), "-o", work("program")], check=True)


def books(threads, phases):
    """Runs the program; returns its books, {("phase" or "thread", thread, name): bytes}, and its profile."""
    path = work(f"{threads}.{phases}.profile")
    process = subprocess.run([work("program"), str(threads), str(phases)], text=True, capture_output=True, check=True,
                             env={**os.environ, "ALLOCSITE_OPTIONS": f"profile={path}:report=none"})
    lines = [line.split(" ") for line in process.stdout.splitlines()]
    return {(kind, int(thread), name): int(peak) for kind, thread, name, peak in lines}, path


def report(path, *arguments):
    result = dump("report", "--format=json", *arguments, path)
    if result.returncode or result.stderr:
        raise AssertionError(result)
    return json.loads(result.stdout)


def peak_of(row):
    return {"bytes": row["peak_bytes"], "within": row["peak_within"]}


class Peaks(unittest.TestCase):
    def check_within(self, peak, own):
        self.assertLessEqual(peak["bytes"], own)
        self.assertGreaterEqual(peak["bytes"] + peak["within"], own)

    def test_one_thread(self):
        own, path = books(0, 0)
        document = report(path, "--by=thread")
        row, = document["rows"]
        self.assertEqual(row["peak_bytes"], own["thread", 0, "-"])
        self.assertEqual(row["peak_bytes"], document["totals"]["peak_bytes"])
        self.assertEqual(row["peak_within"], 0)

    def test_phases_of_one_thread_are_exact(self):
        own, path = books(0, 3)
        rows = {row["phase"]: peak_of(row) for row in report(path, "--by=phase")["rows"]}
        for name in "first", "second", "third":
            self.assertEqual(rows[name]["bytes"], own["phase", 0, name], name)
            self.assertEqual(rows[name]["within"], 0, name)
        self.check_within(rows[None], own["phase", 0, ""])
        row, = report(path, "--by=thread")["rows"]
        self.check_within(peak_of(row), own["thread", 0, "-"])
        self.assertLessEqual(row["peak_within"], own["thread", 0, "-"] / 32)

    def test_threads_and_their_phases(self):
        own, path = books(5, 2)
        parts = report(path)["threads"]
        peaks = sorted(part["thread_peak"]["bytes"] for part in parts if "thread_peak" in part)
        self.assertEqual(len(peaks), len({part["thread"] for part in parts}))
        threads = {row["thread"]: peak_of(row) for row in report(path, "--by=thread")["rows"]}
        self.assertEqual(sorted(peak["bytes"] for peak in threads.values()), peaks)
        if len(threads) == 6:  # otherwise a thread ended before another one started
            for peak, mine in zip(sorted(threads.values(), key=lambda peak: peak["bytes"]),
                                  sorted(own["thread", i, "-"] for i in range(6))):
                self.assertAlmostEqual(peak["bytes"], mine, delta=mine / 16 + 1024)
        phases = {row["phase"]: peak_of(row) for row in report(path, "--by=phase")["rows"]}
        for name in "first", "second":
            most = [own["phase", i, name] for i in range(6)]
            self.assertGreaterEqual(phases[name]["bytes"], max(most), name)
            self.assertLessEqual(phases[name]["bytes"] + phases[name]["within"], sum(most), name)

    def test_times_and_text(self):
        _, path = books(0, 3)
        run = report(path)
        for row in report(path, "--by=phase")["rows"]:
            self.assertGreaterEqual(row["peak_time_ms"], run["run"]["begun_ms"] - 20)
            self.assertLessEqual(row["peak_time_ms"], time.time() * 1000 + 20)
        text = dump("report", "--by=phase", "--sort=peak", path).stdout
        self.assertRegex(text, r"(?m) peak +peak at +phase$")
        sizes = [row["peak_bytes"] for row in report(path, "--by=phase", "--sort=peak")["rows"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_merging(self):
        _, one = books(0, 3)
        two, merged = work("two.profile"), work("merged.profile")
        shutil.copy(one, two)
        self.assertEqual(dump("merge", "-o", merged, one, two).returncode, 0)
        for before, after in zip(report(one, "--by=phase")["rows"], report(merged, "--by=phase")["rows"]):
            self.assertEqual(after["peak_bytes"], before["peak_bytes"])
            self.assertEqual(after["peak_within"], before["peak_bytes"] + 2 * before["peak_within"])


if __name__ == "__main__":
    unittest.main()
