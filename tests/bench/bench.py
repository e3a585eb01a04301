# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of allocsite: run time of programs, instructions per allocation, memory, threads, first use of sites.

Prints one table for each. The exit status does not depend on the results: times are specific to the machine and moment.
"""
import argparse
import dataclasses
import json
import os
import platform

import compilers
import compiling
import instructions
import live
import memory
import merging
import real_programs
import registration
import rivals
import threads
import times
from build import Builder, fail
from interleave import RunFailed

SECTIONS = {
    "times": times.section,
    "real": real_programs.section,
    "threads": threads.section,
    "instructions": instructions.section,
    "memory": memory.section,
    "live": live.section,
    "registration": registration.section,
    "merging": merging.section,
    "compiling": compiling.section,
}
SLOW_SECTIONS = {"rivals": rivals.section, "compilers": compilers.section}


def machine(builder):
    return {"clang": builder.clang, "system": f"{platform.system()} {platform.machine()}",
            "processors": os.cpu_count(), "load": os.getloadavg()[0]}


def print_machine(found):
    print(f"{found['clang']}, {found['system']}, {found['processors']} processors, load {found['load']:.1f}")
    if found["load"] > found["processors"] / 2:
        print("The machine is busy: least CPU times say more than medians, and these more than wall times.")


def write_json(path, results):
    with open(path, "w") as file:
        json.dump(results, file, indent=1, default=dataclasses.asdict)
        file.write("\n")


def add_mean_of_all(results, arguments):
    """Adds the mean of all programs once both groups are measured."""
    groups = [results.get(name) for name in ("times", "real")]
    if all(groups) and "all" not in results:
        results["all"] = times.together(groups, arguments)


def parse():
    every = {**SECTIONS, **SLOW_SECTIONS}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", help="bin directory of a build")
    parser.add_argument("work", help="directory for what is built here")
    parser.add_argument("--rounds", type=int,
                        help="of each program (default: 41; 12 for real ones, 21 for threads, 3 for rivals)")
    parser.add_argument("--only", choices=every, action="append",
                        help="just this part; rivals and compilers run only when named")
    parser.add_argument("--switches", action="store_true", help="times and instructions with each switch as well")
    parser.add_argument("--json", metavar="FILE", help="the results, as JSON")
    parser.add_argument("--quick", action="store_true", help="a little of everything, to see that it works")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds = arguments.rounds or 1
        arguments.switches = True
    return arguments, {name: every[name] for name in arguments.only or (every if arguments.quick else SECTIONS)}


def main():
    arguments, sections = parse()
    builder = Builder(os.path.abspath(arguments.bin), os.path.abspath(arguments.work))
    results = {"machine": machine(builder)}
    print_machine(results["machine"])
    try:
        for name, section in sections.items():
            results[name] = section(builder, arguments)
            add_mean_of_all(results, arguments)
    except RunFailed as failure:
        fail(failure)
    if arguments.json:
        write_json(arguments.json, results)


if __name__ == "__main__":
    main()
