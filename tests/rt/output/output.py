# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What reports look like, and getting them out of a program without disturbing it."""
import csv
import io
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

DONE = 3, "done\n"


def loud():
    return build("loud.c", "loud", "-g0")


def outcome(process):
    return process.returncode, process.out


def totals(program):
    return report_of(run([program]))["totals"]


def number(text):
    return int(text.replace(",", ""))


def table_of(text):
    """The rows of a text report: [{column: cell}], columns of one name numbered, the site as the rest of the line."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.lstrip().startswith("bytes"))
    names = re.split(r" {2,}", lines[head].strip())
    rows = []
    for line in lines[head + 1:]:
        cells = re.split(r" {2,}", line.strip(), maxsplit=len(names) - 1)
        if re.match(r"\d", line.strip()) and len(cells) == len(names):
            rows.append(dict(zip(["bytes", "bytes share", "allocs", "allocs share", *names[4:]], cells)))
    return rows


def text():
    program = loud()
    want = totals(program)
    for options in ("top=0", "top=1", "top=5", "", "min_bytes=7000", "sort=allocs:top=2", "min_allocs=8"):
        process = run([program], options)
        rows = table_of(process.err)
        expect(f"text {options}: outcome", DONE, outcome(process))
        for column in "allocs", "reallocs", "moved", "failed":
            expect(f"text {options}: sum of {column}", want[column], sum(number(row[column]) for row in rows))
        for column in "bytes share", "allocs share":
            expect(f"text {options}: {column} near 100", True,
                   abs(sum(float(row[column].rstrip("%")) for row in rows) - 100) <= 0.05 * len(rows) + 0.1)
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
    """Only sites with live blocks, and all bytes that are live."""
    program = loud()
    process = run([program], "leaks=1:top=0")
    lines = process.err.splitlines()
    expect("leaks: head", True, any(line.split()[:3] == ["live", "share", "blocks"] for line in lines))
    expect("leaks: live at exit", True, any(line.startswith("live at exit: ") for line in lines))
    sites = json.loads(run([program], "format=json:leaks=1").err)["sites"]
    expect("leaks: live blocks", True, bool(sites) and all(site["live_blocks"] for site in sites))
    expect("leaks: sum", totals(program)["live_bytes"], sum(site["live_bytes"] for site in sites))


def suppressed():
    """Known leaks are no leaks, but in the totals."""
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
    for options in "", "format=json", "report=/nowhere/x":
        expect(f"close(2) {options}", (*DONE, ""), (*outcome(run([program, "close"], options)), run([program, "close"], options).err))
    expect("exec with all closed", 3, run(["sh", "-c", f"exec {program} <&- >&- 2>&-"], "").returncode)


def broken_pipe():
    """Nobody reads: the program still ends as it does."""
    program = loud()
    for options in ("format=json", "bananas=1"):
        for disposition in signal.SIG_DFL, signal.SIG_IGN:
            reader, writer = os.pipe()
            os.close(reader)
            process = run([program], options, stderr=writer, preexec_fn=lambda: signal.signal(signal.SIGPIPE, disposition))
            os.close(writer)
            expect(f"broken pipe {options} {disposition}", DONE, outcome(process))


def file_size():
    program = loud()
    process = run([program], "format=json:report=limited.txt",
                  preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)), signal.signal(signal.SIGXFSZ, signal.SIG_DFL)))
    expect("limit of file size", DONE, outcome(process))
    expect("limit of file size, one line", (1, True), (process.err.count("\n"), "not complete" in process.err))


def nonblocking():
    """A reader that is slower than the pipe is large."""
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
    """Reports that cannot be written where they shall go."""
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
        expect(f"{place}", (*DONE, 1, True), (*outcome(process), process.err.count("\n"), says in process.err))
    old = os.umask(0)
    run([program], "report=%p-%e.txt")
    os.umask(old)
    modes = {stat.S_IMODE(os.stat(name).st_mode) for name in os.listdir(".") if name.endswith("-loud.txt")}
    expect("mode", {0o600}, modes)


main([text, markdown, comma_separated, json_rows, leaks, suppressed, sizes, defaults, closed, broken_pipe, file_size, nonblocking, unreachable])
