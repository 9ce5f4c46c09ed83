#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Latency: one way and round trip, beside the bare ports; every message once or lost; percentiles
# rise; the histogram is of all messages. No time is judged.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

count=$(packets 6000)
latency --count "$count" --rate 20000 --histogram "$work_dir/times.hgrm" \
  --plot "$work_dir/times.svg"
for key in p50_ns p99_ns p999_ns p9999_ns max_ns bare_p50_ns bare_p99_ns rate payload_bytes lcores \
  intended_p99_ns bare_lost error_bound; do
  holds "'$key' in r"
done
holds "r['mode'] == 'one-way' and r['sent'] == $count and r['payload_bytes'] == 64"
holds "r['bare_sent'] == $count and r['bare_sound'] and 'max_rate' not in r"
holds "r['intended_mean_ns'] >= r['mean_ns']"  # a message never leaves before it is due
ascending bare_

for which in "" intended_ bare_; do
  file=$work_dir/times.${which/_/.}hgrm
  hgrm "$file" "$(/usr/bin/python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
bare = sys.argv[2] == "bare_"
print(report["bare_sent"] - report["bare_lost"] if bare else report["received"])
' "$work_dir/report.json" "$which")"
done
svg "$work_dir/times.svg" "Latency, one-way: 64 bytes" "endpoint to endpoint" "bare ports" "99.9 %"

latency --count "$count" --rate 20000 --mode round-trip --payload 1024 --idle pause
holds "r['mode'] == 'round-trip' and r['sent'] == $count and r['payload_bytes'] == 1024"
holds "r['bare_sound'] and r['idle'] == 'pause'"

# The rate from what the machine reaches; without the bare ports; for people.
run 0 "$bench" latency --count "$(packets 200000)" --rate half-max --no-bare \
  --json "$work_dir/report.json"
want out "endpoint to endpoint"
want out "messages a second"
refuse out "bare"
holds "abs(r['rate'] - r['max_rate'] / 2) < 1 and r['max_rate'] > 1000"
holds "'bare_p50_ns' not in r and r['sound']"

# Endpoints of a file, whose stages have lcores of their own: no bare loop could have their port.
sed -e 's/^wavelength = .*/&\nstages = { receive = 1 }/' >"$work_dir/split.toml" \
  < <(endpoints "$fabric" 2 0 1)
latency --count "$(packets 500)" --rate 5000 --config "$work_dir/split.toml"
holds "'bare_p50_ns' not in r and r['config'].endswith('split.toml')"

# What cannot be drawn or written is said, before the run if it can be known.
run 3 env PATH=/nonesuch "$bench" latency --plot "$work_dir/none.svg"
one_sentence err
want err "apt-get install gnuplot-nox"
for option in --plot --histogram --json; do
  run 3 "$bench" latency --count 10 --warm-up 0 "$option" /nonesuch/file
  want err "cannot write /nonesuch/file"
done

# A signal ends it early, with the report of what was done.
start early "$bench" latency --count 100000000 --rate 1000 --json "$work_dir/early.json"
echo "bench-${children[-1]}" >>"$work_dir/numbers"
wait_for 20 test -e "/dev/shm/odbss.bench-${children[-1]}"
kill -TERM "${children[-1]}"
ends "${children[-1]}" early 0
no_leftovers
say "one way, round trip and half the greatest rate: every message once, percentiles rise"
