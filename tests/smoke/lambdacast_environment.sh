#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the machine does not give: one clear sentence, exit code 3, nothing half started, and a
# program that runs already is not disturbed. Without hugepages it runs, and says so.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/smoke.bash"

# refused TEXT...: the program does not start, and says so in one sentence.
refused() {
  local text
  run 3 "$lambdacast" --config "$work_dir/wrong.toml" --run-for 5
  grep -v "hugepages:" "$work_dir/err" >"$work_dir/sentence" || true
  one_sentence sentence
  for text in "$@"; do want sentence "$text"; done
  say "$(cat "$work_dir/sentence")"
}

endpoints "$fabric" 4 0 1 >"$work_dir/rack.toml"
start first "$lambdacast" --config "$work_dir/rack.toml" --stats-period 0.2
first=${children[-1]}
wait_for 30 has first.out "sent/s" || fail "it does not run: $(cat "$work_dir/first.err")"
files_before=$(leftovers)

endpoints "$fabric" 4 2 1 >"$work_dir/wrong.toml"
refused "endpoint node1: port net_odbss_node1 cannot be attached: wavelength=C22: " \
  "already has a transmitter"
endpoints "$fabric" 3 2 >"$work_dir/wrong.toml"
refused "fabric $fabric has wavelengths=4, this port asks for wavelengths=3"
endpoints "$fabric" 4 2 | sed 's/^slots = .*/slots = 1024/' >"$work_dir/wrong.toml"
refused "fabric $fabric has slots=4096, this port asks for slots=1024"
for_port() { printf '[[endpoint]]\nname = "node2"\naddress = "10.77.0.3"\nport = "%s"\n' "$1"; }
for_port net_af_packet0,iface=nonexistent0 >"$work_dir/wrong.toml"
refused "port net_af_packet0 cannot be attached: "
for_port net_nonesuch0 >"$work_dir/wrong.toml"
refused "port net_nonesuch0 cannot be attached: "
endpoints "$fabric" 4 2 >"$work_dir/wrong.toml"
run 3 "$lambdacast" --no-such-eal-option -- --config "$work_dir/wrong.toml" --run-for 5
want err "EAL does not start"
[ "$(leftovers)" = "$files_before" ] || fail "left behind: $(leftovers)"

# With C23 it is welcome, and both hear one another.
run 0 "$lambdacast" --config "$work_dir/wrong.toml" --run-for 1
want out "verdict: every packet accounted for: "
kill -TERM "$first"
ends "$first" first 0
want first.out "verdict: every packet accounted for: "
no_leftovers

# No hugepages to be had (in a mount namespace of its own): said with the remedy, and it runs.
free=/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
echo 0 >"$work_dir/zero"
# shellcheck disable=SC2016
without_hugepages=(unshare --mount --propagation private bash -c '
    mount --bind "$1" "$2" || exit 99
    for at in $(awk "\$3 == \"hugetlbfs\" { print \$2 }" /proc/mounts); do umount "$at"; done
    shift 2
    exec "$@"' without "$work_dir/zero" "$free")
if [ -e "$free" ] && "${without_hugepages[@]}" true 2>/dev/null; then
  run 0 "${without_hugepages[@]}" "$lambdacast" --config "$work_dir/rack.toml" --run-for 1
  want err "lambdacast: hugepages: 0 MiB free, "
  want err "running without, slower. To mend: sysctl -w vm.nr_hugepages=1024"
  one_sentence err
  want out "verdict: every packet accounted for: "
  say "$(cat "$work_dir/err")"
else
  say "no mount namespace for us: running without hugepages was left out"
fi
no_leftovers
