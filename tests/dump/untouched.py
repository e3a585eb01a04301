# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that wait and work are unaffected by snapshots, taken from outside and by themselves."""
import os
import signal
import socket
import subprocess
import time
import unittest

from runs import CC, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
LARGE, SMALL = 96, 1  # MiB: large enough for a copy, and small enough to be read at once
# These cannot be restarted transparently: the thread waits with its own signal mask.
ALONE = {"epoll_pwait", "sigsuspend"}
BY_SIGNAL = {"epoll_signal", "epoll_pwait", "sigsuspend", "sigwait", "pause"}


class Untouched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = work("untouched")
        subprocess.run([CC, "-O1", "-g", "-pthread", "-I" + os.path.join(HERE, "../../rt/lib"),
                        os.path.join(HERE, "untouched.c"), "-o", cls.program], check=True)

    def start(self, deed, size, *more):
        here, there = socket.socketpair()
        process = subprocess.Popen([self.program, deed, str(size), *more], stdin=there, stdout=subprocess.PIPE, text=True,
                                   env={**os.environ, "ALLOCSITE_OPTIONS": "report=none"})
        there.close()
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process, here

    def end(self, process, here, deed):
        if deed in BY_SIGNAL:
            process.send_signal(signal.SIGUSR1)
        else:
            here.send(b"x")
        told = process.communicate(timeout=60)[0]
        here.close()
        self.assertEqual(process.returncode, 0)
        return told

    def take(self, process, deed):
        path = work(deed + ".graph")
        time.sleep(0.1)  # lets it reach the point where it waits
        result = dump("graph", str(process.pid), "-o", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        return path, result.stderr

    def check_graph(self, path, size):
        counts = dict(line.split("\t")[::-1] for line in dump("graph", "--counts", path).stdout.splitlines()[1:])
        self.assertEqual(counts["struct held"], str(size))

    def see(self, deed, size):
        process, here = self.start(deed, size)
        try:
            path, said = self.take(process, deed)
            told = self.end(process, here, deed)
        finally:
            process.kill()
            process.wait()
        self.check_graph(path, size)
        return told, said

    def test_large_processes_are_copied(self):
        for deed in ("read", "nanosleep", "epoll", "epoll_signal", "sigwait", "pause", "poll", "semop", "recv", "compute",
                     "timer", "storm", "queued", "wait", "threads"):
            with self.subTest(deed):
                told, said = self.see(deed, LARGE)
                self.assertEqual(said, "")
                self.assertRegex(told, r"\A(ready\n)?children \d+\n\Z")
                self.assertGreaterEqual(int(told.split()[-1]), LARGE)

    def test_small_processes_are_read_at_once(self):
        for deed in "read", "epoll", "epoll_signal", "recv", "sigsuspend", "epoll_pwait", "semop", "sigwait":
            with self.subTest(deed):
                self.assertEqual(self.see(deed, SMALL), ("children 0\n", ""))

    def test_where_none_can_be_made_it_is_said(self):
        for deed in ALONE:
            with self.subTest(deed):
                told, said = self.see(deed, LARGE)
                self.assertEqual(told, "children 0\n")
                self.assertRegex(said, r"\Aallocsite-dump: \d+: could not be forked, so it was stopped for longer: .*\n\Z")

    def test_snapshots_that_they_take_themselves(self):
        for deed in "read", "epoll", "epoll_pwait", "sigsuspend", "sigwait", "poll", "semop", "recv":
            with self.subTest(deed):
                path = work(deed + ".own")
                process, here = self.start(deed, SMALL, path)
                self.assertEqual(process.stdout.readline(), "taken\n")
                self.assertRegex(self.end(process, here, deed), r"\Achildren \d+\n\Z")

    def test_memory_that_children_do_not_get_is_read(self):
        process, here = self.start("read", LARGE)
        path, _ = self.take(process, "apart")
        self.end(process, here, "read")
        self.assertIn("\napart", "\n" + dump("graph", path, "why", "struct apart").stdout)


if __name__ == "__main__":
    unittest.main()
