# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite.h: api.c checks the results inside the program, this script checks the effects outside."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "rt", "lib")
VARIANTS = [], ["-static"], ["-O0", "-no-pie"]


def programs(*options):
    for number, variant in enumerate(VARIANTS):
        yield build("api.c", f"api{number}", f"-I{INCLUDE}", *variant, *options)


def check_case(name, options="format=json:report=%e.%p.json"):
    reports = []
    for program in programs():
        process = run([program, name], options)
        check_behaviour(process, status=0)
        reports.append(load(glob.glob(f"api*.{process.pid}.json")[0]))
    return reports


def line_of(mark):
    return next(number for number, text in enumerate(open(source("api.c")), 1) if f"/* {mark} */" in text)


def at(report, mark):
    found = [site for site in report["sites"] if site["sited"] and site["line"] == line_of(mark)]
    return [sum(site[counter] for site in found) for counter in ("allocs", "alloc_bytes", "frees", "live_blocks")]


def totals():
    check_case("totals")


def stopping():
    for report in check_case("stopping"):
        expect("counted while stopped", [0, 0, 0, 0], at(report, "stopped"))


def resetting():
    """In the report and in the profile, also after other threads have run."""
    for program in programs():
        process = run([program, "resetting"], "format=json:report=r.json:profile=r.profile")
        peak = int(process.out.split()[1])
        check_behaviour(process, f"peak {peak}\ndone\n", status=0)
        read = dumped("report", "--format=json", "r.profile")
        check_laws(read)
        for report in load("r.json"), read:
            expect("counts", ([0, 0, 49, 0], [7, 7000, 7, 0]), (at(report, "allocate"), at(report, "after")))
            expect("peak", peak, report["totals"]["peak_bytes"])


def phases():
    check_case("phases")
    for program in programs():
        process = run([program, "phases"], "report=none:profile=p.profile")
        check_behaviour(process, status=0)
        rows = dumped("report", "--by=phase", "--format=json", "p.profile")
        check_laws(dumped("report", "--format=json", "p.profile"))
        have = {row["phase"]: row["allocs"] for row in rows["rows"]}
        expect("phases", {"loading": 60, "parsing": 30, "deep": 60}, {name: have[name] for name in have if name})


def crowded():
    program = next(programs())
    check_behaviour(run([program, "crowded"], "report=none"), status=0)
    rows = dumped("report", "--by=phase", "--format=json", "crowded.copy")["rows"]
    expect("phases", 8192, sum(row["phase"] is not None for row in rows))
    expect("in phases", {1}, {row["allocs"] for row in rows if row["phase"] not in (None, "around")})
    expect("around", [0], [row["allocs"] for row in rows if row["phase"] == "around"])
    outside = [row["allocs"] for row in rows if row["phase"] is None]
    expect("outside", True, 9000 - 8191 <= outside[0] < 9000 - 8191 + 20)
    report = dumped("report", "--format=json", "crowded.copy")
    check_laws(report)
    expect("reasons", [True], ["more phases than" in reason for reason in report["inexact_reasons"]])


def marking():
    for report in check_case("marking"):
        expect("whole", [1, 1 << 20, 1, 0], at(report, "whole"))
        expect("part", [100, 800, 100, 0], at(report, "part"))
        expect("live already", [0, 0, 0, 0], at(report, "live already"))
        expect("callee", {"allocsite_mark"}, {site["callee"] for site in report["sites"] if site["line"] == line_of("whole")})


def marking_closely():
    for report in check_case("marking_closely"):
        expect("pool", [1, 336, 1, 0], at(report, "pool"))
        expect("close", [10, 160, 10, 0], at(report, "close"))


def marking_within():
    check_case("marking_within")


def marking_ends():
    check_case("marking_ends")


def checking():
    check_case("checking")


def reporting():
    for program in programs():
        for options in "report=none", "report=none:profile=real.profile":
            for old in glob.glob("now.*"):
                os.remove(old)
            process = run([program, "reporting"], options)
            check_behaviour(process, status=0, err="allocsite: no report: format=cvs: not a format, allocsite-dump help report lists them\n"
                            "allocsite-dump: standard output: No space left on device\nallocsite: no report: allocsite-dump could not write it\n")
            report = load(f"now.{process.pid}.json")
            expect("report", ([100, 1000, 0, 100], False), (at(report, "allocate"), report["finished"]))
            for path in "now.copy", "now.fd.copy":
                copied = dumped("report", "--format=json", path)
                check_laws(copied)
                expect(f"{path} {options}", ([100, 1000, 50, 50], False, []),
                       (at(copied, "allocate"), copied["finished"], copied["inexact_reasons"]))


def objects():
    """Options of one call override those of the process."""
    program = build("objects.c", "objects", f"-I{INCLUDE}")
    where = f"{source('objects.c')}:20"

    def reported(*options, process="report=none:top=1:min_bytes=1GiB:by=file"):
        found = run([program, *options], process)
        expect(f"{options}: status and errors", (0, ""), (found.returncode, found.err))
        return found.out

    def table(options, **more):
        first, *rows = reported(f"format=tsv:{options}", **more).splitlines()
        expect(f"{options}: rows", int(first), len(rows))
        return [row.split("\t") for row in rows]

    node, user = ["36", "1728", "41", "1968", "struct node"], ["3", "24", "3", "24", "struct user"]
    expect("by type", [node, user], table("by=type:leaks=1"))
    for options in "min_bytes=1KiB", "min_allocs=4", "top=1", "filter=struct n*", "filter=function=push":
        expect(options, [node], table(f"by=type:leaks=1:{options}"))
    expect("a table", True, "| 1.7 KiB | 98.6% | 36 | 41 | `struct node` |\n| 24 B |" in
           reported("format=markdown:by=type:leaks=1:min_bytes=1KiB"))
    expect("as by default", True, " 41 " in reported("") and "struct user" in reported(""))
    stacks = "report=none:stack=8"
    found = table("by=stack:depth=2:filter=struct node", process=stacks)
    expect("by stack", [("40", where), ("1", where)], [(row[2], row[4]) for row in found])
    expect("frames", [9, 9], [len(row) for row in found])
    expect("to a depth", [node[:4]], [row[:4] for row in table("by=stack:depth=1:filter=struct node", process=stacks)])
    freed = table("by=freed", process="report=none:pairs=1")
    expect("by the line that frees", [["5", "240", f"{source('objects.c')}:39"]], freed)
    for wrong_one, why in ("top=x", "not a number"), ("report=x", "not an option of one report"):
        process = run([program, f"{wrong_one}:by=type"], "report=none")
        expect(wrong_one, (22, "", f"allocsite: no report: {wrong_one}: {why}\n"), (process.returncode, process.out, process.err))
    for wanted, missing in ("by=freed", "out pairs=1"), ("pairs=1", "out pairs=1"), ("sizes=1", "out sizes=1"), (
            "leaks=1", " owners=0"):
        process = run([program, wanted], "report=none" + ":owners=0" * ("owners" in missing))
        said = f"allocsite: no report, the program was run with{missing}: {wanted}\n"
        expect(wanted, (22, "", said), (process.returncode, process.out, process.err))
    process = run([program], "format=tsv:by=type")
    expect("at exit", ["2", "\t".join(node), "\t".join(user)], process.err.splitlines())


def signalled():
    for program in programs():
        for old in glob.glob("s.*"):
            os.remove(old)
        process = run([program, "signalled"], "format=json:report=s.%p.json:signal=USR2")
        check_behaviour(process, status=0)
        paths = glob.glob(f"s.{process.pid}.json.*")
        if len(paths) < 5:
            wrong.append(f"{len(paths)} reports of 601 signals")
        for path in paths:
            expect(f"{path} finished", False, load(path)["finished"])
        last = max(paths, key=lambda path: int(path.rsplit(".", 1)[1]))
        expect("at the last signal", [100, 1000, 0, 100], at(load(last), "allocate"))
        expect("at exit", True, load(f"s.{process.pid}.json")["finished"])


def started():
    """Nothing is counted in any thread before the program starts counting."""
    program = build("started.c", "started", f"-I{INCLUDE}")
    for how, option in (("call", "stopped=1"), ("signal", "signal_start=USR1"), ("call", "enabled=0"),
                        ("signal", "enabled=0:signal_start=USR1")):
        process = run([program, how], f"format=json:report=st.json:{option}:profile=st.profile")
        expect(f"{how}: status and errors", (0, ""), (process.returncode, process.err))
        for report in load("st.json"), dumped("report", "--format=json", "st.profile"):
            sites = [site for site in report["sites"] if site["sited"] and site["file"].endswith("started.c")]
            expect(f"{how}: counted", [40, 20, 20], [sum(site[counter] for site in sites) for counter in ("allocs", "frees", "live_blocks")])
            expect(f"{how}: exact", [], report["inexact_reasons"])
    process = run([program, "own"], "report=none:signal=USR2:signal_start=USR1")
    expect("the program's own handlers", ["allocsite: no report at the signal: the program has a handler of its own for it",
           "allocsite: no start at the signal: the program has a handler of its own for it"], process.err.splitlines())


def started_profile():
    """A profile that the program requests late, and its child's; an invalid path is reported."""
    program = build("started.c", "started", f"-I{INCLUDE}")
    for option, allocs in ("stopped=1", 20), ("stopped=0", 30):
        for old in glob.glob("st.profile*"):
            os.remove(old)
        process = run([program, "profile"], f"report=none:{option}")
        expect(f"{option}: status", 0, process.returncode)
        expect(f"{option}: errors", ["absent/st.profile: No such file or directory"],
               [line.split("no profile in ")[-1].split(os.getcwd() + "/")[-1] for line in process.err.splitlines()])
        children = glob.glob("st.profile.*")
        expect(f"{option}: children", 1, len(children))
        for path, counted in ("st.profile", allocs), (children[0], 4):
            report = dumped("report", "--format=json", path)
            check_laws(report)
            sites = [site for site in report["sites"] if site["sited"] and site["callee"] == "malloc"]
            expect(f"{option}: {path}", (counted, [], True), (sum(site["allocs"] for site in sites), report["inexact_reasons"],
                                                              report["finished"]))


def early():
    check_case("early")


def forked():
    """Totals, snapshots and checks of a child, in a phase, with and without a profile."""
    for program in programs():
        for options in "report=none", "report=none:profile=f.%p.profile":
            for old in glob.glob("f.*") + glob.glob("forked.*"):
                os.remove(old)
            process = run([program, "forked"], options)
            expect("output", "done\n", process.out)
            copied = dumped("report", "--format=json", "forked.copy")
            check_laws(copied)
            expect("copy", ([1, 7, 0, 1], []), (at(copied, "in the child"), copied["inexact_reasons"]))
            phases = dumped("report", "--by=phase", "--format=json", "forked.copy")
            expect("phase", [1], [row["allocs"] for row in phases["rows"] if row["phase"] == "child"])


def racing():
    for program in programs():
        check_behaviour(run([program, "racing"], "report=none"), status=0)
        check_laws(dumped("report", "--format=json", "racing.copy"))
        expect("left behind", [], glob.glob("*.new.*"))


def mismarking():
    for program in programs():
        for old in glob.glob("m.*"):
            os.remove(old)
        process = run([program, "mismarking"], "format=json:report=m.json:profile=m.%p.profile")
        check_behaviour(process, status=0)
        paths = glob.glob("m.*.profile")
        expect("profiles", 2, len(paths))
        for path in paths:
            expect(f"reasons in {path}", [True], ["could not be marked" in reason for reason in dumped(
                "report", "--format=json", path)["inexact_reasons"]])
        report = json.load(open("m.json"))
        expect("reasons", [True], ["could not be marked" in reason for reason in report["inexact_reasons"]])
        expect("faults", [], report["faults"])


def absent():
    """Without plugin and runtime, or with the runtime off."""
    for program in programs():
        check_behaviour(run([program, "nothing"], "enabled=0"), status=0)
    for variant in VARIANTS:
        check_behaviour(run([build("api.c", "absent", f"-I{INCLUDE}", *variant, plain=True), "nothing"]), status=0)
    subprocess.run([CLANGXX, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", os.path.join(INCLUDE, "allocsite.h"),
                    "-Wno-unused-function", "-Wno-pragma-once-outside-header"], check=True)
    subprocess.run([CLANG, "-x", "c", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-Wno-unused-function",
                    os.path.join(INCLUDE, "allocsite.h")], check=True)
    subprocess.run(["g++", "-x", "c++", "-std=c++98", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-fsyntax-only",
                    f"-I{INCLUDE}", "-"], check=True, text=True, input="#include <allocsite.h>\n")


def arguments():
    """NULL and calls in the wrong order are rejected and cause no crash, wherever the runtime is. The program calls
    every function, so each new function of the header must be added there."""
    header, calls = (open(path).read() for path in (os.path.join(INCLUDE, "allocsite.h"), source("arguments.c")))
    functions = set(re.findall(r"^static inline .*?(allocsite_\w+)\(|^#define (allocsite_\w+)\(", header, re.M))
    expect("functions that are not called", [], [name for name in map("".join, functions) if f"{name}(" not in calls])
    expect("functions", True, len(functions) > 20)
    for number, variant in enumerate(VARIANTS):
        program = build("arguments.c", f"arguments{number}", f"-I{INCLUDE}", *variant)
        process = run([program])
        lines = set(process.err.splitlines())
        expect("status, output, errors", (0, "done\n", {"allocsite: no report: format=no such format: not a format, allocsite-dump help report lists them"}),
               (process.returncode, process.out, lines))
        report_of(process)
        check_behaviour(run([program, "absent" if "-static" in variant else "asleep"], "enabled=0"), status=0)
    check_behaviour(run([build("arguments.c", "absent", f"-I{INCLUDE}", plain=True), "absent"]), status=0)


def cancelled():
    """A thread that is cancelled while it writes a report does not block the reports of others."""
    program = build("cancelled.c", "cancelled", f"-I{INCLUDE}")
    process = run(["timeout", "-s", "KILL", "20", program], "format=json:report=cancelled.json")
    check_behaviour(process, out="", status=0)
    for path, finished in ("second.json", False), ("cancelled.json", True):
        report = load(path)
        expect(path, (finished, []), (report["finished"], report["inexact_reasons"]))


def waiting():
    """A program that waits for any child, or handles or ignores SIGCHLD, does not notice allocsite-dump."""
    for name, *options in ("waiting",), ("waiting_static", "-static"):
        program = build("waiting.c", name, f"-I{INCLUDE}", "-O0", *options)
        for way, signals, reaped in ("handler", 1, 1), ("ignore", 0, 0), ("thread", 0, 1):
            process = run(["timeout", "-s", "KILL", "20", program, way], "report=waiting.txt:leaks=1:exitcode=23")
            check_behaviour(process, out=f"{signals} signals, {reaped} reaped\n", status=23)


if __name__ == "__main__":
    main([totals, stopping, resetting, phases, crowded, marking, marking_closely, marking_within, marking_ends, checking,
          reporting, objects, signalled, started, started_profile, early, forked, racing, mismarking, absent, arguments, cancelled, waiting])
