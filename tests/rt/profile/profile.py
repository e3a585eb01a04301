# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles: whatever happens to a process, its file has all its counts."""
import itertools
import os
import random
import resource
import select
import shutil
import signal
import stat
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

DUMP = os.path.join(BIN, "allocsite-dump")


def profile(path):
    """Returns the report of a profile, which must obey the laws."""
    dump = subprocess.run([DUMP, "report", "--format=json", path], capture_output=True, text=True)
    if dump.returncode != 0:
        wrong.append(f"{path}: {dump.stderr}")
    report = json.loads(dump.stdout)
    check_laws(report)
    return report


def profiles(pattern):
    return [profile(path) for path in sorted(glob.glob(pattern))]


def clean():
    for old in glob.glob("*.profile*"):
        os.remove(old)


def start(command, options, **more):
    return run(command, options, **more)


def line_of(name, mark):
    return next(number for number, text in enumerate(open(source(name)), 1) if f"/* {mark} */" in text)


def site_at(report, name, mark):
    line = line_of(name, mark)
    found = [site for site in report["sites"] if site["sited"] and site["line"] == line]
    return {counter: sum(site[counter] for site in found) for counter in report["totals"]}


# ---- killed at any moment ----


def steps(count):
    """Returns the counters after a number of steps of killed.c: of the malloc, and of the realloc in a thread."""
    taken = dict.fromkeys(("allocs", "alloc_bytes", "moved", "moved_bytes", "frees", "freed_bytes"), 0)
    grown = dict.fromkeys(("reallocs", "realloc_bytes", "realloc_old_bytes", "frees", "freed_bytes"), 0)
    kept = {}
    yield dict(taken), dict(grown)
    for i in range(count):
        size = 16 + i % 100
        taken["allocs"] += 1
        taken["alloc_bytes"] += size
        owner = taken
        if i % 3 == 0:
            taken["moved"] += 1
            taken["moved_bytes"] += size
            grown["reallocs"] += 1
            grown["realloc_old_bytes"] += size
            size = 200 + i % 50
            grown["realloc_bytes"] += size
            owner = grown
        if i % 8 in kept:
            old, old_size = kept[i % 8]
            old["frees"] += 1
            old["freed_bytes"] += old_size
        kept[i % 8] = owner, size
        yield dict(taken), dict(grown)


# During a realloc the block may have left its owner and not yet be counted as moved.
BETWEEN = (("allocs", "reallocs"), ("alloc_bytes", "realloc_bytes"), ("frees", "moved"), ("freed_bytes", "moved_bytes"), ("moved",),
           ("moved_bytes",), ("reallocs",), ("realloc_bytes",), ("realloc_old_bytes",))


class Steps:
    def __init__(self):
        self.known, self.more = [], steps(10 ** 9)

    def __getitem__(self, index):
        self.known.extend(itertools.islice(self.more, max(0, index + 1 - len(self.known))))
        return self.known[index]


def kill_one(program, threads, delay, known):
    """Kills the program `delay` after its first step. The profile has the acknowledged steps, or one more step per
    thread, or a part of it."""
    reader, writer = os.pipe()
    environment = dict(os.environ, ALLOCSITE_OPTIONS="report=none:profile=killed.profile")
    process = subprocess.Popen([program, str(writer), str(threads)], env=environment, pass_fds=[writer])
    os.close(writer)
    done, data, end = [0] * threads, b"", None
    while end is None or time.monotonic() < end:
        if select.select([reader], [], [], 0.001)[0]:
            data += os.read(reader, 1 << 16)
            end = end or time.monotonic() + delay
    process.kill()
    while more := os.read(reader, 1 << 16):
        data += more
    process.wait()
    os.close(reader)
    for thread, count in struct.iter_unpack("II", data[:len(data) // 8 * 8]):
        done[thread] = count
    report = profile("killed.profile")
    expect("finished", False, report["finished"])
    expect("exact", [], report["inexact_reasons"])
    for thread in range(threads):
        for which, function in enumerate((f"allocate_{thread}", f"grow_{thread}")):
            site = next((site for site in report["sites"] if (site["function"] or "").startswith(function)), None)
            low, high = known[done[thread]][which], known[done[thread] + 1][which]
            for counters in BETWEEN:
                least, got, most = (sum(counts.get(counter, 0) for counter in counters) for counts in (low, site or {}, high))
                if not least <= got <= most:
                    wrong.append(f"{function} after {done[thread]} steps: {counters} is {got}, not {least} to {most}")
    return sum(done)


def kill_many(count, *options):
    """Without call paths, so that each thread's calls are attributed to its own function."""
    program = build("killed.c", "killed", "-fallocsite-contexts=0", *options)
    known, random_source, total = Steps(), random.Random(1), 0
    clean()
    for number in range(count):
        total += kill_one(program, random_source.randint(1, 4), random_source.random() * 0.03, known)
        if wrong:
            print(f"killed {number + 1} times")
            return
    print(f"killed {count} times, {total} steps acknowledged")


def killed():
    kill_many(300)


def killed_static():
    kill_many(50, "-static")


def born():
    """Killed before anything is counted."""
    program, killer = build("growing.c", "growing"), build("born.c", "libborn.so", "-shared", "-fPIC", "-fno-builtin", plain=True)
    clean()
    process = start([program], "profile=b.profile", environment={"LD_PRELOAD": killer})
    expect("status and errors", (-signal.SIGKILL, ""), (process.returncode, process.err))
    expect("files", ["b.profile"], glob.glob("b.profile*"))
    report = profile("b.profile")
    expect("finished, exact and counted", (False, True, 0), (report["finished"], report["exact"], report["totals"]["allocs"]))


# ---- ways to end ----


def check_ending(program, how, status, finished, late):
    clean()
    process = start([program, how], "report=none:profile=e.profile")
    expect(f"{how}: status", status, process.returncode)
    expect(f"{how}: errors", how == "assert", process.err != "")
    report = profile("e.profile")
    expect(f"{how}: finished", finished, report["finished"])
    expect(f"{how}: exact", [], report["inexact_reasons"])
    totals = site_at(report, "endings.c", "thousand")
    expect(f"{how}: totals", (1000, 100000, 500, 500), (totals["allocs"], totals["alloc_bytes"], totals["frees"], totals["live_blocks"]))
    expect(f"{how}: peak", (500, 50000) if how == "assert" else (501, 50100), (totals["peak_blocks"], totals["peak_bytes"]))
    expect(f"{how}: in the last handler", late, site_at(report, "endings.c", "late")["allocs"])
    check_run(how, report, finished, status)


EXECS = "execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe", "fexecve"


def check_run(how, report, finished, status):
    ran = report["run"]
    special = {"_exit": "_exit", "_Exit": "_exit", "quick_exit": "quick_exit", "abort": "signal", "assert": "signal", **dict.fromkeys(EXECS, "exec")}
    ending = special.get(how, "exit" if finished else None)
    expect(f"{how}: ending", (ending, 0 if ending in (None, "quick_exit", "exec") else abs(status)), (ran["ending"], ran["status"]))
    expect(f"{how}: command", True, ran["command"].endswith(f"endings {how}"))
    expect(f"{how}: times", (True, finished), (abs(time.time() - ran["begun_ms"] / 1000) < 30, ran["ended_ms"] >= ran["begun_ms"]))
    expect(f"{how}: resident", finished, ran["max_resident_bytes"] > 1 << 19)


def endings():
    for options in ([], ["-static"]):
        program = build("endings.c", "endings", *options)
        for how, status, finished, late in (
                ("return", 3, True, 1), ("_exit", 3, True, 0), ("_Exit", 3, True, 0), ("quick_exit", 3, True, 0), ("vfork", 3, True, 1),
                ("exec_failed", 3, True, 1), ("abort", -signal.SIGABRT, False, 0), ("fault", -signal.SIGSEGV, False, 0),
                ("assert", -signal.SIGABRT, False, 0), ("caught", -signal.SIGKILL, False, 0), ("spawn", 3, True, 1),
                ("kill", -signal.SIGKILL, False, 0), ("terminate", -signal.SIGTERM, False, 0), *((how, 0, True, 0) for how in EXECS)):
            check_ending(program, how, status, finished, late)
        # The report equals the profile.
        for how in "return", "quick_exit", "_exit":
            process = start([program, how], "report=r.json:format=json:profile=r.profile")
            report = json.load(open("r.json"))
            check_run(f"{how}", report, True, 3)
            expect(f"{how}: as in the profile", profile("r.profile")["run"]["begun_ms"], report["run"]["begun_ms"])
            shown = subprocess.run([DUMP, "report", "r.profile"], capture_output=True, text=True).stdout.splitlines()
            ended = {"return": "exit with status 3", "_exit": "_exit with status 3"}.get(how, how)
            expect(f"{how}: shown", True, bool(re.fullmatch(rf"ran: {program} {how}; 20\d\d-[01]\d-[0-3]\d [0-2]\d:[0-5]\d:[0-5]\d UTC for \d+\.\d{{3}} s, "
                   f"ended by {ended}", shown[1])))
            expect(f"{how}: resident", True, any(re.match(r"resident: \d.* at most", line) for line in shown))
        # The program started by exec has its own profile, though path and process id are the same.
        clean()
        for pattern in "e.%p.profile", "e.profile":
            start([program, "execl"], f"report=none:profile={pattern}")
            expect("profiles of exec", ["exec", "exit"], [report["run"]["ending"] for report in profiles("e.*profile*")])
            clean()
        clean()
        process = start([program, "removed"], "report=none:profile=e.profile")
        said = f"allocsite: the profile {os.getcwd()}/e.profile is lost: it was removed while the program ran\n"
        expect("removed: status and errors", (3, said), (process.returncode, process.err))


def fatal():
    """Fatal signals are reported, and the process ends as it would otherwise."""
    told = {"fault": signal.SIGSEGV, "trap": signal.SIGILL, "pipe": signal.SIGPIPE, "terminate": signal.SIGTERM, "abort": signal.SIGABRT,
            "assert": signal.SIGABRT, "kill": None, "caught": None, "overflow": None, "vfork_killed": 3}
    died = {"kill": signal.SIGKILL, "caught": signal.SIGKILL, "overflow": signal.SIGSEGV}
    for options in ([], ["-static"]):
        program = build("endings.c", "endings", *options)
        for how, number in told.items():
            clean()
            process = start([program, how], "report=none:profile=e.profile:fatal=1")
            expect(f"{how}: status", number if number == 3 else -died.get(how, number), process.returncode)
            ran = profile("e.profile")["run"]
            ending = "exit" if number == 3 else "signal" if number else None
            expect(f"{how}: ending", (ending, number or 0), (ran["ending"], ran["status"]))
            # And reported once.
            process = start([program, how], "fatal=1")
            expect(f"{how}: reports", bool(number), process.err.count("total: ") == 1)


# ---- out of memory ----


class MemoryGroup:
    """A control group whose processes have little memory: cgroups(7), version 1 or 2."""

    def __init__(self, megabytes):
        for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            self.path = os.path.join(root, f"allocsite-test-{os.getpid()}")
            try:
                os.mkdir(self.path)
                if os.path.exists(os.path.join(self.path, limit)):
                    self.write(limit, megabytes << 20)
                    return
                os.rmdir(self.path)
            except OSError:
                pass
        sys.exit(SKIPPED)

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(str(value))

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        os.rmdir(self.path)


def out_of_memory():
    """After the kernel's OOM killer, the profile is correct to the last block."""
    program = build("exhausted.c", "exhausted", "-fno-builtin")
    clean()
    with MemoryGroup(32) as group, open("blocks", "w+b") as blocks:
        process = subprocess.run([program], env=dict(os.environ, ALLOCSITE_OPTIONS="report=none:profile=o.profile"), stdout=blocks,
                                 preexec_fn=group.enter)
        done = blocks.seek(0, os.SEEK_END) // 4
    expect("killed", -signal.SIGKILL, process.returncode)
    report = profile("o.profile")
    expect("finished, exact", (False, []), (report["finished"], report["inexact_reasons"]))
    allocs = site_at(report, "exhausted.c", "each")["allocs"]
    expect(f"{done} acknowledged blocks, or one more", True, done > 10000 and done <= allocs <= done + 1)
    print(f"killed after {done} blocks")


# ---- processes ----


def check_child(report):
    counts = site_at(report, "children.c", "child")
    parent = site_at(report, "children.c", "parent")
    number = counts["allocs"] - 100
    expect(f"child {number}", (100 + number, 100, number), (counts["allocs"], counts["frees"], counts["live_blocks"]))
    expect(f"child {number}: inherited", (20, 20000, 10, 10000, 10),
           tuple(parent[counter] for counter in ("inherited_blocks", "inherited_bytes", "frees", "freed_bytes", "live_blocks")))
    return number


def check_parent(report):
    parent = site_at(report, "children.c", "parent")
    expect("parent", (20, 20, 0, 0), tuple(parent[counter] for counter in ("allocs", "frees", "live_blocks", "inherited_blocks")))
    expect("parent counts its children", 0, site_at(report, "children.c", "child")["allocs"])


def check_children(program, how, count, finished=True):
    clean()
    process = start([program, how, str(count)], "report=none:profile=c.%p.profile")
    expect(f"{how}: status and errors", (0, ""), (process.returncode, process.err))
    time.sleep(0.3 if how == "daemon" else 0)
    reports = {report["pid"]: report for report in profiles("c.*.profile*")}
    check_parent(reports.pop(process.pid))
    return reports


def children():
    for options in ([], ["-static"]):
        program = build("children.c", "children", *options)
        for how, count in (("fork", 200), ("killed", 20), ("clone", 5), ("daemon", 1)):
            reports = check_children(program, how, count)
            grown = [report for report in reports.values() if site_at(report, "children.c", "child")["allocs"]]
            expect(f"{how}: children", sorted(range(count)), sorted(check_child(report) for report in grown))
            expect(f"{how}: finished", {how != "killed"}, {report["finished"] for report in grown})
        for how in "idle", "vfork":
            expect(f"{how}: profiles of children that count nothing", 0, len(check_children(program, how, 3)))
        spawned = check_children(program, "spawn", 5)
        expect("spawned: allocations", list(range(100, 105)), sorted(site_at(report, "children.c", "child")["allocs"] for report in spawned.values()))
        # Without %p a child does not overwrite its parent's file.
        clean()
        process = start([program, "fork", "3"], "report=none:profile=c.profile")
        check_parent(profile("c.profile"))
        expect("without %p", [0, 1, 2], sorted(check_child(report) for report in profiles("c.profile.*")))


def joined():
    """The report of all processes is their sum."""
    program = build("children.c", "children")
    check_children(program, "fork", 20)
    dump = subprocess.run([DUMP, "report", "--format=json", *glob.glob("c.*.profile*")], capture_output=True, text=True)
    expect("errors", "", dump.stderr)
    report = json.loads(dump.stdout)
    check_laws(report)
    counts, parent = site_at(report, "children.c", "child"), site_at(report, "children.c", "parent")
    expect("children together", (20 * 100 + 190, 20 * 100), (counts["allocs"], counts["frees"]))
    # A block that a child inherited and did not touch counts where it was allocated.
    expect("parent's blocks", (20, 20 + 200, 200, 0), tuple(parent[counter] for counter in ("allocs", "frees", "inherited_blocks", "live_blocks")))
    expect("processes", 21, report["processes"])
    shown = subprocess.run([DUMP, "report", *glob.glob("c.*.profile*")], capture_output=True, text=True).stdout
    expect("a line says how", True, "195.3 KiB in 200 blocks that 20 forked processes left alone count once, where they were allocated" in shown)


# ---- generations of forked processes ----

MARKS = "untouched", "given back", "own", "mixed"
OF_JOIN = "allocs", "frees", "inherited_blocks", "live_blocks", "live_bytes", "inherited_bytes"


def report_of_all(paths, what):
    dump = subprocess.run([DUMP, "report", "--format=json", *paths], capture_output=True, text=True)
    expect(f"{what}: status and errors", (0, ""), (dump.returncode, dump.stderr))
    report = json.loads(dump.stdout)
    check_laws(report)
    return report


def model(notes):
    """Returns for each line the expected result of joining all processes, and the result if the runtime knew every
    block."""
    for line, size in enumerate((10, 20, 30, 40)):
        rows = [row[1:] for row in notes if row[0] == line]
        allocs, frees, freed_inherited = (sum(row[i] for row in rows) for i in range(3))
        shrunk, grown = (sum(max(0, sign * (live - inherited)) for _, _, _, inherited, live, _ in rows) for sign in (-1, 1))
        yield ((allocs, frees, shrunk, grown, grown * size, shrunk * size),
               (allocs, frees, freed_inherited, sum(live - left for *_, live, left in rows)))


def check_generations(program, seed):
    clean()
    with open("notes", "w+") as notes:
        process = subprocess.run(["sh", "-c", f'exec "{program}" {seed} 3>>notes'], env=dict(os.environ,
                                 ALLOCSITE_OPTIONS="report=none:profile=g.%p.profile"))
        noted = [tuple(map(int, line.split())) for line in notes]
    expect(f"{seed}: status", 0, process.returncode)
    paths = glob.glob("g.*.profile")
    expect(f"{seed}: profiles", len(noted) // len(MARKS), len(paths))
    report = report_of_all(paths, seed)
    for mark, (want, known) in zip(MARKS, model(noted)):
        got = site_at(report, "generations.c", mark)
        expect(f"{seed}, {mark}", want, tuple(got[counter] for counter in OF_JOIN))
        if mark != "mixed":
            expect(f"{seed}, {mark}, by block", known, want[:4])
        expect(f"{seed}, {mark}: no more is live than came", True, got["live_blocks"] <= got["allocs"])
    check_any_order(paths, report, seed)
    return len(paths)


def check_any_order(paths, report, seed):
    """The result does not depend on the order of joining."""
    random.Random(seed).shuffle(paths)
    for number, cut in enumerate((1, len(paths) // 2)):
        subprocess.run([DUMP, "merge", "-o", f"part{number}.profile", *paths[:cut]], check=True)
        again = report_of_all([*paths[cut:], f"part{number}.profile"], seed)
        for name in ("processes", "forked", "untouched_blocks", "untouched_bytes"):
            expect(f"{seed}, merged at {cut}: {name}", report.get(name, 0), again.get(name, 0))
        for mark in MARKS:
            expect(f"{seed}, merged at {cut}: {mark}", *({counter: value for counter, value in site_at(which, "generations.c", mark).items()
                   if "peak" not in counter} for which in (report, again)))


def generations():
    program = build("generations.c", "generations", "-fallocsite-contexts=0")  # its books are per line, not per path
    print(f"{sum(check_generations(program, seed) for seed in range(1, 13))} processes")


# ---- trouble with the disk ----


def check_untouched(what, process, says, out="done\n", status=3):
    lines = [line for line in process.err.splitlines() if line.startswith("allocsite: no profile in ")]
    expect(f"{what}: status and output", (status, out), (process.returncode, process.out))
    expect(f"{what}: lines", 1, len(lines))
    expect(f"{what}: says {says!r}", True, bool(lines) and says in lines[0])
    expect(f"{what}: report", True, "total:" in process.err)


def places():
    """If the profile cannot be created, one line says so, and the report is still written."""
    program = build("growing.c", "growing")
    clean()
    os.symlink("victim", "link.profile")
    open("text.profile", "w").write("mine\n")
    open("other.profile", "w").close()
    os.chown("other.profile", 12345, 12345)
    for place, says in (("/nowhere/at/all", "No such file"), ("/proc/profile", ""), ("/", ""), ("/dev/full", "not a regular file"), (".", "not a regular file"),
                        ("link.profile", "symbolic link"), ("text.profile", "not a profile"), ("other.profile", "another user"),
                        ("%x", "%p, %e"), ("/dev/full/p", "Not a directory")):
        check_untouched(place, start([program], f"profile={place}"), says)
    expect("symbolic link followed", False, os.path.exists("victim"))
    expect("file that is no profile", "mine\n", open("text.profile").read())
    expect("left behind", [], glob.glob("*.new.*"))
    process = start([program], "profile=%e-%h-%%.profile")
    name = f"growing-{os.uname().nodename}-%.profile"
    expect("patterns", (3, True), (process.returncode, os.path.exists(name)))
    expect("mode", 0o600, stat.S_IMODE(os.stat(name).st_mode))
    # The profile of a finished process is replaced atomically; the script has created an empty file for it.
    before = os.stat(name).st_ino
    open("empty.profile", "w").close()
    for path in name, "empty.profile":
        start([program], f"report=none:profile={path.replace('%', '%%')}")
        expect(f"replaced {path}", (True, 1000), (profile(path)["finished"], site_at(profile(path), "growing.c", "each")["allocs"]))
    expect("replaced in one step", True, os.stat(name).st_ino != before)
    os.mkdir("removed.d")
    gone = start(["sh", "-c", f"cd removed.d && rmdir ../removed.d && exec {program}"], "profile=p.profile")
    check_untouched("removed directory", gone, "No such file")


def read_only():
    """Root is not restricted by permissions, so this runs as another user."""
    if os.getuid() != 0:
        sys.exit(SKIPPED)
    program = build("growing.c", "growing")
    shutil.rmtree("/tmp/allocsite-read-only", ignore_errors=True)
    os.mkdir("/tmp/allocsite-read-only", 0o755)
    process = start([program], "profile=/tmp/allocsite-read-only/p", preexec_fn=lambda: os.setuid(65534))
    os.rmdir("/tmp/allocsite-read-only")
    if process.returncode == 126 or "cannot" in process.err:
        sys.exit(SKIPPED)
    check_untouched("read-only directory", process, "Permission denied")


def file_size():
    """RLIMIT_FSIZE, from no profile to a complete one."""
    program = build("growing.c", "growing")
    seen = collections.Counter()
    for limit in itertools.chain(range(0, 40000, 2000), range(40000, 400000, 20000)):
        clean()
        process = start([program, "8"], "profile=s.profile", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        outcome = check_partly(f"limit of {limit}", process, "s.profile", 8, "File too large")
        seen[outcome] += 1
    expect("outcomes", {"none", "partly", "whole"}, set(seen))


def check_partly(what, process, path, threads, says):
    """There is no profile, or one that says what is missing, or a complete one. The report is complete in any case."""
    expect(f"{what}: status and output", (3, "done\n"), (process.returncode, process.out))
    expect(f"{what}: report", True, f"{threads * 1000} " in process.err.replace(",", ""))
    said = [line for line in process.err.splitlines() if line.startswith("allocsite: ") and says in line]
    if not os.path.exists(path):
        expect(f"{what}: lines about no profile", 1, len(said))
        return "none"
    report = profile(path)
    allocs = site_at(report, "growing.c", "each")["allocs"]
    expect(f"{what}: is told if and only if something is missing", (len(said) == 1, len(said) == 0), (not report["exact"], allocs == threads * 1000))
    return "partly" if said else "whole"


class Disk:
    """A small mounted file system, which is full before the program uses the allocated space."""

    def __init__(self, kilobytes):
        self.path = os.path.join(WORK, "disk")
        os.makedirs(self.path, exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", self.path], capture_output=True)
        if mounted.returncode != 0:
            sys.exit(SKIPPED)

    def __enter__(self):
        return self.path

    def __exit__(self, *unused):
        subprocess.run(["umount", "-l", self.path], check=True)


def full_disk():
    """Also if space can only be allocated by writing."""
    program = build("growing.c", "growing")
    fill_disks([program, "16"])
    fill_disks([build("refuse.c", "refuse", plain=True), program, "16"])


def fill_disks(command):
    seen = collections.Counter()
    for kilobytes in (*range(4, 64, 8), *range(64, 256, 32), 4096):
        with Disk(kilobytes) as disk:
            process = start(command, f"profile={disk}/f.profile")
            if process.returncode == SKIPPED:
                return
            seen[check_partly(f"disk of {kilobytes} KiB", process, f"{disk}/f.profile", 16, "No space left")] += 1
            expect(f"disk of {kilobytes} KiB: left behind", [], glob.glob(f"{disk}/*.new.*"))
    expect("outcomes", {"none", "partly", "whole"}, set(seen))


def closed():
    """A program that closes descriptors that it did not open, and reuses their numbers."""
    program = build("growing.c", "growing")
    for more in ([], ["-static"]):
        clean()
        process = start([build("growing.c", "growing", *more), "20", "closing"], "report=none:profile=d.profile")
        expect("closed: status and errors", (3, ""), (process.returncode, process.err))
        report = profile("d.profile")
        expect("closed: totals", (20000, []), (site_at(report, "growing.c", "each")["allocs"], report["inexact_reasons"]))


def same_path():
    """A report does not truncate a mapped file."""
    program = build("growing.c", "growing")
    clean()
    process = start([program], "report=same.profile:profile=same.profile")
    line, _, report = process.err.partition("\n")
    expect("status, a line, and the report", (3, f"allocsite: no report in {os.getcwd()}/same.profile so far: File exists", True),
           (process.returncode, line, "total:" in report))
    expect("counts", 1000, site_at(profile("same.profile"), "growing.c", "each")["allocs"])


def registered():
    """Threads that register sites concurrently, and children that meanwhile register other sites than their parents."""
    program = build("registered.c", "registered")
    for _ in range(20):
        clean()
        process = start([program], "report=none:profile=g.%p.profile")
        expect("status and errors", (0, ""), (process.returncode, process.err))
        for report in profiles("g.*.profile*"):
            expect("exact", [], report["inexact_reasons"])
            is_child = report["pid"] != process.pid
            for site in report["sites"]:
                if site["sited"] and site["allocs"] and site["callee"] == "malloc":
                    wanted = "child" if is_child else "parent"
                    expect(f"{site['function']} in the {wanted}", (True, int(site["function"].split("_")[1]) * site["allocs"]),
                           (site["function"].startswith(wanted), site["alloc_bytes"]))
            expect("sites", 40, sum(site["callee"] == "malloc" and site["allocs"] > 0 for site in report["sites"]))


# ---- libraries that are unloaded, and reading live profiles ----


def reopened():
    """A library that is opened and closed 20,000 times: one row per site, and nothing grows."""
    library = build("reopened.c", "libreopened.so", "-shared", "-fPIC", "-DLIBRARY")
    program = build("reopened.c", "reopened", "-ldl")
    clean()
    process = start([program, library, "20000"], "report=none:profile=o.profile")
    expect("status and errors", (0, ""), (process.returncode, process.err))
    first, last = map(int, process.out.split())
    if last > first + 64:
        wrong.append(f"resident: {first} KiB became {last}")
    report = profile("o.profile")
    expect("rows", 1, sum(site["module"] == library and site["line"] == line_of("reopened.c", "in the library") for site in report["sites"]))
    counts = site_at(report, "reopened.c", "in the library")
    expect("counts", (20000, 20000, 140000), (counts["allocs"], counts["frees"], counts["alloc_bytes"]))
    if os.path.getsize("o.profile") > 256 << 10:
        wrong.append(f"the profile has {os.path.getsize('o.profile')} bytes")


def run_on():
    """Threads that allocate while the program ends: their last events may be counted partly, which violates no law."""
    program = build("busy.c", "busy")
    for _ in range(15):
        clean()
        start([program, "end"], "format=json:report=r.json:profile=r.profile:pairs=1")
        json.load(open("r.json"))
        expect("r.profile", "", subprocess.run([DUMP, "report", "r.profile"], capture_output=True, text=True).stderr)


def watched():
    """Reading while threads count: no counter is torn, decreases or violates a law."""
    program = build("busy.c", "busy")
    clean()
    environment = dict(os.environ, ALLOCSITE_OPTIONS="report=none:profile=w.profile")
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True)
    process.stdout.readline()
    before = collections.Counter()
    for _ in range(100):
        report = profile("w.profile")
        expect("finished", False, report["finished"])
        expect("exact", [], report["inexact_reasons"])
        for counter in "allocs", "alloc_bytes", "reallocs", "realloc_bytes", "frees", "freed_bytes", "moved":
            if report["totals"][counter] < before[counter]:
                wrong.append(f"{counter} was {before[counter]} and is {report['totals'][counter]}")
            before[counter] = report["totals"][counter]
        if report["totals"]["live_blocks"] > 10000:  # of two sites; see PROFILE_OUTRUN
            wrong.append(f"live: {report['totals']}")
    process.communicate("")
    expect("status", 3, process.returncode)
    expect("finished", True, profile("w.profile")["finished"])


# ---- space ----


def areas(path):
    """Returns kind, index and size of each area of a profile (rt/profile.h)."""
    data = open(path, "rb").read()
    left, = struct.unpack_from("<I", data, 4096)
    chunks = list(struct.unpack_from("<22Q", data, 4104))
    chunks[0] = 6144
    for number, start in enumerate(chunks):
        for i in range(min(left, 64 << number)):
            kind, index, _, size = struct.unpack_from("<IIQQ", data, start + 32 * i)
            yield kind, index, size
        left -= min(left, 64 << number)


def space():
    """File space is allocated for the existing sites and an eighth more."""
    program = build("space.c", "space", "-fallocsite-contexts=0")
    clean()
    process = start([program], "report=none:profile=s.profile")
    expect("status and errors", (3, ""), (process.returncode, process.err))
    sites = len(profile("s.profile")["sites"])
    taken, tallies, page = collections.Counter(), 5, 64
    for kind, index, size in areas("s.profile"):
        taken[index] += size * (kind == tallies) // 64
    most = sites + sites // 8 + 2 * page
    large = [slots for slots in taken.values() if slots >= 576]
    expect("blocks", 3, len(large))
    if max(large) > most:
        wrong.append(f"{sites} sites: {max(large)} of a block, at most {most}")


if __name__ == "__main__":
    main([killed, killed_static, born, endings, fatal, out_of_memory, children, joined, generations, places, read_only, file_size, full_disk, closed, reopened,
          run_on, watched, registered, same_path, space])
