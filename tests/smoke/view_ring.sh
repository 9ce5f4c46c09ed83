#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Three nodes pass a token around: all deliver in one order, and `show view` says who has the token.
# One that is killed (-9) is missed by the other two, which make a view with a token of its own. A
# node that sequencers order for shares no view with them, and both sides say so.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

tool=$build_dir/app/lambdacastctl/lambdacastctl
chmod 755 "$work_dir"
# shows NUMBER EXPRESSION: of Python, about the row r of `show view`.
shows() {
  "$tool" --socket "$work_dir/$1.sock" -j show view >"$work_dir/answer" &&
    /usr/bin/python3 -c '
import json, sys
with open(sys.argv[1], encoding="utf-8") as stream:
    r = json.load(stream)["rows"][0]
sys.exit(not eval(sys.argv[2]))' "$work_dir/answer" "$2" ||
    fail "node$1: not $2: $(cat "$work_dir/answer")"
}
ORDER=ring
WAVELENGTHS=4
options+=("")
for number in 0 1 2; do
  node "$number"
  options[number]="--control-socket=$work_dir/$number.sock"
  start_node "$number"
done
for number in 0 1 2; do in_view "$number" 0 1 2; done
for number in 0 1 2; do goes_on "$number" 1000; done
for number in 0 1 2; do
  shows "$number" 'r["order"] == "ring" and r["max_n"] == 3'
  shows "$number" 'r["token"].removeprefix("rests at ") in ["10.77.0.%d" % i for i in (1, 2, 3)]'
  shows "$number" 'r["pass"] > 0 and r["passes_sent"] > 0 and r["passes_refused"] == 0'
done

# Sequencers order for the fourth one.
ORDER=sequencer NODES=1 node 3
start_node 3
says 3 "orders otherwise, and shares no view with this node"
says 0 "10.77.0.4 orders otherwise, and shares no view with this node"
end_node 3

kill -KILL "${process[1]}"
wait "${process[1]}" 2>/dev/null || true
for number in 0 2; do in_view "$number" 0 2; done
for number in 0 2; do goes_on "$number" 1000; done
options[1]=
start_node 1 -again
for number in 0 2 1; do in_view "$number" 0 2 1; done
for number in 0 2 1; do goes_on "$number" 1000; done
for number in 0 1 2; do end_node "$number"; done
no_leftovers
say "a token of three, of two and of three again"
