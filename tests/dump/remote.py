# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump on running processes, mostly without a profile: reports equal the processes' counts."""
import json
import os
import signal
import subprocess
import time
import unittest

from runs import CC, DUMP, dump, work, written

HERE = os.path.dirname(os.path.abspath(__file__))
NOBODY = 65534
PR_SET_DUMPABLE = 4

# "taken" is inlined twice.
SOURCE = """\
#include <allocsite.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept[1000];
static void *taken(size_t size) { return malloc(size); }
static void *first(void *unused) { for (int i = 0; i < 500; i++) kept[i] = taken(10); return unused; }
static void *second(void *unused) { for (int i = 500; i < 1000; i++) kept[i] = realloc(taken(20), 40); return unused; }
static void step(void *(*work)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}
int main(void) {
    allocsite_phase_push("steps");
    step(first);
    step(second);
    allocsite_phase_pop();
    for (int i = 0; i < 300; i++)
        free(kept[i]);
    puts("ready");
    fflush(stdout);
    return (int)read(0, &(char){0}, 1); /* which allocates nothing */
}
"""
TAKEN = SOURCE[:SOURCE.index("*taken")].count("\n") + 1


def compiled(source, name, *flags):
    """Builds in a separate folder, where the source is program.c."""
    written(f"{name}/program.c", source)
    interface = "-I" + os.path.join(HERE, "../../rt/lib")
    subprocess.run([CC, "-O2", "-g", "-pthread", "-fallocsite-contexts=0", interface, "program.c", "-o", "program", *flags], check=True,
                   cwd=work(name))
    return work(f"{name}/program")


class Process:
    """Runs until its standard input ends, without a profile unless an option requests one."""

    def __init__(self, command, options="report=none", **others):
        command = [command] if isinstance(command, str) else command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "ALLOCSITE_OPTIONS": options}, **others)
        self.said = self.process.stdout.readline()
        self.pid, self.source = self.process.pid, f"pid:{self.process.pid}"

    def end(self):
        self.process.communicate()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.end()


def report(*sources):
    """Returns a report, which must obey the laws."""
    result = dump("report", "--format=json", *sources)
    if (result.returncode, result.stderr) != (0, ""):
        raise AssertionError(f"{result.returncode} {result.stderr}")
    return json.loads(result.stdout)


def of(document, function, callee="malloc"):
    """Returns the site in the function, or inlined into it."""
    site, = [site for site in document["sites"] if site["sited"] and site["callee"] == callee
             and function in [site["function"], *(place["function"] for place in site["inlined"])]]
    return site


def strip(path):
    subprocess.run(["strip", path], check=True)


class Same(unittest.TestCase):
    def assert_counted(self, document):
        self.assertEqual((document["exact"], document["inexact_reasons"], document["finished"]), (True, [], False))
        for function, numbers in ("first", (500, 0, 300, 0, 200, 2000)), ("second", (500, 0, 0, 500, 0, 0)):
            site = of(document, function)
            self.assertEqual(tuple(site[name] for name in ("allocs", "reallocs", "frees", "moved", "live_blocks",
                                                           "live_bytes")), numbers)
            self.assertEqual((site["function"], site["line"], len(site["inlined"])), ("taken", TAKEN, 1))
        site = of(document, "second", "realloc")
        self.assertEqual((site["reallocs"], site["realloc_bytes"], site["live_bytes"]), (500, 20000, 20000))

    def test_as_its_profile(self):
        path = compiled(SOURCE, "profiled")
        for more in "", ":pairs=1:sizes=1", ":lifetime=1":
            with Process(path, f"report=none:profile={work('removed.profile')}{more}") as process:
                by_profile, by_pid = report(work("removed.profile")), report(process.source)
                os.unlink(work("removed.profile"))
                self.assertEqual(by_pid, by_profile)
                self.assertEqual(report(process.source), by_profile)
                self.assert_counted(by_profile)

    def test_builds(self):
        builds = {"plain": (), "static": ("-static",), "static-pie": ("-static-pie",), "no-pie": ("-no-pie",),
                  "sections": ("-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")}
        for name, flags in builds.items():
            for is_stripped in False, True:
                with self.subTest(name=name, is_stripped=is_stripped):
                    path = compiled(SOURCE, name, *flags)
                    if is_stripped:
                        strip(path)
                    with Process(path) as process:
                        document = report(process.source)
                        self.assertEqual((document["program"], document["pid"]), (path, process.pid))
                        self.assert_counted(document)

    def test_a_file_that_is_removed(self):
        path = compiled(SOURCE, "gone")
        with Process(path) as process:
            os.unlink(path)
            self.assert_counted(report("--no-symbols", process.source))

    def test_many_sites_and_threads(self):
        functions = 5000
        source = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        source += "static _Thread_local void *volatile kept;\n"
        for i in range(functions):
            source += f"static void f{i}(void) {{ kept = malloc({i + 1}); free(kept); }}\n"
        source += f"static void (*const all[])(void) = {{{', '.join(f'f{i}' for i in range(functions))}}};\n"
        source += f"""static pthread_barrier_t barrier;
static void *work(void *unused) {{
    for (int i = 0; i < {functions}; i++) all[i]();
    pthread_barrier_wait(&barrier);
    return unused;
}}
int main(void) {{
    pthread_t threads[8];
    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    puts("ready");
    fflush(stdout);
    getchar();
}}
"""
        lines = [line.partition(" {")[0] for line in source.splitlines()]
        with Process(compiled(source, "many")) as process:
            sites = {site["function"]: site for site in report(process.source)["sites"] if site["sited"]}
            for i in range(functions):
                site = sites[f"f{i}"]
                self.assertEqual((site["allocs"], site["alloc_bytes"], site["frees"], site["line"]),
                                 (8, 8 * (i + 1), 8, lines.index(f"static void f{i}(void)") + 1))

    def test_the_end_while_it_is_read(self):
        """Either all sites have their names, or there is no report."""
        calls = "\n".join(["    kept = malloc(8);"] * 3000)
        path = compiled(f"""\
#include <stdio.h>
#include <stdlib.h>
static void *volatile kept;
int main(void) {{
{calls}
    puts("ready");
    fflush(stdout);
    return getchar();
}}
""", "ending")
        for wait in range(20):
            with Process(path) as process:
                with subprocess.Popen([DUMP, "report", "--top=1", "--no-symbols", process.source], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) as reader:
                    time.sleep(wait / 1000)
                    process.process.kill()
                    shown, _ = reader.communicate()
            self.assertNotIn("could not be read", shown)

    def test_a_library_that_is_closed(self):
        written("library/library.c", "#include <stdlib.h>\nvoid *opened(void) { return malloc(33); }\n")
        subprocess.run([CC, "-O2", "-g", "-fallocsite-contexts=0", "-shared", "-fPIC", "library.c", "-o", "library.so"], check=True,
                       cwd=work("library"))
        path = compiled(f"""#include <dlfcn.h>
#include <stdio.h>
int main(void) {{
    for (int i = 0; i < 3; i++) {{
        void *library = dlopen("{work('library/library.so')}", RTLD_NOW);
        ((void *(*)(void))dlsym(library, "opened"))();
        dlclose(library);
    }}
    puts("ready");
    fflush(stdout);
    getchar();
}}
""", "opener")
        with Process(path) as process:
            os.unlink(work("library/library.so"))
            site = of(report(process.source), "opened")
            self.assertEqual((site["allocs"], site["alloc_bytes"], site["module"], site["file"][-9:], site["line"]),
                             (3, 99, work("library/library.so"), "library.c", 2))

    def test_other_commands(self):
        path = compiled(SOURCE, "commands")
        with Process(path) as process, Process(path) as other:
            self.assertEqual(dump("diff", "--exit-code", process.source, other.source).returncode, 0)
            written("commands.budget", "function first allocs <= 499\n")
            result = dump("check", "--budget=" + work("commands.budget"), process.source)
            self.assertEqual((result.returncode, result.stderr), (1, ""))
            self.assertIn("500", result.stdout)
            self.assertEqual(dump("merge", "-o", work("merged"), process.source, other.source).returncode, 0)
            self.assertEqual(of(report(work("merged")), "first")["allocs"], 1000)

    def test_children(self):
        """The number of blocks that a child without a profile inherited is only known at its end."""
        path = compiled("""#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept[10];
__attribute__((noinline)) static void parent(void) { for (int i = 0; i < 10; i++) kept[i] = malloc(100); }
__attribute__((noinline)) static void child(void) { for (int i = 0; i < 7; i++) kept[9] = malloc(30); }
int main(void) {
    parent();
    if (fork() == 0) {
        for (int i = 0; i < 4; i++) free(kept[i]);
        child();
        printf("%d\\n", getpid());
        fflush(stdout);
    }
    getchar();
    _exit(0);
}
""", "forking")
        with Process(path) as process:
            document = report(process.source)
            self.assertEqual((document["exact"], of(document, "parent")["live_blocks"]), (True, 10))
            document = report("pid:" + process.said.strip())
            self.assertEqual(document["inexact_reasons"], [
                "a forked child without a profile: of its inherited blocks only the freed ones are known"])
            self.assertEqual((of(document, "child")["allocs"], of(document, "child")["live_bytes"]), (7, 210))
            site = of(document, "parent")
            self.assertEqual((site["allocs"], site["frees"], site["live_blocks"]), (0, 4, 0))

    def test_other_runtimes(self):
        """The static runtime in a program with shared libraries, which may load the shared one."""
        libraries = os.path.join(os.path.dirname(CC), "../lib")
        with open(os.path.join(libraries, "allocsite/static.opts")) as file:
            static = [f"{libraries}/liballocsite.a", *(word for word in file.read().split() if "--wrap" in word)]
        written("mixed/program.c", SOURCE)
        subprocess.run([CC, "-O2", "-g", "-fallocsite-contexts=0", "-I" + os.path.join(HERE, "../../rt/lib"), "-c", "program.c"], check=True,
                       cwd=work("mixed"))
        for more, expected in (([], ["the runtime is linked statically into a process that has shared libraries"]),
                               ([f"{libraries}/liballocsite.so", "-Wl,-rpath," + libraries], ["a second copy"])):
            subprocess.run(["cc", "program.o", "-o", "program", *static, "-pthread", "-Wl,--no-as-needed", *more],
                           check=True, cwd=work("mixed"))
            with Process(work("mixed/program")) as process:
                reasons = report(process.source)["inexact_reasons"]
                self.assertEqual([text for text in expected if not any(text in reason for reason in reasons)], [])
                self.assertEqual(len(more) > 0, any("second copy" in reason for reason in reasons))

    def test_busy_threads(self):
        path = work("busy")
        source = os.path.join(HERE, "../rt/profile/busy.c")
        subprocess.run([CC, "-O2", "-g", "-pthread", source, "-o", path], check=True)
        with Process(path) as process:
            totals = [report(process.source)["totals"] for _ in range(50)]
            allocs = [total["allocs"] for total in totals]
            self.assertEqual(allocs, sorted(allocs))
            self.assertLess(allocs[0], allocs[-1])
            # Blocks allocated while a page of counters is read count as live: some microseconds, on an idle machine.
            self.assertLess(sorted(total["live_blocks"] for total in totals)[25], 10000)
            self.assertEqual(process.end(), 3)


class Top(unittest.TestCase):
    def test_until_the_end(self):
        with Process(compiled(SOURCE, "watched")) as process:
            top = subprocess.Popen([DUMP, "top", "--interval=0.1", str(process.pid)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            self.assertIn(f"pid {process.pid}, still running\n", top.stdout.readline())
            process.end()
            tables, errors = top.communicate()
            self.assertEqual((top.returncode, errors), (0, ""))
            last = tables.split("\n\n")[-1]
            self.assertIn(f"pid {process.pid}, ended\n", last)
            self.assertIn("500", last)

    def test_a_profile_that_is_removed(self):
        with Process(compiled(SOURCE, "removed"), f"report=none:profile={work('top.profile')}") as process:
            os.unlink(work("top.profile"))
            result = dump("top", "--once", str(process.pid))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r" first -> taken\n")

    def test_another_program_in_its_place(self):
        written("replaced/program.c", "")
        path = compiled("""#include <stdio.h>
#include <unistd.h>
int main(void) { puts("ready"); fflush(stdout); getchar(); execlp("cat", "cat", NULL); }
""", "replaced")
        with Process(path) as process:
            top = subprocess.Popen([DUMP, "top", "--interval=0.1", str(process.pid)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            top.stdout.readline()
            process.process.stdin.write("\n")
            process.process.stdin.flush()
            tables, errors = top.communicate()
            self.assertEqual((top.returncode, errors), (0, ""))
            self.assertIn(f"pid {process.pid}, ended\n", tables)
            self.assert_no_counters(process)

    def assert_no_counters(self, process):
        result = dump("report", process.source)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("runs without the runtime of allocsite", result.stderr)


class Refused(unittest.TestCase):
    def assert_refused(self, source, expected, **others):
        for command in ("report",), ("top", "--once"):
            result = dump(*command, source, **others)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertTrue(result.stderr.startswith(f"allocsite-dump: {source}: {expected}"), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1)

    def test_without_a_runtime(self):
        with Process(["sh", "-c", "echo ready; exec cat"]) as process:
            time.sleep(0.2)
            self.assert_refused(process.source, "runs without the runtime of allocsite")

    def test_counting_nothing(self):
        with Process(compiled(SOURCE, "off"), "enabled=0") as process:
            self.assert_refused(process.source, "counts nothing: it was started with enabled=0")

    def test_a_child_with_the_files_of_its_parent(self):
        """A child that has counted nothing has its parent's counters mapped and, if forked without the C library, open."""
        for how in "fork()", "(int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)":
            path = compiled(f"""#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *volatile kept;
int main(void) {{
    kept = malloc(10);
    int child = {how};
    char text[12] = "         \\n";
    for (int i = 8, left = child; child && left; left /= 10) text[i--] = (char)('0' + left % 10);
    if (child) write(1, text, strlen(text));
    return (int)read(0, &(char){{0}}, 1);
}}
""", "idle")
            with Process(path) as process:
                self.assertEqual(of(report(process.source), "main")["allocs"], 1)
                self.assert_refused("pid:" + process.said.strip(), "is a forked child that has counted nothing yet")

    @unittest.skipIf(os.geteuid() != 0, "only root can become others")
    def test_closed_descriptors(self):
        """Root can open the mappings of a process."""
        path = compiled(SOURCE.replace("int main(void) {", "int main(void) { close_range(3, ~0u, 0);")
                        .replace("#include <allocsite.h>", "#define _GNU_SOURCE\n#include <allocsite.h>"), "closing")
        nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": ()}
        with Process(path, **nobody) as process:
            self.assert_refused(process.source, "has closed the descriptor of its counters", **nobody)
            result = dump("report", process.source)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("Bad file descriptor", result.stdout)

    def test_no_file_in_memory(self):
        filtering("refused", "SYS_memfd_create")
        with Process([work("refused"), compiled(SOURCE, "private")]) as process:
            self.assert_refused(process.source, "counts in memory that other processes cannot read")
            self.assertIn("record, serve and report pid:N are unavailable", dump("top", str(process.pid)).stderr)
        for wrapper, is_told in ([], False), ([work("refused")], True):
            result = subprocess.run([*wrapper, compiled(SOURCE, "private")], text=True, input="x", stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, env={**os.environ, "ALLOCSITE_OPTIONS": "report=stderr"}, check=False)
            self.assertEqual("top: unavailable" in result.stderr, is_told, result.stderr)

    def test_gone(self):
        with Process("true") as process:
            process.process.wait()
            self.assert_refused(process.source, "there is no such process")

    def test_ended_but_not_waited_for(self):
        with Process("true") as process:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            self.assert_refused(process.source, "has ended")

    @unittest.skipIf(os.geteuid() != 0, "only root can become others")
    def test_of_another_user(self):
        path = compiled(SOURCE, "others")
        with Process(path) as process:
            self.assert_refused(process.source, "belongs to another user", user=NOBODY, group=NOBODY, extra_groups=())
        with Process(path, user=NOBODY, group=NOBODY, extra_groups=()) as process:
            self.assertEqual(of(report(process.source), "first")["allocs"], 500)

    @unittest.skipIf(os.geteuid() != 0, "only root can become others")
    def test_not_to_be_read(self):
        path = compiled(SOURCE.replace("int main(void) {", f"""#include <sys/prctl.h>
int main(void) {{
    prctl({PR_SET_DUMPABLE}, 0);"""), "closed")
        nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": ()}
        with Process(path, **nobody) as process:
            self.assert_refused(process.source, "the kernel does not permit reading its memory", **nobody)
            self.assertIn("start the program with ALLOCSITE_OPTIONS=profile=PATH", dump("report", process.source,
                                                                                         **nobody).stderr)


class Untouched(unittest.TestCase):
    def test_a_stopped_process(self):
        with Process(compiled(SOURCE, "stopped")) as process:
            process.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            self.assertEqual(of(report(process.source), "first")["allocs"], 500)
            process.process.send_signal(signal.SIGCONT)
            self.assertEqual(process.end(), 0)

    def test_without_reading_memory(self):
        """As in containers, whose seccomp filters refuse reading memory."""
        filtering("filter", "SYS_process_vm_readv")
        with Process(compiled(SOURCE, "filtered")) as process:
            result = subprocess.run([work("filter"), DUMP, "report", "--format=json", process.source],
                                    capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(json.loads(result.stdout), report(process.source))

    @unittest.skipIf(os.geteuid() != 0, "only root can make a namespace")
    def test_where_it_has_another_number(self):
        with Process(["unshare", "--pid", "--fork", compiled(SOURCE, "contained")]) as process:
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as children:
                pid = children.read().strip()
            self.assertEqual(of(report("pid:" + pid), "first")["allocs"], 500)
            self.assertIn("pid 1, still running", dump("report", pid).stdout)


def filtering(name, *refused):
    """Returns a program that executes another one with these system calls refused."""
    written(f"{name}.c", """#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **arguments) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
""" + "".join(f"BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, {number}, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),\n"
              for number in refused) + """
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (count < 2 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 77;
    execv(arguments[1], arguments + 1);
}
""")
    subprocess.run(["cc", work(f"{name}.c"), "-o", work(name)], check=True)


if __name__ == "__main__":
    unittest.main()
