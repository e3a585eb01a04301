# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Call paths in all views and exports: they end where the program's own code begins.

ctest passes DUMP (allocsite-dump), CC (allocsite-clang) and WORK (a folder) in the environment.
"""
import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import unittest

from runs import CC, WORK, dump, work

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"dynamic": ["-g"], "static": ["-g", "-static"], "without_lines": []}
START_UP = re.compile(rb"\b(_start|__libc_start\w*|start_thread|clone3?|call_init|_dl_init|_dl_start_user|__run_exit_handlers)\b")
EXPORTS = "collapsed", "pprof", "speedscope", "callgrind", "dhat"


def setUpModule():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    for kind, options in KINDS.items():
        program = work(kind)
        subprocess.run([CC + "++", "-O1", *options, "-pthread", os.path.join(HERE, "paths.cpp"), "-o", program], check=True)
        subprocess.run([program], check=True, env={**os.environ, "ALLOCSITE_OPTIONS": f"profile={program}.profile:report=none"})


def check(*arguments):
    result = dump(*arguments)
    if result.returncode != 0 or result.stderr:
        raise AssertionError(f"{arguments}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def shown(*arguments):
    """What a command writes, unpacked."""
    path = work("shown")
    check(*arguments, "-o", path)
    with open(path, "rb") as file:
        text = file.read()
    if text.startswith(b"\x1f\x8b"):
        return gzip.decompress(text)
    data = re.search(rb'id="data">(.*?)</script>', text, re.S)
    return gzip.decompress(base64.b64decode(data[1])) if data else text


def name_of(frame):
    return (frame["function"] or "?").partition("(")[0]


class StartUp(unittest.TestCase):
    ENDS = {("deep_main", "main"), ("deep_thread", "in_thread"), ("deep_end", "at_end"), ("deep_compare", "main"),
            ("deep_initialiser", "_GLOBAL__sub_I_paths.cpp"), ("deep_destructor", "object::~object")}

    def test_paths_end_at_the_program(self):
        for kind in KINDS:
            stacks = json.loads(check("report", "--format=json", work(f"{kind}.profile")))["stacks"]
            paths = {tuple(map(name_of, stack["frames"])) for stack in stacks}
            ends = {(path[0], path[-1]) for path in paths if path[0].startswith("deep")}
            self.assertEqual(ends, self.ENDS, kind)
            sort = next(path for path in paths if path[0] == "deep_compare")
            self.assertIn("qsort_r", sort, "between functions of the program the C library stays")

    def test_in_all_views(self):
        profile = work("dynamic.profile")
        for command in (["report"], ["report", "--tree", "--prune=0"], ["report", "--tree=root", "--prune=0"],
                        ["report", "--format=json"], ["report", "--format=html"],
                        *(["export", f"--format={name}"] for name in EXPORTS)):
            text = shown(*command, profile)
            self.assertIsNone(START_UP.search(text), command)
            self.assertIn(b"deep_thread", text, command)


if __name__ == "__main__":
    unittest.main()
