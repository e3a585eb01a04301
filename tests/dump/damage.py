# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are cut or altered get a message, never a crash.

The whole way from bytes to text runs in one process, with sanitizers, for every byte (REPLAY); --verify, which
trusts libdwarf in a child process, runs for a sample of them.
"""
import os
import random
import shutil
import unittest

from programs import check, compile, dump, read, work, write


def small(source, name, *flags):
    """Without what is not the table's, so that every byte can be tried."""
    return compile(source, name, "-g0", "-Rpass=^$", "-fno-asynchronous-unwind-tables", *flags)


class EveryByte(unittest.TestCase):
    def test_files(self):
        folder = work("damage")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        small("tables.c", "damage/object.o", "-c")
        small("tables.c", "damage/sections.o", "-c", "-ffunction-sections")
        check("ld", "-r", work("damage/object.o"), "-o", work("damage/relinked.o"))
        small("tables.c", "damage/library.so", "-shared", "-nostdlib", "-Wl,-z,noseparate-code", "-s")
        check("ar", "rc", work("damage/library.a"), work("damage/object.o"))
        self.assertEqual(check(os.environ["REPLAY"], folder), "5 files\n")


class Verify(unittest.TestCase):
    def assert_survives(self, path):
        result = dump("sites", "--verify", path)
        self.assertIn(result.returncode, (0, 1), path)
        messages = [line for line in result.stderr.splitlines() if line.startswith("allocsite-dump: ")]
        if result.returncode == 1 and not result.stdout:
            self.assertTrue(messages)

    def damage(self, path, count):
        good = read(path)
        chance = random.Random(1)
        for _ in range(count):
            data = bytearray(good)
            for _ in range(chance.choice((1, 3, 50))):
                data[chance.randrange(len(data))] = chance.randrange(256)
            write(work("damaged"), data[:chance.choice((len(data), chance.randrange(len(data))))])
            self.assert_survives(work("damaged"))

    def test_program(self):
        self.damage(compile("tables.c", "whole"), 150)

    def test_object(self):
        self.damage(compile("tables.cpp", "whole.o", "-c"), 150)


if __name__ == "__main__":
    unittest.main()
