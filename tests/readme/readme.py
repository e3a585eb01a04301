# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every command of README.md: readme.py README BIN WORK.

Each fenced block whose language is `sh` runs as written, in the order of the page, in one scratch directory. A block of
another language that follows a line ending in `FILE`: (a name in backquotes and a colon) is that file."""
import os
import re
import shutil
import subprocess
import sys

readme, bin, work = sys.argv[1:]
# Set-up commands: run.sh runs this test itself, and other tests cover demo.sh and plain cmake.
SET_UP = {"sh tests/demo.sh", "sh tests/run.sh", "cmake -S . -B build && cmake --build build"}
BLOCK = re.compile(r"(?:`([\w./-]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.M | re.S)

shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
shutil.copy(os.path.join(os.path.dirname(__file__), "configure"), work)
environment = dict(os.environ, PATH=f"{bin}:{os.environ['PATH']}", ALLOCSITE=os.path.dirname(bin))
failed = ran = 0
for name, language, text in BLOCK.findall(open(readme).read()):
    if name:
        with open(os.path.join(work, name), "w") as file:
            file.write(text)
    elif language == "sh" and not set(text.splitlines()) <= SET_UP:
        done = subprocess.run(["sh", "-eu", "-c", text], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        ran += 1
        if done.returncode != 0:
            failed += 1
            print(f"exit status {done.returncode}:\n{text}\n{done.stdout}")
# The packages that the page lists for a build are those that the set-up installs.
with open(os.path.join(os.path.dirname(readme), "cmake", "setup.sh")) as file:
    needed = re.search(r"^need_build.*?need (.*?)$", file.read(), re.M | re.S)[1].split()
for package in set(needed) - set(re.findall(r"[\w+-]+", open(readme).read())):
    failed += 1
    print(f"the page does not name the package {package}")
print(f"{ran} blocks of commands ran, {failed} failed")
sys.exit(failed > 0 or ran == 0)
