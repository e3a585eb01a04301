#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# report.sh DUMP: shows the stored reports and profiles of every released version; each must be shown as it is stored.
# A folder is a version of the format. Text is compared byte for byte.
set -u
unset COLUMNS
dump=$1
folder=$(cd "$(dirname "$0")" && pwd)
failures=0

# golden REPORT EXPECTED [OPTION...]
golden() {
    golden_of report "$@"
}

# golden_of COMMAND FILE EXPECTED [OPTION...]
golden_of() {
    command=$1
    report=$folder/$2
    expected=$folder/$3
    said=/dev/null
    [ -f "$expected.complaints" ] && said=$expected.complaints
    shift 3
    "$dump" "$command" "$@" "$report" >shown 2>complaints
    status=$?
    if [ $status -ne 0 ] || ! cmp -s "$said" complaints || ! diff "$expected" shown; then
        echo "$expected: status $status, options: $*"
        cat complaints
        failures=$((failures + 1))
    fi
}

# Sites that were left out, a reason why the numbers are not exact, an unfinished and forked program.
for form in text csv markdown; do
    golden report-1/cut.json report-1/cut.$form --format=$form
done
golden report-1/cut.json report-1/cut.shown.json --format=json

# Pairs, sizes, faults, lost blocks.
golden report-1/full.json report-1/full.text --pairs --sizes
golden report-1/full.json report-1/full.leaks.text --leaks --top=1
golden report-1/full.json report-1/full.csv --format=csv
golden report-1/full.json report-1/full.markdown --format=markdown --pairs --sizes --sort=peak
golden report-1/full.json report-1/full.shown.json --format=json
golden report-1/full.json report-1/full.top.json --format=json --top=1

# By what sites have in common; those that were left out are a row.
golden report-1/full.json report-1/full.functions.text --by=function
golden report-1/full.json report-1/full.types.markdown --by=type --format=markdown
golden report-1/cut.json report-1/cut.lines.json --by=line --format=json

# A process and its forked child, with pairs and sizes; two threads that were killed; and these three merged.
for process in words child killed merged; do
    golden profile-1/$process.profile profile-1/$process.json --format=json
done
golden profile-1/words.profile profile-1/words.text --pairs --sizes
golden profile-1/killed.profile profile-1/killed.text
golden profile-1/merged.profile profile-1/merged.text
golden profile-1/killed.profile profile-1/killed.threads.csv --by=thread --format=csv

# Phases, before and after a reset.
golden profile-1/phases.profile profile-1/phases.json --by=phase --format=json
golden profile-1/phases.profile profile-1/phases.text --by=phase --sort=live
golden profile-1/phases.profile profile-1/phases.advice.text --advise

# Stacks and callers: of a process, its child, both merged, and of one site. Custom allocators with their backing, alone
# and merged with one that has none.
for process in stacks child selected merged backing both; do
    golden profile-2/$process.profile profile-2/$process.json --format=json --no-symbols
    golden profile-2/$process.profile profile-2/$process.tree --tree --no-symbols
done
golden profile-2/merged.profile profile-2/merged.text --pairs --no-symbols
golden profile-2/both.profile profile-2/both.text --no-symbols
golden profile-2/stacks.profile profile-2/stacks.root --tree=root --prune=0 --no-symbols

# A process and its forked child, when they ran and how they ended, and both joined; the same from JSON.
for process in forked child merged; do
    golden profile-3/$process.profile profile-3/$process.json --format=json --no-symbols
    golden profile-3/$process.profile profile-3/$process.text --no-symbols
    golden report-3/$process.json profile-3/$process.text
done

# How long blocks lived; the same from JSON.
golden profile-3/lifetimes.profile profile-3/lifetimes.json --format=json --no-symbols
golden profile-3/lifetimes.profile profile-3/lifetimes.text --lifetime --no-symbols
golden report-3/lifetimes.json profile-3/lifetimes.text --lifetime --no-symbols

# Stacks whose steps share their return addresses: of a process with calling contexts, its child, and both merged.
for process in contexts child merged; do
    golden profile-4/$process.profile profile-4/$process.json --format=json --no-symbols
    golden profile-4/$process.profile profile-4/$process.tree --tree --no-symbols
done

# Counters of rare events: after a reset, in a child, and both merged.
for process in rare child merged; do
    golden profile-5/$process.profile profile-5/$process.json --format=json --no-symbols
done
golden profile-5/rare.profile profile-5/rare.text --no-symbols
golden profile-5/merged.profile profile-5/merged.threads.csv --by=thread --format=csv --no-symbols

# Phases, by stack and by thread, in JSON.
golden report-4/phases.json report-4/phases.phase.text --by=phase --no-symbols
golden report-4/phases.json report-4/phases.thread.text --by=thread --no-symbols
golden report-4/phases.json report-4/phases.shown.json --format=json --no-symbols
golden_of export report-4/phases.json report-4/phases.speedscope --format=speedscope --no-symbols

# A recording: its last moment, one before, and what was live over time.
golden recording-1/steps.rec recording-1/steps.json --no-symbols --format=json
golden recording-1/steps.rec recording-1/steps.text --no-symbols --at=0.5
golden recording-1/steps.rec recording-1/steps.growth.text --no-symbols --growth
golden recording-1/steps.rec recording-1/steps.history.json --no-symbols --history --format=json

# A snapshot of a heap with a lost cycle (tests/dump/graph.cpp).
golden_of graph graph-1/cycle.graph graph-1/cycle.text --top=0
golden_of graph graph-1/cycle.graph graph-1/cycle.json --format=json --by=site --top=0
golden_of graph graph-1/cycle.graph graph-1/cycle.edges --edges

# The same of version 2, with names; and one as its process wrote it, whose file is gone (tests/dump/graph.c).
golden_of graph graph-2/cycle.graph graph-2/cycle.text --top=0
golden_of graph graph-2/cycle.graph graph-2/cycle.edges --edges
golden_of graph graph-2/cycle.graph graph-2/cycle.dump --dump
golden_of graph graph-2/bare.graph graph-2/bare.edges --edges
golden_of graph graph-2/bare.graph graph-2/bare.dump --dump

# One that its process wrote, of version 3: with frames of its stacks (tests/dump/graph_frames.c).
golden_of graph graph-3/bare.graph graph-3/bare.edges --edges
golden_of graph graph-3/bare.graph graph-3/bare.dump --dump

# One that its process wrote, of version 4, and the same with names: with stacks (tests/dump/graph_stacks.c).
golden_of graph graph-4/bare.graph graph-4/bare.dump --dump --by=stack
golden_of graph graph-4/named.graph graph-4/named.text --by=stack
golden_of graph graph-4/named.graph graph-4/named.edges --edges

exit $((failures > 0))
