#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The Debian package on a minimal Debian 12: apt installs it with a clang, it compiles, reports and shows its manual, and
# removing it leaves no file. Needs root, debootstrap and a mirror; takes minutes, most of them for packages. ctest runs it
# with -C clean alone.
. "$(dirname "$0")/common.sh"

[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || exit 77
root=$work/root
mirror=${ALLOCSITE_MIRROR:-http://deb.debian.org/debian}
debootstrap --variant=minbase bookworm "$root" "$mirror" >debootstrap.log 2>&1 || { tail debootstrap.log >&2; exit 77; }
package DEB
cp allocsite_*.deb "$here/app.c" "$root/root/"

# inside COMMAND: runs it in a separate process namespace, so that no process survives the test.
inside() {
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -euc "cd /root; $1" >inside.log 2>&1 ||
        { tail -n 40 inside.log >&2; fail "$1"; }
}

inside 'apt-get update; apt-get install -y ./allocsite_*.deb'
grep -q "^Setting up clang-$MAJOR " inside.log || fail "apt installs no clang-$MAJOR"
inside 'dpkg --audit; ldconfig -p'
grep -q 'liballocsite\.so\.1 ' inside.log || fail "the linker does not know the runtime"

inside 'allocsite-clang -O2 -g app.c -o app; ./app'
grep -q '^allocsite: /root/app, pid ' inside.log || { cat inside.log >&2; fail "no report"; }
grep -Eq 'app\.c:[0-9]+:[0-9]+: .* -> malloc' inside.log || { cat inside.log >&2; fail "no line"; }
! grep -q '^names: ' inside.log || { cat inside.log >&2; fail "the stripped C library is no matter of the user's"; }
inside 'allocsite-clang -static -O2 -g app.c -o static; ./static'
grep -Eq 'app\.c:[0-9]+:[0-9]+: .* -> malloc' inside.log || { cat inside.log >&2; fail "no line of a static program"; }
inside 'ALLOCSITE_OPTIONS=report=none:profile=p ./app; allocsite-dump report --by=file p'
grep -q 'app\.c' inside.log || fail "no report of a profile"
inside 'allocsite-run --top=3 ls /usr'
grep -q '^total: ' inside.log || { cat inside.log >&2; fail "no report of allocsite-run"; }

inside 'dpkg -L allocsite'
grep -v '^/\.$' inside.log >files
inside 'apt-get purge -y allocsite'
while read -r file; do
    [ -d "$root$file" ] || [ ! -e "$root$file" ] || fail "purging leaves $file"
done <files
inside 'ldconfig -p'
! grep -q allocsite inside.log || fail "the linker still knows the runtime"
