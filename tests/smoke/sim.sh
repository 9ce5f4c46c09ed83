#!/bin/bash
# lambdacast-sim: a campaign, its resume file, a replay, a table, and refusals.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
sim=$build_dir/app/lambdacast-sim/lambdacast-sim

run 0 "$sim" campaign --seeds 10 --jobs 2 --resume "$work_dir/progress.json"
want out "10 seeds, 0 with violations"
want out "repairs sent"
run 0 "$sim" campaign --seeds 15 --resume "$work_dir/progress.json"
want out "15 seeds, 0 with violations"
printf 'no json' >"$work_dir/broken.json"
run 2 "$sim" campaign --seeds 1 --resume "$work_dir/broken.json"
want err "is no progress file"

run 0 "$sim" replay --seed 3 --trace
want out "sends heartbeat"
want out "seed 3: 0 violations"

run 0 "$sim" repair --nodes 3 --loss 0.01 --messages 2000
want out "| 3 | 0.01 | each receiver |"

run 2 "$sim"
run 2 "$sim" campaign --seeds 0
run 2 "$sim" replay
run 2 "$sim" repair --nodes 65
say "passed"
