#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-bench groups, small: all nodes join all groups, every message in its group's order; and
# options that are refused, before EAL, with a sentence and exit code 2.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

for level in source total; do
  run 0 "$bench" groups --json - --nodes 2 --groups 1,64 --rounds 2 --seconds 0.05 --warm-up 0.02 \
    --rate 20000 --level "$level"
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "verdict: every message, in its order"
  holds "r['benchmark'] == 'groups' and r['sound'] and r['level'] == '$level'"
  holds "r['wrong'] == 0 and r['out_of_order'] == 0 and r['views'] == r['nodes']"
  holds "r['published'] > 0 and r['delivered'] == r['expected']"
  # Total order brings the sender its own; before the first step both levels warm the memory.
  holds "r['nodes'] - 1 <= r['expected'] / r['published'] <= r['nodes']"
  holds "[s['groups'] for s in r['steps']] == [1, 64] and r['groups'] == 64"
  holds "[s['joins'] for s in r['steps']] == [2, 126] and r['joins_per_s'] > 0"
  holds "all(abs(s['ratio'] * s['one_mps'] - s['many_mps']) < 1 for s in r['steps'])"
  holds "all(s['one_mps'] > 0 and len(s['many_mps_by_round']) == 2 for s in r['steps'])"
  holds "r['table_bytes_per_group'] > 0"
done

usage() {
  local text=$1
  shift
  run 2 "$bench" --no-such-eal-option -- groups "$@"
  want err "$text"
  [ ! -s "$work_dir/out" ] || fail "it says on standard output: $(cat "$work_dir/out")"
}
usage "--groups has to ascend" --groups 64,1
usage "--groups" --groups 0
usage "--level" --level reliable
usage "--payload" --payload 15
usage "--rounds" --rounds 0
usage "--domains has to be a power of two" --domains 3
usage "--nodes" --nodes 1
no_leftovers
say "all groups joined, every message in its order; wrong options are refused"
