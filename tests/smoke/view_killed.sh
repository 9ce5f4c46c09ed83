#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One of three nodes is killed (-9) under load, first one that is not the sequencer of the group,
# then the sequencer: the other two make a view without it (two of three are a quorum) and go on
# delivering. Started again it joins as another incarnation, behind the others in rank.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/view.bash"

start_three
# Who orders group 1: the hashes of lib/ordering/order_view.h, written here once more.
sequencer() { # sequencer NODE NODE NODE: by rank
  local domain_rank
  domain_rank=$(/usr/bin/python3 - <<'PYTHON'
mask = (1 << 64) - 1
def mix64(value):
    value = value + 0x9e3779b97f4a7c15 & mask
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & mask
    value = (value ^ value >> 27) * 0x94d049bb133111eb & mask
    return value ^ value >> 31
print(mix64((mix64(1) & 1023) + 0x9e37) % 3)
PYTHON
  )
  shift "$domain_rank"
  echo "$1"
}

# kill_one VICTIM FIRST SECOND: the other two by rank.
kill_one() {
  local victim=$1 number
  shift
  kill -KILL "${process[$victim]}"
  wait "${process[$victim]}" 2>/dev/null || true
  for number in "$@"; do in_view "$number" "$@"; done
  for number in "$@"; do goes_on "$number" 1000; done
}
ranks=(0 1 2)
for round in other sequencer; do
  marker=$(sequencer "${ranks[@]}")
  victim=$marker
  if [ "$round" = other ]; then
    victim=${ranks[0]}
    [ "$victim" != "$marker" ] || victim=${ranks[1]}
  fi
  left=()
  for number in "${ranks[@]}"; do [ "$number" = "$victim" ] || left+=("$number"); done
  kill_one "$victim" "${left[@]}"
  start_node "$victim" "-$round"
  ranks=("${left[@]}" "$victim")
  for number in "${ranks[@]}"; do in_view "$number" "${ranks[@]}"; done
  for number in "${ranks[@]}"; do goes_on "$number" 1000; done
  views=$(grep -c " begins, members " "$work_dir/$(out_of "${left[0]}")")
  say "node$victim ($round) killed, and back: $views views by now"
done

for number in 0 1 2; do refuse "$(out_of "$number")" "excluded"; done
for number in "${ranks[@]}"; do end_node "$number"; done
no_leftovers
