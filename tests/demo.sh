#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# From a fresh machine to the allocation sites of two real programs: installs what is missing, builds in build/,
# compiles one C++ and one C program as any user would, runs them on real data and prints what they allocated where.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

need_build
need nlohmann-json3-dev uthash-dev iso-codes
build build -DBUILD_TESTING=OFF

PATH=$PWD/build/bin:$PATH
mkdir -p build/demo
export ALLOCSITE_OPTIONS="${ALLOCSITE_OPTIONS:-top=10}"

show allocsite-clang++ -std=c++17 -O2 -g tests/demo/json_demo.cpp -o build/demo/json_demo
show build/demo/json_demo /usr/share/iso-codes/json/iso_639-3.json

show allocsite-clang -O2 -g tests/demo/words_demo.c -o build/demo/words_demo
show build/demo/words_demo /usr/share/common-licenses/GPL-3 /usr/share/common-licenses/Apache-2.0

for program in words_demo json_demo; do
    printf '\n$ allocsite-dump sites build/demo/%s | head -n 25\n' "$program"
    allocsite-dump sites build/demo/$program >build/demo/$program.sites
    head -n 25 build/demo/$program.sites
done

printf '\nThe programs and their whole site tables are in build/demo; the tools are in build/bin.\n'
