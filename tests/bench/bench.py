# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What allocsite costs: time of whole programs, instructions of an allocation, memory, first use of sites.

Prints one table. It judges nothing by its exit status: times are those of this machine at this moment.
"""
import argparse
import os
import platform
import shutil

import instructions
import memory
import registration
import times
from build import Builder

GOALS = {"wall": 1.02, "instructions": 25, "resident": 300, "registration": 50}


def verdict(arguments, value, goal, unit=""):
    """A quick run measures nothing."""
    return "" if arguments.quick else f"   goal: at most {goal:g}{unit}: {'met' if value <= goal else 'MISSED'}"


def print_machine(builder):
    processors = os.cpu_count()
    load = os.getloadavg()[0]
    print(f"{builder.clang}, {platform.system()} {platform.machine()}, {processors} processors, load {load:.1f}")
    if load > processors / 2:
        print("The machine is busy: least CPU times say more than medians, and these more than wall times.")


def print_times(builder, arguments):
    print(f"\nTime with allocsite / without: medians (quartiles) of {arguments.rounds} rounds, least CPU times")
    print(f"  {'program':<16} {'plain':>9} {'wall':>8} {'':15} {'CPU':>8} {'':15} {'least':>8}")
    programs = []
    for program in times.measure(builder, arguments.rounds, arguments.quick):
        programs.append(program)
        wall, cpu = program.wall, program.cpu
        print(f"  {program.name:<16} {program.seconds:>7.3f} s {wall.median:>8.3f} ({wall.low:.3f} {wall.high:.3f})"
              f" {cpu.median:>8.3f} ({cpu.low:.3f} {cpu.high:.3f}) {program.least:>8.3f}", flush=True)
    wall = times.geometric_mean(program.wall.median for program in programs)
    cpu = times.geometric_mean(program.cpu.median for program in programs)
    least = times.geometric_mean(program.least for program in programs)
    print(f"  {'geometric mean':<26} {wall:>8.3f} {'':15} {cpu:>8.3f} {'':15} {least:>8.3f}"
          f"{verdict(arguments, wall, GOALS['wall'], ' (wall)')}")


def print_instructions(builder, arguments):
    if not shutil.which("valgrind"):
        print("\nInstructions per pair: not counted, valgrind is not installed")
        return
    print("\nInstructions per pair, exact (callgrind)")
    print(f"  {'':22} {'plain':>8} {'+ sited':>8} {'+ unsited':>10} {'+ enabled=0':>12}")
    for kind in instructions.measure(builder, arguments.quick):
        is_goal = kind.name == instructions.KINDS["malloc"]
        goal = verdict(arguments, kind.sited, GOALS["instructions"]) if is_goal else ""
        print(f"  {kind.name:<22} {kind.plain:>8.1f} {kind.sited:>8.1f} {kind.unsited:>10.1f} {kind.off:>12.1f}{goal}",
              flush=True)
    print(f"  start, first use of 2 sites and report of a process: {instructions.measure_run(builder):,}")


def print_memory(builder, arguments):
    added = memory.measure(builder, 1 if arguments.quick else 11)
    print("\nMemory added to a small program")
    print(f"  resident              {added.resident:>8.0f} KiB{verdict(arguments, added.resident, GOALS['resident'], ' KiB')}")
    print(f"  of that, private      {added.private:>8.0f} KiB")
    print(f"  each further thread   {added.thread:>8.1f} KiB", flush=True)


def print_registration(builder, arguments):
    sites = 1000 if arguments.quick else 100000
    result = registration.measure(builder, sites, 1 if arguments.quick else 9)
    goal = verdict(arguments, result.added, GOALS["registration"], " ms")
    print(f"\nFirst use of {sites:,} sites")
    print(f"  first pass, second pass   {result.first:.1f} ms, {result.second:.1f} ms of CPU time")
    print(f"  registration          {result.added:>8.1f} ms{goal}", flush=True)


SECTIONS = {
    "times": print_times,
    "instructions": print_instructions,
    "memory": print_memory,
    "registration": print_registration,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", help="bin directory of a build")
    parser.add_argument("work", help="directory for what is built here")
    parser.add_argument("--rounds", type=int, help="of each program (default: 41)")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="just this part of the table")
    parser.add_argument("--quick", action="store_true", help="a little of everything, to see that it works")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (1 if arguments.quick else 41)
    builder = Builder(os.path.abspath(arguments.bin), os.path.abspath(arguments.work))
    print_machine(builder)
    for name, print_section in SECTIONS.items():
        if not arguments.only or name in arguments.only:
            print_section(builder, arguments)


if __name__ == "__main__":
    main()
