# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump record on a program that takes a step per input line. A moment of the recording shows the state that
was read from the process at that time."""
import csv
import json
import os
import signal
import subprocess
import time
import unittest

from runs import CC, DUMP, dump, work, written
from top import Program

RECORDING = "steps.rec"
SLEEPER = """\
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
int main(void) {
    for (int i = 0; i < 150; i++) {
        kept = malloc(1000);
        usleep(10000);
    }
    return 5;
}
"""


def shown(source, *options):
    result = dump("report", "--format=json", *options, source)
    if result.returncode:
        raise AssertionError(result.stderr)
    found = json.loads(result.stdout)
    for name in "walks", "threads", "phases", "before_reset":  # recordings do not have these
        found.pop(name, None)
    if "stacks" in found:  # a recording has rows, each at its line
        del found["stacks"]
        rows = csv.DictReader(dump("report", "--format=csv", *options, source).stdout.splitlines())
        found["sites"] = sorted(({**row, "live_bytes": int(row["live_bytes"])} for row in rows), key=str)
    return found


def history(path):
    return shown(path, "--history")


class Recorder:
    """Starts a recorder, and returns when it has taken a sample."""

    def __init__(self, program, *options, path=RECORDING):
        self.path = work(path)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.process = subprocess.Popen([DUMP, "record", program.pid, "--interval=0.02", "-o", self.path, *options],
                                        stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path) and self.process.poll() is None:
            time.sleep(0.01)

    def wait(self):
        """Waits for two more samples: the second one began after this call."""
        seen = {history(self.path)["times_ms"][-1]}
        while len(seen) < 3:
            if self.process.poll() is not None:
                raise AssertionError("the recorder has ended: " + self.process.stderr.read())
            time.sleep(0.01)
            seen.add(history(self.path)["times_ms"][-1])

    def end(self, sent=signal.SIGINT):
        self.process.send_signal(sent)
        return self.ended()

    def ended(self):
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Moments(unittest.TestCase):
    def check(self, options):
        moments = []
        with Program(options) as program, Recorder(program) as recorder:
            for step in range(6):
                program.step(step)
                if step == 4:
                    dump("reset", program.pid)
                    program.step()
                recorder.wait()
                times = history(recorder.path)["times_ms"]
                moments.append((times[-1] - times[0], shown("pid:" + program.pid)))
            self.assertEqual(recorder.end()[0], 0)
        for milliseconds, expected in moments:
            self.assertEqual(shown(f"{recorder.path}@{milliseconds / 1000}"), expected)
            self.assertEqual(shown(recorder.path, f"--at={milliseconds / 1000}s"), expected)
        self.assertEqual(shown(recorder.path), moments[-1][1])
        self.assertEqual(len({json.dumps(moment["sites"]) for _, moment in moments}), len(moments))
        changes = json.loads(dump("diff", "--format=json", f"{recorder.path}@{moments[1][0] / 1000}",
                                  f"{recorder.path}@{moments[3][0] / 1000}").stdout)
        self.assertEqual([changes[which]["totals"]["live_bytes"] for which in ("old", "new")],
                         [moments[which][1]["totals"]["live_bytes"] for which in (1, 3)])

    def test_memory(self):
        self.check("stack=0")

    def test_profile(self):
        self.check("profile=live.profile")

    def test_end(self):
        """The final counts are recorded, with and without a profile."""
        for options in "profile=live.profile", "stack=0":
            with Program(options) as program, Recorder(program) as recorder:
                program.step()
                recorder.wait()
                program.end()
                status, errors = recorder.ended()
            self.assertEqual(status, 0, errors)
            self.assertEqual(shown(recorder.path)["finished"], True)
            self.assertEqual(shown(recorder.path)["totals"]["alloc_bytes"] >= 107000, True)

    def test_killed_recorder(self):
        with Program("stack=0") as program, Recorder(program) as recorder:
            program.step(3)
            recorder.wait()
            expected = shown("pid:" + program.pid)
            recorder.end(signal.SIGKILL)
        self.assertEqual(shown(recorder.path), expected)


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        written("sleeper/sleeper.c", SLEEPER)
        subprocess.run([CC, "-g", "sleeper.c", "-o", "sleeper"], check=True, cwd=work("sleeper"))

    def record(self, *arguments, options="report=none"):
        return dump("record", *arguments, cwd=work("sleeper"), env={**os.environ, "ALLOCSITE_OPTIONS": options})

    def test_status_and_growth(self):
        result = self.record("--interval=0.02", "-o", "a.rec", "--", "./sleeper")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertEqual(self.record("-o", "limits.rec", "--", "sh", "-c", "ulimit -f 1; head -c 2000 /dev/zero > b; "
                                     "echo $? > status; exec ./sleeper").returncode, 5)
        with open(work("sleeper/status")) as file:
            self.assertEqual(int(file.read()), 128 + signal.SIGXFSZ, "the command has its signals as they were")
        path = work("sleeper/a.rec")
        found = shown(path, "--growth")
        row, = (row for row in found["sites"] if row["function"] == "main")
        self.assertTrue(row["only_grows"])
        self.assertEqual(row["live_bytes"], sorted(row["live_bytes"]))
        self.assertEqual([len(found[name]) for name in ("resident_bytes", "times_ms")], [len(row["live_bytes"])] * 2)
        last = shown(path)
        self.assertEqual(row["live_bytes"][-1], next(site["live_bytes"] for site in last["sites"] if site["function"] == "main"))
        self.assertEqual(found["total"]["live_bytes"][-1], last["totals"]["live_bytes"])
        text = dump("report", "--growth", path).stdout
        self.assertRegex(text, r"MiB  [ ▁▂▃▄▅▆▇█]{24}  \S*sleeper.c:6:16: main")
        self.assertNotIn("main", dump("report", "--history", "--filter=function=nobody", path).stdout.split("over time")[1])
        self.assertRegex(dump("report", "--history", "--names=full", path).stdout, r"MiB  [ ▁▂▃▄▅▆▇█]{24}  all sites\n")

    def test_trace(self):
        """Checks counters as Perfetto interprets them: each track keeps its last value."""
        self.record("--interval=0.02", "-o", "a.rec", "--", "./sleeper")
        path, tracks = work("sleeper/a.rec"), {}
        for top in "0", "1":
            tracks = {}
            for event in json.loads(dump("export", "--format=trace", "--top=" + top, path).stdout)["traceEvents"]:
                if event["ph"] == "C":
                    tracks.setdefault(event["name"], []).append((event["ts"], event["args"]["bytes"]))
            for points in tracks.values():
                self.assertEqual(points, sorted(points, key=lambda point: point[0]))
            ends = {name: points[-1][1] for name, points in tracks.items()}
            total = shown(path)["totals"]["live_bytes"]
            self.assertEqual(ends.pop("all live bytes"), total)
            self.assertGreater(ends.pop("resident memory"), total)
            self.assertEqual(sum(ends.values()), total)
        self.assertEqual(len(ends), 2)

    def test_trace_format(self):
        """Checks the events used, counters and process names, against Google's "Trace Event Format"."""
        self.record("--interval=0.02", "-o", "a.rec", "--", "./sleeper")
        document = json.loads(dump("export", "--format=trace", work("sleeper/a.rec")).stdout)
        self.assertEqual(set(document), {"traceEvents"})
        for event in document["traceEvents"]:
            self.assertTrue(isinstance(event["name"], str) and event["name"])
            self.assertTrue(isinstance(event["pid"], int) and event["pid"] > 0)
            if event["ph"] == "M":
                self.assertEqual((set(event), event["name"]), ({"ph", "pid", "name", "args"}, "process_name"))
                self.assertIsInstance(event["args"]["name"], str)
                continue
            self.assertEqual((event["ph"], set(event)), ("C", {"ph", "pid", "name", "ts", "args"}))
            self.assertTrue(isinstance(event["ts"], int) and 0 <= event["ts"] < 2 ** 53)  # microseconds, as a double
            self.assertTrue(event["args"] and all(isinstance(value, int) for value in event["args"].values()))
        self.assertEqual([event["ph"] for event in document["traceEvents"]].count("M"), 1)

    def test_another_program(self):
        """A recording contains one program, and says that another one followed."""
        for name, source in ("short", SLEEPER.replace("150", "8")), \
                ("becomes", SLEEPER.replace("return 5;", 'return execl("./short", "./short", NULL);')):
            written(f"sleeper/{name}.c", source)
            subprocess.run([CC, "-g", f"{name}.c", "-o", name], check=True, cwd=work("sleeper"))
        result = self.record("--interval=0.02", "-o", "b.rec", "--", "./becomes")
        self.assertEqual(result.returncode, 5)
        self.assertIn("b.rec: ends here: the process runs another program now\n", result.stderr)
        self.assertGreater(shown(work("sleeper/b.rec"))["totals"]["allocs"], 8)
        os.unlink(work("sleeper/b.rec"))

    def test_bounded(self):
        result = self.record("--interval=0.01", "--max-size=4KiB", "-o", "small.rec", "--", "./sleeper")
        self.assertEqual(result.returncode, 5, result.stderr)
        path = work("sleeper/small.rec")
        self.assertLess(os.path.getsize(path), 4096)
        if "thinned" in result.stderr:
            self.assertGreater(history(path)["thinned"], 0)
            self.assertIn("thinned out", dump("report", path).stdout)

    def test_errors(self):
        for arguments, words in (
                (["-o", "b.rec", "--", "/bin/true"], "/bin/true: "),
                (["-o", "b.rec", "--", "./nothing"], "./nothing: No such file"),
                (["-o", "b.rec", "999999999"], "no such process"),
                (["-o", "nowhere/b.rec", "--", "./sleeper"], "nowhere/b.rec: No such file"),
                (["-o", "b.rec", "sleeper"], "is not the number of a process"),
                (["-o", "b.rec"], "needs a process"),
                (["1"], "no file to write"),
                (["-o", "b.rec", "--interval=0", "1"], "seconds from 0.01")):
            result = self.record(*arguments)
            self.assertIn(words, result.stderr)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertFalse(os.path.exists(work("sleeper/b.rec")))

    def test_wrong_moments(self):
        self.record("--interval=0.02", "--count=3", "-o", "c.rec", "--", "./sleeper")
        path = work("sleeper/c.rec")
        profile = written("empty", "{}")
        for source, words in ((path + "@1h", "has nothing at 3600.000 s"), (path + "@soon", "soon is not a time"),
                              (profile + "@1", "is not a recording")):
            result = dump("report", source)
            self.assertIn(words, result.stderr)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
        result = dump("report", "--history", work("empty"))
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
