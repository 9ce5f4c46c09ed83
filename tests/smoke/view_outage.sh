#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The whole network is gone for a while and comes back, under three members that publish ordered
# messages all the time: from a round trip to four times suspect_after, at 100 and 5000 messages a
# second each, at every ordered level. After each outage all members of the view deliver again,
# new messages too, and all the same; whoever is out of the view says so, and with --rejoin it
# comes back.
#
# The racks run beside each other. Without --rejoin one is a process: its members live and starve
# together, so that none may be excluded for an outage shorter than suspect_after. With --rejoin
# each member is a process. VIEW_OUTAGE=long: every level and rate with --rejoin too, each outage
# several times.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for number in {0..15}; do fabrics+=("${fabric}r$number"); done
timeout -k 5 "${VIEW_OUTAGE_LIMIT_S:-600}" /usr/bin/python3 \
  "$(dirname -- "${BASH_SOURCE[0]}")/view_outage.py" "$lambdacast" "$work_dir" "$fabric" \
  "${VIEW_OUTAGE:-short}" || fail "see above"
no_leftovers
