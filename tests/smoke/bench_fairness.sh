#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-bench fairness, short: nothing is lost or dropped, nobody has more than its share of a
# receiver, the picture and the report are whole; options that are refused.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

fairness() {
  run 0 "$bench" fairness --json - --scale 0.02 --rx-rate 200000000 "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "verdict: nothing lost"
  holds "r['benchmark'] == 'fairness' and r['sound'] and r['lost'] == 0"
  holds "len(r['phases']) == 5 and 0 < r['jain_index'] <= 1.0001"
  # Max-min fair shares, by our own arithmetic.
  holds "abs(r['phases'][3]['optimum'][2] - (1 - 0.1 - 1 / 3)) < 1e-6"
  holds "abs(r['phases'][4]['optimum'][0] - (1 - 0.2 - 1 / 3)) < 1e-6"
  holds "r['room_bps'] == r['rx_rate_bps'] * 0.97"
}
fairness --plot "$work_dir/fairness.svg"
svg "$work_dir/fairness.svg" "node 0, optimum" "node 3"
fairness --measured

usage() {
  local text=$1
  shift
  run 2 "$bench" --no-such-eal-option -- fairness "$@"
  want err "$text"
}
usage "--scale" --scale 0
usage "--rx-rate" --rx-rate 1000
usage "--burst-us" --burst-us 0
usage "--window has to be a power of two" --window 1000
no_leftovers
say "shares of receivers: $(/usr/bin/python3 -c "
import json
r = json.load(open('$work_dir/report.json', encoding='utf-8'))
print('measured needs, at least', round(r['optimum_ratio'], 2), 'of the optimum')")"
