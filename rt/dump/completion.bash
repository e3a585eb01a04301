# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bash completion of allocsite-dump.

# The values of an option of the command, in one line.
_allocsite_dump_values() {
    case $1$2 in
        report--by) echo "site line function file type module stack freed thread phase" ;;
        report--names | sites--names) echo "short full" ;;
        report--tree) echo "leaf root" ;;
        report--format) echo "text json csv tsv markdown" ;;
        top--sort) echo "rate bytes allocs live peak" ;;
        *--format) echo "text json" ;;
        report--sort | diff--sort) echo "bytes allocs live peak" ;;
    esac
}

_allocsite_dump() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} option=
    local options="--format= --frees --names= --verify --help"
    [[ $command != wrappers ]] || options="--format= --help"
    [[ $command != report ]] ||
        options="--by= --format= --sort= --names= --top= --min-bytes= --min-allocs= --filter= --depth= --leaks --suppress= --pairs --sizes --padding --tree --prune= --events --no-symbols --debug-dir= --unused --coverage --help"
    [[ $command != merge ]] || options="-o --output= --help"
    [[ $command != diff ]] || options="--format= --sort= --top= --min-bytes= --all --exit-code --help"
    [[ $command != top ]] || options="--sort= --filter= --interval= --count= --plain --once --top= --help"
    [[ $command != check ]] || options="--budget= --format= --write-budget --slack= --top= --help"
    [[ $previous != = ]] || option=${COMP_WORDS[COMP_CWORD-2]}
    [[ $word != = ]] || option=$previous
    compopt -o filenames
    if [[ $option == --budget || $option == --suppress || $option == --output || $option == --debug-dir ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "${word#=}")
    elif [[ $option == --* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_allocsite_dump_values "$command" "$option")" -- "${word#=}")
    elif [[ $word == --* && $COMP_CWORD -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--help --version" -- "$word")
    elif [[ $word == -* ]]; then
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        [[ $COMP_CWORD -ne 1 ]] || COMPREPLY+=($(compgen -W "sites wrappers report merge diff check top help" -- "$word"))
    fi
}

complete -F _allocsite_dump allocsite-dump
