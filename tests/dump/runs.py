# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files in a folder of the test, compiles and runs programs with allocsite, and runs allocsite-dump on their
reports.

ctest passes DUMP (allocsite-dump) and WORK (a folder) in the environment, and CC (allocsite-clang) to tests that
compile."""
import json
import os
import subprocess
import unittest

from profiles import profile

DUMP = os.environ["DUMP"]
CC = os.environ.get("CC")
WORK = os.environ["WORK"]
# Keeps rows of text on one line.
os.environ["COLUMNS"] = "1000"


# Sanitizers need memory and address space of their own.
unless_sanitized = unittest.skipIf("SANITIZED" in os.environ, "limits of memory")


def work(name):
    path = os.path.join(WORK, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def written(name, contents):
    """Writes bytes and text as they are, and a report in JSON form as a profile."""
    if not isinstance(contents, (bytes, bytearray, str)):
        contents = profile(contents)
    with open(work(name), "w" if isinstance(contents, str) else "wb") as file:
        file.write(contents)
    return work(name)


def pipe_reader(name):
    """Starts a process that reads a new named pipe to its end; communicate() returns the data."""
    os.mkfifo(work(name))
    return subprocess.Popen(["timeout", "60", "cat", work(name)], stdout=subprocess.PIPE)


def read(path):
    """Returns the report of a profile in JSON form."""
    return json.loads(dump("report", "--format=json", path).stdout)


def report(source, folder, options="reach=1", flags=("-O2",), contexts=0):
    """Compiles the source as program.c in a folder of its own, runs it and returns the path of its profile. Without
    call paths by default, so that helpers have their own lines."""
    written(f"{folder}/program.c", source)
    subprocess.run([CC, *flags, "-g", f"-fallocsite-contexts={contexts}", "program.c", "-o", "program"], check=True, cwd=work(folder))
    subprocess.run(["./program"], check=True, cwd=work(folder), stdout=subprocess.DEVNULL,
                   env={**os.environ, "ALLOCSITE_OPTIONS": f"report=/dev/null:profile=program.profile:{options}"})
    return work(f"{folder}/program.profile")


def dump(*arguments, **options):
    return subprocess.run([DUMP, *arguments], capture_output=True, text=True, timeout=60, **options)
