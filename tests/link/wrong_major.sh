#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A plugin in a clang of another major prints a plain message: no crash, no object file.
. "$(dirname "$0")/common.sh"

others=0
for other in "$lib"/allocsite/llvm-*; do
    [ "$other" != "$lib/allocsite/llvm-$MAJOR" ] || continue
    others=$((others + 1))
    refused "allocsite.*(LLVM|clang) *$MAJOR" "$CLANG" -O2 -fpass-plugin="$other/allocsite.so" -c "$here/app.c" -o app.o
    [ ! -e app.o ] || fail "an object was written with the plugin of ${other##*/}"
    [ -e "$other/allocsite-types.so" ] || continue
    refused "allocsite.*clang *$MAJOR" "$CLANG" -O2 -fplugin="$other/allocsite-types.so" -c "$here/app.c" -o app.o
    [ ! -e app.o ] || fail "an object was written with the types of ${other##*/}"
done
[ "$others" -gt 0 ] || exit 77
