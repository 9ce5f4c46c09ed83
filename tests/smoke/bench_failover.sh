#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Failover: nodes of a view are polled no more; the others go on in the next view without them and
# have lost nothing of each other's, in one order. No time is judged; a view that ends of itself,
# on a loaded machine, is told and not measured.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

# failover OPTIONS...: with patience enough for a loaded machine.
failover() {
  run 0 "$bench" failover --suspect-us 1000000 --heartbeat-us 20000 --rate 500 --json - "$@"
  cp -- "$work_dir/out" "$work_dir/report.json"
  want err "one order, every message"
  holds "r['benchmark'] == 'failover' and r['sound'] and r['published'] > 0"
  holds "r['missing'] == r['wrong'] == r['out_of_order'] == r['lost'] == 0"
  holds "r['runs'] == r['measured'] + r['disturbed'] + r['stuck']"
  holds "0 < r['view_p50_ns'] <= r['p50_ns'] <= r['p99_ns'] <= r['max_ns']"
  holds "r['suspect_plus_ns'] == r['p50_ns'] - 1000 * r['suspect_after_us']"
}
failover --runs 2
holds "r['stop'] == 'sequencer' and r['nodes'] == 4"
failover --runs 1 --stop member --nodes 3
holds "r['stop'] == 'member' and r['nodes'] == 3"
# Half of the view: with the tie-breaker.
failover --runs 1 --stop two
# A token, and a lock whose holder stops. The lock may change hands sooner behind the stop than the
# time of suspicion: a node is suspected that long behind its last frame, which is older.
failover --runs 1 --stop two --order ring --lock
holds "r['order'] == 'ring' and 0 < r['lock_p50_ns'] == r['lock_max_ns']"
# Each node a process, killed once with the fabric's word and once without.
failover --kill --runs 1 --nodes 3 --lock
holds "r['lock_p50_ns'] > 0 and r['kill'] and r['stop'] == 'sequencer' and r['runs'] == 2"
# For people.
run 0 "$bench" failover --suspect-us 1000000 --heartbeat-us 20000 --runs 1 --nodes 5 --stop two
want out "in the new view at every survivor"

run 2 "$bench" failover --nodes 3 --stop two
want err "leaves no quorum of 3 nodes"
run 2 "$bench" failover --suspect-us 1000
want err "--suspect-us 1000 is too short for --heartbeat-us 1000"
run 2 "$bench" failover --kill --idle never
want err "--idle"
run 2 "$bench" failover --order ring
want err "--stop sequencer: a ring has none"
run 2 "$bench" failover --stop everybody
want err "--stop"
no_leftovers
say "survivors of one node and of two go on: nothing of theirs is lost, in one order"
