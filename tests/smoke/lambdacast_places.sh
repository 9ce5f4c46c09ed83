#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A listener has places for three others: one that lives all the time, and two for endpoints that
# come and go, each with an address of its own. All of them are heard, because the places of those
# that have left, or were killed, are used again; the listener says whose, and accounts for every
# packet. With places for one, the newcomer is refused in a line that names the remedy.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# node NUMBER WAVELENGTH MAX_PEERS: $work_dir/NUMBER.toml.
node() {
  RATE_PPS=1000 endpoints "$fabric" 3 "$1" | sed "s/^wavelength = .*/wavelength = \"$2\"/" \
    >"$work_dir/$1.toml"
  # A tenth of a second is more than this machine keeps a process that wants to run from it as a
  # rule, and whoever is silent for suspect_after alone keeps its place.
  cat >>"$work_dir/$1.toml" <<TOML
max_peers = $3
reliability = { suspect_after_ms = 400 }
TOML
}
begin() { start "$1" "$lambdacast" --config "$work_dir/$2.toml" --stats-period 0.1; }
# Of the endpoint's last row in the table: 6 delivered.
delivered() { awk -v node="$2" '$1 == node && $3 ~ /^[0-9,]+$/ { v = $6 }
  END { gsub(",", "", v); print v + 0 }' "$work_dir/$1.out"; }
more_than() { [ "$(delivered "$1" "$2")" -gt "$3" ]; }
goes_on() { # goes_on NAME NODE PACKETS
  local now
  now=$(delivered "$1" "$2")
  wait_for 30 more_than "$1" "$2" $((now + $3)) || {
    cat -- "$work_dir/$1.out" "$work_dir/$1.err" >&2
    fail "$1 delivers nothing any more"
  }
}
qpn="qpn 0x11"
taken_of() { echo "node0: 10.77.0.$1 $qpn takes the place of 10.77.0.$2 $qpn, which $3"; }

node 0 C21 3
node 1 C22 80
begin listener 0
begin alive 1
goes_on listener node0 300
for number in 10 11 12 13 14; do
  node "$number" C23 80
  begin "life$number" "$number"
  life=${children[-1]}
  # It hears the listener and the one alive. The third stays until the one that was killed before
  # it counts as gone, which takes longer than for one that has left.
  goes_on "life$number" "node$number" "$([ "$number" -eq 13 ] && echo 3000 || echo 300)"
  case $number in
    12) wait_for 30 has listener.out "$(taken_of 13 11 "has left")" ;;
    13) wait_for 30 has listener.out "$(taken_of 14 12 "has left")" ;;
    14) wait_for 30 has listener.out "$(taken_of 15 13 "was silent for ")" ;;
  esac || fail "no place for node$number: $(grep place "$work_dir/listener.out")"
  if [ "$number" -eq 12 ]; then
    kill -KILL "$life"
    wait "$life" 2>/dev/null || true
  else
    kill -TERM "$life"
    ends_as_told "$life" "life$number"
  fi
done
refuse listener.out "place of 10.77.0.2 "
goes_on listener node0 300

node 2 C23 1
begin small 2
refused="is not heard: all 1 places are taken by peers that are not gone; a larger max_peers has "
wait_for 30 has small.out "$qpn $refused" || fail "nothing of who is refused"
small=${children[-1]}
for name in small listener alive; do
  case $name in
    small) process=$small ;;
    listener) process=${children[0]} ;;
    alive) process=${children[1]} ;;
  esac
  kill -TERM "$process"
  ends_as_told "$process" "$name"
done
no_leftovers
say "$(grep -c "takes the place" "$work_dir/listener.out") places used again; \
$(tail -n 1 "$work_dir/listener.out")"
