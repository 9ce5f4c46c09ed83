#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Whose things are: a fabric, its data, a capture, a socket or telemetry's directory of another user
# gives one sentence with its owner, live or stale, and the command that mends it.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

[ "$(id -u)" -eq 0 ] || skip "only root runs as two users"
other=$(getent passwd 65534 | cut -d: -f1)
[ -n "$other" ] || skip "no user 65534"
as_other=(setpriv --reuid 65534 --regid 65534 --clear-groups env "XDG_RUNTIME_DIR=$work_dir/other")
chmod 755 "$work_dir"
mkdir "$work_dir/other"
chown 65534:65534 "$work_dir/other"
# A copy that another user can read wherever the build lies.
cp -- "$lambdacast" "$work_dir/lambdacast"
control=/dev/shm/odbss.$fabric
read -r data < <(data_files "$fabric")

endpoints "$fabric" 4 0 >"$work_dir/first.toml"
endpoints "$fabric" 4 1 >"$work_dir/second.toml"
chmod 644 "$work_dir"/*.toml
# refused_as_other TEXT...: it does not start, and says so in one sentence.
refused_as_other() {
  local text
  run 3 "${as_other[@]}" "$work_dir/lambdacast" --config "$work_dir/second.toml" --run-for 5
  grep -v "hugepages:" "$work_dir/err" >"$work_dir/sentence" || true
  one_sentence sentence
  for text in "$@"; do want sentence "$text"; done
  say "$(cat "$work_dir/sentence")"
}

start live "$lambdacast" --config "$work_dir/first.toml"
live=${children[-1]}
wait_for 60 has live.out "ICRC by" || fail "it does not run: $(cat "$work_dir/live.err")"
refused_as_other "fabric $fabric is that of root (uid 0) and live: process $live (lambdacast) " \
  "uses $control; run as that user, end it (sudo kill $live) or choose another fabric name"

# Its own wavelength, asked for by the same user: who has it.
run 3 "$lambdacast" --config "$work_dir/first.toml" --run-for 5
want err "already has a transmitter: process $live (lambdacast); choose another wavelength or end"

kill -KILL "$live"
wait "$live" 2>/dev/null || true
refused_as_other "fabric $fabric is that of root (uid 0) and stale: no process uses $control; to " \
  "mend: sudo rm -f $control" "or choose another fabric name"
[ -e "$control" ] || fail "another user has removed $control"
# The command mends it. What it leaves out, another sentence names.
command=$(sed 's/.*to mend: sudo //; s/, or choose.*//' "$work_dir/sentence")
case $command in "rm -f $control"*) $command ;; *) fail "no command: $command" ;; esac
run 0 "${as_other[@]}" "$work_dir/lambdacast" --config "$work_dir/second.toml" --run-for 1
want out "verdict: every packet accounted for"

# Root is another user as well.
start theirs "${as_other[@]}" "$work_dir/lambdacast" --config "$work_dir/second.toml"
wait_for 60 has theirs.out "ICRC by" || fail "it does not run: $(cat "$work_dir/theirs.err")"
run 3 "$lambdacast" --config "$work_dir/first.toml" --run-for 5
want err "fabric $fabric is that of $other (uid 65534) and live: process "
want err ", end it (kill "
kill -TERM "${children[-1]}"
ends "${children[-1]}" theirs 0

# Data of a fabric whose control file has gone.
install -m 600 /dev/null "$data"
refused_as_other "is left of a fabric of root (uid 0); to mend: sudo rm -f $data"
rm -f -- "$data"

# A capture file, and a directory that telemetry cannot use.
install -m 600 /dev/null "$work_dir/root.pcapng"
run 3 "${as_other[@]}" "$work_dir/lambdacast" --config "$work_dir/second.toml" --run-for 5 \
  --capture "$work_dir/root.pcapng"
file=$work_dir/root.pcapng
want err "cannot capture into $file: Permission denied; $file is that of root (uid 0) and stale: "
want err "name another, or to mend: sudo rm -f $file"
mkdir "$work_dir/roots"
# With --in-memory EAL does not start without it, in plain memory it runs without telemetry.
code=0
limited "${as_other[@]}" "XDG_RUNTIME_DIR=$work_dir/roots" "$work_dir/lambdacast" \
  --config "$work_dir/second.toml" --run-for 1 >"$work_dir/out" 2>"$work_dir/err" || code=$?
[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail "exit code $code: $(cat "$work_dir/err")"
want err "telemetry has no socket: $work_dir/roots is that of root (uid 0) and cannot be written; "
want err "to mend: export RUNTIME_DIRECTORY="
left=$(fabric_files)
[ -z "$left" ] || fail "left behind: $left"
say "owners are named"
