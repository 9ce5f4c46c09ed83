#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One of three nodes is ended in order (SIGTERM), the one of the lowest rank, then one of the two
# that are left: each leaves its view first, so that the others go on at once. Their patience,
# suspect_after, is half a minute here: if they had to find out by silence, this would take longer.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

SUSPECT_US=30000000
start_three
begin=$SECONDS
end_node 0
for number in 1 2; do in_view "$number" 1 2; done
for number in 1 2; do goes_on "$number" 1000; done
end_node 2
in_view 1 1
goes_on 1 1000
took=$((SECONDS - begin))
[ "$took" -lt 25 ] || fail "two views without somebody who had left took $took s"
end_node 1
for number in 0 1 2; do
  want "$(out_of "$number")" "node$number: has left view "
  refuse "$(out_of "$number")" "excluded"
done
no_leftovers
say "two nodes left within $took s, of 30 s of patience"
