#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Calls that neither compile nor link give the same bytes as clang, and the added arguments cause no warnings.
. "$(dirname "$0")/common.sh"

same() {
    "$CLANG" "$@" >by-clang 2>&1 && clang_status=0 || clang_status=$?
    "$CC" "$@" >by-driver 2>&1 && driver_status=0 || driver_status=$?
    [ "$clang_status" -eq "$driver_status" ] || fail "status $driver_status instead of $clang_status: $*"
    cmp by-clang by-driver || fail "other output: $*"
}

same_object() {
    "$CLANG" -Werror "$@" -o by-clang.o
    silent "$CC" -Werror "$@" -o by-driver.o
    cmp by-clang.o by-driver.o || fail "another object: $*"
}

cp "$here/app.c" "$here/app.cpp" .
echo 'int x;' >header.h
printf '.globl answer\nanswer: ret\n' >code.s
printf '#define NAME answer\n.globl NAME\nNAME: ret\n' >code.S

same --version
same -dumpversion
same -dumpmachine
same -print-prog-name=ld
same --print-file-name=libc.so
same -print-search-dirs
same -ccc-print-bindings -c app.c
same -v
same -E app.c
same -dM -E -x c /dev/null
same -M app.c
same -MM app.c
same -fsyntax-only app.c
same
same -c no-such-file.s
same_object -c code.s
same_object -c code.S
same_object -c -x assembler code.s
same_object -c -x assembler-with-cpp code.s

# Response files are expanded.
echo '-E "app.c"' >args.rsp
same @args.rsp
echo '-c app.c -O2 -o by-response.o' >args.rsp
silent "$CC" @args.rsp
silent "$CC" -c app.c -O2 -o by-arguments.o
cmp by-response.o by-arguments.o || fail 'a response file compiles to another object'
echo 'by-response.o -o by-response' >args.rsp
silent "$CC" @args.rsp
counted ./by-response app.c

# Warnings are errors, so each added flag must be used.
silent "$CC" -Werror -Wall -c app.c -o app.o
silent "$CC" -Werror app.o -o app
silent "$CC" -Werror -x c-header header.h -o header.pch
silent "$CC" -Werror -S app.c -o app.s
silent "$CC" -Werror app.s -o app
silent "$CC" -Werror -O2 -c app.c -MD -MF app.d -o app.o
grep -q 'app.c' app.d || fail 'no dependency file'
silent "$CC" -Werror -r app.o -o app-r.o
! readelf -d app-r.o | grep -q NEEDED || fail '-r got a library'
silent "$CC" -Werror app-r.o -o app
counted ./app app.c

# -nostdlib: the runtime is linked only if referred to.
echo 'void _start(void) { __asm__ volatile("mov $60, %eax; xor %edi, %edi; syscall"); }' >bare.c
silent "$CC" -nostdlib bare.c -o bare
! readelf -d bare | grep -q liballocsite || fail 'a bare program got the runtime'
./bare

# Exit status of clang, and errors of the driver itself.
refused 'error: unknown argument' "$CC" -no-such-option app.c
refused '^allocsite-clang: ALLOCSITE_CLANG=gcc is no clang' env ALLOCSITE_CLANG=gcc "$CC" -c app.c
refused '^allocsite-clang: .*no-such-clang' env ALLOCSITE_CLANG=/no-such-clang "$CC" -c app.c
