# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completions of partial command lines in shells, which are generated from the help texts."""
import glob
import os
import re
import shutil
import subprocess
import unittest

from runs import DUMP, dump, work

READER = os.path.join(os.path.dirname(__file__), "..", "..", "rt", "dump")
COMPLETION = os.path.join(READER, "completion", "allocsite.")
os.environ["PATH"] = os.path.dirname(DUMP) + ":" + os.environ["PATH"]
SORTS = {"bytes", "allocs", "live", "peak"}
LINES = (("allocsite-dump rep", {"report"}), ("allocsite-dump report --prun", {"--prune="}), ("allocsite-dump report --sort=", SORTS),
         ("allocsite-dump report --sort=b", {"bytes"}), ("allocsite-dump report --eve", {"--events"}),
         ("allocsite-dump check --bu", {"--budget="}), ("allocsite-run --sta", {"--stacks="}),
         ("allocsite-run --format=j", {"json"}), ("allocsite-run mkfif", {"mkfifo"}), ("allocsite-dump help ser", {"serve"}),
         ("allocsite-run --fail-each --bas", {"--baseline="}), ("allocsite-run --fail-each --per=s", {"site"}),
         ("allocsite-dump help opt", {"options"}), ("allocsite-dump hel", {"help"}))
BASH = """
compopt() { :; }
read -ra COMP_WORDS <<< "${1//=/ = }"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_allocsite
printf '%s\\n' "${COMPREPLY[@]}"
"""
# Built-in offers and files; zsh itself filters offers by PREFIX.
ZSH = """
setopt extendedglob
compadd() { print -l -- "${@[$argv[(i)--]+1,-1]}"; }
compset() { PREFIX=${PREFIX#*=}; }
_files() { :; }
_command_names() { print mkfifo; }
words=(${=1}); CURRENT=$#words; PREFIX=$words[-1]
. "$2"
"""


def options():
    """Returns command and name of all options of the reader."""
    for path in glob.glob(os.path.join(READER, "commands", "*.c")):
        command = os.path.basename(path).split(".")[0].split("_")[0]
        with open(path) as file:
            for name in re.findall(r'\{"([a-z-]+)", (?:(?:required|optional|no)_argument|true|false),', file.read()):
                if command not in ("arguments", "exit"):
                    yield {"tables": "sites", "live": "top"}.get(command, command), name
    with open(os.path.join(READER, "view", "views.h")) as file:
        for name in re.findall(r'X\(\w+, "([a-z-]+)", (?:no|optional)_argument,', file.read()):
            yield "report", name


@unittest.skipUnless(shutil.which("bash"), "no bash")
class Bash(unittest.TestCase):
    def offers(self, line):
        home = os.path.dirname(os.path.dirname(DUMP))
        return set(subprocess.run(["bash", "-c", f". {COMPLETION}bash\n{BASH}", "-", line], capture_output=True, text=True,
                                  cwd=work("."), check=True, env={**os.environ, "HOME": home}).stdout.split())

    def test_lines(self):
        for line, offers in (*LINES, ("~/bin/allocsite-dump check --bu", {"--budget="})):
            self.assertEqual(self.offers(line), offers, line)

    def test_every_option_is_offered(self):
        commands = {command for command, _ in options()}
        offers = {command: {offer.strip("=") for offer in self.offers(f"allocsite-dump {command} --")} for command in commands}
        for command, name in options():
            if name != "help":
                self.assertIn("--" + name, offers[command], command)

    def test_every_value_is_offered(self):
        """Of all words that are values of some option, exactly the option's values are offered."""
        words = set()
        for command in {command for command, _ in options()}:
            for values in re.findall(r"=([a-z|-]+)", dump(command, "--help").stdout):
                words |= set(values.split("|"))
        self.assertIn("remarks", words)
        for command, name in set(options()):
            offered = self.offers(f"allocsite-dump {command} --{name}=")
            if offered & words:
                taken = {word for word in words if f"--{name}" not in dump(command, f"--{name}={word}").stderr}
                self.assertEqual(offered, taken, f"{command} --{name}")


@unittest.skipUnless(shutil.which("fish"), "no fish")
class Fish(unittest.TestCase):
    def test_lines(self):
        for line, offers in LINES:
            found = subprocess.run(["fish", "--no-config", "-c", f"source {COMPLETION}fish; complete -C '{line}'"], text=True,
                                   capture_output=True, cwd=work("."), check=True).stdout.splitlines()
            words = {offer.split("\t")[0] for offer in found if not offer.endswith("/")}
            expected = {value if not line.count("=") else line.split()[-1].split("=")[0] + "=" + value for value in offers}
            if offers == {"--sort="}:
                expected = {"--sort=" + sort for sort in SORTS}
            self.assertEqual(words, expected, line)


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class Zsh(unittest.TestCase):
    def test_lines(self):
        for line, offers in LINES:
            found = subprocess.run(["zsh", "-f", "-c", ZSH, "-", line, COMPLETION + "zsh"], capture_output=True, text=True,
                                   check=True).stdout.split()
            begun = line.split()[-1].split("=")[-1] if "=" in line else line.split()[-1]
            self.assertEqual({offer for offer in found if offer.startswith(begun)}, offers, line)


if __name__ == "__main__":
    unittest.main()
