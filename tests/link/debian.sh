#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The Debian package: lintian finds no error, dependencies match the linked libraries, and its contents work.
. "$(dirname "$0")/common.sh"

command -v lintian >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77
package DEB
lintian --allow-root --fail-on error ./*.deb >lintian.log 2>&1 || { cat lintian.log >&2; fail "lintian"; }

dpkg -f ./*.deb Depends >depends
for library in libc6 libdwarf1 zlib1g; do
    grep -q "\<$library (>= " depends || fail "does not depend on $library: $(cat depends)"
done
dpkg -f ./*.deb Recommends | grep -q "\<clang-$MAJOR\>" || fail "does not recommend clang-$MAJOR"
[ -z "$(dpkg --info ./*.deb conffiles 2>/dev/null)" ] || fail "has conffiles"

dpkg -x ./*.deb root
[ -f root/usr/share/man/man1/allocsite-dump.1.gz ] || fail "no manual"
for file in changelog.gz copyright examples/github-actions.yml; do
    [ -s "root/usr/share/doc/allocsite/$file" ] || fail "no $file"
done
! find root -name '*.[1-8]' | grep -q man/ || fail "manuals that are not compressed"
"root/usr/bin/allocsite-clang-$MAJOR" -O2 -g "$here/app.c" -o app
counted ./app "$here/app.c"
strings root/usr/lib/*/liballocsite.a root/usr/lib/liballocsite.a 2>/dev/null | grep -qx /usr/bin/allocsite-dump ||
    fail "static programs do not know where the package installs the reader"
