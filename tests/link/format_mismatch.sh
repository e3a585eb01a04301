#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Code that was compiled for another format version than the runtime's neither links nor loads.
. "$(dirname "$0")/common.sh"

silent "$CC" -O2 -fPIC -c "$here/part.c" -o part.o
objcopy $(nm part.o | sed -n 's/.* U __liballocsite_v1_\(.*\)/--redefine-sym __liballocsite_v1_\1=__liballocsite_v9_\1/p') part.o other.o
refused '__liballocsite_v9_malloc' "$CC" "$here/part_user.c" other.o -o user
silent "$CC" -shared other.o -o libother.so
silent "$CLANG" "$here/part_user.c" -L. -lother -Wl,-rpath,. -Wl,--unresolved-symbols=ignore-all -o user
refused 'undefined symbol: __liballocsite_v9_' ./user
