#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacast-bench order at each level of service, small: one order everywhere and every message;
# a single sender; and options that are refused, before EAL, with a sentence and exit code 2.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

# order OPTIONS...: its own verdict, and our arithmetic.
order() {
  run 0 "$bench" order --json - --seconds 0.2 --warm-up 0.05 "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "verdict: one order, every message"
  holds "r['benchmark'] == 'order' and r['sound'] and r['same_order']"
  holds "r['views'] == r['nodes'] and r['published'] > 0"
  holds "0 <= r['p50_ns'] <= r['p99_ns'] <= r['p999_ns'] <= r['max_ns']"
  # Amid repairs of everything no message that was sent in the run may be delivered before its end.
  holds "0 < r['p50_ns'] or r['dropped'] > 0"
  holds "0 <= r['spread_p50_ns'] <= r['spread_p99_ns']"
}
# Each message comes to every node, in total order to its sender too.
all_delivered() {
  holds "r['expected'] == r['published'] * (r['nodes'] - $1)"
  holds "r['delivered'] == r['expected'] and r['lost'] == 0"
}
order --nodes 3 --level unreliable --rate 5000
for level in reliable source; do
  order --nodes 3 --level "$level"
  all_delivered 1
  holds "r['marks'] == 0"
done
for level in total k majority resilient; do
  order --nodes 3 --level "$level"
  all_delivered 0
  holds "r['level'] == '$level' and r['marks'] > 0"
done
order --nodes 2 --level total --one-sender --rate 5000
all_delivered 0
# A member stops, and the token with it: the others watch how long they wait, and no time is judged.
order --nodes 3 --level total --order ring --one-sender --rate 5000 --pause-ms 5
all_delivered 0
holds "r['order'] == 'ring' and r['pause_ms'] == 5 and r['silence_ns'] > 0"

# Receivers of 200 Mbit/s: at the shares that the senders agree on, and at a limit by hand, nothing
# is dropped that would have to be repaired. Flat out without either, something is.
share() {
  order --nodes 3 --payload 4048 --rx-rate 200000000 --ack-us 2000 "$@"
  all_delivered 0
  holds "0 < r['reached'] and r['policy'] == '$2'"
}
share --policy fair
holds "r['dropped'] == 0 and r['repairs'] == 0 and r['limit_bps'] == 0"
share --policy fixed --limit 95000000
holds "r['dropped'] == 0 and r['repairs'] == 0 and r['limit_bps'] == 95000000"
share --policy none
holds "r['dropped'] > 0 and r['repairs'] > 0"

usage() {
  local text=$1
  shift
  run 2 "$bench" --no-such-eal-option -- order "$@"
  want err "$text"
  [ ! -s "$work_dir/out" ] || fail "it says on standard output: $(cat "$work_dir/out")"
}
usage "--nodes" --nodes 1
usage "--nodes" --nodes three
usage "--pause-ms: with two nodes" --nodes 2 --pause-ms 5
usage "--pause-ms is for levels that are ordered" --level source --pause-ms 5
usage "--pause-ms 600 comes near --suspect-us" --pause-ms 600 --suspect-us 1000000
usage "--level" --level best
usage "--payload" --payload 23
usage "--payload" --payload 4049
usage "--window has to be a power of two" --window 1000
usage "--policy" --policy unfair
usage "--policy fixed needs --limit" --policy fixed
usage "--burst-us" --burst-us 0
usage "--rx-buffer" --rx-buffer 1000
usage "--rx-rate is for all senders" --rx-rate 1000000000 --one-sender
usage "--k" --k 0
usage "--seconds" --seconds 0
usage "--nonesuch" --nonesuch
no_leftovers
say "one order at every level; wrong options are refused"
