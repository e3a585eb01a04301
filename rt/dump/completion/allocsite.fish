# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fish completion of allocsite-dump and allocsite-run, by what their help says.

# The options, with each of their values: --format=text, --format=json, --tree, --top=.
function __allocsite_options
    $argv --help 2>/dev/null | sed -nE 's/^ +-/-/; T; s/  .*//; p' | grep -oE -- '--[a-z-]+(\[?=[A-Za-z|-]+)?' |
        awk -F '\\[?=' '$2 !~ /^[a-z|-]+$/ { print $1 ($2 && !/\[/ ? "=" : ""); next }
            { count = split($2, values, "|"); while (count) print $1 "=" values[count--] }'
end

function __allocsite_commands
    $argv[1] --help | sed -nE 's/^  ([a-z]+)( .*)/\1\t\2/p'
end

function __allocsite_of_command
    set -l words (commandline -opc)
    if test (count $words) = 2 -a "$words[2]" = help
        __allocsite_commands $words[1]
        echo options
    else if set -q words[2]
        __allocsite_options $words[1] $words[2]
    else
        __allocsite_commands $words[1]
        echo help
    end
end

function __allocsite_of_run
    if contains -- --fail-each (commandline -opc)
        __allocsite_options allocsite-run --fail-each
    else
        __allocsite_options allocsite-run
        __allocsite_options allocsite-dump report
    end
end

complete -c allocsite-dump -a '(__allocsite_of_command)'
complete -c allocsite-run -a '(__fish_complete_subcommand)'
complete -c allocsite-run -n 'string match -q -- "-*" (commandline -ct)' \
    -a '(__allocsite_of_run)'
