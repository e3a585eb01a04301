# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares allocsite with other heap profilers that count every allocation: the same programs, in one interleaved run.

Each tool is used as its documentation says for an exact profile, and must leave a profile in every run. If a tool has
its own allocator, that allocator alone is also in the table. The programs are built without debug info, so that no tool
spends time reading it at exit."""
import itertools
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from build import environment, options, run
from interleave import PLAIN, Cost, RunFailed, Variant, cost, geometric_mean, interleaved, seconds
from times import CONTEXTS, COUNTING, programs

JEMALLOC = "libjemalloc.so.2"
TCMALLOC = "libtcmalloc.so.4"
EXACT_JEMALLOC = "prof:true,lg_prof_sample:0,prof_final:true"


@dataclass
class Rival:
    name: str
    how: str
    variant: Variant | None
    missing: str = ""  # why it cannot run


@dataclass
class Program:
    name: str
    seconds: float  # wall time of the plain program
    costs: dict[str, Cost]
    failures: dict[str, str]  # of the rivals that failed


def library(soname):
    """Returns the library's path or None. The loader ignores a preloaded library that it cannot find; then plain libc would
    be measured."""
    line = rf"^\t{re.escape(soname)} \(libc6,x86-64.*\) => (\S+)$"
    match = re.search(line, run(["/sbin/ldconfig", "-p"]), re.MULTILINE)
    return match and match.group(1)


def of_command(name, how, command, arguments, profiles):
    path = shutil.which(command)
    if not path:
        return Rival(name, how, None, f"{command} is not installed")
    return Rival(name, how, Variant(name, "plain", prefix=(path, *arguments), profiles=profiles))


def of_library(name, how, soname, variables=(), profiles=""):
    path = library(soname)
    if not path:
        return Rival(name, how, None, f"{soname} is not installed")
    return Rival(name, how, Variant(name, "plain", {"LD_PRELOAD": path, **dict(variables)}, profiles=profiles))


def has_profiling(jemalloc):
    variables = environment({"LD_PRELOAD": jemalloc, "MALLOC_CONF": "stats_print:true"})
    done = subprocess.run(["/bin/true"], env=variables, capture_output=True, text=True)
    return "config.prof: true" in done.stderr


def of_jemalloc(name, profiles):
    how = f"MALLOC_CONF={EXACT_JEMALLOC}"
    path = library(JEMALLOC)
    if path and not has_profiling(path):
        return Rival(name, how, None, f"{path} was built without profiling")
    settings = f"{EXACT_JEMALLOC},prof_prefix:{profiles}/profile"
    return of_library(name, how, JEMALLOC, {"MALLOC_CONF": settings}, profiles)


def of_memprof(builder, name, profiles):
    how = f"{builder.clang} -fmemory-profile, which watches loads and stores too"
    resources = run([os.path.join(builder.clang_directory, "clang"), "-print-resource-dir"]).strip()
    if not os.path.exists(os.path.join(resources, "lib", "linux", "libclang_rt.memprof-x86_64.a")):
        return Rival(name, how, None, f"{resources} has no libclang_rt.memprof-x86_64.a")
    return Rival(name, how, Variant(name, "memprof", {"MEMPROF_OPTIONS": f"log_path={profiles}/profile"},
                                    profiles=profiles))


def rivals(builder):
    def at(name):
        return os.path.join(builder.work, "profiles", name)

    return [
        Rival("allocsite", "sites alone, compiled with -fallocsite-contexts=0", COUNTING),
        Rival("contexts", "allocsite as it is: with the call path of each allocation", CONTEXTS),
        Rival("stack=8", "allocsite with eight calling frames of each allocation, compiled with frame pointers",
              Variant("stack=8", "frames", options("stack=8"))),
        of_command("heaptrack", "heaptrack -o FILE", "heaptrack", ["-o", at("heaptrack") + "/profile"],
                   at("heaptrack")),
        of_command("DHAT", "valgrind --tool=dhat", "valgrind",
                   ["--tool=dhat", f"--dhat-out-file={at('dhat')}/profile"], at("dhat")),
        of_memprof(builder, "MemProf", at("memprof")),
        of_jemalloc("jemalloc prof", at("jemalloc")),
        of_library("gperftools", "HEAPPROFILE=FILE with libtcmalloc", TCMALLOC,
                   {"HEAPPROFILE": at("gperftools") + "/profile"}, at("gperftools")),
        of_library("jemalloc", "its allocator alone, no profile", JEMALLOC),
        of_library("tcmalloc", "its allocator alone, no profile", TCMALLOC),
    ]


def measure_program(builder, job, running, rounds):
    """Returns (results, failures). The rounds restart without a rival that fails."""
    failures = {}
    variants = [PLAIN] + running
    while True:
        try:
            return interleaved(builder, job, variants, rounds), failures
        except RunFailed as failure:
            if failure.variant is PLAIN:
                raise
            failures[failure.variant.name] = str(failure)
            variants.remove(failure.variant)


def measure(builder, running, rounds, quick):
    for name, job in itertools.islice(programs(quick), 2 if quick else None):
        print(f"bench: {name}: {rounds} rounds of {len(running) + 1} runs", file=sys.stderr, flush=True)
        results, failures = measure_program(builder, job, running, rounds)
        costs = {variant.name: cost(results, variant.name) for variant in running if variant.name not in failures}
        yield Program(name, seconds(results), costs, failures)


def print_row(name, plain, ratios):
    print(f"  {name:<16} {plain:>9}"
          + "".join(f" {'failed' if ratio is None else format(ratio, '.2f'):>13}" for ratio in ratios), flush=True)


def wall(program, name):
    return program.costs[name].wall.median if name in program.costs else None


def mean(measured, name):
    """Returns None for a rival that failed in a program, because a mean of fewer programs is not comparable."""
    ratios = [wall(program, name) for program in measured]
    return None if None in ratios else geometric_mean(ratios)


def print_notes(known, measured):
    for rival in known:
        print(f"  {rival.name}: {rival.how}" + (f": NOT MEASURED, {rival.missing}" if rival.missing else ""))
    for program in measured:
        for failure in program.failures.values():
            print(f"  {program.name} with {failure}")


def section(builder, arguments):
    known = rivals(builder)
    running = [rival.variant for rival in known if rival.variant]
    rounds = arguments.rounds or 3
    print(f"\nWall time with each tool / without: medians of {rounds} rounds")
    print(f"  {'program':<16} {'plain':>9}" + "".join(f" {variant.name:>13}" for variant in running))
    measured = []
    for program in measure(builder, running, rounds, arguments.quick):
        measured.append(program)
        print_row(program.name, f"{program.seconds:.3f} s", [wall(program, variant.name) for variant in running])
    means = {variant.name: mean(measured, variant.name) for variant in running}
    print_row("geometric mean", "", means.values())
    print_notes(known, measured)
    return {"rounds": rounds, "tools": {rival.name: {"how": rival.how, "missing": rival.missing} for rival in known},
            "programs": measured, "geometric_mean": means}
