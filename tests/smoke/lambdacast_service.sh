#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A service manager is told when the endpoints are in their view, that they live, how they do and
# that they end, over a socket with a path and over an abstract one.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

for number in 0 1; do
  {
    RATE_PPS=1000 endpoints "$fabric" 2 "$number"
    echo 'membership = { enabled = true, initial_nodes = 2 }'
  } >"$work_dir/$number.toml"
done
said=$(/usr/bin/python3 "$source_dir/tests/smoke/lambdacast_service.py" "$lambdacast" \
  "$work_dir/0.toml" "$work_dir/1.toml" "$work_dir") || fail "see above"
no_leftovers
say "$said"
