#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-sim: a campaign, its resume file, a replay, a table, and refusals.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
sim=$build_dir/app/lambdacast-sim/lambdacast-sim

run 0 "$sim" campaign --kind reliable --seeds 10 --jobs 2 --resume "$work_dir/progress.json"
want out "10 seeds, 0 with violations"
want out "repairs sent"
run 0 "$sim" campaign --kind reliable --seeds 15 --resume "$work_dir/progress.json"
want out "15 seeds, 0 with violations"
run 0 "$sim" campaign --seeds 40
want out "40 seeds, 0 with violations"
for kind in rates locks deaths; do
  run 0 "$sim" campaign --kind "$kind" --seeds 2
  want out "2 seeds, 0 with violations"
done
printf 'no json' >"$work_dir/broken.json"
run 2 "$sim" campaign --seeds 1 --resume "$work_dir/broken.json"
want err "is no progress file"

run 0 "$sim" replay --seed 3 --trace
want out "sends heartbeat"
want out "seed 3: 0 violations"
run 0 "$sim" replay --seed 3 --capture "$work_dir/seed.pcap"
want out "seed 3: 0 violations"
[ "$(stat -c %s "$work_dir/seed.pcap")" -gt 10000 ] || fail "no frames of seed 3"
run 2 "$sim" replay --seed 3 --capture "$work_dir/nowhere/seed.pcap"
one_sentence err

run 0 "$sim" repair --nodes 3 --loss 0.01 --messages 2000
want out "| 3 | 0.01 | each receiver |"

run 0 "$sim" order --nodes 3,8 --messages 200
want out "| totally resilient | 8 |"

run 0 "$sim" rate --nodes 3 --raises 2 --plateau-ms 100 --json -
want err "| 3 | none | 2 |"
want out '"held": true'
run 2 "$sim" rate --nodes 3 --raises 1 --plateau-ms 100 --json "$work_dir/nowhere/rate.json"
one_sentence err

run 0 "$sim" figures --figure 6 --nodes 2 --measure-ms 10 --json -
want err "| 2 | 1884 |"
want out '"held": true'
run 0 "$sim" levels --nodes 2 --measure-ms 30
want out "| ring | 2 | 1727 |"
run 2 "$sim" levels --nodes 1
run 2 "$sim" figures --figure 5
run 2 "$sim" figures --figure 8 --nodes 2 --plot "$work_dir/nowhere/figure.svg"
one_sentence err
run 2 "$sim"
run 2 "$sim" campaign --seeds 0
run 2 "$sim" replay
run 2 "$sim" repair --nodes 65
run 2 "$sim" order --nodes 2
run 2 "$sim" rate --nodes 2
say "passed"
