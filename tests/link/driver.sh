#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# allocsite-clang as CC and CXX of a make project: objects, an archive, a shared object, a link without sources.
. "$(dirname "$0")/common.sh"

cp "$here"/*.c "$here"/app.cpp .
cat >Makefile <<'MAKE'
CFLAGS = -O2 -Wall -Werror
CXXFLAGS = $(CFLAGS)
LDFLAGS = -Werror
all: app app++ user user-so
app: app.o
app++: app++.o
	$(CXX) $(LDFLAGS) -o $@ $^
app++.o: app.cpp
	$(CXX) $(CXXFLAGS) -c -o $@ $<
libpart.a: part.o
	$(AR) rcs $@ $^
user: part_user.o libpart.a
	$(CC) $(LDFLAGS) -o $@ part_user.o -L. -lpart
libpart_so.so: part.c
	$(CC) $(CFLAGS) -fPIC -shared -o $@ $<
user-so: part_user.o libpart_so.so
	$(CC) $(LDFLAGS) -o $@ part_user.o -L. -lpart_so -Wl,-rpath,.
MAKE
make -s
counted ./app app.c
counted ./app++ app.cpp
counted ./user part.c
counted ./user-so part.c

# The linker accepts a shared object without -fPIC if the code uses functions alone.
printf '#include <stdlib.h>\nvoid *make(void) { return malloc(3); }\nvoid *call(void) { return make(); }\n' >calls.c
silent "$CC" -O1 -shared calls.c -o calls.so
silent "$CC" -O1 -fallocsite-shared -c calls.c
silent "$CC" -shared calls.o -o calls.so

# The runtime precedes libc and every other library that defines an allocator.
readelf -d user-so | grep NEEDED | head -n 1 | grep -q liballocsite.so.1 || fail 'the runtime is not the first library'

# allocsite.h is found.
silent "$CC" -Werror -include allocsite.h -fsyntax-only app.c
"$CC" -include allocsite.h -M app.c | grep -q /allocsite.h || fail 'allocsite.h is not found'

# A source from standard input, linked in the same call; paths with spaces; other names of the program.
mkdir 'a b'
silent "$CC" -O2 -x c - -o 'a b/app' <app.c
ALLOCSITE_OPTIONS=report=report.txt './a b/app'
grep -q malloc report.txt || fail 'nothing counted for a program from standard input'
ALLOCSITE_CLANG=$CLANG silent "$bin/allocsite-clang" -O2 app.c -o other
counted ./other app.c

# Named like a build's compilers and first in PATH.
mkdir names
ln -s "$CC" names/cc
ln -s "$CXX" names/c++
ALLOCSITE_CLANG=$CLANG silent names/cc -O2 app.c -o named
counted ./named app.c
ALLOCSITE_CLANG=$CLANGXX silent names/c++ -O2 app.cpp -o named
counted ./named app.cpp

# LTO: the plugin runs in the compile step.
if command -v "ld.lld-$MAJOR" >/dev/null; then
    for flavour in -flto -flto=thin; do
        silent "$CC" -O2 $flavour -fuse-ld=lld app.c -o lto
        counted ./lto app.c
        silent "$CXX" -O2 $flavour -fuse-ld=lld app.cpp -o lto
        counted ./lto app.cpp
    done
fi
