# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-run --fail-each: each verdict for programs whose functions are named for it, in many variants."""
import functools
import json
import os
import signal
import subprocess
import time
import unittest

from runs import CC, DUMP, work, written

RUN = os.path.join(os.path.dirname(DUMP), "allocsite-run")
HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = {"sited": {".c": CC, ".cpp": CC + "++"}, "plain": {".c": os.environ["PLAIN_CC"], ".cpp": os.environ["PLAIN_CXX"]}}
CASES = {".c": {"clean", "same", "crash", "crash_abort", "crash_overflow", "crash_child", "hang", "leak_second", "same_first",
                "same_before_twice", "fault_twice", "fault_foreign", "same_kept", "differs_line", "clean_text", "clean_copy",
                "clean_aligned", "same_by_helper", "crash_by_helper"},
         ".cpp": {"clean_caught", "crash_uncaught", "same_nothrow", "leak_second", "same_first", "same_safe"}}


@functools.cache
def built(kind, extension, *flags):
    path = work(f"{kind}{extension}{''.join(flags)}")
    subprocess.run([COMPILERS[kind][extension], "-g", "-w", *flags, os.path.join(HERE, "sweep" + extension), "-o", path], check=True)
    return path


def contents(path):
    with open(path) as file:
        return file.read()


def sweep(*arguments, **options):
    options = {"input": "the line\n", "timeout": 300, **options}
    return subprocess.run([RUN, "--fail-each", *arguments], capture_output=True, text=True, **options)


def results(*arguments, status=1, **options):
    """Returns the document of a sweep."""
    result = sweep("--format=json", "--timeout=5", *arguments, **options)
    if (result.returncode, result.stderr) != (status, ""):
        raise AssertionError((result.returncode, result.stderr, result.stdout[-1000:]))
    return json.loads(result.stdout)


def saved(name, points):
    """Writes the points as a sweep does, one in each line."""
    return written(name, '{"points":[\n' + ",\n".join(json.dumps(point, separators=(",", ":")) for point in points) + "]}\n")


def case_of(point, cases):
    """Returns the function of the program that the point is in; None: start and end of the program."""
    names = [text.split("(")[0].split(" at ")[0] for text in point["stack"]]
    return next((name for name in names if name in cases), None)


class Verdicts(unittest.TestCase):
    def check(self, points, extension, what):
        seen = {}
        for point in points:
            case = case_of(point, CASES[extension])
            want = case.split("_")[0] if case else "same"
            # asprintf goes on without its second block, in which it would copy the text.
            if case == "clean_text" and point["verdict"] == "same":
                continue
            self.assertEqual(point["verdict"], want, (what, point))
            if case:
                seen[case] = point
        self.assertEqual(set(seen), CASES[extension], what)
        return seen

    def check_c(self, points, what):
        seen = self.check(points, ".c", what)
        self.assertEqual([(seen[case]["status"], seen[case]["message"]) for case in ("clean", "clean_text", "clean_copy", "clean_aligned")],
                         [(4, "out of memory"), (5, None), (6, None), (7, None)], what)
        self.assertEqual([seen[case]["signal"] for case in ("crash", "crash_abort", "crash_overflow", "crash_child")],
                         [signal.SIGSEGV, signal.SIGABRT, signal.SIGSEGV, signal.SIGSEGV], what)
        for case in "crash", "crash_abort", "crash_child", "crash_by_helper", "hang":
            names = [text.split(" at ")[0] for text in seen[case]["at"]]
            self.assertIn(case, names, (what, seen[case]))
            self.assertEqual(names[-1], "main", what)
            if case != "crash_abort":
                self.assertEqual(names[0], case, what)
        self.assertEqual(seen["leak_second"]["status"], 0)
        self.assertEqual(len(seen["leak_second"]["details"]), 1)
        self.assertRegex(seen["leak_second"]["details"][0], r"^108 bytes in 1 block: .*same_first|^108 bytes in 1 block: .*malloc")
        self.assertRegex(seen["fault_twice"]["details"][0], r"^freed twice: .*; it came from ")
        self.assertRegex(seen["fault_foreign"]["details"][0], r"^freed an unallocated address: fault_foreign at ")

    def test_c(self):
        for kind in COMPILERS:
            self.check_c(results("--jobs=2", built(kind, ".c", "-O2"))["points"], kind)

    def test_cxx(self):
        for kind in COMPILERS:
            seen = self.check(results("--jobs=2", built(kind, ".cpp", "-O2"))["points"], ".cpp", kind)
            self.assertEqual((seen["clean_caught"]["status"], seen["clean_caught"]["message"]), (4, "caught"))
            self.assertEqual(seen["crash_uncaught"]["signal"], signal.SIGABRT)
            self.assertIn("bad_alloc", seen["crash_uncaught"]["message"])

    def test_forks(self):
        """The results are those of separate runs. The results without findings come from children."""
        for kind, jobs in ("sited", 1), ("plain", 3):
            for extension, check in (".c", self.check_c), (".cpp", lambda points, what: self.check(points, ".cpp", what)):
                points = results("--fork", f"--jobs={jobs}", built(kind, extension, "-O0"))["points"]
                for point in points:
                    finds = point["verdict"] not in ("same", "clean")
                    self.assertEqual(point["milliseconds"] > 0, finds, point)
                check(points, (kind, extension, jobs))

    def test_forks_per_site(self):
        points = results("--fork", "--per=site", built("sited", ".c", "-O0"))["points"]
        helper = [point for point in points if any(text.startswith("helper at") for text in point["stack"])]
        self.assertEqual([(point["verdict"], point["milliseconds"]) for point in helper], [("same", 0)])

    def test_forks_leave_the_program_as_it_is(self):
        """The program sees no child and no SIGCHLD, and its file offsets stay unchanged. A program that it executes forks,
        too."""
        source = written("sees/sees.c", """#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile sig_atomic_t seen;
static void see(int number) { seen++; }
int main(int count, char **arguments) {
    char line[100];
    int own = open(arguments[0], O_RDONLY);
    signal(SIGCHLD, see);
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int i = 0; i < 5 && fgets(line, sizeof line, stdin); i++) {
        void *volatile p = strdup(line);
        printf("%s", p ? (char *)p : "failed\\n");
        fflush(stdout);
        free(p);
        read(own, line, 1);
        printf("%d\\n", line[0]); /* a child must not move the parent's place in the file */
    }
    close(own);
    void *volatile q = count > 1 ? malloc(3) : NULL;
    free(q);
    printf("%d signals, %s\\n", (int)seen, wait(NULL) < 0 && errno == ECHILD ? "no child" : "a child");
    fflush(stdout);
    if (count == 1) execl(arguments[0], arguments[0], "again", NULL);
    write(open(getenv("ENDS"), O_WRONLY | O_APPEND | O_CREAT, 0600), "x", 1);
    return 3;
}
""")
        program = work("sees/sees")
        subprocess.run([CC, "-g", "-O1", source, "-o", program], check=True)
        ends = written("sees/ends", "")
        document = results("--fork", "--timeout=5", program, status=0, input="1\n2\n3\n4\n5\n6\n", env={**os.environ, "ENDS": ends})
        self.assertEqual(document["plain"]["status"], 3)
        # Two plain runs, the run that forks, its child before and its two children after it has executed the program
        # again, and the run of the finding. A child that executes the program forks no more.
        self.assertEqual(len(contents(ends)), 2 + 1 + 1 + 2 + 1)
        self.assertEqual([(point["callee"], point["verdict"], point["milliseconds"] > 0) for point in document["points"]],
                         [("strdup", "differs", True), ("malloc", "same", False)])

    def test_threads_get_runs_of_their_own(self):
        source = written("threads/threads.c", """#include <pthread.h>
#include <stdlib.h>
static void *body(void *p) { void *volatile q = malloc(50); free(q); return p; }
int main(void) { pthread_t t; void *volatile p = malloc(9); pthread_create(&t, NULL, body, NULL); pthread_join(t, NULL); free(p); return p ? 0 : 4; }
""")
        program = work("threads/threads")
        subprocess.run([CC, "-g", "-O0", "-pthread", source, "-o", program], check=True)
        points = results("--fork", program, status=0)["points"]
        seen = {point["function"]: (point["verdict"], point["milliseconds"] > 0) for point in points if point["callee"] == "malloc"}
        self.assertEqual((seen["main"], seen["body"]), (("clean", False), ("same", True)))

    def test_per_site(self):
        points = results("--per=site", built("sited", ".c", "-O0"))["points"]
        helper = [point["verdict"] for point in points if any(text.startswith("helper at") for text in point["stack"])]
        self.assertEqual(helper, ["same"])  # only the first of its two paths

    def test_a_point_by_hand(self):
        program = built("sited", ".c", "-O0")
        for per, prefix in ("path", "@"), ("site", ""):
            point = next(point for point in results(f"--per={per}", program)["points"] if case_of(point, {"clean"}))
            process = subprocess.run([program], input="the line\n", capture_output=True, text=True,
                                     env={**os.environ, "ALLOCSITE_OPTIONS": f"report=none:fail={prefix}{point['id']}"})
            self.assertEqual((process.returncode, process.stderr), (4, "cannot go on:\nout of memory\n"))


class Sweeps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = built("sited", ".c", "-O0")
        cls.document = results("--jobs=3", cls.program)

    def verdicts(self, document=None):
        return {point["id"]: (point["verdict"], point["status"], point["signal"]) for point in (document or self.document)["points"]}

    def test_runs_do_not_affect_each_other(self):
        self.assertEqual(self.verdicts(results("--jobs=1", self.program)), self.verdicts())

    def test_a_program_that_handles_all(self):
        source = written("handles/handles.c", "#include <stdlib.h>\nint main(void) { void *volatile p = malloc(9); free(p); return p ? 3 : 4; }\n")
        program = work("handles/handles")
        subprocess.run([CC, "-g", source, "-o", program], check=True)
        document = results(program, status=0)
        self.assertEqual([(point["verdict"], point["status"]) for point in document["points"]], [("clean", 4)])
        self.assertEqual(document["plain"]["status"], 3)

    def test_baseline(self):
        # The lines and all addresses have changed.
        text = contents(os.path.join(HERE, "sweep.c"))
        moved = written("moved/sweep.c", "/* */\n\n" + text.replace("CASE clean(void) {", "CASE clean(void) {\n    zero = 0;", 1))
        program = work("moved/sweep")
        subprocess.run([CC, "-g", "-w", "-O0", moved, "-o", program], check=True)
        known = saved("known.json", self.document["points"])
        document = results(f"--baseline={known}", program, status=0)
        self.assertEqual({point["known"] for point in document["points"]}, {1})
        fewer = "\n".join(line for line in contents(known).splitlines() if "crash_by_helper" not in line)
        document = results(f"--baseline={written('fewer.json', fewer)}", program)
        self.assertEqual([case_of(point, CASES[".c"]) for point in document["points"] if not point["known"]], ["crash_by_helper"])
        missing = sweep(f"--baseline={work('missing.json')}", self.program)
        self.assertEqual(missing.returncode, 125)
        self.assertIn("missing.json: No such file", missing.stderr)

    def test_leaks_count_on_request(self):
        source = written("leaks/leaks.c", """#include <stdlib.h>
__attribute__((noinline)) static void *second(void) { return malloc(8); }
__attribute__((noinline)) static void first(void) {
    void *volatile p = malloc(7), *volatile q = second();
    if (q) free(p);
    p = NULL;
    free(q);
}
int main(void) { first(); volatile char room[9999]; for (int i = 0; i < 9999; i++) room[i] = 0; return 0; }
""")
        program = work("leaks/leaks")
        subprocess.run([CC, "-g", "-O0", source, "-o", program], check=True)
        self.assertEqual(sorted(point["verdict"] for point in results(program, status=0)["points"]), ["leak", "same"])
        results("--leaks", program, status=1)

    def test_resume(self):
        state = work("state.json")
        document = {**self.document, "points": [dict(point) for point in self.document["points"]]}
        for point in document["points"][:5]:
            point["verdict"] = "pending"
        for point in document["points"][5:]:
            point["message"] = "kept"  # from the file, not from a run
        saved("state.json", document["points"])
        resumed = results(f"--resume={state}", self.program)
        self.assertEqual(self.verdicts(resumed), self.verdicts())
        pending = {point["id"] for point in document["points"][:5]}
        for point in resumed["points"]:
            self.assertEqual(point["message"] == "kept", point["id"] not in pending)
        self.assertEqual(self.verdicts(json.loads(contents(state))), self.verdicts())

    def test_interrupt(self):
        """Ctrl-C ends the commands, keeps the results so far, and leaves no file."""
        state, folder = work("interrupted.json"), work("temporary/")
        process = subprocess.Popen([RUN, "--fail-each", "--timeout=100", f"--resume={state}", "--format=json", self.program],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True, env={**os.environ, "TMPDIR": folder.rstrip("/")})
        seen = []
        for _ in range(600):
            time.sleep(0.1)
            seen.append(subprocess.run(["pgrep", "-f", f"^{self.program}$"], capture_output=True, text=True).stdout)
            if seen[-1] and len(seen) > 30 and len(set(seen[-30:])) == 1:  # one process runs for three seconds
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        document = json.loads(out)
        self.assertEqual((process.returncode, err, document["interrupted"]), (130 if not any(
            point["verdict"] in ("crash", "fault") for point in document["points"]) else 1, "", True))
        verdicts = {point["verdict"] for point in document["points"]}
        self.assertIn("pending", verdicts)
        self.assertNotIn("hang", verdicts)
        self.assertEqual(subprocess.run(["pgrep", "-f", f"^{self.program}$"], capture_output=True, text=True).stdout, "")
        self.assertEqual(os.listdir(folder), [])
        self.assertEqual(self.verdicts(json.loads(contents(state))), self.verdicts(document))

    def test_formats(self):
        known = saved("formats.json", self.document["points"])
        bad = [point for point in self.document["points"] if point["verdict"] in ("crash", "fault", "hang", "leak", "differs")]
        text = sweep("--timeout=2", f"--resume={known}", self.program)
        self.assertIn(f"{len(self.document['points'])} call paths, 2 fault, 5 crash, 1 hang, 1 leak, 1 differs, ", text.stdout)
        self.assertRegex(text.stdout, r"crash: \S*sweep.c:\d+: crash \(id [0-9a-f]{16}\)\n  ended by:  SIGSEGV\n  at:        crash at \S+sweep.c:\d+\n")
        github = sweep("--timeout=2", "--format=github", f"--resume={known}", self.program).stdout.splitlines()
        self.assertEqual(len(github), len(bad))
        self.assertTrue(any(line.startswith("::error file=") and ",title=allocsite crash::if this allocation fails: crash, SIGSEGV; crash at " in line
                            for line in github), github)
        sarif = json.loads(sweep("--timeout=2", "--format=sarif", f"--resume={known}", self.program).stdout)
        run, = sarif["runs"]
        self.assertEqual(len(run["results"]), len(bad))
        rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        for result in run["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertTrue(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("sweep.c"))
            self.assertEqual(result["stacks"][0]["frames"][-1]["location"]["message"]["text"].split(" at ")[0], "main")
        self.assertEqual(len({result["partialFingerprints"]["allocsiteSweep/v1"] for result in run["results"]}), len(bad))
        output = work("output.json")
        sweep("--timeout=2", "--format=json", "-o", output, f"--resume={known}", self.program)
        self.assertEqual(self.verdicts(json.loads(contents(output))), self.verdicts())

    def test_outputs_that_vary_are_not_compared(self):
        source = written("varies/varies.c", "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
                         "int main(void) { void *volatile p = malloc(9); printf(\"%d\\n\", getpid()); free(p); return 0; }\n")
        program = work("varies/varies")
        subprocess.run([CC, "-g", source, "-o", program], check=True)
        document = results(program, status=0)
        self.assertTrue(document["output_varies"])
        self.assertEqual({point["verdict"] for point in document["points"]}, {"same"})

    def test_processes_of_a_script(self):
        document = results("sh", "-c", f"{self.program}; exit 9")
        crashes = [point for point in document["points"] if point["verdict"] == "crash"]
        self.assertLessEqual({"crash", "crash_abort", "crash_child", "crash_by_helper"}, {case_of(point, CASES[".c"]) for point in crashes})
        self.assertEqual({point["status"] for point in crashes}, {9})

    def test_wrong_use(self):
        for arguments, status, message in (
                ((), 125, "no command"), (("--per=line", "true"), 125, "path or site"), (("--jobs=0", "true"), 125, "jobs"),
                (("--stacks=65", "true"), 125, "1 to 64"), (("no-such-command",), 127, "no-such-command: No such file"),
                (("--timeout=x", "true"), 125, "seconds")):
            result = sweep(*arguments)
            self.assertEqual((result.returncode, result.stdout), (status, ""), arguments)
            self.assertIn(message, result.stderr)
        static = work("static")
        subprocess.run([os.environ["PLAIN_CC"], "-static", "-w", os.path.join(HERE, "sweep.c"), "-o", static], check=True)
        result = sweep(static)
        self.assertEqual(result.returncode, 125)
        self.assertIn("is linked statically", result.stderr)
        self.assertIn("--fail-each", sweep("--help").stdout)


if __name__ == "__main__":
    unittest.main()
