#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Four nodes in a view are replaced one by one while all publish, as an update of a rack would: each
# is ended in order, and its successor takes the same address and wavelength. Nothing is declared
# lost, nobody is cut off or excluded, and no account is short: every process ends with 0.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

NODES=4
# Nobody may be given up by silence: a node that is ended says that it leaves.
SUSPECT_US=10000000
# end_clean NUMBER: without any trouble.
end_clean() {
  kill -TERM "${process[$1]}"
  ends "${process[$1]}" "node$1${life[$1]}" 0
  want "$(out_of "$1")" "verdict: every packet accounted for: "
  want "$(out_of "$1")" "node$1: has left view "
}

order=(0 1 2 3)
for number in "${order[@]}"; do node "$number"; done
for number in "${order[@]}"; do start_node "$number"; done
for number in "${order[@]}"; do in_view "$number" "${order[@]}"; done
for number in "${order[@]}"; do goes_on "$number" 1000; done
for number in 0 1 2 3; do
  end_clean "$number"
  # By seniority: the successor has the last rank.
  rest=()
  for other in "${order[@]}"; do [ "$other" = "$number" ] || rest+=("$other"); done
  for other in "${rest[@]}"; do in_view "$other" "${rest[@]}"; done
  order=("${rest[@]}" "$number")
  start_node "$number" "-next"
  for other in "${order[@]}"; do in_view "$other" "${order[@]}"; done
  for other in "${order[@]}"; do goes_on "$other" 1000; done
done
for number in 0 1 2 3; do end_clean "$number"; done
no_leftovers
say "four nodes replaced under load, nothing lost"
