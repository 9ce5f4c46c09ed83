#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Three nodes with --rejoin that publish in source order, which needs no view. Two are there where a
# first view takes three: they say so, and hear each other. Then two of the three are stopped: the
# third names them, and waits. They are killed (-9), which the fabric tells at once: the third is
# out of the view that is over, and starts over by itself. Started again, all are in a view and hear
# each other.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

QOS=source
SUSPECT_US=1000000
options=(--rejoin --rejoin --rejoin)
for number in 0 1; do
  node "$number"
  start_node "$number"
done
for number in 0 1; do
  says "$number" "node$number: no first view yet: 2 of the 3 nodes that it takes are here"
  goes_on "$number" 500
done
node 2
start_node 2
for number in 0 1 2; do in_view "$number" 0 1 2; done
for number in 0 1 2; do goes_on "$number" 500; done

for number in 1 2; do kill -STOP "${process[$number]}"; done
says 0 "node0: no view can follow view "
says 0 "missing: $(address 1) (silent), $(address 2) (silent)."
refuse "$(out_of 0)" "excluded"
for number in 1 2; do kill -KILL "${process[$number]}"; done
for number in 1 2; do wait "${process[$number]}" 2>/dev/null || true; done
says 0 " is over for good, its other lives are too few: $(address 1) (that life of it has ended)"
says 0 "lambdacast: starts over, as another incarnation"
for number in 1 2; do start_node "$number" "-again"; done
for number in 1 2; do in_view "$number" 0 1 2; done
for number in 0 1 2; do goes_on "$number" 500; done
lines=$(grep -c "node0: no view can follow" "$work_dir/$(out_of 0)")
[ "$lines" -le 3 ] || fail "node0 says $lines times that no view can follow"

for number in 0 1 2; do end_node "$number"; done
no_leftovers
say "$(grep "no view can follow" "$work_dir/$(out_of 0)" | head -n 1)"
