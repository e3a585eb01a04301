# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truncated or altered files cause a message, never a crash.

Everything from bytes to text runs in one process, with sanitizers, for every byte (REPLAY)."""
import os
import shutil
import unittest

from programs import check, compile, work


def small(source, name, *flags):
    """Makes a file with nothing but the table, so that every byte can be tried."""
    return compile(source, name, "-g0", "-Rpass=^$", "-fno-asynchronous-unwind-tables", *flags)


class EveryByte(unittest.TestCase):
    def test_files(self):
        folder = work("damage")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        small("tables.c", "damage/object.o", "-c")
        small("tables.c", "damage/sections.o", "-c", "-ffunction-sections")
        check("ld", "-r", work("damage/object.o"), "-o", work("damage/relinked.o"))
        small("tables.c", "damage/library.so", "-shared", "-fPIC", "-nostdlib", "-Wl,-z,noseparate-code", "-s")
        check("ar", "rc", work("damage/library.a"), work("damage/object.o"))
        self.assertEqual(check(os.environ["REPLAY"], folder), "5 files\n")


if __name__ == "__main__":
    unittest.main()
