#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the benchmark needs, builds, measures the cost of allocsite and prints one table. Arguments go to
# bench.py:
#
#   sh tests/bench/run.sh --only times --rounds 31
#   sh tests/bench/run.sh --only real       real programs; the first run builds them for minutes
#   sh tests/bench/run.sh --only compilers  compile time with each LLVM in instructions; slow
#   sh tests/bench/run.sh --only rivals     other heap profilers; a quarter of an hour
set -eu
cd "$(dirname "$0")/../.."
. cmake/setup.sh

# If a profiler or library cannot be installed, the table names it with the reason.
want() {
    for package in "$@"; do
        (need "$package") || echo "bench: goes on without $package" >&2
    done
}

want_real() {
    want binutils-source bison file flex xz-utils fonts-dejavu-core libboost-dev libkainjow-mustache-dev librapidxml-dev \
        libstb-dev libtoml11-dev libtomlplusplus-dev libvalijson-dev picojson-dev rapidjson-dev tao-pegtl-dev
}

need_build
need python3 valgrind nlohmann-json3-dev uthash-dev iso-codes
case " $* " in
*--only*real*) want_real ;;
*--only*) ;;
*) want_real ;;
esac
case " $* " in
*rivals*)
    want heaptrack libjemalloc2 libgoogle-perftools4
    for major in $(llvm_majors); do
        want "libclang-rt-$major-dev"
    done
    ;;
esac
case " $* " in
*compilers*) want googletest ;;
esac
build build -DBUILD_TESTING=OFF
python3 -B tests/bench/bench.py build/bin build/bench "$@"
