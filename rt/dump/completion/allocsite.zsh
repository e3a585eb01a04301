#compdef allocsite-dump allocsite-run
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# zsh completion of allocsite-dump and allocsite-run, by what their help says.

# The options: --format=text|json, --tree[=leaf|root], --top=N.
_allocsite_options() {
    "$@" --help 2>/dev/null | sed -nE 's/^ +-/-/; T; s/  .*//; p' | grep -oE -- '--[a-z-]+(\[?=[A-Za-z|-]+)?'
}

_allocsite_commands() {
    $1 --help | sed -nE 's/^  ([a-z]+) .*/\1/p'
}

_allocsite() {
    local program=$words[1] option values
    local -a offers
    if [[ $program == *allocsite-run && -n ${words[(r)--fail-each]} ]]; then
        offers=(${(f)"$(_allocsite_options $program --fail-each)"})
    elif [[ $program == *allocsite-run ]]; then
        offers=(${(f)"$(_allocsite_options $program; _allocsite_options ${program%run}dump report)"})
    elif [[ CURRENT -eq 3 && $words[2] == help ]]; then
        compadd -- ${(f)"$(_allocsite_commands $program)"} options
        return
    elif (( CURRENT > 2 )); then
        offers=(${(f)"$(_allocsite_options $program $words[2])"})
    else
        offers=(--help --version)
    fi
    if [[ $PREFIX == --*=* ]]; then
        option=${PREFIX%%=*}
        values=${${(M)offers:#$option(|\[)=[a-z|-]##}#*=}
        compset -P '*='
        [[ -n $values ]] && compadd -- ${(s:|:)values} || _files
    elif [[ $PREFIX == -* ]]; then
        compadd -S '' -- ${${offers/\[=*/}/=*/=}
    elif [[ $program == *allocsite-run ]]; then
        _command_names -e
    else
        (( CURRENT > 2 )) || compadd -- ${(f)"$(_allocsite_commands $program)"} help
        _files
    fi
}

_allocsite "$@"
