#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What lifting adds to a call of a wrapper and one of its counterpart that frees, in instructions, which valgrind counts.
. "$(dirname "$0")/common.sh"

command -v valgrind >/dev/null || exit 77
echo fun:cost_free=wrapper >list

# part FILE OPTION...: FILE.o, by the compiler in $compiler
part() {
    name=$1
    shift
    # shellcheck disable=SC2086
    silent $compiler -O2 -g0 "$@" -c "$here/$name.c" -o "$name.o"
}

# parts OPTION...: of the caller and of the wrappers
parts() {
    part lifting_cost "$@"
    part lifting_cost_wrapper "$@"
    part lifting_cost_main -fPIE
}

shared() {
    out=$1
    shift
    silent "$CC" -shared "$@" -L. -Wl,-rpath,. -o "$out"
}

program() {
    silent "$CC" lifting_cost_main.o "$@" -L. -Wl,-rpath,. -o program
}

executable() {
    parts -fPIE
    program lifting_cost.o lifting_cost_wrapper.o
}

library() {
    parts -fPIC
    shared libboth.so lifting_cost.o lifting_cost_wrapper.o
    program -lboth
}

# wrapper COMPILER: libwrapper.so
wrapper() {
    caller=$compiler
    compiler=$1
    part lifting_cost_wrapper -fPIC
    compiler=$caller
    shared libwrapper.so lifting_cost_wrapper.o
}

# user LINKING OPTION...: an executable beside libwrapper.so
user() {
    linking=$1
    shift
    part lifting_cost "$@"
    part lifting_cost_main "$@"
    # shellcheck disable=SC2086
    program $linking lifting_cost.o -lwrapper
}

across() {
    wrapper "$compiler"
    user '' -fPIE
}

fixed() {
    wrapper "$compiler"
    user -no-pie -fno-pie
}

without_plt() {
    wrapper "$compiler"
    user "-fuse-ld=$linker" -fPIE -fno-plt
}

plain() {
    wrapper "$CLANG"
    user '' -fPIE
}

between() {
    part lifting_cost -fPIC
    part lifting_cost_main -fPIE
    wrapper "$compiler"
    shared libuser.so lifting_cost.o -lwrapper
    program -luser -lwrapper
}

# instructions PAIRS
instructions() {
    ALLOCSITE_OPTIONS=report=none valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null ./program "$1" 2>&1 |
        sed -n '/I *refs/{s/.*: *//;s/,//g;p}'
}

# per_thousand LAYOUT LIFT
per_thousand() {
    compiler="$CC -fallocsite-list=list -fallocsite-lift=$2"
    "$1"
    echo $((($(instructions 8000) - $(instructions 4000)) / 4))
}

# adds LAYOUT MOST
adds() {
    added=$((($(per_thousand "$1" 1) - $(per_thousand "$1" 0)) / 1000))
    [ "$added" -le "$2" ] || fail "$1: lifting adds $added instructions to a pair, not $2"
}

# A twin looks for ld --wrap and jumps to the code.
adds executable 6
# Where others may replace the wrappers, calls leave the site in the variable, and the wrappers look there. For the case that
# there is none, LLVM up to 16 keeps the arguments of both elsewhere beforehand.
[ "$MAJOR" -gt 16 ] && kept=0 || kept=4
for layout in library between; do
    adds $layout $((13 + kept))
done
# A file of an executable cannot know where they stand, and has stand-ins.
for layout in across fixed; do
    adds $layout $((26 + kept))
done
for linker in $linkers; do
    adds without_plt $((26 + kept))
done
# Wrappers that were not compiled with the plugin do not look.
adds plain 6
