#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lambdacastctl with a process of two endpoints: one command, files of them, JSON, events and their
# overflow, plan, apply and save, a trace; who may attach and who may not; sockets that are stale or
# in use; clients that do not read; and the end in order.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

tool=$build_dir/app/lambdacastctl/lambdacastctl
raw=$source_dir/tests/smoke/lambdacastctl_raw.py
socket=$work_dir/x.sock
chmod 755 "$work_dir"
endpoints "$fabric" 2 0 1 | sed 's/^wavelength = .*/&\nmembership = { enabled = true }/' \
  >"$work_dir/rack.toml"

# ctl CODE ARGUMENTS...: output in $work_dir/out and err.
ctl() {
  local wanted=$1
  shift
  run "$wanted" "$tool" --socket "$socket" "$@"
}
is_json() { /usr/bin/python3 -m json.tool <"$work_dir/out" >"$work_dir/json" || fail "no JSON"; }
begun() { has rack.out "node0: view" && has rack.out "node1: view"; }
in_view() {
  "$tool" --socket "$socket" -j show view >"$work_dir/out" 2>/dev/null &&
    [ "$(grep -o '"members":2' "$work_dir/out" | wc -l)" -eq 2 ]
}

# ---- who is there already ------------------------------------------------------------------------
ctl 3 show view
want err "no lambdacast has the control socket $socket"
# A socket that a killed process left, and a file that is none.
/usr/bin/python3 -c "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])" "$socket"
ctl 3 show view
want err "nobody listens at $socket"
echo mine >"$work_dir/file.sock"
run 3 "$lambdacast" --config "$work_dir/rack.toml" --control-socket "$work_dir/file.sock"
want err "control socket $work_dir/file.sock is a file that is no socket; it stays as it is"
has file.sock mine || fail "the file was touched"
run 3 "$lambdacast" --config "$work_dir/rack.toml" --control-socket "$socket" \
  --control-group "no such group"
want err "group no such group is not known"

start rack "$lambdacast" --config "$work_dir/rack.toml" --control-socket "$socket"
process=${children[-1]}
wait_for 30 begun || fail "no view: $(cat "$work_dir/rack.out" "$work_dir/rack.err")"
wait_for 30 in_view || fail "no view of two: $(cat "$work_dir/out")"
[ "$(stat -c %a "$socket")" = 660 ] || fail "mode $(stat -c %a "$socket")"

run 3 "$lambdacast" --config "$work_dir/rack.toml" --control-socket "$socket"
want err "control socket $socket is in use: another process listens there"
[ -S "$socket" ] || fail "the one that was refused removed the socket"

# ---- one command ---------------------------------------------------------------------------------
ctl 0 show view
want out operational
ctl 1 show pears
want err "usage: show peers [ENDPOINT]"
ctl 2 --nonesuch
for words in "port stats all" "port xstats all" "port info all" fabric wavelengths endpoint stages \
  drops lcores peers reliability losses view members "group all" config graph; do
  # shellcheck disable=SC2086
  ctl 0 -j show $words
  is_json
done
ctl 0 show view -j
is_json
ctl 0 show stages node0
want out packet_ns
ctl 0 show graph
if command -v dot >/dev/null; then
  dot -Tsvg <"$work_dir/out" >/dev/null || fail "dot does not take the graph"
fi
want out '"node0.receive" -> "node0.reliability"'
ctl 0 help
want out "trace add STAGE N [ENDPOINT]"

# ---- files of commands ---------------------------------------------------------------------------
printf 'show lcores\nshow pears\n\n# nothing\nset traffic 100 node1\nwait 0.1\n' \
  >"$work_dir/commands"
ctl 1 -f "$work_dir/commands"
want err "usage: show peers"
ctl 0 show config
want out "rate_pps = 100 "
printf 'show pears\nset traffic 7 node1\n' >"$work_dir/commands"
ctl 1 -e -f "$work_dir/commands"
ctl 0 show config
refuse out "rate_pps = 7 "
printf 'load %s\nquit\nset traffic 9 node1\n' "$work_dir/more" >"$work_dir/commands"
echo "set traffic 8 node1" >"$work_dir/more"
ctl 0 -f "$work_dir/commands"
ctl 0 show config
want out "rate_pps = 8 "
printf 'help quit\nhelp wait\n' | "$tool" --socket "$socket" >"$work_dir/out"
want out "wait SECONDS"
ctl 0 -j set traffic 100 node1

# ---- plan, apply, save ---------------------------------------------------------------------------
ctl 0 save "$work_dir/saved.toml"
run 0 "$lambdacast" --config "$work_dir/saved.toml" --check-config
[ ! -s "$work_dir/err" ] || fail "what is saved is warned of: $(cat "$work_dir/err")"
ctl 0 plan "$work_dir/saved.toml"
want out "Nothing differs."
sed 's/^rate_pps = 100 .*/rate_pps = 55/; 0,/^# burst = 32.*/s//burst = 64/' \
  "$work_dir/saved.toml" >"$work_dir/wanted.toml"
ctl 0 -j plan "$work_dir/wanted.toml"
is_json
/usr/bin/python3 - "$work_dir/out" <<'PYTHON' || fail "the plan is $(cat "$work_dir/out")"
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
assert [(r['setting'], r['running'], r['wanted'], r['effect']) for r in rows] == [
    ('endpoint.node0.burst', '32', '64', 'new incarnation'),
    ('endpoint.node1.traffic.rate_pps', '100', '55', 'live')], rows
PYTHON
ctl 0 apply "$work_dir/wanted.toml"
want out "endpoint.node1.traffic.rate_pps = 55"
want out "These remain:"
ctl 0 plan "$work_dir/wanted.toml"
refuse out rate_pps
want out endpoint.node0.burst
echo 'nonsense = 1' >"$work_dir/wrong.toml"
ctl 1 apply "$work_dir/wrong.toml"
want err "$work_dir/wrong.toml:1: nonsense"
ctl 1 plan "$work_dir/no.toml"
want err "$work_dir/no.toml cannot be read"

# ---- packets through the stages ------------------------------------------------------------------
ctl 0 trace add receive 64 node1
traced() { "$tool" --socket "$socket" trace show >"$work_dir/out" 2>&1 && has out delivered; }
wait_for 20 traced || fail "nothing was delivered: $(cat "$work_dir/out")"
want out ordering
ctl 0 trace stop

# ---- events --------------------------------------------------------------------------------------
start events "$tool" --socket "$socket" events
listener=${children[-1]}
# It hears only once it has asked: what others do until then is nobody's.
heard() { "$tool" --socket "$socket" set traffic 55 node1 && has events.out '"event":"command"'; }
wait_for 20 heard || fail "no event: $(cat "$work_dir/events.err")"
while read -r line; do
  /usr/bin/python3 -m json.tool <<<"$line" >/dev/null || fail "no JSON: $line"
done <"$work_dir/events.out"
# One that stands loses events, and is told how many.
start few "$tool" --socket "$socket" events 4
few=${children[-1]}
heard() { "$tool" --socket "$socket" set traffic 55 node1 && has few.out '"event":"command"'; }
wait_for 20 heard || fail "no event: $(cat "$work_dir/few.err")"
kill -STOP "$few"
long=$(printf 'x%.0s' {1..900})
for _ in {1..600}; do echo "frobnicate $long"; done >"$work_dir/commands"
ctl 1 -f "$work_dir/commands"
kill -CONT "$few"
wait_for 20 has few.out '"event":"overflow","lost":' || fail "no overflow is told"
kill "$few" "$listener"

# ---- who may not ---------------------------------------------------------------------------------
run 0 /usr/bin/python3 "$raw" "$socket" 99
want out "error: raw 99 speaks version 99 of the control protocol, lambdacast "
want out " speaks version 1; use the lambdacastctl"
run 0 /usr/bin/python3 "$raw" "$socket" 1 garbage
want out "error: frame type 255 is not known"
run 0 /usr/bin/python3 "$raw" "$socket" 1 help quit
want out "answer: quit"
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [ "$(id -u)" -eq 0 ] && "${nobody[@]}" test -x "$tool" -a -x "$work_dir"; then
  run 3 "${nobody[@]}" "$tool" --socket "$socket" show view
  want err "is not for this user"
  chmod 666 "$socket"  # the file lets it in, and the process does not
  run 3 "${nobody[@]}" "$tool" --socket "$socket" show view
  want err "user 65534 is not allowed to attach"
  chmod 660 "$socket"
else
  say "no other user can run the tool here: not tried"
fi

# ---- one that does not read: cut off, and the others answered meanwhile --------------------------
start stall /usr/bin/python3 "$raw" "$socket" 1 stall
wait_for 30 has rack.err "is cut off: it reads nothing" || fail "it was not cut off"
ctl 0 show lcores
ends "${children[-1]}" stall 0
want stall.out "cut off:"

# ---- the end in order ----------------------------------------------------------------------------
ctl 0 drain
want out "It has ended with exit code "
ends_as_told "$process" rack
want rack.out "node0: has left view"
want rack.out "node1: has left view"
[ ! -e "$socket" ] || fail "the socket was left behind"

# SIGTERM ends in the same way, and a stale socket is taken over.
/usr/bin/python3 -c "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])" "$socket"
start rack "$lambdacast" --config "$work_dir/rack.toml" --control-socket "$socket"
process=${children[-1]}
wait_for 30 in_view || fail "no view after a stale socket: $(cat "$work_dir/rack.err")"
kill -TERM "$process"
ends_as_told "$process" rack
want rack.out "node0: has left view"
[ ! -e "$socket" ] || fail "the socket was left behind"

# A service's place is the default, and is found.
mkdir "$work_dir/run"
start service env RUNTIME_DIRECTORY="$work_dir/run" "$lambdacast" --config "$work_dir/rack.toml"
process=${children[-1]}
found() { RUNTIME_DIRECTORY=$work_dir/run "$tool" show lcores >/dev/null 2>&1; }
wait_for 30 found || fail "it is not found: $(cat "$work_dir/service.out" "$work_dir/service.err")"
[ -S "$work_dir/run/rack.sock" ] || fail "its name is not the configuration's"
kill -TERM "$process"
ends_as_told "$process" service
no_leftovers
say passed
