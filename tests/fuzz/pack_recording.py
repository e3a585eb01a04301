#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pack_recording.py RECORDING OUTPUT: converts a recording into an input of the fuzz target recording.c, its
uncompressed bytes."""
import struct
import sys
import zlib

with open(sys.argv[1], "rb") as file:
    data = file.read()
stream, at, output = zlib.decompressobj(-15), 16, b""
while at < len(data):
    size, = struct.unpack_from("<I", data, at)
    plain = stream.decompress(data[at + 8:at + 8 + size])
    output += struct.pack("<H", len(plain)) + plain
    at += 8 + size
with open(sys.argv[2], "wb") as file:
    file.write(output)
