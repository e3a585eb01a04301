# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of allocsite-tutorial.7: tutorial.py PAGE BIN WORK.

A literal block after a line `.Pa NAME :` is that file. In other blocks, lines that begin with `$ ` are commands, all
run by one shell. The lines after a command are parts of its output, in order but not complete; spaces may differ."""
import os
import re
import shutil
import subprocess
import sys

page, bin, work = sys.argv[1:]
BLOCK = re.compile(r"(?:^\.Pa (\S+) ?:?\n(?:[^.\n][^\n]*\n)?)?^\.Bd -literal\n(.*?)^\.Ed$", re.M | re.S)
MARK = "-- command "


def plain(text):
    return text.replace("\\e", "\\").replace("\\&", "")


def words(text):
    return " ".join(text.split())


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
commands = []  # and the lines of their output
for name, text in BLOCK.findall(open(page).read()):
    if name:
        with open(os.path.join(work, name), "w") as file:
            file.write(plain(text))
        continue
    for line in plain(text).splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line != "...":
            commands[-1][1].append(line)

script = "exec 2>&1\n" + "".join(f"echo '{MARK}'\n{command}\n" for command, _ in commands)
environment = dict(os.environ, PATH=f"{bin}:{os.environ['PATH']}", COLUMNS="100")
done = subprocess.run(["sh", "-e", "-c", script], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                      text=True)
outputs = done.stdout.split(MARK + "\n")[1:]
failed = done.returncode != 0 or len(outputs) != len(commands) or not commands
for (command, expected), output in zip(commands, outputs):
    rest = words(output)
    for line in expected:
        _, found, rest = rest.partition(words(line))
        if not found:
            failed = True
            print(f"$ {command}\ndoes not say: {line}\nbut\n{output}")
            break
if done.returncode:
    print(f"exit status {done.returncode} of\n$ {commands[len(outputs) - 1][0]}\n{outputs[-1]}")
sys.exit(failed)
