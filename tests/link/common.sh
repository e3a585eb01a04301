# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Functions for the packaging tests. CTest sets ALLOCSITE_BUILD (build tree), MAJOR, and CLANG and CLANGXX of that
# major. Each test runs in an empty directory; $here has its sources.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
lib=$ALLOCSITE_BUILD/lib
bin=$ALLOCSITE_BUILD/bin
plugin=$lib/allocsite/llvm-$MAJOR/allocsite.so
CC=$bin/allocsite-clang-$MAJOR
CXX=$bin/allocsite-clang++-$MAJOR
export CC CXX

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "$0: $*" >&2
    exit 1
}

# silent COMMAND...: must succeed and print nothing, not even a warning.
silent() {
    "$@" >silent.out 2>&1 || { cat silent.out >&2; fail "failed: $*"; }
    [ ! -s silent.out ] || { cat silent.out >&2; fail "not silent: $*"; }
}

# refused PATTERN COMMAND...: must fail without a crash and print a line that matches.
refused() {
    pattern=$1
    shift
    status=0
    "$@" >refused.out 2>&1 || status=$?
    [ "$status" -ne 0 ] || fail "not refused: $*"
    [ "$status" -lt 128 ] || { cat refused.out >&2; fail "crashed with $status: $*"; }
    ! grep -Eq 'PLEASE submit|Stack dump' refused.out || { cat refused.out >&2; fail "crashed: $*"; }
    grep -Eq "$pattern" refused.out || { cat refused.out >&2; fail "no line '$pattern': $*"; }
}

# counted PROGRAM [--gap=WORDS]... SOURCE...: runs the program and compares the report with the notes in the sources.
counted() {
    program=$1
    shift
    rm -f report.json
    ALLOCSITE_OPTIONS=format=json:report=report.json "$program" >/dev/null || fail "$program: status $?"
    python3 "$here/check_report.py" report.json "$@"
}

# package DEB|RPM: makes the package here. For makefiles cpack would first build all targets, which ctest has done.
package() {
    cpack --config "$ALLOCSITE_BUILD/CPackConfig.cmake" -D CPACK_CMAKE_GENERATOR=Ninja -G "$1" -B "$PWD" >cpack.log 2>&1 ||
        { cat cpack.log >&2; fail "no package"; }
}

# The installed linkers.
linkers=bfd
command -v "ld.lld-$MAJOR" >/dev/null && linkers="$linkers lld"
command -v ld.gold >/dev/null && linkers="$linkers gold"
