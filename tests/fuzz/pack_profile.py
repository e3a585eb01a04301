# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pack_profile.py PROFILE INPUT: converts a profile into an input of the fuzz target profile.c."""
import struct
import sys

PAGE = 4096
with open(sys.argv[1], "rb") as file:
    contents = file.read()
with open(sys.argv[2], "wb") as file:
    for start in range(0, len(contents), PAGE):
        page = contents[start:start + PAGE].rstrip(b"\0")
        file.write(struct.pack("<H", len(page)) + page)
