# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-run -p: a process that was started without the runtime is counted for a while. The program keeps its own
books (attach_program.c)."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

from runs import work, written
from top import Terminal

RUN = os.path.join(os.path.dirname(os.environ["DUMP"]), "allocsite-run")
CC, CXX = os.environ["PLAIN_CC"], os.environ["PLAIN_CXX"]
SOURCE = os.path.join(os.path.dirname(__file__), "attach_program.c")
OPENED = """#include <stdlib.h>
void *opened_alloc(size_t n) { return malloc(n); }
void opened_free(void *p) { free(p); }
"""
OBSERVER = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
void *malloc(size_t n) {
    static void *(*next)(size_t);
    if (!next)
        next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    return next(n);
}
"""
SYSTEM_CALLS_FILTERED = """#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
int main(void) {
    struct sock_filter allow[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {1, allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    puts("ready");
    fflush(stdout);
    pause();
}
"""
OWN_MALLOC = """#include <stddef.h>
#include <unistd.h>
static char heap[1 << 20];
static size_t used;
void *malloc(size_t n) { used += n + 15 & -16; return heap + used - (n + 15 & -16); }
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *p, size_t n) { (void)p; return malloc(n); }
int main(void) { (void)!write(1, "ready\\n", 6); pause(); }
"""
PAUSES = '#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts("ready"); fflush(stdout); pause(); }\n'


def built(name, source, *flags, compiler=CC):
    if not os.path.exists(source):
        source = written(name + ".c", source)
    language = ["-x", "c++", "-std=c++17"] if compiler == CXX else []
    subprocess.run([compiler, "-O1", "-g", "-w", *language, source, "-o", work(name), "-pthread", *flags], check=True, cwd=work("."))
    return work(name)


class Program:
    """A process that executes commands."""

    def __init__(self, path, *arguments, environment=None):
        self.process = subprocess.Popen([path, *arguments], cwd=work("."), text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
        self.pid = self.process.pid

    def do(self, commands):
        for command in commands:
            self.process.stdin.write(command)
            self.process.stdin.flush()
            books = self.process.stdout.readline()
        return [int(word) for word in books.split()]

    def end(self):
        """Returns its last output, standard error and exit status."""
        self.process.stdin.close()
        result = self.process.stdout.read(), self.process.stderr.read(), self.process.wait(timeout=30)
        self.process.stdout.close()
        self.process.stderr.close()
        return result

    def runtime_words(self):
        """The number of words in the data of modules, except the runtime, that are addresses in its code."""
        maps = [re.split(r"\s+", line.strip(), maxsplit=5) for line in open(f"/proc/{self.pid}/maps")]
        spans = [([int(a, 16) for a in m[0].split("-")], m[1], m[5] if len(m) > 5 else "") for m in maps]
        code = [span for span, flags, path in spans if "liballocsite" in path and "x" in flags]
        words = 0
        with open(f"/proc/{self.pid}/mem", "rb") as memory:
            for (begin, end), flags, path in spans:
                if not path.startswith("/") or "liballocsite" in path or "memfd" in path or "x" in flags:
                    continue
                memory.seek(begin)
                data = memoryview(memory.read(end - begin)).cast("Q")
                words += sum(any(low <= word < high for low, high in code) for word in data)
        return words


class Tool:
    """allocsite-run -p, from the moment at which it counts."""

    def __init__(self, program, *options, prefix=()):
        self.out = work(f"{program.pid}.json")
        self.process = subprocess.Popen([*prefix, RUN, "-p", str(program.pid), "-o", self.out, *options], text=True,
                                        stderr=subprocess.PIPE)
        self.said = self.process.stderr.readline()

    def end(self, number=signal.SIGINT):
        """Interrupts it, and returns its report."""
        if number:
            self.process.send_signal(number)
        rest = self.process.stderr.read()
        self.process.stderr.close()
        assert self.process.wait(timeout=60) == 0 and not rest, self.said + rest
        with open(self.out) as file:
            return json.load(file)


def sums(report):
    """In the order of the program's books; the report must obey the laws."""
    t = report["totals"]
    assert report["exact"], report["inexact_reasons"]
    assert t["allocs"] + t["reallocs"] == t["frees"] + t["moved"] + t["live_blocks"], t
    assert t["alloc_bytes"] + t["realloc_bytes"] == t["freed_bytes"] + t["moved_bytes"] + t["live_bytes"], t
    assert not report.get("faults"), report["faults"]
    for name in "allocs", "alloc_bytes", "reallocs", "realloc_bytes", "frees", "moved":
        assert sum(site[name] for site in report["sites"]) == t[name], name
    return [t[name] for name in ("allocs", "alloc_bytes", "reallocs", "realloc_bytes", "frees", "moved")]


class Attach(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        built("opened.so", OPENED, "-shared", "-fPIC")
        built("observer.so", OBSERVER, "-shared", "-fPIC")
        cls.c = built("program", SOURCE)
        cls.lazy = built("lazy", SOURCE, "-no-pie", "-Wl,-z,lazy")
        cls.cxx = built("cxx", SOURCE, compiler=CXX)

    def refused(self, pid, said, *options, prefix=()):
        result = subprocess.run([*prefix, RUN, "-p", str(pid), *options], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(said, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def counted_twice(self, path, *arguments, environment=None):
        program = Program(path, *arguments, environment=environment)
        program.do("a")
        for commands in "oa", "aa" + "t" * 20 + "da":
            tool = Tool(program)
            program.do("0")
            books = program.do(commands)
            self.assertGreater(program.runtime_words(), 3)
            self.assertEqual(self.unopened(tool.end(), commands), books)
            self.assertEqual(program.runtime_words(), 0)
            program.do("adf")
        self.assertEqual(program.end(), ("bye\n", "", 3))

    def unopened(self, report, commands):
        """The sums without what the dynamic loader allocates for dlopen."""
        found = sums(report)
        if "d" in commands:
            ours = [site for site in report["sites"] if "ld-linux" not in site["module"]]
            found = [sum(site[name] for site in ours) for name in ("allocs", "alloc_bytes", "reallocs", "realloc_bytes", "frees", "moved")]
        return found

    def test_counts_are_the_programs_books(self):
        self.counted_twice(self.c)

    def test_lazy_binding(self):
        self.counted_twice(self.lazy, environment={"LD_BIND_NOT": ""})

    def test_operators(self):
        self.counted_twice(self.cxx, "2")

    def test_threads_and_signals(self):
        self.counted_twice(self.c, "8", "signals")

    def test_another_malloc_in_front(self):
        self.counted_twice(self.c, environment={"LD_PRELOAD": work("observer.so")})

    def test_the_process_ends_meanwhile(self):
        for command, status in ("e", 5), ("u", 6), ("k", -signal.SIGABRT), ("", 3):
            with self.subTest(command):
                program = Program(self.c)
                tool = Tool(program)
                program.do("0")
                books = program.do("a")
                program.process.stdin.write(command)
                self.assertEqual(program.end(), ("" if command else "bye\n", "", status))
                self.assertEqual(sums(tool.end(0)), books)

    def test_the_process_executes_another_program(self):
        program = Program(self.c)
        tool = Tool(program)
        program.do("0")
        books = program.do("a")
        program.process.stdin.write("x")
        program.process.stdin.flush()
        self.assertEqual(sums(tool.end(0)), books)
        program.process.stdin.write("said by cat\n")
        self.assertEqual(program.end(), ("said by cat\n", "", 0))

    def test_a_forked_child_is_not_counted(self):
        program = Program(self.c, "2", environment={"ALLOCSITE_OPTIONS": "report=stderr:enabled=0"})
        tool = Tool(program)
        program.do("0")
        books = program.do("aof")
        self.assertEqual(sums(tool.end()), books)
        program.do("fa")
        self.assertEqual(program.end(), ("bye\n", "", 3))

    def test_ends(self):
        program = Program(self.c)
        for number in signal.SIGTERM, signal.SIGHUP:
            tool = Tool(program)
            program.do("0")
            self.assertEqual(sums(Tool.end(tool, number)), program.do("0"))
        begun = time.time()
        self.assertEqual(sums(Tool(program, "--for=1s").end(0))[0], 0)
        self.assertGreater(time.time() - begun, 1)
        self.assertEqual(program.end(), ("bye\n", "", 3))

    def test_a_killed_tool_is_succeeded(self):
        program = Program(self.c, "4")
        tool = Tool(program)
        program.do("at")
        self.refused(program.pid, "is counted by another allocsite-run")
        tool.process.kill()
        tool.process.wait()
        tool.process.stderr.close()
        self.assertGreater(program.runtime_words(), 3)
        tool = Tool(program)
        program.do("0")
        books = program.do("at")
        self.assertEqual(sums(tool.end()), books)
        self.assertEqual(program.runtime_words(), 0)
        self.refused(program.pid, "other options", "--pairs")
        self.assertEqual(program.end(), ("bye\n", "", 3))

    def test_formats_and_views(self):
        program = Program(self.c)
        profile = work("attached.profile")
        tool = subprocess.Popen([RUN, "-p", str(program.pid), "--pairs", "--leaks", "-o", profile], text=True, stderr=subprocess.PIPE)
        tool.stderr.readline()
        program.do("0")
        books = program.do("a")
        tool.send_signal(signal.SIGINT)
        self.assertEqual((tool.communicate()[1], tool.returncode), ("", 0))
        result = subprocess.run([os.environ["DUMP"], "report", "--format=json", profile], capture_output=True, text=True, check=True)
        self.assertEqual(sums(json.loads(result.stdout)), books)
        self.assertIn("allocate (program)", subprocess.run([os.environ["DUMP"], "report", profile], capture_output=True, text=True).stdout)
        self.assertEqual(program.end(), ("bye\n", "", 3))

    def test_a_copied_address_makes_the_report_inexact(self):
        program = Program(self.c)
        program.do("c")
        tool = Tool(program)
        program.do("m")
        report = tool.end()
        self.assertFalse(report["exact"])
        self.assertEqual(len(report["inexact_reasons"]), 1)
        self.assertRegex(report["inexact_reasons"][0], "reached the malloc of .*libc.so.6 past allocsite's")
        self.assertFalse(report.get("faults"))
        self.assertEqual(program.end(), ("bye\n", "", 3))

    def test_a_live_screen(self):
        program = Program(self.c, "4")
        for keys, number in ("q", None), ("", signal.SIGINT):
            with self.subTest(keys):
                out = work("live.json")
                screen = Terminal(RUN, "-p", str(program.pid), "--live", "-o", out)
                screen.expect("counting in process")
                screen.expect("still running")
                program.do("0")
                books = program.do("at")
                screen.expect("allocate")
                screen.send(keys)
                if number:
                    os.kill(screen.pid, number)
                self.assertEqual(screen.status(), 0)
                self.assertIn("\x1b[?1049l", screen.seen, "the terminal is as it was")
                with open(out) as file:
                    self.assertEqual(sums(json.load(file)), books)
                self.assertEqual(program.runtime_words(), 0)
        self.assertEqual(program.end(), ("bye\n", "", 3))

    def test_attached_again_and_again(self):
        """Threads are never idle, and signals arrive. The threads free all blocks, so the process does not grow."""
        busy = open(SOURCE).read().replace("pthread_barrier_wait(&begin);\n        work", "work")
        written("churn.c", busy.replace("pthread_barrier_wait(&end);\n    }\n}", "}\n}").replace("if (i % 4)\n", ""))
        program = Program(built("churn", work("churn.c")), "8", "signals")
        for _ in range(25):
            sums(Tool(program, "--for=0.02").end(0))
        self.assertEqual(program.runtime_words(), 0)
        program.process.kill()
        program.end()

    def ready(self, path, prefix=()):
        process = subprocess.Popen([*prefix, path], stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process.pid

    def test_refusals(self):
        pauses = built("pauses", PAUSES)
        self.refused(self.ready(built("static", PAUSES, "-static")), "is linked statically")
        self.refused(self.ready(built("filtered", SYSTEM_CALLS_FILTERED)), "seccomp")
        self.refused(self.ready(built("own_malloc", OWN_MALLOC)), "has a malloc of its own in its executable")
        self.refused(os.getpid(), "--stacks=N takes", "--stacks=x")
        self.refused(999999999, "no such process")
        pid = self.ready(pauses)
        os.kill(pid, signal.SIGSTOP)
        self.refused(pid, "is stopped")
        counted = subprocess.Popen([RUN, "-o", "/dev/null", pauses], stdout=subprocess.PIPE, text=True)
        self.assertEqual(counted.stdout.readline(), "ready\n")
        child = int(open(f"/proc/{counted.pid}/task/{counted.pid}/children").read().split()[0])
        for option in "--for=1", "--stacks=3":
            result = subprocess.run([RUN, "-p", str(child), option], capture_output=True, text=True)
            self.assertIn("has the runtime", result.stderr)
        self.assertEqual(subprocess.run([RUN, "-p", str(child)], capture_output=True).returncode, 0)
        os.kill(child, signal.SIGKILL)
        counted.communicate()
        for arguments in ["--for=1", "ls"], ["--for=0", "-p", str(pid)], ["--for=", "-p", str(pid)], ["--for=s", "-p", str(pid)]:
            self.assertEqual(subprocess.run([RUN, *arguments], capture_output=True).returncode, 125)

    @unittest.skipIf(os.geteuid(), "only the superuser can be another user")
    def test_other_users(self):
        nobody = ["setpriv", "--reuid=65534", "--clear-groups"]
        pauses = built("pauses", PAUSES)
        self.refused(self.ready(pauses), "belongs to another user", prefix=nobody)
        privileged = built("privileged", PAUSES)
        os.chown(privileged, 65534, 65534)
        os.chmod(privileged, 0o4755)
        self.refused(self.ready(privileged), "has gained privileges")
        daemon = ["setpriv", "--reuid=1", "--clear-groups"]
        self.refused(self.ready(privileged, prefix=daemon), "belongs to another user", prefix=daemon)

    @unittest.skipIf(subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode, "no mount namespaces")
    def test_other_mounts(self):
        folder = os.path.join(os.path.dirname(os.path.dirname(RUN)), "lib")
        hide = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs none {folder} && exec $0"]
        self.refused(self.ready(built("pauses", PAUSES), hide), "has another root directory or mounts")


if __name__ == "__main__":
    unittest.main()
