# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What allocsite costs: bench.py BIN LIB RT MAJOR CLANG CLANGXX WORK [RUNS]

Builds each program with and without allocsite, runs the two in turns and prints the ratio of the median times, and
their geometric mean; the instructions that callgrind sees more for each pair of malloc and free; the time
that 100,000 sites take to register; the memory that the runtime adds. Figures are printed, never asserted."""
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

BIN, LIB, RT, MAJOR, CLANG, CLANGXX, WORK, *RUNS = sys.argv[1:]
RUNS = int(RUNS[0]) if RUNS else 9
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = "pairs.c", "objects.cpp", "strings.c", "containers.cpp", "threads.cpp"
SILENT = dict(os.environ, ALLOCSITE_OPTIONS="report=none")
OFF = dict(os.environ, ALLOCSITE_OPTIONS="enabled=0")


def build(name):
    """The program without allocsite and the one with it."""
    cxx = name.endswith("pp")
    plain, counted = (os.path.join(WORK, name.split(".")[0] + suffix) for suffix in (".plain", ".counted"))
    for driver, out in ((CLANGXX if cxx else CLANG, plain), (f"{BIN}/allocsite-clang{'++' if cxx else ''}-{MAJOR}", counted)):
        subprocess.run([driver, "-O2", "-w", "-pthread", os.path.join(HERE, name), "-o", out], check=True)
    return plain, counted


def seconds(program, environment):
    """Wall time, and the processor's, which says more on a machine that has other things to do."""
    start = time.monotonic()
    pid = os.posix_spawn(program, [program], environment)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{program}: status {status}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime


def wall(name):
    """Ratios of medians, of interleaved runs: counted and switched off, over plain."""
    plain, counted = build(name)
    variants = ((plain, SILENT), (counted, SILENT), (counted, OFF))
    times = [[], [], []]
    for run in range(RUNS + 1):
        for which, (program, environment) in enumerate(variants):
            elapsed = seconds(program, environment)
            if run:  # the first warms up
                times[which].append(elapsed)
    (base, base_cpu), (on, on_cpu), (off, off_cpu) = (map(statistics.median, zip(*runs)) for runs in times)
    ratios = on / base, on_cpu / base_cpu, off / base, off_cpu / base_cpu
    print(f"{name:16} {base:7.3f} s  {show(ratios)}", flush=True)
    return ratios


def show(ratios):
    return "with allocsite: wall {:.3f}, processor {:.3f}; enabled=0: wall {:.3f}, processor {:.3f}".format(*ratios)


def instructions(program, pairs, environment):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, str(pairs)],
                          env=environment, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def per_pair(program, environment):
    few, many = 10000, 110000
    return (instructions(program, many, environment) - instructions(program, few, environment)) / (many - few)


def added_instructions(name):
    plain, counted = build(name)
    base = per_pair(plain, SILENT)
    print(f"{name:16} {base:6.1f} instructions per pair; with allocsite {per_pair(counted, SILENT) - base:+.1f}, "
          f"enabled=0 {per_pair(counted, OFF) - base:+.1f}")


def registration():
    program = os.path.join(WORK, "register")
    subprocess.run([CLANG, "-O2", f"-I{RT}", os.path.join(HERE, "register.c"), f"-L{LIB}", "-lallocsite",
                    f"-Wl,-rpath,{LIB}", "-o", program], check=True)
    times = [float(subprocess.run([program], env=SILENT, capture_output=True, text=True, check=True).stdout)
             for _ in range(RUNS)]
    print(f"100,000 sites register in {statistics.median(times):.1f} ms")


def memory():
    plain, counted = build("resident.c")
    base, on = (statistics.median(int(subprocess.run([program], env=SILENT, capture_output=True, check=True).stdout)
                                  for _ in range(RUNS)) for program in (plain, counted))
    print(f"resident memory: {base:.0f} KiB; with allocsite {on - base:+.0f} KiB")


os.makedirs(WORK, exist_ok=True)
ratios = [wall(name) for name in PROGRAMS]
print(f"geometric mean              {show([math.exp(statistics.mean(map(math.log, column))) for column in zip(*ratios)])}")
if shutil.which("valgrind"):
    added_instructions("pairs.c")
    added_instructions("objects.cpp")
registration()
memory()
