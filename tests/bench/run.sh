#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the benchmark needs, builds, measures what allocsite costs and prints it as one table.
# Arguments go to bench.py: sh tests/bench/run.sh --only times --rounds 31
set -eu
cd "$(dirname "$0")/../.."
. cmake/setup.sh

need_build
need python3 valgrind nlohmann-json3-dev uthash-dev iso-codes
build build -DBUILD_TESTING=OFF
python3 -B tests/bench/bench.py build/bin build/bench "$@"
