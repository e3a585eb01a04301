#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shows allocsite on a fresh machine: installs what is missing, builds in build/, compiles one C++ and one C program as
# any user would, runs them on real data and prints their allocation sites. ALLOCSITE_BUILD sets another build
# directory.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

need_build
need nlohmann-json3-dev uthash-dev iso-codes
directory=${ALLOCSITE_BUILD:-build}
# Tests need more packages. If the build tree is configured with tests, it keeps them.
[ -e "$directory/CMakeCache.txt" ] || set -- -DBUILD_TESTING=OFF
build "$directory" "$@"

directory=$(cd "$directory" && pwd)
PATH=$directory/bin:$PATH
mkdir -p "$directory/demo"
export ALLOCSITE_OPTIONS="${ALLOCSITE_OPTIONS:-top=10}"

show allocsite-clang++ -std=c++17 -O2 -g tests/demo/json_demo.cpp -o "$directory"/demo/json_demo
show "$directory"/demo/json_demo /usr/share/iso-codes/json/iso_639-3.json

show allocsite-clang -O2 -g tests/demo/words_demo.c -o "$directory"/demo/words_demo
show "$directory"/demo/words_demo /usr/share/common-licenses/GPL-3 /usr/share/common-licenses/Apache-2.0

for program in words_demo json_demo; do
    printf '\n$ allocsite-dump sites %s | head -n 25\n' "$directory/demo/$program"
    allocsite-dump sites "$directory/demo/$program" >"$directory/demo/$program.sites"
    head -n 25 "$directory/demo/$program.sites"
done

printf '\nThe programs and their whole site tables are in %s/demo; the tools are in %s/bin.\n' "$directory" "$directory"
