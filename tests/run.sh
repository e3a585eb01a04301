#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the tests need, builds, and runs all of them for every LLVM major that is installed.
# Arguments go to ctest: sh tests/run.sh -L link
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

need_build
need binutils binutils-source bison clang-format-14 file fish flex gdb googletest iso-codes libcmocka-dev \
    libgoogle-perftools-dev libgtest-dev libjemalloc-dev libmimalloc-dev nlohmann-json3-dev pkg-config python3 uthash-dev \
    valgrind xz-utils zsh
for major in $(llvm_majors); do
    need "lld-$major" "llvm-$major-tools" "libclang-rt-$major-dev"
done
build build -DBUILD_TESTING=ON
ctest --test-dir build --output-on-failure -j "$(nproc)" "$@"
