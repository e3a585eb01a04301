# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files in a folder of the test's own, programs that are compiled with allocsite and run, and what allocsite-dump says of
their reports.

ctest passes DUMP (allocsite-dump) and WORK (a folder) in the environment, and CC (allocsite-clang) to who compiles.
"""
import json
import os
import subprocess
import unittest

from profiles import profile

DUMP = os.environ["DUMP"]
CC = os.environ.get("CC")
WORK = os.environ["WORK"]
# Rows of text stay on one line.
os.environ["COLUMNS"] = "1000"


# Sanitizers take memory and addresses of their own.
unless_sanitized = unittest.skipIf("SANITIZED" in os.environ, "limits of memory")


def work(name):
    path = os.path.join(WORK, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def written(name, contents):
    """Bytes and text as they are; a report, as JSON has it, as a profile."""
    if not isinstance(contents, (bytes, bytearray, str)):
        contents = profile(contents)
    with open(work(name), "w" if isinstance(contents, str) else "wb") as file:
        file.write(contents)
    return work(name)


def pipe_reader(name):
    """Who reads a new named pipe to its end: communicate() has what came."""
    os.mkfifo(work(name))
    return subprocess.Popen(["timeout", "60", "cat", work(name)], stdout=subprocess.PIPE)


def read(path):
    """The report of a profile, as JSON has it."""
    return json.loads(dump("report", "--format=json", path).stdout)


def report(source, folder, options="reach=1", flags=("-O2",), contexts=0):
    """Compiles the source as program.c, as every build does in a folder of its own, runs it and returns the path of its
    profile. Mostly without paths, so that helpers have lines of their own."""
    written(f"{folder}/program.c", source)
    subprocess.run([CC, *flags, "-g", f"-fallocsite-contexts={contexts}", "program.c", "-o", "program"], check=True, cwd=work(folder))
    subprocess.run(["./program"], check=True, cwd=work(folder), stdout=subprocess.DEVNULL,
                   env={**os.environ, "ALLOCSITE_OPTIONS": f"report=/dev/null:profile=program.profile:{options}"})
    return work(f"{folder}/program.profile")


def dump(*arguments, **options):
    return subprocess.run([DUMP, *arguments], capture_output=True, text=True, timeout=60, **options)
