#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Throughput: at the receiver's pace nothing is lost and every message is checked; a flood may lose
# but tells how much; counts, rates and the histogram of them agree. No rate is judged.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"
. "$(dirname -- "${BASH_SOURCE[0]}")/bench.bash"

count=$(packets 400000)
throughput --count "$count" --seconds 50 --warm-up 0.05 \
  --histogram "$work_dir/rates.hgrm" --plot "$work_dir/rates.svg"
for key in messages_per_second packets_per_second goodput_bps messages_per_packet lcores icrc pace \
  fill sent_packets_per_second; do
  holds "'$key' in r"
done
holds "r['messages'] == $count and r['packets'] == $count and r['lost_messages'] == 0"
holds "r['total_messages'] > $count"  # the warm-up
hgrm "$work_dir/rates.hgrm" 0
svg "$work_dir/rates.svg" "Throughput: 64 bytes" "thousand messages a second"

throughput --seconds 0.3 --payload 4048 --icrc off
holds "r['lost_messages'] == 0 and r['icrc'] == 'off' and r['payload_bytes'] == 4048"
holds "0.29 < r['elapsed_s']"
throughput --count "$count" --seconds 50 --pace none --fill never
holds "r['pace'] == 'none' and r['fill'] == 'never' and r['messages'] > 0"
throughput --count "$(packets 2000)" --pace 5000 --payload 1 --warm-up 0
holds "r['messages'] + r['lost_messages'] == $(packets 2000) and r['pace'] == '5000'"
# No message leaves before it may, but the first burst at once.
holds "r['elapsed_s'] >= (r['messages'] - 64) / 5000"

# Short messages share packets, long ones are cut; what was sent is what comes.
throughput --count "$count" --seconds 50 --coalesce on
holds "r['lost_messages'] == 0 and r['messages_per_packet'] > 1 and r['coalesce'] == 'on'"
throughput --count "$(packets 2000)" --seconds 50 --payload 100000 --coalesce 50
holds "r['lost_messages'] == 0 and r['packets'] == 25 * r['messages'] and r['coalesce'] == '50'"
throughput --count 8 --seconds 50 --payload 16777216 --warm-up 0
holds "r['lost_messages'] == 0 and r['packets'] > 4096 * r['messages']"

# For people; endpoints of a file, at a rate, for their stages have several lcores.
endpoints "$fabric" 2 0 1 | sed 's/^wavelength = .*/&\nstages = { receive = 1 }/' \
  >"$work_dir/split.toml"
run 0 "$bench" throughput --count "$(packets 1000)" --pace 10000 --config "$work_dir/split.toml"
want out "messages/s"
no_leftovers
say "$count messages at the receiver's pace: all delivered and right; floods tell what they lose"
