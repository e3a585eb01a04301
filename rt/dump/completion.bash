# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bash completion of allocsite-dump.

_allocsite_dump() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    compopt -o filenames
    if [[ $previous == = && ${COMP_WORDS[COMP_CWORD-2]} == --format || $word == = && $previous == --format ]]; then
        mapfile -t COMPREPLY < <(compgen -W "text json" -- "${word#=}")
    elif [[ $word == --* && $COMP_CWORD -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--help --version" -- "$word")
    elif [[ $word == -* ]]; then
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "--format= --verify --help" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        [[ $COMP_CWORD -ne 1 ]] || COMPREPLY+=($(compgen -W "sites" -- "$word"))
    fi
}

complete -F _allocsite_dump allocsite-dump
