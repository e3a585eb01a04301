#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the benchmark needs, builds, measures what allocsite costs and prints it as one table.
# Arguments go to bench.py: sh tests/bench/run.sh --only times --rounds 31
# Beside other heap profilers, for a quarter of an hour: sh tests/bench/run.sh --only rivals
set -eu
cd "$(dirname "$0")/../.."
. cmake/setup.sh

# A profiler that cannot be installed is named in the table, with that as the reason.
want() {
    for package in "$@"; do
        (need "$package") || echo "bench: goes on without $package" >&2
    done
}

need_build
need python3 valgrind nlohmann-json3-dev uthash-dev iso-codes
case " $* " in
*rivals*)
    want heaptrack libjemalloc2 libgoogle-perftools4
    for major in $(llvm_majors); do
        want "libclang-rt-$major-dev"
    done
    ;;
esac
build build -DBUILD_TESTING=OFF
python3 -B tests/bench/bench.py build/bin build/bench "$@"
