#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what the tests need, builds, and runs all tests for every installed LLVM major. Arguments go to ctest: sh
# tests/run.sh -L link
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

need_build
need binutils binutils-source bison ccache clang-format-14 cmark-gfm file fish flex gdb googletest iso-codes libcmocka-dev \
    libdebuginfod1 libgoogle-perftools-dev libgtest-dev libjemalloc-dev libmimalloc-dev lintian mandoc nlohmann-json3-dev pkg-config python3 \
    python3-jsonschema python3-prometheus-client rpm uthash-dev valgrind xz-utils zsh
for major in $(llvm_majors); do
    need "lld-$major" "llvm-$major-tools"
    # Debian's LLVM 15 has the sanitizers in libclang-common-15-dev.
    ls -d /usr/lib/llvm-"$major"/lib/clang/*/lib/linux >/dev/null 2>&1 || need "libclang-rt-$major-dev"
done
# Programs that open HTML pages and exports. promtool is extracted, because the package prometheus would start a
# service.
for reader in chromium golang-go; do
    (need "$reader") || echo "setup: no $reader, tests of the page and of exports are skipped" >&2
done
mkdir -p build/readers
(
    cd build/readers
    [ -x usr/bin/promtool ] || {
        quietly apt-get download prometheus && dpkg -x prometheus_*.deb . && rm prometheus_*.deb
    } || echo "setup: no promtool, the test of openmetrics is skipped" >&2
    [ -d node_modules/speedscope ] || quietly npm install --ignore-scripts --no-audit --no-fund --prefix . speedscope@1.25.0 ||
        echo "setup: no speedscope, its test is skipped" >&2
    [ -d node_modules/@memlab/core ] || quietly npm install --ignore-scripts --no-audit --no-fund --prefix . @memlab/core@2.0.5 ||
        echo "setup: no memlab, its test is skipped" >&2
    [ -d sarif ] || {
        package=$(npm pack --silent @microsoft/jest-sarif@1.0.0-beta.0) && mkdir sarif &&
            tar -xzf "$package" -C sarif --strip-components=3 package/lib/schemas && rm "$package"
    } || echo "setup: no schema of SARIF, its test is skipped" >&2
)
# A rarely used major, for which a few tests run.
brief=15
root=$PWD/build/llvm-$brief
if llvm_majors | grep -qx "$brief" || ! unpack_llvm "$brief" "$root"; then
    echo "setup: no brief test of LLVM $brief" >&2
    root= brief=
fi
build build -DBUILD_TESTING=ON -DALLOCSITE_LLVM_ROOTS="${root:+$root/usr/lib/llvm-$brief}" -DALLOCSITE_LLVM_BRIEF="$brief"
ctest --test-dir build --output-on-failure -j "$(nproc)" "$@"
