# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bash completion of allocsite-dump and allocsite-run, by what their help says.

# The options: --format=text|json, --tree[=leaf|root], --top=N.
_allocsite_options() {
    "$@" --help 2>/dev/null | sed -nE 's/^ +-/-/; T; s/  .*//; p' | grep -oE -- '--[a-z-]+(\[?=[A-Za-z|-]+)?'
}

_allocsite_commands() {
    "$1" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'
}

_allocsite() {
    local program=${COMP_WORDS[0]/#\~/$HOME}
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} option= offers values
    if [[ $program == *allocsite-run && " ${COMP_WORDS[*]} " == *" --fail-each "* ]]; then
        offers=$(_allocsite_options "$program" --fail-each)
    elif [[ $program == *allocsite-run ]]; then
        offers=$(_allocsite_options "$program"; _allocsite_options "${program%run}dump" report)
    elif [[ $COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_allocsite_commands "$program") options" -- "$word")
        return
    elif [[ $COMP_CWORD -gt 1 ]]; then
        offers=$(_allocsite_options "$program" "${COMP_WORDS[1]}")
    else
        offers=$'--help\n--version'
    fi
    # The = is a word of its own.
    [[ $previous != = ]] || option=${COMP_WORDS[COMP_CWORD-2]}
    [[ $word != = ]] || option=$previous
    values=$(sed -nE "s/^$option\[?=([a-z|-]+)$/\1/p" <<<"$offers")
    compopt -o filenames
    if [[ $option == --* && $values ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${values//|/ }" -- "${word#=}")
    elif [[ $word == -* ]]; then
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "$(sed -E 's/\[=.*//; s/=.*/=/' <<<"$offers")" -- "$word")
    elif [[ $program == *allocsite-run && $option != --* ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "${word#=}")
        [[ $COMP_CWORD -ne 1 ]] ||
            COMPREPLY+=($(compgen -W "$(_allocsite_commands "$program") help" -- "$word"))
    fi
}

complete -F _allocsite allocsite-dump allocsite-run
