#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Plain command lines: -fpass-plugin and -lallocsite. Without -lallocsite, the linker's error names the library.
. "$(dirname "$0")/common.sh"

silent "$CLANG" -O2 -g -fpass-plugin="$plugin" "$here/app.c" -L"$lib" -lallocsite -Wl,-rpath,"$lib" -o app
counted ./app "$here/app.c"
silent "$CLANGXX" -O2 -g -fpass-plugin="$plugin" "$here/app.cpp" -L"$lib" -lallocsite -Wl,-rpath,"$lib" -o app++
counted ./app++ "$here/app.cpp"
refused 'undefined.*liballocsite' "$CLANG" -O2 -g -fpass-plugin="$plugin" "$here/app.c" -o incomplete

# gcc binds all symbols before any code of a plugin runs, so only its own message is possible. The manual explains it.
if gcc -print-file-name=plugin 2>/dev/null | grep -q /; then
    refused 'allocsite.so: undefined symbol: _ZN4llvm' env LC_ALL=C gcc -fplugin="$plugin" -c "$here/app.c" -o app.o
    [ ! -e app.o ] || fail "gcc wrote an object"
fi
