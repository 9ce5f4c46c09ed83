#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Text from elsewhere: names are checked where they come in, and shown and scraped whatever they
# are. One in French takes no scrape down; bytes that are no UTF-8 and controls reach no terminal.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

exporter=$source_dir/scripts/lambdacast-exporter
french=$'\xc3\xa9t\xc3\xa9'
latin=$'\xe9t\xe9'
long=$(printf '\xc3\xa9%.0s' {1..31})
endpoints "$fabric" 2 0 1 | sed '/^\[traffic\]/,/^rate_pps/d' >"$work_dir/rack.toml"
cat >>"$work_dir/rack.toml" <<TOML
[endpoint_defaults.membership]
enabled = true
initial_nodes = 2
[eal]
args = ["--no-huge", "--no-shconf", "-m", "512", "--file-prefix=$fabric"]
TOML
at_end() { rm -rf -- "/var/run/dpdk/$fabric"; }

mkfifo "$work_dir/input"
exec 9<>"$work_dir/input"
"$lambdacast" --config "$work_dir/rack.toml" --interactive \
  <"$work_dir/input" >"$work_dir/out" 2>"$work_dir/err" 9>&- &
children+=("$!")
said() { wait_for 30 has out "$1" || fail "no \"$1\": $(cat "$work_dir/out" "$work_dir/err")"; }
# The order has begun when a group has its members; each step waits for what the last one says.
begun() { has out "node0: view" && has out "node1: view"; }
wait_for 30 begun || fail "no view: $(cat "$work_dir/out" "$work_dir/err")"
for name in "$french" "$long"; do
  printf 'join %s node0\njoin %s node1\n' "$name" "$name" >&9
  said "node0: group $name: members 2: 10.77.0.1, 10.77.0.2"
  said "node1: group $name: members 2: 10.77.0.1, 10.77.0.2"
done

# A name that is none, in every command that takes one.
for command in "join $latin node0" "send to $latin text" "listen $latin" \
  $'join \xc2\x9b2J node0'; do
  printf '%s\n' "$command" >&9
done
printf 'listen %s node1\nsend to %s \xc2\x9b2J \x1b[2J %s %s\n' "$french" "$french" "$french" \
  "$latin" >&9
said "node1: group $french from 10.77.0.1: \\xc2\\x9b2J \\x1b[2J $french \\xe9t\\xe9"
printf 'no \xc2\x9bcommand\nshow group all\nshow lcores\n' >&9
said "lambdacast> show lcores"
refusals=$(grep -c "1 to 63 bytes of UTF-8, without control characters" "$work_dir/out")
[ "$refusals" -eq 4 ] || fail "$refusals refusals: $(cat "$work_dir/out")"
want out "node0: group \\xe9t\\xe9: a group's name has"

# Columns are as wide as characters, and the terminal gets UTF-8 without controls.
/usr/bin/python3 - "$work_dir/out" "$work_dir/err" <<'PYTHON' || fail "see above"
import sys
import unicodedata

for path in sys.argv[1:]:
    with open(path, 'rb') as stream:
        text = stream.read().decode()  # fails for what is no UTF-8
    odd = {c for c in text if unicodedata.category(c) == 'Cc' and c != '\n'}
    if odd:
        sys.exit(f'{path} has {odd}')
with open(sys.argv[1], encoding='utf-8') as stream:
    rows = [line for line in stream if ' member ' in line]
if len(rows) < 4 or len({line.index('ff15::4d:') for line in rows}) != 1:
    sys.exit(f'columns are not in line: {rows}')
PYTHON

# The scrape has the names as they are, and has left nothing out.
"$exporter" --once --file-prefix "$fabric" >"$work_dir/metrics" 2>"$work_dir/scrape.err" ||
  fail "no scrape: $(cat "$work_dir/scrape.err")"
[ ! -s "$work_dir/scrape.err" ] || fail "the scrape says: $(cat "$work_dir/scrape.err")"
want metrics "lambdacast_scrape_left_out 0"
for name in "$french" "$long"; do
  for node in node0 node1; do
    grep -q "lambdacast_groups_members{endpoint=\"$node\",group=\"[0-9]*\",name=\"$name\"} 2" \
      "$work_dir/metrics" || fail "no $name of $node: $(grep groups_members "$work_dir/metrics")"
  done
done
promtool=$source_dir/build/promtool
if [ -x "$promtool" ]; then
  "$promtool" check metrics <"$work_dir/metrics" >"$work_dir/promtool" 2>&1 ||
    fail "promtool: $(cat "$work_dir/promtool")"
fi
# Stock readers get JSON of ASCII.
dpdk-telemetry.py -f "$fabric" <<<"/lambdacast/groups,node0" >"$work_dir/stock"
want stock 'u00e9t'
! LC_ALL=C grep -q '[^ -~]' "$work_dir/stock" || fail "not ASCII: $(cat "$work_dir/stock")"

echo quit >&9
code=0
wait "${children[-1]}" || code=$?
[ "$code" -eq 0 ] || fail "exit code $code: $(cat "$work_dir/err")"

# Arguments are shown, not obeyed.
run 2 "$lambdacast" --config "$work_dir/"$'no \x9b2J'
LC_ALL=C grep -qF 'no \x9b2J' "$work_dir/err" || fail "not shown: $(cat -v "$work_dir/err")"
left=$(fabric_files)
[ -z "$left" ] || fail "left behind: $left"
say "names and texts pass as they are or are shown escaped"
