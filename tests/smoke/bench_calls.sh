#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-bench calls, small: every call is answered, from inside the view and from outside, with
# sequencers and with a ring; and options that are refused, before EAL, with a sentence and exit
# code 2.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

for order in sequencer ring; do
  run 0 "$bench" calls --json - --rounds 2 --seconds 0.05 --order "$order" --answer-mib 1 \
    --drop 0.01
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "verdict: every call answered"
  holds "r['benchmark'] == 'calls' and r['sound'] and r['order'] == '$order'"
  holds "r['calls'] == r['answered'] > 0 and r['views'] == r['nodes'] == 4"
  holds "len(r['by_round']) == r['rounds'] == 2"
  holds "all(i['outside_ns'] > 0 and i['grant_ns'] > 0 for i in r['by_round'])"
  holds "all(i['long_ns'] > 0 and i['amid_p99_ns'] > 0 for i in r['by_round'])"
  holds "r['spoiled'] == 0 and r['answer_mib'] == 1 and r['drop'] == 0.01"
  holds "all(r[k + '_ratio_q1'] <= r[k + '_ratio'] <= r[k + '_ratio_q3'] for k in ('call', 'rate'))"
done
run 0 "$bench" calls --json - --rounds 1 --seconds 0.02 --no-outside --answer-mib 0
cp -- "$work_dir/out" "$work_dir/report.json"
holds "r['outside_ratio'] == 0 and r['amid_ratio'] == 0 and r['sound']"

usage() {
  local text=$1
  shift
  run 2 "$bench" --no-such-eal-option -- calls "$@"
  want err "$text"
}
usage "--nodes" --nodes 3
usage "--order" --order mixed
usage "--under-way" --under-way 65
usage "--rounds" --rounds 0
usage "--answer-mib" --answer-mib 17
usage "--drop" --drop 0.6
no_leftovers
