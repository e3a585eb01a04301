# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of merging many profiles with many sites each."""
import os
import shutil
import subprocess
import time
from dataclasses import dataclass

from build import environment, options, run
from goals import verdict
from registration import generate

SITES = 1000
PROFILES = 10000
# Profiles come from RUNS runs. The others are links to these, so that all are in the page cache, independent of the
# disk.
RUNS = 50


@dataclass
class Merging:
    profiles: int
    seconds: float
    mib: float  # maximum resident memory


def make_profiles(builder, directory, profiles):
    source = os.path.join(builder.work, "merged.c")
    generate(source, SITES)
    _, counting = builder.pair(source)
    made = [os.path.join(directory, str(number)) for number in range(min(RUNS, profiles))]
    for path in made:
        run([counting], environment(options(f"report=none:profile={path}")))
    further = [f"{made[number % len(made)]}.{number}" for number in range(len(made), profiles)]
    for number, path in enumerate(further):
        os.link(made[number % len(made)], path)
    return made + further


def measure(builder, command, profiles):
    directory = os.path.join(builder.work, "profiles")
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    paths = make_profiles(builder, directory, profiles)
    begin = time.monotonic()
    process = subprocess.Popen([os.path.join(builder.bin, "allocsite-dump"), *command, *paths], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    shutil.rmtree(directory)
    if status:
        raise RuntimeError(f"allocsite-dump {command[0]} failed")
    return Merging(profiles, seconds, usage.ru_maxrss / 1024)


def section(builder, arguments):
    profiles = 20 if arguments.quick else PROFILES
    results = {}
    print(f"\n{profiles:,} profiles of {SITES:,} sites each")
    for command in (["merge", "-o", os.path.join(builder.work, "merged.profile")], ["report", "--format=json"]):
        result = results[command[0]] = measure(builder, command, profiles)
        print(f"  {command[0]:<8} {result.seconds:>8.1f} s{verdict(arguments, result.seconds, 'merging', ' s')}")
        print(f"           {result.mib:>8.1f} MiB{verdict(arguments, result.mib, 'merging memory', ' MiB')}", flush=True)
    return results
