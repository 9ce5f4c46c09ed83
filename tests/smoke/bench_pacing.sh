#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-bench pacing, short: windows of a limited sender are measured, and what is sent in all
# is no more than the limit; options that are refused.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

run 0 "$bench" pacing --json - --rate 400000000 --payload 1000 --seconds 0.3 --warm-up 0.1
cp -- "$work_dir/out" "$work_dir/report.json"
want err "verdict: windows measured"
holds "r['benchmark'] == 'pacing' and r['sound'] and r['rate_bps'] == 400000000"
holds "r['windows'] + r['left_out'] > 10 and 0 <= r['near_ratio'] <= 1"
holds "r['p1_ratio'] <= r['p50_ratio'] <= r['p99_ratio']"
# A burst of a millisecond may come on top.
holds "0 < r['mean_ratio'] < 1.05"

usage() {
  local text=$1
  shift
  run 2 "$bench" --no-such-eal-option -- pacing "$@"
  want err "$text"
}
usage "--rate has to be at least ten frames of --payload in a millisecond" --rate 300000000
usage "--rate" --rate 1
usage "--lcores" --lcores 0
no_leftovers
say "$(/usr/bin/python3 -c "
import json
r = json.load(open('$work_dir/report.json', encoding='utf-8'))
print(r['windows'], 'windows,', r['left_out'], 'left out')")"
