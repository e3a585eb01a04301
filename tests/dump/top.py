# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump top on a program that takes a step per input line, as tables and on a terminal."""
import ctypes
import errno
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unittest

from runs import CC, DUMP, dump, report, work, written

# Curses writes only differences otherwise.
REDRAW = "\x0c"

SOURCE = """\
#include <stdio.h>
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) static void many(void) { kept = malloc(100); free(kept); }
__attribute__((noinline)) static void few(void) { kept = malloc(7000); }
int main(void) {
    char line[16];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        for (int i = 0; i < 1000; i++)
            many();
        few();
        puts("done");
        fflush(stdout);
    }
}
"""


class Program:
    """Runs with a profile; each step allocates 1000 blocks of 100 bytes and one of 7000."""

    def __init__(self, options="profile=live.profile"):
        written("live/program.c", SOURCE)
        subprocess.run([CC, "-O2", "-g", "program.c", "-o", "program"], check=True, cwd=work("live"))
        if os.path.exists(work("live/live.profile")):
            os.unlink(work("live/live.profile"))
        self.process = subprocess.Popen(["./program"], cwd=work("live"), text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        env={**os.environ, "ALLOCSITE_OPTIONS": "report=none:" + options})
        self.process.stdout.readline()
        self.pid, self.path = str(self.process.pid), work("live/live.profile")

    def step(self, times=1):
        for _ in range(times):
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            self.process.stdout.readline()

    def end(self, sent=None):
        if sent:
            self.process.send_signal(sent)
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.end(signal.SIGKILL)


def rows(table):
    """Returns rates and numbers as shown, by function."""
    found = {}
    for line in table.splitlines():
        cells = re.split(r"  +", line.strip())
        if len(cells) == 7 and cells[0] != "allocs/s":
            found[cells[6].split()[1]] = cells[:6]
    return found


def start_as(pid, command, standard_in):
    """Runs the command with that process id. Returns false if this user may not choose ids."""
    arguments = (ctypes.c_uint64 * 11)()
    wanted = ctypes.c_int32(pid)
    arguments[4], arguments[8], arguments[9] = signal.SIGCHLD, ctypes.addressof(wanted), 1
    libc = ctypes.CDLL(None, use_errno=True)
    clone3 = 435
    started = libc.syscall(clone3, arguments, ctypes.sizeof(arguments))
    if started == 0:
        os.dup2(standard_in, 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execve(command[0], command, {**os.environ, "ALLOCSITE_OPTIONS": "report=none"})
    if started < 0 and ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
        raise OSError(ctypes.get_errno(), "clone3")
    return started == pid


EXECUTING = """\
#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
int main(int count, char **arguments) {
    char byte;
    kept = malloc(100);
    if (write(1, ".", 1) == 1 && count > 1 && read(0, &byte, 1) == 1)
        execv(arguments[1], arguments + 1);
    (void)!read(0, &byte, 1);
    _exit(0);
}
"""


class Executing:
    """Runs with a profile, and executes another program when told to."""

    def __init__(self, *program):
        written("executing/program.c", EXECUTING)
        subprocess.run([CC, "-O2", "-g", "program.c", "-o", "program"], check=True, cwd=work("executing"))
        self.path = work("executing/own.profile")
        for name in os.listdir(work("executing")):
            if ".profile" in name:
                os.unlink(work("executing/" + name))
        self.process = subprocess.Popen(["./program", *program], cwd=work("executing"), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        env={**os.environ, "ALLOCSITE_OPTIONS": "report=none:profile=own.profile"})
        self.process.stdout.read(1)

    def execute(self):
        self.process.stdin.write(b"x")
        self.process.stdin.flush()
        self.process.stdout.read(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Executed(unittest.TestCase):
    def check(self, *program):
        with Executing(*program) as executing:
            pid = str(executing.process.pid)
            self.assertIn("still running", dump("report", executing.path).stdout)
            with subprocess.Popen([DUMP, "top", "--interval=0.1", "--count=50", pid], stdout=subprocess.PIPE,
                                  text=True) as top:
                self.assertIn("still running", top.stdout.readline())
                executing.execute()
                tables = top.communicate()[0]
            self.assertEqual(top.returncode, 0)
            self.assertIn(f"pid {pid}, ended\n", tables)
            self.assertNotIn("still running", dump("report", executing.path).stdout)

    def test_a_program_without_the_runtime(self):
        self.check("/bin/sh", "-c", "printf .; read line")

    def test_the_same_program(self):
        self.check("./program")

    def test_a_copy_of_a_profile(self):
        with Executing() as executing:
            copy = written("executing/copy", "")
            shutil.copyfile(executing.path, copy)
            self.assertIn("still running", dump("report", copy).stdout)


class Tables(unittest.TestCase):
    def test_once_by_process_and_by_profile(self):
        with Program() as program:
            program.step(2)
            for name in program.pid, program.path:
                result = dump("top", "--once", name)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                found = rows(result.stdout)
                self.assertEqual(found["many"], ["-", "-", "2,000", "195.3 KiB", "0 B", "0 B"])
                self.assertEqual(found["few"], ["-", "-", "2", "13.7 KiB", "13.7 KiB", "13.7 KiB"])
                self.assertIn(f"pid {program.pid}, still running\n", result.stdout)

    def test_rates(self):
        with Program() as program:
            begun = time.monotonic()
            top = subprocess.Popen([DUMP, "top", "--interval=0.3", program.pid], stdout=subprocess.PIPE, text=True)
            tables = [self.next_table(top)]
            program.step(50)
            while tables[-1] != ["0", "0 B", "50,000"]:
                tables.append(self.next_table(top))
            top.send_signal(signal.SIGINT)
            top.communicate()
            allocs = [int(table[2].replace(",", "")) for table in tables]
            self.assertEqual((allocs[0], allocs), (0, sorted(allocs)))
            rates = [int(table[0].replace(",", "")) for table in tables[1:]]
            counts = [now - before for before, now in zip(allocs, allocs[1:])]
            self.assertEqual([rate > 0 for rate in rates], [count > 0 for count in counts])
            spans = sum(count / rate for count, rate in zip(counts, rates) if rate)
            self.assertTrue(0.3 * 0.1 < spans < time.monotonic() - begun, (spans, tables))

    def next_table(self, top):
        """Returns the row of `many` in the next table."""
        lines = "".join(iter(top.stdout.readline, "\n"))
        return rows(lines).get("many", ["0", "0 B", "0"])[:3]

    def test_order_and_filter(self):
        with Program() as program:
            program.step()
            orders = {sort: [name for name in rows(dump("top", "--once", "--sort=" + sort, program.path).stdout)
                             if name in ("many", "few")] for sort in ("rate", "bytes", "allocs", "live", "peak")}
            self.assertEqual(orders, {"rate": ["many", "few"], "bytes": ["many", "few"], "allocs": ["many", "few"],
                                      "live": ["few", "many"], "peak": ["few", "many"]})
            self.assertEqual(list(rows(dump("top", "--once", "--filter=FEW", program.path).stdout)), ["few"])
            self.assertEqual(len(rows(dump("top", "--once", "--top=1", program.path).stdout)), 1)

    def test_ends_with_the_program(self):
        for sent, status, said in (None, 0, ", ended\n"), (signal.SIGKILL, -9, ", ended by force\n"):
            with Program() as program:
                top = subprocess.Popen([DUMP, "top", "--interval=0.2", program.path], stdout=subprocess.PIPE, text=True)
                top.stdout.readline()
                program.step(3)
                self.assertEqual(program.end(sent), status)
                last = top.communicate()[0].split("\n\n")[-1]
                self.assertEqual(top.returncode, 0)
                self.assertIn(said, last)
                self.assertEqual(rows(last)["many"][2], "3,000")

    def test_a_report_that_is_none_of_a_running_program(self):
        path = report(SOURCE.replace("fgets(line, sizeof line, stdin)", "0"), "ended")
        result = dump("top", "--plain", path)
        self.assertEqual((result.returncode, result.stderr, result.stdout.count("allocsite: ")), (0, "", 1))

    def test_a_profile_that_is_damaged(self):
        with Program() as program:
            program.step()
            path = work("live/cut")
            shutil.copyfile(program.path, path)
            os.truncate(path, 20000)
            result = dump("top", "--once", path)
            self.assertEqual(result.returncode, 1)
            self.assertIn("is damaged", result.stderr)

    def test_another_process_of_the_same_number(self):
        with Program("top=1") as program, subprocess.Popen(
                [DUMP, "top", "--interval=0.2", "--count=20", program.pid], stdout=subprocess.PIPE, text=True) as top:
            top.stdout.readline()
            program.end(signal.SIGKILL)
            ends = os.pipe()
            is_started = start_as(int(program.pid), [work("live/program")], ends[0])
            try:
                tables = top.communicate()[0]
            finally:
                for end in ends:
                    os.close(end)
            if not is_started:
                self.skipTest("no permission to start a process of a chosen number")
            os.waitpid(int(program.pid), 0)
            self.assertEqual(top.returncode, 0)
            self.assertIn(", ended by force\n", tables)
            self.assertNotIn("many", tables)

    def test_a_profile_that_goes_away(self):
        with Program() as program:
            top = subprocess.Popen([DUMP, "top", "--interval=0.2", program.path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            top.stdout.readline()
            os.unlink(program.path)
            errors = top.communicate()[1]
            self.assertEqual((top.returncode, errors),
                             (1, f"allocsite-dump: {program.path}: No such file or directory\n"))


class Messages(unittest.TestCase):
    def test_a_process_that_is_gone(self):
        with Program() as program:
            program.end()
        result = dump("top", program.pid)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (1, "", f"allocsite-dump: {program.pid}: there is no such process\n"))

    def test_wrong_usage(self):
        for arguments in (), ("a", "b"), ("--sort=size", "a"), ("--interval=0", "a"), ("--interval=1s", "a"), \
                ("--interval=nan", "a"), ("--count=0", "a"), ("--top=x", "a"), ("--filter=" + "x" * 64, "a"), \
                ("--no", "a"):
            result = dump("top", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertRegex(result.stderr, r"^allocsite-dump: top: [^\n]*\n$")

    def test_help(self):
        result = dump("top", "--help")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith("usage: allocsite-dump top "))

    def test_an_output_that_is_closed(self):
        with Program() as program:
            top = subprocess.Popen([DUMP, "top", "--interval=0.1", program.path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            top.stdout.readline()
            top.stdout.close()
            self.assertEqual(top.wait(timeout=60), -signal.SIGPIPE)
            self.assertEqual(top.stderr.read(), "")
            top.stderr.close()


class Terminal:
    """Runs a command on a terminal; expect() waits for its output."""

    def __init__(self, *command, name="xterm", columns=120):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM=name, LC_ALL="C.UTF-8")
            os.environ.pop("COLUMNS", None)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execv(command[0], command)
        self.seen = ""

    def read(self, seconds):
        if not select.select([self.file], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.file, 1 << 16).decode(errors="replace")
        except OSError:
            return False
        return True

    def expect(self, text):
        end = time.monotonic() + 30
        while text not in self.seen and time.monotonic() < end:
            self.read(0.1)
        if text not in self.seen:
            raise AssertionError(f"{text!r} is not in {self.seen!r}")
        self.seen = self.seen.partition(text)[2]

    def send(self, keys):
        os.write(self.file, keys.encode())

    def status(self):
        while self.read(30):
            pass
        os.close(self.file)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Display:
    """The 80x24 screen of a terminal of type vt52, which has few control sequences."""

    SEQUENCE = re.compile(r"\x1bY(.)(.)|\x1b(.)|([\r\n\b\x07])|([^\x1b])", re.S)

    def __init__(self, *command):
        self.terminal = Terminal(*command, name="vt52", columns=80)
        self.rows, self.row, self.column, self.rest = [[" "] * 80 for _ in range(24)], 0, 0, ""

    def clear(self, to_end_of_screen):
        self.rows[self.row][self.column:] = [" "] * (80 - self.column)
        for row in range(self.row + 1, 24) if to_end_of_screen else ():
            self.rows[row] = [" "] * 80

    def control(self, letter):
        if letter in "JK":
            self.clear(letter == "J")
        elif letter == "H":
            self.row, self.column = 0, 0
        elif letter in "ABCD":
            self.row += {"A": -1, "B": 1}.get(letter, 0)
            self.column += {"C": 1, "D": -1}.get(letter, 0)

    def put(self, letter):
        if self.column < 80:
            self.rows[self.row][self.column] = letter
        self.column += 1

    def update(self):
        text, self.terminal.seen = self.terminal.seen, ""
        for row, column, letter, move, printed in self.SEQUENCE.findall(text):
            if row:
                self.row, self.column = ord(row) - 32, ord(column) - 32
            elif letter:
                self.control(letter)
            elif printed:
                self.put(printed)
            elif move == "\r":
                self.column = 0
            elif move == "\b":
                self.column -= 1
            elif move == "\n":
                self.row = min(self.row + 1, 23)

    def lines(self):
        return ["".join(row).rstrip() for row in self.rows]

    def until(self, is_shown, keys=""):
        """Sends the keys and returns the lines once the function says that they are shown."""
        self.terminal.send(keys)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            self.terminal.read(0.1)
            self.update()
            if is_shown(self.lines()):
                return self.lines()
        raise AssertionError("\n".join(self.lines()))


def contains(text):
    return lambda lines: any(text in line for line in lines)


class Lines(unittest.TestCase):
    """The screen at 80x24."""

    def display(self, *arguments):
        display = Display(DUMP, "top", "--interval=0.1", *arguments)
        self.addCleanup(lambda: (display.terminal.send("q"), display.terminal.status()))
        return display

    def test_names_are_whole_while_lines_are_free(self):
        with Program() as program:
            program.step()
            lines = self.display(program.pid).until(contains("main -> fgets"))
            self.assertEqual(lines[4].split(), ["allocs/s", "bytes/s", "allocs", "bytes", "live", "peak"])
            self.assertRegex("\n".join(lines), r"(?m)^    [\w/]*program\.c:4:\d+: many -> malloc$")
            self.assertRegex("\n".join(lines), r"(?m) +1,000 +97\.7 KiB +0 B +0 B$")
            self.assertTrue(lines[23].startswith("Enter details"), lines)

    def test_a_row_opens(self):
        with Program("profile=live.profile:sizes=1:pairs=1") as program:
            program.step()
            display = self.display("--sort=bytes", program.pid)
            display.until(contains("many -> malloc"))
            details = "\n".join(display.until(contains("Enter back"), "\r"))
            for text in r"program\.c:4:\d+:", "allocated: 97.7 KiB in 1,000 blocks", "at once: 1 block", r"called by\s+main \([\w/]*program\.c:\d+\)", \
                    "sizes: 64 B to 127 B", r"1,000 blocks of 97.7 KiB freed by\s+[\w/]*program\.c:4:\d+: many -> free":
                self.assertRegex(details, text)
            program.step()
            display.until(contains("allocated: 195.3 KiB in 2,000 blocks"))
            display.until(contains("Enter details"), "\x1b")

    def test_reset(self):
        with Program() as program:
            program.step(3)
            display = self.display(program.pid)
            display.until(contains("3,000"))
            display.until(contains("since the reset: 0 B in 0 calls"), "R")
            program.step()
            display.until(contains("since the reset: 104.5 KiB in 1,001 calls"))
            display.until(lambda lines: re.search(r"(?m) 1,000 +97\.7 KiB +0 B +0 B$", "\n".join(lines)))

    def test_a_filter_without_rows(self):
        with Program() as program:
            display = self.display("--filter=nothing has this", program.pid)
            display.until(contains("no row contains the filter's text"))

    def test_many_rows(self):
        calls = "".join(f"__attribute__((noinline)) static void make_{i}(void) {{ kept = malloc({1000 - i}); }}\n" for i in range(40))
        source = f"#include <stdlib.h>\nvoid *volatile kept;\n{calls}int main(void) {{ {''.join(f'make_{i}();' for i in range(40))} return 0; }}"
        display = self.display("--sort=bytes", report(source, "many"))
        lines = display.until(lambda lines: "make_17 ->" in lines[22])
        self.assertEqual([re.search(r"make_\d+", line)[0] for line in lines[5:23]], [f"make_{i}" for i in range(18)])
        self.assertIn("allocs", lines[4].split())
        display.until(contains("make_38 ->"), "\x1bB" * 38)
        display.until(contains("allocated: 962 B in 1 block"), "\r")


class Screen(unittest.TestCase):
    def test_keys(self):
        with Program() as program:
            program.step()
            screen = Terminal(DUMP, "top", "--interval=0.1", program.pid)
            screen.expect("still running")
            screen.expect("sorted by rate")
            screen.expect("many")
            for key, sort in ("b", "bytes"), ("a", "allocs"), ("l", "live"), ("p", "peak"), ("r", "rate"):
                screen.send(key + REDRAW)
                screen.expect("sorted by " + sort)
            screen.send(" ")
            screen.expect("paused")
            screen.send("?")
            screen.expect("scroll")
            screen.send("?")
            screen.expect("allocs/s")
            screen.send("/")
            screen.expect("filter:")
            screen.send("feé\x7fw\n")
            screen.expect("only with few")
            screen.send("/many\x1b" + REDRAW)
            screen.expect("only with few")
            screen.send("q")
            self.assertEqual(screen.status(), 0)
            self.assertIn("\x1b[?1049l", screen.seen, "the terminal is as it was")

    def test_the_last_state_stays(self):
        with Program() as program:
            screen = Terminal(DUMP, "top", "--interval=0.1", program.path)
            screen.expect("still running")
            program.step(7)
            program.end()
            screen.expect("ended")
            screen.send("/many\n")
            screen.expect("only with many")
            screen.send("q")
            self.assertEqual(screen.status(), 0)

    def test_count(self):
        with Program() as program:
            screen = Terminal(DUMP, "top", "--interval=0.1", "--count=3", program.path)
            self.assertEqual(screen.status(), 0)
            self.assertIn("allocs/s", screen.seen)

    def test_a_terminal_that_goes_away(self):
        with Program() as program:
            screen = Terminal(DUMP, "top", "--interval=0.1", program.path)
            screen.expect("still running")
            os.close(screen.file)
            status = os.waitstatus_to_exitcode(os.waitpid(screen.pid, 0)[1])
            self.assertIn(status, (0, -signal.SIGHUP))

    def test_an_unknown_terminal(self):
        with Program() as program:
            screen = Terminal(DUMP, "top", program.path, name="no-such-terminal")
            self.assertEqual(screen.status(), 1)
            self.assertIn("use --plain", screen.seen)

    def test_a_terminal_without_a_screen(self):
        with Program() as program:
            screen = Terminal(DUMP, "top", "--count=1", program.path, name="dumb")
            self.assertEqual(screen.status(), 1)
            self.assertIn("use --plain", screen.seen)


if __name__ == "__main__":
    unittest.main()
