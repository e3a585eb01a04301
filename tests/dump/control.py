# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump start, stop and reset on a program that allocates 10 blocks per input line and, if requested,
continuously in other threads."""
import json
import os
import subprocess
import unittest

from runs import CC, dump, work, written

SOURCE = """\
#ifdef STARTS
#include <allocsite.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
void *volatile kept;
static void *churn(void *unused) {
    for (;;) {
        void *volatile p = malloc(64); /* churned */
        free(p);
    }
    return unused;
}
__attribute__((noinline)) static void ten(void) { for (int i = 0; i < 10; i++) kept = malloc(1000); }
int main(int count, char **arguments) {
    char line[16];
    pthread_t thread;
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 1; i < count; i++)
        pthread_create(&thread, NULL, churn, arguments);
#ifdef STARTS
    if (count > 9)
        allocsite_start();
#endif
    do {
        puts("done");
        if (fgets(line, sizeof line, stdin) && line[0] == 'x')
            ten();
    } while (!feof(stdin));
}
"""


class Program:
    def __init__(self, options, *arguments, flags=()):
        written("program.c", SOURCE)
        subprocess.run([CC, *flags, "-O1", "-g", "-pthread", "program.c", "-o", "program"], check=True, cwd=work("."))
        self.process = subprocess.Popen(["./program", *arguments], cwd=work("."), text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        env={**os.environ, "ALLOCSITE_OPTIONS": "report=none:" + options})
        self.pid = str(self.process.pid)
        self.process.stdout.readline()

    def step(self):
        self.process.stdin.write("x\n")
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Control(unittest.TestCase):
    def do(self, command, pid, status=0, said=""):
        result = dump(command, pid)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertIn(said, result.stderr)

    def of(self, program, function="ten"):
        """Returns allocs, live and inherited blocks of the function; the report must obey the laws."""
        result = dump("report", "--format=json", program.pid)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for row in json.loads(result.stdout)["sites"]:
            if row["function"] == function:
                return row["allocs"], row["live_blocks"], row.get("inherited_blocks", 0)
        return 0, 0, 0

    def test_a_program_that_waits_for_its_start(self):
        for options in "stopped=1", "stopped=1:profile=%p.profile":
            with Program(options) as program:
                program.step()
                self.assertEqual(self.of(program), (0, 0, 0))
                self.do("start", "pid:" + program.pid)
                program.step()
                self.assertEqual(self.of(program), (10, 10, 0))
                self.do("stop", program.pid)
                self.do("stop", program.pid)
                program.step()
                self.assertEqual(self.of(program), (10, 10, 0))

    def test_a_reset_is_done_with_the_next_allocation(self):
        with Program("top=0") as program:
            program.step()
            self.do("reset", program.pid, 1, "its counters will be reset at its next event")
            program.step()
            self.assertEqual(self.of(program), (10, 20, 10))

    def test_threads_that_never_pause(self):
        with Program("top=0", "1", "2", "3") as program:
            for _ in range(20):
                self.do("stop", program.pid)
                self.do("start", program.pid)
                self.do("reset", program.pid)
                self.do("stop", program.pid)
                before = self.of(program, "churn")[0]
                # Each thread was counting at most one event.
                self.assertLessEqual(self.of(program, "churn")[0] - before, 3)
                self.do("start", program.pid)
            self.do("stop", program.pid)
            allocs, live, inherited = self.of(program, "churn")
            self.assertLessEqual(live, 3)
            self.assertLessEqual(inherited, 3)

    def test_a_program_that_could_start_itself(self):
        with Program("enabled=0", flags=["-DSTARTS", "-I" + os.path.join(os.path.dirname(__file__), "../../rt/lib")]) as program:
            program.step()
            self.do("stop", program.pid, 1, "counts nothing yet")
            self.do("reset", program.pid, 1, "counts nothing yet")
            self.do("start", program.pid)
            program.step()
            self.assertEqual(self.of(program), (10, 10, 0))
            self.do("stop", program.pid)
            program.step()
            self.assertEqual(self.of(program), (10, 10, 0))

    def test_impossible_requests(self):
        with Program("enabled=0") as program:
            self.do("start", program.pid, 1, "with stopped=1 it would wait for a start")
        with subprocess.Popen(["sleep", "100"]) as process:
            self.do("stop", str(process.pid), 1, "runs without the runtime of allocsite")
            process.kill()
        self.do("stop", "999999999", 1, "no such process")
        for arguments in ["start"], ["start", "x"], ["start", "pid:"], ["reset", "1", "file"]:
            self.assertEqual(dump(*arguments).returncode, 2)
        for command in "start", "stop", "reset":
            self.assertTrue(dump("help", command).stdout.startswith("usage: "))


if __name__ == "__main__":
    unittest.main()
