# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The format of reports, and how they leave a program without disturbing it."""
import csv
import errno
import glob
import io
import itertools
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

DONE = 3, "done\n"
INCLUDE = os.path.join(HERE, "../../../rt/lib")


def loud():
    return build("loud.c", "loud", "-g0")


def outcome(process):
    return process.returncode, process.out


def totals(program):
    return report_of(run([program]))["totals"]


def number(text):
    return int(text.replace(",", ""))


def table_of(text):
    """Parses the rows of a text report: [{column: cell}]. The site is the rest of the line."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.lstrip().startswith("bytes"))
    names = re.split(r" {2,}", lines[head].strip())
    rows = []
    for line in lines[head + 1:]:
        cells = re.split(r" {2,}", line.strip(), maxsplit=len(names) - 1)
        if re.match(r"\d", line.strip()) and len(cells) == len(names):
            rows.append(dict(zip(names, cells)))
    return rows


def text():
    program = loud()
    want = totals(program)
    for options in ("top=0", "top=1", "top=5", "", "min_bytes=7000", "sort=allocs:top=2", "min_allocs=8"):
        process = run([program], options, environment={"COLUMNS": "200"})
        rows = table_of(process.err)
        expect(f"text {options}: outcome", DONE, outcome(process))
        for column in "allocs", "reallocs", "moved", "failed":
            expect(f"text {options}: sum of {column}", want[column], sum(number(row[column]) for row in rows))
        share = "allocs%" if "sort=allocs" in options else "bytes%"
        expect(f"text {options}: {share} near 100", True,
               abs(sum(float(row[share].rstrip("%")) for row in rows) - 100) <= 0.05 * len(rows) + 0.1)
        more = [row["site"] for row in rows if "more site" in row["site"]]
        expect(f"text {options}: rows beyond", options not in ("top=0", ""), bool(more) if len(rows) < 20 else False)


def markdown():
    program = loud()
    process = run([program], "format=markdown:top=3")
    rows = [line.strip("|").split("|") for line in process.err.splitlines() if line.startswith("|")]
    expect("markdown: cells", {len(rows[0])}, {len(row) for row in rows})
    expect("markdown: rows, two of them sums", 3 + 2 + 2, len(rows))
    column = [cell.strip() for cell in rows[0]].index("allocs")
    expect("markdown: allocs", totals(program)["allocs"], sum(number(row[column]) for row in rows[2:]))


def comma_separated():
    program = loud()
    process = run([program], "format=csv")
    rows = list(csv.DictReader(io.StringIO(process.err, newline="")))
    want = totals(program)
    for counter in COUNTERS:
        expect(f"csv: {counter}", want[counter], sum(int(row[counter]) for row in rows))
    expect("csv: inlined", True, any(row["inlined"].startswith("main") for row in rows))
    expect("csv: top", 1 + 2, len(run([program], "format=csv:top=2").err.splitlines()))


def json_rows():
    program = loud()
    everything = json.loads(run([program], "format=json").err)
    one = json.loads(run([program], "format=json:top=1").err)
    expect("json: all rows", True, len(everything["sites"]) >= 4)
    expect("json: top", (1, everything["totals"]), (len(one["sites"]), one["totals"]))
    expect("json: left out", (0, len(everything["sites"]) - 1), (everything["sites_left_out"], one["sites_left_out"]))
    for row in [everything["totals"], *everything["sites"]]:
        expect("json: blocks", row["allocs"] + row["reallocs"] + row["inherited_blocks"],
               row["frees"] + row["moved"] + row["live_blocks"])
        expect("json: bytes", row["alloc_bytes"] + row["realloc_bytes"] + row["inherited_bytes"],
               row["freed_bytes"] + row["moved_bytes"] + row["live_bytes"])
    for counter in everything["totals"]:
        expect(f"json: sum of {counter}", everything["totals"][counter], sum(row[counter] for row in everything["sites"]))
    expect("json: program", program, everything["program"])
    expect("json: sorted", sorted((-site["alloc_bytes"] - site["realloc_bytes"] for site in everything["sites"])),
           [-site["alloc_bytes"] - site["realloc_bytes"] for site in everything["sites"]])


def leaks():
    """Only sites with live blocks, and all live bytes."""
    program = loud()
    process = run([program], "leaks=1:top=0")
    lines = process.err.splitlines()
    expect("leaks: head", True, any(line.split()[:3] == ["live", "live%", "blocks"] for line in lines))
    expect("leaks: live at exit", True, any(line.startswith("live at exit: ") for line in lines))
    sites = json.loads(run([program], "format=json:leaks=1").err)["sites"]
    expect("leaks: live blocks", True, bool(sites) and all(site["live_blocks"] for site in sites))
    expect("leaks: sum", totals(program)["live_bytes"], sum(site["live_bytes"] for site in sites))


def suppressed():
    """Suppressed leaks only count in the totals."""
    program = loud()
    with open("known", "w") as file:
        file.write("# of the helper\nleak:^helper$\n")
    every = json.loads(run([program], "format=json:leaks=1").err)
    some = json.loads(run([program], "format=json:leaks=1:suppress=known").err)
    expect("suppressed", [site for site in every["sites"] if site["function"] != "helper"], some["sites"])
    expect("suppressed: are left out", len(every["sites"]) - len(some["sites"]), some["sites_left_out"] - every["sites_left_out"])
    expect("suppressed: totals", every["totals"], some["totals"])
    expect("suppressed: told", True, " suppressed\n" in run([program], "leaks=1:suppress=known").err)
    expect("suppressed: no file", True, run([program], "leaks=1:suppress=absent").err.startswith("allocsite: no suppressions from absent: "))
    with open("known", "a") as file:
        file.write("\n  \nrace:helper\n")
    process = run([program], "format=json:leaks=1:suppress=known")
    said = "allocsite: suppression ignored, not of the form leak:PATTERN: race:helper\n"
    expect("suppressed: another form is told, the rest holds", (said, some["sites_left_out"]),
           (process.err[:len(said)], json.loads(process.err[len(said):])["sites_left_out"]))


def exit_code():
    """With exitcode=N leaks replace the exit status, however the program ends; everything is still written."""
    with open("leaky_known", "w") as file:
        file.write("leak:^main$\n")
    for linking in [], ["-static"]:
        program = build("leaky.c", "leaky", *linking)
        for ending in "return", "_exit", "quick_exit":
            for block, options, status in (
                    ("lost", "leaks=1:exitcode=23", 23), ("lost", "leaks=1:reach=1:exitcode=23", 23), ("lost", "leaks=1", 3),
                    ("lost", "exitcode=23", 3), ("reachable", "leaks=1:exitcode=23", 23),
                    ("reachable", "leaks=1:reach=1:exitcode=23", 3), ("nothing", "leaks=1:reach=1:exitcode=23", 3)):
                # A stream that is open at _exit and its like is a live block.
                if block == "nothing" or ending == "return" or "reach=1" in options or status != 3:
                    process = run([program, block, ending], options)
                    expect(f"{linking} {ending} {block} {options}", status, process.returncode)
                    expect(f"{linking} {ending} {block} {options}: written", "unflushed", open("written").read())
        expect(f"{linking}: to a file", 23, run([program, "lost", "return"], "leaks=1:exitcode=23:report=leaky.txt").returncode)
        expect(f"{linking}: no report", 3, run([program, "lost", "return"], "leaks=1:exitcode=23:report=none").returncode)
        known = run([program, "lost", "_exit"], "leaks=1:reach=1:exitcode=23:suppress=leaky_known")
        expect(f"{linking}: known", (3, 23), (known.returncode, run([program, "lost", "_exit"], "leaks=1:reach=1:exitcode=23").returncode))
    expect("wrong", True, "exitcode=256: not a number from 0 to 255" in run([program, "nothing", "_exit"], "exitcode=256").err)


def sizes():
    """Each call is in the class of its size."""
    for site in json.loads(run([loud()], "format=json:sizes=1").err)["sites"]:
        if site["sited"]:
            expect(f"sizes of {site['callee']}", site["allocs"] + site["reallocs"], sum(count for _, count in site["sizes"]))
            expect(f"sizes of {site['callee']}, least bytes", True,
                   sum(start * count for start, count in site["sizes"]) <= site["alloc_bytes"] + site["realloc_bytes"])


def defaults():
    program = loud()
    process = run([program], "top=1", environment={"DEFAULTS": "format=csv:top=4:wrong=1"})
    lines = process.err.splitlines()
    expect("the program's options", (True, 1 + 1 + 1), ("wrong=1" in lines[0], len(lines)))


def closed():
    """A program that closes its standard error."""
    program = loud()
    process = run([program, "fclose"])
    expect("fclose(stderr)", DONE, outcome(process))
    expect("fclose(stderr), report", True, "total:" in run([program, "fclose"], "").err)
    for options, lines in ("", 0), ("format=json", 0), ("report=/nowhere/x", 1):
        process = run([program, "close"], options)
        expect(f"close(2) {options}", (*DONE, lines), (*outcome(process), process.err.count("\n")))
    for what, wanted in ("data", True), ("log", False):
        for options in "", "report=/nowhere/x":
            expect(f"{what} {options}", DONE, outcome(run([program, what], options)))
            expect(f"{what} {options}: nothing in it", wanted, open("data").read() == "data")
    expect("exec with all closed", 3, run(["sh", "-c", f"exec {program} <&- >&- 2>&-"], "").returncode)


def broken_pipe():
    """Nothing reads the pipe: the program still ends normally."""
    program = loud()
    for options in ("format=json", "bananas=1"):
        for disposition in signal.SIG_DFL, signal.SIG_IGN:
            reader, writer = os.pipe()
            os.close(reader)
            process = run([program], options, stderr=writer, preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition))
            os.close(writer)
            expect(f"broken pipe {options} {disposition}", DONE, outcome(process))


def formats():
    """The end of the path is the format unless another one is requested, before or after it."""
    program = loud()
    for options, start in (("report=a.json", "{"), ("report=a.md", "**allocsite**"), ("report=a.html", "<!doctype html>"),
                           ("report=a.profile", "allocsite: "), ("report=a.txt", "allocsite: "),
                           ("format=json:report=a.md", "{"), ("report=a.md:format=json", "{")):
        process = run([program], options)
        said = "a report, not a profile: profile=PATH keeps one" in process.err
        path = re.search(r"report=([^:]+)", options)[1]
        with open(path) as file:
            expect(options, (DONE, True, "profile" in path), (outcome(process), file.read().startswith(start), said))
        os.remove(path)


def file_size():
    program = loud()
    for old in glob.glob("limited*"):
        os.remove(old)
    process = run([program], "format=json:report=limited.txt",
                  preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)), signal.signal(signal.SIGXFSZ, signal.SIG_DFL)))
    expect("limit of file size", DONE, outcome(process))
    lines, brace, report = process.err.partition("{")
    expect("limit of file size, lines, and the report here", True, "File too large" in lines and "totals" in json.loads(brace + report))
    expect("limit of file size, nothing left", [], glob.glob("limited*"))


def nonblocking():
    """A reader that is slower than the pipe, which is non-blocking."""
    program = loud()
    environment = dict(os.environ, ALLOCSITE_OPTIONS="format=json")
    want = len(run([program], "format=json").err)
    for filler in (0, 65000):
        reader, writer = os.pipe()
        os.write(writer, b" " * filler)
        process = subprocess.Popen([program, "nonblocking"], env=environment, stdout=subprocess.DEVNULL, stderr=writer)
        os.close(writer)
        time.sleep(0.3)
        got = b""
        while part := os.read(reader, 65536):
            got += part
        os.close(reader)
        expect("nonblocking, status", 3, process.wait())
        expect("nonblocking, totals", report_of(run([program]))["totals"], json.loads(got)["totals"])


def unreachable():
    """Reports whose destination cannot be written."""
    program = loud()
    os.makedirs("locked", exist_ok=True)
    os.chmod("locked", 0o555)
    if not os.path.exists("fifo"):
        os.mkfifo("fifo")
    os.chmod("fifo", 0o666)
    drop = (lambda: os.setuid(65534)) if os.getuid() == 0 else None
    os.chmod(WORK, 0o755)
    reachable = run(["true"], preexec_fn=drop, cwd=WORK).returncode == 0
    for place, says in (("locked/report", "denied"), ("fifo", "No such device")):
        process = run([program], f"report={WORK}/{place}", preexec_fn=drop if reachable else None)
        line, _, report = process.err.partition("\n")
        expect(f"{place}: a line, and the report here", (*DONE, True, True), (*outcome(process), says in line, "total:" in report))
    old = os.umask(0)
    run([program], "report=%p-%e.txt")
    os.umask(old)
    modes = {stat.S_IMODE(os.stat(name).st_mode) for name in os.listdir(".") if name.endswith("-loud.txt")}
    expect("mode", {0o600}, modes)


def fallback():
    """Without allocsite-dump, the runtime prints totals and the largest sites, and the program continues."""
    program, static = build("loud.c", "loud"), build("loud.c", "loud_static", "-static")
    for name, text in ("dies", "kill -KILL $$"), ("fails", "exit 127"), ("absent", None):
        if text:
            with open(name, "w") as file:
                file.write("#!/bin/sh\n" + text + "\n")
            os.chmod(name, 0o755)
    for each in program, static:
        want = json.loads(run([each], "format=json").err)["totals"]
        for reader in "dies", "fails", "absent":
            process = run([each], f"reader={os.path.abspath(reader)}")
            check_fallback(f"{each}, {reader}", process, want)
        process = run([each], "reader=/bin/true", preexec_fn=lambda: (os.setgid(65534), os.setuid(65534), resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))))
        check_fallback(f"{each}, no process", process, want)
    os.makedirs("root", exist_ok=True)
    shutil.copy(static, "root/loud")
    check_fallback("chroot", run(["chroot", "root", "/loud"]), None)


def check_fallback(what, process, want):
    head = re.search(r"allocations (\d+), bytes (\d+), live bytes (\d+), peak bytes (\d+)", process.err)
    found = tuple(map(int, head.groups()[:3])) if head else process.err
    counts = (want["allocs"] + want["reallocs"], want["alloc_bytes"] + want["realloc_bytes"], want["live_bytes"]) if want else found
    expect(f"{what}: behaviour", DONE, outcome(process))
    expect(f"{what}: totals", counts, found)
    expect(f"{what}: rows", True, re.search(r"loud\.c:\d+ helper \d+ \d+ \d+ \d+$", process.err, re.M) is not None)


def exhausted():
    """A program that uses all memory still gets a report with all its blocks."""
    program = build("exhausting.c", "exhausting", "-O0")
    for megabytes in 40, 200, 1500:
        for size in "1000", "100000":
            for options in "report=%e.%p.json", "report=%e.%p.json:stack=8", "report=%e.%p.json:profile=x.profile:pairs=1":
                process = run([program, size], f"format=json:{options}",
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)))
                what = f"{megabytes} MiB of {size} bytes, {options}"
                expect(f"{what}: status and errors", (3, ""), (process.returncode, process.err))
                report = report_of(process, faulty=True)
                blocks = sum(site["allocs"] for site in report["sites"] if site["sited"])
                expect(f"{what}: blocks", int(process.out), blocks)


# Errors of the failing calls. The runtime does not distinguish them, so the programs take turns.
REFUSALS = errno.ENOMEM, errno.EIO
UNLINK = 87


def refused():
    """If any system call of the runtime fails, the program runs normally, and its report is correct, or marked inexact,
    or a line explains why there is none."""
    little = build("exhausting.c", "little", "-O0")
    in_contexts = build("exhausting.c", "in_contexts", "-O0", "-fallocsite-contexts")
    subprocess.run([CLANG, "-O1", "-fPIC", "-shared", "-fno-builtin", source("refusing.c"), "-o", "librefusing.so"], check=True)
    cases = ((little, "report=got.json"), (little, "report=got.json:profile=got.profile:stack=4"),
             (little, "report=stderr"), (little, "report=got.json:graph=got.graph"),
             (little, "report=got.json:leaks=1:reach=1"),
             (little, "report=got.json:lifetime=1:sizes=1:pairs=1:temporary=1"),
             (little, "report=got.json:hook=librefusing.so:signal=USR1:fatal=1"),
             (in_contexts, "report=got.json:profile=got.profile"))
    for (program, options), error in zip(cases, itertools.cycle(REFUSALS)):
        refuse_each(program, options, error)


def refuse_each(program, options, error):
    want = refuse(program, options, 0, 0)[1]
    calls = set()
    for number in itertools.count(1):
        process, got = refuse(program, options, number, error)
        what = f"{options}, call {number}, {errno.errorcode[error]}"
        if not os.path.exists("refused"):
            break
        calls.add(call := os.path.getsize("refused"))
        expect(what, (3, "1000"), (process.returncode, process.out))
        if got is None:
            expect(f"{what}: says why there is none", True, "allocsite: " in process.err)
        elif got["exact"]:
            expect(f"{what}: totals", {name: count for name, count in want["totals"].items()
                                       if not (name.startswith(("leaked_", "possibly_leaked_")) and got.get("leaked_unknown"))}, got["totals"])
        expect(f"{what}: the snapshot, or a line", True, "graph=" not in options or os.path.exists("got.graph") or "allocsite: " in process.err)
        expect(f"{what}: files left", [], glob.glob("got.json.*") if call != UNLINK else [])
    print(f"{options}: {number - 1} calls refused, of {len(calls)} kinds")


def refuse(program, options, number, error):
    for old in glob.glob("got.*") + glob.glob("refused"):
        os.remove(old)
    with open("refuse_at", "w") as file:
        file.write(f"{number} {error}")
    process = run([program], f"format=json:{options}", environment={"LD_PRELOAD": os.path.join(WORK, "librefusing.so")})
    return process, load_totals(process, "got.json")


def load_totals(process, path):
    """Returns the report from the file, or from standard error after the runtime's lines, or None."""
    text = open(path).read() if os.path.exists(path) else process.err[process.err.find("{"):] if "{" in process.err else ""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def placed():
    """A report gets its name when it is complete, even if several processes use the same name."""
    program = build("placed.c", "placed")
    for how, names in (("alone", ["p.txt"]), ("fork", ["p.txt", "p.txt.PID"]), ("spawn", ["p.txt", "p.txt.1"]), ("move", ["p.txt"])):
        for again in range(2):
            for old in glob.glob("p.txt*") if not again else []:
                os.remove(old)
            time.sleep(0.2 * again)
            process = run([program, how], "report=p.txt")
            expect(f"{how}: status and errors", (0, ""), (process.returncode, process.err))
            if how != "fork" or not again:
                expect(f"{how}: names", names, sorted(re.sub(r"\.\d{2,}$", ".PID", name) for name in glob.glob("p.txt*")))
            expect(f"{how}: whole", {True}, {"total:" in open(name).read() for name in glob.glob("p.txt*")})
    # An existing report stays until a complete one replaces it.
    open("p.txt", "w").write("old")
    process = run([program, "alone"], "report=p.txt", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
    expect("one that fails", ("old", True), (open("p.txt").read(), "total:" in process.err))
    shutil.rmtree("made", ignore_errors=True)
    process = run([program, "make"], "report=made/p.txt")
    expect("a directory that comes later", (True, True), ("so far: No such file" in process.err, os.path.exists("made/p.txt")))
    # The report follows the program's buffered output.
    process = run([program, "prints"], "report=stdout")
    expect("after the program's own output", 0, process.out.find("printed\n"))
    process = run([program, "prints"], "report=stderr", stderr=subprocess.STDOUT)
    expect("after the program's own output", 0, process.out.find("printed\n"))


def narrow():
    """Threads with stacks of 16 KiB."""
    for linking in [], ["-static"]:
        program = build("narrow.c", "narrow", f"-I{INCLUDE}", *linking)
        for what in "exit", "fork", "report":
            for options in "", "stack=8:leaks=1:reach=1:top=0", "format=json", f"profile={what}.%p.profile":
                process = run([program, what], options)
                expect(f"{linking} {what} {options}", 3, process.returncode)
                expect(f"{linking} {what} {options}: report", True, "total" in process.err)


main([narrow, fallback, exhausted, refused, placed, text, markdown, comma_separated, json_rows, leaks, exit_code, suppressed, sizes, defaults, closed, broken_pipe, formats, file_size, nonblocking, unreachable])
