# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-run: commands as users run them, with known allocations."""
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest

from runs import CC, DUMP, pipe_reader, work, written

RUN = os.path.join(os.path.dirname(DUMP), "allocsite-run")
PLAIN_CC = os.environ["PLAIN_CC"]
# Each process allocates 7 blocks of 1000 bytes.
SEVEN = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
void *volatile kept;
__attribute__((noinline)) void *seven(void) { for (int i = 0; i < 7; i++) kept = malloc(1000); return kept; }
int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "";
    seven();
    if (!strcmp(how, "fork") && fork() == 0) { seven(); _exit(0); }
    if (!strcmp(how, "exec")) execlp(arguments[0], arguments[0], "end", NULL);
    if (!strcmp(how, "kill")) abort();
    if (!strcmp(how, "fault")) *(volatile int *)8 = 1;
    if (!strcmp(how, "call")) syscall(SYS_exit_group, 3);
    if (!strcmp(how, "thread")) syscall(SYS_exit, 3);
    if (!strcmp(how, "wait")) { write(1, "ready\\n", 6); pause(); }
    while (wait(NULL) > 0) continue;
    return 3;
}
"""


def run(*arguments, **options):
    return subprocess.run([RUN, *arguments], capture_output=True, text=True, timeout=60, **options)


def built(name="seven", compiler=PLAIN_CC, *flags):
    source, path = written("programs/seven.c", SEVEN), work("programs/" + name)
    subprocess.run([compiler, "-g", "-O1", source, "-o", path, *flags], check=True)
    return path


def sevens(report):
    """Returns how often the seven blocks were allocated, and whether each row of them has a function."""
    rows = [row for row in report["sites"] if row["alloc_bytes"] and row["alloc_bytes"] == 1000 * row["allocs"]]
    return sum(row["allocs"] for row in rows) / 7, {row["function"] for row in rows}


class Commands(unittest.TestCase):
    def counted(self, *command, status=0, **options):
        """Returns the report of the command in JSON."""
        path = work("report.json")
        result = run("-o", path, "--", *command, **options)
        self.assertEqual((result.returncode, result.stderr), (status, ""))
        with open(path) as file:
            report = json.load(file)
        os.unlink(path)
        return report

    def test_a_program_without_symbols(self):
        """The report says which package or server has them: with the lists of dpkg in a system root, the package."""
        stripped, profile = built("stripped", PLAIN_CC, "-s"), work("stripped.profile")
        run("-o", profile, "--", stripped)
        root = work("root")
        shutil.copytree(os.path.dirname(stripped), root + os.path.dirname(stripped), dirs_exist_ok=True)
        written("root/var/lib/dpkg/info/other.list", stripped + ".old\n")
        for package, path, wanted in ((None, "", "a build without -s"), ("seven1:amd64", stripped, "seven1-dbgsym"),
                                      ("seven1.0", "/usr" + stripped, "seven1.0-dbgsym")):
            if package:
                written(f"root/var/lib/dpkg/info/{package}.list", f"/.\n{path}\n")
            text = subprocess.run([DUMP, "report", "--sysroot=" + root, profile], capture_output=True, text=True, check=True).stdout
            self.assertIn(f"names: 100.0% of the calls pass through stripped, which has no symbols; {wanted} or DEBUGINFOD_URLS would name its functions\n", text)
            if package:
                os.unlink(work(f"root/var/lib/dpkg/info/{package}.list"))
        self.assertNotIn("names: ", run("--", built()).stderr)
        self.assertNotIn("names: ", run("--", built("exporting", PLAIN_CC, "-rdynamic", "-s")).stderr)

    def test_a_program_without_the_plugin(self):
        """The allocation of libstdc++ is known, but not from the plugin."""
        text = run("--", built("linked", PLAIN_CC, "-Wl,--no-as-needed", "-lstdc++")).stderr
        self.assertIn("\nlines: 1 place, from symbols", text)
        self.assertIn(" reserve for exceptions", text)

    def test_processes_of_all_kinds(self):
        seven = built()
        for command, times, status in (
                ([seven], 1, 3), ([seven, "fork"], 2, 3), ([seven, "exec"], 2, 3), ([seven, "kill"], 1, 134),
                (["sh", "-c", f"{seven}; {seven} exec; exit 9"], 3, 9),
                (["sh", "-c", f"({seven} & exec {seven}) & true"], 2, 0),
                (["sh", "-c", f"exec {seven}"], 1, 3),
                ([sys.executable, "-c", f"import subprocess; subprocess.call(['{seven}', 'fork'])"], 2, 0)):
            self.assertEqual(sevens(self.counted(*command, status=status)), (times, {"seven"}), command)

    def test_how_they_ended(self):
        seven = built()
        for how, ending in (("exec", "exit"), ("kill", "signal"), ("fault", "signal"), ("end", "exit"), ("call", "exit"),
                            ("thread", "exit")):
            status = {"kill": 134, "fault": 139}.get(how, 3)
            report = self.counted("sh", "-c", f"exec {seven} {how}", status=status)
            self.assertEqual((report["processes"], report["finished"], report.get("unfinished"), report.get("killed")),
                             (3 if how == "exec" else 2, ending == "exit", int(ending != "exit"), 1 if ending != "exit" else None))
        for how in "call", "thread":  # every Go program ends this way
            report = self.counted(seven, how, status=3)
            self.assertEqual((report["finished"], report["run"]["ending"], report["run"]["status"]), (True, "exit_group", 3))
            self.assertGreaterEqual(report["run"]["ended_ms"], report["run"]["begun_ms"])
            self.assertRegex(run(seven, how).stderr, r"\nran: \S+seven \w+; \d{4}-.* UTC for \d\.\d+ s, ended with status 3\n")
        self.assertRegex(run(seven, "fault").stderr, r"\nran: \S+seven \w+; from .*, killed by SIGSEGV\n")
        self.assertRegex(run("sh", "-c", f"exec {seven} fault").stderr,
                         r"2 processes, 1 of them did not end by exit \(1 killed by a signal\)\n")

    def test_a_script_and_make(self):
        seven = built()
        script = written("script", f"#!/bin/sh\n{seven}\nexit 4\n")
        os.chmod(script, 0o755)
        self.assertEqual(sevens(self.counted(script, status=4))[0], 1)
        written("make/Makefile", f"all: one two\none two:\n\t-@{seven}\n")
        if shutil.which("make"):
            result = run("-o", work("report.csv"), "make", "-s", "-j2", "-C", work("make"))
            self.assertEqual(result.returncode, 0)
            with open(work("report.csv")) as file:
                rows = [line.split(",") for line in file if ",\"seven\"," in line]
            self.assertEqual(len(rows), 1)

    def test_parts_that_were_built_with_the_plugin_have_sites(self):
        rows = [row for row in self.counted(built("sited", CC), status=3)["sites"] if row["sited"]]
        self.assertEqual([(os.path.basename(row["file"]), row["allocs"]) for row in rows], [("seven.c", 7)])

    def test_the_users_own_options_and_preloads_hold(self):
        report = self.counted(built(), status=3, env={**os.environ, "ALLOCSITE_OPTIONS": "pairs=1",
                                                      "LD_PRELOAD": "libm.so.6"})
        self.assertIn("pairs", report)

    def test_stacks(self):
        path = work("stacks.profile")
        self.assertEqual(run("--stacks=4", "-o", path, built()).returncode, 3)
        tree = subprocess.run([DUMP, "report", "--tree", path], capture_output=True, text=True, check=True).stdout
        self.assertRegex(tree, r"(?s)seven.*main")
        for arguments, said in (["--stacks=0"], "none were kept; "), (["--stacks=4"], "up to 4 frames\n"), ([], "up to 16 frames\n"):
            self.assertIn("\npaths: " + said, run(*arguments, built()).stderr)

    def test_where_the_report_goes(self):
        options = "--top=1", "--by=function"
        self.assertRegex(run(*options, "-o", "-", built()).stdout, r"100\.0% +7 ")
        self.assertEqual(run(*options, f"--output={work('report.md')}", built()).returncode, 3)
        with open(work("report.md")) as file:
            self.assertIn("| 100.0% |", file.read())

    def test_a_pipe_is_written_to(self):
        reader = pipe_reader("report.pipe")
        self.assertEqual(run("--top=1", "--by=function", "-o", work("report.pipe"), built()).returncode, 3)
        self.assertRegex(reader.communicate()[0].decode(), r"100\.0% +7 ")
        os.unlink(work("report.pipe"))

    def test_forms_to_look_at(self):
        os.makedirs(work("page"), exist_ok=True)
        self.assertEqual(run("--html", built(), cwd=work("page")).returncode, 3)
        self.assertEqual(run("-o", "app.pb.gz", "--html", "-o", "other", built(), cwd=work("page")).returncode, 3)
        for name in "allocsite.html", "other":
            with open(work(f"page/{name}")) as file:
                self.assertRegex(file.read(), "^<!doctype html>")
        self.assertEqual(run("-o", "app.pb.gz", built(), cwd=work("page")).returncode, 3)
        with open(work("page/app.pb.gz"), "rb") as file:
            self.assertEqual(file.read(2), b"\x1f\x8b")

        self.assertEqual(run("-o", "app.sarif", built(), cwd=work("page")).returncode, 3)
        with open(work("page/app.sarif")) as file:
            self.assertEqual(json.load(file)["version"], "2.1.0")

    def test_a_report_that_fails_loses_nothing(self):
        os.makedirs(work("kept"), exist_ok=True)
        good = written("good.txt", "good")
        known = written("known.txt", "")
        result = run("--leaks", "--suppress=" + known, "-o", good, "sh", "-c", f"echo wrong > {known}; exec {built()}",
                     env={**os.environ, "TMPDIR": work("kept")})
        self.assertEqual(result.returncode, 3)
        folder, = os.listdir(work("kept"))
        self.assertIn(f"allocsite-run: {work('kept')}/{folder}: contains the profiles", result.stderr)
        shown = [subprocess.run([DUMP, "report", work(f"kept/{folder}/{name}")], capture_output=True, text=True).stdout
                 for name in os.listdir(work(f"kept/{folder}")) if name[0] != "."]
        self.assertEqual(sum("6.8 KiB in 7 allocations" in text for text in shown), 1)
        with open(good) as file:
            self.assertEqual(file.read(), "good")
        shutil.rmtree(work("kept"))

    def test_the_command_counts_what_the_report_needs(self):
        for option in "--tree", "--by=stack", "--by=caller", "--focus=main", "--pairs", "--by=freed", "--events", "--sizes", "--lifetime":
            result = run(option, built())
            self.assertEqual(result.returncode, 3, option)
            self.assertNotIn("allocsite-run: ", result.stderr, option)

    def test_nothing_is_refused_after_the_command_has_run(self):
        for option in "--history", "--growth", "--at=1s", "--suppress=/nowhere", "--output=/nowhere/x", "--inclusive":
            result = run(option, "touch", work("has_run"))
            self.assertEqual((result.returncode, os.path.exists(work("has_run"))), (125, False), option)
            self.assertEqual(result.stderr.count("\n"), 1, option)

    def test_a_directory_that_cannot_be_written(self):
        os.makedirs(work("sealed/x"), exist_ok=True)
        os.chmod(work("sealed/x"), 0o555)
        result = run(built(), cwd=work("sealed/x"))
        self.assertEqual(result.returncode, 3)
        self.assertIn("6.8 KiB in 7 allocations", result.stderr)
        self.assertEqual(os.listdir(work("sealed/x")), [])

    def test_nothing_is_left_behind(self):
        os.makedirs(work("temporary"), exist_ok=True)
        environment = {**os.environ, "TMPDIR": work("temporary")}
        for command in [built()], ["/nowhere"], [built(), "kill"]:
            run(*command, env=environment)
            self.assertEqual(os.listdir(work("temporary")), [])

    def test_a_closed_pipe_ends_the_report_alone(self):
        os.makedirs(work("closed"), exist_ok=True)
        closed, pipe = os.pipe()
        os.close(closed)
        result = subprocess.run([RUN, built()], stderr=pipe, env={**os.environ, "TMPDIR": work("closed")})
        os.close(pipe)
        self.assertEqual((result.returncode, os.listdir(work("closed"))), (3, []))

    def test_an_interrupt_is_the_commands_and_the_report_comes(self):
        for number, status in (signal.SIGINT, 130), (signal.SIGTERM, 143):
            with subprocess.Popen([RUN, built(), "wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  start_new_session=True) as process:
                process.stdout.readline()
                if number == signal.SIGINT:  # as a terminal sends it
                    os.killpg(process.pid, number)
                else:
                    process.send_signal(number)
                self.assertIn("6.8 KiB in 7 allocations", process.communicate(timeout=30)[1])
                self.assertEqual(process.returncode, status)


class Refused(unittest.TestCase):
    def check(self, status, said, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        self.assertTrue(result.stderr.startswith("allocsite-run: "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(said, result.stderr)

    def test_commands_that_cannot_be_started(self):
        self.check(127, "No such file", work("nowhere"))
        self.check(126, "Permission denied", written("not-executable", "x"))

    def test_wrong_usage(self):
        for said, *arguments in (["no command"], ["no command", "--"], ["up to 64", "--stacks=65", "true"], ["--stacks=0 keeps none", "--stacks=0", "--tree", "true"],
                                 ["did you mean --leaks", "--leeks", "true"], ["needs a file", "-o"],
                                 ["number of a process", "-p", "x"], ["both", "-p", "1", "true"],
                                 ["No such file", "-o", work("nowhere") + "/x", "true"],
                                 ["--format and --leaks exclude each other", "--leaks", "-o", "x.pb.gz", "true"],
                                 ["there is no terminal", "--live", "true"], ["--live has no value", "--live=3", "true"]):
            self.check(125, said, *arguments, start_new_session=True)

    def test_commands_that_preloading_cannot_reach(self):
        static = built("static", PLAIN_CC, "-static")
        self.check(3, "is linked statically", static)
        script = written("of-static", f"#!{static}\n")
        os.chmod(script, 0o755)
        self.check(3, "is linked statically", script)

    def test_a_program_that_is_executed_without_the_runtime(self):
        seven, static = built(), built("static", PLAIN_CC, "-static")
        script = f"{seven}; env -i {seven}; {static} & wait; {seven} exec; exit 0"
        for command, unseen in (["env", "-i", seven], 1), (["sh", "-c", script], 2), (["env", seven], 0), ([seven, "exec"], 0):
            result = run("--top=1", *command)
            found = re.findall(r"(\d+) process(?:es)? executed a program that is not counted", result.stderr)
            self.assertEqual(found, [str(unseen)] if unseen else [], (command, result.stderr))

    @unittest.skipIf(os.getuid(), "only root makes programs of others")
    def test_a_program_that_gains_rights(self):
        path = built("gaining")
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o6755)
        self.check(3, "gains privileges", path)


class Processes(unittest.TestCase):
    def test_a_running_process(self):
        preloaded = {**os.environ, "LD_PRELOAD": os.path.join(os.path.dirname(DUMP), "../lib/liballocsite.so"),
                     "ALLOCSITE_OPTIONS": "report=none"}
        with subprocess.Popen([built(), "wait"], stdout=subprocess.PIPE, env=preloaded) as process:
            try:
                process.stdout.readline()
                result = run("-p", str(process.pid))
            finally:
                process.kill()
        self.assertEqual(result.returncode, 0)
        self.assertIn("6.8 KiB in 7 allocations", result.stderr)


class Screen(unittest.TestCase):
    """On a terminal, together with the command's output."""

    def test_a_screen_while_it_runs_and_then_output_and_report(self):
        command = f"echo hidden; {built()} fork; {built()}; sleep 2"
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(RUN, [RUN, "--live", "sh", "-c", command], {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"})
        seen, end = b"", time.monotonic() + 30
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            seen += part
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        screen, rest = seen.split(b"\x1b[?1049l")
        self.assertIn(b"q quit", screen)
        self.assertIn(b"allocs/s", screen)
        self.assertNotIn(b"hidden", screen)
        self.assertIn(b"hidden", rest)
        self.assertIn(b"total: ", rest)


if __name__ == "__main__":
    unittest.main()
