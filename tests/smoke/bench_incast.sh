#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-bench incast, short: senders of three times what a receiver takes lose two thirds there
# without shares, and nothing with them; options that are refused.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

incast() {
  run 0 "$bench" incast --json - --nodes 4 --rx-rate 50000000 --seconds 0.3 --warm-up 0.3 "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "verdict: every message counted"
  holds "r['benchmark'] == 'incast' and r['sound']"
  holds "all(len(row['lost_ratio_by_node']) == 4 for row in r['rows'])"
}
incast --rx-buffer 100000
holds "[row['policy'] for row in r['rows']] == ['none', 'fair']"
holds "all(row['qos'] == 'unreliable' for row in r['rows'])"
holds "r['rows'][0]['dropped'] > 0 and r['rows'][0]['lost_ratio'] > 0.3"
holds "r['rows'][1]['dropped'] == 0 and r['rows'][1]['lost_ratio'] == 0"
holds "r['rows'][0]['sum_ratio'] > r['rows'][1]['sum_ratio']"
incast --qos source --policy fair
holds "len(r['rows']) == 1 and r['rows'][0]['lost_ratio'] == 0 and r['rows'][0]['repairs'] == 0"
holds "r['rows'][0]['goodput_bps'] > 0"

usage() {
  local text=$1
  shift
  run 2 "$bench" --no-such-eal-option -- incast "$@"
  want err "$text"
}
usage "--policy" --policy none,unfair
usage "--policy fixed needs --limit" --policy none,fixed
usage "--nodes" --nodes 2
usage "--times" --times 0
usage "--window has to be a power of two" --window 1000
no_leftovers
say "one receiver: $(/usr/bin/python3 -c "
import json
r = json.load(open('$work_dir/report.json', encoding='utf-8'))
print('source ordered, fair shares use', round(r['rows'][0]['sum_ratio'], 2), 'of its room')")"
