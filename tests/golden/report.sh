#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# report.sh DUMP: shows the stored reports of every released version in every form; each must stay as it is stored.
# A folder is a version of the format. Text is compared byte for byte.
set -u
dump=$1
folder=$(cd "$(dirname "$0")" && pwd)
failures=0

# golden REPORT EXPECTED [OPTION...]
golden() {
    report=$folder/$1
    expected=$folder/$2
    shift 2
    "$dump" report "$@" "$report" >shown 2>complaints
    status=$?
    if [ $status -ne 0 ] || [ -s complaints ] || ! diff "$expected" shown; then
        echo "$expected: status $status, options: $*"
        cat complaints
        failures=$((failures + 1))
    fi
}

# Sites that were left out, a reason why the numbers are not exact, an unfinished and forked program.
for form in text csv markdown json; do
    golden report-1/cut.json report-1/cut.$form --format=$form
done

# Pairs, sizes, faults, lost blocks.
golden report-1/full.json report-1/full.text --pairs --sizes
golden report-1/full.json report-1/full.leaks.text --leaks --top=1
golden report-1/full.json report-1/full.csv --format=csv
golden report-1/full.json report-1/full.markdown --format=markdown --pairs --sizes --sort=peak
golden report-1/full.json report-1/full.json --format=json
golden report-1/full.json report-1/full.top.json --format=json --top=1

exit $((failures > 0))
