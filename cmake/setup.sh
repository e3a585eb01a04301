# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Functions for scripts that run on a fresh machine: they install only what is missing. To be sourced by sh. Needs
# apt-get only if a package is missing.

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: not root and no sudo, cannot run: $*" >&2
        return 1
    fi
}

quietly() {
    setup_log=$(mktemp) || return 1
    "$@" >"$setup_log" 2>&1 </dev/null
    setup_status=$?
    [ "$setup_status" -eq 0 ] || tail -n 20 "$setup_log" >&2
    rm -f "$setup_log"
    return "$setup_status"
}

apt_install() {
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q -o DPkg::Lock::Timeout=600 --no-install-recommends "$@"
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# need PACKAGE...: installs the packages that are missing.
need() {
    missing=
    for package in "$@"; do
        command -v dpkg-query >/dev/null && is_installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null; then
        echo "setup: needs the equivalents of these Debian packages:$missing" >&2
        exit 1
    fi
    echo "setup: installing$missing"
    # Package lists may be absent or name versions that the mirror has dropped since.
    # shellcheck disable=SC2086
    apt-cache show $missing >/dev/null 2>&1 && apt_install $missing 2>/dev/null && return 0
    quietly as_root apt-get update -q || exit 1
    # shellcheck disable=SC2086
    apt_install $missing || exit 1
}

# llvm_majors: prints the LLVM majors that plugins can be built for, which have headers and clang.
llvm_majors() {
    for root in /usr/lib/llvm-*; do
        major=${root#/usr/lib/llvm-}
        [ -d "$root/include/llvm/Passes" ] && [ -x "$root/bin/clang" ] && [ "$major" -ge 14 ] && echo "$major"
    done | sort -n
}

need_build() {
    need cmake make gcc g++ libc6-dev libdwarf-dev libiberty-dev liblzma-dev libmicrohttpd-dev libncurses-dev zlib1g-dev
    [ -n "$(llvm_majors)" ] || need clang-14 llvm-14-dev
    for major in $(llvm_majors); do
        (need "libclang-$major-dev") || echo "setup: types with clang $major from debug info only" >&2
    done
}

# build DIRECTORY [CMAKE ARGUMENT...]
build() {
    directory=$1
    shift
    echo "setup: building in $directory"
    quietly cmake -S . -B "$directory" "$@" || exit 1
    quietly cmake --build "$directory" -j "$(nproc)" || exit 1
}

# unpack_llvm MAJOR DIRECTORY: unpacks compiler, headers and FileCheck of a Debian LLVM without installing it.
unpack_llvm() {
    [ -x "$2/usr/lib/llvm-$1/bin/FileCheck" ] || (
        mkdir -p "$2" && cd "$2" &&
            quietly apt-get download "clang-$1" "libclang-cpp$1" "libclang-common-$1-dev" "libllvm$1" "llvm-$1" "llvm-$1-dev" \
                "llvm-$1-tools" &&
            for package in *.deb; do dpkg -x "$package" .; done && rm ./*.deb
    )
}
