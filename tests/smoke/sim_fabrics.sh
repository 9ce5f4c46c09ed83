#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-sim over fabrics of switches: graphs, headers of multicast trees, trees of clocks,
# algorithms of message passing, and refusals.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
sim=$build_dir/app/lambdacast-sim/lambdacast-sim

run 0 "$sim" graph --graph fat-tree:4 --json "$work_dir/graph.json"
want out "| fat-tree:4 | 20 | 32 | 4 | 4 | 4 | 2 | 8 |"
[ "$(jq .diameter "$work_dir/graph.json")" = 4 ] || fail "the report has another diameter"
run 2 "$sim" graph --graph fat-tree:7
one_sentence err
want err "K is even"

run 0 "$sim" trees --graph fat-tree:8 --groups 300 --check --json "$work_dir/trees.json" \
  --svg "$work_dir"
want out "| scheme | mean, bytes |"
grep -q "</svg>" "$work_dir/trees-headers-fat-tree-8.svg" || fail "no picture of headers"
run 2 "$sim" trees --graph gml:"$work_dir/nowhere.gml"
one_sentence err

run 0 "$sim" clock --graph fat-tree:4 --scheme published,published-literal,ours,sundial \
  --failures 0,1,2 --budget 100M,10M --seeds 3 --bin-us 100 --json "$work_dir/clock.json" \
  --svg "$work_dir"
want out "| fat-tree:4 | ours | 10 | 2 |"
[ "$(jq length "$work_dir/clock.json")" = 24 ] || fail "not a row for each choice"
for key in graph scheme medium budget_bps failures fast_us_mean fast_us_p99 full_us_mean \
  full_us_p99 peak_epsilon_ns seeds; do
  [ "$(jq "map(has(\"$key\")) | all" "$work_dir/clock.json")" = true ] || fail "no $key"
done
for what in fast full peak course-1; do
  grep -q "</svg>" "$work_dir/clock-$what-fat-tree-4.svg" || fail "no picture of $what"
done
# Equal seeds give equal rows.
run 0 "$sim" clock --graph fat-tree:4 --scheme ours --failures 1 --seeds 3 --json -
row='map(select(.scheme == "ours" and .failures == 1 and .budget_bps == 1e8))[0].full_us_mean'
[ "$(jq "$row" "$work_dir/out")" = "$(jq "$row" "$work_dir/clock.json")" ] ||
  fail "another time for the same seeds"
run 0 "$sim" clock --graph fat-tree:4 --scheme ptp --seeds 1
want out "| fat-tree:4 | ptp | 100 | 1 | - |"
run 0 "$sim" clock --graph ring:9 --ablation --failing link --medium B --seeds 1
want out "| ring:9 | ours-reports |"
run 0 "$sim" clock --small 200
want out "200 small runs, 0 with violations"

run 2 "$sim" clock --graph random:5,3
one_sentence err
run 2 "$sim" clock --scheme ptp --budget 10M
one_sentence err
run 2 "$sim" clock --scheme nobody
run 2 "$sim" clock --budget 10
run 2 "$sim" clock --without nothing
run 3 "$sim" clock --graph fat-tree:4 --seeds 1 --json "$work_dir/nowhere/clock.json"
one_sentence err

run 0 "$sim" congest --graph fat-tree:4 --algorithm all --sync beta,alpha,free --loss 0,1e-2 \
  --seeds 2 --json "$work_dir/congest.json" --svg "$work_dir" --resume "$work_dir/rows.json"
want out "| fat-tree:4 | luby | alpha | 0.01 |"
# Twelve algorithms by beta and alpha, four of them free, each at two losses.
[ "$(jq length "$work_dir/congest.json")" = 56 ] || fail "not a row for each choice"
[ "$(jq 'map(.violations) | add' "$work_dir/congest.json")" = 0 ] || fail "a checker objects"
grep -q "</svg>" "$work_dir/congest-rtts-fat-tree-4.svg" || fail "no picture"
# Finished rows are not measured again: even a changed one is taken as it is.
sed -i '1s/"rtts_mean":[^,]*/"rtts_mean":7.5/' "$work_dir/rows.json"
run 0 "$sim" congest --graph fat-tree:4 --algorithm all --sync beta,alpha,free --loss 0,1e-2 \
  --seeds 2 --json - --resume "$work_dir/rows.json"
[ "$(jq '.[0].rtts_mean' "$work_dir/out")" = 7.5 ] || fail "a finished row was measured again"
run 0 "$sim" congest --small 200
want out "200 small runs, 0 with violations"
run 2 "$sim" congest --algorithm luby --sync free
one_sentence err
want err "leader, election, flood, bitmaps run free"
run 2 "$sim" congest --algorithm all,leader
one_sentence err
run 2 "$sim" congest --algorithm nobody
run 2 "$sim" congest --graph random:5,3
one_sentence err
run 3 "$sim" congest --graph ring:5 --seeds 1 --algorithm leader --svg "$work_dir/nowhere"
one_sentence err
say "passed"
