#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(allocsite) and allocsite_instrument in the build tree, and installed and moved.
. "$(dirname "$0")/common.sh"

mkdir project
cp "$here"/*.c "$here"/app.cpp project
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(user C CXX)
find_package(allocsite 0.1 REQUIRED)
add_executable(app app.c)
add_executable(app++ app.cpp)
add_executable(fixed app.c)
target_link_options(fixed PRIVATE -static)
add_library(part STATIC part.c)
add_library(part_so SHARED part.c)
add_executable(user part_user.c)
target_link_libraries(user PRIVATE part)
add_executable(user_so part_user.c)
target_link_libraries(user_so PRIVATE part_so)
foreach(target IN ITEMS app app++ part part_so)
    allocsite_instrument(${target})
endforeach()
allocsite_instrument(fixed STATIC)
CMAKE

configure() {
    rm -rf out
    cmake -S project -B out -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$3" \
        -Dallocsite_DIR="$1/cmake/allocsite" >cmake.log 2>&1
}

use() {
    configure "$@" || { cat cmake.log >&2; fail "does not configure: $*"; }
    cmake --build out >make.log 2>&1 || { cat make.log >&2; fail "does not build: $*"; }
    counted out/app project/app.c
    counted out/app++ project/app.cpp
    counted out/fixed project/app.c
    counted out/user project/part.c
    counted out/user_so project/part.c
}

use "$lib" "$CLANG" "$CLANGXX"
[ "$MAJOR" = "$DEFAULT" ] || exit 0 # the rest is independent of the major

cmake --install "$ALLOCSITE_BUILD" --prefix "$work/first" >/dev/null
mv first moved
# A static program finds a moved reader only through PATH.
PATH=$work/moved/bin:$PATH
use "$work/moved/lib" "$CLANG" "$CLANGXX"
CC=$work/moved/bin/allocsite-clang-$MAJOR
silent "$CC" -O2 project/app.c -o app
readelf -d app | grep -q "$work/moved/lib" || fail 'a moved installation links the old runtime'
counted ./app project/app.c
for page in man3/allocsite-api.3 man7/allocsite.7 man7/allocsite-cost.7 man1/allocsite-dump.1 man1/allocsite-dump-check.1; do
    [ -s "moved/share/man/$page" ] || fail "not installed: $page"
done
moved/bin/allocsite-dump sites app >/dev/null

# The plugin is not added twice if allocsite-clang is the compiler.
use "$lib" "$bin/allocsite-clang-$MAJOR" "$bin/allocsite-clang++-$MAJOR"

! configure "$lib" gcc g++ || fail 'gcc is accepted'
grep -q 'the plugin needs clang' cmake.log || { cat cmake.log >&2; fail 'no plain message for gcc'; }
